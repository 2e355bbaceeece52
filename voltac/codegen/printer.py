"""Machine functions → assembly text that the assembler reads back."""

from __future__ import annotations

from voltac.codegen.machine_code import MachineFunction, MachineInstruction


def print_function(function: MachineFunction, is_global: bool = False) -> str:
    """A function as it stands in section .text: its name and those of its blocks are labels."""
    out = [f"\t.global {function.name}"] if is_global else []
    out.append(f"{function.name}:")
    for block in function.blocks:
        if block.name != function.name:
            out.append(f"{block.name}:")
        out += [print_instruction(instruction) for instruction in block.instructions]
    return "\n".join(out) + "\n"


def print_instruction(instruction: MachineInstruction) -> str:
    """A line of assembly text."""
    mnemonic, _, operands = str(instruction).partition(" ")
    return f"\t{mnemonic}\t{operands}".rstrip()
