"""One of the six workers: its registers and how far it came (IPU 1.1 to 1.3)."""

from __future__ import annotations

from voltac.targets.ipu.registers import LOWER_CSRS, REGISTERS
from voltac.targets.ipu.simulator.float_state import FloatState
from voltac.targets.ipu.simulator.float_unit import FloatUnit

WORKERS = 6
"""Contexts beside the supervisor, and so the cycles from one issue of a worker to its next."""
_POISON_MAIN, _POISON_AUX = 0xBAD00001, 0x7FA00001
"""What registers hold that nobody has written: odd numbers, and signalling NaN; each register adds its number times 2**8."""
_VERTEX, _BASE = 13, 12
"""Registers with the addresses of the vertex' state and of the worker's scratch memory."""


class Worker:
    """Registers are numbers without sign, in two lists."""

    def __init__(self, number: int, vertex_base: int, worker_base: int, control: int, accumulators: int) -> None:
        self.number = number
        self.written: set[str] = set()
        """Registers of which it is known, where that is looked at."""
        self.main = [_POISON_MAIN + (register << 8) for register in range(REGISTERS)]
        self.aux = [_POISON_AUX + (register << 8) for register in range(REGISTERS)]
        self.main[_BASE], self.main[_VERTEX] = worker_base, vertex_base
        self.float_state = FloatState(control, accumulators)
        self.fpu = FloatUnit(self.float_state)
        self.slots = 0
        self.status = False
        """What the exit instruction said."""
        self.visits: dict[int, int] = {}
        """Address of a block → how often it ran."""
        self.repeats: dict[tuple[int, int], int] = {}
        """Block and number of a repeat in it → how often its body ran."""
        self._pc = self._slot = 0
        self._lower: dict[int, int] = {}

    def at(self, pc: int, slot: int) -> None:
        """Where the instruction stands that reads a control register, and when it issues."""
        self._pc, self._slot = pc, slot

    def get(self, number: int) -> int:
        """A control register of the lower file."""
        cycle = WORKERS * (self._slot - 1) + self.number
        known = {
            LOWER_CSRS["PC"]: self._pc,
            LOWER_CSRS["WSR"]: self.number,
            LOWER_CSRS["VERTEX_BASE"]: self.main[_VERTEX],
            LOWER_CSRS["WORKER_BASE"]: self.main[_BASE],
            LOWER_CSRS["COUNT_L"]: cycle & 0xFFFFFFFF,
            LOWER_CSRS["COUNT_U"]: cycle >> 32,
        }
        return known.get(number, self._lower.get(number, 0))

    def put(self, number: int, value: int) -> None:
        """The same, written."""
        self._lower[number] = value
