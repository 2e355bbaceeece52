"""What x86's own intrinsics mean, for the IR interpreter: rows found by the name without ``llvm.``.

Estimates are given exactly: a program may count on their accuracy, not on their error.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable

from voltac.ir.interp_memory import Called
from voltac.ir.interp_operations import divide
from voltac.ir.interp_values import InstructionFault, Value, round_single, square_root, to_signed

_WORD = 0xFFFFFFFF
_DEFAULT_CONTROL = 0x1F80
"""Rounding to nearest, all exceptions masked, no flushing to zero."""


def _permute(called: Called) -> Value:
    """Lane l gets the lane whose number is in the low bits of ``positions[l]``."""
    values, positions = called.arguments
    return [None if position is None else values[position % len(values)] for position in positions]


def _permute_within(entries: int) -> Callable[[Called], Value]:
    """``vpermilps`` and ``vpermilpd``: each 16 bytes by themselves; of two entries the second bit of a position chooses."""

    def run(called: Called) -> Value:
        values, positions = called.arguments
        starts = [lane - lane % entries for lane in range(len(values))]
        lowest = 1 if entries == 2 else 0
        return [
            None if position is None else values[start + (position >> lowest) % entries]
            for start, position in zip(starts, positions)
        ]

    return run


def _permute_two(called: Called) -> Value:
    """The same of two values, the positions between them."""
    low, positions, high = called.arguments
    values = [*low, *high]
    return [None if position is None else values[position % len(values)] for position in positions]


def _permute_bytes(called: Called) -> Value:
    """``pshufb``: like a permute, but a position with the highest bit set gives 0."""
    values, positions = called.arguments
    return [None if position is None else 0 if position & 128 else values[position % 16] for position in positions]


def _expand(called: Called) -> Value:
    """The lanes that are on take the values from the front, in order; the others what they had."""
    values, otherwise, mask = called.arguments
    rest = iter(values)
    return [None if on is None else next(rest) if on else old for on, old in zip(mask, otherwise)]


def _compress(called: Called) -> Value:
    """The lanes that are on, in order, at the front; behind them the others have what they had."""
    values, otherwise, mask = called.arguments
    if None in mask:
        return [None] * len(mask)
    kept = [value for value, on in zip(values, mask) if on]
    return kept + list(otherwise[len(kept) :])


def _random_bits(called: Called) -> Value:
    """Numbers of the hardware, and that there are some."""
    number = called.result.members[0]
    return [secrets.randbits(number.bits), 1]


def _spread_bits(called: Called) -> Value:
    """``pdep``: the low bits of the first operand, in order, to the places of the ones in the second."""
    bits, places = called.arguments
    if bits is None or places is None:
        return None
    result = 0
    for place in range(called.result.scalar.bits):
        if places >> place & 1:
            result |= (bits & 1) << place
            bits >>= 1
    return result


def _collect_bits(called: Called) -> Value:
    """``pext``: the bits of the first operand at the places of the ones in the second, packed."""
    bits, places = called.arguments
    if bits is None or places is None:
        return None
    result, count = 0, 0
    for place in range(called.result.scalar.bits):
        if places >> place & 1:
            result |= (bits >> place & 1) << count
            count += 1
    return result


def _conflicts(called: Called) -> Value:
    """``vpconflictd`` and ``vpconflictq``: in each lane a bit for each lane before it that has the same value."""
    values = called.arguments[0]
    if any(value is None for value in values):
        raise InstructionFault("a lane that is compared is poison")
    return [sum((before == value) << lane for lane, before in enumerate(values[:at])) for at, value in enumerate(values)]


def estimate(function: Callable[[float], float]) -> Callable[[Called], Value]:
    """The meaning of an instruction that estimates: here the function itself, rounded once."""

    def run(called: Called) -> Value:
        round_ = round_single if called.result.scalar.bits == 32 else float
        return [None if value is None else round_(function(value)) for value in called.arguments[0]]

    return run


def _masked_estimate(function: Callable[[float], float]) -> Callable[[Called], Value]:
    """AVX-512 forms: value, what off lanes get, mask as an integer."""
    estimated = estimate(function)

    def run(called: Called) -> Value:
        _, otherwise, mask = called.arguments
        if mask is None:
            raise InstructionFault("the mask is poison")
        return [new if mask >> lane & 1 else otherwise[lane] for lane, new in enumerate(estimated(called))]

    return run


def reciprocal(value: float) -> float:
    """``1 / value``."""
    return divide(1.0, value)


def reciprocal_root(value: float) -> float:
    """``1 / sqrt(value)``."""
    return divide(1.0, square_root(value))


def _float_parts(part: Callable[[float], float]) -> Callable[[Called], Value]:
    def run(called: Called) -> Value:
        return [None if value is None else part(value) for value in called.arguments[0]]

    return run


def _exponent(value: float) -> float:
    """``getexp``: the exponent of the size."""
    if not math.isfinite(value):
        return abs(value)
    return float(math.frexp(value)[1] - 1) if value else -math.inf


def _significand(value: float) -> float:
    """``getmant`` with the interval 3/4 .. 3/2 and NaN below zero, as ``lower`` asks for it."""
    if value != value or value < 0:
        return math.nan
    if value in (0.0, math.inf):
        return 1.0
    part = math.frexp(value)[0]
    return 2 * part if part < 0.75 else part


def _scale(called: Called) -> Value:
    values, powers = called.arguments[:2]

    def one(value: float, power: float) -> float:
        if not (math.isfinite(value) and math.isfinite(power)) or value == 0:
            return value + 0 * power
        try:
            return round_single(math.ldexp(value, math.floor(power)))
        except OverflowError:
            return math.copysign(math.inf, value)

    return [None if None in (value, power) else one(value, power) for value, power in zip(values, powers)]


def _store_control(called: Called) -> Value:
    word = called.memory.find(called.arguments[0], 4, 1, write=True)
    word[0].data[word[1] : word[1] + 4] = _DEFAULT_CONTROL.to_bytes(4, "little")
    word[0].defined[word[1] : word[1] + 4] = b"\1" * 4
    return None


def _nothing(called: Called) -> Value:
    return None


def _products_of_neighbours(called: Called) -> Value:
    """``pmaddwd``: signed 16-bit products, each with its neighbour's added in 32 bits."""
    first, second = called.arguments
    products = [None if None in pair else to_signed(pair[0], 16) * to_signed(pair[1], 16) for pair in zip(first, second)]
    pairs = zip(products[::2], products[1::2])
    return [None if one is None or other is None else (one + other) & _WORD for one, other in pairs]


