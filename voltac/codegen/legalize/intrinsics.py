"""LLVM's intrinsics -> legal operations: rows by the name without its type suffixes.

What works lane by lane is in ``elementwise.py`` and ``float_elementwise.py``, reductions in ``reductions.py``, what accesses
memory in ``memory_intrinsics.py``; ``INTRINSICS`` has the rest, which sees the instruction.
"""

from __future__ import annotations

import re

from voltac.codegen.legalize.elementwise import with_overflow
from voltac.codegen.legalize.function import LaneFunction, Legalizer, Rule, Words
from voltac.codegen.legalize.integers import compare
from voltac.codegen.legalize.lanes import shuffled
from voltac.codegen.legalize.memory_intrinsics import MEMORY
from voltac.codegen.legalize.reductions import reduced_conditions
from voltac.codegen.legalize.shapes import NotLegal, Shape
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand


def _three_way(is_signed: bool) -> Rule:
    def compute(f: Legalizer, instruction: Instruction) -> None:
        shape, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
        letter = "s" if is_signed else "u"

        def one(vector: bool, a: Words, b: Words) -> Words:
            w = f.write
            more = w.to_int(compare(f, f"{letter}gt", vector, shape.bits, a, b), vector)
            less = w.to_int(compare(f, f"{letter}lt", vector, shape.bits, a, b), vector)
            word = w.op("sub", more, less, vector)
            f.sign_from[word] = 2
            return [word, *[w.op("ashr", word, f.word_bits - 1, vector)] * (target.words - 1)]

        f.elementwise(instruction, one)

    return compute


def _overflow(kind: str) -> Rule:
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


def _nothing(f: Legalizer, instruction: Instruction) -> None:
    """Hints and marks."""


def _first_operand(f: Legalizer, instruction: Instruction) -> None:
    f.define(instruction, f.words(instruction.operands[0]))


def _subvector(f: Legalizer, instruction: Instruction) -> None:
    """``llvm.vector.extract``."""
    operand, start = instruction.operands
    shape, target = f.shapes.of(operand.type), f.shapes.of(instruction.type)
    first = int(start.value)
    sources = [shape.place(first + lane) for lane in range(target.lanes)]
    f.define(instruction, shuffled(f, shape, target, f.columns(operand), sources))


INTRINSICS: dict[str, Rule] = {
    **MEMORY,
    **{f"{kind}.with.overflow": _overflow(kind) for kind in ("sadd", "uadd", "ssub", "usub", "smul", "umul")},
    "scmp": _three_way(True),
    "ucmp": _three_way(False),
    "vector.extract": _subvector,
    "expect": _first_operand,
    "expect.with.probability": _first_operand,
    "ssa.copy": _first_operand,
    "launder.invariant.group": _first_operand,
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
    """A call of an ``llvm.`` function, by the machine's tables; NotLegal for what they have not."""
    name = _TYPE_SUFFIX.sub("", instruction.parts.callee.removeprefix("@llvm."))
    if name.startswith("vector.reduce."):
        if not reduced_conditions(f, instruction):
            f.machine.reductions[name.removeprefix("vector.reduce.")](f, instruction)
        return
    whole = f.machine.intrinsics.get(name)
    if whole is not None:
        whole(f, instruction)
        return
    in_lanes = f.machine.lane_functions.get(name)
    if in_lanes is None:
        raise NotLegal(f"the operation {instruction.parts.callee}")
    _lane_by_lane(f, instruction, in_lanes)


def _lane_by_lane(f: Legalizer, instruction: Instruction, compute: LaneFunction) -> None:
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
