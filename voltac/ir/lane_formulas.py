"""What the lanes of a value are, as a formula: a sum of uniform symbols plus one constant a lane.

The lane with number L of a :class:`LaneValue` is

    sum(coefficient * symbol) + offsets[L]        (modulo 2 ** bits, always)

``signed`` says that this holds for signed integers without any wrapping, ``unsigned``
for unsigned ones; only such a value may be extended or divided. Pointers are
64-bit values with one symbol of kind ``pointer``. The arithmetic of formulas is
here; where they come from in a function is ``ir/lane_values.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from voltac.records import mutable_record


class UniformSymbol(NamedTuple):
    """A uniform scalar that stays as it is in formulas."""

    kind: str
    """``value``: a scalar of the function. ``lane``: what the lanes of a vector have in common, that is lane 0.
    ``pointer``: a scalar pointer. ``sext``, ``zext``, ``trunc``: of ``inner``.
    ``quotient``: ``inner / divisor``, known to leave no remainder, signed; ``unsigned_quotient`` likewise."""
    name: str
    """``%i``, ``@g`` for the first three kinds."""
    bits: int
    inner: UniformSymbol | None = None
    divisor: int = 1

    def text(self) -> str:
        """For reports: ``sext(%i)``."""
        if self.inner is None:
            return self.name
        return f"{self.inner.text()}/{self.divisor}" if "quotient" in self.kind else f"{self.kind}({self.inner.text()})"


class IntegerFacts(NamedTuple):
    """What is known of an integer, read as signed: a divisor of it, and its range; None where nothing is known.

    A multiple of 0 is the number 0 itself.
    """

    multiple: int = 1
    low: int | None = None
    high: int | None = None


NOTHING = IntegerFacts()
FactsOf = Callable[[UniformSymbol], IntegerFacts]


@mutable_record
class LaneValue:
    """See the head of this file. One offset for a scalar. Treat as immutable."""

    bits: int
    terms: dict[UniformSymbol, int]
    offsets: tuple[int, ...]
    signed: bool = True
    unsigned: bool = True

    @property
    def key(self) -> frozenset[tuple[UniformSymbol, int]]:
        """The uniform part without the constant, to compare."""
        return frozenset(self.terms.items())

    @property
    def is_uniform(self) -> bool:
        """All lanes are equal."""
        first = self.offsets[0]
        return all(offset == first for offset in self.offsets)

    @property
    def is_constant(self) -> bool:
        """Every lane is a number that is known."""
        return not self.terms

    def text(self) -> str:
        """For reports and tests: ``4*%i + [0, 4, 8, 12]``."""
        terms = [symbol.text() if factor == 1 else f"{factor}*{symbol.text()}" for symbol, factor in self.terms.items()]
        return " + ".join([*terms, str(list(self.offsets))])

    def first(self) -> LaneValue:
        """Lane 0 as a scalar."""
        return LaneValue(self.bits, self.terms, self.offsets[:1], self.signed, self.unsigned)

    def splat(self, lanes: int) -> LaneValue:
        """So many times the lanes of this one, one after the other."""
        return LaneValue(self.bits, self.terms, self.offsets * lanes, self.signed, self.unsigned)

    def select_lanes(self, lanes: list[int]) -> LaneValue:
        """These lanes, in this order."""
        return LaneValue(self.bits, self.terms, tuple(self.offsets[lane] for lane in lanes), self.signed, self.unsigned)


def constant(bits: int, values: tuple[int, ...]) -> LaneValue:
    """Constants as LLVM prints them, that is signed."""
    return LaneValue(bits, {}, values, True, all(value >= 0 for value in values))


def wrap(value: int, bits: int) -> int:
    """The signed number that is congruent modulo 2 ** bits."""
    half = 1 << (bits - 1)
    return ((value + half) & ((1 << bits) - 1)) - half


def _finish(value: LaneValue, facts: FactsOf) -> LaneValue:
    """Without any guarantee offsets are kept small; a range may give the guarantees that flags did not."""
    if not value.signed or not value.unsigned:
        low, high = value_range(value, facts, exact=False)
        if low is not None and high is not None:
            if not value.signed:
                value.signed = -(1 << (value.bits - 1)) <= low and high < 1 << (value.bits - 1)
            if not value.unsigned:
                nonnegative = all(_nonnegative(facts(symbol)) for symbol in value.terms)
                value.unsigned = nonnegative and low >= 0 and high < 1 << value.bits
        elif not value.unsigned and value.signed and low is not None and low >= 0:
            value.unsigned = all(_nonnegative(facts(symbol)) for symbol in value.terms)
    if not value.signed and not value.unsigned:
        value.offsets = tuple(wrap(offset, value.bits) for offset in value.offsets)
    return value


def _nonnegative(facts: IntegerFacts) -> bool:
    return facts.low is not None and facts.low >= 0


def value_range(value: LaneValue, facts: FactsOf, exact: bool = True) -> tuple[int | None, int | None]:
    """The least and the greatest lane, as signed numbers; ``exact=False`` looks at the formula, not at the wrapped value."""
    if exact and not value.signed:
        return None, None
    low: int | None = min(value.offsets)
    high: int | None = max(value.offsets)
    for symbol, factor in value.terms.items():
        known = facts(symbol)
        ends = (known.low, known.high) if factor > 0 else (known.high, known.low)
        low = None if low is None or ends[0] is None else low + factor * ends[0]
        high = None if high is None or ends[1] is None else high + factor * ends[1]
    return low, high


def is_nonnegative(value: LaneValue, facts: FactsOf) -> bool:
    """Whether no lane, read as signed, is below 0 as far as is known."""
    low, _ = value_range(value, facts)
    return low is not None and low >= 0


def uniform_multiple(value: LaneValue, facts: FactsOf) -> int:
    """A number that divides the sum of the terms (offsets left out); 0 if there are none."""
    multiple = 0
    for symbol, factor in value.terms.items():
        multiple = greatest_common_divisor(multiple, factor * facts(symbol).multiple)
    return multiple if value.signed else power_of_two_part(multiple)


def wrapped_together(value: LaneValue, whole: LaneValue, facts: FactsOf) -> LaneValue | None:
    """A formula without wrapping for a sum that may wrap, where all lanes do so together; ``whole`` is the sum as a symbol.

    Numbers wrap, signed and unsigned, at multiples of any power of two. The uniform part is such a multiple, wrapped or
    not: of ``8 * x + [0, 2, 4, 6]`` no lane leaves the eight numbers in which lane 0 is.
    """
    step = power_of_two_part(uniform_multiple(value, facts))
    if not step or min(value.offsets) // step != max(value.offsets) // step:
        return None
    if min(value.offsets) // step == 0 and list(value.terms.values()) == [1]:
        return LaneValue(value.bits, value.terms, value.offsets)
    return LaneValue(value.bits, whole.terms, tuple(offset - value.offsets[0] for offset in value.offsets))


def power_of_two_part(number: int) -> int:
    """The greatest power of two that divides it; 0 for 0."""
    return number & -number


def greatest_common_divisor(first: int, second: int) -> int:
    """Never negative; with 0 it is the other number."""
    while second:
        first, second = second, first % second
    return abs(first)


def _merged(first: dict[UniformSymbol, int], second: dict[UniformSymbol, int], sign: int) -> dict[UniformSymbol, int]:
    terms = dict(first)
    for symbol, factor in second.items():
        total = terms.get(symbol, 0) + sign * factor
        if total:
            terms[symbol] = total
        else:
            terms.pop(symbol, None)
    return terms


def add(first: LaneValue, second: LaneValue, flags: tuple[str, ...], facts: FactsOf) -> LaneValue:
    """Also ``or disjoint``, which wraps neither way."""
    disjoint = "disjoint" in flags
    return _finish(
        LaneValue(
            first.bits,
            _merged(first.terms, second.terms, 1),
            tuple(map(int.__add__, first.offsets, second.offsets)),
            ("nsw" in flags or disjoint) and first.signed and second.signed,
            ("nuw" in flags or disjoint) and first.unsigned and second.unsigned,
        ),
        facts,
    )


def subtract(first: LaneValue, second: LaneValue, flags: tuple[str, ...], facts: FactsOf) -> LaneValue:
    """``sub`` with its flags."""
    return _finish(
        LaneValue(
            first.bits,
            _merged(first.terms, second.terms, -1),
            tuple(map(int.__sub__, first.offsets, second.offsets)),
            "nsw" in flags and first.signed and second.signed,
            "nuw" in flags and first.unsigned and second.unsigned,
        ),
        facts,
    )


def scale(value: LaneValue, factor: int, flags: tuple[str, ...], facts: FactsOf) -> LaneValue:
    """Product with a constant."""
    if factor == 0:
        return constant(value.bits, (0,) * len(value.offsets))
    return _finish(
        LaneValue(
            value.bits,
            {symbol: own * factor for symbol, own in value.terms.items()},
            tuple(offset * factor for offset in value.offsets),
            "nsw" in flags and value.signed,
            "nuw" in flags and value.unsigned and factor > 0,
        ),
        facts,
    )


def sign_extend(value: LaneValue, bits: int, facts: FactsOf) -> LaneValue | None:
    """``sext``; None where lanes may have wrapped."""
    if not value.signed:
        return None
    terms = {_extended("sext", symbol, bits): factor for symbol, factor in value.terms.items()}
    return _finish(LaneValue(bits, terms, value.offsets, True, False), facts)


def zero_extend(value: LaneValue, bits: int, facts: FactsOf, nonnegative: bool) -> LaneValue | None:
    """``nonnegative``: the instruction says so (``nneg``)."""
    if value.signed and (nonnegative or is_nonnegative(value, facts)):
        return sign_extend(value, bits, facts)
    if not value.unsigned:
        return None
    # What is not negative is extended by either one name, so that it is known to be the same.
    kinds = {symbol: "sext" if _nonnegative(facts(symbol)) else "zext" for symbol in value.terms}
    terms = {_extended(kinds[symbol], symbol, bits): factor for symbol, factor in value.terms.items()}
    return LaneValue(bits, terms, value.offsets, True, True)


def truncate(value: LaneValue, bits: int, facts: FactsOf, flags: tuple[str, ...]) -> LaneValue:
    """``trunc`` with its flags: modulo the smaller size."""
    terms: dict[UniformSymbol, int] = {}
    for symbol, factor in value.terms.items():
        narrow = UniformSymbol("trunc", "", bits, symbol)
        if symbol.kind in ("sext", "zext") and symbol.inner is not None and symbol.inner.bits == bits:
            narrow = symbol.inner
        terms = _merged(terms, {narrow: factor}, 1)
    # Of a sum that fits and has no negative part each part fits.
    parts = min(value.offsets) >= 0 and all(factor > 0 for factor in value.terms.values())
    whole = parts and all(_nonnegative(facts(symbol)) for symbol in value.terms)
    unsigned = "nuw" in flags and value.unsigned and parts
    return _finish(LaneValue(bits, terms, value.offsets, "nsw" in flags and value.signed and whole, unsigned), facts)


def _extended(kind: str, symbol: UniformSymbol, bits: int) -> UniformSymbol:
    if symbol.kind == kind and symbol.inner is not None:
        return UniformSymbol(kind, "", bits, symbol.inner)
    return UniformSymbol(kind, "", bits, symbol)


def divide(value: LaneValue, divisor: int, rounding: str, facts: FactsOf) -> LaneValue | None:
    """Quotient by a positive constant. ``rounding``: ``floor`` (ashr), ``zero`` (sdiv) or ``unsigned`` (udiv, lshr).

    Possible where the uniform part is known to be a multiple of the divisor.
    """
    if divisor <= 0 or uniform_multiple(value, facts) % divisor:
        return None
    if value.signed and (rounding == "floor" or is_nonnegative(value, facts)):
        kind = "quotient"
    elif rounding == "unsigned" and value.unsigned:
        kind = "unsigned_quotient"
    else:
        return None
    terms: dict[UniformSymbol, int] = {}
    for symbol, factor in value.terms.items():
        if (factor * facts(symbol).multiple) % divisor:
            return None
        common = greatest_common_divisor(factor, divisor)
        rest = divisor // common
        quotient = symbol if rest == 1 else UniformSymbol(kind, "", value.bits, symbol, rest)
        terms = _merged(terms, {quotient: factor // common}, 1)
    return _finish(
        LaneValue(
            value.bits,
            terms,
            tuple(offset // divisor for offset in value.offsets),
            kind == "quotient",
            kind == "unsigned_quotient",
        ),
        facts,
    )


def remainder(value: LaneValue, divisor: int, is_signed: bool, facts: FactsOf) -> LaneValue | None:
    """Remainder by a positive constant, where it is the same constant in every iteration."""
    if divisor <= 0 or uniform_multiple(value, facts) % divisor:
        return None
    wraps_evenly = not is_signed and divisor & (divisor - 1) == 0
    if wraps_evenly or (value.signed and is_nonnegative(value, facts)) or (not is_signed and value.unsigned):
        return constant(value.bits, tuple(offset % divisor for offset in value.offsets))
    return None


def bitwise(value: LaneValue, operation: str, constants: tuple[int, ...], facts: FactsOf) -> LaneValue | None:
    """``and``, ``or``, ``xor`` with constants that touch only the low bits, in which the uniform part is zero."""
    multiple = uniform_multiple(value, facts)
    low_bits = (power_of_two_part(multiple) - 1) if multiple else (1 << value.bits) - 1
    offsets: list[int] = []
    for offset, mask in zip(value.offsets, constants):
        low = offset & low_bits
        if operation == "and":
            if 0 <= mask <= low_bits:
                offsets.append(low & mask)
                continue
            if mask < 0 and ~mask <= low_bits:
                offsets.append(offset - (low & ~mask))
                continue
            return None
        if not 0 <= mask <= low_bits:
            return None
        offsets.append(offset - low + (low | mask if operation == "or" else low ^ mask))
    if operation == "and" and all(0 <= mask <= low_bits for mask in constants):
        return constant(value.bits, tuple(offsets))
    if operation == "and" and any(mask >= 0 for mask in constants):
        return None
    return _finish(LaneValue(value.bits, value.terms, tuple(offsets), value.signed, value.unsigned), facts)


def extended_number(number: int, op: str, bits: int) -> int:
    """A constant of ``bits`` bits after sext or zext."""
    pattern = number & ((1 << bits) - 1)
    return pattern - (1 << bits) if op == "sext" and pattern >> (bits - 1) else pattern
