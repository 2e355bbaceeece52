"""Operations on one lane, bits → bits, with flags and rounding modes (IPU 3.5 to 3.8, 9.2).

A double holds every product of two single-precision numbers, and sums and quotients
rounded to 53 and then to 24 digits are as if rounded once (2·24+2 ≤ 53; Figueroa,
When is double rounding innocuous, 1995). Modes other than to the nearest are
computed with fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from voltac.targets.ipu.simulator.float_formats import (
    DOWN,
    HALVES,
    INFINITE_HALF_BITS,
    INFINITY,
    LARGEST,
    LARGEST_HALF,
    LARGEST_HALF_BITS,
    NEAREST_AWAY,
    QUIET_HALF_NAN,
    QUIET_NAN,
    SMALLEST_NORMAL,
    UP,
    integral,
    is_signalling,
    rounded,
    single,
    single_bits,
)
from voltac.targets.ipu.simulator.float_state import DIVIDE_BY_ZERO, INVALID, OVERFLOW, FloatState

Lane = Callable[[FloatState, int, int], int]
Exact = Callable[[Fraction, Fraction], Fraction]

_SINGLE_DIGITS, _SINGLE_LEAST = 24, -149
_HALF_DIGITS, _HALF_LEAST = 11, -24
"""Binary digits of the formats, and the exponent of the least one that they have."""


# --- rounding -----------------------------------------------------------------------------------------------------------


def to_single(state: FloatState, value: float, exact: Fraction | None = None) -> int:
    """The bits of a finite or infinite result, or a NaN; ``exact`` is the value where a mode needs it."""
    if value != value:
        return QUIET_NAN
    if math.isinf(value):
        return single_bits(value)
    if state.mode and value:
        value = float(rounded(Fraction(value) if exact is None else exact, state.mode, _SINGLE_DIGITS, _SINGLE_LEAST))
        if abs(value) < SMALLEST_NORMAL:
            return 0x80000000 if value < 0 else 0
        if abs(value) > LARGEST:
            state.raise_flag(OVERFLOW)
            goes_up = state.mode in (UP if value > 0 else DOWN, NEAREST_AWAY)
            return single_bits(math.copysign(math.inf if goes_up else LARGEST, value))
        return single_bits(value)
    bits = single_bits(value)
    if bits & INFINITY == INFINITY:
        state.raise_flag(OVERFLOW)
    return bits


def to_half(state: FloatState, value: float, exact: Fraction | None = None) -> int:
    """The bits of the half next to a value; too large ones are the largest finite half, or NaN with NANOO.

    Infinities come from infinite operands, so they are exact and do not overflow (IEEE 754-2008, 6.1 and 7.4). Chosen: the
    reference says only what overflowing makes.
    """
    if value != value:
        return QUIET_HALF_NAN
    sign = 0x8000 if math.copysign(1.0, value) < 0 else 0
    if math.isinf(value):
        return sign | INFINITE_HALF_BITS
    if value:
        whole = Fraction(value) if exact is None else exact
        if state.stochastic:
            value = _stochastic(state, whole)
        else:
            value = float(rounded(whole, state.mode, _HALF_DIGITS, _HALF_LEAST))
    if abs(value) > LARGEST_HALF:
        state.raise_flag(OVERFLOW)
        return QUIET_HALF_NAN if state.nan_on_overflow else sign | LARGEST_HALF_BITS
    return int(np.float16(value).view(np.uint16)) if value else sign


def _stochastic(state: FloatState, value: Fraction) -> float:
    """Up or down, each as likely as the value is near."""
    low = rounded(value, DOWN, _HALF_DIGITS, _HALF_LEAST)
    high = rounded(value, UP, _HALF_DIGITS, _HALF_LEAST)
    if low == high:
        return float(low)
    return float(high if (value - low) / (high - low) > Fraction(state.next_random(), 1 << 32) else low)


# --- arithmetic ---------------------------------------------------------------------------------------------------------


def _arithmetic(compute: Callable[[float, float], float], exact: Exact) -> tuple[Lane, Lane]:
    """The operation on single-precision numbers, and on halves."""

    def result(state: FloatState, x: float, y: float) -> tuple[float, Fraction | None]:
        value = compute(x, y)
        if value != value and x == x and y == y:
            state.raise_flag(INVALID)
        if math.isfinite(value) and (state.mode or state.stochastic) and value:
            return value, exact(Fraction(x), Fraction(y))
        return value, None

    def on_singles(state: FloatState, s: int, t: int) -> int:
        _check_signalling(state, s, t)
        value, fraction = result(state, single(s), single(t))
        return to_single(state, value, fraction)

    def on_halves(state: FloatState, s: int, t: int) -> int:
        _check_signalling_halves(state, s, t)
        value, fraction = result(state, HALVES[s], HALVES[t])
        return to_half(state, value, fraction)

    return on_singles, on_halves


def _check_signalling(state: FloatState, *operands: int) -> None:
    if any(is_signalling(bits) for bits in operands):
        state.raise_flag(INVALID)


def _check_signalling_halves(state: FloatState, *operands: int) -> None:
    if any(bits & 0x7E00 == 0x7C00 and bits & 0x1FF for bits in operands):
        state.raise_flag(INVALID)


def _chosen(better: Callable[[float, float], bool], magnitude: bool = False) -> tuple[Lane, Lane]:
    """Maximum and minimum: the operand that is no NaN wins (IPU 3.5); +0 is above -0."""

    def chosen(x: float, y: float) -> float:
        if magnitude:
            x, y = abs(x), abs(y)
        if x != x:
            return y
        if y != y:
            return x
        if x == y == 0:
            return x if better(math.copysign(1.0, x), math.copysign(1.0, y)) else y
        return x if better(x, y) else y

    def on_singles(state: FloatState, s: int, t: int) -> int:
        _check_signalling(state, s, t)
        return single_bits(chosen(single(s), single(t)))

    def on_halves(state: FloatState, s: int, t: int) -> int:
        _check_signalling_halves(state, s, t)
        return half_bits_of(chosen(HALVES[s], HALVES[t]))

    return on_singles, on_halves


def half_bits_of(value: float) -> int:
    """The bits of a number that is a half."""
    return QUIET_HALF_NAN if value != value else int(np.float16(value).view(np.uint16))


def _compared(holds: Callable[[float, float], bool]) -> tuple[Lane, Lane]:
    def on_singles(state: FloatState, s: int, t: int) -> int:
        _check_signalling(state, s, t)
        return 0xFFFFFFFF if holds(single(s), single(t)) else 0

    def on_halves(state: FloatState, s: int, t: int) -> int:
        _check_signalling_halves(state, s, t)
        return 0xFFFF if holds(HALVES[s], HALVES[t]) else 0

    return on_singles, on_halves


BINARY_LANES: dict[str, tuple[Lane, Lane]] = {
    "add": _arithmetic(lambda x, y: x + y, lambda x, y: x + y),
    "sub": _arithmetic(lambda x, y: x - y, lambda x, y: x - y),
    "mul": _arithmetic(lambda x, y: x * y, lambda x, y: x * y),
    "absadd": _arithmetic(lambda x, y: abs(x) + abs(y), lambda x, y: abs(x) + abs(y)),
    "max": _chosen(lambda x, y: x > y),
    "min": _chosen(lambda x, y: x < y),
    "absmax": _chosen(lambda x, y: x > y, magnitude=True),
    "cmpeq": _compared(lambda x, y: x == y),
    "cmpne": _compared(lambda x, y: x != y),
    "cmpge": _compared(lambda x, y: x >= y),
    "cmpgt": _compared(lambda x, y: x > y),
    "cmple": _compared(lambda x, y: x <= y),
    "cmplt": _compared(lambda x, y: x < y),
}
"""Operation → its lane on single-precision numbers and on halves."""


def divided(state: FloatState, s: int, t: int) -> int:
    """``f32div``."""
    _check_signalling(state, s, t)
    x, y = single(s), single(t)
    if y == 0 and x == x:
        negative = math.copysign(1.0, x) * math.copysign(1.0, y) < 0
        if x == 0:
            state.raise_flag(INVALID)
            return QUIET_NAN
        if not math.isinf(x):
            state.raise_flag(DIVIDE_BY_ZERO)
        return INFINITY | 0x80000000 if negative else INFINITY
    if math.isinf(x) and math.isinf(y):
        state.raise_flag(INVALID)
        return QUIET_NAN
    value = x / y
    exact = Fraction(x) / Fraction(y) if state.mode and math.isfinite(value) and value and math.isfinite(y) else None
    return to_single(state, value, exact)


# --- conversions --------------------------------------------------------------------------------------------------------


def to_integer(state: FloatState, s: int, low: int, high: int) -> int:
    """The integer next to a number, as bits; what is out of range is the nearest one that there is, and invalid."""
    value = single(s)
    if value != value:
        state.raise_flag(INVALID)
        return 0
    whole = integral(value, state.mode) if math.isfinite(value) else (high + 1 if value > 0 else low - 1)
    if not low <= whole <= high:
        state.raise_flag(INVALID)
        whole = max(low, min(high, whole))
    return whole & 0xFFFFFFFF


def to_integral(state: FloatState, s: int, mode: int) -> int:
    """``f32int``: the integral number next to one."""
    _check_signalling(state, s)
    value = single(s)
    if not math.isfinite(value):
        return single_bits(value)
    return single_bits(math.copysign(float(integral(value, mode if mode <= 4 else 0)), value))


def from_integer(state: FloatState, number: int) -> int:
    """The single-precision number next to an integer."""
    return to_single(state, float(number), Fraction(number))


# --- elementary functions -----------------------------------------------------------------------------------------------


def _sigmoid(x: np.float32) -> np.float32:
    return np.float32(1.0 / (1.0 + np.exp(-np.float64(x))))


_FUNCTIONS: dict[str, Callable[[np.float32], np.float32]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "ln": np.log,
    "log2": np.log2,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "sigm": _sigmoid,
    "oox": lambda x: np.float32(1.0) / x,
    "oorx": lambda x: np.float32(1.0 / np.sqrt(np.float64(x))),
}
_OF_POSITIVE = frozenset(("ln", "log2", "sqrt", "oorx"))
_POLE_AT_ZERO = frozenset(("ln", "log2", "oox", "oorx"))


def elementary(state: FloatState, name: str, x: float) -> float:
    """A function in single precision as numpy computes it; the hardware's accuracy is not public (IPU 9.8)."""
    if x != x:
        return x
    if name in _OF_POSITIVE and x < 0:
        state.raise_flag(INVALID)
        return math.nan
    if name in _POLE_AT_ZERO and x == 0:
        state.raise_flag(DIVIDE_BY_ZERO)
        if name in ("ln", "log2"):
            return -math.inf
        return math.copysign(math.inf, x)
    with np.errstate(all="ignore"):
        value = float(_FUNCTIONS[name](np.float32(x)))
    if math.isinf(value) and math.isfinite(x):
        state.raise_flag(OVERFLOW)
    return value


