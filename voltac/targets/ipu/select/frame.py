"""The frame of a function: where its slots lie, what it saves, the code at its entry and before its returns.

From ``$sp`` up: arguments and results of the calls it makes, then its slots. The stack grows down (IPU 4.3).
"""

from __future__ import annotations

from voltac.codegen.frames import saved_registers, slot_offsets
from voltac.codegen.machine_code import AnyRegister, FrameSlot, Immediate, MachineFunction, MachineInstruction, Register
from voltac.codegen.not_on_device import NotOnDevice
from voltac.targets.ipu.select.pseudo import ROWS, expand
from voltac.targets.ipu.select.registers import CALLEE_SAVED, LR, SP, ZERO

WORD = 4
ALIGNMENT = 64
"""Bytes of which a frame is a multiple: what 64-bit accesses need, and objects that programs align."""
_REACH = 0x1000
"""Elements of an access that an offset from ``$sp`` reaches (IPU 3.3)."""
_STEP = 0x7FF8
"""Bytes by which one instruction moves ``$sp``."""


def store_at(register: AnyRegister, place: FrameSlot) -> MachineInstruction:
    """A word, or a pair, to the stack."""
    return MachineInstruction(ROWS[f"st{_bits(register)}.{register.kind}mmzi12"], [register, SP, ZERO["m"], place])


def load_at(register: AnyRegister, place: FrameSlot) -> MachineInstruction:
    """A word, or a pair, from the stack."""
    return MachineInstruction(ROWS[f"ld{_bits(register)}.{register.kind}mmzi12"], [register, SP, ZERO["m"], place])


def _bits(register: AnyRegister) -> int:
    return 32 * max(1, len(register.lanes))


def complete_frame(function: MachineFunction) -> None:
    """Put numbers for frame slots, and prologue and epilogues."""
    saved = saved_registers(function, CALLEE_SAVED, LR)
    slots = {register: function.new_slot(WORD, WORD) for register in saved}
    offsets, size = slot_offsets(function, ALIGNMENT)
    function.frame = size
    expand(function, lambda instruction: _frame_address(instruction, offsets))
    for block in function.blocks:
        code: list[MachineInstruction] = []
        for instruction in block.instructions:
            if "return" in instruction.row.traits:
                code += [load_at(register, FrameSlot(slot)) for register, slot in slots.items()]
                code += adjust(size)
            code.append(instruction)
        block.instructions = code
    entry = function.blocks[0]
    entry.instructions[:0] = [*adjust(-size), *(store_at(register, FrameSlot(slot)) for register, slot in slots.items())]
    for instruction in function.instructions():
        _resolve(function, instruction, offsets)


def adjust(by: int) -> list[MachineInstruction]:
    """Moves the stack pointer."""
    made = []
    while by:
        step = max(-_STEP, min(_STEP, by))
        made.append(MachineInstruction(ROWS["add.mmsi16"], [SP, SP, Immediate(step)]))
        by -= step
    return made


def _frame_address(instruction: MachineInstruction, offsets: dict[int, int]) -> list[MachineInstruction]:
    register, slot = instruction.values
    assert isinstance(slot, FrameSlot)
    offset, made, source = offsets[slot.slot] + slot.offset, [], SP
    while offset > _STEP:
        made.append(MachineInstruction(ROWS["add.mmsi16"], [register, source, Immediate(_STEP)], line=instruction.line))
        assert isinstance(register, Register)
        offset, source = offset - _STEP, register
    return [*made, MachineInstruction(ROWS["add.mmsi16"], [register, source, Immediate(offset)], line=instruction.line)]


def _resolve(function: MachineFunction, instruction: MachineInstruction, offsets: dict[int, int]) -> None:
    for index, value in enumerate(instruction.values):
        if isinstance(value, FrameSlot):
            size = next(int(trait.split()[1]) for trait in instruction.row.traits if trait.startswith("bytes "))
            offset = offsets[value.slot] + value.offset
            if offset >= _REACH * size or offset % size:
                error = NotOnDevice(
                    f"{function.frame} bytes of its own on the stack; declare large arrays outside of functions"
                )
                error.function = function.name
                raise error
            instruction.values[index] = Immediate(offset // size)
