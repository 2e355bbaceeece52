"""Loops with branches in which each lane goes its own way through memory -> the same loop for one lane after the other.

    while (top > 0) {
        int node = stack[--top];
        if (node < leaves) { stack[top++] = 2 * node + 1; stack[top++] = 2 * node + 2; }
        ...
    }

becomes, where all of it is of each lane by itself (:mod:`voltac.passes.loops.branching_loops`), that loop in scalars within a
loop over the lanes that are on (:mod:`voltac.passes.loops.lone_lanes`). A gang waits in each iteration for a gather of what the
one before gathered, goes wherever any lane goes, and runs as long as its slowest lane. Selections by what a branch asks anyway,
and loads under masks, are branches of each lane (:mod:`voltac.passes.loops.lane_choices`). Loops without either are
:mod:`voltac.passes.rows.walk_runs`'s.
"""

from __future__ import annotations

from voltac.ir.cfg import NaturalLoop, control_flow
from voltac.ir.lane_values import lane_values
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.types import element_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, pseudo_operation
from voltac.passes.accesses.cost_rows import cost_row
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.loops.branching_loops import BranchingLoop
from voltac.passes.loops.lane_loops import PLAIN
from voltac.passes.loops.lone_lanes import do_lanes_alone

_FREE = frozenset(("getelementptr", "freeze", "sext", "zext", "bitcast", "select"))
"""What an address, a branch or a compare does by itself."""
_BLOCKS = 2
"""Of a loop without branches, which is ours only where some lanes in it load what others may not."""


def walk_branches(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the accesses that became scalar."""
    rewriting = AccessRewriting(module, options)
    for function in module.often_called:
        if not any(".loop.test" in block.name for block in function.blocks):
            continue
        flow = control_flow(function)
        for header in [loop.header for loop in flow.loops if len(loop.blocks) >= _BLOCKS and _gathers(loop, function)]:
            flow = control_flow(function)
            loop = next(each for each in flow.loops if each.header == header)
            values = lane_values(function, rewriting.layout)
            found = BranchingLoop(function, loop, flow, values, options)
            if not found.splits() or not (len(loop.blocks) > _BLOCKS or found.guarded) or not found.tests_without_guards():
                continue
            if gains(found) and found.leaves_kept_values():
                accesses = [*found.loads, *found.stores]
                do_lanes_alone(found, module)
                for access, block in accesses:
                    rewriting.report("run", access, function, block, _REASON)
    return rewriting.finish()


def _gathers(loop: NaturalLoop, function: Function) -> bool:
    return any(pseudo_operation(each) == "gather" for name in loop.blocks for each in function.block(name).instructions)


_REASON = "each lane goes its own way from what it loaded, so the loop is done for one lane after the other"


def gains(loop: BranchingLoop) -> bool:
    """By what the row of costs says of gathers and scatters; arithmetic is what a gang does at once, lanes one by one."""
    irregular = [access for access, _ in (*loop.loads, *loop.stores) if access.address is None and access.size >= _WIDE]
    if not any(not access.is_store and _waits(access, loop) for access in irregular):
        return False
    row = cost_row(loop.options.target)
    gather = row.masked_gather_lane if row.native_masked_gather else row.gather_lane
    registers = max(1, 32 * loop.lanes // loop.options.target.vector_bits)
    accesses = [access.instruction for access, _ in (*loop.loads, *loop.stores)]
    gang = len(irregular) * gather * loop.lanes + _ITERATION * (1 + len(loop.asked)) + _WAIT
    alone = _ITERATION_ALONE
    for block in (loop.header, *loop.inner_blocks()):
        work = sum(_is_work(each, loop) for each in block.instructions)
        scalar = work + sum(each in accesses for each in block.instructions)
        gang += work * registers * _OPERATION
        alone += scalar * _OPERATION * (1.0 if loop.sure[block.name] == loop.tested else _SHARE_OF_BRANCH)
    guesses = _GUESS * len(loop.asked) + _GUESS_OF_LOAD * len(loop.guarded)
    return loop.lanes * (alone * _SHARE + guesses) < gang


def _is_work(instruction: Instruction, loop: BranchingLoop) -> bool:
    if instruction.op == "call":
        return not pseudo_operation(instruction)
    free = instruction.op in _FREE or element_of(instruction.type) == "i1" or instruction.name in loop.deciding
    return instruction.op in PLAIN and not free


def _waits(access: Access, loop: BranchingLoop) -> bool:
    """Whether a gather cannot begin before another, of the same iteration or of one before, is there."""
    inside = {each.name: each for each in loop.instructions() if each.name}
    work, seen = [access.pointers.value, access.mask], set[str]()
    while work:
        made = inside.get(work.pop())
        if made is not None and made.name not in seen:
            if pseudo_operation(made):
                return True
            seen.add(made.name)
            work += made.names_used()
    return False


_WIDE = 4
"""Bytes of the smallest element that gathers are for."""
_OPERATION, _ITERATION, _ITERATION_ALONE, _WAIT = 0.5, 2.0, 3.0, 8.0
"""An operation, an iteration or branch of a gang, an iteration of one lane, and a gather that is waited for, in the
unit of the cost rows, as in :mod:`voltac.passes.rows.walk_runs`."""
_SHARE = 0.5
"""Of the iterations of a gang, those in which a lane is still in the loop: chosen between those of lengths and of searches."""
_GUESS, _GUESS_OF_LOAD = 0.75, 1.5
"""Of a lane, for what the processor guesses wrongly at a branch, or at a load that not all do, over the iterations of the gang.
Binary lifting, one gather under a condition, is 1.4 times as fast by gangs where the processor has learned each lane's way, and
5 times with other data in each call; searches in balanced trees 2.2 and 4.7 times. Walks along trees that skip what they do not
enter are up to 1.5 times as fast alone."""
_SHARE_OF_BRANCH = 0.5
"""Of the lanes that get to a branch, those that take it. Chosen."""
