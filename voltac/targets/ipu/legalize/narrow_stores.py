"""Stores of bytes and halves -> the word around them, read, changed and written: the tile stores words only (IPU 1.4).

store i8 %v, ptr %p    ->    word = load i32 (%p & ~3); store (word & ~(255 << s)) | (%v << s);    s = 8 * (%p & 3)
"""

from __future__ import annotations

from voltac.ir.model import Instruction, Module

_MASKS = {"i8": 0xFF, "i16": 0xFFFF}


def expand_narrow_stores(module: Module) -> None:
    """In all functions, which are legal otherwise."""
    for function in module.functions:
        number = 0
        for block in function.blocks:
            code: list[Instruction] = []
            for instruction in block.instructions:
                if instruction.op == "store" and instruction.operands[0].type in _MASKS:
                    value, pointer = instruction.operands
                    lines = _lines(f"%narrow.{number}.", value.type, value.value, pointer.value)
                    code += [Instruction(f"  {line}") for line in lines]
                    number += 1
                else:
                    code.append(instruction)
            block.instructions = code


def _lines(n: str, type: str, value: str, pointer: str) -> list[str]:
    mask = _MASKS[type]
    return [
        f"{n}address = ptrtoint ptr {pointer} to i32",
        f"{n}byte = and i32 {n}address, 3",
        f"{n}shift = shl i32 {n}byte, 3",
        f"{n}start = and i32 {n}address, -4",
        f"{n}word = inttoptr i32 {n}start to ptr",
        f"{n}old = load i32, ptr {n}word, align 4",
        f"{n}hole = shl i32 {mask}, {n}shift",
        f"{n}inverse = xor i32 {n}hole, -1",
        f"{n}kept = and i32 {n}old, {n}inverse",
        f"{n}value = zext {type} {value} to i32",
        f"{n}put = shl i32 {n}value, {n}shift",
        f"{n}new = or i32 {n}kept, {n}put",
        f"store i32 {n}new, ptr {n}word, align 4",
    ]
