"""The four ``foreach`` statements (language 9.5 to 9.7).

A plain ``foreach`` over ``first .. last`` becomes a loop over whole gangs, in which
the mask is statically all on, and at most one masked iteration for the rest::

    rest = (last - first) & (W - 1);  aligned = last - rest
    for (i = first; i < aligned; i += W)  body with lanes i + <0 .. W-1>, all on
    if (rest != 0)                        body with lanes aligned + <0 .. W-1>, mask <0 .. W-1> < rest

Where a device's threads have a piece each, and nothing shows which lane handles an element, whole gangs begin at a multiple of
W: that is where words of memory begin. The elements before are the masked iteration of the first thread, those behind are the
last one's, and no thread has both.

Other dimensions are uniform loops around it. ``foreach_tiled`` steps through tiles
and asks at each one whether it lies inside the domain, where no rows do (``analyses/tiled_rows.py``).
"""

from __future__ import annotations

from voltac.ir import marks
from voltac.lower.analyses.lane_visibility import shows_lanes
from voltac.lower.analyses.tiled_rows import goes_by_rows
from voltac.lower.control_flow import masks
from voltac.lower.control_flow.lane_groups import lane_groups
from voltac.lower.control_flow.loops import loop_hint
from voltac.lower.control_flow.statements import path_name
from voltac.lower.control_flow.unrolling import lanes_may_be_copied
from voltac.lower.control_state import LoopTarget, Region
from voltac.lower.function_context import FunctionContext, lowers_statement
from voltac.lower.functions.threads import begin_share, own_chunk, shares_chunks, wait_for_all
from voltac.lower.memory.variables import set_value
from voltac.lower.text.ir_values import IR, integer, vector_constant, zero
from voltac.records import record, replace
from voltac.sema import tree

AnyForeach = tree.Foreach | tree.ForeachActive | tree.ForeachUnique


Variables = dict[tree.VariableSymbol, IR]


def run_body(c: FunctionContext, node: AnyForeach, variables: Variables, mask: IR | None, step: str) -> None:
    """One execution of the body under a mask, with the values of the loop's variables; control goes on at ``step``."""
    iteration = None
    if c.escapes[node].varying_continue:
        iteration = masks.new_lanes(c, "iteration")
        masks.write_lanes(c, iteration, None)
    target = LoopTarget(Region(step), mask, "", step, iteration=iteration)
    targets = (*c.targets, target)
    path = c.build.label if isinstance(node, tree.Foreach) else c.build.path
    inside = c.within(mask=mask, region=target.region, shrunk=False, targets=targets, lane_scope=node.body)
    with c.build.inside(path), c.debug.inside(node.span), inside:
        for symbol, value in variables.items():
            set_value(c, symbol, value)
        c.statement(node.body)
        c.go_on(touched=c.touched - {iteration})
    c.debug.at(node.span)
    c.build.start(step)


@record
class _Range:
    """One dimension: its bounds, and its last value before which gangs (or spans) are whole."""

    symbol: tree.VariableSymbol
    first: IR
    last: IR
    rest: IR
    aligned: IR
    span: int
    begin: IR
    """Where this thread of a device begins; the first value where all is done here."""
    step: IR
    """From one gang (tile, row) of this thread to its next."""
    before: IR
    """Elements between a multiple of the span and ``first``, which are not in whole gangs then."""


@lowers_statement(tree.Foreach)
def lower_foreach(c: FunctionContext, node: tree.Foreach) -> None:
    """Language 9.5; in a shared kernel of a device the outermost dimension is this thread's share, with a barrier behind."""
    bounds = [(c.value(dimension.first), c.value(dimension.last)) for dimension in node.dimensions]
    tiled = node.tiled and len(node.dimensions) > 1
    spans = tile_spans(c.width, len(bounds)) if tiled else _row_spans(c, node)
    # An instrumented build counts the lanes of tiles, as the language has them.
    if tiled and c.probe is None and goes_by_rows(node, c.symbol, spans, c.width):
        tiled, spans = False, _row_spans(c, node)
    from_whole_gangs = not _is_multiple(bounds[0][0], spans[0]) and shares_chunks(c) and not shows_lanes(node)
    if shares_chunks(c):
        bounds[0] = own_chunk(c, *bounds[0], spans[0], from_whole_gangs)
    ranges = [
        _range(c, dimension.symbol, first, last, span) for dimension, (first, last), span in zip(node.dimensions, bounds, spans)
    ]
    if from_whole_gangs and len(bounds) == 1 and c.options.all_on_paths and c.options.masked_paths:
        ranges = [_from_whole_gang(c, ranges[0])]
    done = c.build.block(marks.block(path_name(marks.FOREACH, node), "done"))
    if c.threads is not None and not shares_chunks(c):
        begin, step = begin_share(c, *bounds[0], spans[0], done)
        ranges[0] = replace(ranges[0], begin=begin, step=step)
    if tiled:
        _tiles(c, node, ranges, [], done)
    else:
        _rows(c, node, ranges, {}, done)
    c.build.start(done)
    wait_for_all(c)


