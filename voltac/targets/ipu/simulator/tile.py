"""A tile: programs in its memory, run by its workers.

Slot k of worker w is cycle 6k + w. The worker that is behind runs next, a stretch of
code without branches at a time, so that those who wait for each other's stores meet;
whoever stores and reads within such stretches at the same time finds no exact order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from heapq import heappop, heappush
from types import CodeType

from voltac.codegen.image import Image
from voltac.records import replace
from voltac.targets.ipu.shapes import BUNDLED
from voltac.targets.ipu.simulator.decoded import CodeReader
from voltac.targets.ipu.simulator.faults import BREAKPOINT, INVALID_OPERATION, TileFault, WorkerTrap
from voltac.targets.ipu.simulator.integers import FUNCTIONS, M
from voltac.targets.ipu.simulator.memory import BEHIND_ARRAY, FIXED, SLACK, UNDECLARED, TileMemory
from voltac.targets.ipu.simulator.report import TileReport, worker_report
from voltac.targets.ipu.simulator.supervisor import Supervisor
from voltac.targets.ipu.simulator.translate import WorkerBlock, WorkerCodeWriter
from voltac.targets.ipu.simulator.unwritten import RegisterUse, check_registers, register_use
from voltac.targets.ipu.simulator.worker import WORKERS, Worker

ACCUMULATORS = {"mk1": 16, "mk2": 32}
"""Of each generation; Mk2 has more than 16, and instructions use the first 16 (IPU 1.2)."""
SCRATCH = 48
"""Bytes of a worker's scratch memory (IPU 4.3; assumed)."""
_ROOM = 64
"""The same with the padding that keeps stacks aligned."""
STACK = 2048
"""Bytes of each worker's stack, and of the supervisor's, if nothing else is said."""
LIMIT = 100_000_000
"""Slots of a worker after which it is taken to run for ever, if nothing else is said: minutes of simulation."""

_PROGRAMS = 64
"""Programs whose translations are kept."""

Trace = Callable[[str], None]
_Code = tuple[tuple[int, bytes], ...]
"""Addresses, and what stands there from the beginning to the end of a run."""
_Translations = dict[tuple[int, bool, bool], tuple[WorkerBlock, CodeType]]
"""Blocks that are bound to no tile yet, by address, whether for the supervisor, and whether traced."""


@lru_cache(maxsize=_PROGRAMS)
def _translations(code: _Code, generation: str) -> _Translations:
    """Those of the same code in this process: a kernel that is called again is not translated again."""
    return {}


