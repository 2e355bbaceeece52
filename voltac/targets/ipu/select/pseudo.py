"""Rows that stand for a few instructions until registers are known: constants, addresses, calls by address, returns.

Each of the first makes its value from nothing but its immediates, so allocation makes the
value anew where it has no register for it (``rematerialisable``).
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.machine_code import (
    Immediate,
    LabelOperand,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    Register,
    Value,
)
from voltac.codegen.rows import InstructionSet, Row, RowOperand
from voltac.targets.ipu.isa import INSTRUCTIONS
from voltac.targets.ipu.select.registers import LR, ZERO
from voltac.targets.ipu.shapes import AUX, MAIN

_FRESH = frozenset(("pseudo", "rematerialisable"))
_FORM = INSTRUCTIONS["nop"].format


def _fresh(name: str, kind: str, immediate: str) -> Row:
    operands = (RowOperand("d", kind, "def"), RowOperand("imm", immediate))
    return Row(name, f"{name} {{d}}, {{imm}}", _FORM, {}, operands, AUX if kind[0] == "a" else MAIN, 1, traits=_FRESH)


_ROWS = (
    _fresh("constant.m", "m", "imm32"),
    _fresh("constant.a", "a", "imm32"),
    # The same word in both lanes.
    _fresh("constant.a2", "a2", "imm32"),
    _fresh("address", "m", "zi20"),
    _fresh("frame", "m", "frame"),
    Row("call_address", "call_address {m}", _FORM, {}, (RowOperand("m", "m"),), MAIN, 1,
        traits=frozenset(("pseudo", "call", "indirect"))),
    Row("return", "br {m}", _FORM, {}, (RowOperand("m", "m"),), MAIN, 1, traits=frozenset(("return",))),
    Row("stop", "trap {imm}", _FORM, {}, (RowOperand("imm", "zi4"),), MAIN, 1, traits=frozenset(("end",))),
)  # fmt: skip

ROWS = InstructionSet((*INSTRUCTIONS.rows.values(), *_ROWS))
"""What the selector emits: the worker's instructions and the rows above."""


def expand(function: MachineFunction, frame_address: Callable[[MachineInstruction], list[MachineInstruction]]) -> None:
    """Replace the rows above, when registers and frame are known. ``frame_address`` replaces a ``frame``."""
    blocks: list[MachineBlock] = []
    for block in function.blocks:
        current = block
        blocks.append(current)
        instructions, current.instructions = current.instructions, []
        for instruction in instructions:
            line = instruction.line
            match instruction.row.name:
                case "constant.m" | "constant.a":
                    register, immediate = instruction.values
                    assert isinstance(immediate, Immediate)
                    current.instructions += constant(instruction.row.name[-1], register, immediate.value, line)
                case "constant.a2":
                    pair, immediate = instruction.values
                    assert isinstance(immediate, Immediate) and isinstance(pair, Register)
                    current.instructions += constant_pair(pair, immediate.value, line)
                case "address":
                    current.instructions.append(MachineInstruction(ROWS["setzi.mzi20"], instruction.values, line=line))
                case "frame":
                    current.instructions += frame_address(instruction)
                case "call_address":
                    # A call goes to a name only: the address behind is made by hand (IPU 3.2).
                    behind = MachineBlock(f"{block.name}.after{len(blocks)}", [], current.successors, current.frequency)
                    current.successors = [behind.name]
                    back = LabelOperand(behind.name, "low 20")
                    current.instructions += [
                        MachineInstruction(ROWS["setzi.mzi20"], [LR, back], line=line),
                        MachineInstruction(ROWS["br.m"], [instruction.values[0]], line=line),
                    ]
                    current = behind
                    blocks.append(current)
                case _:
                    current.instructions.append(instruction)
    function.blocks = blocks


def constant(kind: str, register: Value, bits: int, line: int = 0) -> list[MachineInstruction]:
    """Puts 32 bits into a register of a class, by one or two instructions (IPU 3.1, 3.6)."""
    bits &= 0xFFFFFFFF
    top = bits >> 20 << 20
    if kind == "m" and bits >> 15 == 0x1FFFF:
        return [MachineInstruction(ROWS["add.mmsi16"], [register, ZERO["m"], Immediate(bits - (1 << 32))], line=line)]
    put_top = "or.mmiz12" if kind == "m" else "or.aaiz12"
    if bits == top and bits:
        return [MachineInstruction(ROWS[put_top], [register, ZERO[kind], Immediate(top)], line=line)]
    made = [MachineInstruction(ROWS[f"setzi.{kind}zi20"], [register, Immediate(bits & 0xFFFFF)], line=line)]
    if top:
        made.append(MachineInstruction(ROWS[put_top], [register, register, Immediate(top)], line=line))
    return made


def constant_pair(pair: Register, bits: int, line: int = 0) -> list[MachineInstruction]:
    """Puts the same 32 bits into both lanes of a pair."""
    easy = {0: "mov.a2a2", 0xFFFFFFFF: "not64.a2a2"}.get(bits & 0xFFFFFFFF)
    if easy:
        return [MachineInstruction(ROWS[easy], [pair, ZERO["a2"]], line=line)]
    return [made for lane in pair.lanes for made in constant("a", lane, bits, line)]


def takes_one(kind: str, bits: int) -> bool:
    """Whether one instruction makes a constant."""
    return len(constant(kind, ZERO[kind], bits)) == 1
