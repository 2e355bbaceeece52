"""Instructions on integers, conditions and addresses -> operations on their words: a rule each.

    %m = icmp slt i64 %a, %b       ->    icmp slt a1, b1, or icmp eq a1, b1 and icmp ult a0, b0
    %s = select i1 %c, i64 %a, %b  ->    a select of each word

What is computed is in ``integers.py``.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.integers import (
    add,
    bits_of,
    compare,
    extend,
    multiply,
    shift,
    subtract,
    zero_extended,
)
from voltac.ir.model import Instruction

_PLAIN = {"add": add, "sub": subtract, "mul": multiply}
_CONDITIONS = {"add": "xor", "sub": "xor", "mul": "and", "and": "and", "or": "or", "xor": "xor"}


def _legalize_arithmetic(f: Legalizer, instruction: Instruction) -> None:
    operation = instruction.op
    bits = bits_of(f, instruction.operands[0])

    def compute(vector: bool, a: Words, b: Words) -> Words:
        if bits == 1:
            return [f.write.bit_op(_CONDITIONS[operation], a[0], b[0], vector)]
        if operation in _PLAIN:
            return _PLAIN[operation](f, vector, a, b)
        return [_bitwise(f, operation, vector, x, y) for x, y in zip(a, b)]

    f.elementwise(instruction, compute)


def _bitwise(f: Legalizer, operation: str, vector: bool, a: str, b: str) -> str:
    known = f.literal(b)
    if operation == "and" and known in (0, (1 << f.word_bits) - 1):
        return a if known else f.constant(0, vector)
    if operation in ("or", "xor") and known == 0:
        return a
    if operation in ("or", "xor") and f.literal(a) == 0:
        return b
    made = f.write.op(operation, a, b, vector)
    limits = [
        f.zero_above.get(word, f.word_bits) if f.literal(word) is None else (f.literal(word) or 0).bit_length()
        for word in (a, b)
    ]
    f.zero_above[made] = min(limits) if operation == "and" else max(limits)
    signs = [f.sign_from.get(word, f.word_bits) for word in (a, b)]
    if max(signs) < f.word_bits:
        f.sign_from[made] = max(signs)
    return made


def _legalize_shift(f: Legalizer, instruction: Instruction) -> None:
    bits = bits_of(f, instruction.operands[0])
    operation = instruction.op
    if bits == 1:
        # A shift of one bit by anything but zero is poison.
        f.elementwise(instruction, lambda vector, a, b: a)
        return
    f.elementwise(instruction, lambda vector, a, b: shift(f, operation, vector, bits, a, b))


def _legalize_icmp(f: Legalizer, instruction: Instruction) -> None:
    predicate = instruction.parts.predicate
    shape = f.shapes.of(instruction.operands[0].type)

    def compute(vector: bool, a: Words, b: Words) -> Words:
        if shape.element == "i1":
            return [_compare_conditions(f, predicate, vector, a[0], b[0])]
        if shape.element.startswith("ptr") and not vector:
            a, b = ([_number(f, words[0], shape.element)] for words in (a, b))
        return [compare(f, predicate, vector, shape.bits or f.word_bits, a, b)]

    f.elementwise(instruction, compute)


def _number(f: Legalizer, pointer: str, type: str = "ptr") -> str:
    return "0" if pointer == "null" else f.write.value(f"ptrtoint {type} {pointer} to {f.write.word}")


def _compare_conditions(f: Legalizer, predicate: str, vector: bool, a: str, b: str) -> str:
    w = f.write
    if predicate in ("eq", "ne"):
        different = w.bit_op("xor", a, b, vector)
        return different if predicate == "ne" else w.mask_not(different, vector)
    # As a signed number the condition that holds is -1.
    if (predicate[0] == "s") != (predicate[1] == "g"):
        a, b = b, a
    less = w.bit_op("and" if predicate[2] == "t" else "or", w.mask_not(a, vector), b, vector)
    return less


def _legalize_select(f: Legalizer, instruction: Instruction) -> None:
    condition, first, second = instruction.operands
    yes, no = f.words(first), f.words(second)
    types = f.shapes.parts(first.type)
    w = f.write
    if condition.type == "i1":
        test = f.words(condition)[0]
        f.define(instruction, [a if a == b else w.choose(test, a, b, type) for a, b, type in zip(yes, no, types)])
        return
    shape = f.shapes.of(first.type)
    made: Words = []
    tests = f.words(condition)
    for number, (a, b) in enumerate(zip(yes, no)):
        chunk = shape.chunks[number // shape.words]
        kind = shape.kind(chunk)
        made.append(a if a == b else w.select(tests[number // shape.words], a, b, kind, chunk))
    f.define(instruction, made)


def _legalize_freeze(f: Legalizer, instruction: Instruction) -> None:
    operand = instruction.operands[0]
    words = f.words(operand)
    types = f.shapes.parts(operand.type)
    f.define(instruction, [f.write.value(f"freeze {type} {word}") for type, word in zip(types, words)])


def _legalize_trunc(f: Legalizer, instruction: Instruction) -> None:
    target = f.shapes.of(instruction.type)

    def compute(vector: bool, a: Words) -> Words:
        if target.bits == 1:
            return [f.write.compare("ne", f.write.op("and", a[0], 1, vector), 0, vector)]
        return a[: target.words]

    f.elementwise(instruction, compute)


def _legalize_extension(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    is_signed = instruction.op == "sext"
    f.elementwise(instruction, lambda vector, a: extend(f, vector, source.bits, target.words, a, is_signed))


def _legalize_ptrtoint(f: Legalizer, instruction: Instruction) -> None:
    count = f.shapes.of(instruction.type).words
    pointer = f.shapes.of(instruction.operands[0].type).element

    def compute(vector: bool, a: Words) -> Words:
        word = a[0] if vector else _number(f, a[0], pointer)
        return [word, *[f.constant(0, vector)] * (count - 1)]

    f.elementwise(instruction, compute)


def _legalize_inttoptr(f: Legalizer, instruction: Instruction) -> None:
    bits = bits_of(f, instruction.operands[0])
    pointer = f.shapes.of(instruction.type).element

    def compute(vector: bool, a: Words) -> Words:
        word = zero_extended(f, bits, a, vector)[0] if bits < f.word_bits else a[0]
        return [word if vector else f.write.value(f"inttoptr {f.write.word} {word} to {pointer}")]

    f.elementwise(instruction, compute)


RULES: dict[str, Rule] = {
    "add": _legalize_arithmetic,
    "sub": _legalize_arithmetic,
    "mul": _legalize_arithmetic,
    "and": _legalize_arithmetic,
    "or": _legalize_arithmetic,
    "xor": _legalize_arithmetic,
    "shl": _legalize_shift,
    "lshr": _legalize_shift,
    "ashr": _legalize_shift,
    "icmp": _legalize_icmp,
    "select": _legalize_select,
    "freeze": _legalize_freeze,
    "trunc": _legalize_trunc,
    "zext": _legalize_extension,
    "sext": _legalize_extension,
    "ptrtoint": _legalize_ptrtoint,
    "ptrtoaddr": _legalize_ptrtoint,
    "inttoptr": _legalize_inttoptr,
}
