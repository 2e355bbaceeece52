"""Integers of a function as it is given -> the least and the greatest they can be, and whether a float holds them exactly.

    %i = phi i32 [ 0, %entry ], [ %n, %loop ]           %i: 0 to 99
    %n = add nsw i32 %i, 1
    %c = icmp slt i32 %n, 100 ... br i1 %c, label %loop, label %done

Read as signed numbers of the type's width. What is claimed of operations that do not wrap is used; the answer for what no
rule knows is the range of the type.
"""

from __future__ import annotations

from voltac.ir.constants import integers
from voltac.ir.match import made_by
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, integer_bits
from voltac.passes.facts.integer_ranges import ALL, RANGES, Range, range_of_call, union

_EXACT = 1 << 24
"""Up to here a float holds every integer."""
_FREE_BITS = 8
"""What has so many zeros below in 32 bits has 24 others."""
_DEEPEST = 16
"""Steps back from a value. Chosen, not measured: each may have two operands that are looked at."""
_UNSIGNED = ("lshr", "udiv", "urem")
_OF_LOW_BITS = frozenset(("shl", "mul", "and", "or", "xor", "add", "sub", "select"))
_COUNTS = ("@llvm.ctlz.", "@llvm.cttz.", "@llvm.ctpop.")
_CHOICES = {"smin", "smax", "umin", "umax", "abs"}
_OPPOSITE = {"sgt": "sle", "sge": "slt", "ugt": "ule", "uge": "ult", "eq": "ne"}


