"""The memory of an interpreted program: objects at fake addresses, every access checked against its object.

Each object (a variable, an allocation, an array of the host) is a segment of
bytes of its own, with unused addresses between it and the next. An access that
does not lie inside one object is a :class:`MemoryFault`. Addresses are never used
twice, so that a pointer kept after its object is gone is found too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .tiles import Tiles

Bytes = npt.NDArray[np.uint8]

_FIRST_ADDRESS = 0x10000
_GAP = 64
UNDEFINED_BYTE = 0xA5
"""What objects hold before anything is stored: not zero, so that reading them is seen in the results."""


class MemoryFault(Exception):
    """An access outside every object, or a store to a read-only one."""


@dataclass(frozen=True, slots=True)
class MemoryObject:
    """One object."""

    address: int
    bytes: Bytes
    name: str
    writable: bool
    freeable: bool
    """Made by ``new``, so ``delete`` may end it."""

    @property
    def end(self) -> int:
        """The address behind its last byte."""
        return self.address + len(self.bytes)


class ProgramMemory:
    """Segments in the order of their addresses."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._segments: list[MemoryObject] = []
        self._next = _FIRST_ADDRESS
        self.touched: Callable[[MemoryObject, int, int, bool], None] | None = None
        """Is told of each access: object, first byte in it, bytes, whether they are written."""
        self.tiles = Tiles()
        """Registers, of the program's one thread."""

    def allocate(self, size: int, alignment: int, name: str, *, freeable: bool = False) -> int:
        """A new object with undefined content; its address."""
        return self.map(np.full(size, UNDEFINED_BYTE, np.uint8), name, alignment, freeable=freeable)

    def map(self, content: Bytes, name: str, alignment: int = 64, *, writable: bool = True, freeable: bool = False) -> int:
        """Makes ``content`` (not a copy of it) an object; its address."""
        address = -(-self._next // alignment) * alignment
        self._next = address + len(content) + _GAP
        self._starts.append(address)
        self._segments.append(MemoryObject(address, content, name, writable, freeable))
        return address

    def release(self, address: int) -> None:
        """Ends the object that starts at ``address``."""
        index = bisect_right(self._starts, address) - 1
        del self._starts[index], self._segments[index]

    def free(self, address: int) -> None:
        """``delete``: only what ``new`` made can be freed."""
        segment = self._below(address)
        if segment is None or segment.address != address or not segment.freeable:
            raise MemoryFault(f"delete of {address:#x}, which is not an object made by new (or was deleted before)")
        self.release(address)

    def view(self, address: int, size: int, *, write: bool = False) -> Bytes:
        """The ``size`` bytes at ``address``, to read or to write in place."""
        segment = self._below(address)
        if segment is None or address + size > segment.end:
            raise MemoryFault(self._explain(address, size, segment))
        if write and not segment.writable:
            raise MemoryFault(f"store to {segment.name}, which is read-only")
        start = address - segment.address
        if self.touched is not None:
            self.touched(segment, start, size, write)
        return segment.bytes[start : start + size]

    def address_of_bytes(self, real: int) -> int:
        """The address at which a byte of this process's memory appears; 0 for 0."""
        for segment in self._segments:
            start = segment.bytes.ctypes.data
            if start <= real <= start + len(segment.bytes):
                return segment.address + real - start
        if real:
            raise MemoryFault(f"a C function returned the pointer {real:#x}, which is not into an object of the program")
        return 0

    def _below(self, address: int) -> MemoryObject | None:
        index = bisect_right(self._starts, address) - 1
        return self._segments[index] if index >= 0 else None

    @staticmethod
    def _explain(address: int, size: int, below: MemoryObject | None) -> str:
        access = f"access to {size} bytes at {address:#x}"
        if address < _FIRST_ADDRESS:
            return f"{access}: a null pointer"
        if below is None or address >= below.end + _GAP:
            return f"{access}: there is no object (any more)"
        return f"{access}: byte {address - below.address} of {below.name}, which has {len(below.bytes)}"
