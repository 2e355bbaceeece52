"""Operations on execution masks: None is statically all on, otherwise a ``<W x i1>`` value.

Where a mask takes more than one bit a lane, masks are combined in their storage
form (``<W x i32>``, 0 or -1), and the ``<W x i1>`` is derived from that: LLVM then
keeps loop-carried masks in whole lanes instead of packing them to bits and back.

A lane that is off may hold poison in a test (an overflowed index, a conversion out
of range), which must not spread: tests are frozen, or joined by ``select``.
"""

from __future__ import annotations

from voltac.lower.control_state import NO_LANES, LaneVariable
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, zero
from voltac.sema import tree


def all_on(c: FunctionContext) -> IR:
    """The constant; where masks are tested for it, all on is None instead."""
    return IR(c.types.mask, "splat (i1 true)")


def all_off(c: FunctionContext) -> IR:
    """The constant."""
    return IR(c.types.mask, "zeroinitializer")


def explicit(c: FunctionContext, mask: IR | None) -> IR:
    """The mask as a value, the constant all-on one where it is static."""
    return all_on(c) if mask is None else mask


def inverse(c: FunctionContext, test: IR) -> IR:
    """``~test``; poison stays."""
    return c.build.binary("xor", test, all_on(c))


def frozen(c: FunctionContext, test: IR) -> IR:
    """A test without poison, in the form that masks are combined in.

    An execution mask has none already. A freeze too many is dear: LLVM's InstCombine moves each up to what a mask was
    made of, and comes again to all that uses it.
    """
    if c.target.mask_bits == 1:
        return test
    if test.name in c.masks.sound:
        return to_storage(c, test)
    return c.build.convert("sext", c.build.value(test.type, f"freeze {test}"), c.types.mask_storage)


def sound(c: FunctionContext, test: IR) -> IR:
    """The test, known to have no poison in it."""
    if c.target.mask_bits > 1:
        if test.name not in c.masks.stored:
            c.masks.stored[test.name] = c.build.convert("sext", test, c.types.mask_storage)
        c.masks.sound.add(test.name)
    return test


def conjunction(c: FunctionContext, mask: IR | None, test: IR) -> IR:
    """``mask & test``."""
    if mask is None:
        return test
    if c.target.mask_bits == 1:
        return c.build.select(mask, test, all_off(c))
    return _made(c, c.build.binary("and", to_storage(c, mask), frozen(c, test)))


def exclusion(c: FunctionContext, mask: IR | None, test: IR) -> IR:
    """``mask & ~test``."""
    return conjunction(c, mask, inverse(c, test))


def disjunction(c: FunctionContext, mask: IR, test: IR) -> IR:
    """``mask | test``."""
    if c.target.mask_bits == 1:
        return c.build.select(mask, all_on(c), test)
    return _made(c, c.build.binary("or", to_storage(c, mask), frozen(c, test)))


def bits(c: FunctionContext, mask: IR) -> IR:
    """One integer with bit l for lane l."""
    return c.build.convert("bitcast", mask, f"i{c.width}")


_WHOLE = 32
"""Bits of a register that is written as a whole: on x86, to write a byte of one waits for what the register held."""


def waiting(c: FunctionContext, mask: IR) -> IR:
    """What :func:`bits` gives, with zeros above it up to a whole register: for loops that take one lane after the other."""
    lanes = bits(c, mask)
    return lanes if c.width >= _WHOLE or c.target.is_device else c.build.convert("zext", lanes, f"i{_WHOLE}")


def any_on(c: FunctionContext, mask: IR) -> IR:
    """An i1."""
    lanes = bits(c, mask)
    return c.build.compare("icmp ne", lanes, zero(lanes.type))


def every_on(c: FunctionContext, mask: IR) -> IR:
    """An i1; lanes that are off are among those asked."""
    lanes = bits(c, mask)
    return c.build.compare("icmp eq", lanes, IR(lanes.type, "-1"))


def lowest_lane(c: FunctionContext, lanes: IR) -> IR:
    """Number of the lowest bit set in what :func:`bits` gave, in its type; one has to be set."""
    callee = c.module.intrinsic(f"llvm.cttz.{lanes.type}", lanes.type, lanes.type, "i1 immarg")
    return c.build.value(lanes.type, f"call {lanes.type} {callee}({lanes}, i1 true)")


def only_lane(c: FunctionContext, lane: IR) -> IR:
    """The mask of the lane of that number, an i64."""
    return c.build.compare("icmp eq", c.lanes("i64"), c.build.splat(c.width, lane))


def next_lane(c: FunctionContext, lanes: IR) -> IR:
    """The same as an i64, which is how the language numbers lanes."""
    lane = lowest_lane(c, lanes)
    return lane if lane.type == "i64" else c.build.convert("zext", lane, "i64")


def to_storage(c: FunctionContext, mask: IR | None) -> IR:
    """The form in which masks are kept in variables and passed to functions."""
    type = c.types.mask_storage
    if mask is None:
        return IR(type, "splat (i1 true)" if c.target.mask_bits == 1 else f"splat (i{c.target.mask_bits} -1)")
    if c.target.mask_bits == 1:
        return mask
    known = c.masks.stored.get(mask.name)
    return c.build.convert("sext", mask, type) if known is None else known


def from_storage(c: FunctionContext, stored: IR) -> IR:
    """A ``<W x i1>`` of what :func:`to_storage` gave; remembers what it was made from."""
    if c.target.mask_bits == 1:
        return stored
    mask = c.build.compare("icmp slt", stored, zero(stored.type))
    c.masks.stored[mask.name] = stored
    return mask


