"""Groups -> bundles: each instruction to a slot of a unit that takes it, in the order of its group (IA-64 3).

A bundle is filled from the groups' instructions as far as a template allows it. Where a group ends within a bundle the next one
goes on behind a stop, if the template has one there and no cycle is lost by it: a cycle takes two bundles, whole or in part.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from voltac.codegen.machine_code import MachineInstruction
from voltac.records import record
from voltac.targets.ia64.shapes import X
from voltac.targets.ia64.simulator.timing import BUNDLES
from voltac.targets.ia64.slots import TEMPLATES, UNITS_OF

_FORMS = [(units, stops, end) for units, stops in TEMPLATES.values() for end in (False, True)]
"""Units, stops within, whether there is one at the end."""


@record
class PackedBundle:
    """Instructions of the slots, None for an empty one; those of both slots of a long one are at the last."""

    units: str
    slots: tuple[MachineInstruction | None, ...]
    stops: tuple[int, ...]


Place = tuple[str, bool]
"""Of an instruction to come: its class, and whether its group ends with it."""
_SLOTS = 3
"""Of a bundle."""


@record
class _Bundle:
    """A way to fill a bundle with what comes next."""

    units: str
    stops: tuple[int, ...]
    taken: tuple[int | None, ...]
    """The place of what goes into each slot."""
    count: int
    """How many instructions."""
    cycles: tuple[int, ...]
    """That it adds, where 0, 1, 2 bundles of the cycle have instructions of a group that is not at its end."""
    after: tuple[int, ...]
    """How many these are behind it."""


@record
class _Way:
    """How to get to an instruction."""

    cost: tuple[int, int]
    """Cycles, bundles."""
    bundle: _Bundle | None = None
    """The last one,"""
    at: int = 0
    """the first instruction in it"""
    begun: int = 0
    """and how many bundles had begun the group."""


def packed(groups: Sequence[Sequence[MachineInstruction]]) -> list[PackedBundle]:
    """The bundles of a block: of all ways to fill them the one of the fewest cycles, of these the one of the fewest bundles."""
    items = [one for group in groups for one in group]
    places = [(one.row.unit, number == len(group) - 1) for group in groups for number, one in enumerate(group)]
    ways: list[dict[int, _Way]] = [{} for _ in range(len(items) + 1)]
    ways[0][0] = _Way((0, 0))
    for at in range(len(items)):
        for bundle in _bundles(tuple(places[at : at + _SLOTS])):
            for begun, (cycles, bundles) in [(begun, way.cost) for begun, way in ways[at].items()]:
                cost = cycles + bundle.cycles[begun], bundles + 1
                there = ways[at + bundle.count]
                known = there.get(bundle.after[begun])
                # Of equal ones the last: what is first in a group is waited for, and stands in the fuller bundles.
                if known is None or cost <= known.cost:
                    there[bundle.after[begun]] = _Way(cost, bundle, at, begun)
    made: list[PackedBundle] = []
    way = min(ways[-1].values(), key=lambda one: one.cost)
    while (last := way.bundle) is not None:
        slots = tuple(None if number is None else items[way.at + number] for number in last.taken)
        made.append(PackedBundle(last.units, slots, last.stops))
        way = ways[way.at][way.begun]
    return made[::-1]


@cache
def _bundles(coming: tuple[Place, ...]) -> tuple[_Bundle, ...]:
    """The ways to begin with what comes next, one for each number of instructions."""
    found: dict[int, _Bundle] = {}
    for units, stops, end in _FORMS:
        slots, count = _filled(units, stops, end, coming)
        if count and count not in found and ("L" not in units or slots[-1] is not None):
            issued = [_issued(coming[:count], begun) for begun in range(BUNDLES + 1)]
            cycles, after = zip(*issued)
            found[count] = _Bundle(units, (*stops, 2) if end else stops, tuple(slots), count, cycles, after)
    return tuple(found[count] for count in sorted(found, reverse=True))


def _issued(taken: tuple[Place, ...], begun: int) -> tuple[int, int]:
    """The cycles that a bundle adds, and how many bundles of the cycle have a group behind it that is not at its end."""
    cycles, is_new = 0, True
    for _, is_last in taken:
        if is_new and begun and begun < BUNDLES:
            begun += 1
        elif is_new or not begun:
            cycles, begun = cycles + 1, 1
        is_new = False
        begun = 0 if is_last else begun
    return cycles, begun


def _filled(units: str, stops: tuple[int, ...], end: bool, coming: tuple[Place, ...]) -> tuple[list[int | None], int]:
    """What goes into the slots, and how many instructions; none where the stops are not those of the groups."""
    slots: list[int | None] = [None] * _SLOTS
    at = 0
    ended = False
    """Whether the last instruction taken ends its group: then a stop comes before the next one."""
    has_stop = False
    for number, unit in enumerate(units):
        if at < len(coming) and not (ended and not has_stop):
            needed, is_last = coming[at]
            wanted = "X" if unit == "L" else unit
            if wanted in UNITS_OF[needed] and (unit == "L") == (needed == X):
                slots[number + (unit == "L")] = at
                at += 1
                ended, has_stop = is_last, False
        if number in stops:
            # A stop within a group would cost a cycle.
            if not ended:
                return slots, 0
            has_stop = True
    return slots, at if end == (ended and not has_stop) else 0
