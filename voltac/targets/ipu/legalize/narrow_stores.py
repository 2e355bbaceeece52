"""Stores of bytes and halves -> the word around them, read, changed and written: the tile stores words only (IPU 1.4).

store i8 %v, ptr %p    ->    word = load i32 (%p & ~3); store (word & ~(255 << s)) | (%v << s);    s = 8 * (%p & 3)
"""

from __future__ import annotations

from voltac.ir.model import Instruction, Module
from voltac.targets.ipu.float_bits import HALF_INFINITY, HALF_OVERFLOW, HALF_SIGN, INFINITY

_MASKS = {"i8": 0xFF, "i16": 0xFFFF}


def expand_narrow_stores(module: Module) -> None:
    """In all functions, which are legal otherwise."""
    uses_halves = False
    for function in module.functions:
        number = 0
        definitions = function.definitions()
        for block in function.blocks:
            code: list[Instruction] = []
            for instruction in block.instructions:
                if instruction.op == "store" and instruction.operands[0].type in _MASKS:
                    value, pointer = instruction.operands
                    lines = _lines(f"%narrow.{number}.", value.type, value.value, pointer.value)
                    code += [Instruction(f"  {line}") for line in lines]
                    number += 1
                elif instruction.op == "store" and instruction.operands[0].type == "half":
                    value, pointer = instruction.operands
                    rounded = definitions[value.value].operands[0].value
                    n = f"%narrow.{number}."
                    lines = [*_half(n, rounded), *_lines(n, "i16", f"{n}short", pointer.value)]
                    code += [Instruction(f"  {line}") for line in lines]
                    number, uses_halves = number + 1, True
                else:
                    code.append(instruction)
            block.instructions = code
    if uses_halves:
        module.declare(("declare i32 @ipu.to_half(float) nounwind",))


def _half(n: str, value: str) -> list[str]:
    """A float as a half: the hardware stops at the largest one (IPU 3.8), what is no less than 65520 is infinite."""
    return [
        f"{n}bits = bitcast float {value} to i32",
        f"{n}size = and i32 {n}bits, 2147483647",
        f"{n}excess = sub i32 {n}size, {HALF_OVERFLOW}",
        f"{n}endless = icmp ule i32 {n}excess, {INFINITY - HALF_OVERFLOW}",
        f"{n}upper = lshr i32 {n}bits, 16",
        f"{n}sign = and i32 {n}upper, {HALF_SIGN}",
        f"{n}infinity = or i32 {n}sign, {HALF_INFINITY}",
        f"{n}finite = call i32 @ipu.to_half(float {value})",
        f"{n}half = select i1 {n}endless, i32 {n}infinity, i32 {n}finite",
        f"{n}short = trunc i32 {n}half to i16",
    ]


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
