"""Loads and stores of the scratchpad (address space 68), which are legal but for their types.

    load <16 x i32>, ptr addrspace(68) %p, align 4      stays: lanes lie at consecutive words, and the mask holds

Bytes, halves and 64-bit numbers of vectors are not packed there as in main memory, so they go lane by lane.
"""

from __future__ import annotations

from voltac.ir.model import Instruction
from voltac.targets.naplespu.legalize.elements import assembled, element
from voltac.targets.naplespu.legalize.function import Legalizer, Words
from voltac.targets.naplespu.legalize.shapes import LANES, NotLegal, Shape, vector_of

SPACE = "ptr addrspace(68)"


def _near(f: Legalizer, pointer: str, offset: int) -> str:
    return f.write.value(f"getelementptr i8, {SPACE} {pointer}, i32 {offset}") if offset else pointer


def _size(shape: Shape) -> int:
    return (shape.bits + 7) // 8 if shape.bits else 4


def _load_scalar(f: Legalizer, shape: Shape, pointer: str) -> Words:
    w = f.write
    if _size(shape) < 4:
        bits = 8 * _size(shape)
        short = w.value(f"load i{bits}, {SPACE} {pointer}, align {bits // 8}")
        return [w.value(f"zext i{bits} {short} to i32")]
    kind = shape.kind(False)
    return [w.value(f"load {kind}, {SPACE} {_near(f, pointer, 4 * word)}, align 4") for word in range(shape.words)]


def _store_scalar(f: Legalizer, shape: Shape, words: Words, pointer: str) -> None:
    w = f.write
    if _size(shape) < 4:
        bits = 8 * _size(shape)
        w.emit(f"store i{bits} {w.value(f'trunc i32 {words[0]} to i{bits}')}, {SPACE} {pointer}, align {bits // 8}")
        return
    for number, word in enumerate(words):
        w.emit(f"store {shape.kind(False)} {word}, {SPACE} {_near(f, pointer, 4 * number)}, align 4")


def load_from_scratchpad(f: Legalizer, instruction: Instruction, pointer: str) -> Words:
    if f.shapes.is_aggregate(instruction.type):
        raise NotLegal("a struct in the scratchpad as a value")
    shape = f.shapes.of(instruction.type)
    if not shape.lanes:
        return _load_scalar(f, shape, pointer)
    if shape.chunks == [True] and _size(shape) == 4:
        return [f.write.value(f"load {vector_of(shape.kind(True), True)}, {SPACE} {pointer}, align 4")]
    lanes = [_load_scalar(f, shape, _near(f, pointer, lane * _size(shape))) for lane in range(shape.lanes)]
    return assembled(f, shape, lanes)


def store_to_scratchpad(f: Legalizer, instruction: Instruction, pointer: str) -> None:
    value = instruction.operands[0]
    if f.shapes.is_aggregate(value.type):
        raise NotLegal("a struct in the scratchpad as a value")
    shape, words = f.shapes.of(value.type), f.words(value)
    if not shape.lanes:
        _store_scalar(f, shape, words, pointer)
        return
    if shape.chunks == [True] and _size(shape) == 4:
        f.write.emit(f"store {vector_of(shape.kind(True), True)} {words[0]}, {SPACE} {pointer}, align 4")
        return
    for lane in range(shape.lanes):
        _store_scalar(f, shape, element(f, shape, f.columns(value), lane), _near(f, pointer, lane * _size(shape)))


def _intrinsic(f: Legalizer, kind: str, load: bool) -> str:
    type, suffix = vector_of(kind, True), "v16f32" if kind == "float" else "v16i32"
    if load:
        return f"{type} @llvm.masked.load.{suffix}.p68({SPACE}, <{LANES} x i1>, {type})"
    return f"void @llvm.masked.store.{suffix}.p68({type}, {SPACE}, <{LANES} x i1>)"


def masked_load_from_scratchpad(f: Legalizer, instruction: Instruction) -> Words:
    pointer, mask, otherwise = instruction.operands
    shape = f.shapes.of(instruction.type)
    if shape.chunks != [True] or _size(shape) != 4:
        raise NotLegal("a masked load of other than 16 words from the scratchpad")
    kind = shape.kind(True)
    given = f.words(pointer)[0], f.words(mask)[0], f.words(otherwise)[0]
    return [f.write.call(_intrinsic(f, kind, True), *given)]


def masked_store_to_scratchpad(f: Legalizer, instruction: Instruction) -> None:
    value, pointer, mask = instruction.operands
    shape = f.shapes.of(value.type)
    if shape.chunks != [True] or _size(shape) != 4:
        raise NotLegal("a masked store of other than 16 words to the scratchpad")
    f.write.call(_intrinsic(f, shape.kind(True), False), f.words(value)[0], f.words(pointer)[0], f.words(mask)[0])
