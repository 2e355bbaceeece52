"""Groups -> bundles: each instruction to a slot of a unit that takes it, in the order of its group (IA-64 3).

A bundle is filled from the groups' instructions as far as one of the templates allows it. Where a group ends within a bundle
the next one goes on behind a stop, if the template has one there.
"""

from __future__ import annotations

from collections.abc import Sequence

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


Item = tuple[MachineInstruction, bool]
"""An instruction, and whether its group ends with it."""


def packed(groups: Sequence[Sequence[MachineInstruction]]) -> list[PackedBundle]:
    """The bundles of a block."""
    items: list[Item] = [(one, number == len(group) - 1) for group in groups for number, one in enumerate(group)]
    made: list[PackedBundle] = []
    at = 0
    while at < len(items):
        bundle, count = _best(items, at)
        made.append(bundle)
        at += count
    return made


def _best(items: list[Item], start: int) -> tuple[PackedBundle, int]:
    """The template that takes most of what comes next; of those that take as many the first."""
    best: PackedBundle | None = None
    most = 0
    for units, stops, end in _FORMS:
        slots, count = _filled(units, stops, end, items, start)
        if count > most:
            best = PackedBundle(units, tuple(slots), (*stops, 2) if end else stops)
            most = count
    assert best is not None
    return best, most


def _filled(
    units: str, stops: tuple[int, ...], end: bool, items: list[Item], start: int
) -> tuple[list[MachineInstruction | None], int]:
    """What goes into the slots, and how many instructions; none where the stops are not those of the groups."""
    slots: list[MachineInstruction | None] = [None] * 3
    at = start
    ended = False
    """Whether the last instruction taken ends its group: then a stop comes before the next one."""
    has_stop = False
    for number, unit in enumerate(units):
        if at < len(items) and not (ended and not has_stop):
            one, is_last = items[at]
            wanted = "X" if unit == "L" else unit
            if wanted in UNITS_OF[one.row.unit] and (unit == "L") == (one.row.unit == X):
                slots[number + (unit == "L")] = one
                at += 1
                ended, has_stop = is_last, False
        if number in stops:
            # A stop within a group would cost a cycle.
            if not ended:
                return slots, 0
            has_stop = True
    if end != (ended and not has_stop):
        return slots, 0
    return slots, at - start