class KnownRanges:
    """Of one function."""

    def __init__(self, function: Function) -> None:
        self._definitions = function.definitions()
        self._terminators = {block.name: block.terminator for block in function.blocks}
        self._blocks = {phi.name: block.name for block in function.blocks for phi in block.phis()}
        self._found: dict[str, Range] = {}
        self._open: set[str] = set()

    def is_exact(self, operand: Operand, depth: int = _DEEPEST) -> bool:
        """Whether a float holds a number of at most 32 bits, read as a signed one."""
        low, high = self.of(operand)
        if (low >= -_EXACT and high <= _EXACT) or self._zeros_below(operand, depth) >= _FREE_BITS:
            return True
        made = self._definitions.get(operand.value)
        if made is None or not depth:
            return False
        if made.op == "select":
            return all(self.is_exact(each, depth - 1) for each in made.operands[1:])
        return made.op == "fptosi"

    def _zeros_below(self, operand: Operand, depth: int) -> int:
        """Low bits that are zero."""
        numbers = integers(operand.type, operand.value)
        if numbers is not None:
            return min((each & -each).bit_length() - 1 if each else 64 for each in numbers)
        made = self._definitions.get(operand.value)
        if made is None or not depth:
            return 0
        if made.op in _OF_LOW_BITS:
            left, right = (self._zeros_below(each, depth - 1) for each in made.operands[-2:])
            if made.op == "shl":
                return left + max(0, self.of(made.operands[1])[0])
            return left + right if made.op == "mul" else max(left, right) if made.op == "and" else min(left, right)
        return 0

    def of(self, operand: Operand, depth: int = _DEEPEST) -> Range:
        """The least and the greatest of all lanes."""
        bits = integer_bits(element_of(operand.type))
        numbers = integers(operand.type, operand.value)
        if numbers is not None:
            return min(numbers), max(numbers)
        whole = _whole(bits)
        made = self._definitions.get(operand.value)
        if made is None or not bits or not depth or made.name in self._open:
            return whole
        if made.name not in self._found:
            self._open.add(made.name)
            found = self._computed(made, bits, depth - 1)
            self._open.discard(made.name)
            if not (whole[0] <= found[0] and found[1] <= whole[1]):
                keeps = "nsw" in made.parts.flags
                found = (max(found[0], whole[0]), min(found[1], whole[1])) if keeps and found[0] <= found[1] else whole
            if self._open:
                # Something that is still being looked for may have been taken for unknown.
                return found
            self._found[made.name] = found
        return self._found[made.name]

    def _computed(self, made: Instruction, bits: int, depth: int) -> Range:
        op, operands = made.op, made.operands
        whole = _whole(bits)
        if op in RANGES and len(operands) == 2:
            first, second = (self.of(each, depth) for each in operands)
            if op in _UNSIGNED and first[0] < 0:
                first = 0, (1 << bits) - 1
            found = RANGES[op](first, second)
            return whole if found == ALL else found
        if op == "zext":
            low, high = self.of(operands[0], depth)
            narrow = integer_bits(element_of(operands[0].type))
            return (low, high) if low >= 0 and narrow > 1 else (0, (1 << narrow) - 1)
        if op == "sext":
            low, high = self.of(operands[0], depth)
            return (-1, 0) if integer_bits(element_of(operands[0].type)) == 1 else (low, high)
        if op == "trunc":
            return self.of(operands[0], depth)
        if op == "select":
            return union(self.of(operands[1], depth), self.of(operands[2], depth))
        if op == "extractelement":
            return self.of(operands[0], depth)
        if op == "insertelement":
            return self._lanes(operands[:2], depth)
        if op == "shufflevector":
            return self._lanes(operands[:2], depth)
        if op == "phi":
            return self._counted(made, depth) or self._lanes(operands, depth)
        if op == "call":
            return self._of_call(made, bits, depth)
        return whole

    def _lanes(self, operands: list[Operand], depth: int) -> Range:
        ranges = [self.of(each, depth) for each in operands if each.value not in ("poison", "undef")]
        return (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else (0, 0)

    def _of_call(self, made: Instruction, bits: int, depth: int) -> Range:
        callee = made.parts.callee
        if callee.startswith(_COUNTS):
            return 0, bits
        name = callee.split(".")[1] if callee.startswith("@llvm.") else ""
        if name not in _CHOICES:
            return _whole(bits)
        found = range_of_call(name, [self.of(each, depth) for each in made.operands])
        return _whole(bits) if found == ALL else found

    def _counted(self, phi: Instruction, depth: int) -> Range | None:
        """A counter that goes up by a constant: from its start to where the test at the loop's end stops it."""
        if len(phi.operands) != 2:
            return None
        most = _whole(integer_bits(element_of(phi.type)))[1]
        for number, operand in enumerate(phi.operands):
            following = made_by(("add",), operand.value, self._definitions)
            if following is None or following.operands[0].value != phi.name:
                continue
            step = integers(following.type, following.operands[1].value)
            if step is None or min(step) <= 0:
                continue
            low, high = self.of(phi.operands[1 - number], depth)
            bound = self._bound(phi, following, phi.parts.labels[number], (low, high), step, depth)
            high = most if bound is None else max(high, bound)
            return (low, high) if "nsw" in following.parts.flags or high + max(step) <= most else None
        return None

    def _bound(
        self, phi: Instruction, following: Instruction, latch: str, start: Range, step: tuple[int, ...], depth: int
    ) -> int | None:
        """What a counter never exceeds behind its first iteration."""
        branch = self._terminators[latch]
        labels = branch.parts.labels
        is_test = branch.op == "br" and len(labels) == 2
        test = made_by(("icmp",), branch.operands[0].value, self._definitions) if is_test else None
        if test is None or test.operands[0].value != following.name:
            return None
        goes_on = test.parts.predicate if labels[0] == self._blocks[phi.name] else _OPPOSITE.get(test.parts.predicate)
        limits = self.of(test.operands[1], depth)
        if goes_on == "ne" and limits[0] == limits[1] and start[0] == start[1] < limits[0] and len(step) == 1:
            return limits[0] - step[0] if (limits[0] - start[0]) % step[0] == 0 else None
        if goes_on in ("slt", "sle") or (goes_on in ("ult", "ule") and limits[0] >= 0 <= start[0]):
            return limits[1] - (goes_on[1:] == "lt")
        return None


def _whole(bits: int) -> Range:
    return -(1 << (bits - 1)) if bits else 0, (1 << (bits - 1)) - 1 if bits else 0
