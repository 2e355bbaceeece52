"""Virtual registers -> physical ones: coalescing of copies, then linear scan.

Registers are given in the order in which values begin to live (Poletto and
Sarkar, "Linear Scan Register Allocation", 1999), with live positions exact to
the instruction (``liveness.py``), so that holes and physical registers fixed by
calls are seen. Where none is free, the values that are cheapest to keep in memory
lose theirs: they get a frame slot and tiny lives around each use
(``spilling.py``), constants are made anew instead, and the scan starts over.

What holds a value is one register, or several neighbours that get their places together: a pair, whose lanes live
each on its own.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.liveness import liveness
from voltac.codegen.machine_code import (
    AnyRegister,
    FrameSlot,
    MachineFunction,
    MachineInstruction,
    Register,
    VirtualRegister,
)
from voltac.codegen.spilling import spill
from voltac.records import record


@record(eq=False)
class RegisterFile:
    """What allocation has to know of a target."""

    allocatable: dict[str, tuple[Register, ...]]
    """By class, in order of preference."""
    copies: frozenset[str]
    """Names of the rows that copy a register."""
    sizes: dict[str, int]
    """Bytes of a frame slot for a class, and its alignment."""
    spill: Callable[[AnyRegister, FrameSlot], MachineInstruction]
    """Stores a register into a frame slot."""
    reload: Callable[[AnyRegister, FrameSlot], MachineInstruction]


class OutOfRegisters(Exception):
    """One instruction needs more registers than there are."""


_UNSPILLABLE = float("inf")


def copied(instruction: MachineInstruction, file: RegisterFile) -> tuple[AnyRegister, AnyRegister] | None:
    """Target and source of a plain copy."""
    if instruction.row.name not in file.copies or instruction.mask is not None:
        return None
    to, source = instruction.values
    assert isinstance(to, (VirtualRegister, Register)) and isinstance(source, (VirtualRegister, Register))
    return to, source


def coalesce(function: MachineFunction, file: RegisterFile) -> None:
    """Give both ends of a copy one virtual register where they never hold different values at one time."""
    live = liveness(function)
    parent: dict[VirtualRegister, VirtualRegister] = {}
    lanes = {lane for pair in pairs_of(function) for lane in pair.lanes}

    def find(register: VirtualRegister) -> VirtualRegister:
        while register in parent:
            register = parent[register]
        return register

    pairs: list[tuple[int, VirtualRegister, VirtualRegister]] = []
    for block in function.blocks:
        for instruction in block.instructions:
            ends = copied(instruction, file)
            if ends and isinstance(ends[0], VirtualRegister) and isinstance(ends[1], VirtualRegister):
                pairs.append((block.frequency, ends[0], ends[1]))
    # Copies in inner loops first.
    pairs.sort(key=lambda pair: -pair[0])
    for _, to, source in pairs:
        first, second = find(to), find(source)
        if second in lanes:
            # A lane stays where it is.
            first, second = second, first
        if first == second or first.kind != second.kind or second in lanes:
            continue
        parts = list(zip(first.lanes or (first,), second.lanes or (second,)))
        if any(live.get(one, 0) & live.get(other, 0) for one, other in parts):
            continue
        parent[second] = first
        for one, other in parts:
            live[one] = live.get(one, 0) | live.pop(other, 0)
            if one != first:
                parent[other] = one
    if not parent:
        return
    names = {register: find(register) for register in parent}
    for instruction in function.instructions():
        instruction.replace_registers(names)
    remove_idle_copies(function, file)


def remove_idle_copies(function: MachineFunction, file: RegisterFile) -> None:
    """Drop copies of a register onto itself."""
    for block in function.blocks:
        block.instructions = [instruction for instruction in block.instructions if not _is_idle(copied(instruction, file))]


def _is_idle(ends: tuple[AnyRegister, AnyRegister] | None) -> bool:
    return ends is not None and ends[0] == ends[1]


def allocate(function: MachineFunction, file: RegisterFile) -> None:
    """Replace every virtual register."""
    tiny: set[VirtualRegister] = set()
    while True:
        live = liveness(function)
        assigned, losers = _Scan(function, file, live, tiny).run()
        if not losers:
            break
        tiny |= spill(function, file.sizes, file.spill, file.reload, losers)
    for instruction in function.instructions():
        instruction.replace_registers(assigned)
    remove_idle_copies(function, file)


def pairs_of(function: MachineFunction) -> dict[VirtualRegister, None]:
    """The registers that consist of others."""
    return {
        value: None
        for instruction in function.instructions()
        for value in instruction.values
        if isinstance(value, VirtualRegister) and value.lanes
    }


def parts_of(register: VirtualRegister) -> tuple[VirtualRegister, ...]:
    """Its lanes, or itself."""
    return register.lanes or (register,)


class _Scan:
    """One pass over the values in the order in which they begin to live."""

    def __init__(
        self, function: MachineFunction, file: RegisterFile, live: dict[AnyRegister, int], tiny: set[VirtualRegister]
    ) -> None:
        self.function, self.file = function, file
        self.live = live
        self.owner = {lane: pair for pair in pairs_of(function) for lane in pair.lanes}
        self.weights = self._weights(tiny)
        self.hints = _hints(function, file)
        self.fixed = {register: bits for register, bits in live.items() if isinstance(register, Register)}
        self.taken = dict(self.fixed)
        """Register -> positions where it holds something."""
        self.holders: dict[Register, list[tuple[VirtualRegister, int]]] = {}
        """Of a register that is no pair: what has it at some time, and when."""
        self.assigned: dict[VirtualRegister, Register] = {}
        self.losers: list[VirtualRegister] = []

    def run(self) -> tuple[dict[VirtualRegister, Register], list[VirtualRegister]]:
        """Places of values, lanes of pairs among them, and those that found none."""
        live = self.live
        values = dict.fromkeys(self.owner.get(one, one) for one in live if isinstance(one, VirtualRegister))
        begin: dict[VirtualRegister, int] = {}
        for value in values:
            bits = live[value] if not value.lanes else self._bits(value)
            begin[value] = bits & -bits
        for value in sorted(values, key=lambda one: (begin[one], one.number)):
            place = self._preferred(value)
            if place is None:
                place = self._first_free(value)
            if place is None:
                place = self._make_room(value)
            if place is not None:
                self._put(value, place)
        for value, place in list(self.assigned.items()):
            self.assigned.update(zip(value.lanes, place.lanes))
        return self.assigned, self.losers

    def _bits(self, value: VirtualRegister) -> int:
        """Where any of its lanes is live."""
        bits = 0
        for part in parts_of(value):
            bits |= self.live.get(part, 0)
        return bits

    def _parts(self, place: Register, value: VirtualRegister) -> list[tuple[Register, int]]:
        """Registers that a value would take, with the positions where it needs them."""
        if not value.lanes:
            return [(place, self.live[value])]
        return [(register, self.live.get(lane, 0)) for register, lane in zip(place.lanes, value.lanes)]

    def _is_free(self, place: Register, value: VirtualRegister) -> bool:
        return not any(self.taken.get(register, 0) & bits for register, bits in self._parts(place, value))

    def _first_free(self, value: VirtualRegister) -> Register | None:
        candidates, taken = self.file.allocatable[value.kind], self.taken
        if value.lanes:
            return next((place for place in candidates if self._is_free(place, value)), None)
        bits = self.live[value]
        for place in candidates:
            if not taken.get(place, 0) & bits:
                return place
        return None

    def _put(self, value: VirtualRegister, place: Register) -> None:
        self.assigned[value] = place
        for register, bits in self._parts(place, value):
            self.holders.setdefault(register, []).append((value, bits))
            self.taken[register] = self.taken.get(register, 0) | bits

    def _take_away(self, value: VirtualRegister) -> None:
        place = self.assigned.pop(value)
        for register, own in self._parts(place, value):
            self.holders[register].remove((value, own))
            taken = self.fixed.get(register, 0)
            for _, bits in self.holders[register]:
                taken |= bits
            self.taken[register] = taken

    def _preferred(self, value: VirtualRegister) -> Register | None:
        """The register of a value that this one is copied from or to."""
        candidates = self.file.allocatable[value.kind]
        for lane, part in enumerate((value, *value.lanes)):
            for hint in self.hints.get(part, ()):
                found = self.assigned.get(hint) if isinstance(hint, VirtualRegister) else hint
                if found is not None and lane:
                    found = next((one for one in candidates if one.lanes[lane - 1] == found), None)
                if found is not None and found in candidates and self._is_free(found, value):
                    return found
        return None

    def _make_room(self, value: VirtualRegister) -> Register | None:
        """The register whose holders cost least to spill, which they do then; None if the newcomer itself is cheaper."""
        candidates = self.file.allocatable[value.kind]
        best_cost, best, best_out = self.weights[value], candidates[0], [value]
        for place in candidates:
            out = self._cheaper_holders(place, value, best_cost)
            if out is not None:
                best_cost, best, best_out = max((self.weights[holder] for holder in out), default=0.0), place, out
        if best_cost == _UNSPILLABLE:
            raise OutOfRegisters(f"{value} finds no register")
        for loser in dict.fromkeys(best_out):
            self.losers.append(loser)
            if loser is not value:
                self._take_away(loser)
        return None if best_out == [value] else best

    def _cheaper_holders(self, place: Register, value: VirtualRegister, cost: float) -> list[VirtualRegister] | None:
        """What is in the way of a value; None where something is that cannot be spilled for less."""
        found = []
        for register, bits in self._parts(place, value):
            if self.fixed.get(register, 0) & bits:
                return None
            for holder, taken in self.holders.get(register, ()):
                if taken & bits:
                    if self.weights[holder] >= cost:
                        return None
                    found.append(holder)
        return found

    def _weights(self, tiny: set[VirtualRegister]) -> dict[VirtualRegister, float]:
        """What spilling a value costs: its uses, ten times as much in each loop, over how long it holds a register."""
        costs: dict[VirtualRegister, float] = {}
        constants: set[VirtualRegister] = set()
        for block in self.function.blocks:
            each = 10.0**block.frequency
            for instruction in block.instructions:
                for register in (*instruction.reads(), *instruction.writes()):
                    if isinstance(register, VirtualRegister):
                        value = self.owner.get(register, register)
                        costs[value] = costs.get(value, 0.0) + (each / len(value.lanes) if value.lanes else each)
                if "rematerialisable" in instruction.row.traits:
                    constants.update(one for one in instruction.values if isinstance(one, VirtualRegister))
        weights: dict[VirtualRegister, float] = {}
        for value, cost in costs.items():
            if value in tiny:
                weights[value] = _UNSPILLABLE
            else:
                weights[value] = cost * (0.5 if value in constants else 1.0) / (self._bits(value).bit_count() + 2)
        return weights


def _hints(function: MachineFunction, file: RegisterFile) -> dict[VirtualRegister, list[AnyRegister]]:
    hints: dict[VirtualRegister, list[AnyRegister]] = {}
    for instruction in function.instructions():
        ends = copied(instruction, file)
        if ends is not None:
            to, source = ends
            if isinstance(to, VirtualRegister):
                hints.setdefault(to, []).append(source)
            if isinstance(source, VirtualRegister):
                hints.setdefault(source, []).append(to)
    return hints
