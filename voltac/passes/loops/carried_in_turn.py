"""What a loop over gangs carries on from one to the next, done for one gang after the other behind what several do at once.

    %sum = phi <8 x float> [ %start, %outside ], [ %next, %body ]
    %next = fadd <8 x float> %sum, %term            each gang adds to what the one before has come to, as written

The order of additions counts for floats, so two gangs may not sum up side by side; but their terms may be computed so. All that
depends on what is carried on is a few instructions at the end, which see for each gang what they see when it is alone.
"""

from __future__ import annotations

from voltac.ir.model import Instruction
from voltac.ir.types import lanes_of
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.rare_branches import RareCalls

_MOST = 12
"""Instructions that depend on what is carried on: these wait for each other as before. Chosen, not measured."""


def carried_in_turn(loop: GangLoop, calls: RareCalls) -> list[Instruction] | None:
    """What depends on what the loop carries on, in order; None where that cannot be done behind the rest.

    It has to be at the end, in the block that goes back, to do nothing but compute, and to be vectors of a gang.
    """
    depending = {phi.name for phi in loop.carried}
    found: list[Instruction] = []
    for block in loop.blocks:
        for each in block.instructions:
            if depending.isdisjoint(each.names_used()):
                continue
            if block is not loop.body or each.op == "phi" or not calls.is_pure(each):
                return None
            depending.add(each.name)
            found.append(each)
    following = [dict(zip(phi.parts.labels, phi.operands))[loop.body.name].value for phi in loop.carried]
    if not depending.issuperset(following):
        return None  # What the gang before has computed, not what it has come to.
    if len(found) > _MOST or any(lanes_of(each.type) != loop.width for each in (*loop.carried, *found)):
        return None
    return found
