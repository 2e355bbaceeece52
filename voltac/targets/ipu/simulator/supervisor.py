"""The supervisor, as far as a vertex needs it: integers, branches, and the launch of workers (IPU 1.1, 4.1).

Each of its instructions is counted as one slot of six cycles (assumed): alone in the
barrel it sees its own latencies. While six workers run it waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voltac.targets.ipu.registers import LOWER_CSRS, REGISTERS
from voltac.targets.ipu.simulator.report import TileReport, WorkerReport
from voltac.targets.ipu.simulator.worker import WORKERS

_VERTEX, _LINK, _STACK = 0, 10, 11
"""Registers that hold the vertex' address, the return address and the end of the stack when a vertex begins."""
_STEP = 4
"""Bytes that ``runall`` and ``run`` count in."""


class Supervisor:
    """``launch``: runs workers from an address on, each with the address of a vertex."""

    number = WORKERS
    return_address = 0
    """Where no code can be: coming back here ends the vertex."""

    def __init__(
        self, launch: Callable[[int, Sequence[int], int], TileReport], vertex_base: int, stack: int, region_0: int, control: int
    ) -> None:
        self.main = [0] * REGISTERS
        self.main[_VERTEX], self.main[_LINK], self.main[_STACK] = vertex_base, self.return_address, stack
        self.aux = [0] * REGISTERS
        self.fpu = None
        self.slots = 0
        self.status = True
        self.visits: dict[int, int] = {}
        self.repeats: dict[tuple[int, int], int] = {}
        self.worker_cycles = 0
        """Cycles in which workers ran and the supervisor waited."""
        self.reports: list[WorkerReport] = []
        self.control = control
        self._launch = launch
        self._region_0 = region_0
        self._pc = self._slot = 0

    @property
    def cycles(self) -> int:
        """Of the tile, from the supervisor's first instruction to its last."""
        return WORKERS * self.slots + self.worker_cycles

    def runall(self, entry: int, base: int, step: int) -> None:
        """Six workers, the vertices ``step`` words apart."""
        self._started(self._launch(entry, [base + worker * step * _STEP for worker in range(WORKERS)], self.control))

    def run(self, entry: int, base: int, offset: int) -> None:
        """One worker; the vertex is counted from the beginning of region 0 (derived)."""
        self._started(self._launch(entry, [self._region_0 + base + offset * _STEP], self.control))

    def _started(self, report: TileReport) -> None:
        self.reports += report.workers
        self.worker_cycles += report.cycles

    def sync(self, zone: int) -> None:
        """Waits for the workers, which have ended by then."""

    def at(self, pc: int, slot: int) -> None:
        """Where the instruction stands that reads a control register, and when it issues."""
        self._pc, self._slot = pc, slot

    def get(self, number: int) -> int:
        """A control register."""
        cycle = WORKERS * (self._slot - 1) + self.worker_cycles
        known = {LOWER_CSRS["PC"]: self._pc, LOWER_CSRS["COUNT_L"]: cycle, LOWER_CSRS["FP_ICTL"]: self.control}
        return known.get(number, 0)

    def put(self, number: int, value: int) -> None:
        """The same, written: ``$FP_ICTL`` is what workers begin with."""
        if number == LOWER_CSRS["FP_ICTL"]:
            self.control = value