def _products_of_neighbouring_bytes(called: Called) -> Value:
    """``pmaddubsw``: unsigned times signed bytes, each with its neighbour's added in 16 bits, held within them."""
    first, second = called.arguments
    products = [None if None in pair else pair[0] * to_signed(pair[1], 8) for pair in zip(first, second)]
    pairs = zip(products[::2], products[1::2])
    return [None if one is None or other is None else min(max(one + other, -0x8000), 0x7FFF) & 0xFFFF for one, other in pairs]


def _rounded_high_products(called: Called) -> Value:
    """``pmulhrsw``: signed 16-bit products without their lowest 15 bits, rounded."""
    pairs = zip(*called.arguments)
    return [
        None if None in pair else ((to_signed(pair[0], 16) * to_signed(pair[1], 16) >> 14) + 1 >> 1) & 0xFFFF for pair in pairs
    ]


def _products_of_bytes(called: Called) -> Value:
    """``vpdpbusd``: unsigned times signed bytes, the products of four neighbours added to what is there."""
    sums, *sides = called.arguments
    products = [None if None in pair else pair[0] * to_signed(pair[1], 8) for pair in zip(*sides)]
    fours = [[total, *products[4 * lane : 4 * lane + 4]] for lane, total in enumerate(sums)]
    return [None if None in each else sum(each) & _WORD for each in fours]


def _distances_of_neighbours(called: Called) -> Value:
    """``psadbw``: the absolute differences of eight unsigned bytes, added."""
    distances = [None if None in pair else abs(pair[0] - pair[1]) for pair in zip(*called.arguments)]
    eights = [distances[start : start + 8] for start in range(0, len(distances), 8)]
    return [None if None in each else sum(each) for each in eights]


X86: dict[str, Callable[[Called], Value]] = {
    **dict.fromkeys(("x86.sse2.pmadd.wd", "x86.avx2.pmadd.wd", "x86.avx512.pmaddw.d"), _products_of_neighbours),
    **dict.fromkeys(
        ("x86.ssse3.pmadd.ub.sw.128", "x86.avx2.pmadd.ub.sw", "x86.avx512.pmaddubs.w.512", "x86.avx512.pmaddubs.w"),
        _products_of_neighbouring_bytes,
    ),
    **dict.fromkeys(("x86.ssse3.pmul.hr.sw.128", "x86.avx2.pmul.hr.sw", "x86.avx512.pmul.hr.sw"), _rounded_high_products),
    "x86.avx512.vpdpbusd": _products_of_bytes,
    **dict.fromkeys(("x86.sse2.psad.bw", "x86.avx2.psad.bw", "x86.avx512.psad.bw"), _distances_of_neighbours),
    "x86.avx2.permd": _permute,
    "x86.avx2.permps": _permute,
    "x86.avx512.permvar": _permute,
    "x86.avx512.vpermi2var": _permute_two,
    **dict.fromkeys(("x86.avx.vpermilvar.ps", "x86.avx512.vpermilvar.ps"), _permute_within(4)),
    **dict.fromkeys(("x86.avx.vpermilvar.pd", "x86.avx512.vpermilvar.pd"), _permute_within(2)),
    "x86.ssse3.pshuf.b.128": _permute_bytes,
    "x86.avx512.mask.expand": _expand,
    "x86.avx512.mask.compress": _compress,
    "x86.avx512.conflict": _conflicts,
    "x86.bmi.pdep": _spread_bits,
    "x86.bmi.pext": _collect_bits,
    "x86.sse.rcp.ps": estimate(reciprocal),
    "x86.sse.rsqrt.ps": estimate(reciprocal_root),
    "x86.avx.rcp.ps": estimate(reciprocal),
    "x86.avx.rsqrt.ps": estimate(reciprocal_root),
    "x86.avx512.rcp14": _masked_estimate(reciprocal),
    "x86.avx512.rsqrt14": _masked_estimate(reciprocal_root),
    "x86.avx512.mask.getexp": _float_parts(_exponent),
    "x86.avx512.mask.getmant": _float_parts(_significand),
    "x86.avx512.mask.scalef": _scale,
    "x86.sse.stmxcsr": _store_control,
    "x86.sse.ldmxcsr": _nothing,
    **{f"x86.rd{word}.{bits}": _random_bits for word in ("rand", "seed") for bits in (16, 32, 64)},
    "x86.sse.sfence": _nothing,
    "x86.sse2.mfence": _nothing,
    "x86.sse2.lfence": _nothing,
}
