"""A switch -> a tree of comparisons; its inner nodes are blocks of their own."""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.machine_code import AnyRegister, MachineBlock, MachineInstruction
from voltac.codegen.selection import Selection, targets
from voltac.ir.model import Instruction
from voltac.records import record

_LINEAR_CASES = 4
"""So many cases are compared one after the other, before a tree of comparisons is made. Chosen, not measured."""


@record(eq=False)
class SwitchBranches:
    """What a device's branches in a switch are."""

    number: Callable[[str], int | None]
    """The number of a case, of 32 bits with a sign; None for one that may be anything."""
    branch_on: Callable[[Selection, str, AnyRegister, int, str], list[MachineInstruction]]
    """Go to a block if a register is ``eq`` a number, or ``sge``."""
    jump: Callable[[str], MachineInstruction]

    def switch(self, selection: Selection, instruction: Instruction) -> None:
        """Select a ``switch``."""
        parts = instruction.parts
        value = selection.register(parts.operands[0])
        default = selection.label(parts.labels[0])
        cases = sorted(
            (number, selection.label(label))
            for case, label in zip(parts.operands[1:], parts.labels[1:])
            if (number := self.number(case.value)) is not None
        )
        more: list[MachineBlock] = []
        name = selection.label(selection.block)
        selection.out += self._tree(selection, value, cases, default, name, more)
        for block in more:
            block.frequency = selection.depth(selection.block)
        selection.more_blocks[selection.block] = more

    def _tree(
        self,
        selection: Selection,
        value: AnyRegister,
        cases: list[tuple[int, str]],
        default: str,
        name: str,
        more: list[MachineBlock],
    ) -> list[MachineInstruction]:
        made: list[MachineInstruction] = []
        if len(cases) <= _LINEAR_CASES:
            for number, target in cases:
                made += self.branch_on(selection, "eq", value, number, target)
            made.append(self.jump(default))
            return made
        middle = len(cases) // 2
        upper = MachineBlock(f"{name}.from{len(more)}")
        more.append(upper)
        made += self.branch_on(selection, "sge", value, cases[middle][0], upper.name)
        made += self._tree(selection, value, cases[:middle], default, name, more)
        upper.instructions = self._tree(selection, value, cases[middle:], default, name, more)
        upper.successors = targets(upper.instructions)
        return made
