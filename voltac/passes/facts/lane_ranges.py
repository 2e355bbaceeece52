"""Least and greatest number that 32-bit lanes hold, everywhere or only where a value is wanted.

    %low = icmp sge <8 x i32> %x, splat (i32 97)          %high = icmp sle <8 x i32> %x, splat (i32 122)
    %both = select <8 x i1> %low, <8 x i1> %high, <8 x i1> zeroinitializer
    %d = sub <8 x i32> %x, splat (i32 97)
    %chosen = select <8 x i1> %both, <8 x i32> %d, <8 x i32> %x

Whoever wants ``%d`` wants it where ``%both`` holds: there it is from 0 to 25. What it is in other lanes nobody looks at, so it
may be computed as if it were in that range, as long as no poison is made of it.
"""

from __future__ import annotations

from collections.abc import Collection

from voltac.ir import match as m
from voltac.ir.constants import integers
from voltac.ir.match import Definitions
from voltac.ir.model import Instruction
from voltac.ir.parts import FLOAT_BINARY, Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.ir.uses import Uses
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.facts.integer_ranges import ALL, RANGES, Range, range_of_call, union
from voltac.system.lazy_patterns import lazy_pattern

_INTRINSIC = lazy_pattern(r"@llvm\.(smin|smax|umin|umax|abs)\.(?:v\d+)?i32$")
_EXTENSIONS = frozenset(("zext", "sext"))
_LANEWISE = frozenset(
    (
        *("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "trunc", "zext", "sext", "sitofp", "uitofp"),
        *(*FLOAT_BINARY, "fneg", "freeze", "fptosi", "fptoui", "fpext", "fptrunc"),
    )
)
"""What is computed of each lane by itself: where its result is not wanted, its operands are not."""
_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))
"""The same, if the divisor is a constant: another one must not be zero in any lane."""
_OPPOSITE = {"ult": "uge", "uge": "ult", "ule": "ugt", "ugt": "ule", "slt": "sge", "sge": "slt", "sle": "sgt", "sgt": "sle",
             "eq": "ne", "ne": "eq"}  # fmt: skip
_SWAPPED = {"ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle",
            "eq": "eq", "ne": "ne"}  # fmt: skip
_BITS = 32
"""Of a lane."""
_MOST_UNSIGNED = (1 << _BITS) - 1
"""In a lane that is read as an unsigned number."""

Condition = tuple[str, bool]
"""A mask, and whether it holds or does not."""


