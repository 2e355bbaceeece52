"""Places the instructions that make constants: outside of loops, before their first use elsewhere."""

from __future__ import annotations

from operator import itemgetter

from voltac.codegen.machine_code import AnyRegister, MachineBlock, MachineInstruction, VirtualRegister
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
    made: dict[str, list[tuple[int, list[MachineInstruction]]]] = {}
    """By block, where instructions come in."""
    for register, users in used.items():
        place, *others = users
        for other in others:
            while place != other:
                if level_of(place) >= level_of(other):
                    place = dominator[place]
                else:
                    other = dominator[other]
        while blocks[place].frequency:
            place = dominator[place]
        position = _place_in(blocks[place], users.get(place))
        made.setdefault(place, []).append((position, selection.target.make_constant(machine, register, keys[register])))
    for name, code in made.items():
        instructions = blocks[name].instructions
        code.sort(key=itemgetter(0))
        for position, constant in reversed(code):
            instructions[position:position] = constant


def _uses(blocks: list[MachineBlock], wanted: dict[AnyRegister, VirtualRegister]) -> dict[VirtualRegister, dict[str, int]]:
    """Constants, of which ``wanted`` has the parts -> blocks that read them, each with the number of the first instruction."""
    found: dict[VirtualRegister, dict[str, int]] = {}
    for block in blocks:
        for number, instruction in enumerate(block.instructions):
            for value in instruction.reads():
                if value in wanted:
                    found.setdefault(wanted[value], {}).setdefault(block.name, number)
    return found


def _place_in(block: MachineBlock, first_use: int | None) -> int:
    """In front of the instruction that reads it first, and of every branch."""
    for number, instruction in enumerate(block.instructions[:first_use]):
        if "branch" in instruction.row.traits:
            return number
    return first_of_ending(block) if first_use is None else first_use
