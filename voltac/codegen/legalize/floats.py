"""Floating point beyond ``fadd fsub fmul fdiv`` -> integer operations on the bits.

    %c = fcmp olt float %a, %b
    ->
    (ordered(%a) <s ordered(%b)) and neither is NaN;    ordered(x) = (x & 0x7fffffff) with x's sign, as a number

For machines without comparisons of floats, or with others than those of IEEE 754. A
comparison with a constant becomes one or two intervals of bit patterns. Numbers of 16 bits are computed
with as floats and rounded after each operation, which is exact for one operation.
"""

from __future__ import annotations

import struct

from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.halves import from_half, to_half
from voltac.codegen.legalize.routines import call_routine
from voltac.codegen.legalize.shapes import NotLegal
from voltac.codegen.legalize.writer import constant
from voltac.ir.model import Instruction

# Bit patterns of float.
INFINITY = 0x7F800000
_MAGNITUDE = 0x7FFFFFFF
_SIGN = 0x80000000
_NEGATIVE_INFINITY = 0xFF800000
_ALL = 0xFFFFFFFF


def bits_known(word: str) -> int | None:
    """The bits of a constant float, the same in all lanes."""
    text = word[len("splat (float ") : -1] if word.startswith("splat (float ") else word
    if text == "zeroinitializer":
        return 0
    if text.startswith("0x"):
        double = struct.unpack("<d", int(text, 16).to_bytes(8, "little"))[0]
    elif text[0] in "-+.0123456789":
        double = float(text)
    else:
        return None
    if double != double:
        return 0x7FC00000
    return int.from_bytes(struct.pack("<f", double), "little")


# --- comparison


def magnitude(f: Legalizer, vector: bool, bits: str) -> str:
    """The bits of a float without its sign."""
    return f.write.op("and", bits, _MAGNITUDE, vector)


def is_nan(f: Legalizer, vector: bool, bits: str) -> str:
    """A condition, given the bits of a float."""
    return f.write.compare("ugt", magnitude(f, vector, bits), INFINITY, vector)


def _is_number(f: Legalizer, vector: bool, bits: str) -> str:
    return f.write.compare("ule", magnitude(f, vector, bits), INFINITY, vector)


def _ordered(f: Legalizer, vector: bool, bits: str) -> str:
    """A signed number in the order of the floats; both zeros are 0."""
    w = f.write
    sign = w.op("ashr", bits, 31, vector)
    return w.op("sub", w.op("xor", magnitude(f, vector, bits), sign, vector), sign, vector)


_INVERSE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


def compare(f: Legalizer, predicate: str, vector: bool, a: str, b: str, no_nan: bool = False) -> str:
    """``olt`` and the like of two floats."""
    w = f.write
    if predicate in ("true", "false"):
        return ("splat (i1 true)" if predicate == "true" else "zeroinitializer") if vector else predicate
    if bits_known(a) is not None and bits_known(b) is None and predicate not in ("ord", "uno"):
        a, b, predicate = b, a, predicate[0] + _SWAPPED[predicate[1:]]
    known = bits_known(b)
    bits = [w.bits_of(word, vector) for word in (a, b)]
    if predicate in ("ord", "uno"):
        numbers = bits[:1] if a == b or (known is not None and known & _MAGNITUDE <= INFINITY) else bits
        tests = [(_is_number if predicate == "ord" else is_nan)(f, vector, word) for word in numbers]
        return tests[0] if len(tests) == 1 else w.bit_op("and" if predicate == "ord" else "or", tests[0], tests[1], vector)
    relation = predicate[1:]
    if predicate[0] == "u" and not (no_nan or relation == "ne"):
        return w.mask_not(compare(f, "o" + _INVERSE[relation], vector, a, b), vector)
    if relation == "ne":
        other = w.mask_not(compare(f, "oeq", vector, a, b, no_nan), vector)
        if predicate[0] == "u" or no_nan:
            return other
        return w.bit_op("and", other, compare(f, "ord", vector, a, b), vector)
    if a == b and known is None:
        if relation in ("eq", "le", "ge"):
            return _is_number(f, vector, bits[0])
        return "zeroinitializer" if vector else "false"
    if known is not None and known & _MAGNITUDE <= INFINITY:
        return _in_intervals(f, vector, bits[0], _intervals(relation, known, no_nan))
    first, second = (_ordered(f, vector, word) for word in bits)
    test = w.compare("eq" if relation == "eq" else f"s{relation}", first, second, vector)
    if not no_nan:
        for word in bits[: 1 if relation == "eq" else 2]:
            test = w.bit_op("and", test, _is_number(f, vector, word), vector)
    return test