class LaneRanges:
    """Ranges of the values of one function."""

    def __init__(self, definitions: Definitions, known: dict[str, Range] | None = None) -> None:
        self._definitions = definitions
        self._known = known or {}
        """What is known of values beside how they are computed."""
        self._found: dict[str, Range] = {}

    def range(self, operand: Operand) -> Range:
        """Bounds of all lanes, read as signed numbers. (Every loop goes through a phi, of which nothing is known.)"""
        if operand.value[0] != "%":
            numbers = integers(operand.type, operand.value)
            return (min(numbers), max(numbers)) if numbers else ALL
        name = operand.value
        if name not in self._found:
            found = self._computed(name)
            found = found if found[0] >= ALL[0] and found[1] <= ALL[1] else ALL
            if name in self._known:
                found = intersection(found, self._known[name])
            self._found[name] = found
        return self._found[name]

    def is_multiple(self, value: str, power: int) -> bool:
        """Whether remainders that are known to be 0 say that a power of two divides a value."""
        return any(self._leaves_out(name, value, power) for name, found in self._known.items() if found == (0, 0))

    def _leaves_out(self, remainder: str, value: str, power: int) -> bool:
        made = m.made_by(("and", "srem", "urem"), remainder, self._definitions)
        if made is None or made.operands[0].value != value or made.operands[1].value[0] == "%":
            return False
        numbers = integers(made.operands[1].type, made.operands[1].value)
        if not numbers or len(set(numbers)) > 1:
            return False
        return numbers[0] % power == (power - 1 if made.op == "and" else 0)

    def _computed(self, name: str) -> Range:
        made = self._definitions.get(name)
        if made is None:
            return ALL
        op, operands = made.op, made.operands
        if op in _EXTENSIONS:
            bits = integer_bits(element_of(operands[0].type))
            return (0, self._most(operands[0], bits)) if op == "zext" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        if op == "select":
            return union(self.range(operands[1]), self.range(operands[2]))
        if op == "shufflevector":
            scalar = m.scalar_of_splat(name, self._definitions)
            return self.range(scalar) if scalar is not None else ALL
        if op == "call":
            called = _INTRINSIC.search(made.parts.callee)
            return range_of_call(called[1], [self.range(each) for each in operands[:2]]) if called else ALL
        if op == "lshr" and element_of(made.type) == "i32" and self.range(operands[0])[0] < 0:
            low, high = self.range(operands[1])
            return (0, _MOST_UNSIGNED >> low) if 0 < low <= high < _BITS else ALL
        if op in RANGES and len(operands) == 2:
            return RANGES[op](self.range(operands[0]), self.range(operands[1]))
        return ALL

    def _most(self, operand: Operand, bits: int) -> int:
        """The largest number that so many bits hold, read without a sign: fewer by a shift, a mask or a remainder."""
        most = (1 << bits) - 1
        made = m.made_by(("lshr", "and", "urem"), operand.value, self._definitions)
        numbers = integers(made.operands[1].type, made.operands[1].value) if made is not None else None
        if made is None or not numbers:
            return most
        if made.op == "lshr":
            return most >> min(min(numbers) & most, bits)
        largest = max(each & most for each in numbers)
        return largest if made.op == "and" else max(largest - 1, 0)


def intersection(first: Range, second: Range) -> Range:
    """What both hold; the first where that is nothing, and no lane is wanted."""
    low, high = max(first[0], second[0]), min(first[1], second[1])
    return (low, high) if low <= high else first


