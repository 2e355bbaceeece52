"""Loads and stores of the scratchpad (address space 68), which are legal but for their types.

    load <16 x i32>, ptr addrspace(68) %p, align 4      stays: lanes lie at consecutive words, and the mask holds

Bytes, halves and 64-bit numbers of vectors are not packed there as in main memory, so they go lane by lane.
"""

from __future__ import annotations

from voltac.codegen.legalize.elements import assembled, element
from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.intrinsics import INTRINSICS as SHARED_INTRINSICS
from voltac.codegen.legalize.memory import legalize_load, legalize_store
from voltac.codegen.legalize.scalar_accesses import bytes_of
from voltac.codegen.legalize.shapes import NotLegal, Shape
from voltac.ir.model import Instruction

SPACE = "ptr addrspace(68)"


def _near(f: Legalizer, pointer: str, offset: int) -> str:
    return f.write.value(f"getelementptr i8, {SPACE} {pointer}, i32 {offset}") if offset else pointer


def _load_scalar(f: Legalizer, shape: Shape, pointer: str) -> Words:
    w = f.write
    if bytes_of(shape) < 4:
        bits = 8 * bytes_of(shape)
        short = w.value(f"load i{bits}, {SPACE} {pointer}, align {bits // 8}")
        return [w.value(f"zext i{bits} {short} to i32")]
    kind = shape.kind(False)
    return [w.value(f"load {kind}, {SPACE} {_near(f, pointer, 4 * word)}, align 4") for word in range(shape.words)]


def _store_scalar(f: Legalizer, shape: Shape, words: Words, pointer: str) -> None:
    w = f.write
    if bytes_of(shape) < 4:
        bits = 8 * bytes_of(shape)
        w.emit(f"store i{bits} {w.value(f'trunc i32 {words[0]} to i{bits}')}, {SPACE} {pointer}, align {bits // 8}")
        return
    for number, word in enumerate(words):
        w.emit(f"store {shape.kind(False)} {word}, {SPACE} {_near(f, pointer, 4 * number)}, align 4")


def _load(f: Legalizer, instruction: Instruction) -> None:
    if instruction.operands[0].type == "ptr":
        legalize_load(f, instruction)
    else:
        f.define(instruction, _load_words(f, instruction, f.words(instruction.operands[0])[0]))


def _load_words(f: Legalizer, instruction: Instruction, pointer: str) -> Words:
    if f.shapes.is_aggregate(instruction.type):
        raise NotLegal("a struct in the scratchpad as a value")
    shape = f.shapes.of(instruction.type)
    if not shape.lanes:
        return _load_scalar(f, shape, pointer)
    if shape.chunks == [True] and bytes_of(shape) == 4:
        return [f.write.value(f"load {f.write.type(shape.kind(True), True)}, {SPACE} {pointer}, align 4")]
    lanes = [_load_scalar(f, shape, _near(f, pointer, lane * bytes_of(shape))) for lane in range(shape.lanes)]
    return assembled(f, shape, lanes)


def _store(f: Legalizer, instruction: Instruction) -> None:
    value, target = instruction.operands
    if target.type == "ptr":
        legalize_store(f, instruction)
        return
    pointer = f.words(target)[0]
    if f.shapes.is_aggregate(value.type):
        raise NotLegal("a struct in the scratchpad as a value")
    shape, words = f.shapes.of(value.type), f.words(value)
    if not shape.lanes:
        _store_scalar(f, shape, words, pointer)
        return
    if shape.chunks == [True] and bytes_of(shape) == 4:
        f.write.emit(f"store {f.write.type(shape.kind(True), True)} {words[0]}, {SPACE} {pointer}, align 4")
        return
    for lane in range(shape.lanes):
        _store_scalar(f, shape, element(f, shape, f.columns(value), lane), _near(f, pointer, lane * bytes_of(shape)))


def _intrinsic(f: Legalizer, kind: str, load: bool) -> str:
    type, suffix = f.write.type(kind, True), "v16f32" if kind == "float" else "v16i32"
    if load:
        return f"{type} @llvm.masked.load.{suffix}.p68({SPACE}, <{f.width} x i1>, {type})"
    return f"void @llvm.masked.store.{suffix}.p68({type}, {SPACE}, <{f.width} x i1>)"


def _masked_load(f: Legalizer, instruction: Instruction) -> None:
    pointer, mask, otherwise = instruction.operands
    if pointer.type == "ptr":
        SHARED_INTRINSICS["masked.load"](f, instruction)
        return
    shape = f.shapes.of(instruction.type)
    if shape.chunks != [True] or bytes_of(shape) != 4:
        raise NotLegal("a masked load of other than 16 words from the scratchpad")
    kind = shape.kind(True)
    given = f.words(pointer)[0], f.words(mask)[0], f.words(otherwise)[0]
    f.define(instruction, [f.write.call(_intrinsic(f, kind, True), *given)])


def _masked_store(f: Legalizer, instruction: Instruction) -> None:
    value, pointer, mask = instruction.operands
    if pointer.type == "ptr":
        SHARED_INTRINSICS["masked.store"](f, instruction)
        return
    shape = f.shapes.of(value.type)
    if shape.chunks != [True] or bytes_of(shape) != 4:
        raise NotLegal("a masked store of other than 16 words to the scratchpad")
    f.write.call(_intrinsic(f, shape.kind(True), False), f.words(value)[0], f.words(pointer)[0], f.words(mask)[0])


RULES: dict[str, Rule] = {
    "load": _load,
    "store": _store,
}
INTRINSICS: dict[str, Rule] = {
    "masked.load": _masked_load,
    "masked.store": _masked_store,
}
