"""A group of a loop's kernel -> at most two bundles, so that it issues in one cycle (IA-64 3, 10).

Within a group readers of a register stand before its writers, and accesses of memory in their order; else the order is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from voltac.codegen.dependence import may_meet
from voltac.codegen.machine_code import MachineInstruction
from voltac.targets.ia64.select.packing import PackedBundle, packed
from voltac.targets.ia64.select.registers import ALWAYS
from voltac.targets.ia64.shapes import B, X
from voltac.targets.ia64.simulator.timing import BUNDLES, issue_cycles
from voltac.targets.ia64.slots import TEMPLATES, UNITS_OF

_PLAIN = [units for units, stops in TEMPLATES.values() if not stops]
"""Templates without a stop within."""


def kernel_bundles(group: Sequence[MachineInstruction]) -> list[PackedBundle]:
    """One bundle or two where there is a way, else as many as it takes."""
    first = _before(group)
    best: list[PackedBundle] | None = None
    least = len(group) + 1
    for count in range(1, BUNDLES + 1):
        for templates in product(_PLAIN, repeat=count):
            slots = _placed("".join(templates), group, first)
            if slots is None:
                continue
            made = _bundles(templates, slots)
            cycles = _cycles(made)
            if cycles < least:
                best, least = made, cycles
            if cycles == 1:
                return made
    return best or packed([_in_order(group, first)])


def _cycles(bundles: Sequence[PackedBundle]) -> int:
    """That the machine takes to issue them."""
    issued = [
        (at, one.row, unit)
        for at, bundle in enumerate(bundles)
        for unit, one in zip(bundle.units, bundle.slots)
        if one is not None
    ]
    return issue_cycles(issued)


def _bundles(templates: Sequence[str], slots: Sequence[MachineInstruction | None]) -> list[PackedBundle]:
    last = len(templates) - 1
    return [
        PackedBundle(units, tuple(slots[3 * at : 3 * at + 3]), (2,) if at == last else ()) for at, units in enumerate(templates)
    ]


def _before(group: Sequence[MachineInstruction]) -> dict[int, set[int]]:
    """For each instruction those that stand before it: they read what it writes, or share memory with it."""
    found: dict[int, set[int]] = {number: set() for number in range(len(group))}
    for number, one in enumerate(group):
        for other_number, other in enumerate(group):
            if number == other_number:
                continue
            # A branch goes by a comparison of its own group; what is written to p0 is nowhere.
            if one.row.unit != B and set(one.reads()) & set(other.writes()) - {ALWAYS}:
                found[other_number].add(number)
            in_memory = all(each.row.traits & {"load", "store"} for each in (one, other))
            stores = any("store" in each.row.traits for each in (one, other))
            if number < other_number and in_memory and stores and may_meet(one, other):
                found[other_number].add(number)
        if one.row.unit == B:
            found[number].update(other for other in range(len(group)) if other != number)
    return found


def _in_order(group: Sequence[MachineInstruction], first: dict[int, set[int]]) -> list[MachineInstruction]:
    made: list[int] = []
    while len(made) < len(group):
        made.append(next(number for number in range(len(group)) if number not in made and first[number] <= set(made)))
    return [group[number] for number in made]


def _placed(
    units: str, group: Sequence[MachineInstruction], first: dict[int, set[int]]
) -> list[MachineInstruction | None] | None:
    """Slots of some templates with all instructions of the group, None where they do not fit."""
    slots: list[MachineInstruction | None] = [None] * len(units)

    def place(at: int, done: frozenset[int]) -> bool:
        if len(done) == len(group):
            return True
        if at == len(units) or len(group) - len(done) > len(units) - at:
            return False
        for number, one in enumerate(group):
            if number in done or not first[number] <= done:
                continue
            unit = units[at]
            if unit == "L" and one.row.unit == X:
                slots[at + 1] = one
                if place(at + 2, done | {number}):
                    return True
                slots[at + 1] = None
            elif unit not in "LX" and unit in UNITS_OF[one.row.unit] and (one.row.unit != B or at % 3 == 2):
                slots[at] = one
                if place(at + 1, done | {number}):
                    return True
                slots[at] = None
        return place(at + 1, done)

    return slots if place(0, frozenset()) else None
