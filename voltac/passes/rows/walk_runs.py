"""Loops in which each lane walks a run of elements of its own -> the same loop for one lane after the other, in scalars.

    loop:   %k = phi <8 x i32> ...                        while (c[k] != 0) k++;
            %c = call <8 x i8> @volta.gather.v8i8(%p + %k, %live)
            ...
            %k.next = select <8 x i1> %on, (add %k, splat (i32 1)), %k
    ->
    slots of %k and of what else comes from outside, a place of the stack for each
    for each lane that is on:
        loop:   %k = phi i32 ...
                %c = load i8, ptr (%p + %k)
                ...
        the lane's slot of %k = %k

A gather of a gang costs what its lanes cost one by one, and the gang runs as long as its slowest
lane. One lane alone reads its row, its list or its string from the first-level cache, at the cost of scalar code.
Every operation of the loop is one of each lane by itself and nothing is stored, so the order of the lanes is free, and each
computes what it computed before.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.match import made_by
from voltac.ir.model import Instruction, Module
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, pseudo_operation
from voltac.passes.accesses.available_loads import mask_implies
from voltac.passes.accesses.cost_rows import cost_row
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.loops.joined_tests import asks_twice, join_tests
from voltac.passes.loops.lane_loops import PLAIN, LaneLoop
from voltac.passes.loops.lone_lanes import do_lanes_alone
from voltac.passes.loops.row_searches import RowSearch

_STEP = m.op(("add", "getelementptr"), m.value("counter"), m.constant("step"))
_FREE = frozenset(("getelementptr", "freeze", "sext", "zext", "bitcast"))
"""What an address or a compare does by itself."""


def walk_runs(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the loads that became scalar."""
    rewriting = AccessRewriting(module, options)
    layout = rewriting.layout
    for function in module.often_called:
        if not any(".loop.test" in block.name for block in function.blocks):
            continue
        flow = control_flow(function)
        values: LaneValues | None = None
        for loop in flow.loops:
            if (len(loop.blocks) != _BLOCKS and not asks_twice(loop)) or not any(
                pseudo_operation(each) for name in loop.blocks for each in function.block(name).instructions
            ):
                continue
            values = values or lane_values(function, layout)
            take_back = join_tests(function, loop, flow, values)
            if take_back is not None:
                flow, values = control_flow(function), lane_values(function, layout)
                loop = next(each for each in flow.loops if each.header == loop.header)
            elif len(loop.blocks) != _BLOCKS:
                continue
            found = LaneLoop(function, loop, flow, values, options)
            search = None
            if found.splits() and ((search := RowSearch.of(found)) is not None or gains(found)) and found.leaves_kept_values():
                do_lanes_alone(found, module, search)
                for access, block in found.loads:
                    rewriting.report("run", access, function, block, _REASON)
            elif take_back is None:
                continue
            else:
                take_back()
            values, flow = None, control_flow(function)
    return rewriting.finish()


_BLOCKS = 2
"""Of a loop that is done lane by lane: the test, and the rest, in which no lane asks for a branch."""


_REASON = "each lane walks a run of elements of its own, so the loop is done for one lane after the other"


