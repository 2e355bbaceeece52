"""Integer division and remainder of varying operands without a scalar divide a lane.

There is no vector instruction for integer division. For operands of at most 32
bits the floating-point quotient is exact enough: if ``a / b`` is no integer it
lies at least ``1 / b`` away from the next one, and half an ulp of a double (of a
float for 16 bits) is less than that, so truncation gives the integer quotient.
A zero divisor yields garbage in its own lane and no trap.

64-bit operands are divided as magnitudes. Where all are below 2^52 the quotient of
doubles is exact enough again. Else it takes two steps with the inverse made a little
too small: the first quotient is at most the true one and less than it by a 2^-49th
part, what is left divided in the same way is less than 2^17 and off by one at most.

A divisor that is one number for the gang is inverted once, outside of loops, and
multiplied with. The inverse is made a little too large: by more than the rounding
of the two operations, so that exact quotients do not fall below the integer, and by
so little that with ``a`` below 2^32 none reaches the next one.
"""

from __future__ import annotations

import re

from voltac.lower.builder import IR, floating, integer, splat_constant, zero
from voltac.lower.context import FunctionContext
from voltac.lower.intrinsic_calls import call

_SAME_IN_ALL_LANES = re.compile(r"splat \(i\d+ (-?\d+)\)")
_EXCESS = {"double": 1 + 2.0**-48, "float": 1 + 2.0**-20}
"""By how much inverses are too large."""


def divide_integers(
    c: FunctionContext, operator: str, left: IR, right: IR, signed: bool, varying: bool, constant_divisor: bool
) -> IR:
    """``/`` or ``%`` on integers of one type."""
    sign = "s" if signed else "u"
    instruction = f"{sign}{'div' if operator == '/' else 'rem'}"
    if not varying or (constant_divisor and _is_left_to_llvm(c, right)):
        return c.build.binary(instruction, left, right)
    if not c.target.has_double:
        return _divide_guarded(c, instruction, left, right)
    bits = int(left.type[left.type.index(" x i") + 4 : -1])
    if bits > 32:
        return _divide_magnitudes(c, operator, left, right, signed)
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


def _divide_guarded(c: FunctionContext, instruction: str, left: IR, right: IR) -> IR:
    """Left to the target's own expansion; lanes that are off may have a divisor of zero, which LLVM takes for a promise."""
    divisor = c.build.value(right.type, f"freeze {right}")
    is_zero = c.build.compare("icmp eq", divisor, zero(right.type))
    one = splat_constant(c.width, integer(right.type[right.type.index(" x ") + 3 : -1], 1))
    return c.build.binary(instruction, left, c.build.select(is_zero, one, divisor))


def _is_left_to_llvm(c: FunctionContext, divisor: IR) -> bool:
    """A constant becomes shifts or a product with its inverse, but 64-bit vectors have no instruction for the latter.

    Lane by lane that takes less than doubles do where these are converted in several steps.
    """
    if not divisor.type.endswith(" x i64>") or not _converts_64_bits(c):
        return True
    same = _SAME_IN_ALL_LANES.fullmatch(divisor.name)
    return same is not None and int(same[1]) & (int(same[1]) - 1) == 0


# --- 64 bits

_FALL_SHORT = 1 - 2.0**-50
"""Makes inverses too small by more than the rounding of an inverse, two conversions and a product."""
_INTEGERS = 2.0**52
"""Added to an integer below it, the integer is in the low bits of the sum."""
_INTEGER_BITS = 0x433 << 52


def _divide_magnitudes(c: FunctionContext, operator: str, left: IR, right: IR, signed: bool) -> IR:
    build, single = c.build, c.build.splats.get(right.name)
    # Lanes that are off may hold poison, which no branch may depend on.
    dividend = build.value(left.type, f"freeze {left}")
    divisor = build.value(right.type, f"freeze {right}") if single is None and right.name[0] == "%" else right
    negative = dividend
    if signed:
        negative = build.binary("xor", dividend, divisor) if operator == "/" else dividend
        dividend, divisor = (call(c, f"llvm.abs.v{c.width}i64", left.type, value, "i1 false") for value in (dividend, divisor))
    if single is not None or right.name[0] != "%":
        result = _in_two_steps(c, operator, dividend, divisor)
    else:
        either = call(c, f"llvm.vector.reduce.or.v{c.width}i64", "i64", build.binary("or", dividend, divisor))
        large = build.compare("icmp ugt", either, integer("i64", (1 << 52) - 1))
        paths = [build.block(f"division.{name}") for name in ("large", "small", "done")]
        build.branch(large, paths[0], paths[1])
        build.start(paths[0])
        in_steps = _in_two_steps(c, operator, dividend, divisor)
        after_steps = build.label
        build.jump(paths[2])
        build.start(paths[1])
        at_once = _at_once(c, operator, dividend, divisor)
        after_all = build.label
        build.start(paths[2])
        result = build.phi([(in_steps, after_steps), (at_once, after_all)])
    if not signed:
        return result
    below = build.compare("icmp slt", negative, zero(negative.type))
    return build.select(below, build.binary("sub", zero(result.type), result), result)


