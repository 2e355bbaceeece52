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
from voltac.targets.ia64.select.conventions import copy
from voltac.targets.ia64.select.pseudo import ROWS

_FARTHEST = 8
"""Iterations that are looked at; what meets later does not hold anything up."""


class Streams:
    """The accesses of a loop's body."""

    def __init__(self, function: MachineFunction, code: list[MachineInstruction]) -> None:
        self.function = function
        self.code = code
        self.starts: list[MachineInstruction] = []
        """What sets the new addresses, before the loop."""
        self.steps = self._steps()
        self.places: dict[int, tuple[AnyRegister, int]] = {}
        """By access: its address, and how far beyond where that is at the begin of the iteration."""
        moved: set[AnyRegister] = set()
        for one in code:
            register = address_of(one)
            if register is not None and register in self.steps:
                self.places[id(one)] = register, self.steps[register] if register in moved else 0
            moved.update(register for register in one.writes() if register in self.steps)

    def _steps(self) -> dict[AnyRegister, int]:
        """Registers that are stepped by a constant once in an iteration."""
        found: dict[AnyRegister, int] = {}
        written: dict[AnyRegister, list[MachineInstruction]] = {}
        for one in self.code:
            for register in one.writes():
                written.setdefault(register, []).append(one)
        for register, writers in written.items():
            one = writers[0]
            is_step = one.row.name == "adds.r=imm14,r" and one.values[0] == one.values[2]
            if len(writers) > 1 or one.mask is not None or not (is_step or "increments" in one.row.traits):
                continue
            number = one.values[1] if is_step else one.values[-1]
            if isinstance(number, Immediate) and (is_step or address_of(one) == register):
                found[register] = number.value
        return found

    def distance(self, one: MachineInstruction, other: MachineInstruction) -> int | None:
        """Iterations until the second may touch what the first did."""
        first, second = self.places.get(id(one)), self.places.get(id(other))
        if first is None or second is None or first[0] != second[0] or one.access is None or other.access is None:
            return always_next(one, other)
        step = self.steps[first[0]]
        for iterations in range(1, _FARTHEST + 1):
            start = second[1] + iterations * step
            if start < first[1] + one.access.size and first[1] < start + other.access.size:
                return iterations
        return None

    def separate(self, live_out: set[AnyRegister]) -> list[MachineInstruction]:
        """The code with an address of its own for each access that does not step it itself."""
        made: list[MachineInstruction] = []
        for one in self.code:
            place = self.places.get(id(one))
            row = ROWS.rows.get(f"{one.row.name},imm9")
            if (
                place is None
                or row is None
                or one.mask is not None
                or one.writes() == [place[0]]
                or not _is_short(self.steps[place[0]])
            ):
                made.append(one)
                continue
            register, offset = place
            own = self.function.new_register("r")
            if offset:
                self.starts.append(MachineInstruction(ROWS["adds.r=imm14,r"], [own, Immediate(offset), register]))
            else:
                self.starts.append(copy(own, register))
            values = [own if value == register else value for value in one.values]
            stepped = MachineInstruction(row, [*values, Immediate(self.steps[register])], line=one.line, access=one.access)
            self.places[id(stepped)] = place
            made.append(stepped)
        return self._without_idle_steps(made, live_out)

    def _without_idle_steps(self, code: list[MachineInstruction], live_out: set[AnyRegister]) -> list[MachineInstruction]:
        """Addresses that nobody uses any more are not stepped."""
        return [
            one
            for one in code
            if one.row.name != "adds.r=imm14,r"
            or one.values[0] not in self.steps
            or one.values[0] in live_out
            or any(one.values[0] in other.reads() for other in code if other is not one)
        ]


def _is_short(step: int) -> bool:
    return -0x100 <= step < 0x100


def address_of(one: MachineInstruction) -> VirtualRegister | None:
    """The register with the address of a load or store."""
    if not one.row.traits & {"load", "store"}:
        return None
    for operand, value in zip(one.row.operands, one.values):
        if f"[{{{operand.field}}}]" in one.row.text and isinstance(value, VirtualRegister):
            return value
    return None
