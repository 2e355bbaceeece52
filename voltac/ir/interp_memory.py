"""The memory of the IR interpreter: objects far apart, every access checked.

Each object has an address region of its own, so that a wrong index misses every
object instead of hitting the next one. ``defined`` says of each byte whether
something other than poison was stored there.
"""

from __future__ import annotations

from voltac.ir.interp_values import InstructionFault, Kind, Value, decode, encode
from voltac.records import mutable_record, record

_REGION_BITS = {8: 40, 4: 18}
"""Bytes of a pointer -> bits of an address within a region. Regions of freed objects are used again where there are few."""


@mutable_record
class Object:
    """One allocation. ``data`` may be memory of Python's, such as a numpy array."""

    name: str
    base: int
    data: memoryview
    defined: bytearray
    writable: bool = True

    @property
    def end(self) -> int:
        """The address behind its last byte."""
        return self.base + len(self.data)


class CheckedMemory:
    """Objects at addresses far apart; every access is checked against the object it begins in."""

    def __init__(self, new_is_poison: bool = True, pointer_bytes: int = 8, line_bytes: int = 1) -> None:
        """``new_is_poison``: what was never stored is poison; else it is zero. Objects made here fill whole lines."""
        self._new = b"\0" if new_is_poison else b"\1"
        self._region_bits = _REGION_BITS[pointer_bytes]
        self._line = line_bytes
        self._free: list[int] = []
        self._objects: dict[int, Object] = {}
        self._next = 1

    def place(self, name: str, data: memoryview, *, defined: bool, alignment: int = 64, writable: bool = True) -> Object:
        """Give existing bytes an address that is a multiple of ``alignment`` and of no larger power of two."""
        number = self._next
        if self._free and self._region_bits < 40:
            number = self._free.pop()
        else:
            self._next += 1
        base = (number << self._region_bits) + (1 << (self._region_bits - 1)) + alignment
        placed = Object(name, base, data, bytearray((b"\1" if defined else self._new) * len(data)), writable)
        self._objects[number] = placed
        return placed

    def allocate(self, name: str, size: int, alignment: int, *, defined: bool = False) -> Object:
        """A new object of at least ``size`` bytes, poison unless it is ``defined``."""
        size = -(-size // self._line) * self._line
        return self.place(name, memoryview(bytearray(size)), defined=defined, alignment=max(self._line, alignment))

    def free(self, base: int) -> None:
        """End an object; a :class:`InstructionFault` if ``base`` is not its first byte."""
        number = base >> self._region_bits
        found = self._objects.get(number)
        if found is None or found.base != base:
            raise InstructionFault(f"what lies at {base:#x} was not allocated or is freed already")
        del self._objects[number]
        self._free.append(number)

    def in_object(self, address: int) -> Object | None:
        """The object an address points into or to the end of."""
        found = self._objects.get(address >> self._region_bits)
        return found if found is not None and found.base <= address <= found.end else None

    def find(self, address: Value, size: int, alignment: int, *, write: bool = False) -> tuple[Object, int]:
        """The object that holds ``size`` bytes at an address, and the offset in it."""
        action = "writes" if write else "reads"
        if address is None:
            raise InstructionFault(f"{action} at a poisoned address")
        found = self._objects.get(address >> self._region_bits)
        if found is None:
            raise InstructionFault(f"{action} at {address:#x}, where no object is")
        offset = address - found.base
        if offset < 0 or offset + size > len(found.data):
            raise InstructionFault(f"{action} bytes {offset} to {offset + size} of {found.name}, which has {len(found.data)}")
        if alignment > 1 and address % alignment:
            raise InstructionFault(f"{action} at offset {offset} of {found.name}, which is not aligned to {alignment}")
        if write and not found.writable:
            raise InstructionFault(f"writes to {found.name}, which is constant")
        return found, offset

    def load(self, kind: Kind, address: Value, alignment: int) -> Value:
        """The value of a kind that lies there; poison where a byte of it is."""
        found, offset = self.find(address, kind.stored_bytes, alignment)
        return decode(kind, found.data, found.defined, offset)

    def store(self, kind: Kind, value: Value, address: Value, alignment: int) -> None:
        """Write a value, its poison too."""
        found, offset = self.find(address, kind.stored_bytes, alignment, write=True)
        encode(kind, value, found.data, found.defined, offset)

    def copy(self, destination: Value, source: Value, size: Value) -> None:
        """As memmove; poison is copied as it is."""
        if size is None:
            raise InstructionFault("copies a poisoned number of bytes")
        if size == 0:
            return
        target, to = self.find(destination, size, 1, write=True)
        origin, start = self.find(source, size, 1)
        data, defined = bytes(origin.data[start : start + size]), bytes(origin.defined[start : start + size])
        target.data[to : to + size] = data
        target.defined[to : to + size] = defined

    def fill(self, destination: Value, byte: Value, size: Value) -> None:
        """``memset``."""
        if size is None:
            raise InstructionFault("fills a poisoned number of bytes")
        if size == 0:
            return
        target, to = self.find(destination, size, 1, write=True)
        target.data[to : to + size] = bytes([byte or 0]) * size
        target.defined[to : to + size] = (b"\0" if byte is None else b"\1") * size

    def forget(self, address: Value) -> None:
        """Everything in the object becomes poison: its lifetime begins or ends."""
        found = self.in_object(address) if address is not None else None
        if found is not None:
            found.defined[:] = self._new * len(found.data)


@record
class Called:
    """What an intrinsic of whole values gets."""

    memory: CheckedMemory
    kinds: tuple[Kind, ...]
    """Types of the arguments."""
    result: Kind
    arguments: list[Value]
    alignments: tuple[int, ...]
    """From ``align`` on the arguments, else 1."""
