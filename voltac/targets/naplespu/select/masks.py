"""When the mask register is written: ``rm`` is full but for short runs of instructions that want other lanes.

Selection says of each instruction which lanes it writes; scheduling brings those
of one mask together; behind allocation the writes of ``rm`` are put where the mask
changes. So spill code, which needs every lane, is right anywhere, and code
without selects never writes ``rm``.
"""

from __future__ import annotations

from collections.abc import Hashable

from voltac.codegen.dependence import is_fence
from voltac.codegen.machine_code import (
    AnyRegister,
    Immediate,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    VirtualRegister,
)
from voltac.codegen.rows import Row
from voltac.targets.naplespu.regs import FULL_MASK, RM
from voltac.targets.naplespu.select.pseudo import ROWS

FULL: Hashable = Immediate(FULL_MASK)
ALL_LANES: tuple[Hashable, ...] = (FULL,)


def respects_mask(row: Row) -> bool:
    """Whether the lanes that are off make a difference: results in vectors, and stores to the scratchpad."""
    if not row.operands or row.operands[0].kind != "vector":
        return False
    return row.operands[0].role != "use" or row.unit == "scratchpad"


def assign_states(function: MachineFunction) -> None:
    """Note the masks under which each instruction may run: its own first, then one that covers the lanes that matter.

    Nobody sees what an operation writes in the other lanes if its result goes into operations under one mask only: so
    the chain before a select needs no full mask between two masked instructions. Registers still have one writer each
    here, but for the old values of masked instructions, so a register is a name for a mask.
    """
    writers: dict[AnyRegister, int] = {}
    for instruction in function.instructions():
        for register in instruction.writes():
            writers[register] = writers.get(register, 0) + 1
    readers: dict[AnyRegister, list[MachineInstruction]] = {}
    for block in function.blocks:
        for instruction in block.instructions:
            for register in instruction.reads():
                readers.setdefault(register, []).append(instruction)
    for block in function.blocks:
        here = {id(instruction) for instruction in block.instructions}
        for instruction in reversed(block.instructions):
            if not respects_mask(instruction.row):
                continue
            if instruction.mask is not None:
                instruction.states = (instruction.mask,)
                continue
            instruction.states = ALL_LANES
            result = instruction.values[0]
            if isinstance(result, VirtualRegister) and writers.get(result) == 1:
                lanes = {_lanes_wanted(user) if id(user) in here else FULL for user in readers.get(result, ())}
                if len(lanes) == 1:
                    instruction.states = tuple(dict.fromkeys((FULL, *lanes)))


def _lanes_wanted(user: MachineInstruction) -> Hashable:
    """The lanes of its operands that an instruction looks at, as the name of a mask."""
    crosses_lanes = user.row.name.startswith("shuffle_i32.")
    if crosses_lanes or not respects_mask(user.row) or ("store" in user.row.traits and user.mask is None):
        return FULL
    return user.states[-1] if user.states else FULL


def write_masks(function: MachineFunction) -> None:
    """Writes to the mask register where an instruction needs another mask than the one before it."""
    for block in function.blocks:
        _write_masks(block)


def _write_masks(block: MachineBlock) -> None:
    """Each write stands as early as it may, for what it enables waits seven cycles for it."""
    code: list[MachineInstruction] = []
    state = FULL
    settled = 0
    """Where the last instruction is past that the mask matters to."""
    for at, instruction in enumerate(block.instructions):
        if instruction.states and state not in instruction.states:
            state, mask = _best_state(block.instructions, at)
            _insert_write(code, settled, mask, instruction.line)
        elif is_fence(instruction) and state != FULL:
            state = FULL
            _insert_write(code, settled, None, instruction.line)
        code.append(instruction)
        if instruction.states or is_fence(instruction):
            settled = len(code)
    if state != FULL:
        _insert_write(code, settled, None, 0)
    block.instructions = code


def _best_state(code: list[MachineInstruction], at: int) -> tuple[Hashable, AnyRegister | Immediate | None]:
    """Of the masks under which an instruction may run, the one that serves longest, and what ``rm`` gets for it."""
    first = code[at]
    if len(first.states) == 1:
        return first.states[0], first.mask
    left = set(first.states)
    written: set[AnyRegister] = set()
    for instruction in code[at:]:
        if is_fence(instruction):
            break
        if instruction.states:
            left &= set(instruction.states)
            if left != {FULL} and len(instruction.states) == 1 and instruction.states[0] in left:
                mask = instruction.mask
                if mask is not None and mask not in written:
                    return instruction.states[0], mask
                break
            if not left or left == {FULL}:
                break
        written.update(instruction.writes())
    return FULL, None


def _insert_write(code: list[MachineInstruction], earliest: int, mask: AnyRegister | Immediate | None, line: int) -> None:
    """At ``earliest``, or behind what makes the mask."""
    place = len(code)
    while place > earliest and (mask is None or mask not in code[place - 1].writes()):
        place -= 1
    code.insert(place, _write(mask, line))


def _write(mask: AnyRegister | Immediate | None, line: int) -> MachineInstruction:
    if mask is None:
        mask = Immediate(FULL_MASK)
    if isinstance(mask, Immediate):
        return MachineInstruction(ROWS["movei.si"], [RM, mask], line=line)
    return MachineInstruction(ROWS["move_i32.ss"], [RM, mask], line=line)
