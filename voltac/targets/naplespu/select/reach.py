"""Branches and calls that go further than their 18 bits reach: through a register.

``tr`` takes the address, a conditional branch becomes its opposite around the
jump, and a call makes its return address itself, as the core's own call by
address stores a wrong one (NaplesPU 2.8).
"""

from __future__ import annotations

from voltac.codegen.machine_code import LabelOperand, MachineBlock, MachineFunction, MachineInstruction, Register
from voltac.targets.naplespu.regs import RA, TR
from voltac.targets.naplespu.select.pseudo import ROWS

REACH = 1 << 17
"""Bytes forward or back."""

_OPPOSITE = {"bnez": "beqz", "beqz": "bnez"}
_WORD = 4
"""Bytes of an instruction."""
_LONGEST = {"bnez": 4, "beqz": 4, "jmp": 3, "jmpsr": 5}
"""Instructions that stand for one whose target is far away."""


def extend_branches(functions: list[MachineFunction], before: int, reach: int = REACH) -> bool:
    """``before`` is the number of instructions in front of the first function. Returns whether anything is far."""
    far: set[int] = set()
    while True:
        found = _find_far(functions, before, reach, far)
        if found <= far:
            break
        far |= found
    for function in functions:
        if any(id(instruction) in far for instruction in function.instructions()):
            _extend(function, far)
    return bool(far)


def _find_far(functions: list[MachineFunction], before: int, reach: int, far: set[int]) -> set[int]:
    """The branches whose targets are out of reach, given that those in ``far`` take more room."""
    places: dict[str, int] = {}
    branches: list[tuple[MachineInstruction, int]] = []
    place = before * _WORD
    for function in functions:
        places[function.name] = place
        for block in function.blocks:
            places[block.name] = place
            for instruction in block.instructions:
                if instruction.row.name in _LONGEST:
                    branches.append((instruction, place))
                place += _WORD * (_LONGEST[instruction.row.name] if id(instruction) in far else 1)
    found = set()
    for instruction, at in branches:
        label = instruction.values[-1]
        assert isinstance(label, LabelOperand)
        # What is not a function of the program is part of the start-up code.
        if not -reach <= places.get(label.name, 0) - at < reach:
            found.add(id(instruction))
    return found


def _extend(function: MachineFunction, far: set[int]) -> None:
    blocks: list[MachineBlock] = []
    for block in function.blocks:
        current = block
        blocks.append(current)
        instructions, current.instructions = current.instructions, []
        for instruction in instructions:
            if id(instruction) not in far:
                current.instructions.append(instruction)
                continue
            name = instruction.row.name
            behind = MachineBlock(f"{block.name}.near{len(blocks)}", [], current.successors, current.frequency)
            label = instruction.values[-1]
            assert isinstance(label, LabelOperand)
            if name in _OPPOSITE:
                over = MachineInstruction(
                    ROWS[_OPPOSITE[name]], [instruction.values[0], LabelOperand(behind.name)], line=instruction.line
                )
                current.instructions.append(over)
            current.instructions += _address(TR, label.name, instruction.line)
            if name == "jmpsr":
                current.instructions += _address(RA, behind.name, instruction.line)
            current.instructions.append(MachineInstruction(ROWS["jmp.s"], [TR], line=instruction.line))
            if name != "jmp":
                current.successors = [*current.successors, behind.name]
                current = behind
                blocks.append(current)
    function.blocks = blocks


def _address(register: Register, name: str, line: int) -> list[MachineInstruction]:
    label = LabelOperand(name, "absolute")
    return [
        MachineInstruction(ROWS["leah.si"], [register, label], line=line),
        MachineInstruction(ROWS["leal.si"], [register, label], line=line),
    ]
