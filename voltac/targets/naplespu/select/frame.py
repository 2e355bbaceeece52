"""The frame of a function: where its slots lie, what it saves, the code at its entry and before its returns.

From ``sp`` up: arguments and results of the calls it makes, small slots, vectors
and other slots, saved registers. ``sp`` is always a multiple of 64. ``tr`` holds
addresses that are too far from ``sp`` for an instruction's nine bits, ``fp`` those of registers being saved.
"""

from __future__ import annotations

from voltac.codegen.frames import saved_registers, slot_offsets
from voltac.codegen.machine_code import FrameSlot, Immediate, MachineFunction, MachineInstruction, Register, Value
from voltac.targets.naplespu.regs import CALLEE_SAVED, FP, RA, SP, TR
from voltac.targets.naplespu.select.calls import LOADS, SIZES, STORES
from voltac.targets.naplespu.select.masks import ALL_LANES
from voltac.targets.naplespu.select.pseudo import ROWS, expand, frame_slot

ALIGNMENT = 64
"""Bytes: a vector in a frame is loaded whole."""


def complete_frame(function: MachineFunction) -> None:
    """Put numbers for frame slots, and prologue and epilogues."""
    saved = saved_registers(function, CALLEE_SAVED, RA)
    save_slots = {register: function.new_slot(SIZES[register.kind], SIZES[register.kind]) for register in saved}
    offsets, size = slot_offsets(function, ALIGNMENT)
    function.frame = size
    expand(function, lambda instruction: _frame_address(instruction, offsets))
    for block in function.blocks:
        code: list[MachineInstruction] = []
        for instruction in block.instructions:
            if "return" in instruction.row.traits:
                code += _resolved(
                    [_move(LOADS, register, FrameSlot(slot)) for register, slot in save_slots.items()], offsets, FP
                )
                code += _adjust(size)
            code += _resolved([instruction], offsets)
        block.instructions = code
    entry = function.blocks[0]
    stores = _resolved([_move(STORES, register, FrameSlot(slot)) for register, slot in save_slots.items()], offsets, FP)
    entry.instructions[:0] = _adjust(-size) + stores


def spill_store(register: Value, place: FrameSlot) -> MachineInstruction:
    """A register to its place in the frame."""
    return _move(STORES, register, place)


def spill_load(register: Value, place: FrameSlot) -> MachineInstruction:
    """A register from its place in the frame."""
    return _move(LOADS, register, place)


def _move(rows: dict[str, str], register: Value, place: FrameSlot) -> MachineInstruction:
    kind = getattr(register, "kind", "scalar")
    instruction = MachineInstruction(ROWS[rows[kind]], [register, place, SP])
    if kind == "vector" and rows is LOADS:
        instruction.states = ALL_LANES
    return instruction


def _adjust(by: int) -> list[MachineInstruction]:
    if not by:
        return []
    if -256 <= by <= 255:
        return [MachineInstruction(ROWS["addi.ssi"], [SP, SP, Immediate(by)])]
    return [*_constant(TR, by), MachineInstruction(ROWS["add_i32.sss"], [SP, SP, TR])]


def _constant(register: Register, value: int) -> list[MachineInstruction]:
    low = MachineInstruction(ROWS["movei.si"], [register, Immediate(value & 0xFFFF)])
    high = value >> 16 & 0xFFFF
    return [low, MachineInstruction(ROWS["moveih.si"], [register, Immediate(high)])] if high else [low]


def _frame_address(instruction: MachineInstruction, offsets: dict[int, int]) -> list[MachineInstruction]:
    slot = frame_slot(instruction)
    offset = offsets[slot.slot] + slot.offset
    register = instruction.values[0]
    assert isinstance(register, Register)
    if -256 <= offset <= 255:
        return [MachineInstruction(ROWS["addi.ssi"], [register, SP, Immediate(offset)], line=instruction.line)]
    return [*_constant(register, offset), MachineInstruction(ROWS["add_i32.sss"], [register, SP, register])]


def _resolved(
    instructions: list[MachineInstruction], offsets: dict[int, int], scratch: Register = TR
) -> list[MachineInstruction]:
    code: list[MachineInstruction] = []
    for instruction in instructions:
        for index, value in enumerate(instruction.values):
            if isinstance(value, FrameSlot):
                offset = offsets[value.slot] + value.offset
                if not -256 <= offset <= 255:
                    code += [*_constant(scratch, offset), MachineInstruction(ROWS["add_i32.sss"], [scratch, SP, scratch])]
                    offset = 0
                    instruction.values[index + 1] = scratch
                instruction.values[index] = Immediate(offset)
        code.append(instruction)
    return code
