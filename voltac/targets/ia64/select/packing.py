"""Groups -> bundles: each instruction to a slot of a unit that takes it, in the order of its group (IA-64 3).

A bundle is filled from the groups' instructions as far as one of the templates allows it. Where a group ends within a bundle
the next one goes on behind a stop, if the template has one there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from voltac.codegen.machine_code import MachineInstruction
from voltac.records import record
from voltac.targets.ia64.shapes import X
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


def packed(groups: Sequence[Sequence[MachineInstruction]]) -> list[PackedBundle]:
    """The bundles of a block."""
    items = [one for group in groups for one in group]
    places = [(one.row.unit, number == len(group) - 1) for group in groups for number, one in enumerate(group)]
    made: list[PackedBundle] = []
    at = 0
    while at < len(items):
        units, stops, taken = _best(tuple(places[at : at + _SLOTS]))
        made.append(PackedBundle(units, tuple(None if number is None else items[at + number] for number in taken), stops))
        at += sum(number is not None for number in taken)
    return made


@cache
def _best(coming: tuple[Place, ...]) -> tuple[str, tuple[int, ...], tuple[int | None, ...]]:
    """The template that takes most of what comes next, of those that take as many the first: its units, its stops, and which
    instruction goes into each slot."""
    best: tuple[str, tuple[int, ...], tuple[int | None, ...]] | None = None
    most = 0
    for units, stops, end in _FORMS:
        slots, count = _filled(units, stops, end, coming)
        if count > most:
            best = units, (*stops, 2) if end else stops, tuple(slots)
            most = count
    assert best is not None
    return best


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
