"""What instructions of one group may not do to each other (IA-64 4): the simulator's judge of stops.

A group is executed one instruction after the other, which is what the machine does if none of them reads or writes what one
before it wrote. Two instructions under different predicates are taken to exclude each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.targets.ia64.registers import APPLICATION
from voltac.targets.ia64.slots import Slot

_FIXED = (("r", 0), ("f", 0), ("f", 1), ("p", 0))
_LC, _EC, _PFS = (("ar", APPLICATION[name]) for name in ("ar.lc", "ar.ec", "ar.pfs"))
_ROTATING = 16
"""The first predicate that rotates."""

Place = tuple[str, int]
"""Kind and number of a register."""


def reads_of(slot: Slot) -> list[Place]:
    """The registers that an instruction reads, its predicate among them."""
    found = [("p", slot.predicate)]
    found += [(one.kind, value) for one, value in zip(slot.row.operands, slot.values) if one.role != "def"]
    mnemonic = slot.row.mnemonic
    if mnemonic.startswith(("br.cloop", "br.ctop", "br.cexit")):
        found.append(_LC)
    if mnemonic.startswith(("br.ctop", "br.cexit", "br.wtop", "br.wexit")):
        found.append(_EC)
    if "return" in slot.row.traits or "alloc" in slot.row.traits:
        found.append(_PFS)
    if "reads pr" in slot.row.traits:
        found += [("p", number) for number in range(1, 64)]
    return [place for place in found if place not in _FIXED and place[0] in ("r", "f", "p", "b", "ar")]


def writes_of(slot: Slot) -> list[Place]:
    """The registers that an instruction writes."""
    found = [(one.kind, value) for one, value in zip(slot.row.operands, slot.values) if one.role != "use"]
    if "writes pr" in slot.row.traits:
        # One bit of a mask is for all that rotate.
        mask = next((value for one, value in zip(slot.row.operands, slot.values) if one.kind == "mask17"), 1 << _ROTATING)
        found += [("p", number) for number in range(1, 64) if mask >> min(number, _ROTATING) & 1]
    return [place for place in found if place not in _FIXED and place[0] in ("r", "f", "p", "b", "ar")]


def violation(group: Sequence[Slot]) -> str:
    """What is wrong with a group; empty if nothing is."""
    written: dict[Place, Slot] = {}
    for position, slot in enumerate(group):
        if "alloc" in slot.row.traits and position:
            return "'alloc' is not the first of its group"
        if "clrrrb" in slot.row.traits and position != len(group) - 1:
            return "'clrrrb' is not the last of its group"
        for place in reads_of(slot):
            before = written.get(place)
            if before is not None and not _may_read(place, before, slot):
                return f"'{slot.row.mnemonic}' reads {_name(place)}, which '{before.row.mnemonic}' of the same group writes"
        for place in writes_of(slot):
            before = written.get(place)
            if before is not None and not _may_write(place, before, slot):
                return f"'{slot.row.mnemonic}' writes {_name(place)}, as '{before.row.mnemonic}' of the same group does"
            written[place] = slot
    return ""


def _name(place: Place) -> str:
    names = {number: name for name, number in APPLICATION.items()}
    return names.get(place[1], "ar") if place[0] == "ar" else f"{place[0]}{place[1]}"


def _exclude(one: Slot, other: Slot) -> bool:
    return bool(one.predicate and other.predicate) and one.predicate != other.predicate


def _may_read(place: Place, before: Slot, slot: Slot) -> bool:
    branches = slot.row.unit == "B"
    if place[0] == "p":
        is_condition = place == ("p", slot.predicate)
        if branches and is_condition and "compare" in before.row.traits:
            return True
        parallel = [trait for trait in slot.row.traits if trait.startswith("parallel ")]
        if not is_condition and parallel and parallel[0] in before.row.traits:
            return True
    if place[0] == "b" or place == _PFS:
        return branches
    return _exclude(before, slot)


def _may_write(place: Place, before: Slot, slot: Slot) -> bool:
    parallel = [trait for trait in slot.row.traits if trait.startswith("parallel ")]
    return (bool(parallel) and parallel[0] in before.row.traits) or _exclude(before, slot)
