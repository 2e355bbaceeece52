"""LLVM's reductions of vectors -> shuffles of halves of the lanes; of masks, questions about their bits.

%s = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %v)
->    %v + (%v turned by 8 lanes), that + itself turned by 4, by 2, by 1; lane 0

Without vectors, lane after lane.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.legalize.elements import element
from voltac.codegen.legalize.elementwise import count_bits
from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.halves import from_half, to_half
from voltac.codegen.legalize.integers import add, multiply
from voltac.codegen.legalize.shapes import Shape
from voltac.ir.model import Instruction

Combine = Callable[[Legalizer, bool, Shape, Words, Words], Words]
"""``(f, vector, shape, a, b)``: two values into one."""


def _reduced(combine: Combine) -> Rule:
    """All lanes into one: halves of the lanes until one is left."""

    def whole(f: Legalizer, instruction: Instruction) -> None:
        operand = instruction.operands[-1]
        shape, columns = f.shapes.of(operand.type), f.columns(operand)
        result: Words = []
        vectors = [words for vector, words in zip(shape.chunks, columns) if vector]
        scalars = [words for vector, words in zip(shape.chunks, columns) if not vector]
        if vectors:
            total = vectors[0]
            for words in vectors[1:]:
                total = combine(f, True, shape, total, words)
            distance = f.width
            while distance := distance // 2:
                turned = [_turned(f, shape, word, distance) for word in total]
                total = combine(f, True, shape, total, turned)
            result = element(f, Shape(shape.element, f.width, shape.bits, shape.words, f.width), [total], 0)
        for words in scalars:
            result = combine(f, False, shape, result, words) if result else words
        if len(instruction.operands) == 2:
            result = combine(f, False, shape, f.words(instruction.operands[0]), result)
        f.define(instruction, result)

    return whole


def _turned(f: Legalizer, shape: Shape, word: str, distance: int) -> str:
    type, lanes = f.write.type(shape.kind(True), True), f.width
    indices = ", ".join(f"i32 {(lane + distance) % lanes}" for lane in range(lanes))
    return f.write.value(f"shufflevector {type} {word}, {type} poison, <{lanes} x i32> <{indices}>")


def _float_operation(operation: str) -> Combine:
    def combine(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        if shape.element != "half":
            return [f.write.float_op(operation, a[0], b[0], vector, shape.element)]
        x, y = (from_half(f, vector, words[0]) for words in (a, b))
        return [to_half(f, vector, f.write.float_op(operation, x, y, vector))]

    return combine


def reduced_in_order(combine: Combine) -> Rule:
    """``vector.reduce.fadd``: the start value, then lane by lane; in any order where that is allowed."""
    in_halves = _reduced(combine)

    def whole(f: Legalizer, instruction: Instruction) -> None:
        flags = instruction.parts.flags
        if "reassoc" in flags or "fast" in flags:
            in_halves(f, instruction)
            return
        start, vector = instruction.operands
        shape, columns = f.shapes.of(vector.type), f.columns(vector)
        total = f.words(start)
        for lane in range(shape.lanes):
            total = combine(f, False, shape, total, element(f, shape, columns, lane))
        f.define(instruction, total)

    return whole


def reduced_conditions(f: Legalizer, instruction: Instruction) -> bool:
    """Reductions of masks are questions about their bits."""
    operand = instruction.operands[-1]
    shape = f.shapes.of(operand.type)
    if shape.element != "i1":
        return False
    w = f.write
    operation = instruction.parts.callee.split(".")[3]
    meaning = {"umax": "or", "smin": "or", "mul": "and", "umin": "and", "smax": "and", "add": "xor"}.get(operation, operation)
    result = ""
    for vector, word in zip(shape.chunks, f.words(operand)):
        if vector:
            bits = w.bitmap(word)
            if meaning == "xor":
                count = count_bits(f, False, Shape("i32", 0, 32, 1), [bits])[0]
                test = w.compare("ne", w.op("and", count, 1), 0)
            else:
                test = w.compare("ne" if meaning == "or" else "eq", bits, 0 if meaning == "or" else (1 << f.width) - 1)
        else:
            test = word
        result = w.bit_op(meaning, result, test, False) if result else test
    f.define(instruction, [result])
    return True


def _plain(operation: str) -> Combine:
    def combine(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        if operation in ("and", "or", "xor"):
            return [f.write.op(operation, x, y, vector) for x, y in zip(a, b)]
        return {"add": add, "mul": multiply}[operation](f, vector, a, b)

    return combine


def _lane_function(name: str) -> Combine:
    def combine(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        return f.lane_function(name)(f, vector, shape, a, b)

    return combine


REDUCTIONS: dict[str, Rule] = {
    **{name: _reduced(_plain(name)) for name in ("add", "mul", "and", "or", "xor")},
    **{name: _reduced(_lane_function(name)) for name in ("smax", "smin", "umax", "umin")},
    "fmax": _reduced(_lane_function("maxnum")),
    "fmin": _reduced(_lane_function("minnum")),
    "fmaximum": _reduced(_lane_function("maximum")),
    "fminimum": _reduced(_lane_function("minimum")),
    "fadd": reduced_in_order(_float_operation("fadd")),
    "fmul": reduced_in_order(_float_operation("fmul")),
}
