"""Statements without loops -> code: blocks, ``if`` in its four forms, escapes, ``goto``, ``unmasked``.

A varying ``if`` runs its branches one after the other under ``M & c`` and
``M & ~c``, each skipped if its mask is empty; cheap and safe branches run without
the test. ``cif`` asks whether all lanes agree first and has a copy of the branch
in which the mask is statically all on.
"""

from __future__ import annotations

from voltac.ir import marks
from voltac.lower.analyses.gang_strides import foreach_of
from voltac.lower.analyses.joined_stores import with_joined_stores
from voltac.lower.analyses.node_costs import REST_LIMIT
from voltac.lower.control_flow import masks
from voltac.lower.control_flow.constructs import construct, go_on_without, remember_mask, run_branch
from voltac.lower.control_flow.equality_chains import mask_of_arm
from voltac.lower.control_flow.unrolling import lower_unrolled
from voltac.lower.control_state import NO_LANES, LaneVariable, LoopTarget, Region
from voltac.lower.function_context import FunctionContext, lowers_statement
from voltac.lower.memory.memory_access import store, store_everywhere
from voltac.lower.text.ir_values import IR, zero
from voltac.sema import tree
from voltac.sema.types import VARYING

COPIES_LIMIT = 4
"""A statement is written at most this often for all-on and mixed paths of the coherent statements around it."""


@lowers_statement(tree.Block)
def lower_block(c: FunctionContext, node: tree.Block) -> None:
    """Its statements, or copies of a short loop's body, or a ``foreach``; with a scope of its own in the debug information."""
    with c.debug.inside_block(node):
        if not lower_unrolled(c, node) and not _lower_gang_strides(c, node):
            _lower_in_order(c, node.statements)


def _lower_gang_strides(c: FunctionContext, node: tree.Block) -> bool:
    """Lower a loop that all lanes come to and that steps from gang to gang as a ``foreach``; false if it is none."""
    options = c.options
    if options.level < 1 or options.wrap_signed or options.target.is_device:
        return False
    if c.mask is not None or c.probe is not None or not c.build.reachable:
        return False
    found = foreach_of(node, c.width)
    if found is None:
        return False
    gangs, loop = found
    c.escapes.of[id(gangs)] = c.escapes[loop]
    c.statement(gangs)
    # Behind the loop the counter is out of scope; a copy of the loop that only some lanes come to steps through a variable.
    c.variables.values.pop(gangs.dimensions[0].symbol, None)
    return True


def _lower_in_order(c: FunctionContext, statements: tuple[tree.Statement, ...]) -> None:
    for number, statement in enumerate(statements):
        if not c.build.reachable:
            if not _has_label(statement):
                continue
            if not _begins_with_label(statement):
                # What stands before the label runs never, but has to be well-formed.
                c.build.start(c.build.block("never"))
        masks.use_written(c)
        if c.control.shrunk and c.region.end and not isinstance(statement, tree.CaseLabel):
            if cost_of_rest(c, statements, number) > REST_LIMIT:
                leave_if_empty(c)
        c.statement(statement)


def cost_of_rest(c: FunctionContext, statements: tuple[tree.Statement, ...], start: int) -> int:
    """Of the statements from ``start`` on, up to the next label; counted no further than the limit."""
    total = 0
    for statement in statements[start:]:
        if isinstance(statement, tree.CaseLabel):
            break
        total += c.costs.of(statement)
        if total > REST_LIMIT:
            break
    return total


def leave_if_empty(c: FunctionContext) -> None:
    """Skip the rest of the region if no lane is left in it."""
    c.go_on(shrunk=False)
    if c.mask is None or not c.build.reachable:
        return
    rest = c.build.block("rest")
    any_lane = masks.any_on(c, c.mask)
    c.region.end_used = True
    c.build.branch(any_lane, rest, c.region.end)
    c.build.start(rest)


def _has_label(node: tree.Statement) -> bool:
    match node:
        case tree.Label() | tree.CaseLabel():
            return True
        case tree.Block():
            return any(_has_label(child) for child in node.statements)
        case tree.If():
            return _has_label(node.then) or (node.otherwise is not None and _has_label(node.otherwise))
        case tree.Loop() | tree.Unmasked():
            return _has_label(node.body)
        case tree.Switch():
            return _has_goto_label(node.body)
    return False


def _begins_with_label(node: tree.Statement) -> bool:
    while isinstance(node, tree.Block) and node.statements:
        node = node.statements[0]
    return isinstance(node, tree.Label | tree.CaseLabel)


def _has_goto_label(node: tree.Statement) -> bool:
    match node:
        case tree.Label():
            return True
        case tree.Block():
            return any(_has_goto_label(child) for child in node.statements)
        case tree.If():
            return _has_goto_label(node.then) or (node.otherwise is not None and _has_goto_label(node.otherwise))
        case tree.Loop() | tree.Unmasked() | tree.Switch():
            return _has_goto_label(node.body)
    return False


