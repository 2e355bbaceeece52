"""The simulated machine's memory: declared ranges only, accesses only where they are aligned (IA-64 6)."""

from __future__ import annotations

from bisect import bisect_right
from mmap import mmap

from voltac.codegen.simulator import Misaligned, Unmapped


class Memory:
    """Bytes from address 0 on, little endian."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.bytes = mmap(-1, size)
        self._starts: list[int] = []
        self._ends: list[int] = []

    def map(self, start: int, size: int) -> None:
        """Declare a range usable."""
        ranges = sorted([*zip(self._starts, self._ends), (start, start + size)])
        merged = [ranges[0]]
        for low, high in ranges[1:]:
            if low <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
            else:
                merged.append((low, high))
        self._starts, self._ends = [low for low, _ in merged], [high for _, high in merged]

    def is_usable(self, size: int, address: int) -> bool:
        """Whether an access there is neither misaligned nor beyond what is declared."""
        place = bisect_right(self._starts, address) - 1
        return not address & size - 1 and place >= 0 and address + size <= self._ends[place]

    def usable(self, start: int, size: int) -> bytes:
        """The bytes from an address on, at most so many, up to the end of what is declared there."""
        place = bisect_right(self._starts, start) - 1
        return self.bytes[start : min(start + size, self._ends[place])] if place >= 0 else b""

    def _refuse(self, access: str, size: int, address: int) -> None:
        if address & size - 1:
            raise Misaligned(address, size)
        raise Unmapped(access, address)

    def load(self, size: int, address: int) -> int:
        """A number of so many bytes; a fault where there is none."""
        if not self.is_usable(size, address):
            self._refuse("a load uses", size, address)
        return int.from_bytes(self.bytes[address : address + size], "little")

    def store(self, size: int, address: int, value: int) -> None:
        """Of what has no more than these bytes."""
        if not self.is_usable(size, address):
            self._refuse("a store uses", size, address)
        self.bytes[address : address + size] = value.to_bytes(size, "little")
