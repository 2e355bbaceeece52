"""Operations on execution masks: None is statically all on, otherwise a ``<W x i1>`` value.

Conjunctions are written as ``select``: a lane that is off in the first operand
may hold poison in the second (an overflowed index, a division by zero), which
``and`` would let through.
"""

from __future__ import annotations

from voltac.lower.builder import IR, zero
from voltac.lower.context import FunctionContext, Lanes


def all_on(c: FunctionContext) -> IR:
    return IR(c.types.mask, "splat (i1 true)")


def all_off(c: FunctionContext) -> IR:
    return IR(c.types.mask, "zeroinitializer")


def explicit(c: FunctionContext, mask: IR | None) -> IR:
    """The mask as a value, the constant all-on one where it is static."""
    return all_on(c) if mask is None else mask


def inverse(c: FunctionContext, test: IR) -> IR:
    return c.build.binary("xor", test, all_on(c))


def conjunction(c: FunctionContext, mask: IR | None, test: IR) -> IR:
    """``mask & test``."""
    return test if mask is None else c.build.select(mask, test, all_off(c))


def exclusion(c: FunctionContext, mask: IR | None, test: IR) -> IR:
    """``mask & ~test``."""
    return conjunction(c, mask, inverse(c, test))


def disjunction(c: FunctionContext, mask: IR, test: IR) -> IR:
    """``mask | test``."""
    return c.build.select(mask, all_on(c), test)


def bits(c: FunctionContext, mask: IR) -> IR:
    """One integer with bit l for lane l."""
    return c.build.convert("bitcast", mask, f"i{c.width}")


def any_on(c: FunctionContext, mask: IR) -> IR:
    lanes = bits(c, mask)
    return c.build.compare("icmp ne", lanes, zero(lanes.type))


def every_on(c: FunctionContext, mask: IR) -> IR:
    lanes = bits(c, mask)
    return c.build.compare("icmp eq", lanes, IR(lanes.type, "-1"))


def to_storage(c: FunctionContext, mask: IR | None) -> IR:
    """The form in which masks are kept in variables and passed to functions."""
    type = c.types.mask_storage
    if mask is None:
        return IR(type, "splat (i1 true)" if c.target.mask_bits == 1 else f"splat (i{c.target.mask_bits} -1)")
    return mask if c.target.mask_bits == 1 else c.build.convert("sext", mask, type)


def from_storage(c: FunctionContext, stored: IR) -> IR:
    if c.target.mask_bits == 1:
        return stored
    return c.build.compare("icmp slt", stored, zero(stored.type))


def storage_alignment(c: FunctionContext) -> int:
    return max(1, c.target.mask_bits * c.width // 8)


def new_lanes(c: FunctionContext, name: str) -> Lanes:
    """A fresh variable for lanes; its first value is the caller's business."""
    return Lanes(c.build.alloca(c.types.mask_storage, storage_alignment(c), name))


def read_lanes(c: FunctionContext, lanes: Lanes) -> IR:
    return from_storage(c, c.build.load(c.types.mask_storage, lanes.address, storage_alignment(c)))


def write_lanes(c: FunctionContext, lanes: Lanes, mask: IR | None) -> None:
    c.build.store(to_storage(c, mask), lanes.address, storage_alignment(c))


def remove_lanes(c: FunctionContext, lanes: Lanes, mask: IR | None) -> None:
    """The lanes of the mask leave."""
    if mask is None:
        c.build.store(zero(c.types.mask_storage), lanes.address, storage_alignment(c))
    else:
        write_lanes(c, lanes, c.build.binary("and", read_lanes(c, lanes), inverse(c, mask)))
    c.touched.add(lanes)


def without_escaped(c: FunctionContext, mask: IR | None, touched: set[Lanes]) -> IR | None:
    """The mask minus the lanes that left through one of the touched variables."""
    for lanes in sorted(touched, key=lambda lanes: lanes.address.name):
        remaining = read_lanes(c, lanes)
        mask = remaining if mask is None else c.build.binary("and", mask, remaining)
    return mask
