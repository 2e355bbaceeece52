"""A tile's memory: what may be read and written where, and the checks of each access (IPU 1.4)."""

from __future__ import annotations

from functools import cache

from voltac.targets.ipu.memory_map import MAPS, MemoryMap
from voltac.targets.ipu.simulator.faults import CONFLICT, INVALID_ADDRESS, TileFault

_ADDRESSES = 1 << 21
"""Bytes that addresses reach (IPU 1.4)."""
_BEYOND = 0xFFFFFFFF & -_ADDRESSES
"""Bits of a register that no address has."""
_BANK_OF_REGION_1 = 8 | -0x8000
"""Bits of an address that tell a bank of region 1 from the others."""
SLACK = 32
"""Bytes behind an array that may be read (IPU 1.4)."""

NOWHERE, BEHIND_ARRAY, FIXED, UNDECLARED = 1, 2, 4, 8
"""Why a word is not plain memory: nothing is there; it is read past an array's end; code or constants; nobody owns it."""


@cache
def _marks(generation: str) -> bytes:
    """Those of memory that has nothing in it yet: copying them takes a third of writing them, and each run of a kernel has
    memory of its own."""
    start, end = MAPS[generation].start >> 2, MAPS[generation].end >> 2
    nowhere = bytes([NOWHERE])
    return nowhere * start + bytes(end - start) + nowhere * (_ADDRESSES // 4 - end)


class TileMemory:
    """Addresses are the tile's own; words have a mark each that says what they are."""

    def __init__(self, generation: str, conflicts: str = "trap") -> None:
        if conflicts not in ("trap", "count"):
            raise ValueError(f"conflicts is 'trap' or 'count', not {conflicts!r}")
        self.map: MemoryMap = MAPS[generation]
        self.bytes = memoryview(bytearray(self.map.end))
        self.halves = self.bytes.cast("H")
        self.words = self.bytes.cast("I")
        self.marks = memoryview(bytearray(_marks(generation)))
        """One for each word: 0, or the reasons to look closer at an access."""
        self.pair_marks = self.marks.cast("H")
        self.quad_marks = self.marks.cast("I")
        self.counts_conflicts = conflicts == "count"
        self.conflicts = 0
        self.over_reads = 0

    # --- the host's side --------------------------------------------------------------------------------------------

    def mark(self, address: int, size: int, what: int) -> None:
        """Say what the words of a range are."""
        first, last = address >> 2, address + size + 3 >> 2
        self.marks[first:last] = bytes([what]) * (last - first)

    def write(self, address: int, content: bytes) -> None:
        """From the host; ValueError where no memory is."""
        self._check(address, len(content))
        self.bytes[address : address + len(content)] = content

    def read(self, address: int, size: int) -> bytes:
        """For the host; ValueError where no memory is."""
        self._check(address, size)
        return bytes(self.bytes[address : address + size])

    def _check(self, address: int, size: int) -> None:
        if not self.map.start <= address <= address + size <= self.map.end:
            raise ValueError(f"{size} bytes at {address:#x}: the tile has memory from {self.map.start:#x} to {self.map.end:#x}")

    # --- the workers' side ------------------------------------------------------------------------------------------

    def load8(self, address: int) -> int:
        """One byte, zero-extended."""
        address &= 0xFFFFFFFF
        if address & _BEYOND or self.marks[address >> 2]:
            self._look(address, 1)
        return self.bytes[address]

    def load16(self, address: int) -> int:
        """Two bytes, zero-extended."""
        address &= 0xFFFFFFFF
        if address & (_BEYOND | 1) or self.marks[address >> 2]:
            self._look(address, 2)
        return self.halves[address >> 1]

    def load8s(self, address: int) -> int:
        """One byte, sign-extended."""
        return (self.load8(address) ^ 0x80) - 0x80 & 0xFFFFFFFF

    def load16s(self, address: int) -> int:
        """Two bytes, sign-extended."""
        return (self.load16(address) ^ 0x8000) - 0x8000 & 0xFFFFFFFF

    def load16b(self, address: int) -> int:
        """A half in both halves of a word."""
        return self.load16(address) * 0x10001

    def load32(self, address: int) -> int:
        """A word."""
        address &= 0xFFFFFFFF
        if address & (_BEYOND | 3) or self.marks[address >> 2]:
            self._look(address, 4)
        return self.words[address >> 2]

    def load64(self, address: int) -> tuple[int, int]:
        """Two words, the low-addressed one first."""
        address &= 0xFFFFFFFF
        if address & (_BEYOND | 7) or self.pair_marks[address >> 3]:
            self._look(address, 8)
        word = address >> 2
        return self.words[word], self.words[word + 1]

    def load2x64(self, first: int, second: int) -> tuple[int, int, int, int]:
        """Two pairs of words, the second not from region 0."""
        if not self.map.is_interleaved(second):
            raise TileFault(INVALID_ADDRESS, f"the second load is at {second:#x}, which is in region 0", second)
        return (*self.load64(first), *self.load64(second))

    def load128(self, address: int) -> tuple[int, int, int, int]:
        """Four words, of region 1."""
        address &= 0xFFFFFFFF
        if address & (_BEYOND | 15) or self.quad_marks[address >> 4]:
            self._look(address, 16)
        if not self.map.is_interleaved(address):
            raise TileFault(INVALID_ADDRESS, f"128 bits at {address:#x}, which is not in interleaved memory", address)
        word = address >> 2
        return self.words[word], self.words[word + 1], self.words[word + 2], self.words[word + 3]

    def store32(self, address: int, value: int) -> None:
        """A word."""
        address &= 0xFFFFFFFF
        if address & (_BEYOND | 3) or self.marks[address >> 2]:
            self._refuse(address, 4)
        self.words[address >> 2] = value

    def store64(self, address: int, low: int, high: int) -> None:
        """Two words."""
        address &= 0xFFFFFFFF
        if address & (_BEYOND | 7) or self.pair_marks[address >> 3]:
            self._refuse(address, 8)
        word = address >> 2
        self.words[word] = low
        self.words[word + 1] = high

    def apart(self, *addresses: int) -> None:
        """The accesses of one instruction, which are to meet in no bank."""
        if len(addresses) == 2:
            p, q = addresses
            other = p ^ q
            # Different banks of region 1 differ in bit 3 or in the number of their element.
            if p >= self.map.interleaved <= q and other & _BANK_OF_REGION_1:
                return
        bank = self.map.bank
        if len({bank(address) for address in addresses}) != len(addresses):
            self.conflicts += 1
            if not self.counts_conflicts:
                shown = ", ".join(f"{address:#x}" for address in addresses)
                raise TileFault(CONFLICT, f"accesses of one instruction meet in a bank: {shown}", *addresses)

    def _look(self, address: int, size: int) -> None:
        """A load that is not plain: raise what is wrong, or count what is special."""
        what = self._marks_of(address, size, "load")
        if what & NOWHERE:
            raise TileFault(INVALID_ADDRESS, f"a load of {8 * size} bits at {address:#x}, where no memory is", address)
        if what & UNDECLARED:
            raise TileFault(
                INVALID_ADDRESS,
                f"a load of {8 * size} bits at {address:#x}, more than {SLACK} bytes behind any array",
                address,
            )
        if what & BEHIND_ARRAY:
            self.over_reads += 1

    def _refuse(self, address: int, size: int) -> None:
        """A store that is not plain."""
        what = self._marks_of(address, size, "store")
        reason = "where no memory is"
        if what & FIXED:
            reason = "which is code or a constant"
        elif what & (BEHIND_ARRAY | UNDECLARED) and not what & NOWHERE:
            reason = "which is in no array"
        raise TileFault(INVALID_ADDRESS, f"a store of {8 * size} bits at {address:#x}, {reason}", address)

    def _marks_of(self, address: int, size: int, access: str) -> int:
        if address % size:
            text = f"a {access} of {8 * size} bits at {address:#x}, which is no multiple of {size}"
            raise TileFault(INVALID_ADDRESS, text, address)
        if address >= _ADDRESSES:
            return NOWHERE
        what = 0
        for word in range(address >> 2, (address + size + 3) >> 2):
            what |= self.marks[word]
        return what
