"""The first-level caches of a core and the controller that serves their misses (NaplesPU 1.6, 6.3).

The data itself lives in :class:`voltac.codegen.simulator.DeviceMemory`, as all cores see
it. A data cache knows which lines are present, which of their bytes are dirty,
and when a line under way arrives. Coherence between cores: one core may write a
line, the others' copies go; dirty bytes move with the right to write and reach
the host only by eviction, flush or invalidation, wherever they are.
"""

from __future__ import annotations

from voltac.codegen.simulator import WHOLE_LINE, DeviceMemory
from voltac.targets.naplespu.simulator import timing

SETS, WAYS = 32, 4
"""Of both caches (NaplesPU 1.1)."""


def _touched(way: int) -> tuple[int, ...]:
    """For each state of a set's three bits the state after an access to a way.

    Bit 0 tells in which pair the next victim is, bits 1 and 2 which of a pair.
    """
    keep, on = {0: (4, 3), 1: (4, 1), 2: (2, 4), 3: (2, 0)}[way]
    return tuple(state & keep | on for state in range(8))


TOUCHED = tuple(_touched(way) for way in range(WAYS))
VICTIM = tuple(2 + (state >> 2) if state & 1 else state >> 1 & 1 for state in range(8))


class Tags:
    """Which lines are present, the pseudo-LRU order of their sets: instructions, and the data of many cores."""

    def __init__(self) -> None:
        self.present: dict[int, tuple[int, ...]] = {}
        """Line -> its way's row of TOUCHED."""
        self.recency = [0] * SETS
        self._lines: list[list[int | None]] = [[None] * WAYS for _ in range(SETS)]

    def insert(self, line: int) -> int | None:
        """Make a line present; the line that had to go for it."""
        number = line % SETS
        lines = self._lines[number]
        way = self._way(number)
        victim = lines[way]
        if victim is not None:
            del self.present[victim]
        lines[way] = line
        self.present[line] = TOUCHED[way]
        self.recency[number] = TOUCHED[way][self.recency[number]]
        return victim

    def _way(self, number: int) -> int:
        """The way that the next line of a set takes."""
        lines = self._lines[number]
        return lines.index(None) if None in lines else VICTIM[self.recency[number]]

    def remove(self, line: int) -> None:
        """Forget a line, if it is there."""
        if line in self.present:
            lines = self._lines[line % SETS]
            lines[lines.index(line)] = None
            del self.present[line]


class TagsInTurn(Tags):
    """The data of a core alone: each set takes its ways in turn, whatever has been used."""

    def __init__(self) -> None:
        super().__init__()
        self._next = [0] * SETS

    def _way(self, number: int) -> int:
        way = self._next[number]
        self._next[number] = (way + 1) % WAYS
        return way


class Controller:
    """A core's cache controller: one request at a time."""

    def __init__(self, latency: int, write_latency: int) -> None:
        self.latency = latency
        self.write_latency = write_latency
        self.free = 0

    def read(self, earliest: int) -> int:
        """When a line that may be asked for then is there."""
        self.free = max(earliest, self.free) + timing.PORT + self.latency
        return self.free

    def write(self, earliest: int) -> int:
        """When memory has accepted a line that may be sent then; what memory takes to answer does not matter."""
        self.free = max(earliest, self.free) + timing.PORT_WRITE + self.write_latency
        return self.free


class InstructionCache:
    """The lines of code that a core has near it."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self.tags = Tags()
        self.arrival: dict[int, int] = {}
        """Line -> when it can be fetched from."""
        self.misses = 0

    def fetch(self, line: int, cycle: int) -> int:
        """The cycle in which a thread that wanted a line has it."""
        known = self.arrival.get(line)
        if known is not None:
            return max(known, cycle)
        self.misses += 1
        victim = self.tags.insert(line)
        if victim is not None:
            del self.arrival[victim]
        done = self.controller.read(cycle) + timing.FETCH_MISS - timing.PORT
        self.arrival[line] = done
        return done


class DataCache:
    """The tags, dirty masks and requests of one core's data cache; ``others`` are the caches of the other cores."""

    def __init__(self, memory: DeviceMemory, controller: Controller, coherent: bool) -> None:
        self.memory = memory
        self.controller = controller
        self.tags = Tags() if coherent else TagsInTurn()
        self.present = self.tags.present
        self.recency = self.tags.recency
        self.writable = {} if coherent else self.present
        """The lines that this core may store to: with one core, all."""
        self.dirty: dict[int, int] = {}
        """Line -> mask of the bytes that memory does not have yet."""
        self.arriving: dict[int, int] = {}
        """Lines under way -> when the first reader has its data."""
        self.others: list[DataCache] = []
        self.misses = 0
        self.written_back = 0

    def bring(self, line: int, cycle: int, writing: bool) -> int:
        """A miss, or a store to a line that others may have; when the instruction has what it needs."""
        self.misses += 1
        done = self.controller.read(cycle + timing.MISS_LEAVES) + timing.LINE_ARRIVES
        if line not in self.present:
            victim = self.tags.insert(line)
            if victim is not None:
                self.evict(victim, done)
        for other in self.others:
            other.give_up(line, self, entirely=writing)
        if self.others:
            if writing:
                self.writable[line] = self.present[line]
            elif not any(line in other.present for other in self.others):
                # Nobody else has it: a store needs no second request.
                self.writable[line] = self.present[line]
        for arrived in [under_way for under_way, when in self.arriving.items() if when <= cycle]:
            del self.arriving[arrived]
        self.arriving[line] = done
        return done

    def evict(self, line: int, cycle: int) -> None:
        """A line had to go: its dirty bytes are written back."""
        if self.writable is not self.present:
            self.writable.pop(line, None)
        self.arriving.pop(line, None)
        if line in self.dirty:
            self._write_back(line)
            self.controller.write(cycle)

    def give_up(self, line: int, taker: DataCache, entirely: bool) -> None:
        """Another core wants the line: the right to write goes, and for its writing the line with its dirty bytes."""
        self.writable.pop(line, None)
        if entirely:
            self.tags.remove(line)
            if line in self.dirty:
                taker.dirty[line] = taker.dirty.get(line, 0) | self.dirty.pop(line)

    def flush(self, line: int, cycle: int) -> int:
        """Write the dirty bytes back, the directory finds them with other cores too; when that is done."""
        done = cycle
        for cache in (self, *self.others):
            if line in cache.dirty:
                cache._write_back(line)
                done = self.controller.write(cycle + timing.MISS_LEAVES)
        return done

    def invalidate(self, line: int, cycle: int) -> int:
        """Flush a line and forget it; when that is done."""
        done = self.flush(line, cycle)
        self.tags.remove(line)
        if self.writable is not self.present:
            self.writable.pop(line, None)
        self.arriving.pop(line, None)
        return done

    def _write_back(self, line: int) -> None:
        self.memory.write_back(line, self.dirty.pop(line))
        self.written_back += 1

    def mark(self, line: int, first: int, size: int) -> None:
        """Bytes of a line have been stored to."""
        self.dirty[line] = self.dirty.get(line, 0) | ((1 << size) - 1) << first & WHOLE_LINE
