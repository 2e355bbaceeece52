"""Loops that lanes leave one by one, in the body of a loop over gangs: whether two gangs may and should do them together.

    foreach (i = 0 ... n) {
        int lo = 0, hi = 63;
        while (hi - lo > 1) { ... table[mid] ... }                 gangs 0 and 1 at once, then 2 and 3, ...
        a[i] = lo;
    }

An iteration waits for the one before: for a gather, a quotient, a chain of products. A second gang has something to do
meanwhile. It is done until the last lane of both has left, which is the same for each lane where it could do the loop alone
(:mod:`voltac.passes.loops.branching_loops`): what asks for any lane asks for those of both.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.cfg import ControlFlow, NaturalLoop
from voltac.ir.constants import splatted
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Function, Instruction
from voltac.ir.types import lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, pseudo_operation
from voltac.passes.loops.branching_loops import BranchingLoop
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.lane_loops import DIVISIONS
from voltac.passes.loops.long_chains import DIVISION, is_division, latency

_GANGS = 2
"""At once. More need more registers than there are."""
_MOST_WORK = 40
"""Instructions of an iteration, of one gang: more keep a processor busy. Chosen, not measured."""
_MOST_WORK_ALIKE = 50
"""The same of loops that all lanes do alike, whose chain is followed. Chosen."""
_MOST_CHAINS = 6
"""Values that go from iteration to iteration, of one gang, and the mask: twice as many fill the registers of AVX2."""
MOST_LONG_CHAINS = 4
"""The same of loops that all lanes do alike: rounds of a cipher on four words take 0.75 of the time."""
_WORK_OF_STEP = 2
"""Instructions for each step of such a chain that leave time for another gang's: a step takes four cycles, in which a processor
does eight."""
_WORK_OF_CYCLE, _MOST_WORK_CARRIED, _CYCLES_OF_LOADS = 2, 80, 20
"""The same for each cycle from a value that goes from iteration to iteration to what it is in the next one, which a processor
cannot begin early; instructions of such a loop, and cycles of lanes loaded one by one. Chosen; steps of a random walk, with a
root each, take 0.59 of the time by two gangs, steps with a quotient 0.8."""
_STEPS_OF_LOADS = 5
"""Such steps that lanes loaded one by one take, from their indices taken out of a vector to the vector of them: trees of a
forest take 0.7 of the time by two gangs."""
_GATHER = 8
"""Such instructions that a gather counts for."""


def asking_of(function: Function, loop: NaturalLoop, flow: ControlFlow, values: LaneValues, options: Options) -> frozenset[str]:
    """What asks for any lane in a loop that each lane could do alone, empty for another one."""
    found = BranchingLoop(function, loop, flow, values, options)
    if not found.splits() or found.stores or not found.keeps_all():
        return frozenset()
    return frozenset(found.deciding)


def is_local(array: str, values: LaneValues) -> bool:
    """Whether a pointer is that of a local array, whose rows are of one gang; of one that is not seen, too."""
    made = values.definitions.get(array)
    return not array or (made is not None and made.op == "alloca")


def factor_of_walk(loop: GangLoop, inner: set[str], registers: int, is_data: Callable[[Instruction], bool]) -> int:
    """How many gangs to do at once; ``registers``: that a value of one takes."""
    work = chains = 0
    irregular = set[str]()
    for block in loop.blocks:
        if block.name not in inner:
            continue
        for each in block.instructions:
            if each.op in DIVISIONS and splatted(each.operands[1].value) is None:
                return 1  # of integers: scalar code, which keeps a processor busy
            if pseudo_operation(each):
                work += _GATHER
                irregular.add(each.name)
            elif each.op == "phi":
                chains += 1
            elif each.op not in ("insertelement", "shufflevector"):
                work += is_data(each)
    if registers > 1 or chains > _MOST_CHAINS:
        return 1
    return _GANGS if work <= _MOST_WORK or waits_long(loop, inner, irregular, is_data) else 1


def waits_long(loop: GangLoop, inner: set[str], irregular: set[str], is_data: Callable[[Instruction], bool]) -> bool:
    """Whether an iteration of a loop in the body, which all lanes do alike, waits long for the one before; ``irregular``: the
    loads lane by lane."""
    work, steps, divides = len(irregular) * _GATHER, 0, False
    cycles: dict[str, dict[str, int]] = {}
    lengths: dict[str, int] = {}
    phis: list[Instruction] = []
    for each in (each for block in loop.blocks if block.name in inner for each in block.instructions):
        if each.op == "phi":
            lengths[each.name] = 0
            if lanes_of(each.type):
                phis.append(each)
                cycles[each.name] = {each.name: 0}
            continue
        if is_data(each) and each.op not in ("insertelement", "shufflevector"):
            work += DIVISION if is_division(each) else 1
            divides = divides or is_division(each)
        used = each.names_used()
        if before := [lengths[name] for name in used if name in lengths]:
            lengths[each.name] = (_STEPS_OF_LOADS if each.name in irregular else 1) + max(before)
            steps = max(steps, lengths[each.name])
        ways: dict[str, int] = {}
        for name in used:
            for begin, count in cycles.get(name, {}).items():
                ways[begin] = max(ways.get(begin, 0), count + (_CYCLES_OF_LOADS if each.name in irregular else latency(each)))
        if ways and each.name:
            cycles[each.name] = ways
    carried = max((cycles.get(each.value, {}).get(phi.name, 0) for phi in phis for each in phi.operands), default=0)
    if not divides and work <= _WORK_OF_STEP * steps and work <= _MOST_WORK_ALIKE:
        return True
    return work <= _WORK_OF_CYCLE * carried and work <= _MOST_WORK_CARRIED


def leads_itself(access: Access, function: Function, values: LaneValues, heads: set[str]) -> bool:
    """Whether the place of a load follows from what goes from iteration to iteration of a loop with one of these heads."""
    pending, seen = [access.pointers.value], set[str]()
    while pending:
        name = pending.pop()
        made = values.definitions.get(name)
        if made is None or name in seen:
            continue
        seen.add(name)
        if made.op == "phi" and lanes_of(made.type) and any(made in function.block(head).phis() for head in heads):
            return True
        pending += [each.value for each in made.operands if each.value[0] == "%"]
    return False