# --- classes and random numbers -----------------------------------------------------------------------------------------

(
    SIGNALLING,
    QUIET,
    NEGATIVE_INFINITY,
    NEGATIVE,
    NEGATIVE_SUBNORMAL,
    NEGATIVE_ZERO,
    ZERO,
    SUBNORMAL,
    POSITIVE,
    POSITIVE_INFINITY,
) = range(1, 11)
"""Codes of ``class`` (IPU 3.8)."""


def class_code(bits: int, exponent_bits: int, digits: int) -> int:
    """The class of a number with so many bits of exponent and fraction."""
    negative = bits >> exponent_bits + digits & 1
    exponent = bits >> digits & (1 << exponent_bits) - 1
    fraction = bits & (1 << digits) - 1
    if exponent == (1 << exponent_bits) - 1:
        if fraction:
            return QUIET if fraction >> digits - 1 else SIGNALLING
        return NEGATIVE_INFINITY if negative else POSITIVE_INFINITY
    if exponent:
        return NEGATIVE if negative else POSITIVE
    if fraction:
        return NEGATIVE_SUBNORMAL if negative else SUBNORMAL
    return NEGATIVE_ZERO if negative else ZERO


def centred(bits: int, width: int) -> float:
    """Random bits as a number in (-1/2, 1/2) that is never 0: the middle of one of 2**width parts."""
    return (bits + 0.5) / (1 << width) - 0.5
