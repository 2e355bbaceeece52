"""``for``, ``while``, ``do`` and their coherent forms (language 9.2).

A loop that lanes can leave one by one keeps the lanes still in it in a variable:
the mask of the body is read from it, the test and every escape take lanes out.
The loop ends when none is left. Loops with a uniform test and no escapes under a
mask are plain loops. A coherent loop has a second body for iterations in which
all lanes of the gang take part, without masks.
"""

from __future__ import annotations

from voltac.ir import marks
from voltac.lower.analyses.node_costs import REST_LIMIT
from voltac.lower.control_flow import masks
from voltac.lower.control_flow.constructs import construct
from voltac.lower.control_flow.statements import COPIES_LIMIT, path_name
from voltac.lower.control_state import LoopTarget, Region
from voltac.lower.function_context import FunctionContext, lowers_statement
from voltac.lower.text.ir_values import IR
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.types import VARYING

_MOST_UNROLLED = 48
"""Loops of one function that LLVM may unroll unasked: its time for that grows with the square of their number."""


def loop_hint(c: FunctionContext, unroll: int | None, gangs: bool = False) -> str:
    """Metadata for the jump back: what ``#pragma unroll`` asks.

    A loop over gangs is not unrolled unasked; ``passes/gangs/gangs_in_flight.py`` asks for some.
    """
    c.loops += 1
    if unroll is None and c.loops > _MOST_UNROLLED:
        unroll = 0
    if unroll is None:
        if not gangs:
            return ""
        hint = '!{!"llvm.loop.unroll.runtime.disable"}'
    elif unroll == 0 or unroll == 1:
        hint = '!{!"llvm.loop.unroll.disable"}'
    elif unroll < 0:
        hint = '!{!"llvm.loop.unroll.full"}'
    else:
        hint = f'!{{!"llvm.loop.unroll.count", i32 {unroll}}}'
    text = c.module.text
    hints = [text.metadata_node(hint)]
    if gangs and c.options.level > 1:
        # A short loop over two lines of the instruction cache takes a cycle more in each iteration.
        hints.append(text.metadata_node('!{!"llvm.loop.align", i32 64}'))
    number = text.metadata_placeholder()
    text.metadata[number] = f"distinct !{{!{number}, {', '.join(hints)}}}"
    return f", !llvm.loop !{number}"


@lowers_statement(tree.Loop)
def lower_loop(c: FunctionContext, node: tree.Loop) -> None:
    """With lanes kept in a variable only where the test or an escape is varying."""
    varying = node.test is not None and node.test.type.rate is VARYING
    if varying or c.escapes[node].needs_live:
        _lower_masked_loop(c, node, varying)
    else:
        _lower_uniform_loop(c, node)


def _lower_uniform_loop(c: FunctionContext, node: tree.Loop) -> None:
    """All lanes stay together: jumps, and the mask of the surroundings."""
    head, body, step, done = (c.build.block(f"loop.{part}") for part in ("test", "body", "step", "done"))
    around = c.escapes.around.get(id(node))
    target = LoopTarget(c.region, c.mask, done, step)
    with c.within(targets=(*c.targets, target)):
        c.build.jump(head if node.test_first else body)
        c.build.start(head)
        _recall(c, around)
        if node.test is not None:
            c.debug.at(node.test.span)
            c.build.branch(c.value(node.test), body, done)
        c.build.start(body)
        with c.within():
            c.statement(node.body)
        _at_step(c, node)
        c.build.start(step)
        _recall(c, around)
        if node.step is not None:
            c.value(node.step)
        if c.build.reachable:
            hint = loop_hint(c, node.unroll)
            c.build.terminate(f"br label %{head}{hint}")
    c.build.start(done)
    _recall(c, around)


def _recall(c: FunctionContext, around: tuple[tree.Statement, ...] | None) -> None:
    """At a block of a loop: its mask is kept in variables if a ``goto`` leads into the loop."""
    if around is not None:
        c.go_on(mask=masks.remembered(c, around))


def _at_step(c: FunctionContext, node: tree.Loop) -> None:
    """What follows belongs to the step, or where there is none to the loop."""
    c.debug.at(node.span if node.step is None else node.step.span)


