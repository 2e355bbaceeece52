"""What the simulators of devices share: main memory as device and host see it, traps, and the report of a run.

A device keeps two pictures of main memory: what its cores see through their
coherent caches, and what has been written back, which is all the host sees.
"""

from __future__ import annotations

from bisect import bisect_right
from mmap import mmap
from typing import TYPE_CHECKING

import numpy as np

from voltac.records import field, mutable_record, record

if TYPE_CHECKING:
    import numpy.typing as npt

LINE = 64
"""Bytes of a cache line."""
WHOLE_LINE = (1 << LINE) - 1
"""A dirty mask with every byte of a line."""


class Fault(Exception):
    """What an instruction may not do, before it is known where that instruction stands."""


class Misaligned(Fault):
    """An address is no multiple of what the access needs."""

    def __init__(self, address: int, alignment: int, space: str = "main memory") -> None:
        super().__init__(f"misaligned access to {space}: address 0x{address:08x} is not a multiple of {alignment}")
        self.space = space


class Unmapped(Fault):
    """An access of an address at which nothing is."""

    def __init__(self, access: str, address: int) -> None:
        super().__init__(f"{access} unmapped memory at 0x{address:08x}")
        self.address = address


class Trap(Exception):
    """The program did what it may not do; the run is over."""

    def __init__(self, reason: str, pc: int, core: int, thread: int, instruction: str, cycle: int) -> None:
        super().__init__(
            f"{reason} (core {core}, thread {thread}, pc 0x{pc:08x}: {instruction or 'no instruction'}; cycle {cycle})"
        )
        self.reason = reason
        self.pc = pc
        self.core = core
        self.thread = thread
        self.instruction = instruction
        self.cycle = cycle
        self.address: int | None = None
        """Of unmapped memory that it used."""
        self.arguments: tuple[int | None, ...] = ()
        """Of the function by which the program ended itself."""


class DeviceMemory:
    """Main memory from address 0 on, of which only declared ranges may be used."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._cores, self._host = mmap(-1, size), mmap(-1, size)
        self.bytes = memoryview(self._cores)
        """As the cores see it; the same memory follows in other forms."""
        self.halves = self.bytes.cast("H")
        self.words = self.bytes.cast("I")
        self.lanes: npt.NDArray[np.uint32] = np.frombuffer(self._cores, np.uint32)
        self.host = memoryview(self._host)
        """What has been written back."""
        self._starts: list[int] = []
        self._ends: list[int] = []

    def map(self, start: int, size: int) -> None:
        """Declare a range usable: whole lines."""
        start, end = start // LINE * LINE, -(-(start + size) // LINE) * LINE
        if end > self.size:
            raise ValueError(f"addresses 0x{start:x} to 0x{end:x} exceed the device's memory of {self.size} bytes")
        ranges = sorted([*zip(self._starts, self._ends), (start, end)])
        merged = [ranges[0]]
        for low, high in ranges[1:]:
            if low <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
            else:
                merged.append((low, high))
        self._starts, self._ends = [low for low, _ in merged], [high for _, high in merged]

    def mapped(self, address: int, size: int = 1) -> bool:
        """Whether all these bytes are in one mapped place."""
        place = bisect_right(self._starts, address) - 1
        return place >= 0 and address + size <= self._ends[place]

    def write(self, address: int, content: bytes | bytearray | memoryview) -> None:
        """From the host: the cores see it too."""
        data = memoryview(content).cast("B")
        self._check(address, len(data))
        self.bytes[address : address + len(data)] = data
        self.host[address : address + len(data)] = data

    def read(self, address: int, size: int) -> bytes:
        """What the host sees there; a fault where nothing is mapped."""
        self._check(address, size)
        return bytes(self.host[address : address + size])

    def _check(self, address: int, size: int) -> None:
        if size and not self.mapped(address, size):
            raise ValueError(f"the host uses unmapped memory: 0x{address:x}, {size} bytes")

    def write_back(self, line: int, dirty: int) -> None:
        """The dirty bytes of a line reach the host's picture."""
        _copy(self.bytes, self.host, line, dirty)

    def forget(self, line: int, dirty: int) -> None:
        """Dirty bytes that were never written back are lost."""
        _copy(self.host, self.bytes, line, dirty)


def _copy(source: memoryview, target: memoryview, line: int, dirty: int) -> None:
    start = line * LINE
    while dirty:
        # One stretch of bytes after the other.
        skipped = (dirty & -dirty).bit_length() - 1
        dirty >>= skipped
        length = (~dirty & dirty + 1).bit_length() - 1
        dirty >>= length
        start += skipped
        target[start : start + length] = source[start : start + length]
        start += length


@record
class BlockReport:
    """A straight piece of code, over all threads that ran it."""

    start: int
    end: int
    """Address behind its last instruction."""
    visits: int
    cycles: int
    """From the issue before its first instruction to that of its last, over all visits."""


@record
class ThreadReport:
    """What one thread of one core did."""

    core: int
    thread: int
    instructions: int
    cycles: int
    """From the start of the run to the thread's end."""
    stalls: dict[str, int]
    """Cycles in which the thread did not issue, by reason."""


@mutable_record(eq=False)
class RunReport:
    """What a run took."""

    cycles: int = 0
    instructions: int = 0
    wrong_path: int = 0
    """Instructions behind taken branches that took an issue slot and were thrown away."""
    threads: list[ThreadReport] = field(default_factory=list)
    data_hits: int = 0
    data_misses: int = 0
    written_back: int = 0
    """Lines."""
    instruction_misses: int = 0
    vector_instructions: int = 0
    active_lanes: int = 0
    """Sum over the vector instructions."""
    lanes: int = 1
    unflushed: int = 0
    """Lines whose bytes had not been written back at the end: the host does not see them."""
    blocks: list[BlockReport] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """How often each instruction row was executed."""
    console: str = ""

    @property
    def issued(self) -> int:
        """Instructions that took an issue slot, those on wrong paths included."""
        return self.instructions + self.wrong_path

    @property
    def lane_utilisation(self) -> float:
        """Share of the lanes of vector instructions that were on."""
        return self.active_lanes / (self.vector_instructions * self.lanes) if self.vector_instructions else 0.0

    @property
    def stalls(self) -> dict[str, int]:
        """Over all threads."""
        total: dict[str, int] = {}
        for thread in self.threads:
            for reason, cycles in thread.stalls.items():
                total[reason] = total.get(reason, 0) + cycles
        return total

    def __str__(self) -> str:
        rate = self.instructions / self.cycles if self.cycles else 0.0
        lines = [
            f"{self.instructions} instructions in {self.cycles} cycles ({rate:.2f} a cycle),"
            f" {self.wrong_path} more on wrong paths",
            f"data cache: {self.data_hits} hits, {self.data_misses} misses, {self.written_back} lines written back,"
            f" {self.unflushed} not flushed; instruction cache: {self.instruction_misses} misses",
            f"vector instructions: {self.vector_instructions}, {100 * self.lane_utilisation:.1f} % of their lanes on",
        ]
        for thread in self.threads:
            stalls = ", ".join(f"{reason} {cycles}" for reason, cycles in thread.stalls.items() if cycles)
            lines.append(
                f"core {thread.core} thread {thread.thread}: {thread.instructions} instructions, {thread.cycles} cycles;"
                f" waited for {stalls or 'nothing'}"
            )
        return "\n".join(lines)