@lowers_statement(tree.Evaluate)
def lower_evaluate(c: FunctionContext, node: tree.Evaluate) -> None:
    """For its effects."""
    c.value(node.value)


# --- if


@lowers_statement(tree.If)
def lower_if(c: FunctionContext, node: tree.If) -> None:
    """In the form that the test, ``cif`` and the options ask for."""
    if joined := _joined(c, node):
        lower_block(c, joined)
        return
    test = c.value(node.test)
    if node.test.type.rate is not VARYING:
        _lower_uniform_if(c, node, test)
    elif node.coherent and c.options.all_on_paths and c.control.copies < COPIES_LIMIT:
        _lower_coherent_if(c, node, test)
    else:
        _lower_varying_if(c, node, test)


def _joined(c: FunctionContext, node: tree.If) -> tree.Block | None:
    """The statement with one store behind branches that both end in it; None where passes do so, as they run without a test."""
    if node.otherwise is None or node.coherent or node.test.type.rate is not VARYING or not c.build.reachable:
        return None
    if c.options.level < 1 or c.options.checked or c.target.is_device:
        return None
    return None if _weight(c, node) <= c.costs.branch_limit else with_joined_stores(node)


def _weight(c: FunctionContext, node: tree.If) -> int:
    return c.costs.of(node.then) + (0 if node.otherwise is None else c.costs.of(node.otherwise))


def _lower_uniform_if(c: FunctionContext, node: tree.If, test: IR) -> None:
    then_block, done = c.build.block("if.then"), c.build.block("if.done")
    else_block = done if node.otherwise is None else c.build.block("if.else")
    c.build.branch(test, then_block, else_block)
    with construct(c, node):
        for block, branch in ((then_block, node.then), (else_block, node.otherwise)):
            if branch is not None:
                c.build.start(block)
                with c.within():
                    c.statement(branch)
                c.build.jump(done)
        c.build.start(done)


def _lower_varying_if(c: FunctionContext, node: tree.If, test: IR) -> None:
    then_mask = masks.conjunction(c, mask_of_arm(c, node), test)
    else_mask = masks.exclusion(c, c.mask, test)
    predicated = _weight(c, node) <= c.costs.branch_limit or not c.build.reachable
    then_left, then_touched = _lower_branch(c, node.then, then_mask, predicated)
    else_left, else_touched = False, NO_LANES
    if node.otherwise is not None:
        else_left, else_touched = _lower_branch(c, node.otherwise, else_mask, predicated)
    if then_left and not else_touched:
        c.go_on(mask=else_mask, shrunk=True)
    elif else_left and not then_touched:
        c.go_on(mask=then_mask, shrunk=True)
    else:
        go_on_without(c, then_touched | else_touched)


def _lower_branch(c: FunctionContext, body: tree.Statement, mask: IR, predicated: bool) -> tuple[bool, frozenset[LaneVariable]]:
    """One branch under its mask: do all of its lanes escape at its end, and by way of what do lanes escape?"""
    with c.within(touched=NO_LANES):
        if predicated:
            with c.within(mask=mask, region=Region(""), shrunk=False):
                c.statement(body)
        else:
            block, done = c.build.block("if.then"), c.build.block("if.done")
            c.build.branch(masks.any_on(c, mask), block, done)
            c.build.start(block)
            run_branch(c, body, mask, done)
        return _ends_in_escape(body), c.touched


def _ends_in_escape(node: tree.Statement) -> bool:
    match node:
        case tree.Break() | tree.Continue() | tree.Return():
            return True
        case tree.Block():
            return bool(node.statements) and _ends_in_escape(node.statements[-1])
    return False


def path_name(kind: str, node: tree.Statement) -> str:
    """What the names of a statement's blocks begin with."""
    return marks.statement(kind, node.span.line, node.span.column)


