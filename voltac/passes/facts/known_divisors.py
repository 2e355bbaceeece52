"""Divisors that cannot be zero: constants, ``x | 1``, ``max(x, 1)``, counters from 1, ``x`` where it was tested.

%m = icmp ne <8 x i32> %x, zeroinitializer
%d = select <8 x i1> %m, <8 x i32> %x, <8 x i32> splat (i32 -1)           no lane is zero
"""

from __future__ import annotations

from voltac.ir import lane_formulas
from voltac.ir import match as m
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.passes.accesses.available_loads import conjuncts

_DEPTH = 6
"""Steps from a divisor back to what is known of it. Each may have two operands, which makes 64 looks at most."""
_EXTENSIONS = ("sext", "zext")
_COMPARED = m.op("icmp", m.value("value"), m.constant("numbers"))
_INVERSE = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt"}
_INVERSE |= {"ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt"}


def is_never_zero(divisor: Operand, values: LaneValues, depth: int = _DEPTH) -> bool:
    """Whether no lane of a divisor is zero, as far as that can be seen; those that are off have -1."""
    if divisor.value[0] != "%":
        numbers = integers(divisor.type, divisor.value)
        return numbers is not None and 0 not in numbers
    made = values.definitions.get(divisor.value)
    if depth and made is not None and _is_made_not_zero(made, values, depth - 1):
        return True
    formula = values.of(divisor)
    if formula is None:
        return False
    low, high = lane_formulas.value_range(formula, values.facts)
    return (low is not None and low > 0) or (high is not None and high < 0)


def _is_made_not_zero(made: Instruction, values: LaneValues, depth: int) -> bool:
    op, operands = made.op, made.operands
    if op in _EXTENSIONS:
        return is_never_zero(operands[0], values, depth)
    if op == "or":
        return any(is_never_zero(operand, values, depth) for operand in operands)
    if op == "shufflevector":
        scalar = m.scalar_of_splat(made.name, values.definitions)
        return scalar is not None and is_never_zero(scalar, values, depth)
    if op == "select":
        facts = conjuncts(operands[0].value, values).items()
        return all(
            is_never_zero(side, values, depth)
            or any(_tells(test, holds is wanted, side.value, values) for test, holds in facts if wanted or len(facts) == 1)
            for side, wanted in ((operands[1], True), (operands[2], False))
        )
    if op == "call" and made.parts.callee.startswith("@llvm.umax."):
        return any(is_never_zero(operand, values, depth) for operand in operands)
    if op == "call" and made.parts.callee.startswith("@llvm.smax."):
        numbers = [integers(operand.type, operand.value) for operand in operands if operand.value[0] != "%"]
        return any(each is not None and min(each) > 0 for each in numbers)
    return op == "add" and (_lower_bound(Operand(made.type, made.name), values, depth) or 0) > 0


def _lower_bound(operand: Operand, values: LaneValues, depth: int) -> int | None:
    """A number that no lane, read as signed, is below."""
    if operand.value[0] != "%":
        numbers = integers(operand.type, operand.value)
        return min(numbers) if numbers else None
    made = values.definitions.get(operand.value)
    if made is None or not depth:
        return None
    if made.op == "zext":
        return 0
    bounds = [_lower_bound(each, values, depth - 1) for each in made.operands] if made.op in ("and", "lshr", "add") else []
    if made.op == "and" and any(bound is not None and bound >= 0 for bound in bounds):
        return 0
    if made.op == "lshr" and (bounds[1] or 0) > 0:
        return 0
    first, second = bounds if made.op == "add" and "nsw" in made.parts.flags else (None, None)
    return None if first is None or second is None else first + second


def _tells(test: str, holds: bool, value: str, values: LaneValues) -> bool:
    """Whether a value is not zero where a comparison holds, or does not."""
    found = _COMPARED.find(test, values.definitions)
    numbers = integers(*found["numbers"]) if found else None
    if found is None or numbers is None or not _is_same(found["value"].value, value, values):
        return False
    predicate = values.definitions[test].parts.predicate
    order = predicate if holds else _INVERSE[predicate]
    return {
        "ne": all(number == 0 for number in numbers),
        "eq": 0 not in numbers,
        "ugt": True,
        "uge": 0 not in numbers,
        "sgt": min(numbers) >= 0,
        "sge": min(numbers) > 0,
        "slt": max(numbers) <= 0,
        "sle": max(numbers) < 0,
    }.get(order, False)


def _is_same(first: str, second: str, values: LaneValues) -> bool:
    """Whether both are one number, but for its length."""
    return m.source(first, _EXTENSIONS, values.definitions) == m.source(second, _EXTENSIONS, values.definitions)