def _row_spans(c: FunctionContext, node: tree.Foreach) -> list[int]:
    return [1] * (len(node.dimensions) - 1) + [c.width]


def tile_spans(width: int, dimensions: int) -> list[int]:
    """How many lanes a tile takes in each dimension, the outermost first (language 9.5)."""
    spans, left = [], width
    for inner in range(dimensions - 1, -1, -1):
        if inner == 0:
            span = left
        elif inner >= left.bit_length() - 1:
            span = 1
        elif left >= 16 and inner == 1:
            span = 4
        else:
            span = 2
        spans.append(span)
        left //= span
    return spans


def _range(c: FunctionContext, symbol: tree.VariableSymbol, first: IR, last: IR, span: int) -> _Range:
    if span == 1:
        return _Range(symbol, first, last, zero("i32"), last, 1, first, integer("i32", 1), zero("i32"))
    count = c.build.binary("sub", last, first)
    rest = c.build.binary("and", count, integer("i32", span - 1))
    return _Range(symbol, first, last, rest, c.build.binary("sub", last, rest), span, first, integer("i32", span), zero("i32"))


def _is_multiple(value: IR, span: int) -> bool:
    """Of a span, as far as a constant shows."""
    return value.name.isdigit() and int(value.name) % span == 0


def _from_whole_gang(c: FunctionContext, piece: _Range) -> _Range:
    """A thread's piece of a range with whole gangs from a multiple of the span on; only the first one begins elsewhere."""
    below = integer("i32", piece.span - 1)
    before = c.build.binary("and", piece.first, below)
    aligned = c.build.binary("and", piece.last, integer("i32", -piece.span))
    some = c.build.compare("icmp slt", piece.first, aligned)
    up = c.build.binary("and", c.build.binary("add", piece.first, below), integer("i32", -piece.span))
    begin = c.build.select(some, up, aligned)
    rest = c.build.binary("or", c.build.binary("and", piece.last, below), before)
    return replace(piece, rest=rest, aligned=aligned, begin=begin, before=before)


def _rows(c: FunctionContext, node: tree.Foreach, ranges: list[_Range], outer: Variables, done: str) -> None:
    """The outermost of the remaining dimensions."""
    outermost = ranges[0]
    if len(ranges) == 1:
        if c.options.all_on_paths:
            _gangs(c, node, outermost, outer, done)
        else:
            _masked_gangs(c, node, outermost, outer, done)
        return
    name = path_name(marks.FOREACH, node)
    test, body, step = (c.build.block(marks.block(name, part)) for part in ("row.test", "row", "row.done"))
    counter, position = _begin_testing(c, outermost, outermost.last, test, body, done)
    _rows(c, node, ranges[1:], {**outer, outermost.symbol: c.build.splat(c.width, position)}, step)
    c.build.start(step)
    c.build.store(c.build.binary("add nsw", position, outermost.step), counter, 4)
    if c.build.reachable:
        c.build.terminate(f"br label %{test}{loop_hint(c, None, gangs=True)}")


def _begin_testing(c: FunctionContext, range_: _Range, limit: IR, test: str, body: str, done: str) -> tuple[IR, IR]:
    """Starts the block ``body`` of a loop that asks for the limit before each turn: the counter's address and its value."""
    counter = c.build.alloca("i32", 4, range_.symbol.name)
    c.build.store(range_.begin, counter, 4)
    c.build.start(test)
    position = c.build.load("i32", counter, 4)
    c.build.branch(c.build.compare("icmp slt", position, limit), body, done)
    c.build.start(body)
    return counter, position


