"""LLVM's intrinsics -> legal operations: rows by the name without its type suffixes.

What works lane by lane is in ``elementwise.py``, reductions in ``reductions.py``, what accesses memory in
``memory_intrinsics.py``; ``WHOLE`` has the rest, which sees the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.naplespu.legalize import floats
from voltac.targets.naplespu.legalize.elementwise import ELEMENTWISE, Elementwise, with_overflow
from voltac.targets.naplespu.legalize.function import Legalizer, Words
from voltac.targets.naplespu.legalize.integers import compare, select_words
from voltac.targets.naplespu.legalize.lanes import shuffled
from voltac.targets.naplespu.legalize.memory_intrinsics import MEMORY
from voltac.targets.naplespu.legalize.reductions import REDUCTIONS, reduced_conditions
from voltac.targets.naplespu.legalize.shapes import NotLegal, Shape
from voltac.targets.naplespu.legalize.writer import constant

Whole = Callable[[Legalizer, Instruction], None]


def _three_way(is_signed: bool) -> Whole:
    def compute(f: Legalizer, instruction: Instruction) -> None:
        shape, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
        letter = "s" if is_signed else "u"

        def one(vector: bool, a: Words, b: Words) -> Words:
            w = f.write
            more = w.to_int(compare(f, f"{letter}gt", vector, shape.bits, a, b), vector)
            less = w.to_int(compare(f, f"{letter}lt", vector, shape.bits, a, b), vector)
            word = w.op("sub", more, less, vector)
            f.sign_from[word] = 2
            return [word, *[w.op("ashr", word, 31, vector)] * (target.words - 1)]

        f.elementwise(instruction, one)

    return compute


def _overflow(kind: str) -> Whole:
    """The result is a struct: the numbers of all chunks, then their conditions."""
    compute = with_overflow(kind)

    def whole(f: Legalizer, instruction: Instruction) -> None:
        first, second = instruction.operands
        shape = f.shapes.of(first.type)
        words: Words = []
        tests: Words = []
        for vector, a, b in zip(shape.chunks, f.columns(first), f.columns(second)):
            *made, test = compute(f, vector, shape, a, b)
            words += made
            tests.append(test)
        f.define(instruction, words + tests)

    return whole


def _to_integer_saturating(is_signed: bool) -> Whole:
    def whole(f: Legalizer, instruction: Instruction) -> None:
        bits = f.shapes.of(instruction.type).bits

        def one(vector: bool, a: Words) -> Words:
            w = f.write
            count = (bits + 31) // 32

            def number(value: int) -> Words:
                return [constant(value >> 32 * word, vector) for word in range(count)]

            limit = float(1 << (bits - is_signed))
            low = -limit if is_signed else 0.0
            texts = [f"splat (float {each!r})" if vector else repr(each) for each in (limit, low)]
            found = floats.to_integer(f, vector, bits, a[0], is_signed)
            over = floats.compare(f, "oge", vector, a[0], texts[0])
            under = floats.compare(f, "olt", vector, a[0], texts[1])
            nan = floats.is_nan(f, vector, w.bits_of(a[0], vector))
            found = select_words(f, vector, over, number((1 << (bits - is_signed)) - 1), found)
            found = select_words(f, vector, under, number(1 << (bits - 1) if is_signed else 0), found)
            return select_words(f, vector, nan, number(0), found)

        f.elementwise(instruction, one)

    return whole


def _class_test(f: Legalizer, instruction: Instruction) -> None:
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
        made.append(floats._in_intervals(f, vector, bits, chosen))
    f.define(instruction, made)


def _nothing(f: Legalizer, instruction: Instruction) -> None:
    """Hints and marks."""


def _first_operand(f: Legalizer, instruction: Instruction) -> None:
    f.define(instruction, f.words(instruction.operands[0]))


def _trap(f: Legalizer, instruction: Instruction) -> None:
    f.write.call("void @npu.trap()")


def _cycles(f: Legalizer, instruction: Instruction) -> None:
    """The high half is read on both sides of the low one until it is the same."""
    w = f.write
    again, done = w.new_label("cycles"), w.new_label("cycles.read")
    w.jump(again)
    w.start(again)
    high = w.call("i32 @npu.read_control(i32)", "5")
    low = w.call("i32 @npu.read_control(i32)", "4")
    check = w.call("i32 @npu.read_control(i32)", "5")
    w.branch(w.compare("eq", high, check), done, again)
    w.start(done)
    f.define(instruction, [low, high])


def _subvector(f: Legalizer, instruction: Instruction) -> None:
    """``llvm.vector.extract``."""
    operand, start = instruction.operands
    shape, target = f.shapes.of(operand.type), f.shapes.of(instruction.type)
    first = int(start.value)
    sources = [shape.place(first + lane) for lane in range(target.lanes)]
    f.define(instruction, shuffled(f, shape, target, f.columns(operand), sources))


WHOLE: dict[str, Whole] = {
    **MEMORY,
    **{f"{kind}.with.overflow": _overflow(kind) for kind in ("sadd", "uadd", "ssub", "usub", "smul", "umul")},
    "fptosi.sat": _to_integer_saturating(True),
    "fptoui.sat": _to_integer_saturating(False),
    "is.fpclass": _class_test,
    "scmp": _three_way(True),
    "ucmp": _three_way(False),
    "readcyclecounter": _cycles,
    "vector.extract": _subvector,
    "expect": _first_operand,
    "expect.with.probability": _first_operand,
    "ssa.copy": _first_operand,
    "launder.invariant.group": _first_operand,
    "trap": _trap,
    "debugtrap": _trap,
    **dict.fromkeys(
        (
            *("assume", "lifetime.start", "lifetime.end", "sideeffect", "prefetch", "donothing"),
            *("experimental.noalias.scope.decl", "dbg.value", "dbg.declare", "pseudoprobe", "invariant.start"),
        ),
        _nothing,
    ),
}

_TYPE_SUFFIX = re.compile(r"(?:\.(?:v\d+)?(?:i\d+|f\d+|bf16|p\d+))+$")


def legalize_intrinsic(f: Legalizer, instruction: Instruction) -> None:
    name = _TYPE_SUFFIX.sub("", instruction.parts.callee.removeprefix("@llvm."))
    if name.startswith("vector.reduce."):
        if not reduced_conditions(f, instruction):
            REDUCTIONS[name.removeprefix("vector.reduce.")](f, instruction)
        return
    whole = WHOLE.get(name)
    if whole is not None:
        whole(f, instruction)
        return
    elementwise = ELEMENTWISE.get(name)
    if elementwise is None:
        raise NotLegal(f"the operation {instruction.parts.callee}")
    _lane_by_lane(f, instruction, elementwise)


def _lane_by_lane(f: Legalizer, instruction: Instruction, compute: Elementwise) -> None:
    """Operands that are the same for all lanes, such as the ``i1`` of ``abs``, are given as they are."""
    operands = instruction.operands
    shape = f.shapes.of(operands[0].type)
    columns = [_columns(f, operand, shape) for operand in operands]
    made = [compute(f, vector, shape, *(column[n] for column in columns)) for n, vector in enumerate(shape.chunks)]
    f.define(instruction, [word for words in made for word in words])


def _columns(f: Legalizer, operand: Operand, shape: Shape) -> list[Words]:
    if shape.lanes and not f.shapes.of(operand.type).lanes:
        return [f.words(operand)] * len(shape.chunks)
    return f.columns(operand)