def _intervals(relation: str, known: int, no_nan: bool) -> list[tuple[int, int]]:
    """The bit patterns that compare so with a constant; an interval may go round from the last pattern to the first."""
    size = known & _MAGNITUDE
    key = -size if known & _SIGN else size
    top = _MAGNITUDE if no_nan else INFINITY
    bottom = _ALL if no_nan else _NEGATIVE_INFINITY
    if relation == "eq":
        return [(known, known)] if size else [(0, 0), (_SIGN, _SIGN)]
    strict = relation in ("lt", "gt")
    if relation[0] == "g":
        least = key + strict
        if least > 0:
            return [(least, top)] if least <= top else []
        return [(0, top), (_SIGN, _SIGN - least)] if not (strict and key == 0) else [(1, top)]
    most = key - strict
    if most < 0:
        return [(_SIGN - most, bottom)] if _SIGN - most <= bottom else []
    return [(_SIGN, most)] if no_nan else [(0, most), (_SIGN, bottom)]


def _in_intervals(f: Legalizer, vector: bool, bits: str, intervals: list[tuple[int, int]]) -> str:
    w = f.write
    result = ""
    for low, high in intervals:
        if low == high:
            test = w.compare("eq", bits, low, vector)
        elif low == 0 and high >= low:
            test = w.compare("ule", bits, high, vector)
        elif low == _SIGN:
            test = w.compare("sle", bits, high, vector)
        elif high == _ALL:
            test = w.compare("uge", bits, low, vector)
        elif high == _MAGNITUDE:
            test = w.compare("sge", bits, low, vector)
        else:
            test = w.compare("ule", w.op("sub", bits, low, vector), high - low, vector)
        result = w.bit_op("or", result, test, vector) if result else test
    return result or ("zeroinitializer" if vector else "false")


def _legalize_fcmp(f: Legalizer, instruction: Instruction) -> None:
    parts = instruction.parts
    no_nan = "nnan" in parts.flags or "fast" in parts.flags
    half = _is_half(f, instruction)

    def compute(vector: bool, a: Words, b: Words) -> Words:
        if half:
            a, b = ([from_half(f, vector, words[0])] for words in (a, b))
        return [compare(f, parts.predicate, vector, a[0], b[0], no_nan)]

    f.elementwise(instruction, compute)


# --- arithmetic


def _is_half(f: Legalizer, instruction: Instruction) -> bool:
    element = f.shapes.of(instruction.operands[0].type).element
    if element == "bfloat":
        raise NotLegal("arithmetic on bfloat")
    return element == "half"


def _legalize_float_arithmetic(f: Legalizer, instruction: Instruction) -> None:
    half = _is_half(f, instruction)
    operation = instruction.op

    def compute(vector: bool, a: Words, b: Words) -> Words:
        if half:
            a, b = ([from_half(f, vector, words[0])] for words in (a, b))
        if operation == "frem":
            made = call_routine(f, "remainder", vector, [a[0], b[0]])[0]
        else:
            made = f.write.float_op(operation, a[0], b[0], vector)
        return [to_half(f, vector, made) if half else made]

    f.elementwise(instruction, compute)


def _legalize_fneg(f: Legalizer, instruction: Instruction) -> None:
    half = _is_half(f, instruction)

    def compute(vector: bool, a: Words) -> Words:
        w = f.write
        if half:
            return [w.op("xor", a[0], 0x8000, vector)]
        return [w.float_of(w.op("xor", w.bits_of(a[0], vector), _SIGN, vector), vector)]

    f.elementwise(instruction, compute)