def _at_once(c: FunctionContext, operator: str, dividend: IR, divisor: IR) -> IR:
    """Both below 2^52."""
    above, below = _small_as_double(c, dividend), _small_as_double(c, divisor)
    quotient = _truncated(c, c.build.binary("fdiv", above, below))
    if operator == "/":
        return _small_as_integer(c, quotient)
    if c.target.isa.startswith(("avx2", "avx512")):
        # Exact, as the remainder is a double.
        less = c.build.value(quotient.type, f"fneg {quotient}")
        return _small_as_integer(c, call(c, f"llvm.fma.v{c.width}f64", less.type, less, below, above))
    return c.build.binary("sub", dividend, c.build.binary("mul", _small_as_integer(c, quotient), divisor))


def _in_two_steps(c: FunctionContext, operator: str, dividend: IR, divisor: IR) -> IR:
    build = c.build
    doubles = f"<{c.width} x double>"
    short = splat_constant(c.width, floating("double", _FALL_SHORT))
    inverse = build.binary("fdiv", short, build.convert("uitofp", divisor, doubles))
    first = _truncated(c, build.binary("fmul", build.convert("uitofp", dividend, doubles), inverse))
    quotient = _large_as_integer(c, first)
    rest = build.binary("sub", dividend, build.binary("mul", quotient, divisor))
    second = build.binary("fmul", build.convert("uitofp", rest, doubles), inverse)
    more = build.convert("zext", build.convert("fptosi", second, f"<{c.width} x i32>"), dividend.type)
    quotient = build.binary("add", quotient, more)
    rest = build.binary("sub", rest, build.binary("mul", more, divisor))
    once_more = build.compare("icmp uge", rest, divisor)
    if operator == "/":
        return build.binary("add", quotient, build.convert("zext", once_more, quotient.type))
    return build.select(once_more, build.binary("sub", rest, divisor), rest)


def _truncated(c: FunctionContext, value: IR) -> IR:
    return call(c, f"llvm.trunc.v{c.width}f64", value.type, value)


def _small_as_double(c: FunctionContext, value: IR) -> IR:
    doubles = f"<{c.width} x double>"
    if _converts_64_bits(c):
        return c.build.convert("sitofp", value, doubles)
    bits = c.build.binary("or", value, splat_constant(c.width, integer("i64", _INTEGER_BITS)))
    return c.build.binary("fsub", c.build.convert("bitcast", bits, doubles), _large(c))


def _small_as_integer(c: FunctionContext, value: IR) -> IR:
    """Integral and from 0 to below 2^52."""
    integers = f"<{c.width} x i64>"
    if _converts_64_bits(c):
        return c.build.convert("fptosi", value, integers)
    bits = c.build.convert("bitcast", c.build.binary("fadd", value, _large(c)), integers)
    return c.build.binary("xor", bits, splat_constant(c.width, integer("i64", _INTEGER_BITS)))


def _large_as_integer(c: FunctionContext, value: IR) -> IR:
    """Integral and from 0 to below 2^64."""
    if _converts_64_bits(c):
        return c.build.convert("fptoui", value, f"<{c.width} x i64>")
    # Two halves of 32 bits, each exact.
    scale, back = (splat_constant(c.width, floating("double", number)) for number in (2.0**-32, 2.0**32))
    high = _truncated(c, c.build.binary("fmul", value, scale))
    low = c.build.binary("fsub", value, c.build.binary("fmul", high, back))
    shift = splat_constant(c.width, integer("i64", 32))
    return c.build.binary("or", c.build.binary("shl", _small_as_integer(c, high), shift), _small_as_integer(c, low))


def _large(c: FunctionContext) -> IR:
    return splat_constant(c.width, floating("double", _INTEGERS))


def _converts_64_bits(c: FunctionContext) -> bool:
    """The target converts between doubles and 64-bit integers."""
    return c.target.isa.startswith("avx512")
