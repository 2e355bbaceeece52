"""LLVM's intrinsics that access memory -> legal accesses: masked and gathered vectors, copies, fills.

%v = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr %p, <16 x i1> %m, <16 x i32> %o)
->    a load that the machine has, and a select; without vectors one of each lane, from a place that is there
"""

from __future__ import annotations

import re

from voltac.codegen.legalize.function import Legalizer, Rule, Words, vector_memory
from voltac.codegen.legalize.routines import call_routine
from voltac.codegen.legalize.scalar_accesses import at_offset, bytes_of, load_scalar, store_scalar
from voltac.codegen.legalize.shapes import NotLegal, Shape
from voltac.ir.model import Instruction


def _pointer_alignment(instruction: Instruction, default: int) -> int:
    found = re.search(r"align (\d+)", instruction.text)
    return int(found[1]) if found else default


def _masked_load(f: Legalizer, instruction: Instruction) -> None:
    pointer, mask, otherwise = instruction.operands
    shape = f.shapes.of(instruction.type)
    alignment = _pointer_alignment(instruction, 1)
    base = f.words(pointer)[0]
    made: Words = []
    at = 0
    for vector, on, other in zip(shape.chunks, f.words(mask), f.columns(otherwise)):
        place, known = f.write.near(base, at), at_offset(alignment, at)
        if vector:
            made += vector_memory(f).load_masked(f, shape, place, known, on, other)
        else:
            made += _load_one(f, shape, place, known, on, other)
        at += bytes_of(shape) * (f.width if vector else 1)
    f.define(instruction, made)


def _load_one(f: Legalizer, shape: Shape, place: str, alignment: int, on: str, other: Words) -> Words:
    w = f.write
    safe = w.choose(on, place, w.nowhere(), "ptr")
    loaded = load_scalar(f, shape, safe, alignment)
    return [w.choose(on, x, y, shape.kind(False)) for x, y in zip(loaded, other)]


def _masked_store(f: Legalizer, instruction: Instruction) -> None:
    value, pointer, mask = instruction.operands
    shape = f.shapes.of(value.type)
    alignment = _pointer_alignment(instruction, 1)
    base = f.words(pointer)[0]
    at = 0
    for vector, on, words in zip(shape.chunks, f.words(mask), f.columns(value)):
        place, known = f.write.near(base, at), at_offset(alignment, at)
        if vector:
            vector_memory(f).store_masked(f, shape, words, place, known, on)
        else:
            store_scalar(f, shape, words, f.write.choose(on, place, f.write.discard(), "ptr"), known)
        at += bytes_of(shape) * (f.width if vector else 1)


def _gather(f: Legalizer, instruction: Instruction) -> None:
    pointers, mask, otherwise = instruction.operands
    shape = f.shapes.of(instruction.type)
    alignment = _pointer_alignment(instruction, 1)
    made: Words = []
    for vector, addresses, on, other in zip(shape.chunks, f.words(pointers), f.words(mask), f.columns(otherwise)):
        if vector:
            made += vector_memory(f).gather(f, shape, addresses, alignment, on, other)
        else:
            made += _load_one(f, shape, addresses, alignment, on, other)
    f.define(instruction, made)


def _scatter(f: Legalizer, instruction: Instruction) -> None:
    value, pointers, mask = instruction.operands
    shape = f.shapes.of(value.type)
    alignment = _pointer_alignment(instruction, 1)
    for vector, words, addresses, on in zip(shape.chunks, f.columns(value), f.words(pointers), f.words(mask)):
        if vector:
            vector_memory(f).scatter(f, shape, words, addresses, alignment, on)
        else:
            store_scalar(f, shape, words, f.write.choose(on, addresses, f.write.discard(), "ptr"), alignment)


_MOST_COPIED = 128
"""Bytes, by words: 32 loads and 32 stores. All are read first, so that so many registers are taken, half of those there
are."""


def _copy(f: Legalizer, instruction: Instruction) -> None:
    target, source, size = (f.words(operand)[0] for operand in instruction.operands[:3])
    known = f.literal(size)
    alignments = re.findall(r"ptr[^,%@]*?align (\d+)", instruction.text)
    alignment = min(map(int, alignments)) if len(alignments) == 2 else 1
    if known is not None and known <= _MOST_COPIED and (alignment >= f.machine.facts.word_bytes or known <= 16):
        # All is read before anything is written: it may overlap.
        pieces = []
        at = 0
        while at < known:
            count = next(count for count in reversed(f.machine.facts.accesses) if count <= known - at and count <= alignment)
            shape = Shape(f"i{8 * count}", 0, 8 * count, 1)
            pieces.append((shape, load_scalar(f, shape, f.write.near(source, at), count), at, count))
            at += count
        for shape, words, place, count in pieces:
            store_scalar(f, shape, words, f.write.near(target, place), count)
        return
    is_apart = "copy_apart" in f.machine.routines and "@llvm.memcpy" in instruction.text
    call_routine(f, "copy_apart" if is_apart else "copy", False, [target, source, size])


def _fill(f: Legalizer, instruction: Instruction) -> None:
    target, byte, size = (f.words(operand)[0] for operand in instruction.operands[:3])
    known, value = f.literal(size), f.literal(byte)
    alignment = _pointer_alignment(instruction, 1)
    if (
        known is not None
        and value is not None
        and known <= _MOST_COPIED
        and (alignment >= f.machine.facts.word_bytes or known <= 16)
    ):
        at = 0
        while at < known:
            count = next(count for count in reversed(f.machine.facts.accesses) if count <= known - at and count <= alignment)
            number = f.constant((value & 0xFF) * 0x0101010101010101 & ((1 << 8 * count) - 1), False)
            store_scalar(f, Shape(f"i{8 * count}", 0, 8 * count, 1), [number], f.write.near(target, at), count)
            at += count
        return
    call_routine(f, "fill", False, [target, byte, size])


def _compress(f: Legalizer, instruction: Instruction) -> None:
    """``llvm.experimental.vector.compress``: active lanes move to the front, by stores to the stack."""
    value, mask, otherwise = instruction.operands
    shape = f.shapes.of(value.type)
    if shape.chunks != [True] or shape.element in ("i1",):
        raise NotLegal(f"a compression of other than {f.width} numbers")
    w = f.write
    on = f.words(mask)[0]
    bits = w.bitmap(on)
    made: Words = []
    for number, (word, other) in enumerate(zip(f.words(value), f.words(otherwise))):
        kind = shape.kind(True)
        place = w.stage(number)
        if other != "poison":
            w.emit(f"store {w.type(kind, True)} {other}, ptr {place}, align {f.machine.facts.vector_bytes}")
        at = "0"
        for lane in range(f.width):
            address = w.value(f"getelementptr i8, ptr {place}, i32 {at}")
            bit = w.op("and", w.op("lshr", bits, lane), 1)
            safe = w.choose(w.compare("ne", bit, 0), address, w.discard(), "ptr")
            w.emit(f"store {kind} {w.lane(word, lane, kind)}, ptr {safe}, align 4")
            at = w.op("add", at, w.op("shl", bit, 2))
        made.append(w.value(f"load {w.type(kind, True)}, ptr {place}, align {f.machine.facts.vector_bytes}"))
    f.define(instruction, made)


MEMORY: dict[str, Rule] = {
    "masked.load": _masked_load,
    "masked.store": _masked_store,
    "masked.gather": _gather,
    "masked.scatter": _scatter,
    "memcpy": _copy,
    "memmove": _copy,
    "memcpy.inline": _copy,
    "memset": _fill,
    "memset.inline": _fill,
    "experimental.vector.compress": _compress,
}
