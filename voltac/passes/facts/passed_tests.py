"""Comparisons of a counter that have been passed on every way to a block of a loop."""

from __future__ import annotations

from collections.abc import KeysView

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of

_SWAPPED = {"ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle"}
_OPPOSITE = {"ult": "uge", "uge": "ult", "ule": "ugt", "ugt": "ule", "slt": "sge", "sge": "slt", "sle": "sgt", "sgt": "sle"}


class PassedTests:
    """The branches of one loop; ``inside`` are its blocks, ``block_of`` a value is the block that defines it."""

    def __init__(
        self, function: Function, flow: ControlFlow, inside: KeysView[str], values: LaneValues, block_of: dict[str, str]
    ) -> None:
        self.flow = flow
        self.inside = inside
        self.values = values
        self.block_of = block_of
        self._terminators = {block.name: block.terminator for block in function.blocks}

    def limit(self, counter: Instruction, block: str) -> tuple[str, Operand, str] | None:
        """A test that has been passed on every way to a block: its kind, what the counter is compared with, and where."""
        below = block
        while below in self.inside:
            above = self.flow.immediate_dominator.get(below, below)
            if above == below:
                return None
            branch = self._terminators[above]
            test = branch.operands[0].value if branch.op == "br" and len(branch.parts.labels) == 2 else ""
            compare = m.made_by(("icmp",), test, self.values.definitions)
            if compare is not None and not lanes_of(compare.operands[0].type):
                found = self._passed(compare, branch, counter, above, block)
                if found is not None:
                    return found
            below = above
        return None

    def _passed(
        self, compare: Instruction, branch: Instruction, counter: Instruction, above: str, block: str
    ) -> tuple[str, Operand, str] | None:
        predicate, (left, right) = compare.parts.predicate, compare.operands
        if right.value == counter.name:
            left, right, predicate = right, left, _SWAPPED.get(predicate, "")
        if left.value != counter.name:
            return None
        for side, wanted in zip(branch.parts.labels, (predicate, _OPPOSITE.get(predicate, ""))):
            only = self.flow.predecessors.get(side) == [above]
            if wanted in ("ult", "ule", "slt", "sle") and only and self.flow.dominates(side, block):
                return wanted, right, self.block_of.get(compare.name, above)
        return None
