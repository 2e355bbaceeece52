"""Numbers of 64 bits that are computed before a loop."""

from __future__ import annotations

import operator
from collections.abc import Callable

from voltac.ir.model import Instruction
from voltac.records import field, mutable_record

Number = int | str
"""Of 64 bits: known now, or the name of what holds it."""

_EXACT: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "shl": operator.lshift,
    "lshr": operator.rshift,
}

DECLARATIONS = tuple(f"declare i64 @llvm.{name}.i64(i64, i64)" for name in ("usub.sat", "umin", "umax"))
"""What the instructions call."""


@mutable_record
class Preheader:
    """Instructions before the loop, in order."""

    fresh: Callable[[str], str]
    instructions: list[Instruction] = field(default_factory=list)
    _made: dict[str, str] = field(default_factory=dict)

    def value(self, text: str, stem: str = "bound") -> str:
        """The name of an instruction's result; one that was written before is taken again."""
        name = self._made.get(text)
        if name is None:
            name = self._made[text] = self.fresh(stem)
            self.instructions.append(Instruction(f"  {name} = {text}"))
        return name

    def binary(self, op: str, left: Number, right: Number) -> Number:
        """``add``, ``sub``, ``mul`` or a shift of 64 bits, computed here where both are constants or one changes nothing."""
        if isinstance(left, int) and isinstance(right, int):
            return _EXACT[op](left, right)
        if right == 0 and op != "mul":
            return left
        if left == 0 and op == "add":
            return right
        if 0 in (left, right) and op == "mul":
            return 0
        if 1 in (left, right) and op == "mul":
            return right if left == 1 else left
        return self.value(f"{op} i64 {left}, {right}")

    def less(self, left: Number, right: Number) -> Number:
        """The difference, and 0 where that would be negative."""
        if isinstance(left, int) and isinstance(right, int):
            return max(0, left - right)
        if right == 0:
            return left
        return self.value(f"call i64 @llvm.usub.sat.i64(i64 {left}, i64 {right})")

    def extreme(self, which: str, left: Number, right: Number) -> Number:
        """``which``: umin or umax."""
        if left == right:
            return left
        if 0 in (left, right):
            return 0 if which == "umin" else right if left == 0 else left
        if isinstance(left, int) and isinstance(right, int):
            return (min if which == "umin" else max)(left, right)
        return self.value(f"call i64 @llvm.{which}.i64(i64 {left}, i64 {right})")