class WantedRanges:
    """Ranges of values in the lanes in which their users want them."""

    def __init__(self, definitions: Definitions, uses: Uses) -> None:
        self._definitions = definitions
        self._uses = uses
        self._conditions: dict[str, frozenset[Condition]] = {}
        self._contexts: dict[frozenset[Condition], LaneRanges] = {}

    def where_wanted(self, name: str) -> LaneRanges:
        """Ranges of all values, in the lanes in which this one is wanted."""
        conditions = self._wanted(name)
        if conditions not in self._contexts:
            known: dict[str, Range] = {}
            for mask, holds in sorted(conditions):
                self._note(mask, holds, known)
            self._contexts[conditions] = LaneRanges(self._definitions, known)
        return self._contexts[conditions]

    def is_made_of(self, operand: Operand, bits: int, operations: Collection[str]) -> bool:
        """Whether these operations make a value of extended elements of at most that many bits and of constants."""
        if operand.value[0] != "%":
            return integers(operand.type, operand.value) is not None
        made = m.made_by((*_EXTENSIONS, *operations), operand.value, self._definitions)
        if made is None:
            return False
        if made.op in _EXTENSIONS:
            return integer_bits(element_of(made.operands[0].type)) <= bits
        return all(self.is_made_of(each, bits, operations) for each in made.operands)

    def _wanted(self, name: str) -> frozenset[Condition]:
        """What holds in every lane in which somebody wants a value."""
        if name not in self._conditions:
            self._conditions[name] = frozenset()  # of what goes around a loop
            users = [self.wanted_by(user, name) for user in self._uses.of(name)]
            self._conditions[name] = frozenset.intersection(*users) if users else frozenset()
        return self._conditions[name]

    def wanted_by(self, user: Instruction, name: str) -> frozenset[Condition]:
        """What holds in every lane in which one user wants a value."""
        if user.op == "select" and lanes_of(user.operands[0].type):
            mask, *arms = (each.value for each in user.operands)
            if mask == name or mask[0] != "%" or arms[0] == arms[1]:
                return frozenset()
            return self._wanted(user.name) | {(mask, arms[0] == name)}
        if user.op == "call" and pseudo_operation(user) == "scatter":
            value, pointers, stored = (each.value for each in user.operands)
            return (
                frozenset({(stored, True)})
                if value == name != stored and stored[0] == "%" and pointers != name
                else frozenset()
            )
        if user.op in _LANEWISE or (user.op in _DIVISIONS and user.operands[1].value[0] != "%"):
            return self._wanted(user.name)
        return frozenset()

    def _note(self, mask: str, holds: bool, known: dict[str, Range]) -> None:
        """What a mask that holds, or does not, tells about values."""
        made = self._definitions.get(mask)
        if made is None or not lanes_of(made.type):
            return
        op, operands = made.op, made.operands
        if op in ("freeze", "sext"):
            self._note(operands[0].value, holds, known)
        elif op == "xor" and m.all_ones().test(operands[1], self._definitions, {}):
            self._note(operands[0].value, not holds, known)
        elif (op == "and" and holds) or (op == "or" and not holds):
            for each in operands:
                self._note(each.value, holds, known)
        elif op == "select" and element_of(made.type) == "i1":
            zero, one = operands[2].value in ("zeroinitializer", "splat (i1 false)"), operands[1].value == "splat (i1 true)"
            if (zero and holds) or (one and not holds):
                self._note(operands[0].value, holds, known)
                self._note(operands[1 if zero else 2].value, holds, known)
        elif op == "icmp":
            self._note_compared(made, holds, known)

    def _note_compared(self, made: Instruction, holds: bool, known: dict[str, Range]) -> None:
        predicate, (left, right) = made.parts.predicate, made.operands
        if left.value[0] != "%":
            left, right, predicate = right, left, _SWAPPED[predicate]
        numbers = integers(right.type, right.value) if right.value[0] != "%" else None
        if not numbers or len(set(numbers)) > 1:
            return
        if not holds:
            predicate = _OPPOSITE[predicate]
        if predicate == "slt" and numbers[0] == 0 and self._is_mask(left.value):
            self._note(left.value, True, known)
        elif element_of(left.type) == "i32" and (found := _range_of_compared(predicate, numbers[0])) is not None:
            self._keep(left.value, found, known)

    def _is_mask(self, name: str) -> bool:
        """Whether it is truth values, or several of them at once, as whole lanes."""
        made = m.made_by(("sext", "and", "or"), name, self._definitions)
        if made is None:
            return False
        if made.op == "sext":
            return element_of(made.operands[0].type) == "i1"
        return all(self._is_mask(each.value) for each in made.operands)

    def _keep(self, name: str, found: Range, known: dict[str, Range]) -> None:
        """Note the range of a value, and of what a number was added to for it."""
        while True:
            known[name] = intersection(known[name], found) if name in known else found
            made = m.made_by(("add", "sub"), name, self._definitions)
            number = (
                integers(made.operands[1].type, made.operands[1].value) if made and made.operands[1].value[0] != "%" else None
            )
            if made is None or not number or len(set(number)) > 1:
                return
            moved = -number[0] if made.op == "add" else number[0]
            found = found[0] + moved, found[1] + moved
            if found[0] < ALL[0] or found[1] > ALL[1]:
                return
            name = made.operands[0].value


def _range_of_compared(predicate: str, number: int) -> Range | None:
    """Of what is so compared with a number, read as a signed one; None where that is not one range."""
    if predicate == "eq":
        return number, number
    if predicate[0] == "u" and number < 0:
        return None
    low = 0 if predicate[0] == "u" else ALL[0]
    if predicate[1:] in ("lt", "le"):
        return low, number - (predicate[1:] == "lt")
    if predicate[0] == "s" and predicate[1:] in ("gt", "ge"):
        return number + (predicate[1:] == "gt"), ALL[1]
    return None
