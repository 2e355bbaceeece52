"""Which scalar pointers from outside of a loop its accesses are counted from, and whether those of two of them may meet."""

from __future__ import annotations

from voltac.ir.lane_values import LaneValues
from voltac.ir.match import made_by, scalar_of_splat
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.passes.accesses.access import Touched
from voltac.passes.facts.effects import FunctionEffects
from voltac.passes.loops.counted_loops import CountedLoop

_ANYWHERE = 1 << 62
"""Bytes: more than any two elements of an array are apart."""


class Roots:
    """Of one loop."""

    def __init__(self, loop: CountedLoop, known: FunctionEffects, values: LaneValues) -> None:
        self._loop = loop
        self._known = known
        self._values = values

    def of(self, pointers: Operand) -> str:
        """The scalar pointer that pointers are counted from; empty if there is no such one."""
        while (made := made_by(("getelementptr",), pointers.value, self._values.definitions)) is not None:
            pointers = made.operands[0]
        scalar = scalar_of_splat(pointers.value, self._values.definitions)
        root = scalar.value if scalar is not None else pointers.value if not lanes_of(pointers.type) else ""
        return root if root not in self._loop.inside else ""

    def may_meet(self, first: str, second: str) -> bool:
        """Whether anything counted from the one may be anything counted from the other."""
        whole = [Touched(self._values.symbol_of("ptr", root), -_ANYWHERE, _ANYWHERE, root) for root in (first, second)]
        return self._known.may_overlap(*whole)