class Tile:
    """``conflicts``: ``trap`` as the hardware does, or ``count`` and go on.

    ``checks_registers``: whether workers trap that read a register before anything was written to it.
    """

    def __init__(
        self, generation: str = "mk2", conflicts: str = "trap", stack: int = STACK, limit: int = LIMIT,
        control: int = 0, trace: Trace | None = None, checks_registers: bool = False,
    ) -> None:  # fmt: skip
        self.generation = generation
        self.memory = TileMemory(generation, conflicts)
        self.stack = -(-stack // 16) * 16
        self.limit = limit
        self.control = control
        """``$FP_ICTL``: what workers find in ``$FP_CTL`` at their launch."""
        self.trace = trace
        self.checks_registers = checks_registers
        self._uses: dict[int, RegisterUse] = {}
        self.symbols: dict[str, int] = {}
        self.end_of_program = self.memory.map.start
        self._reader = CodeReader(self.memory, generation)
        self._code: _Code = ()
        self._translations: _Translations = {}
        self._blocks: dict[int, WorkerBlock] = {}
        self._supervisor_blocks: dict[int, WorkerBlock] = {}
        self._namespace = {
            **FUNCTIONS, "M": M, "TileFault": TileFault, "trap": _trap,
            "too_many": partial(_too_many, self.memory.map.repeats, generation),
            **{name: getattr(self.memory, name) for name in dir(self.memory) if name.startswith(("load", "store", "apart"))},
        }  # fmt: skip
        self.memory.mark(self.memory.map.start, self.memory.map.end - self.memory.map.start, UNDECLARED)
        for worker in range(WORKERS + 1):
            self.memory.mark(self.stack_top(worker) - self.stack, self.stack + SCRATCH, 0)

    # --- the host's side --------------------------------------------------------------------------------------------

    def stack_top(self, worker: int) -> int:
        """The end of a worker's stack, where its scratch memory begins; worker 6 is the supervisor."""
        return self.memory.map.interleaved - worker * (self.stack + _ROOM) - _ROOM

    @property
    def lowest_stack(self) -> int:
        """Everything in region 0 from here on is for stacks and scratch memory."""
        return self.stack_top(WORKERS) - self.stack

    def load(self, image: Image) -> None:
        """Put a program into memory; ValueError where its segments do not fit."""
        for segment in image.segments:
            if segment.address < self.memory.map.interleaved and segment.address + segment.size > self.lowest_stack:
                raise ValueError(
                    f"{segment.size} bytes at {segment.address:#x} reach the stacks, which begin at {self.lowest_stack:#x}"
                )
            self.memory.write(segment.address, segment.content + bytes(segment.size - len(segment.content)))
            self.memory.mark(segment.address, segment.size, FIXED if segment.executable else 0)
        self.symbols = dict(image.symbols)
        self.end_of_program = max((item.address + item.size for item in image.segments), default=self.memory.map.start)
        self._code = tuple((segment.address, segment.content) for segment in image.segments if segment.executable)
        self._translations = _translations(self._code, self.generation)
        self._blocks.clear()
        self._supervisor_blocks.clear()

    def declare(self, address: int, size: int) -> None:
        """Say that an array is there: it may be used, and the 32 bytes behind it may be read."""
        self.memory.mark(address, size, 0)
        end = -(-(address + size) // 4) * 4
        for word in range(end >> 2, min(end + SLACK, self.memory.map.end) >> 2):
            if self.memory.marks[word] == UNDECLARED:
                self.memory.marks[word] = BEHIND_ARRAY

    def run_workers(self, entry: int, vertex_bases: Sequence[int], control: int | None = None) -> TileReport:
        """A worker for each vertex, all from one address on; :class:`WorkerTrap` for what an instruction may not do."""
        control = self.control if control is None else control
        report = TileReport()
        conflicts, over_reads = self.memory.conflicts, self.memory.over_reads
        workers = [
            Worker(number, base, self.stack_top(number), control, ACCUMULATORS[self.generation])
            for number, base in enumerate(vertex_bases)
        ]
        self._run(workers, entry)
        report.workers = [worker_report(worker, self._blocks) for worker in workers]
        report.cycles = max((worker.cycles for worker in report.workers), default=0)
        report.conflicts = self.memory.conflicts - conflicts
        report.over_reads = self.memory.over_reads - over_reads
        return report

    def is_of_supervisor(self, entry: int) -> bool:
        """Whether a function has instructions of the supervisor, up to the first place behind which nothing comes."""
        pc = entry
        while True:
            try:
                issue = self._reader.issue_at(pc)
            except TileFault:
                return False
            if issue.has("supervisor"):
                return True
            if issue.has("exit") or issue.has("indirect"):
                return False
            pc = issue.end

    def run_supervisor(self, entry: int, vertex_base: int) -> TileReport:
        """A supervisor's function with the address of the vertex in ``$m0``, until it returns."""
        start = self.memory.map.start
        supervisor = Supervisor(self.run_workers, vertex_base, self.stack_top(WORKERS), start, self.control)
        conflicts, over_reads = self.memory.conflicts, self.memory.over_reads
        pc = entry
        while pc != supervisor.return_address:
            pc = self._step(supervisor, pc, self._supervisor_blocks)
        report = TileReport(supervisor.cycles, supervisor.reports)
        report.conflicts = self.memory.conflicts - conflicts
        report.over_reads = self.memory.over_reads - over_reads
        return report

    # --- running ----------------------------------------------------------------------------------------------------

    def _run(self, workers: Sequence[Worker], entry: int) -> None:
        """The worker that is behind goes on, until it is ahead of another one: they may wait for each other."""
        waiting = [(worker.slots, worker.number, entry) for worker in workers]
        while waiting:
            _, number, pc = heappop(waiting)
            worker = workers[number]
            next_one = waiting[0][0] if waiting else self.limit + 1
            while pc >= 0 and worker.slots <= next_one:
                pc = self._step(worker, pc, self._blocks)
            if pc >= 0:
                heappush(waiting, (worker.slots, number, pc))

    def _step(self, worker: Worker | Supervisor, pc: int, blocks: dict[int, WorkerBlock]) -> int:
        block = blocks.get(pc)
        if block is None:
            block = blocks[pc] = self._translated(pc, blocks is self._supervisor_blocks)
        assert block.function is not None
        worker.visits[pc] = worker.visits.get(pc, 0) + 1
        if self.checks_registers and isinstance(worker, Worker):
            self._check_registers(block, worker)
        try:
            after = block.function(worker)
        except TileFault as fault:
            raise self._trap(fault, block, worker) from None
        if worker.slots > self.limit:
            endless = TileFault(
                INVALID_OPERATION, f"more than {self.limit} issue slots: the worker runs for ever, or the limit is low"
            )
            raise WorkerTrap(endless, pc, worker.number, self._reader.text_at(pc), WORKERS * worker.slots, False)
        return after

    def _check_registers(self, block: WorkerBlock, worker: Worker) -> None:
        if block.start not in self._uses:
            self._uses[block.start] = register_use(self._reader, block)
        try:
            check_registers(self._uses[block.start], worker.written)
        except TileFault as fault:
            pc = fault.addresses[0]
            raise WorkerTrap(fault, pc, worker.number, self._reader.text_at(pc), WORKERS * worker.slots, False) from None

    def _translated(self, pc: int, is_supervisor: bool) -> WorkerBlock:
        key = pc, is_supervisor, self.trace is not None
        known = self._translations.get(key)
        if known is None:
            block = WorkerCodeWriter(self._reader, pc, self.memory.map.repeats, is_supervisor, self.trace is not None).write()
            known = block, compile(block.source, f"<block {pc:#x}>", "exec")
            if self._is_of_program(block):
                self._translations[key] = known
        block, code = known
        scope = {**self._namespace, "trace": partial(_traced, self.trace)}
        exec(code, scope)
        return replace(block, function=scope.pop("block"))

    def _is_of_program(self, block: WorkerBlock) -> bool:
        """Whether all of a block, the other half of its last bundle too, is code of the program."""
        first, last = min(block.origin)[0], max(block.origin)[0]
        end = last + (8 if self.memory.words[last >> 2] & BUNDLED else 4)
        return any(start <= first and end <= start + len(content) for start, content in self._code)

    def _trap(self, fault: TileFault, block: WorkerBlock, worker: Worker | Supervisor) -> WorkerTrap:
        """Where in the block an instruction failed: the line of its function says it."""
        place = fault.__traceback__
        line = 1
        while place is not None:
            if place.tb_frame.f_code.co_name == "block":
                line = place.tb_lineno
            place = place.tb_next
        pc, in_repeat = block.origin[line - 1]
        trap = WorkerTrap(fault, pc, worker.number, self._reader.text_at(pc), WORKERS * worker.slots, in_repeat)
        if fault.code == BREAKPOINT:
            # Of a function that is one instruction, so its block has no newer ones.
            trap.arguments = tuple(worker.main[:3])
        return trap


# Functions of blocks have these and no tile, which would keep its memory from being freed with it.


def _too_many(most: int, generation: str, count: int) -> None:
    raise TileFault(INVALID_OPERATION, f"a repeat of {count} times; {generation} counts to {most}")


def _traced(trace: Trace | None, worker: Worker | Supervisor, pc: int, text: str, values: list[tuple[str, int]]) -> None:
    assert trace is not None
    shown = ", ".join(f"${name} = {value:#x}" for name, value in values)
    trace(f"worker {worker.number} {pc:#x}: {text}" + (f"  // {shown}" if shown else ""))


def _trap(number: int) -> None:
    raise TileFault(BREAKPOINT, f"trap {number}")