def _begin_counting(c: FunctionContext, range_: _Range, body: str, done: str) -> tuple[IR, IR]:
    """Starts the block ``body`` of a loop that begins at the first value; nothing happens if the range is empty.

    Gives the address of the counter and its value.
    """
    counter = c.build.alloca("i32", 4, range_.symbol.name)
    c.build.store(range_.begin, counter, 4)
    c.build.branch(c.build.compare("icmp slt", range_.begin, range_.last), body, done)
    c.build.start(body)
    return counter, c.build.load("i32", counter, 4)


def _count_on(
    c: FunctionContext, counter: IR, following: IR, more: IR, body: str, done: str, unroll: int | None = None
) -> None:
    c.build.store(following, counter, 4)
    if c.build.reachable:
        c.build.terminate(f"br i1 {more.name}, label %{body}, label %{done}{loop_hint(c, unroll, gangs=True)}")


def _lane_values(c: FunctionContext, base: IR) -> IR:
    return c.build.binary("add nsw", c.build.splat(c.width, base), c.lanes("i32"))


def _gangs(c: FunctionContext, node: tree.Foreach, range_: _Range, outer: Variables, done: str) -> None:
    """The innermost dimension: whole gangs, then the rest."""
    name = path_name(marks.FOREACH, node)
    begin, test, all_on, step, finished, masked = (
        c.build.block(marks.block(name, part)) for part in ("begin", "test", "all_on", "all_on.step", "finished", "masked")
    )
    c.build.branch(c.build.compare("icmp slt", range_.first, range_.last), begin, done)
    c.build.start(begin)
    counter, position = _begin_testing(c, range_, range_.aligned, test, all_on, finished)
    run_body(c, node, {**outer, range_.symbol: _lane_values(c, position)}, None, step)
    c.build.store(c.build.binary("add nsw", position, range_.step), counter, 4)
    if c.build.reachable:
        c.build.terminate(f"br label %{test}{loop_hint(c, node.unroll, gangs=True)}")
    c.build.start(finished)
    if not c.options.masked_paths:
        c.build.jump(done)
        return
    rest = c.build.compare("icmp ne", range_.rest, zero("i32"))
    if c.threads is not None:
        # It belongs to the one thread that would go on there.
        rest = c.build.binary("and", rest, c.build.compare("icmp eq", position, range_.aligned))
    c.build.branch(rest, masked, done)
    c.build.start(masked)
    start, mask = _ragged_gang(c, range_)
    variables = {**outer, range_.symbol: _lane_values(c, start)}
    run_body(c, node, variables, mask, c.build.block(marks.block(name, "masked.done")))
    c.build.jump(done)


def _ragged_gang(c: FunctionContext, range_: _Range) -> tuple[IR, IR]:
    """Where the gang begins that is not whole, and its mask."""
    if range_.before.name == "0":
        # That the rest begins no lower than the range is known here, and this says it to the analysis of addresses.
        smax = c.module.text.declare("llvm.smax.i32", "i32", "i32, i32")
        start = c.build.value("i32", f"call i32 {smax}({range_.aligned}, {range_.first})")
        return start, c.build.compare("icmp ult", c.lanes("i32"), c.build.splat(c.width, range_.rest))
    is_first = c.build.compare("icmp ne", range_.before, zero("i32"))
    start = c.build.select(is_first, c.build.binary("sub", range_.first, range_.before), range_.aligned)
    at = c.build.binary("sub", _lane_values(c, start), c.build.splat(c.width, range_.first))
    count = c.build.binary("sub", range_.last, range_.first)
    return start, c.build.compare("icmp ult", at, c.build.splat(c.width, count))


def _masked_gangs(c: FunctionContext, node: tree.Foreach, range_: _Range, outer: Variables, done: str) -> None:
    """The innermost dimension with the mask computed in every iteration, to measure what masks cost."""
    name = path_name(marks.FOREACH, node)
    masked, step = c.build.block(marks.block(name, "masked")), c.build.block(marks.block(name, "masked.step"))
    counter, position = _begin_counting(c, range_, masked, done)
    remaining = c.build.binary("sub", range_.last, position)
    mask = c.build.compare("icmp ult", c.lanes("i32"), c.build.splat(c.width, remaining))
    run_body(c, node, {**outer, range_.symbol: _lane_values(c, position)}, mask, step)
    following = c.build.binary("add", position, range_.step)
    more = c.build.compare("icmp ugt", remaining, range_.step)
    _count_on(c, counter, following, more, masked, done, node.unroll)


