"""Phis -> copies at the end of the blocks before.

The copies of one edge happen at once: they are put in an order in which none
overwrites what another still reads, a cycle goes through a temporary. An edge
from a block with several ways out to one with several ways in gets a block of
its own, so that the copies happen on that way only.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.machine_code import LabelOperand, MachineBlock, MachineFunction, MachineInstruction, VirtualRegister
from voltac.codegen.selection import Selection
from voltac.ir.parts import Operand


def place_phi_copies(selection: Selection, jump: Callable[[str], MachineInstruction]) -> dict[str, str]:
    """Returns the new blocks with the blocks that lead to them. ``jump`` makes a jump to a block."""
    machine = selection.machine
    blocks = {block.name: block for block in machine.blocks}
    by_name = {block.name: block for block in selection.function.blocks}
    added: dict[str, str] = {}
    for name in selection.flow.order:
        phis = [phi for phi in by_name[name].phis() if phi.name in selection.needed]
        if not phis:
            continue
        for before in dict.fromkeys(selection.flow.predecessors[name]):
            if before not in selection.flow.immediate_dominator:
                continue  # no way leads there
            place = blocks[selection.label(before)]
            if len(place.successors) > 1:
                target = selection.label(name)
                place = _split_edge(machine, [place, *selection.more_blocks.get(before, ())], target, jump)
                blocks[place.name] = place
                added[place.name] = selection.label(before)
            moves = []
            for phi in phis:
                parts = phi.parts
                source = parts.operands[parts.labels.index(before)]
                moves.append((selection.result(phi.name, parts.type), source))
            end = first_of_ending(place)
            place.instructions[end:end] = _copies(selection, moves)
    return added


def _split_edge(
    machine: MachineFunction, group: list[MachineBlock], target: str, jump: Callable[[str], MachineInstruction]
) -> MachineBlock:
    """``group`` is a block with those that belong to it."""
    before = group[0]
    name = f"{before.name}.to.{target.removeprefix(machine.name + '.')}"
    block = MachineBlock(name, [jump(target)], [target], before.frequency)
    after = next(other for other in machine.blocks if other.name == target)
    block.frequency = min(before.frequency, after.frequency)
    for member in group:
        for instruction in member.instructions:
            if "branch" in instruction.row.traits:
                instruction.values = [
                    LabelOperand(name) if isinstance(value, LabelOperand) and value.name == target else value
                    for value in instruction.values
                ]
        member.successors = [name if successor == target else successor for successor in member.successors]
    machine.blocks.insert(machine.blocks.index(group[-1]) + 1, block)
    return block


def first_of_ending(block: MachineBlock) -> int:
    """Index of the first of the branches that end a block."""
    index = len(block.instructions)
    while index and block.instructions[index - 1].row.traits & {"branch", "return"}:
        index -= 1
    return index


def _copies(selection: Selection, moves: list[tuple[VirtualRegister, Operand]]) -> list[MachineInstruction]:
    selection.out = []
    selection.line = 0
    pending: dict[VirtualRegister, VirtualRegister] = {}
    constants: list[tuple[VirtualRegister, Operand]] = []
    for register, operand in moves:
        operand = selection.resolve(operand)
        if selection.target.constant_key(selection, operand) is not None:
            # Undefined values too: a device may refuse to read a register that was never written.
            constants.append((register, operand))
        else:
            source = selection.register(operand)
            if source != register:
                pending[register] = source
    order_copies(
        pending,
        lambda to, source: selection.out.append(selection.target.copy(to, source)),
        lambda register: selection.new(register.kind),
    )
    for register, operand in constants:
        selection.copy_to(register, operand)
    return selection.out


def order_copies(
    pending: dict[VirtualRegister, VirtualRegister],
    copy: Callable[[VirtualRegister, VirtualRegister], None],
    temporary: Callable[[VirtualRegister], VirtualRegister],
) -> None:
    """Copies that happen at once (target -> source), one after the other."""
    pending = dict(pending)
    while pending:
        sources = set(pending.values())
        free = [register for register in pending if register not in sources]
        for register in free:
            copy(register, pending.pop(register))
        if not free:
            # Every target is still read: a cycle. Its first target's old value moves out of the way.
            register = next(iter(pending))
            saved = temporary(register)
            copy(saved, register)
            pending = {to: saved if source == register else source for to, source in pending.items()}
