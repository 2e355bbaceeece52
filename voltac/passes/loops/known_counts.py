"""How often a lane goes round its loop at most, where constants say it: for (int k = 0; k < 8; k++)."""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.constants import integers
from voltac.ir.match import made_by
from voltac.passes.accesses.available_loads import conjuncts
from voltac.passes.loops.lane_loops import LaneLoop

_STEP = m.op("add", m.value("counter"), m.constant("step"))
_LESS = ("slt", "ult")


def most_iterations(walk: LaneLoop) -> int | None:
    """By the first test of a counter with a limit that who begins an iteration passed; None where there is none."""
    definitions = walk.values.definitions
    phis = {phi.name: phi for phi in walk.header.phis()}
    for name, holds in conjuncts(walk.tested, walk.values).items():
        compared = made_by(("icmp",), name, definitions)
        if compared is None or not holds or compared.parts.predicate not in _LESS:
            continue
        counter, limit = compared.operands
        if counter.value not in phis:
            continue
        phi = phis[counter.value]
        following = walk.following(phi)
        chosen = made_by(("select",), following, definitions)
        step = _STEP.find(chosen.operands[1].value if chosen is not None else following, definitions)
        if step is None or step["counter"].value != phi.name:
            continue
        numbers = [_one(phi.type, each) for each in (walk.arm(phi, False), limit.value, step["step"].value)]
        if None not in numbers:
            start, end, by = (each for each in numbers if each is not None)
            if by > 0 and start >= 0:
                return max(0, -((start - end) // by))
    return None


def _one(type_text: str, value: str) -> int | None:
    """The number that all lanes of a constant are."""
    found = integers(type_text, value)
    return found[0] if found and len(set(found)) == 1 else None
