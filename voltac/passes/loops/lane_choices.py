"""Selections of a lane that goes alone by what a branch of its loop asks anyway.

    %next = select %hit, (add %at, 1), %at
    br (any of not %hit), then, step
    then:  %skip = call <8 x i32> @volta.gather.v8i32(%skips + %at, ...)

For a gang a selection is cheaper than a branch. A lane that goes alone has the branch already, which the processor foresees;
with the selection its next iteration waits all the same for what is asked. So such selections become what the branch makes of
them: walks along trees that skip take 0.15 of the time. Loads that only some of the lanes in the loop do are branches, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from voltac.ir import match as m
from voltac.ir.model import Instruction
from voltac.passes.accesses.available_loads import mask_implies
from voltac.passes.loops.lane_loops import LaneLoop
from voltac.passes.loops.lane_texts import ZEROS

_INVERSE = m.op("xor", m.value("mask"), m.all_ones())
_BOTH = m.one_of(m.op("and", m.value("one"), m.value("other")), m.op("select", m.value("one"), m.value("other"), m.number(0)))
_FORMS = m.one_of(m.op(("sext", "freeze"), m.value("mask")), m.negative(m.value("mask")), _INVERSE)


class LaneChoices:
    """Of one loop, for its lanes: selections, and loads under masks, that become branches."""

    def __init__(self, walk: LaneLoop, fresh: Callable[[str], str], hint: str) -> None:
        """``hint``: what ends a branch that is to stay one."""
        self.fresh, self.hint = fresh, hint
        asked = {_condition(mask, walk) for mask in (*walk.asked.values(), *walk.guarded.values())}
        self.selections = {
            each.name
            for block in walk.inner_blocks()
            for each in block.instructions
            if each.op == "select" and _condition(each.operands[0].value, walk) in asked
        }

    def split(self, written: list[Instruction], label: str, conditions: Mapping[str, str]) -> dict[str, list[Instruction]]:
        """The instructions of a block, the branch at its end left out, as the blocks that they become, by their labels.

        ``conditions``: what decides of a lane's selection or load, by its name. What does not need these goes before the
        branch, but nothing that may write comes before a load."""
        blocks: dict[str, list[Instruction]] = {label: []}
        pending: list[Instruction] = []

        def branch() -> None:
            nonlocal label
            if pending:
                label = self._branch(blocks, label, pending, conditions[pending[0].name])
                pending.clear()

        for each in written:
            choice = each.name in conditions
            if pending and (
                (choice and conditions[each.name] != conditions[pending[0].name])
                or each.op in ("store", "call")
                or not {one.name for one in pending}.isdisjoint(each.names_used())
            ):
                branch()
            (pending if choice else blocks[label]).append(each)
        branch()
        return blocks

    def _branch(self, blocks: dict[str, list[Instruction]], label: str, choices: list[Instruction], condition: str) -> str:
        """Ends the block by a branch; the label of the block that both ways come to."""
        taken, joined, asked = self.fresh(f"{label}.taken")[1:], self.fresh(f"{label}.joined")[1:], self.fresh("asked")
        # Neither a selection nor a load by a mask is undefined where what decides is poison.
        blocks[label] += [
            Instruction(f"  {asked} = freeze i1 {condition}"),
            Instruction(f"  br i1 {asked}, label %{taken}, label %{joined}{self.hint}"),
        ]
        inside, phis = blocks.setdefault(taken, []), blocks.setdefault(joined, [])
        for each in choices:
            one, other = "", ZEROS.get(each.type, "0")
            if each.op == "select":
                one, other = each.operands[1].value, each.operands[2].value
            else:
                one = self.fresh("loaded")
                inside.append(Instruction(each.text.replace(each.name, one, 1)))
            phis.append(Instruction(f"  {each.name} = phi {each.type} [ {one}, %{taken} ], [ {other}, %{label} ]"))
        inside.append(Instruction(f"  br label %{joined}"))
        return joined


def _condition(mask: str, loop: LaneLoop) -> str:
    """What a mask asks of a lane that is in the loop, whether it is that or the opposite."""
    definitions = loop.values.definitions
    while True:
        if (found := _FORMS.find(mask, definitions)) is not None:
            mask = found["mask"].value
        elif (found := _BOTH.find(mask, definitions)) is not None:
            one, other = found["one"].value, found["other"].value
            if mask_implies(loop.tested, one, loop.values):
                mask = other
            elif mask_implies(loop.tested, other, loop.values):
                mask = one
            else:
                return mask
        else:
            return mask
