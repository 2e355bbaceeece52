"""The frame of a function: its stacked registers and its memory, what it saves, the code at its entry and before its returns.

In memory from ``sp`` up: 16 bytes that belong to whoever is called, arguments and results of the calls it makes, its slots.
"""

from __future__ import annotations

from collections.abc import Collection

from voltac.codegen.frames import slot_offsets
from voltac.codegen.machine_code import AnyRegister, FrameSlot, Immediate, MachineFunction, MachineInstruction, Register
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.select.conventions import load_at, store_at
from voltac.targets.ia64.select.pseudo import ROWS, add_offset, expand
from voltac.targets.ia64.select.registers import (
    BACK,
    CALLEE_SAVED,
    FIRST_LOCAL,
    FIRST_OUTPUT,
    FIRST_STACKED,
    LOAD_SCRATCH,
    PARAMETERS,
    SP,
)

ALIGNMENT = 16
_SCRATCH_AREA = 16
"""Bytes at ``sp`` (IA-64 2)."""
_PFS = BY_NAME["ar.pfs"]


def complete_frame(function: MachineFunction, rotating: int, short: Collection[str]) -> None:
    """Lay out the frame, put prologue and epilogues, numbers for frame slots and the addresses of data, those of ``short``
    labels by ``gp``; so many registers may rotate."""
    # What rotates is the begin of the frame.
    locals_ = max(_locals(function), rotating - PARAMETERS)
    if function.calls:
        # What brings the function back is kept in its own registers.
        link, state = (BY_NAME[f"r{FIRST_LOCAL + locals_ + number}"] for number in range(2))
        locals_ += 2
    _name_outputs(function, locals_)
    written = {register for instruction in function.instructions() for register in instruction.writes()}
    saved = sorted(CALLEE_SAVED & written, key=lambda one: one.number)
    slots = {register: function.new_slot(16, 16) for register in saved}
    offsets, size = slot_offsets(function, ALIGNMENT, _SCRATCH_AREA)
    function.frame = size
    entry: list[MachineInstruction] = []
    if locals_ or rotating:
        kept = state if function.calls else LOAD_SCRATCH
        frame = (PARAMETERS + locals_, PARAMETERS if function.calls else 0, rotating)
        entry.append(MachineInstruction(ROWS["alloc.r=ar.pfs,0,frame,frame,rotation"], [kept, *map(Immediate, frame)]))
    if function.calls:
        entry.append(MachineInstruction(ROWS["mov.r=b"], [link, BACK]))
    entry += add_offset(SP, SP, -size) if size else []
    entry += [store_at(register, FrameSlot(slot)) for register, slot in slots.items()]
    for block in function.blocks:
        code: list[MachineInstruction] = []
        for instruction in block.instructions:
            if "return" in instruction.row.traits:
                code += [load_at(register, FrameSlot(slot)) for register, slot in slots.items()]
                code += add_offset(SP, SP, size) if size else []
                if function.calls:
                    code.append(MachineInstruction(ROWS["mov.b=r"], [BACK, link]))
                    code.append(MachineInstruction(ROWS["mov.i.ar=r"], [_PFS, state]))
                    instruction.implicit_uses.append(_PFS)
            code.append(instruction)
        block.instructions = code
    function.blocks[0].instructions[:0] = entry
    expand(function, offsets, short)


def _locals(function: MachineFunction) -> int:
    """Stacked registers that it computes with."""
    numbers = [one.number for one in _registers(function) if one.kind == "r" and FIRST_LOCAL <= one.number < FIRST_OUTPUT]
    return max(numbers, default=FIRST_LOCAL - 1) - FIRST_LOCAL + 1


def _registers(function: MachineFunction) -> set[Register]:
    return {
        register
        for instruction in function.instructions()
        for register in (*instruction.reads(), *instruction.writes())
        if isinstance(register, Register)
    }


def _name_outputs(function: MachineFunction, locals_: int) -> None:
    """Outputs lie behind the function's own registers."""
    first = FIRST_STACKED + PARAMETERS + locals_
    new = {BY_NAME[f"r{FIRST_OUTPUT + number}"]: BY_NAME[f"r{first + number}"] for number in range(PARAMETERS)}
    for instruction in function.instructions():
        instruction.values = [new.get(value, value) if isinstance(value, Register) else value for value in instruction.values]
        instruction.implicit_uses = [_renamed(one, new) for one in instruction.implicit_uses]
        instruction.implicit_defs = [_renamed(one, new) for one in instruction.implicit_defs]


def _renamed(register: AnyRegister, new: dict[Register, Register]) -> AnyRegister:
    return new.get(register, register) if isinstance(register, Register) else register
