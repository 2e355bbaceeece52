"""Places the instructions that make constants: outside of loops, before their first use elsewhere."""

from __future__ import annotations

from voltac.codegen.machine_code import MachineBlock, VirtualRegister
from voltac.codegen.phi_copies import first_of_ending
from voltac.codegen.selection import Selection


def place_constants(selection: Selection, added: dict[str, str]) -> None:
    """``added`` are the blocks that phi copies made, with the blocks before them."""
    machine = selection.machine
    dominator = {selection.label(name): selection.label(above) for name, above in selection.flow.immediate_dominator.items()}
    dominator.update(added)
    for name, more in selection.more_blocks.items():
        dominator.update((block.name, selection.label(name)) for block in more)
    level = {machine.blocks[0].name: 0}

    def level_of(name: str) -> int:
        path = []
        while name not in level:
            path.append(name)
            name = dominator[name]
        for step, other in enumerate(reversed(path), 1):
            level[other] = level[name] + step
        return level[path[0]] if path else level[name]

    blocks = {block.name: block for block in machine.blocks}
    keys = {register: key for key, register in selection.constants.items()}
    used = _uses(machine.blocks, {part: register for register in keys for part in register.lanes or (register,)})
    for register, users in used.items():
        place = users[0]
        for other in users[1:]:
            while place != other:
                if level_of(place) >= level_of(other):
                    place = dominator[place]
                else:
                    other = dominator[other]
        while blocks[place].frequency:
            place = dominator[place]
        block = blocks[place]
        made = selection.target.make_constant(machine, register, keys[register])
        position = _first_use(block, register)
        block.instructions[position:position] = made


def _uses(blocks: list[MachineBlock], wanted: dict[VirtualRegister, VirtualRegister]) -> dict[VirtualRegister, list[str]]:
    """Constants, of which ``wanted`` has the parts -> blocks that read them."""
    found: dict[VirtualRegister, list[str]] = {}
    for block in blocks:
        read = dict.fromkeys(value for instruction in block.instructions for value in instruction.reads())
        for register in dict.fromkeys(wanted[one] for one in read if isinstance(one, VirtualRegister) and one in wanted):
            found.setdefault(register, []).append(block.name)
    return found


def _first_use(block: MachineBlock, register: VirtualRegister) -> int:
    parts = frozenset(register.lanes or (register,))
    for index, instruction in enumerate(block.instructions):
        if not parts.isdisjoint(instruction.reads()) or "branch" in instruction.row.traits:
            return index
    return first_of_ending(block)