def _lower_masked_loop(c: FunctionContext, node: tree.Loop, varying: bool) -> None:
    escapes = c.escapes[node]
    copies = c.control.copies
    coherent = node.coherent and c.options.all_on_paths and copies < COPIES_LIMIT
    name = path_name(marks.CFOR if node.coherent else "loop", node) if coherent else "loop"
    head, body, step, done = (c.build.block(marks.block(name, part)) for part in ("test", "masked", "step", "done"))
    live = masks.live_lanes(c, node) if escapes.needs_live else masks.new_lanes(c, "live")
    masks.write_lanes(c, live, c.mask)
    iteration = masks.iteration_lanes(c, node) if escapes.varying_continue else None
    target = LoopTarget(Region(step), None, done, step, live, iteration)
    finished = c.lifetimes.dead_after(node) if iteration is None and not c.cross_lane else ()
    copies *= 2 if coherent else 1
    with c.variables.with_home(finished, target.region), construct(c, node), c.within(region=target.region, copies=copies):
        c.build.jump(head if node.test_first else body)
        c.build.start(head)
        current = masks.read_lanes(c, live)
        c.go_on(mask=current)
        if node.test is not None:
            c.debug.at(node.test.span)
        if varying:
            assert node.test is not None
            current = masks.conjunction(c, current, c.value(node.test))
            masks.write_lanes(c, live, current)
            if coherent:
                _coherent_bodies(c, node, target, current, body, head, done)
            else:
                c.build.branch(masks.any_on(c, current), body, done)
        elif node.test is not None:
            c.build.branch(c.value(node.test), body, done)

        c.build.start(body)
        target = replace(target, mask=current if node.test_first and varying else masks.read_lanes(c, live))
        staying = _lower_body(c, node, target)
        _at_step(c, node)
        c.build.start(step)
        _end_of_iteration(c, node, target, staying, varying, head)
        c.build.start(done)
        c.go_on(touched=c.touched - {live, iteration})


def _lower_body(c: FunctionContext, node: tree.Loop, target: LoopTarget) -> IR | None:
    """The body under a mask; control goes on at the continue label. Gives the mask at its end."""
    with c.within(mask=target.mask, region=target.region, shrunk=False, targets=(*c.targets, target)):
        if target.iteration is not None:
            masks.write_lanes(c, target.iteration, None)
        c.statement(node.body)
        return c.mask


def _end_of_iteration(
    c: FunctionContext, node: tree.Loop, target: LoopTarget, staying: IR | None, varying: bool, head: str
) -> None:
    """The step, for the lanes that stay; then back to the test. ``staying`` is the mask at the end of the body."""
    escapes = c.escapes[node]
    assert target.live is not None
    if not escapes.needs_live:
        staying = target.mask
    elif not target.region.end_used and target.iteration is None:
        # Control came here by falling through: the mask at the end of the body is who stays.
        masks.write_lanes(c, target.live, staying)
    else:
        staying = masks.read_lanes(c, target.live)
    weight = (0 if node.step is None else c.costs.of(node.step)) + (0 if node.test is None else c.costs.of(node.test))
    if escapes.needs_live and staying is not None and (not varying or weight > REST_LIMIT):
        going_on = c.build.block("loop.next")
        c.build.branch(masks.any_on(c, staying), going_on, target.break_label)
        c.build.start(going_on)
    if node.step is not None:
        with c.within(mask=staying, region=target.region):
            c.value(node.step)
    if c.build.reachable:
        c.build.terminate(f"br label %{head}{loop_hint(c, node.unroll)}")


def _coherent_bodies(
    c: FunctionContext, node: tree.Loop, masked: LoopTarget, current: IR, body: str, head: str, done: str
) -> None:
    """Behind the test: the all-on body, or on to the masked one."""
    name = path_name(marks.CFOR, node)
    lanes = masks.bits(c, current)
    all_on, not_all_on, step = (c.build.block(marks.block(name, part)) for part in ("all_on", "not_all_on", "all_on.step"))
    c.build.branch(c.build.compare("icmp eq", lanes, IR(lanes.type, "-1")), all_on, not_all_on)
    c.build.start(all_on)
    target = replace(masked, region=Region(step), mask=None, continue_label=step)
    with c.build.inside(all_on):
        staying = _lower_body(c, node, target)
    _at_step(c, node)
    c.build.start(step)
    _end_of_iteration(c, node, target, staying, True, head)
    c.build.start(not_all_on)
    none = c.build.compare("icmp eq", lanes, IR(lanes.type, "0"))
    c.build.branch(none, done, body)
