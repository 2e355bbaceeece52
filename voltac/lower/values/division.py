"""Integer division and remainder of varying operands without a scalar divide a lane.

There is no vector instruction for integer division. For operands of at most 32
bits the floating-point quotient is exact enough: if ``a / b`` is no integer it
lies at least ``1 / b`` away from the next one, and half an ulp of a double (of a
float for 16 bits) is less than that, so truncation gives the integer quotient.
A zero divisor yields garbage in its own lane and no trap.

64-bit operands are divided as magnitudes. Where all are below 2^52 the quotient of
doubles is exact enough again. Else it takes two steps with the inverse made a little
too small: the first quotient, or its upper 32 bits, is at most the true one and less
than it by a 2^-49th part; what is left divided in the same way is off by one at most.

A divisor that is one number for the gang is inverted once, outside of loops, and
multiplied with. The inverse is made a little too large: by more than the rounding
of the two operations, so that exact quotients do not fall below the integer, and by
so little that with ``a`` below 2^32 none reaches the next one.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.lower.builtins.intrinsic_calls import call
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, floating, integer, same_elements, splat_constant, zero
from voltac.system.lazy_patterns import lazy_pattern

_SAME_IN_ALL_LANES = lazy_pattern(r"splat \(i\d+ (-?\d+)\)")
_EXCESS = {"double": 1 + 2.0**-48, "float": 1 + 2.0**-20}
"""By how much inverses are too large."""


def tells_large_numbers(c: FunctionContext, right: IR) -> bool:
    """Whether varying numbers are divided by these in one way or another, depending on how large they are."""
    return right.type.endswith(" x i64>") and c.target.has_double and right.name[0] == "%" and right.name not in c.build.splats


def divide_integers(
    c: FunctionContext,
    operator: str,
    left: IR,
    right: IR,
    signed: bool,
    varying: bool,
    constant_divisor: bool,
    look: Callable[[IR], None] | None = None,
) -> IR:
    """``/`` or ``%`` on integers of one type. If it ``tells_large_numbers``, ``look`` is shown divisors that may be zero."""
    sign = "s" if signed else "u"
    instruction = f"{sign}{'div' if operator == '/' else 'rem'}"
    if not varying:
        return _divide_uniform(c, instruction, left, right)
    if constant_divisor and _is_left_to_llvm(c, right):
        return c.build.binary(instruction, left, right)
    if not c.target.has_double:
        return _divide_guarded(c, instruction, left, right)
    bits = int(left.type[left.type.index(" x i") + 4 : -1])
    if bits > 32:
        return _divide_magnitudes(c, operator, left, right, signed, look)
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
    quotient = c.build.convert("fptosi", ratio, wide) if from_signed else _unsigned_32(c, ratio)
    if operator == "%":
        quotient = c.build.binary("sub", dividend, c.build.binary("mul", quotient, widened(right, wide)))
    return c.build.convert("trunc", quotient, left.type) if bits < 32 else quotient


def _divide_uniform(c: FunctionContext, instruction: str, left: IR, right: IR) -> IR:
    """By the scalar instruction. Where numbers wrap, the least one by -1 is itself again, of which LLVM knows nothing."""
    bits = int(left.type.removesuffix(">").rpartition("i")[2])
    if instruction[0] == "u" or (bits >= 32 and not c.options.wrap_signed):
        return c.build.binary(instruction, left, right)
    if bits < 32 and c.target.is_device:
        return c.build.binary(instruction, left, right)
    if bits < 32:
        wide = f"{left.type.removesuffix('>').rpartition('i')[0]}i32{'>' if left.type[0] == '<' else ''}"
        quotient = c.build.binary(instruction, c.build.convert("sext", left, wide), c.build.convert("sext", right, wide))
        return c.build.convert("trunc", quotient, left.type)
    ones = [same_elements(left.type, number) for number in (1, -1)]
    negates = c.build.compare("icmp eq", right, ones[1])
    quotient = c.build.binary(instruction, left, c.build.select(negates, ones[0], right))
    if instruction == "srem":
        return quotient
    return c.build.select(negates, c.build.binary("sub", zero(left.type), left), quotient)


def _unsigned_32(c: FunctionContext, ratio: IR) -> IR:
    """Truncated, as integers of 32 bits."""
    type = f"<{c.width} x i32>"
    if _converts_64_bits(c):
        return c.build.convert("fptoui", ratio, type)
    total = c.build.binary("fadd", _truncated(c, ratio), _splat(c, _INTEGERS))
    return c.build.convert("trunc", c.build.convert("bitcast", total, f"<{c.width} x i64>"), type)


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
_ROUNDED_BITS = 0x4338 << 48
"""Bit patterns of 2^52 and of 3 * 2^51: of a double with either added the low bits are an integer."""


def _divide_magnitudes(
    c: FunctionContext, operator: str, left: IR, right: IR, signed: bool, look: Callable[[IR], None] | None
) -> IR:
    build = c.build
    # Lanes that are off may hold poison, which no branch may depend on.
    dividend = build.value(left.type, f"freeze {left}")
    tells = tells_large_numbers(c, right)
    divisor = build.value(right.type, f"freeze {right}") if tells else right
    if look is not None and c.mask is not None:
        divisor = build.select(c.mask, divisor, _whole(c, 1))
    negative = dividend
    if signed:
        negative = build.binary("xor", dividend, divisor) if operator == "/" else dividend
        dividend, divisor = (call(c, f"llvm.abs.v{c.width}i64", left.type, value, "i1 false") for value in (dividend, divisor))
    if not tells:
        result = _in_two_steps(c, operator, dividend, divisor)
    else:
        large = _any_large(c, dividend, divisor) if look is None else _any_large_or_zero(c, dividend, divisor)
        paths = [build.block(f"division.{name}") for name in ("large", "small", "done")]
        build.branch(large, paths[0], paths[1])
        build.start(paths[0])
        if look is not None:
            look(divisor)
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


def _any_large(c: FunctionContext, dividend: IR, divisor: IR) -> IR:
    beyond = c.build.binary("and", c.build.binary("or", dividend, divisor), _whole(c, -1 << 52))
    return masks.any_on(c, c.build.compare("icmp ne", beyond, zero(beyond.type)))


def _any_large_or_zero(c: FunctionContext, dividend: IR, divisor: IR) -> IR:
    """Whether the rare way has to be taken, or to fail: zero less one is large too. (So is 2^52, of which one less is not.)"""
    less = c.build.binary("add", divisor, _whole(c, -1))
    beyond = c.build.binary("and", c.build.binary("or", dividend, less), _whole(c, -1 << 51))
    bits = call(c, f"llvm.vector.reduce.or.v{c.width}i64", "i64", beyond)
    return c.build.compare("icmp ne", bits, integer("i64", 0))


def _at_once(c: FunctionContext, operator: str, dividend: IR, divisor: IR) -> IR:
    """Both below 2^52."""
    above, below = _small_as_double(c, dividend), _small_as_double(c, divisor)
    ratio = c.build.binary("fdiv", above, below)
    if operator == "/" and _converts_64_bits(c):
        return _small_as_integer(c, ratio)
    quotient = _truncated(c, ratio)
    if operator == "/":
        return _small_as_integer(c, quotient)
    # Exact, as both the product and the remainder are integers below 2^52.
    product = c.build.binary("fmul", quotient, below)
    return _small_as_integer(c, c.build.binary("fsub", above, product))


def _in_two_steps(c: FunctionContext, operator: str, dividend: IR, divisor: IR) -> IR:
    build = c.build
    inverse = build.binary("fdiv", _splat(c, _FALL_SHORT), _as_double(c, divisor))
    first = build.binary("fmul", _as_double(c, dividend), inverse)
    if _converts_64_bits(c):
        quotient = build.convert("fptoui", first, dividend.type)
        rest = build.binary("sub", dividend, build.binary("mul", quotient, divisor))
        second = build.binary("fmul", _as_double(c, rest), inverse)
        more = build.convert("fptosi", second, dividend.type)
    else:
        # A digit of 32 bits, so that one product of 32 bits is all that counts, then what is left, below 2^34.
        low_half, shift = _whole(c, (1 << 32) - 1), _whole(c, 32)
        digit = build.binary("and", _rounded_bits(c, build.binary("fmul", first, _splat(c, 2.0**-32))), low_half)
        part = build.binary("mul", digit, build.binary("and", divisor, low_half))
        rest = build.binary("sub", dividend, build.binary("shl", part, shift))
        quotient = build.binary("shl", digit, shift)
        second = _rounded_bits(c, build.binary("fmul", _as_double(c, rest), inverse))
        more = build.binary("sub", second, _whole(c, _ROUNDED_BITS))
    rest = build.binary("sub", rest, build.binary("mul", more, divisor))
    once_more = build.compare("icmp uge", rest, divisor)
    if operator == "/":
        return build.binary("add", build.binary("add", quotient, more), build.convert("zext", once_more, quotient.type))
    return build.select(once_more, build.binary("sub", rest, divisor), rest)


def _as_double(c: FunctionContext, value: IR) -> IR:
    return c.build.convert("uitofp", value, f"<{c.width} x double>")


def _rounded_bits(c: FunctionContext, value: IR) -> IR:
    """Of 3 * 2^51 and the integer next to the value less a half, which is at most one below its integral part."""
    less = c.build.binary("fsub", value, _splat(c, 0.5))
    return c.build.convert("bitcast", c.build.binary("fadd", less, _splat(c, 1.5 * _INTEGERS)), f"<{c.width} x i64>")


def _truncated(c: FunctionContext, value: IR) -> IR:
    return call(c, f"llvm.trunc.v{c.width}f64", value.type, value)


def _small_as_double(c: FunctionContext, value: IR) -> IR:
    doubles = f"<{c.width} x double>"
    if _converts_64_bits(c):
        return c.build.convert("sitofp", value, doubles)
    bits = c.build.binary("or", value, _whole(c, _INTEGER_BITS))
    return c.build.binary("fsub", c.build.convert("bitcast", bits, doubles), _splat(c, _INTEGERS))


def _small_as_integer(c: FunctionContext, value: IR) -> IR:
    """From 0 to below 2^52, and integral where the target does not convert."""
    integers = f"<{c.width} x i64>"
    if _converts_64_bits(c):
        return c.build.convert("fptosi", value, integers)
    bits = c.build.convert("bitcast", c.build.binary("fadd", value, _splat(c, _INTEGERS)), integers)
    return c.build.binary("xor", bits, _whole(c, _INTEGER_BITS))


def _splat(c: FunctionContext, number: float) -> IR:
    return splat_constant(c.width, floating("double", number))


def _whole(c: FunctionContext, number: int) -> IR:
    return splat_constant(c.width, integer("i64", number))


def _converts_64_bits(c: FunctionContext) -> bool:
    """The target converts between doubles and 64-bit integers."""
    return c.target.has_avx512
