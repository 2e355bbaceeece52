"""An image in memory + a start address -> a run: the simulated NaplesPU.

The host writes arguments into main memory, starts the same program on some
threads of some cores and reads back what these have flushed. ``translate.py``
computes, ``core.py`` gives out issue slots, ``caches.py`` and ``control.py`` keep
the rest of the state. Cores advance in turns of a few cycles, so that the same
run always is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from voltac.codegen.simulator import LINE, BlockReport, DeviceMemory, Fault, RunReport, ThreadReport, Trap, Unmapped
from voltac.records import record
from voltac.targets.naplespu.simulator import timing
from voltac.targets.naplespu.simulator.blocks import NEVER, BlockTraits
from voltac.targets.naplespu.simulator.control import Barriers
from voltac.targets.naplespu.simulator.core import Core, HardwareThread, PlacedFault
from voltac.targets.naplespu.simulator.meanings import LANES, MODES
from voltac.targets.naplespu.simulator.program import RunnableProgram, translation

if TYPE_CHECKING:
    from voltac.codegen.image import Image

MOST_CORES, MOST_THREADS = 8, 8
STACKS, STACK_BYTES = 0x8_0000, 0x4000
HEAP = 0x80_0000
"""What is allocated before any image is loaded starts here."""
TURN = 16
"""Cycles that a core runs ahead of the others."""
WHOLE_RUN = 1 << 20
"""Cycles of a turn when one core is alone; then the limit is looked at."""


@record
class Configuration:
    """The machine."""

    cores: int = 1
    threads: int = 8
    """That run, of each core; it always has eight."""
    latency: int = 40
    """Cycles from a request's leaving the cache controller to the line's arrival (NaplesPU 6.3)."""
    write_latency: int = 2
    """Cycles that memory takes to accept a line; 2 is what the hardware's test memory takes."""
    blocking_stores: bool = False
    """A store that misses stops its thread until the line is there, as the hardware's do not."""
    fpu: str = "rtl"
    """``rtl``: float arithmetic as built, ``ideal``: IEEE."""
    memory: int = 1 << 28
    """Bytes of main memory."""
    scratchpad: bool = True
    write_through: bool = False
    """Bit 31 of CPU_CTRL, which only the host writes."""
    trap_vector: bool = False
    """A misaligned access goes on at 0x380, as in hardware, instead of ending the run."""