def _tiles(c: FunctionContext, node: tree.Foreach, ranges: list[_Range], positions: list[IR], done: str) -> None:
    """Loops over tiles, the outermost remaining dimension first."""
    if len(positions) == len(ranges):
        _tile(c, node, ranges, positions, done)
        return
    range_ = ranges[len(positions)]
    name = path_name(marks.FOREACH, node)
    body, step = c.build.block(marks.block(name, "tiles")), c.build.block(marks.block(name, "tiles.step"))
    counter, position = _begin_counting(c, range_, body, done)
    _tiles(c, node, ranges, [*positions, position], step)
    c.build.start(step)
    remaining = c.build.binary("sub", range_.last, position)
    following = c.build.binary("add", position, range_.step)
    _count_on(c, counter, following, c.build.compare("icmp ugt", remaining, range_.step), body, done)


def _tile(c: FunctionContext, node: tree.Foreach, ranges: list[_Range], positions: list[IR], done: str) -> None:
    name = path_name(marks.FOREACH, node)
    inner, offsets = 1, []
    for range_ in reversed(ranges):
        offsets.append(vector_constant([integer("i32", lane // inner % range_.span) for lane in range(c.width)]))
        inner *= range_.span
    offsets.reverse()
    variables = {
        range_.symbol: c.build.binary("add nsw", c.build.splat(c.width, position), offset)
        for range_, position, offset in zip(ranges, positions, offsets)
    }
    all_on, masked = c.build.block(marks.block(name, "all_on")), c.build.block(marks.block(name, "masked"))
    if c.options.all_on_paths:
        whole = IR("i1", "true")
        for range_, position in zip(ranges, positions):
            if range_.span > 1:
                whole = c.build.binary("and", whole, c.build.compare("icmp slt", position, range_.aligned))
        c.build.branch(whole, all_on, masked if c.options.masked_paths else done)
        c.build.start(all_on)
        run_body(c, node, variables, None, c.build.block(marks.block(name, "all_on.done")))
        c.build.jump(done)
        if not c.options.masked_paths:
            return
    c.build.start(masked)
    mask: IR | None = None
    for range_, position, offset in zip(ranges, positions, offsets):
        if range_.span > 1:
            remaining = c.build.splat(c.width, c.build.binary("sub", range_.last, position))
            mask = masks.conjunction(c, mask, c.build.compare("icmp ult", offset, remaining))
    run_body(c, node, variables, mask, c.build.block(marks.block(name, "masked.done")))
    c.build.jump(done)


# --- over lanes and over values


@lowers_statement(tree.ForeachActive)
def lower_foreach_active(c: FunctionContext, node: tree.ForeachActive) -> None:
    """Language 9.6: the body once for each lane that is on, under the mask of that lane alone."""
    if c.mask is None and lanes_may_be_copied(c, node):
        for number in range(c.width):
            lane = integer("i64", number)
            run_body(c, node, {node.symbol: lane}, masks.only_lane(c, lane), c.build.block("foreach_active.step"))
        return
    beginning = masks.waiting(c, masks.explicit(c, c.mask))
    type = beginning.type
    waiting = c.build.alloca(type, 8, "waiting")
    c.build.store(beginning, waiting, 8)
    head, body, step, done = (c.build.block(f"foreach_active.{part}") for part in ("test", "body", "step", "done"))
    c.build.start(head)
    lanes = c.build.load(type, waiting, 8)
    c.build.branch(c.build.compare("icmp ne", lanes, zero(type)), body, done)
    c.build.start(body)
    lane = masks.next_lane(c, lanes)
    rest = c.build.binary("and", lanes, c.build.binary("add", lanes, integer(type, -1)))
    c.build.store(rest, waiting, 8)
    run_body(c, node, {node.symbol: lane}, masks.only_lane(c, lane), step)
    c.build.jump(head)
    c.build.start(done)


@lowers_statement(tree.ForeachUnique)
def lower_foreach_unique(c: FunctionContext, node: tree.ForeachUnique) -> None:
    """Language 9.7: the body once for each value that lanes have, under the mask of those that have it."""
    for group in lane_groups(c, c.value(node.value), node.value.type.type, "foreach_unique"):
        run_body(c, node, {node.symbol: group.value}, group.mask, c.build.block("foreach_unique.step"))