def _made(c: FunctionContext, stored: IR) -> IR:
    """An execution mask, from its storage form."""
    mask = from_storage(c, stored)
    c.masks.sound.add(mask.name)
    return mask


def storage_alignment(c: FunctionContext) -> int:
    """In bytes, of a variable that holds a mask."""
    return max(1, c.target.mask_bits * c.width // 8)


def new_lanes(c: FunctionContext, name: str) -> LaneVariable:
    """A fresh variable for lanes; its first value is the caller's business."""
    return LaneVariable(c.build.alloca(c.types.mask_storage, storage_alignment(c), name))


def live_lanes(c: FunctionContext, node: tree.Statement) -> LaneVariable:
    """The lanes that have not left a loop or switch; a ``goto`` into it needs them before it is lowered."""
    if not c.escapes.has_goto:
        return new_lanes(c, "live")
    if id(node) not in c.masks.live:
        c.masks.live[id(node)] = new_lanes(c, "live")
    return c.masks.live[id(node)]


def iteration_lanes(c: FunctionContext, node: tree.Statement) -> LaneVariable:
    """The lanes that have not left this iteration of a loop."""
    if not c.escapes.has_goto:
        return new_lanes(c, "iteration")
    if id(node) not in c.masks.iterations:
        c.masks.iterations[id(node)] = new_lanes(c, "iteration")
    return c.masks.iterations[id(node)]


def returned_lanes(c: FunctionContext) -> LaneVariable:
    """The lanes that have not returned."""
    if c.masks.returned is None:
        c.masks.returned = new_lanes(c, "not.returned")
        first = to_storage(c, None)
        c.build.at_entry(f"store {first}, ptr {c.masks.returned.address.name}, align {storage_alignment(c)}")
    return c.masks.returned


def remembered(c: FunctionContext, around: tuple[tree.Statement, ...]) -> IR | None:
    """The mask where a ``goto`` may have led to, from what is kept in variables; ``around`` are the constructs there."""
    for node in reversed(around):
        if isinstance(node, tree.Unmasked):
            return None
        escapes = c.escapes[node]
        if escapes.needs_live:
            mask = read_lanes(c, live_lanes(c, node))
            if escapes.varying_continue:
                mask = conjunction(c, mask, read_lanes(c, iteration_lanes(c, node)))
            return mask
    return without_escaped(c, c.masks.entry, frozenset((returned_lanes(c),)) if c.escapes.varying_return else NO_LANES)


def read_lanes(c: FunctionContext, lanes: LaneVariable) -> IR:
    """The lanes that have not left, as a mask without poison."""
    return _made(c, c.build.load(c.types.mask_storage, lanes.address, storage_alignment(c)))


def write_lanes(c: FunctionContext, lanes: LaneVariable, mask: IR | None) -> None:
    """The variable's lanes become those of a mask; None is all of them."""
    stored = to_storage(c, mask)
    if mask is not None and mask is c.masks.entry and c.target.mask_bits == 1:
        # LLVM 22 uses a parameter's place on the stack for the variable that it is copied to first. A mask of bits
        # lies there as bytes, which LLVM overlooks. A store before makes it the second copy; SROA removes that.
        c.build.store(zero(stored.type), lanes.address, storage_alignment(c))
    c.build.store(stored, lanes.address, storage_alignment(c))


def remove_lanes(c: FunctionContext, lanes: LaneVariable, mask: IR | None) -> None:
    """The lanes of the mask leave."""
    alignment = storage_alignment(c)
    remaining = zero(c.types.mask_storage)
    if mask is not None:
        before = c.build.load(c.types.mask_storage, lanes.address, alignment)
        gone = to_storage(c, mask)
        remaining = c.build.binary("and", before, c.build.binary("xor", gone, to_storage(c, None)))
    c.build.store(remaining, lanes.address, alignment)
    c.go_on(touched=c.touched | {lanes})


def without_escaped(c: FunctionContext, mask: IR | None, touched: frozenset[LaneVariable]) -> IR | None:
    """The mask minus the lanes that left through one of the touched variables."""
    if not touched:
        return mask
    left = None if mask is None else to_storage(c, mask)
    for lanes in sorted(touched, key=lambda lanes: lanes.address.name):
        remaining = c.build.load(c.types.mask_storage, lanes.address, storage_alignment(c))
        left = remaining if left is None else c.build.binary("and", left, remaining)
    assert left is not None
    return _made(c, left)


# --- masks that a program for a device writes itself


def begin_written(c: FunctionContext) -> None:
    """In a function that writes the mask: keep it in a variable."""
    c.masks.written = new_lanes(c, "written")
    write_lanes(c, c.masks.written, c.mask)
    _read_written(c, c.masks.written)


def write_bits(c: FunctionContext, lanes: IR) -> None:
    """The lanes whose bits are 1 run from here on."""
    assert c.masks.written is not None
    write_lanes(c, c.masks.written, c.build.convert("bitcast", c.build.convert("trunc", lanes, f"i{c.width}"), c.types.mask))


def use_written(c: FunctionContext) -> None:
    """A statement begins: outside of varying control flow the mask is what was written last."""
    if c.masks.written is not None and c.mask is c.control.written_mask:
        _read_written(c, c.masks.written)


def _read_written(c: FunctionContext, written: LaneVariable) -> None:
    mask = read_lanes(c, written)
    c.go_on(mask=mask, written_mask=mask)
