"""Masked accesses -> accesses under a predicate, lane by lane (IA-64 6, 14).

    %v = call <1 x float> @llvm.masked.load(ptr %p, <1 x i1> %m, <1 x float> %o)
    ->
    %v = call float @ia64.load_if.float(i1 %m, ptr %p, float %o)

What is not aligned goes the shared way, by pieces.
"""

from __future__ import annotations

import re

from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.memory_intrinsics import MEMORY
from voltac.codegen.legalize.scalar_accesses import bytes_of
from voltac.codegen.legalize.shapes import Shape
from voltac.ir.model import Instruction

_ALIGNED = re.compile(r"ptr[^,%@]*?align (\d+)|<\d+ x ptr>[^,%@]*?align (\d+)")
_WHOLE = (1, 2, 4, 8)
"""Bytes that an access takes."""


def _access(f: Legalizer, shape: Shape, instruction: Instruction) -> str:
    """What the functions of an access are called; empty where it takes more than one."""
    found = _ALIGNED.search(instruction.text)
    alignment = int(found[1] or found[2]) if found else 1
    size = bytes_of(shape)
    if shape.element == "i1" or shape.words > 1 or size not in _WHOLE or alignment < size:
        return ""
    return shape.element if shape.element in ("float", "double") else f"i{8 * size}"


def _number(f: Legalizer, shape: Shape, word: str) -> str:
    return (
        f.write.number(word)
        if shape.element.startswith("ptr") and word not in ("null", "poison")
        else {"null": "0"}.get(word, word)
    )


def _load(operation: str, pointers: int, mask: int, otherwise: int) -> Rule:
    shared = MEMORY[operation]

    def rewrite(f: Legalizer, instruction: Instruction) -> None:
        shape = f.shapes.of(instruction.type)
        access = _access(f, shape, instruction)
        if not access:
            shared(f, instruction)
            return
        w = f.write
        kind = shape.element if access in ("float", "double") else w.word
        places = _places(f, shape, instruction, pointers)
        made: Words = []
        for place, on, other in zip(places, f.words(instruction.operands[mask]), f.words(instruction.operands[otherwise])):
            declaration = f"{kind} @ia64.load_if.{access}(i1, ptr, {kind})"
            # Of lanes that are off something is given that is no poison.
            given = "0.0" if kind != w.word and other == "poison" else "0" if other == "poison" else _number(f, shape, other)
            loaded = w.call(declaration, on, place, given)
            made.append(w.pointer(loaded) if shape.element.startswith("ptr") else loaded)
        f.define(instruction, made)

    return rewrite


def _store(operation: str) -> Rule:
    shared = MEMORY[operation]

    def rewrite(f: Legalizer, instruction: Instruction) -> None:
        value, _, mask = instruction.operands
        shape = f.shapes.of(value.type)
        access = _access(f, shape, instruction)
        if not access:
            shared(f, instruction)
            return
        kind = shape.element if access in ("float", "double") else f.write.word
        places = _places(f, shape, instruction, 1)
        for place, on, word in zip(places, f.words(mask), f.words(value)):
            if word != "poison":
                f.write.call(f"void @ia64.store_if.{access}(i1, ptr, {kind})", on, place, _number(f, shape, word))

    return rewrite


def _places(f: Legalizer, shape: Shape, instruction: Instruction, number: int) -> Words:
    """An address for each lane."""
    operand = instruction.operands[number]
    words = f.words(operand)
    if f.shapes.of(operand.type).lanes:
        return words
    return [f.write.near(words[0], bytes_of(shape) * lane) for lane in range(max(1, shape.lanes))]


MASKED: dict[str, Rule] = {
    "masked.load": _load("masked.load", 0, 1, 2),
    "masked.gather": _load("masked.gather", 0, 1, 2),
    "masked.store": _store("masked.store"),
    "masked.scatter": _store("masked.scatter"),
}
"""LLVM's intrinsics, by name."""
