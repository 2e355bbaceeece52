"""Addresses of a loop: how far apart accesses are in later iterations, and an address of its own for each access.

    ldfs f=[a] ... stfs [a]=g,4     ->     ldfs f=[b],4 ... stfs [a]=g,4      with b = a before the loop

Else the next iteration's load would wait for the store that steps the address.
"""

from __future__ import annotations

from voltac.codegen.machine_code import (
    AnyRegister,
    Immediate,
    MachineFunction,
    MachineInstruction,
    VirtualRegister,
)
from voltac.codegen.pipelining.instructions import always_next
from voltac.codegen.rows import Row
from voltac.records import record
from voltac.targets.ia64.select.conventions import copy
from voltac.targets.ia64.select.pseudo import ROWS

_ADD_CONSTANT, _ADD = "adds.r=imm14,r", "add.r=r,r"
_FARTHEST = 8
"""Iterations that are looked at; what meets later does not hold anything up."""


Step = int | VirtualRegister
"""By how much an address moves in an iteration: a constant, or what a register has that the loop does not change."""


@record
class AccessPlace:
    """Where an access is."""

    register: VirtualRegister
    """Of a stepped address."""
    offset: int
    """How far beyond where that is."""
    is_moved: bool
    """Whether it has been stepped in this iteration already."""


class Streams:
    """The accesses of a loop's body."""

    def __init__(self, function: MachineFunction, code: list[MachineInstruction]) -> None:
        self.function = function
        self.code = code
        self.times = 1
        """Iterations that the code is of."""
        self.starts: list[MachineInstruction] = []
        """What sets the new addresses, before the loop."""
        self.written: dict[AnyRegister, list[MachineInstruction]] = {}
        for one in code:
            for register in one.writes():
                self.written.setdefault(register, []).append(one)
        self.steps = self._steps()
        self.places: dict[int, AccessPlace] = {}
        """By access."""
        moved: set[AnyRegister] = set()
        self.near: dict[AnyRegister, AccessPlace] = {}
        """Addresses that are a constant beyond one that is stepped."""
        for one in code:
            address = address_of(one)
            if address is not None and address in self.steps:
                self.places[id(one)] = AccessPlace(address, 0, address in moved)
            elif address is not None and address in self.near:
                self.places[id(one)] = self.near[address]
            base = one.values[2] if one.row.name == _ADD_CONSTANT else None
            is_near = isinstance(base, VirtualRegister) and base in self.steps and one.mask is None
            if is_near and one.values[0] != base and len(self.written[one.writes()[0]]) == 1:
                assert isinstance(base, VirtualRegister) and isinstance(one.values[1], Immediate)
                self.near[one.writes()[0]] = AccessPlace(base, one.values[1].value, base in moved)
            moved.update(register for register in one.writes() if register in self.steps)

    def _steps(self) -> dict[AnyRegister, Step]:
        """Registers that are stepped once in an iteration."""
        found: dict[AnyRegister, Step] = {}
        for register, writers in self.written.items():
            one = writers[0]
            if len(writers) > 1 or one.mask is not None or register not in one.reads():
                continue
            number = None
            if one.row.name == _ADD_CONSTANT:
                number = one.values[1]
            elif one.row.name == _ADD:
                number = one.values[2 if one.values[1] == register else 1]
            elif "increments" in one.row.traits and address_of(one) == register:
                number = one.values[-1]
            if isinstance(number, Immediate):
                found[register] = number.value
            elif isinstance(number, VirtualRegister) and number not in self.written:
                found[register] = number
        return found

    def distance(self, one: MachineInstruction, other: MachineInstruction) -> int | None:
        """Iterations until the second may touch what the first did."""
        first, second = self.places.get(id(one)), self.places.get(id(other))
        if first is None or second is None or first.register != second.register or one.access is None or other.access is None:
            return always_next(one, other)
        step = self.steps[first.register]
        if not isinstance(step, int):
            return always_next(one, other)
        begin = first.offset + step * first.is_moved
        moved = second.offset + step * second.is_moved
        step *= self.times
        for iterations in range(1, _FARTHEST + 1):
            start = moved + step * iterations
            if start < begin + one.access.size and begin < start + other.access.size:
                return iterations
        return None

    def is_address(self, one: MachineInstruction) -> bool:
        """Whether an instruction only steps an address, or makes one near it."""
        is_sum = one.row.name in (_ADD_CONSTANT, _ADD)
        return is_sum and (one.values[0] in self.steps or one.values[0] in self.near)

    def separate(self, live_out: set[AnyRegister]) -> list[MachineInstruction]:
        """The code with an address of its own for each access that does not step it itself."""
        made: list[MachineInstruction] = []
        for one in self.code:
            place = self.places.get(id(one))
            row = None if place is None else self._stepping(one, place)
            if place is None or row is None:
                made.append(one)
                continue
            own, step = self.function.new_register("r"), self.steps[place.register]
            self.start(own, place, step)
            address = address_of(one)
            values = [own if value == address else value for value in one.values]
            by = Immediate(step) if isinstance(step, int) else step
            stepped = MachineInstruction(row, [*values, by], line=one.line, access=one.access)
            self.places[id(stepped)] = place
            made.append(stepped)
        return self._without_idle_steps(made, live_out)

    def _stepping(self, one: MachineInstruction, place: AccessPlace) -> Row | None:
        """The row of an access that steps its address, too, if there is one that can."""
        step = self.steps[place.register]
        ending = "r" if not isinstance(step, int) else "imm9"
        if one.mask is not None or place.register in one.writes() or (isinstance(step, int) and not is_short(step)):
            return None
        return ROWS.rows.get(f"{one.row.name},{ending}")

    def start(self, own: VirtualRegister, place: AccessPlace, step: Step) -> None:
        """Sets an access's own address to where it is first; ``step`` is of the register it is near."""
        offset = place.offset + (step * place.is_moved if isinstance(step, int) else 0)
        if offset:
            self.starts.append(MachineInstruction(ROWS[_ADD_CONSTANT], [own, Immediate(offset), place.register]))
        else:
            self.starts.append(copy(own, place.register))
        if place.is_moved and not isinstance(step, int):
            self.starts.append(MachineInstruction(ROWS[_ADD], [own, own, step]))

    def _without_idle_steps(self, code: list[MachineInstruction], live_out: set[AnyRegister]) -> list[MachineInstruction]:
        """Addresses that nobody uses any more are not computed; those near others first."""
        for stepped in (False, True):
            code = [
                one
                for one in code
                if one.row.name not in (_ADD_CONSTANT, _ADD)
                or (one.values[0] in self.steps) != stepped
                or one.values[0] in live_out
                or any(one.values[0] in other.reads() for other in code if other is not one)
            ]
        return code


def is_short(step: int) -> bool:
    """Whether an access can step its address so far."""
    return -0x100 <= step < 0x100


def address_of(one: MachineInstruction) -> VirtualRegister | None:
    """The register with the address of a load or store."""
    if not one.row.traits & {"load", "store"}:
        return None
    for operand, value in zip(one.row.operands, one.values):
        if f"[{{{operand.field}}}]" in one.row.text and isinstance(value, VirtualRegister):
            return value
    return None
