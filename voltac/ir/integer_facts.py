"""Symbols of formulas -> a known divisor and range of each, from how they are computed.

Loop counters are proved by induction: the start value gives the claim, each step
that adds a known amount without wrapping has to keep it.
"""

from __future__ import annotations

from typing import Protocol

from voltac.ir import lane_formulas
from voltac.ir.lane_formulas import NOTHING, IntegerFacts, LaneValue, UniformSymbol, greatest_common_divisor, power_of_two_part
from voltac.ir.match import made_by
from voltac.ir.memo import Memo
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import integer_bits


class Formulas(Protocol):
    """What is asked of the analysis whose symbols these are (``ir/lane_values.py``)."""

    memo: Memo
    definitions: dict[str, Instruction]

    def of(self, operand: Operand) -> LaneValue | None:
        """The formula of an operand, if it has one."""


class FactFinder:
    """``facts(symbol)``, remembered."""

    def __init__(self, values: Formulas) -> None:
        self._values = values

    def __call__(self, symbol: UniformSymbol) -> IntegerFacts:
        """While the facts of a phi are looked for nothing is known of it, so what is concluded holds."""
        memo = self._values.memo
        if symbol in memo.answers and symbol not in memo.rests_on:
            known: IntegerFacts = memo.answers[symbol]
            return known
        found: IntegerFacts = memo.answer(
            symbol, _within_type(NOTHING, symbol), lambda: _within_type(self._find(symbol), symbol)
        )
        return found

    def of_value(self, value: LaneValue) -> IntegerFacts:
        """Facts of lane 0 of a formula."""
        scalar = value.first()
        low, high = lane_formulas.value_range(scalar, self)
        multiple = lane_formulas.uniform_multiple(scalar, self)
        offset = scalar.offsets[0]
        if not scalar.signed:
            offset = power_of_two_part(offset)
        return IntegerFacts(greatest_common_divisor(multiple, offset), low, high)

    def _find(self, symbol: UniformSymbol) -> IntegerFacts:
        if symbol.inner is not None:
            return self._derived(symbol, symbol.inner)
        instruction = self._values.definitions.get(symbol.name)
        if instruction is None or symbol.kind == "pointer":
            return NOTHING
        op, parts = instruction.op, instruction.parts
        if op == "phi":
            return self._induction(symbol, parts.operands)
        if op == "select":
            return _either([self._operand(operand) for operand in parts.operands[1:]])
        if op == "call":
            return self._call(parts.callee, parts.operands)
        if len(parts.operands) == 2:
            return self._binary(op, parts.flags, parts.operands, symbol.bits)
        if op in ("zext", "sext") and integer_bits(parts.operands[0].type) == 1:
            return IntegerFacts(1, 0, 1) if op == "zext" else IntegerFacts(1, -1, 0)
        return NOTHING

    def _operand(self, operand: Operand) -> IntegerFacts:
        value = self._values.of(operand)
        return NOTHING if value is None else self.of_value(value)

    def _constant(self, operand: Operand) -> int | None:
        """The number an operand is (in the lane that symbols stand for), or None."""
        if operand.value[0] == "%":
            return None
        value = self._values.of(operand)
        return value.offsets[0] if value is not None and value.is_constant else None

    def _derived(self, symbol: UniformSymbol, inner: UniformSymbol) -> IntegerFacts:
        known = self(inner)
        if symbol.kind == "sext":
            return known
        if symbol.kind == "zext":
            if known.low is not None and known.low >= 0:
                return known
            return IntegerFacts(power_of_two_part(known.multiple), 0, (1 << inner.bits) - 1)
        if symbol.kind == "trunc":
            limit = 1 << (symbol.bits - 1)
            if known.low is not None and known.high is not None and -limit <= known.low and known.high < limit:
                return known
            return IntegerFacts(power_of_two_part(known.multiple))
        if symbol.kind == "quotient":
            low = None if known.low is None else known.low // symbol.divisor
            high = None if known.high is None else known.high // symbol.divisor
            return IntegerFacts(known.multiple // symbol.divisor, low, high)
        return IntegerFacts(1, 0, ((1 << symbol.bits) - 1) // symbol.divisor)

    def _binary(self, op: str, flags: tuple[str, ...], operands: list[Operand], bits: int) -> IntegerFacts:
        first, second = (self._operand(operand) for operand in operands)
        amount = self._constant(operands[1])
        nonnegative = first.low is not None and first.low >= 0
        if op == "mul":
            product = first.multiple * second.multiple
            low = 0 if "nsw" in flags and nonnegative and second.low is not None and second.low >= 0 else None
            return IntegerFacts(product if "nsw" in flags else power_of_two_part(product), low)
        if op == "sub":
            return self._rounded_down(first, operands) or IntegerFacts(
                greatest_common_divisor(power_of_two_part(first.multiple), power_of_two_part(second.multiple))
            )
        if op == "shl":
            return IntegerFacts(power_of_two_part(first.multiple) << max(0, amount or 0))
        if op == "and":
            return self._bit_and(first, second, amount)
        if op in ("or", "xor"):
            multiple = greatest_common_divisor(power_of_two_part(first.multiple), power_of_two_part(second.multiple))
            both = nonnegative and second.low is not None and second.low >= 0
            return IntegerFacts(multiple, 0 if both else None)
        if op in ("lshr", "udiv") and amount and amount > 0:
            divisor = 1 << amount if op == "lshr" else amount
            high = (first.high if nonnegative and first.high is not None else (1 << bits) - 1) // divisor
            return IntegerFacts(1, 0, high) if high < 1 << (bits - 1) else NOTHING
        if op in ("ashr", "sdiv") and amount and amount > 0:
            divisor = 1 << amount if op == "ashr" else amount
            return IntegerFacts(
                1, 0 if nonnegative else None, first.high // divisor if nonnegative and first.high is not None else None
            )
        if op in ("urem", "srem") and amount and amount > 0:
            multiple = greatest_common_divisor(first.multiple if op == "srem" or nonnegative else 1, amount)
            return IntegerFacts(multiple, 0 if op == "urem" or nonnegative else 1 - amount, amount - 1)
        return NOTHING

    def _rounded_down(self, whole: IntegerFacts, operands: list[Operand]) -> IntegerFacts | None:
        """``n - (n & 7)`` and ``n - n % 8`` are multiples of 8."""
        rest = made_by(("and", "srem", "urem"), operands[1].value, self._values.definitions)
        if rest is None:
            return None
        minuend = self._values.of(operands[0])
        if minuend is None or not any(self._equals(operand, minuend) for operand in rest.operands):
            return None
        known = [self._constant(operand) for operand in rest.operands]
        number = next((each for each in known if each is not None), 0)
        divisor = number + 1 if rest.op == "and" else number
        if divisor <= 0 or (rest.op != "srem" and divisor & (divisor - 1)):
            return None
        return IntegerFacts(divisor, 0 if whole.low is not None and whole.low >= 0 else None, whole.high)

    def _equals(self, operand: Operand, other: LaneValue) -> bool:
        value = self._values.of(operand)
        return value is not None and value.terms == other.terms and value.offsets == other.offsets

    def _bit_and(self, first: IntegerFacts, second: IntegerFacts, amount: int | None) -> IntegerFacts:
        multiple = max(power_of_two_part(first.multiple), power_of_two_part(second.multiple))
        low, high = None, None
        for side in (first, second):
            if side.low is not None and side.low >= 0:
                low = 0
                if side.high is not None:
                    high = side.high if high is None else min(high, side.high)
        return IntegerFacts(multiple or 1, low, high)

    def _call(self, callee: str, operands: list[Operand]) -> IntegerFacts:
        if callee.startswith("@llvm.smax."):
            first, second = (self._operand(operand) for operand in operands)
            lows = [side.low for side in (first, second) if side.low is not None]
            high = None if first.high is None or second.high is None else max(first.high, second.high)
            return IntegerFacts(greatest_common_divisor(first.multiple, second.multiple), max(lows, default=None), high)
        if callee.startswith("@llvm.smin."):
            first, second = (self._operand(operand) for operand in operands)
            highs = [side.high for side in (first, second) if side.high is not None]
            low = None if first.low is None or second.low is None else min(first.low, second.low)
            return IntegerFacts(greatest_common_divisor(first.multiple, second.multiple), low, min(highs, default=None))
        if callee.startswith(("@llvm.ctpop.", "@llvm.ctlz.", "@llvm.cttz.")):
            return IntegerFacts(1, 0, integer_bits(operands[0].type) or 64)
        return NOTHING

    def _induction(self, symbol: UniformSymbol, operands: list[Operand]) -> IntegerFacts:
        """Facts of a phi, by induction from the values that enter over the steps that add to it."""
        steps: list[LaneValue] = []
        others: list[IntegerFacts] = []
        claim = NOTHING
        for operand in operands:
            value = self._values.of(operand)
            if value is None:
                others.append(NOTHING)
            elif value.terms.get(symbol) == 1:
                steps.append(value)
            else:
                others.append(self.of_value(value))
        if others:
            claim = _either(others)
            multiple = claim.multiple
            grows = True
            for step in steps:
                rest = {other: factor for other, factor in step.terms.items() if other != symbol}
                amount = self.of_value(LaneValue(step.bits, rest, step.offsets[:1]))
                multiple = greatest_common_divisor(multiple, amount.multiple)
                if not step.signed:
                    multiple = power_of_two_part(multiple)
                grows = grows and step.signed and amount.low is not None and amount.low >= 0
            claim = IntegerFacts(multiple or 1, claim.low if grows else None, None if steps else claim.high)
        return claim


def _within_type(known: IntegerFacts, symbol: UniformSymbol) -> IntegerFacts:
    """What is not known better is bounded by the bits of the symbol; pointers stay without bounds."""
    if symbol.kind == "pointer":
        return known
    limit = 1 << (symbol.bits - 1)
    low = -limit if known.low is None else known.low
    high = limit - 1 if known.high is None else known.high
    return IntegerFacts(known.multiple, low, high)


def _either(sides: list[IntegerFacts]) -> IntegerFacts:
    multiple = 0
    for side in sides:
        multiple = greatest_common_divisor(multiple, side.multiple)
    lows = [side.low for side in sides]
    highs = [side.high for side in sides]
    return IntegerFacts(
        multiple,
        None if None in lows else min(low for low in lows if low is not None),
        None if None in highs else max(high for high in highs if high is not None),
    )
