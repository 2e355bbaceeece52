"""Loops of one block that count: what is compared at their end, and by what steps (IA-64 11)."""

from __future__ import annotations

from voltac.codegen.dependence import is_fence
from voltac.codegen.machine_code import (
    AnyRegister,
    Immediate,
    LabelOperand,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    Register,
    VirtualRegister,
)
from voltac.records import record
from voltac.targets.ia64.select.pseudo import BRANCH_IF, BRANCH_UNLESS, JUMP

_LONGEST = 40
"""Instructions of a body. Chosen: those of longer ones are enough to fill groups by themselves."""


@record(eq=False)
class CountedBlock:
    """A loop, and how it counts."""

    body: MachineBlock
    latch: MachineBlock | None
    """An empty block on the way back."""
    exit: str
    compare: MachineInstruction
    counter: VirtualRegister
    step: int
    end: AnyRegister | Immediate


def counted_block(function: MachineFunction, body: MachineBlock) -> CountedBlock | None:
    """What a block is if it is one; None for others."""
    code = body.instructions
    if (
        len(code) < 4
        or len(code) > _LONGEST
        or code[-1].row.name != JUMP
        or code[-2].row.name not in (BRANCH_IF, BRANCH_UNLESS)
    ):
        return None
    branch = code[-2]
    blocks = {block.name: block for block in function.blocks}
    ways = [_label(branch.values[2]), _label(code[-1].values[0])]
    back = [way for way in ways if way == body.name or _leads_back(blocks[way], body.name)]
    if len(back) != 1:
        return None
    exit_ = next(way for way in ways if way not in back)
    goes_on_by = branch.values[0] if (branch.row.name == BRANCH_IF) == (ways[0] == back[0]) else branch.values[1]
    makers = [one for one in code if goes_on_by in one.writes()]
    if len(makers) != 1 or any(is_fence(one) for one in code[:-2]):
        return None
    compare = makers[0]
    if compare.mask is not None:
        return None
    # Goes on while not equal.
    if not compare.row.name.startswith("cmp.eq.p,p=") or compare.values[1] is not goes_on_by:
        return None
    found = _counter(code, compare)
    latch = blocks[back[0]] if back[0] != body.name else None
    return None if found is None else CountedBlock(body, latch, exit_, compare, *found)


def _label(value: object) -> str:
    assert isinstance(value, LabelOperand)
    return value.name


def _leads_back(block: MachineBlock, to: str) -> bool:
    return len(block.instructions) == 1 and block.instructions[0].row.name == JUMP and block.successors == [to]


def _counter(
    code: list[MachineInstruction], compare: MachineInstruction
) -> tuple[VirtualRegister, int, AnyRegister | Immediate] | None:
    """What the comparison counts, the step, and the end; None where the number of iterations is not a shift away."""
    first, second = compare.values[2:]
    for counter, end in ((second, first), (first, second)):
        if not isinstance(counter, VirtualRegister):
            continue
        writers = [one for one in code if counter in one.writes()]
        if len(writers) != 1 or code.index(writers[0]) > code.index(compare) or counter not in writers[0].reads():
            continue
        step = next((value.value for value in reversed(writers[0].values) if isinstance(value, Immediate)), 0)
        if step <= 0 or step & step - 1 or not isinstance(end, (VirtualRegister, Register, Immediate)):
            continue
        if not isinstance(end, Immediate) and any(end in one.writes() for one in code):
            continue
        return counter, step, end
    return None
