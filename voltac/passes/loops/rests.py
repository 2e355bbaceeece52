"""What is behind a loop over whole gangs: the rest that fills none, under a mask.

test:      ... br (%i < %limit), body, finished       %rest = and %extent, WIDTH - 1      %limit = sub %end, %rest
finished:  br (%rest != 0), masked, done
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.ir import marks
from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_formulas import uniform_multiple
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Module
from voltac.ir.types import element_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation, read_access
from voltac.passes.accesses.cost_rows import has_masked
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects, module_effects
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.shiftable import ShiftableLoop
from voltac.passes.loops.wide_loops import NEVER
from voltac.records import record
from voltac.target_info import TargetInfo

_BLOCKS = 2
"""A test and a body."""
_SEVERAL = m.call("@llvm.ssub.sat.", m.value("limit"), m.constant("others"))
_WHERE_FAR = m.op("select", m.value("far"), m.value("limit"), m.number(int(NEVER)))
_SOME_LEFT = m.op("icmp", m.value("rest"), m.number(0), predicate="ne")


def ways_behind(loop: GangLoop) -> tuple[Block, str, str] | None:
    """The block that asks whether anything is left, and the blocks for the rest and behind it; None where there is no rest."""
    finished = loop.function.block(loop.header.terminator.parts.labels[1])
    branch = finished.terminator
    path = marks.path_of(unquoted(finished.name))
    if path is None or path.path != marks.FINISHED or branch.op != "br" or len(branch.parts.labels) != 2:
        return None
    masked, done = branch.parts.labels
    known = marks.path_of(unquoted(masked))
    return (finished, masked, done) if known is not None and known.path == marks.MASKED else None


def _block_behind(loop: GangLoop, flow: ControlFlow) -> Block | None:
    """The block behind the loop and its rest; None where there is no rest, or more than that before the block."""
    function, ways = loop.function, ways_behind(loop)
    if ways is None:
        return None
    finished, masked, done = ways
    inside = blocks_of_rest(function, masked, done)
    if not all(function.block(name).successors and flow.dominates(masked, name) for name in inside):
        return None
    behind = function.block(done)
    return None if list(behind.phis()) or list(finished.phis()) else behind


def _is_before(several: GangLoop, loop: GangLoop, values: LaneValues) -> bool:
    """Whether it does the same, several gangs at a time, as long as there are enough (``widen_gangs``)."""
    found = _SEVERAL.find(several.limit, values.definitions)
    far = None if found is None else _WHERE_FAR.find(found["limit"].value, values.definitions)
    return (
        found is not None
        and (far or found)["limit"].value == loop.limit
        and integers(*found["others"]) == (several.width - loop.width,)
        and several.counter == loop.start
        and several.header.terminator.parts.labels[1] == loop.header.name
    )


def _is_rest(found: SlowRest, values: LaneValues) -> bool:
    """Whether what is behind the last loop is the rest of all, and there may be one."""
    single = found.loop
    if not single.has_limits(found.first.loop.start):
        return False
    extent = values.scalar("i32", single.extent)
    width = single.loop.width
    if uniform_multiple(extent, values.facts) % width == 0 and extent.offsets[0] % width == 0:
        return False
    finished = single.loop.function.block(single.loop.header.terminator.parts.labels[1])
    left = _SOME_LEFT.find(finished.terminator.operands[0].value, values.definitions)
    return left is not None and left["rest"].value == single.rest


@record(eq=False)
class SlowRest:
    """A loop whose rest takes clearly longer under a mask than a gang: lane by lane, or row after row where it is in a loop."""

    loop: ShiftableLoop
    several: ShiftableLoop | None
    """The loop before it that does several gangs at a time."""
    done: Block
    """Behind the rest."""
    flow: ControlFlow

    @property
    def first(self) -> ShiftableLoop:
        """Where the range begins."""
        return self.several or self.loop


def slow_rests(module: Module, options: Options, most_instructions: int) -> Iterator[SlowRest]:
    """Of the loops with bodies of one block and at most so many instructions; which may be rewritten one after the other."""
    effects: ModuleEffects | None = None
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if not any(pseudo_operation(each) == "scatter" for each in function.instructions()):
            continue
        flow, values = control_flow(function), lane_values(function, layout)
        loops: dict[str, GangLoop] = {}
        for natural in flow.loops:
            gangs = GangLoop.of(function, natural, flow, values, most_instructions)
            if gangs is not None and len(natural.blocks) == _BLOCKS:
                loops[gangs.header.name] = gangs
        for loop in loops.values():
            done = _block_behind(loop, flow)
            if done is None:
                continue
            before = loops.get(loop.outside)
            if before is not None and not _is_before(before, loop, values):
                before = None
            outside = (before or loop).outside
            if outside in flow.loop_of or _is_slow_under_masks(loop, values, options.target):
                effects = effects or module_effects(module)
                known = FunctionEffects(effects, function, values)
                several = None if before is None else ShiftableLoop(before, values, known)
                rest = SlowRest(ShiftableLoop(loop, values, known), several, done, flow)
                if _is_rest(rest, values):
                    yield rest


def _is_slow_under_masks(loop: GangLoop, values: LaneValues, target: TargetInfo) -> bool:
    """Whether an access under a mask is one a lane: of small elements, or to elements that are not side by side."""
    for position, each in enumerate(loop.body.instructions):
        operation = pseudo_operation(each)
        if operation in ("gather", "scatter"):
            size = values.layout.size(element_of(each.type if operation == "gather" else each.operands[0].type))
            if not has_masked(target, size):
                return True
            if not target.has_masked_small:
                access = read_access(position, each, operation, values)
                if not access.is_consecutive and not access.is_uniform:
                    return True
    return False


def blocks_of_rest(function: Function, masked: str, done: str) -> set[str]:
    """From the first one under a mask to where it is done."""
    inside: set[str] = set()
    waiting = [masked]
    while waiting:
        name = waiting.pop()
        if name != done and name not in inside:
            inside.add(name)
            waiting += function.block(name).successors
    return inside
