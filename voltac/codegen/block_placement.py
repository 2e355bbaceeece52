"""Puts blocks in the order in which they lie in memory and removes the jumps that this saves."""

from __future__ import annotations

from voltac.codegen.machine_code import LabelOperand, MachineBlock, MachineFunction, MachineInstruction
from voltac.codegen.rows import InstructionSet
from voltac.records import record


@record(eq=False)
class Branches:
    """The branches of a target. Conditional ones have their target last."""

    instructions: InstructionSet
    jump: str
    opposite: dict[str, str]
    """Row of a conditional branch -> the row that branches when it does not."""


_SMALL = 8
"""Instructions of a block that are worth copying to the end of a loop, which saves a jump per iteration."""


def lay_out(function: MachineFunction, branches: Branches) -> None:
    """Put the blocks into an order, with as few jumps as that leaves; those that nobody reaches are dropped."""
    _skip_empty(function, branches)
    _drop_unreachable(function)
    _order(function, branches)
    _rotate(function, branches)
    _drop_unreachable(function)
    _drop_jumps(function, branches)


def _last_jump(block: MachineBlock, branches: Branches) -> str | None:
    """Where the jump at the end of a block goes."""
    if not block.instructions or block.instructions[-1].row.name != branches.jump:
        return None
    label = block.instructions[-1].values[0]
    return label.name if isinstance(label, LabelOperand) else None


def _skip_empty(function: MachineFunction, branches: Branches) -> None:
    """Branches to a block that only jumps on go where it jumps."""
    beyond: dict[str, str] = {}
    named = _named_elsewhere(function)
    for block in function.blocks[1:]:
        target = _last_jump(block, branches)
        if len(block.instructions) == 1 and target is not None and target != block.name and block.name not in named:
            beyond[block.name] = target

    def end(name: str) -> str:
        seen = {name}
        while name in beyond and beyond[name] not in seen:
            name = beyond[name]
            seen.add(name)
        return name

    for block in function.blocks:
        for instruction in block.instructions:
            if "branch" in instruction.row.traits:
                instruction.values = [
                    LabelOperand(end(one.name)) if isinstance(one, LabelOperand) else one for one in instruction.values
                ]
        block.successors = list(dict.fromkeys(end(name) for name in block.successors))


def _named_elsewhere(function: MachineFunction) -> set[str]:
    """The labels whose addresses are computed: where calls by address come back."""
    return {
        value.name
        for instruction in function.instructions()
        if "branch" not in instruction.row.traits
        for value in instruction.values
        if isinstance(value, LabelOperand)
    }


def _drop_unreachable(function: MachineFunction) -> None:
    by_name = {block.name: block for block in function.blocks}
    reached = {function.blocks[0].name}
    pending = list(reached)
    while pending:
        for successor in by_name[pending.pop()].successors:
            if successor not in reached:
                reached.add(successor)
                pending.append(successor)
    function.blocks = [block for block in function.blocks if block.name in reached]


def _order(function: MachineFunction, branches: Branches) -> None:
    """Behind each block comes one that it goes to: in the same loop if there is one."""
    by_name = {block.name: block for block in function.blocks}
    rest = dict.fromkeys(by_name)
    ordered: list[MachineBlock] = []
    while rest:
        name: str | None = next(iter(rest))
        while name is not None:
            block = by_name[name]
            del rest[name]
            ordered.append(block)
            open_ways = [successor for successor in block.successors if successor in rest]
            jump = _last_jump(block, branches)

            def rank(name: str, jump: str | None = jump) -> tuple[int, int, bool]:
                """Deepest loop first, then what leads into one; the way of the jump before that of the branch."""
                inner = max((by_name[successor].frequency for successor in by_name[name].successors), default=0)
                return by_name[name].frequency, inner, name == jump

            name = max(open_ways, key=rank, default=None)
    function.blocks = ordered


def _rotate(function: MachineFunction, branches: Branches) -> None:
    """A jump back to a small block that ends in a branch becomes a copy of that block."""
    place = {block.name: number for number, block in enumerate(function.blocks)}
    by_name = {block.name: block for block in function.blocks}
    for block in function.blocks:
        target = _last_jump(block, branches)
        if target is None or place[target] > place[block.name] or target == block.name:
            continue
        header = by_name[target]
        if not 0 < header.frequency <= block.frequency:
            continue
        code = header.instructions
        if len(code) > _SMALL or len(code) < 2 or header is function.blocks[0]:
            continue
        if code[-2].row.name not in branches.opposite or any("branch" in one.row.traits for one in code[:-2]):
            continue
        block.instructions[-1:] = [
            MachineInstruction(
                one.row, list(one.values), list(one.implicit_uses), list(one.implicit_defs), one.line, one.mask, one.access,
                one.states,
            )
            for one in code
        ]  # fmt: skip
        block.successors = list(dict.fromkeys([*(s for s in block.successors if s != target), *header.successors]))


def _drop_jumps(function: MachineFunction, branches: Branches) -> None:
    frequency = {block.name: block.frequency for block in function.blocks}
    for block, behind in zip(function.blocks, [*function.blocks[1:], None]):
        following = behind.name if behind else ""
        code = block.instructions
        target = _last_jump(block, branches)
        if target is None:
            continue
        if target == following:
            code.pop()
            continue
        if len(code) < 2:
            continue
        other = code[-2]
        opposite = branches.opposite.get(other.row.name)
        if opposite is None:
            continue
        label = other.values[-1]
        if not isinstance(label, LabelOperand):
            continue
        if label.name == following or frequency[target] > frequency[label.name]:
            # A branch over a jump is turned round; if both go elsewhere, the way inside the loop is the branch.
            other.row = branches.instructions[opposite]
            other.values[-1] = LabelOperand(target)
            code[-1].values[0] = label
            if label.name == following:
                code.pop()
