"""Values that found no register: into the frame after each write, back before each use; constants made anew.

A scheduled loop has them in registers of its own: back before the loop, into the frame behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from voltac.codegen.machine_code import AnyRegister, FrameSlot, MachineFunction, MachineInstruction, VirtualRegister


def spill(
    function: MachineFunction,
    sizes: dict[str, int],
    store: Callable[[AnyRegister, FrameSlot], MachineInstruction],
    load: Callable[[AnyRegister, FrameSlot], MachineInstruction],
    losers: Iterable[VirtualRegister],
) -> set[VirtualRegister]:
    """Returns the new registers, each of which lives for one instruction or one scheduled loop only.

    A pair has one slot for both lanes, of which an instruction that names one lane takes one word.
    """
    wanted = frozenset(losers)
    lanes = {lane: (pair, number) for pair in wanted for number, lane in enumerate(pair.lanes)}
    touched = wanted | lanes.keys()
    constants = _constants(function, wanted, lanes)
    slots: dict[VirtualRegister, int] = {}
    new: set[VirtualRegister] = set()

    def place_of(register: VirtualRegister) -> FrameSlot:
        owner, lane = lanes.get(register, (register, 0))
        slot = slots.get(owner)
        if slot is None:
            size = sizes[owner.kind]
            slot = slots[owner] = function.new_slot(size, size)
        return FrameSlot(slot, lane * sizes[register.kind])

    def back(register: VirtualRegister, to: AnyRegister, place: MachineInstruction) -> MachineInstruction:
        made = constants.get(register)
        if made is not None:
            return MachineInstruction(made.row, [to, *made.values[1:]], line=place.line)
        return _at(load(to, place_of(register)), place)

    for block in function.blocks:
        if block.around is not None:
            continue
        code: list[MachineInstruction] = []
        for instruction in block.instructions:
            whole = [one for one in instruction.values if isinstance(one, VirtualRegister) and one in wanted and one.lanes]
            inside = {lane: pair for pair in whole for lane in pair.lanes}
            reads, writes = (
                {inside.get(one, one): None for one in registers if isinstance(one, VirtualRegister) and one in touched}
                for registers in (instruction.reads(), instruction.writes())
            )
            if not reads and not writes:
                code.append(instruction)
                continue
            if any(constants.get(register) is instruction for register in writes):
                continue
            # Constants are made anew as a whole.
            reads = {lanes[one][0] if one in lanes and lanes[one][0] in constants else one: None for one in reads}
            names: dict[VirtualRegister, AnyRegister] = {}
            for register in {**reads, **writes}:
                replacement = function.new_register(register.kind)
                new.add(replacement)
                names[register] = replacement
                names.update(zip(register.lanes, replacement.lanes))
            code += [back(register, names[register], instruction) for register in reads]
            instruction.replace_registers(names)
            code.append(instruction)
            code += [_at(store(names[register], place_of(register)), instruction) for register in writes]
        block.instructions = code
    for block in function.blocks:
        if block.around is None:
            continue
        before, behind = block.around
        used = [one for instruction in block.instructions for one in (*instruction.reads(), *instruction.writes())]
        own = {
            register: function.new_register(register.kind)
            for register in dict.fromkeys(used)
            if isinstance(register, VirtualRegister) and register in wanted
        }
        written = {one for instruction in block.instructions for one in instruction.writes()}
        before.instructions[-1:-1] = [back(register, to, before.instructions[-1]) for register, to in own.items()]
        behind.instructions[:0] = [
            _at(store(to, place_of(register)), behind.instructions[0]) for register, to in own.items() if register in written
        ]
        names = dict[VirtualRegister, AnyRegister](own)
        for instruction in block.instructions:
            instruction.replace_registers(names)
        new.update(own.values())
    return new


def _at(made: MachineInstruction, place: MachineInstruction) -> MachineInstruction:
    made.line = place.line
    return made


def _constants(
    function: MachineFunction,
    wanted: frozenset[VirtualRegister],
    lanes: Mapping[VirtualRegister, tuple[VirtualRegister, int]],
) -> dict[VirtualRegister, MachineInstruction]:
    """Registers that one instruction writes, and makes from nothing -> that instruction."""
    writers: dict[VirtualRegister, list[MachineInstruction]] = {}
    for instruction in function.instructions():
        results = [value for operand, value in zip(instruction.row.operands, instruction.values) if operand.role != "use"]
        for register in (*results, *instruction.implicit_defs):
            if isinstance(register, VirtualRegister):
                owner = lanes.get(register, (register, 0))[0]
                if owner in wanted:
                    writers.setdefault(owner, []).append(instruction)
    return {
        register: made[0]
        for register, made in writers.items()
        if len(made) == 1
        and "rematerialisable" in made[0].row.traits
        and made[0].mask is None
        and made[0].values[0] is register
    }
