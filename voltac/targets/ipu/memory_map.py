"""Where a tile has memory, and which bank an address is in (IPU 1.4)."""

from __future__ import annotations

from voltac.records import record

ELEMENT = 0x4000
"""Bytes of an element of region 0; those of region 1 are twice as large, two banks side by side."""


@record
class MemoryMap:
    """Addresses in bytes; each range ends before its ``end``."""

    name: str
    start: int
    interleaved: int
    """Where region 1 begins."""
    end: int
    repeats: int
    """The most that ``rpt`` counts to (IPU 2.3)."""

    def is_interleaved(self, address: int) -> bool:
        """Whether it is in region 1."""
        return address >= self.interleaved

    def bank(self, address: int) -> int:
        """A number that two addresses have in common only if their accesses meet in one bank."""
        if address < self.interleaved:
            return address // ELEMENT
        return (address // (2 * ELEMENT) * 2 + (address >> 3 & 1)) | 1 << 16


def map_of(target: str) -> MemoryMap:
    """Of a target, by its name."""
    return MAPS[target.removeprefix("ipu-")]


MAPS = {
    "mk1": MemoryMap("mk1", 0x40000, 0x60000, 0x80000, 4095),
    "mk2": MemoryMap("mk2", 0x4C000, 0x80000, 0xE8000, 65535),
}
