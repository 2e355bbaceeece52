"""``new``, ``delete`` and ``alloca`` (language 8.9): ``posix_memalign`` and ``free``, on Windows ``_aligned_malloc`` and
``_aligned_free``; once a lane where varying."""

from __future__ import annotations

from collections.abc import Callable

from voltac.lower.checks.bounds import set_allocated_bounds
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext, lowers_statement, lowers_value
from voltac.lower.memory.address import Address
from voltac.lower.memory.memory_access import clear_bytes, store
from voltac.lower.memory.places import join_slice, slice_parts
from voltac.lower.memory.variables import initialise, lane_values, part_address, part_count
from voltac.lower.text.ir_values import IR, NULL, integer, zero
from voltac.sema import tree
from voltac.sema.types import VARYING, Pointer, Qual

_SMALLEST_ALIGNMENT = 8  # posix_memalign wants a multiple of the size of a pointer


@lowers_value(tree.New)
def lower_new(c: FunctionContext, node: tree.New) -> IR:
    """One object, or one for each active lane; a null pointer where there is no memory."""
    assert isinstance(node.type.type, Pointer)
    pointee = node.type.type.to
    varying = node.type.rate is VARYING
    count = c.value(node.count) if node.count is not None else None
    if varying:
        pointers = _allocate_each(c, pointee, count)
    else:
        pointers = _allocate(c, pointee, count)
    if c.checks.accesses:
        set_allocated_bounds(c, pointers, c.types.sizes.size(pointee), count)
    if node.initial is not None:
        if varying and _leaves_out(node.initial):
            for_each_lane(c, lambda lane: clear_bytes(c, c.build.extract(pointers, lane), c.types.sizes.size(pointee)))
        _fill(c, Address(pointers, pointee), node.initial)
    return join_slice(c, pointers, integer(c.types.word, 0)) if c.types.is_slice(node.type) else pointers


def _leaves_out(initial: tree.Initializer) -> bool:
    """Are there parts that a braced list does not mention? They are zero. Lists for soa data mention all."""
    if not isinstance(initial, tree.Aggregate) or initial.type.rate.kind == "soa":
        return False
    return len(initial.elements) < part_count(initial.type.type) or any(_leaves_out(element) for element in initial.elements)


def _bytes(c: FunctionContext, pointee: Qual, count: IR | None) -> IR:
    size = integer(c.types.word, max(1, c.types.sizes.size(pointee)))
    if count is not None and count.type != size.type:
        count = c.build.convert("trunc", count, size.type)
    return size if count is None else c.build.binary("mul", count, size)


def _allocate(c: FunctionContext, pointee: Qual, count: IR | None) -> IR:
    alignment = max(_SMALLEST_ALIGNMENT, c.options.force_alignment or c.types.sizes.alignment(pointee))
    word = c.types.word
    if c.target.system == "windows":
        allocate = c.module.intrinsic("_aligned_malloc", "ptr", word, word)
        return c.build.value("ptr", f"call ptr {allocate}({_bytes(c, pointee, count)}, {word} {alignment})")
    result = c.build.alloca("ptr", 8, "allocated")
    c.build.store(NULL, result, 8)
    allocate = c.module.intrinsic("posix_memalign", "i32", "ptr", word, word)
    c.build.value("i32", f"call i32 {allocate}({result}, {word} {alignment}, {_bytes(c, pointee, count)})")
    return c.build.load("ptr", result, 8)


def _allocate_each(c: FunctionContext, pointee: Qual, counts: IR | None) -> IR:
    type = f"<{c.width} x ptr>"
    results = c.build.alloca(type, 8 * c.width, "allocated")
    c.build.store(zero(type), results, 8 * c.width)

    def one(lane: IR) -> None:
        count = None if counts is None else c.build.extract(counts, lane)
        pointer = _allocate(c, pointee, count)
        current = c.build.load(type, results, 8 * c.width)
        c.build.store(c.build.insert(current, pointer, lane), results, 8 * c.width)

    for_each_lane(c, one)
    return c.build.load(type, results, 8 * c.width)


def _fill(c: FunctionContext, address: Address, initial: tree.Initializer) -> None:
    """First value of what was allocated; through varying pointers a masked scatter."""
    if not address.is_varying:
        initialise(c, address, initial)
        return
    match initial:
        case tree.Aggregate(_, _, elements):
            for number, element in enumerate(elements):
                _fill(c, part_address(c, address, number), element)
        case tree.LaneList():
            store(c, address, lane_values(c, initial))
        case _:
            store(c, address, c.value(initial))


def for_each_lane(c: FunctionContext, body: Callable[[IR], None]) -> None:
    """A loop over the active lanes, in increasing order; ``body`` gets the lane as int64."""
    beginning = masks.waiting(c, masks.explicit(c, c.mask))
    type = beginning.type
    waiting = c.build.alloca(type, 8, "waiting")
    c.build.store(beginning, waiting, 8)
    head, inside, done = (c.build.block(f"lanes.{part}") for part in ("test", "body", "done"))
    c.build.start(head)
    lanes = c.build.load(type, waiting, 8)
    c.build.branch(c.build.compare("icmp ne", lanes, zero(type)), inside, done)
    c.build.start(inside)
    lane = masks.next_lane(c, lanes)
    c.build.store(c.build.binary("and", lanes, c.build.binary("add", lanes, integer(type, -1))), waiting, 8)
    body(lane)
    c.build.jump(head)
    c.build.start(done)


@lowers_statement(tree.Delete)
def lower_delete(c: FunctionContext, node: tree.Delete) -> None:
    """One object, or that of each active lane."""
    pointer = c.value(node.pointer)
    if c.types.is_slice(node.pointer.type):
        pointer = slice_parts(c, pointer)[0]
    free = c.module.intrinsic("_aligned_free" if c.target.system == "windows" else "free", "void", "ptr")
    if node.pointer.type.rate is not VARYING:
        c.build.emit(f"call void {free}({pointer})")
        return
    for_each_lane(c, lambda lane: c.build.emit(f"call void {free}({c.build.extract(pointer, lane)})"))


@lowers_value(tree.Alloca)
def lower_alloca(c: FunctionContext, node: tree.Alloca) -> IR:
    """Memory of the stack that is there until the function returns, aligned for vectors."""
    size = c.value(node.size)
    memory = c.build.value("ptr", f"alloca i8, {size}, align {max(16, c.target.vector_bits // 8)}")
    if c.checks.accesses:
        set_allocated_bounds(c, memory, 1, size)
    return memory