def rounded(f: Legalizer, vector: bool, way: str, value: str) -> str:
    """``trunc floor ceil round roundeven`` on the bits: a carry out of the mantissa steps the exponent."""
    w = f.write
    bits = w.bits_of(value, vector)
    size = magnitude(f, vector, bits)
    sign = w.op("xor", bits, size, vector)
    exponent = w.op("lshr", size, 23, vector)
    places = w.op("sub", constant(150, vector), exponent, vector)
    whole = w.op("shl", constant(-1, vector), places, vector)
    one = w.op("or", sign, 0x3F800000, vector)
    if way == "trunc":
        total, small = bits, sign
    elif way in ("floor", "ceil"):
        negative = w.op("ashr", bits, 31, vector)
        away = negative if way == "floor" else w.op("xor", negative, -1, vector)
        part = w.op("xor", whole, -1, vector)
        total = w.op("add", bits, w.op("and", part, away, vector), vector)
        has_sign = w.compare("ne", away, 0, vector)
        outward = w.bit_op("and", has_sign, w.compare("ne", size, 0, vector), vector)
        small = w.select(outward, one, sign, "i32", vector)
    else:
        half = w.op("shl", constant(1, vector), w.op("sub", places, 1, vector), vector)
        if way == "round":
            total = w.op("add", bits, half, vector)
            limit = 0x3F000000
        else:
            last = w.op("and", w.op("lshr", bits, places, vector), 1, vector)
            total = w.op("add", w.op("add", bits, w.op("sub", half, 1, vector), vector), last, vector)
            limit = 0x3F000001
        small = w.select(w.compare("uge", size, limit, vector), one, sign, "i32", vector)
    middle = w.op("and", total, whole, vector)
    result = w.select(w.compare("ult", exponent, 127, vector), small, middle, "i32", vector)
    return w.float_of(w.select(w.compare("uge", exponent, 150, vector), bits, result, "i32", vector), vector)


def least_or_greatest(f: Legalizer, vector: bool, a: str, b: str, least: bool, number_wins: bool) -> str:
    """-0 is below +0; beside a NaN the number (``minnum``) or the NaN (``minimum``)."""
    w = f.write
    words = [w.bits_of(word, vector) for word in (a, b)]
    keys = []
    for word in words:
        negative = w.op("ashr", word, 31, vector)
        keys.append(w.op("xor", word, w.op("and", negative, _MAGNITUDE, vector), vector))
    test = w.compare("slt" if least else "sgt", keys[0], keys[1], vector)
    result = w.select(test, words[0], words[1], "i32", vector)
    nans = [
        None if (known := bits_known(each)) is not None and known & _MAGNITUDE <= INFINITY else is_nan(f, vector, word)
        for each, word in zip((a, b), words)
    ]
    for number, test_of_nan in enumerate(nans):
        if test_of_nan is not None:
            taken = words[1 - number] if number_wins else words[number]
            result = w.select(test_of_nan, taken, result, "i32", vector)
    return w.float_of(result, vector)


def _legalize_class_test(f: Legalizer, instruction: Instruction) -> None:
    """``llvm.is.fpclass``: each class is an interval of bit patterns."""
    value, classes = instruction.operands
    wanted = int(classes.value)
    intervals = [
        (0x7F800001, 0x7FBFFFFF), (0x7FC00000, 0x7FFFFFFF), (0xFF800000, 0xFF800000), (0x80800000, 0xFF7FFFFF),
        (0x80000001, 0x807FFFFF), (0x80000000, 0x80000000), (0, 0), (1, 0x007FFFFF), (0x00800000, 0x7F7FFFFF),
        (0x7F800000, 0x7F800000),
    ]  # fmt: skip
    made: Words = []
    for vector, words in zip(f.shapes.of(value.type).chunks, f.columns(value)):
        bits = f.write.bits_of(words[0], vector)
        chosen = [interval for number, interval in enumerate(intervals) if wanted >> number & 1]
        if wanted & 3:
            # Not-a-numbers of both signs.
            chosen += [(low | 0x80000000, high | 0x80000000) for low, high in intervals[:2] if (low, high) in chosen]
        made.append(_in_intervals(f, vector, bits, chosen))
    f.define(instruction, made)


RULES: dict[str, Rule] = {
    "fcmp": _legalize_fcmp,
    "fadd": _legalize_float_arithmetic,
    "fsub": _legalize_float_arithmetic,
    "fmul": _legalize_float_arithmetic,
    "fdiv": _legalize_float_arithmetic,
    "frem": _legalize_float_arithmetic,
    "fneg": _legalize_fneg,
}

FLOAT_INTRINSICS: dict[str, Rule] = {
    "is.fpclass": _legalize_class_test,
}
