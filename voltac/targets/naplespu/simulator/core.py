"""A core: its threads, who issues when, and the accesses that the translated code leaves to it.

Round robin over the threads that may issue, one instruction a cycle. Threads are
generators (``translate.py``): each says from which cycle on it can issue its next
instruction, its wish; the core gives out the slots. Who is to be asked in a cycle
stands in a ring of the cycles to come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from voltac.codegen.simulator import LINE, DeviceMemory, Fault, Misaligned, Unmapped
from voltac.targets.naplespu.regs import RA
from voltac.targets.naplespu.simulator import control, timing
from voltac.targets.naplespu.simulator.blocks import NEVER
from voltac.targets.naplespu.simulator.caches import Controller, DataCache, InstructionCache
from voltac.targets.naplespu.simulator.control import Barriers, CoreRegisters
from voltac.targets.naplespu.simulator.meanings import FLAGS, LANES
from voltac.targets.naplespu.simulator.program import RunnableProgram

if TYPE_CHECKING:
    import numpy.typing as npt

# Sizes and addresses of NaplesPU 1.5; where a trap goes, NaplesPU 2.6.
SCRATCHPAD_BYTES = 0x10000
TRAP_VECTOR = 0x380
IO_START, IO_END = 0xFF00_0000, 0xFFFF_FF00
CONSOLE_DATA = IO_START
END_FLAG_LINE = 0xFFFF_FFC0 // LINE
WINDOW_BITS = 22
"""Non-coherent windows are told by the upper ten bits of an address."""
RING = 1024
"""Cycles that are looked ahead at once."""


@cache
def _turns(threads: int) -> tuple[bytes, ...]:
    """The last thread that issued -> a set of threads, as bits -> the next one of them."""
    every = (1 << threads) - 1
    rows = []
    for first in range(1, threads + 1):
        nexts = bytearray(every + 1)
        for some in range(1, every + 1):
            turned = some >> first | some << threads - first
            nexts[some] = ((turned & -turned).bit_length() - 1 + first) % threads
        rows.append(bytes(nexts))
    return tuple(rows)


class Scratchpad:
    """A core's own memory, accessed lane by lane."""

    def __init__(self) -> None:
        self.lanes: npt.NDArray[np.uint32] = np.zeros(SCRATCHPAD_BYTES // 4, np.uint32)
        self.signed, self.floats = self.lanes.view(np.int32), self.lanes.view(np.float32)
        self.words = self.lanes.data
        self.bytes = self.words.cast("B")
        self.halves = self.bytes.cast("H")

    def _places(self, address: int, size: int) -> npt.NDArray[np.intp]:
        """Where the lanes are, counted in elements: a word apart whatever the element."""
        return (np.arange(LANES) * 4 + address & SCRATCHPAD_BYTES - 1) // size

    def gather(self, address: int, size: int, signed: bool) -> npt.NDArray[np.uint32]:
        """Each lane's element, extended to 32 bits."""
        found = self.lanes.view(f"{'i' if signed else 'u'}{size}")[self._places(address, size)]
        return found.astype(np.int32 if signed else np.uint32).view(np.uint32)

    def scatter(self, address: int, size: int, values: npt.NDArray[np.uint32], flags: npt.NDArray[np.bool_]) -> None:
        """The elements of the lanes that are on, the highest last."""
        self.lanes.view(f"u{size}")[self._places(address, size)[flags]] = values[flags].astype(f"u{size}")


class HardwareThread:
    """A thread's registers and what the model has to remember of it."""

    def __init__(self, core: Core, number: int) -> None:
        self.core = core
        self.number = number
        self.scalars: list[int | None] = [None] * 64
        self.vectors: list[npt.NDArray[np.uint32] | None] = [None] * 64
        self.mask = 0
        self.flags = FLAGS[0]
        self.status = control.RUNNING
        self.trap_reason = 0
        self.at_barrier: tuple[int, int, int] | None = None
        """Number, other participants and pc of the barrier it is about to reach."""
        self.waiting = False
        self.ended = NEVER
        self.life: Any = None
        """The generator that runs it."""
        # Cycles from which registers may be used, and the units that they wait for.
        self.scalar_ready = [0] * 64
        self.vector_ready = [0] * 64
        self.scalar_unit = [timing.INTEGER] * 64
        self.vector_unit = [timing.INTEGER] * 64
        self.memory_free = 0
        """Its accesses stand behind a miss until then."""
        self.drained = 0
        """When its last flush is done."""
        self.flight = (0,) * timing.QUEUE
        self.scratch_flight = (0,) * timing.QUEUE
        self.stalls = [0] * len(timing.REASONS)
        self.visits: defaultdict[int, int] = defaultdict(int)
        self.block_cycles: defaultdict[int, int] = defaultdict(int)
        self.wrong_path = 0
        self.active_lanes = 0

    def wake(self, cycle: int) -> None:
        """Let a thread that waits at a barrier go on in a cycle."""
        self.waiting = False
        self.core.ready[self.core.threads.index(self)] = cycle
        self.core.woken = self.core.rearranged = True

    def run(self, entry: int, barriers: Barriers, program: RunnableProgram) -> Generator[int, tuple[int, int], None]:
        """The thread's life: yields the cycle it wants to issue in, negated where other threads' wishes have changed too."""
        blocks = program.blocks
        cycle, horizon = yield 1
        pc = entry
        # The slot granted is that of the first instruction behind each wait.
        cycle, horizon = cycle - 1, max(horizon, cycle + 1)
        while True:
            try:
                block = blocks.get(pc) or program.block(pc)
            except Fault as fault:
                raise PlacedFault(pc, str(fault)) from None
            try:
                pc, cycle, horizon = yield from block(self, cycle, horizon)
            except Misaligned as fault:
                if not self.core.trap_vector:
                    raise
                cycle = self._to_trap_vector(fault)
                pc, horizon = TRAP_VECTOR, cycle + 2
            if pc >= 0:
                continue
            pc = -pc
            if self.at_barrier is not None:
                number, others, _ = self.at_barrier
                drained = max(
                    cycle, self.memory_free, self.drained, max(self.scalar_ready), max(self.vector_ready), *self.flight
                )
                release = barriers.arrive(self, number, others, drained)
                self.waiting = release is None
                issued = cycle
                cycle, horizon = yield -NEVER if release is None else -release
                self.stalls[timing.BARRIER] += cycle - issued - 1
                cycle, horizon = cycle - 1, max(horizon, cycle + 1)
            elif self.status == control.TRAPPED and not self.core.trap_vector:
                # Called as a function: what called it stands before the return address.
                called_from = self.scalars[RA.number]
                place = pc if called_from is None else called_from - 4
                raise PlacedFault(place, "the program was aborted", tuple(self.scalars[:3]))
            elif self.status in (control.ENDED, control.TRAPPED):
                self.ended = cycle
                yield -NEVER
                raise AssertionError("a thread that ended is asked to go on")

    def _to_trap_vector(self, fault: Misaligned) -> int:
        """The access is dropped, the registers are those of the block it happened in; the cycle it happened in."""
        self.trap_reason = 0x40 if "scratchpad" in fault.space else 0x80
        frame = fault.__traceback__
        while frame is not None and not frame.tb_frame.f_code.co_filename.startswith("<NaplesPU"):
            frame = frame.tb_next
        assert frame is not None
        names = frame.tb_frame.f_locals
        for number in range(64):
            for prefix, place in (
                ("s", self.scalars), ("v", self.vectors), ("a", self.scalar_ready), ("b", self.vector_ready),
            ):  # fmt: skip
                if f"{prefix}{number}" in names:
                    place[number] = names[f"{prefix}{number}"]
        cycle: int = names["c"]
        return cycle + timing.BRANCH - 1


class PlacedFault(Fault):
    """One that no translated instruction raises: there is none at ``pc``, or it asked for the end."""

    def __init__(self, pc: int, reason: str, arguments: tuple[int | None, ...] = ()) -> None:
        super().__init__(reason)
        self.pc = pc
        self.arguments = arguments
        """Of the function that ended the program."""


class Core:
    """One core: its threads, caches and scratchpad, cycle by cycle."""

    def __init__(
        self,
        number: int,
        memory: DeviceMemory,
        *,
        threads: int,
        hardware_threads: int,
        latency: int,
        write_latency: int,
        coherent: bool,
        trap_vector: bool,
    ) -> None:
        self.number = number
        self.memory = memory
        self.hardware_threads = hardware_threads
        self.trap_vector = trap_vector
        self.registers = CoreRegisters()
        self.scratchpad = Scratchpad()
        controller = Controller(latency, write_latency)
        self.data = DataCache(memory, controller, coherent)
        self.instructions = InstructionCache(controller)
        self.float_exits = [0] * 64
        """The cycles in which results leave the float pipe, each at its number modulo 64."""
        self.threads = [HardwareThread(self, thread) for thread in range(threads)]
        self.windows: dict[int, tuple[int, int]] = {}
        """Non-coherent windows: first and last value of an address's upper bits."""
        self.private: dict[int, tuple[bytearray, int]] = {}
        """Lines that this core alone knows (in windows, and the end flag's): content and dirty mask."""
        self.console: list[str] = []
        self.tracer: Callable[[HardwareThread, int, int, Any], None] | None = None
        # Issuing.
        self.ready = [1] * threads
        self.woken = False
        """A thread was let go by one of another core."""
        self.rearranged = True
        """The ring does not tell what ``ready`` does."""
        self.now = 0
        self._last = threads - 1
        self._due = 0
        """The threads that wait for a slot already, as bits."""
        self._far = 0
        """Those whose wishes are further away than the ring reaches."""
        self._ring = [0] * RING
        """A cycle modulo its size -> the threads that wish to issue in it."""
        self._sends: list[Callable[[tuple[int, int]], int]] = []

    def start(self, entry: int, barriers: Barriers, program: RunnableProgram) -> None:
        """All threads to the entry of a program."""
        for thread in self.threads:
            life = thread.life = thread.run(entry, barriers, program)
            next(life)
            self._sends.append(life.send)

    def run(self, end: int) -> None:
        """Issue up to a cycle, or until another core's thread is let go."""
        ready, sends, ring, turns = self.ready, self._sends, self._ring, _turns(len(self.threads))
        if self.rearranged:
            self._arrange()
        now, last, due, far = self.now, self._last, self._due, self._far
        try:
            while now < end:
                if here := ring[now % RING]:
                    ring[now % RING] = 0
                    if far:
                        later = sum(1 << thread for thread in range(len(ready)) if here >> thread & 1 and ready[thread] > now)
                        ring[now % RING] = later
                        here ^= later
                        far &= ~here
                    due |= here
                if not due:
                    first = min(ready)
                    if first >= end:
                        break
                    now = first
                    continue
                last = turns[last][due]
                due ^= 1 << last
                ready[last] = NEVER
                if due:
                    horizon = 0
                elif ring[(now + 1) % RING] and not far:
                    horizon = now + 1
                else:
                    horizon = min(ready)
                    if horizon > end:
                        horizon = end
                wish = sends[last]((now, horizon))
                now += 1
                if wish < 0:
                    ready[last] = -wish
                    self.now = now
                    self._arrange()
                    due, far = self._due, self._far
                    if self.woken:
                        break
                    continue
                if horizon > now:
                    now = horizon
                ready[last] = wish
                if wish <= now:
                    due |= 1 << last
                else:
                    ring[wish % RING] |= 1 << last
                    if wish - now >= RING:
                        far |= 1 << last
        finally:
            self.now, self._last, self._due, self._far = now, last, due, far

    def _arrange(self) -> None:
        """Fill the ring with what the threads wish."""
        self._ring[:] = [0] * RING
        self._due = self._far = 0
        for thread, wish in enumerate(self.ready):
            if wish <= self.now:
                self._due |= 1 << thread
            elif wish < NEVER:
                self._ring[wish % RING] |= 1 << thread
                if wish - self.now >= RING:
                    self._far |= 1 << thread
        self.rearranged = False

    @property
    def issuing(self) -> HardwareThread:
        """The thread whose instruction runs in this cycle."""
        return self.threads[self._last]

    def trace(self, thread: HardwareThread, pc: int, cycle: int, value: object) -> None:
        """A line with cycle, thread, instruction and what it wrote."""
        if self.tracer is not None:
            self.tracer(thread, pc, cycle, value)

    def fetch(self, thread: HardwareThread, line: int, cycle: int) -> int:
        """The cycle in which a thread has an instruction line that it comes to."""
        if self.instructions.arrival.get(line, NEVER) <= cycle:
            return cycle
        found = self.instructions.fetch(line, cycle)
        thread.stalls[timing.FETCH] += found - cycle
        return found

    # --- accesses beside the way of hits ---

    def slow_load(
        self, thread: HardwareThread, address: int, cycle: int, size: int, signed: bool, vector: bool
    ) -> tuple[int, Any]:
        """A load whose line is not in the cache: when its value is there, and the value."""
        line = address // LINE
        if not self._special(line):
            if not self.memory.mapped(address):
                raise Unmapped("load from", address)
            done = self.data.bring(line, cycle, writing=False)
            return done, _read(self.memory, address, size, signed, vector)
        if IO_START <= address < IO_END:
            if size != 4 or vector:
                raise Fault("the I/O window takes accesses of 32 bits only")
            return self.data.controller.read(cycle + timing.MISS_LEAVES) + timing.LINE_ARRIVES, 0
        content, done = self._private(line, cycle)
        return done, _read(_LineMemory(content), address % LINE, size, signed, vector)

    def slow_store(self, thread: HardwareThread, address: int, value: Any, cycle: int, size: int, vector: bool) -> int:
        """A store to a line that the cache has not or may not write; when it is done."""
        line, count = address // LINE, size * (LANES if vector else 1)
        if not self._special(line):
            if not self.memory.mapped(address):
                raise Unmapped("store to", address)
            done = self.data.bring(line, cycle, writing=True)
            _write(self.memory, address, value, size, vector)
            if self.registers.cpu_control >> 31:
                self.write_through(address, count, done)
            else:
                self.data.mark(line, address % LINE, count)
            return done
        if IO_START <= address < IO_END:
            if size != 4 or vector:
                raise Fault("the I/O window takes accesses of 32 bits only")
            if address == CONSOLE_DATA:
                self.console.append(chr(value & 0xFF))
            return self.data.controller.write(cycle + timing.MISS_LEAVES)
        content, done = self._private(line, cycle)
        _write(_LineMemory(content), address % LINE, value, size, vector)
        self.private[line] = (content, self.private[line][1] | ((1 << count) - 1) << address % LINE)
        return done

    def write_through(self, address: int, count: int, cycle: int) -> None:
        """The mode in which every store goes to memory at once: a flush behind each."""
        self.memory.write_back(address // LINE, ((1 << count) - 1) << address % LINE)
        self.data.controller.write(cycle)

    def flush(self, thread: HardwareThread, address: int, cycle: int, invalidate: bool) -> int:
        """When the instruction leaves the queue; the writing back goes on behind it."""
        if address & 3:
            raise Misaligned(address, 4)
        line = address // LINE
        if line in self.private:
            content, dirty = self.private.pop(line)
            if line != END_FLAG_LINE:
                for byte in range(LINE):
                    if dirty >> byte & 1:
                        self.memory.bytes[line * LINE + byte] = content[byte]
                self.memory.write_back(line, dirty)
            if not invalidate:
                self.private[line] = (content, 0)
            thread.drained = max(thread.drained, self.data.controller.write(cycle + timing.MISS_LEAVES))
        else:
            done = self.data.invalidate(line, cycle) if invalidate else self.data.flush(line, cycle)
            thread.drained = max(thread.drained, done)
        return cycle + timing.QUEUE_CYCLES

    def _special(self, line: int) -> bool:
        """Whether a line is none of ordinary memory's."""
        if line * LINE >= IO_START:
            return line == END_FLAG_LINE or line * LINE < IO_END
        upper = line * LINE >> WINDOW_BITS
        return bool(self.windows) and any(first <= upper <= last for first, last in self.windows.values())

    def _private(self, line: int, cycle: int) -> tuple[bytearray, int]:
        """The content of a line that only this core sees, brought from memory if need be."""
        if line in self.private:
            return self.private[line][0], cycle + timing.LOAD_HIT
        if line == END_FLAG_LINE:
            content = bytearray(LINE)
        elif self.memory.mapped(line * LINE):
            content = bytearray(self.memory.host[line * LINE : line * LINE + LINE])
        else:
            raise Unmapped("access to", line * LINE)
        self.private[line] = (content, 0)
        self.data.misses += 1
        return content, self.data.controller.read(cycle + timing.MISS_LEAVES) + timing.LINE_ARRIVES

    def declare_window(self, value: int) -> None:
        """Control register 19: an address window without coherence, or the end of one."""
        number = value >> 21 & 7
        self.windows.pop(number, None)
        if value & 1:
            first, last = value >> 11 & 0x3FF, value >> 1 & 0x3FF
            self.windows[number] = (first, last)
            for line in list(self.data.present):
                if first <= line * LINE >> WINDOW_BITS <= last:
                    self.data.invalidate(line, 0)
        for line in [line for line in self.private if line != END_FLAG_LINE and not self._special(line)]:
            content, dirty = self.private.pop(line)
            for byte in range(LINE):
                if dirty >> byte & 1:
                    self.memory.bytes[line * LINE + byte] = content[byte]
            self.memory.write_back(line, dirty)


class _LineMemory:
    """One line in the forms of :class:`DeviceMemory`."""

    def __init__(self, content: bytearray) -> None:
        self.bytes = memoryview(content)
        self.halves = self.bytes.cast("H")
        self.words = self.bytes.cast("I")
        self.lanes: npt.NDArray[np.uint32] = np.frombuffer(content, np.uint32)


def _read(memory: DeviceMemory | _LineMemory, address: int, size: int, signed: bool, vector: bool) -> Any:
    """What a load finds; narrow vectors are broken in hardware: lane i gets its part of word i of the line."""
    if not vector:
        return int.from_bytes(memory.bytes[address : address + size], "little", signed=signed) & 0xFFFFFFFF
    line = memory.lanes[address // LINE * LANES :][:LANES]
    if size == 4:
        return line.copy()
    parts = np.ascontiguousarray(line.view(f"{'i' if signed else 'u'}{size}")[address % 4 // size :: 4 // size])
    return parts.astype(np.int32 if signed else np.uint32).view(np.uint32)


def _write(memory: DeviceMemory | _LineMemory, address: int, value: Any, size: int, vector: bool) -> None:
    if vector and size == 4:
        memory.lanes[address // 4 : address // 4 + LANES] = value
    elif vector:
        memory.bytes[address : address + size * LANES] = value.astype(f"u{size}").tobytes()
    else:
        memory.bytes[address : address + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
