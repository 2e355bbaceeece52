"""Rows that stand for a few instructions until registers are known: constants, addresses, calls by address.

Each makes its value from nothing but its immediates, so allocation makes the
value anew where it has no register for it (``rematerialisable``).
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.machine_code import FrameSlot, Immediate, LabelOperand, MachineBlock, MachineFunction, MachineInstruction
from voltac.codegen.rows import InstructionSet, Row, RowOperand
from voltac.targets.naplespu.isa import INSTRUCTIONS, MOVEI
from voltac.targets.naplespu.regs import RA

_FRESH = frozenset(("pseudo", "rematerialisable"))
_ROWS = (
    Row("constant", "constant {rd}, {imm}", MOVEI, {}, (RowOperand("rd", "scalar", "def"), RowOperand("imm", "imm32")),
        "integer", 8, traits=_FRESH),
    Row("address", "address {rd}, {imm}", MOVEI, {}, (RowOperand("rd", "scalar", "def"), RowOperand("imm", "absolute")),
        "integer", 8, traits=_FRESH),
    Row("frame", "frame {rd}, {imm}", MOVEI, {}, (RowOperand("rd", "scalar", "def"), RowOperand("imm", "frame")), "integer", 8,
        traits=_FRESH),
    Row("call_address", "call_address {imm}", MOVEI, {}, (RowOperand("imm", "scalar"),), "control", 9,
        traits=frozenset(("pseudo", "call", "indirect"))),
)  # fmt: skip

ROWS = InstructionSet((*INSTRUCTIONS.rows.values(), *_ROWS))
"""What the selector emits: the core's instructions and the rows above."""


def expand(function: MachineFunction, frame_address: Callable[[MachineInstruction], list[MachineInstruction]]) -> None:
    """Replace the rows above, when registers and frame are known. ``frame_address`` replaces a ``frame``."""
    blocks: list[MachineBlock] = []
    for block in function.blocks:
        current = block
        blocks.append(current)
        instructions, current.instructions = current.instructions, []
        for instruction in instructions:
            match instruction.row.name:
                case "constant":
                    current.instructions += _constant(instruction)
                case "address":
                    current.instructions += _address(instruction)
                case "frame":
                    current.instructions += frame_address(instruction)
                case "call_address":
                    # The core's own call by address stores a wrong return address (NaplesPU 2.8).
                    behind = MachineBlock(f"{block.name}.after{len(blocks)}", [], current.successors, current.frequency)
                    current.successors = [behind.name]
                    back = LabelOperand(behind.name, "absolute")
                    current.instructions += [
                        MachineInstruction(ROWS["leah.si"], [RA, back], line=instruction.line),
                        MachineInstruction(ROWS["leal.si"], [RA, back], line=instruction.line),
                        MachineInstruction(ROWS["jmp.s"], [instruction.values[0]], line=instruction.line),
                    ]
                    current = behind
                    blocks.append(current)
                case _:
                    current.instructions.append(instruction)
    function.blocks = blocks


def _constant(instruction: MachineInstruction) -> list[MachineInstruction]:
    register, immediate = instruction.values
    assert isinstance(immediate, Immediate)
    low, high = immediate.value & 0xFFFF, immediate.value >> 16 & 0xFFFF
    made = [MachineInstruction(ROWS["movei.si"], [register, Immediate(low)], line=instruction.line)]
    if high:
        made.append(MachineInstruction(ROWS["moveih.si"], [register, Immediate(high)], line=instruction.line))
    return made


def _address(instruction: MachineInstruction) -> list[MachineInstruction]:
    register, label = instruction.values
    return [
        MachineInstruction(ROWS["leah.si"], [register, label], line=instruction.line),
        MachineInstruction(ROWS["leal.si"], [register, label], line=instruction.line),
    ]


def frame_slot(instruction: MachineInstruction) -> FrameSlot:
    """The frame slot that a ``frame`` instruction takes the address of."""
    slot = instruction.values[1]
    assert isinstance(slot, FrameSlot)
    return slot
