"""Integer division and remainder of varying operands without a scalar divide a lane.

There is no vector instruction for integer division. For operands of at most 32
bits the floating-point quotient is exact enough: if ``a / b`` is no integer it
lies at least ``1 / b`` away from the next one, and half an ulp of a double (of a
float for 16 bits) is less than that, so truncation gives the integer quotient.
A zero divisor yields garbage in its own lane and no trap. 64-bit operands are
divided lane by lane; lanes that are off divide by one, since theirs must not trap.
"""

from __future__ import annotations

from voltac.lower.builder import IR, splat_constant
from voltac.lower.context import FunctionContext


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
    wide = f"<{c.width} x {'i32' if bits < 32 else f'i{bits}'}>"
    real = f"<{c.width} x {'float' if bits < 32 else 'double'}>"
    extend = "sext" if signed else "zext"
    operands = [c.build.convert(extend, value, wide) if bits < 32 else value for value in (left, right)]
    from_signed = signed or bits < 32
    as_real = [c.build.convert("sitofp" if from_signed else "uitofp", value, real) for value in operands]
    ratio = c.build.binary("fdiv", *as_real)
    quotient = c.build.convert("fptosi" if from_signed else "fptoui", ratio, wide)
    if operator == "%":
        quotient = c.build.binary("sub", operands[0], c.build.binary("mul", quotient, operands[1]))
    return c.build.convert("trunc", quotient, left.type) if bits < 32 else quotient
