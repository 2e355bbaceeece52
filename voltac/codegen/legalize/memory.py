"""Loads, stores and addresses of any type -> accesses of bytes, halves and words, and those of vectors that the machine has.

    %v = load { i64, <3 x float> }, ptr %p     ->    five loads of 32 bits
    %q = getelementptr %struct.S, ptr %p, i64 %i, i32 2     ->    getelementptr i8, ptr %p, i32 (i * size + offset)

Scalars are the subject of ``scalar_accesses.py``, vectors that of the machine.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule, Words, vector_memory
from voltac.codegen.legalize.integers import sign_extended
from voltac.codegen.legalize.scalar_accesses import at_offset, bytes_of, load_scalar, store_scalar
from voltac.codegen.legalize.shapes import NotLegal, Shape
from voltac.codegen.legalize.writer import signed
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import array_parts
from voltac.records import replace

# --- whole values


def load(f: Legalizer, type: str, pointer: str, alignment: int) -> Words:
    """The parts of a value of any type from main memory."""
    if f.shapes.is_aggregate(type):
        made: Words = []
        for member, offset in f.shapes.members(type):
            made += load(f, member, f.write.near(pointer, offset), at_offset(alignment, offset))
        return made
    shape = f.shapes.of(type)
    if shape.element == "i1" and shape.lanes:
        return _load_mask(f, shape, pointer, alignment)
    made = []
    at = 0
    for chunk in shape.chunks:
        place, known = f.write.near(pointer, at), at_offset(alignment, at)
        if pointer in f.unaligned:
            f.unaligned.add(place)
        made += _load_chunk(f, shape, place, known) if chunk else load_scalar(f, shape, place, known)
        at += bytes_of(shape) * (shape.width if chunk else 1)
    return made


def store(f: Legalizer, type: str, words: Words, pointer: str, alignment: int) -> None:
    """The parts of a value of any type to main memory; what is poison is not written."""
    if f.shapes.is_aggregate(type):
        at = 0
        for member, offset in f.shapes.members(type):
            count = len(f.shapes.parts(member))
            store(f, member, words[at : at + count], f.write.near(pointer, offset), at_offset(alignment, offset))
            at += count
        return
    shape = f.shapes.of(type)
    if shape.element == "i1" and shape.lanes:
        _store_mask(f, shape, words, pointer, alignment)
        return
    at = 0
    for number, chunk in enumerate(shape.chunks):
        place, known = f.write.near(pointer, at), at_offset(alignment, at)
        value = words[number * shape.words : (number + 1) * shape.words]
        if all(word == "poison" for word in value):
            pass
        elif not chunk:
            store_scalar(f, shape, value, place, known)
        elif shape.part:
            f.packed.vectors.store(f, shape, value[0], place, known)
        else:
            vector_memory(f).store(f, shape, value, place, known)
        at += bytes_of(shape) * (shape.width if chunk else 1)


def _load_chunk(f: Legalizer, shape: Shape, pointer: str, alignment: int) -> Words:
    if shape.part:
        return [f.packed.vectors.load(f, shape, pointer, alignment)]
    return vector_memory(f).load(f, shape, pointer, alignment)


def _load_mask(f: Legalizer, shape: Shape, pointer: str, alignment: int) -> Words:
    """Bits one after the other."""
    w = f.write
    if shape.part:
        return f.packed.join_parts(f"<{shape.lanes} x i1>", _load_mask(f, replace(shape, width=0, part=""), pointer, alignment))
    made: Words = []
    at = 0
    for chunk in shape.chunks:
        if chunk:
            short = Shape("i16", 0, 16, 1)
            made.append(w.mask(load_scalar(f, short, w.near(pointer, at // 8), at_offset(alignment, at // 8))[0]))
            at += f.width
        else:
            byte = w.value(f"zext i8 {w.value(f'load i8, ptr {w.near(pointer, at // 8)}, align 1')} to {w.word}")
            made.append(w.compare("ne", w.op("and", byte, 1 << at % 8), 0))
            at += 1
    return made


def _store_mask(f: Legalizer, shape: Shape, words: Words, pointer: str, alignment: int) -> None:
    if shape.part:
        lanes = f.packed.split_parts(f"<{shape.lanes} x i1>", words)
        _store_mask(f, replace(shape, width=0, part=""), lanes, pointer, alignment)
        return
    w = f.write
    at = 0
    byte = ""
    for number, (chunk, word) in enumerate(zip(shape.chunks, words)):
        if chunk:
            short = Shape("i16", 0, 16, 1)
            store_scalar(f, short, [w.bitmap(word)], w.near(pointer, at // 8), at_offset(alignment, at // 8))
            at += f.width
            continue
        bit = w.to_int(word, False)
        if at % 8:
            bit = w.op("or", byte, w.op("shl", bit, at % 8))
        byte = bit
        if at % 8 == 7 or number == len(words) - 1:
            store_scalar(f, Shape("i8", 0, 8, 1), [byte], w.near(pointer, at // 8), 1)
        at += 1


# --- rules


def _natural(f: Legalizer, type: str, alignment: int) -> int:
    return alignment or f.layout.alignment(type)


def legalize_load(f: Legalizer, instruction: Instruction) -> None:
    """A load from main memory."""
    operand = instruction.operands[0]
    pointer = f.words(operand)[0]
    alignment = f.packed.alignment(operand.value, _natural(f, instruction.type, instruction.parts.alignment))
    f.define(instruction, load(f, instruction.type, pointer, alignment))


def legalize_store(f: Legalizer, instruction: Instruction) -> None:
    """A store to main memory."""
    value, target = instruction.operands
    pointer = f.words(target)[0]
    alignment = f.packed.alignment(target.value, _natural(f, value.type, instruction.parts.alignment))
    store(f, value.type, f.words(value), pointer, alignment)


def _legalize_alloca(f: Legalizer, instruction: Instruction) -> None:
    parts = instruction.parts
    count = 1
    if parts.operands:
        known = f.literal(f.words(parts.operands[0])[0])
        if known is None:
            raise NotLegal("memory on the stack whose size is not constant")
        count = known
    size = f.layout.size(parts.element_type) * count
    f.define(instruction, [f.write.allocate(size, parts.alignment or f.layout.alignment(parts.element_type))])


def _legalize_getelementptr(f: Legalizer, instruction: Instruction) -> None:
    base, *indices = instruction.operands
    target = f.shapes.of(instruction.type)
    space = base.type if base.type.startswith("ptr addr") else "ptr"
    made: Words = []
    for number, vector in enumerate(target.chunks):
        fixed, variable = _offset(f, instruction.parts.element_type, indices, number, vector)
        start = f.words(base)[number if f.shapes.of(base.type).lanes else 0]
        if not vector:
            if variable:
                start = f.write.value(f"getelementptr i8, {space} {start}, {f.write.word} {variable}")
            if fixed:
                start = f.write.value(f"getelementptr i8, {space} {start}, {f.write.word} {f.constant(fixed, False)}")
                if fixed % f.machine.facts.vector_bytes:
                    f.unaligned.add(start)
            made.append(start)
            continue
        if not f.shapes.of(base.type).lanes:
            start = f.write.splat(f.write.number(start))
        if variable:
            start = f.write.op("add", start, variable, True)
        made.append(f.write.op("add", start, fixed, True) if fixed else start)
    f.define(instruction, made)


def _offset(f: Legalizer, type: str, indices: list[Operand], number: int, vector: bool) -> tuple[int, str]:
    """Bytes of one chunk of addresses: what is constant, and the rest."""
    w = f.write
    fixed, variable = 0, ""
    for position, operand in enumerate(indices):
        shape = f.shapes.of(operand.type)
        columns = f.columns(operand)
        words = sign_extended(f, shape.bits, columns[number if shape.lanes else 0][:1], vector and bool(shape.lanes))
        index = words[0]
        known = f.literal(index)
        if position == 0:
            size = f.layout.size(type)
        elif f.shapes.is_aggregate(type) and array_parts(f.layout.resolve(type)) is None:
            assert known is not None
            type, offset = f.shapes.members(type)[known]
            fixed += offset
            continue
        else:
            body = f.layout.resolve(type)
            array = array_parts(body)
            if array:
                type = array[1]
                size = f.layout.size(type)
            else:
                type = body[1:-1].partition(" x ")[2]
                size = f.layout.size(type)
        if known is not None:
            fixed += signed(known, f.word_bits) * size
            continue
        if vector and not shape.lanes:
            index = w.splat(index)
        if size & (size - 1):
            index = w.op("mul", index, size, vector)
        elif size > 1:
            index = w.op("shl", index, size.bit_length() - 1, vector)
        variable = w.op("add", variable, index, vector) if variable else index
    return fixed, variable


RULES: dict[str, Rule] = {
    "load": legalize_load,
    "store": legalize_store,
    "alloca": _legalize_alloca,
    "getelementptr": _legalize_getelementptr,
}
