"""Values that found no register: into the frame after each write, back before each use; constants made anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from voltac.codegen.machine_code import AnyRegister, MachineFunction, MachineInstruction, VirtualRegister


def spill(
    function: MachineFunction,
    sizes: dict[str, int],
    store: Callable[[AnyRegister, int], MachineInstruction],
    load: Callable[[AnyRegister, int], MachineInstruction],
    losers: Iterable[VirtualRegister],
) -> set[VirtualRegister]:
    """Returns the new registers, each of which lives for one instruction only."""
    wanted = frozenset(losers)
    constants = _constants(function, wanted)
    slots: dict[VirtualRegister, int] = {}
    new: set[VirtualRegister] = set()

    def slot_of(register: VirtualRegister) -> int:
        slot = slots.get(register)
        if slot is None:
            size = sizes[register.kind]
            slot = slots[register] = function.new_slot(size, size)
        return slot

    for block in function.blocks:
        code: list[MachineInstruction] = []
        for instruction in block.instructions:
            reads = {one: None for one in instruction.reads() if isinstance(one, VirtualRegister) and one in wanted}
            writes = {one: None for one in instruction.writes() if isinstance(one, VirtualRegister) and one in wanted}
            if not reads and not writes:
                code.append(instruction)
                continue
            if any(constants.get(register) is instruction for register in writes):
                continue
            names: dict[VirtualRegister, AnyRegister] = {}
            for register in {**reads, **writes}:
                replacement = function.new_register(register.kind)
                new.add(replacement)
                names[register] = replacement
            for register in reads:
                made = constants.get(register)
                if made is not None:
                    code.append(MachineInstruction(made.row, [names[register], *made.values[1:]], line=instruction.line))
                else:
                    code.append(_at(load(names[register], slot_of(register)), instruction))
            instruction.replace_registers(names)
            code.append(instruction)
            code += [_at(store(names[register], slot_of(register)), instruction) for register in writes]
        block.instructions = code
    return new


def _at(made: MachineInstruction, place: MachineInstruction) -> MachineInstruction:
    made.line = place.line
    return made


def _constants(function: MachineFunction, wanted: frozenset[VirtualRegister]) -> dict[VirtualRegister, MachineInstruction]:
    """Registers that one instruction writes, and makes from nothing -> that instruction."""
    writers: dict[VirtualRegister, list[MachineInstruction]] = {}
    for instruction in function.instructions():
        for register in instruction.writes():
            if isinstance(register, VirtualRegister) and register in wanted:
                writers.setdefault(register, []).append(instruction)
    return {
        register: made[0]
        for register, made in writers.items()
        if len(made) == 1 and "rematerialisable" in made[0].row.traits and made[0].mask is None
    }
