"""What addresses are multiples of, as far as that follows from where arrays begin and how far loops step.

%i = phi i32 [ 0, %entry ], [ %next, %loop ]
%p = getelementptr float, ptr %a, i32 %i          with %next = %i + 2 and %a aligned to 64: a multiple of 8
"""

from __future__ import annotations

from voltac.ir.model import Function, Instruction
from voltac.ir.types import DataLayout

_MOST = 6
"""Low bits that are looked at: those within 64 bytes."""
_LEAST_OF_OPERANDS = frozenset(("add", "sub", "or", "xor"))
_SAME = frozenset(("sext", "zext", "trunc", "ptrtoint", "inttoptr", "bitcast", "freeze"))
_EXTREMES = ("@llvm.smax.", "@llvm.smin.", "@llvm.umax.", "@llvm.umin.")


class Alignments:
    """Of one function: the greatest fixed point, so that phis of loops hold what all their values hold."""

    def __init__(self, function: Function, layout: DataLayout) -> None:
        self._layout = layout
        self._zeros: dict[str, int] = {}
        for parameter in function.parameters:
            words = parameter.attributes.split()
            aligned = int(words[words.index("align") + 1]) if "align" in words else 1
            self._zeros[parameter.name] = _zeros_of(aligned)
        made = [one for one in function.instructions() if one.name]
        self._zeros.update((one.name, _MOST) for one in made)
        changed = True
        while changed:
            changed = False
            for one in made:
                zeros = min(self._zeros[one.name], self._look(one))
                if zeros < self._zeros[one.name]:
                    self._zeros[one.name] = zeros
                    changed = True

    def of(self, value: str) -> int:
        """The power of two that an address is known to be a multiple of, 64 at most."""
        return 1 << self._of(value)

    def _of(self, value: str) -> int:
        if value[0] == "%":
            return self._zeros.get(value, 0)
        return _zeros_of(int(value)) if value.lstrip("-").isdigit() else _MOST if value == "null" else 0

    def _look(self, one: Instruction) -> int:
        if one.op == "alloca":
            return _zeros_of(max(one.parts.alignment, self._layout.alignment(one.parts.element_type)))
        if one.op == "phi":
            return min(self._of(operand.value) for operand in one.operands)
        values = [operand.value for operand in one.operands]
        if one.op in _LEAST_OF_OPERANDS:
            return min(map(self._of, values))
        if one.op in _SAME:
            return self._of(values[0])
        if one.op == "mul":
            return min(_MOST, sum(map(self._of, values)))
        if one.op == "and":
            return max(map(self._of, values))
        if one.op == "shl" and values[1].isdigit():
            return min(_MOST, self._of(values[0]) + int(values[1]))
        if one.op == "select":
            return min(map(self._of, values[1:]))
        if one.op == "call" and one.parts.callee.startswith(_EXTREMES):
            return min(map(self._of, values))
        if one.op == "getelementptr" and len(values) == 2:
            size = _zeros_of(self._layout.size(one.parts.element_type))
            return min(self._of(values[0]), self._of(values[1]) + size)
        return 0


def _zeros_of(number: int) -> int:
    return min(_MOST, (number & -number).bit_length() - 1) if number else _MOST