def gains(loop: LaneLoop) -> bool:
    """By what the row of costs says of gathers; arithmetic is what a gang does at once, and lanes do one by one."""
    irregular = [access for access, _ in loop.loads if access.address is None or _is_in_rows(access)]
    waits = any(_is_loaded([access.pointers.value, access.mask], loop, before=True) for access in irregular)
    walks = any(_walks(access, loop) for access in irregular)
    if not waits and not walks:
        return False
    others = sum(_is_work(each, loop) for each in loop.instructions())
    ends_alike = mask_implies(loop.tested, loop.following(loop.values.definitions[loop.live]), loop.values)
    share = _SHARE_SEARCHING
    if ends_alike:
        share = _SHARE_AT_ELEMENTS if waits and _is_loaded([loop.tested], loop, before=False) else _SHARE_ON
    share *= _times_the_mean(_MEASURED_LANES) / _times_the_mean(loop.lanes)
    row = cost_row(loop.options.target)
    gathers = sum(row.masked_gather_lane if access.size >= _WIDE else _SMALL_LANE for access in irregular) * loop.lanes
    registers = max(1, 32 * loop.lanes // loop.options.target.vector_bits)
    gang = gathers + others * registers * _OPERATION + _ITERATION + (_WAIT if waits else 0)
    iteration = (others + len(irregular)) * _OPERATION + _ITERATION_ALONE
    if any(_follows_loaded(access.pointers.value, loop) for access in irregular):
        iteration += _LOAD
    alone = loop.lanes * (iteration * share + (_GUESS_IN_RUN if walks else _GUESS))
    return alone < gang


def _times_the_mean(lanes: int) -> float:
    """The longest of so many random lengths (of geometric distribution, about: Eisenberg, 2008)."""
    return sum(1 / each for each in range(1, lanes + 1))


def _follows_loaded(pointers: str, loop: LaneLoop) -> bool:
    """Whether what was loaded in an iteration before decides which elements these are."""
    inside = {each.name: each for each in loop.instructions() if each.name}
    of_loads = {each.instruction.name: each.pointers.value for each, _ in loop.loads}
    counters: list[str] = []
    seen: set[str] = set()
    work = [pointers]
    while work:
        name = work.pop()
        if name in seen or name not in inside:
            continue
        seen.add(name)
        if inside[name].op == "phi":
            counters.append(name)
        else:
            work += [of_loads[name]] if name in of_loads else inside[name].names_used()
    return any(_is_loaded([each], loop, before=True) for each in counters)


def _is_in_rows(access: Access) -> bool:
    """Whether lanes, not all of them on, load elements that are too far apart for a vector of them."""
    if access.all_on or access.is_uniform:
        return False
    return min(abs(after - before) for before, after in zip(access.offsets, access.offsets[1:])) >= _ROW * access.size


def _is_work(instruction: Instruction, loop: LaneLoop) -> bool:
    if instruction.op == "call":
        return not pseudo_operation(instruction)
    free = instruction.op in _FREE or element_of(instruction.type) == "i1"
    return instruction.op in PLAIN and instruction.name not in loop.deciding and not free


def _is_loaded(names: list[str], loop: LaneLoop, before: bool) -> bool:
    """Whether one of the values depends on what the loop loads, ``before``: in an iteration before; else on that itself, or on
    what is loaded in the same one."""
    loaded = {each.instruction.name for each, _ in loop.loads}
    inside = {each.name: each for each in loop.instructions() if each.name}
    seen: set[str] = set()
    work = list(names)
    while work:
        name = work.pop()
        if name in loaded:
            return True
        if name in seen or name not in inside:
            continue
        seen.add(name)
        made = inside[name]
        if made.op != "phi":
            work += made.names_used()
        else:
            following = loop.following(made)
            chosen = made_by(("select",), following, inside)
            element = chosen.operands[1].value if chosen is not None else following
            if before or element in loaded:
                work.append(element)
    return False


def _walks(access: Access, loop: LaneLoop) -> bool:
    """Whether the element of a lane is as many behind its last one in each iteration."""
    definitions, value = loop.values.definitions, access.pointers.value
    while (made := made_by(("getelementptr", "sext", "zext", "add"), value, definitions)) is not None:
        value = next((each.value for each in reversed(made.operands) if each.value in definitions and lanes_of(each.type)), "")
        if not value:
            return False
    if value not in {phi.name for phi in loop.header.phis()}:
        return False
    following = loop.following(definitions[value])
    chosen = made_by(("select",), following, definitions)
    stays = loop.following(definitions[loop.live])
    if chosen is not None and not mask_implies(stays, chosen.operands[0].value, loop.values):
        return False
    found = _STEP.find(chosen.operands[1].value if chosen is not None else following, definitions)
    return found is not None and found["counter"].value == value


_WIDE = 4
"""Bytes of the smallest element that gathers are for."""
_ROW = 4
"""Elements from one lane to the next that are taken for rows; nearer ones are shuffled out of registers. Chosen."""
_OPERATION, _ITERATION, _ITERATION_ALONE, _SMALL_LANE = 0.5, 2.0, 1.0, 3.5
"""An operation; the branch of an iteration and what waits for it, of a gang and of one lane; a lane's byte or 16-bit number
under a mask. In the unit of the cost rows, measured on Zen 3: rows of a sparse matrix and strings gain 2 to 4 times; rows of
floats all of one length lose 10 % and are left to gathers; two gathers and two operations gain at any length."""
_WAIT = 8.0
"""Of a gang, for a gather without which the next one cannot begin."""
_LOAD = 5.0
"""Of one lane, for a load of the first-level cache without which the next one cannot begin, on Zen and Intel's."""
_GUESS, _GUESS_IN_RUN = 4.5, 1.0
"""Where a lane leaves the loop the processor has guessed that it would not, which takes 15 to 20 cycles: for each iteration
of its gang, of searches that begin anywhere, and of runs of elements, which are longer. Measured with other data in each call,
on Zen 4: lane by lane, steps down trees and along chains take 2.3 to 4 times as long as by gathers, probes of hash tables that
are filled to 0.58 three times, and searches in rows of 32 floats 0.6 of the time. With the same data again all of these would
gain, since the processor has learned where each lane leaves."""
_MEASURED_LANES = 8
"""Of the gangs whose shares are below."""
_SHARE_ON = 0.6
"""Of the iterations of a gang, those in which a lane is still in the loop: 0.5 to 0.65 for random lengths, and 1 where all are
the same."""
_SHARE_AT_ELEMENTS = 0.45
"""The same where the loop ends at what an element is: 0.25 in the search for a free place of a hash table that is filled to
0.58."""
_SHARE_SEARCHING = 0.3
"""The same of loops that lanes leave at an element of their own (``break``, ``&&``), besides the end of the run: the longest
of 8 random lengths is 2.7 times their mean, of 16 3.4 times. Searches in rows of floats gain 5 times on an Intel Xeon."""