class SimulatedDevice:
    """A machine with its memory. Caches, registers and scratchpads are new for each run."""

    def __init__(self, configuration: Configuration = Configuration()) -> None:  # noqa: B008 - immutable
        if not 1 <= configuration.cores <= MOST_CORES:
            raise ValueError(f"NaplesPU has 1 to {MOST_CORES} cores, not {configuration.cores}")
        if not 1 <= configuration.threads <= MOST_THREADS:
            raise ValueError(f"a NaplesPU core has 1 to {MOST_THREADS} threads, not {configuration.threads}")
        if configuration.fpu not in MODES:
            raise ValueError(f"there is no arithmetic {configuration.fpu!r}, only {' and '.join(MODES)}")
        self.configuration = configuration
        self.memory = DeviceMemory(configuration.memory)
        self.entry = 0
        self._free = HEAP
        self._code: list[tuple[int, int]] = []
        self._programs: dict[bool, RunnableProgram] = {}
        self.cores: list[Core] = []

    # --- the host's side ---

    def load(self, image: Image) -> None:
        """Put an image's segments into memory; what was loaded before stays."""
        for segment in image.segments:
            self.memory.map(segment.address, segment.size)
            self.memory.write(segment.address, segment.content + bytes(segment.size - len(segment.content)))
            if segment.executable:
                self._code.append((segment.address, segment.size))
            self._free = max(self._free, -(-(segment.address + segment.size) // LINE) * LINE)
        self.entry = image.entry
        self._programs = {}

    def allocate(self, size: int) -> int:
        """The address of zeroed memory behind the image, 64-aligned."""
        address = self._free
        self.memory.map(address, max(size, 1))
        self._free = -(-(address + max(size, 1)) // LINE) * LINE
        return address

    def allocate_array(self, size: int) -> int:
        """The same for an array: no place is better than another."""
        return self.allocate(size)

    @property
    def free(self) -> int:
        """Bytes that :meth:`allocate` still has."""
        return max(0, self.memory.size - self._free)

    def write(self, address: int, content: bytes | bytearray | memoryview) -> None:
        """Memory as the host writes it, before a run."""
        self.memory.write(address, content)

    def read(self, address: int, size: int) -> bytes:
        """Memory as the host sees it: what no core has flushed or evicted is not there."""
        return self.memory.read(address, size)

    @property
    def argc(self) -> int:
        """Control register 12 of core 0 after a run."""
        return self.cores[0].registers.argc

    @property
    def argv(self) -> int:
        """Control register 13 of core 0 after a run."""
        return self.cores[0].registers.argv

    # --- running ---

    def run(
        self,
        entry: int | None = None,
        argc: int = 0,
        argv: int = 0,
        trace: Callable[[str], None] | None = None,
        limit: int | None = None,
    ) -> RunReport:
        """Boot every thread at an address and go on until all have ended; ``limit`` is a number of cycles."""
        configuration = self.configuration
        program = self._program(trace is not None)
        barriers = Barriers()
        coherent = configuration.cores > 1
        self.cores = [
            Core(
                number,
                self.memory,
                threads=configuration.threads,
                hardware_threads=MOST_THREADS,
                latency=configuration.latency,
                write_latency=configuration.write_latency,
                coherent=coherent,
                trap_vector=configuration.trap_vector,
            )
            for number in range(configuration.cores)
        ]
        for core in self.cores:
            core.registers.argc, core.registers.argv = argc, argv
            core.registers.cpu_control = int(configuration.write_through) << 31
            core.registers.debug[:2] = [configuration.threads, configuration.cores]
            core.data.others = [other.data for other in self.cores if other is not core]
            if trace is not None:
                core.tracer = _tracer(program, trace)
            self.memory.map(STACKS + core.number * MOST_THREADS * STACK_BYTES, MOST_THREADS * STACK_BYTES)
            core.start(self.entry if entry is None else entry, barriers, program)
        try:
            with np.errstate(all="ignore"):
                self._run_cores(barriers, limit)
        finally:
            unflushed = self._forget_dirty_lines()
        return self._report(program, unflushed)

    def _program(self, traced: bool) -> RunnableProgram:
        if traced not in self._programs:
            configuration = self.configuration
            shape = BlockTraits(
                mode=configuration.fpu,
                coherent=configuration.cores > 1,
                write_through=configuration.write_through,
                scratchpad=configuration.scratchpad,
                traced=traced,
                trap_vector=configuration.trap_vector,
                blocking_stores=configuration.blocking_stores,
            )
            pieces = tuple((start, self.memory.read(start, size)) for start, size in self._code)
            program = RunnableProgram(self.memory, translation(pieces, shape))
            self._programs[traced] = program
        return self._programs[traced]

    def _run_cores(self, barriers: Barriers, limit: int | None) -> None:
        while True:
            # What waits for a slot issues in the present at the earliest.
            starts = [max(min(core.ready), core.now) for core in self.cores]
            first = min(starts)
            if first >= NEVER:
                break
            if limit is not None and first > limit:
                core = self.cores[starts.index(first)]
                thread = core.threads[core.ready.index(min(core.ready))]
                pc = self._place(thread)
                reason = f"the run takes more than {limit} cycles"
                raise Trap(reason, pc, core.number, thread.number, self._text(pc), first)
            alone = sum(start < NEVER for start in starts) == 1
            end = first + (WHOLE_RUN if alone else TURN)
            if limit is not None:
                end = min(end, limit + 1)
            for core in self.cores:
                try:
                    core.run(end)
                except (Fault, TypeError) as error:
                    raise self._trap(core, error) from None
            for core in self.cores:
                core.woken = False
        threads = [thread for core in self.cores for thread in core.threads]
        if any(thread.ended == NEVER for thread in threads):
            stuck = next(thread for thread in threads if thread.ended == NEVER)
            ended = [f"core {thread.core.number} thread {thread.number}" for thread in threads if thread.ended != NEVER]
            pc = stuck.at_barrier[2] if stuck.at_barrier is not None else 0
            text = self._text(pc)
            raise Trap(
                barriers.complaint(ended), pc, stuck.core.number, stuck.number, text, max(core.now for core in self.cores)
            )

    def _place(self, thread: HardwareThread) -> int:
        """Address of the instruction that a thread is about to issue."""
        life, pc = thread.life, self.entry
        while life is not None and life.gi_frame is not None:
            frame = life.gi_frame
            for program in self._programs.values():
                instruction = program.translation.place(frame.f_code.co_filename, frame.f_lineno, frame.f_locals)
                if instruction is not None:
                    pc = instruction.pc
            life = life.gi_yieldfrom
        return pc

    def _text(self, pc: int) -> str:
        return next(iter(self._programs.values())).translation.listing.text(pc)

    def _trap(self, core: Core, error: Exception) -> Trap:
        """A fault with the place that the translated code tells."""
        thread = core.issuing
        if isinstance(error, PlacedFault):
            trap = Trap(str(error), error.pc, core.number, thread.number, self._text(error.pc), core.now)
            trap.arguments = error.arguments
            return trap
        trace: TracebackType | None = error.__traceback__
        pc, cycle, text = 0, core.now, ""
        for program in self._programs.values():
            here = trace
            while here is not None:
                instruction = program.translation.place(
                    here.tb_frame.f_code.co_filename, here.tb_lineno, here.tb_frame.f_locals
                )
                if instruction is not None:
                    pc, text = instruction.pc, instruction.text
                    cycle = here.tb_frame.f_locals["c"]
                here = here.tb_next
        if thread.at_barrier is not None and not text:
            pc = thread.at_barrier[2]
            text = self._text(pc)
        if not isinstance(error, Fault):
            raise error
        trap = Trap(str(error), pc, core.number, thread.number, text, cycle)
        trap.address = error.address if isinstance(error, Unmapped) else None
        return trap

    def _forget_dirty_lines(self) -> int:
        """What was not written back is lost with the caches; how many lines that were."""
        count = 0
        for core in self.cores:
            for line, dirty in core.data.dirty.items():
                self.memory.forget(line, dirty)
                count += 1
        return count

    def _report(self, program: RunnableProgram, unflushed: int) -> RunReport:
        report = RunReport(lanes=LANES, unflushed=unflushed)
        visits: dict[int, int] = {}
        cycles: dict[int, int] = {}
        memory_instructions = 0
        for core in self.cores:
            for thread in core.threads:
                count = 0
                for block, times in thread.visits.items():
                    visits[block] = visits.get(block, 0) + times
                    cycles[block] = cycles.get(block, 0) + thread.block_cycles[block]
                    count += times * len(program.translation.facts[block].instructions)
                report.instructions += count
                report.wrong_path += thread.wrong_path
                report.active_lanes += thread.active_lanes
                stalls = dict(zip(timing.REASONS, thread.stalls))
                stalls["other threads"] = thread.ended - count - sum(thread.stalls)
                report.threads.append(ThreadReport(core.number, thread.number, count, thread.ended, stalls))
                report.cycles = max(report.cycles, thread.ended)
            report.data_misses += core.data.misses
            report.written_back += core.data.written_back
            report.instruction_misses += core.instructions.misses
            report.console += "".join(core.console)
        for block, times in sorted(visits.items(), key=lambda item: program.translation.facts[item[0]].start):
            facts = program.translation.facts[block]
            report.blocks.append(BlockReport(facts.start, facts.end, times, cycles[block]))
            report.vector_instructions += times * facts.vector_instructions
            memory_instructions += times * facts.memory_instructions
            for instruction in facts.instructions:
                report.counts[instruction.row.name] = report.counts.get(instruction.row.name, 0) + times
        report.data_hits = memory_instructions - report.data_misses
        return report


def _tracer(program: RunnableProgram, trace: Callable[[str], None]) -> Callable[[HardwareThread, int, int, Any], None]:
    """Writes a line for each instruction: cycle, core and thread, address, text, and the value it made or used."""

    def line(thread: HardwareThread, pc: int, cycle: int, value: Any) -> None:
        if isinstance(value, np.ndarray):
            shown = " ".join(f"{lane:08x}" for lane in value.tolist())
        else:
            shown = f"{value:08x}" if isinstance(value, int) else ""
        text = program.translation.listing.text(pc)
        trace(f"{cycle:>8} {thread.core.number}.{thread.number} {pc:08x}  {text:<40} {shown}".rstrip())

    return line
