"""Integer division and remainder of varying operands without a scalar divide a lane.

There is no vector instruction for integer division. For operands of at most 32
bits the floating-point quotient is exact enough: if ``a / b`` is no integer it
lies at least ``1 / b`` away from the next one, and half an ulp of a double (of a
float for 16 bits) is less than that, so truncation gives the integer quotient.
A zero divisor yields garbage in its own lane and no trap. 64-bit operands are
divided lane by lane; lanes that are off divide by one, since theirs must not trap.

A divisor that is one number for the gang is inverted once, outside of loops, and
multiplied with. The inverse is made a little too large: by more than the rounding
of the two operations, so that exact quotients do not fall below the integer, and by
so little that with ``a`` below 2^32 none reaches the next one.
"""

from __future__ import annotations

from voltac.lower.builder import IR, floating, splat_constant
from voltac.lower.context import FunctionContext

_EXCESS = {"double": 1 + 2.0**-48, "float": 1 + 2.0**-20}
"""By how much inverses are too large."""


def divide_integers(
    c: FunctionContext, operator: str, left: IR, right: IR, signed: bool, varying: bool, constant_divisor: bool
) -> IR:
    """``/`` or ``%`` on integers of one type."""
    sign = "s" if signed else "u"
    instruction = f"{sign}{'div' if operator == '/' else 'rem'}"
    if not varying or constant_divisor:
        return c.build.binary(instruction, left, right)
    bits = int(left.type[left.type.index(" x i") + 4 : -1])
    if bits > 32:
        if c.mask is not None:
            right = c.build.select(c.mask, right, splat_constant(c.width, IR(f"i{bits}", "1")))
        return c.build.binary(instruction, left, right)
    # 8 and 16 bit operands pass through 32 bit integers: the conversions of vectors to float know no shorter ones.
    lane = "i32" if bits < 32 else f"i{bits}"
    wide = f"<{c.width} x {lane}>"
    real = "float" if bits < 32 else "double"
    from_signed = signed or bits < 32

    def widened(value: IR, type: str) -> IR:
        return c.build.convert("sext" if signed else "zext", value, type) if bits < 32 else value

    def as_real(value: IR, type: str) -> IR:
        return c.build.convert("sitofp" if from_signed else "uitofp", value, type)

    dividend = widened(left, wide)
    numerator = as_real(dividend, f"<{c.width} x {real}>")
    single = c.build.splats.get(right.name)
    if single is not None:
        inverse = c.build.binary("fdiv", floating(real, _EXCESS[real]), as_real(widened(single, lane), real))
        ratio = c.build.binary("fmul", numerator, c.build.splat(c.width, inverse))
    else:
        ratio = c.build.binary("fdiv", numerator, as_real(widened(right, wide), numerator.type))
    quotient = c.build.convert("fptosi" if from_signed else "fptoui", ratio, wide)
    if operator == "%":
        quotient = c.build.binary("sub", dividend, c.build.binary("mul", quotient, widened(right, wide)))
    return c.build.convert("trunc", quotient, left.type) if bits < 32 else quotient