def _lower_coherent_if(c: FunctionContext, node: tree.If, test: IR) -> None:
    outer = c.mask
    name = path_name(marks.CIF, node)
    then_mask = masks.conjunction(c, outer, test)
    lanes = masks.bits(c, then_mask)
    blocks = [c.build.block(marks.block(name, path)) for path in ("all_on", "not_all_on", "mixed", "all_off", "done")]
    all_on, not_all_on, mixed, all_off, done = blocks
    c.build.branch(c.build.compare("icmp eq", lanes, IR(lanes.type, "-1")), all_on, not_all_on)
    c.go_on(shrunk=False)
    branch_end = Region(done)
    with construct(c), c.within(region=branch_end, copies=c.control.copies * 2):
        c.build.start(all_on)
        with c.within(mask=None):
            c.statement(node.then)
        c.build.jump(done)

        c.build.start(not_all_on)
        none = c.build.compare("icmp eq", lanes, zero(lanes.type))
        c.build.branch(none, all_off if node.otherwise is not None else done, mixed)

        c.build.start(mixed)
        else_mask = masks.exclusion(c, outer, test)
        after_then = c.build.block(marks.block(name, "mixed.else"))
        run_branch(c, node.then, then_mask, after_then)
        if node.otherwise is not None:
            if outer is not None:
                some, over = c.build.block(marks.block(name, "mixed.else.some")), c.build.block(marks.block(name, "mixed.done"))
                c.build.branch(masks.any_on(c, else_mask), some, over)
                c.build.start(some)
                run_branch(c, node.otherwise, else_mask, over)
            else:
                run_branch(c, node.otherwise, else_mask, c.build.block(marks.block(name, "mixed.done")))
        c.build.jump(done)

        if node.otherwise is not None:
            c.build.start(all_off)
            c.statement(node.otherwise)
            c.build.jump(done)
        c.build.start(done)


# --- escapes


def _loop_target(c: FunctionContext) -> LoopTarget:
    return next(target for target in reversed(c.targets) if isinstance(target, LoopTarget))


def leave_region(c: FunctionContext) -> None:
    """All lanes of the mask are gone: nothing is left to do in this region."""
    if c.region.end:
        c.region.end_used = True
        c.build.jump(c.region.end)


@lowers_statement(tree.Break)
def lower_break(c: FunctionContext, node: tree.Break) -> None:
    """Jumps where all lanes go together; else the lanes of the mask are taken out, and the region is left."""
    target = c.targets[-1]
    # Where no break of the target is under varying control, what the mask lost since then has returned.
    if target.live is None or (c.region is target.region and c.mask is target.mask):
        c.build.jump(target.break_label)
        return
    # At the level of the construct all that are left in it go, unless some only left the iteration.
    leaves_iterations = isinstance(target, LoopTarget) and target.iteration is not None
    everybody = c.region is target.region and not leaves_iterations
    masks.remove_lanes(c, target.live, None if everybody else c.mask)
    leave_region(c)


@lowers_statement(tree.Continue)
def lower_continue(c: FunctionContext, node: tree.Continue) -> None:
    """As ``break``, but the lanes are back in the next iteration."""
    target = _loop_target(c)
    if c.region is target.region:
        target.region.end_used = True
        c.build.jump(target.continue_label)
        return
    assert target.iteration is not None
    masks.remove_lanes(c, target.iteration, c.mask)
    leave_region(c)


@lowers_statement(tree.Return)
def lower_return(c: FunctionContext, node: tree.Return) -> None:
    """The result is stored for the lanes of the mask, which leave all constructs around."""
    plain = c.region.end == c.exit.final and c.mask is c.masks.entry
    if node.value is not None:
        value = c.value(node.value)
        if c.result is not None:
            if plain:
                store_everywhere(c, c.result, value)
            else:
                store(c, c.result, value)
    if plain:
        c.build.jump(c.exit.label())
        return
    masks.remove_lanes(c, masks.returned_lanes(c), c.mask)
    for target in c.targets:
        if target.live is not None:
            masks.remove_lanes(c, target.live, c.mask)
    leave_region(c)


# --- goto, unmasked


def label_block(c: FunctionContext, name: str) -> str:
    """The block of a label of the program, known from its first mention on."""
    if name not in c.labels:
        c.labels[name] = c.build.block(f"label.{name}")
    return c.labels[name]


@lowers_statement(tree.Label)
def lower_label(c: FunctionContext, node: tree.Label) -> None:
    """Lanes may come from anywhere: the mask is what is kept in variables."""
    c.build.start(label_block(c, node.name))
    if node.name in c.escapes.labels:
        remember_mask(c, c.escapes.labels[node.name])


@lowers_statement(tree.Goto)
def lower_goto(c: FunctionContext, node: tree.Goto) -> None:
    """All lanes of the mask jump together; loops and switches that they enter take them in."""
    here = c.escapes.around[id(node)]
    for entered in c.escapes.labels[node.name]:
        if any(entered is one for one in here) or isinstance(entered, tree.Unmasked) or not c.escapes[entered].needs_live:
            continue
        masks.write_lanes(c, masks.live_lanes(c, entered), c.mask)
        if c.escapes[entered].varying_continue:
            masks.write_lanes(c, masks.iteration_lanes(c, entered), None)
    c.build.jump(label_block(c, node.name))


@lowers_statement(tree.Unmasked)
def lower_unmasked(c: FunctionContext, node: tree.Unmasked) -> None:
    """Language 9.9: all lanes are on, and behind it those of the mask around."""
    done = c.build.block("unmasked.done")
    c.go_on(shrunk=False)
    with construct(c, node), c.within(unmasked=True):
        run_branch(c, node.body, None, done)
