"""Operations on floats that the aux pipe has -> themselves, lane by lane; halves are computed with as floats.

    %c = fadd <4 x half> %a, %b    ->    of each lane: call float @ipu.from_half, fadd float, call i32 @ipu.to_half

A result of one operation on halves, computed as a float and rounded, is the rounded result: a float has more than twice
the bits.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.legalize import integer_rules, memory
from voltac.codegen.legalize.float_elementwise import FLOAT_FUNCTIONS
from voltac.codegen.legalize.function import LaneFunction, Legalizer, Rule, Words
from voltac.codegen.legalize.reductions import Combine, reduced_in_order
from voltac.codegen.legalize.routines import call_routine
from voltac.codegen.legalize.shapes import NotLegal, Shape
from voltac.ir.interp_values import float_bits, float_of_bits
from voltac.ir.model import Instruction
from voltac.targets.ipu.float_bits import HALF_INFINITY, HALF_OVERFLOW, HALF_SIGN, INFINITY

_FROM_HALF = "float @ipu.from_half(i32)"
_TO_HALF = "i32 @ipu.to_half(float)"
_ROUNDED = "float @ipu.rounded.f32(float)"
_HALF_BYTES = 2
_LEAST_INFINITE = "65520"
"""What is no less rounds to an infinite half."""


def from_half(f: Legalizer, half: str) -> str:
    """The float that the low 16 bits of a word are: where it was made of one, that."""
    known = f.floats.get(half)
    if known is None and half.isdigit():
        return f"0x{float_bits(float_of_bits(int(half) & 0xFFFF, 16), 64):016X}"
    return known or f.write.call(_FROM_HALF, half)


def to_half(f: Legalizer, value: str, is_exact: bool = False) -> str:
    """Rounded to nearest; ``is_exact``: the float is a half already.

    The hardware stops at the largest half (IPU 3.8) where IEEE 754 goes on to infinity. Who goes on with the half as a float
    takes the rounded float.
    """
    w = f.write
    half = w.call(_TO_HALF, value)
    bits = w.bits_of(value, False)
    size = w.op("and", bits, 0x7FFFFFFF)
    over = w.compare("ule", w.op("sub", size, HALF_OVERFLOW), INFINITY - HALF_OVERFLOW)
    infinity = w.op("or", w.op("and", w.op("lshr", bits, 16), HALF_SIGN), HALF_INFINITY)
    made = w.select(over, infinity, half, "i32", False)
    f.zero_above[made] = 16
    f.floats[made] = value if is_exact else _rounded(f, value)
    f.unrounded[made] = value
    return made


def _rounded(f: Legalizer, value: str) -> str:
    """A float as the nearest half."""
    w = f.write
    made = w.call(_ROUNDED, value)
    for relation, sign in (("oge", ""), ("ole", "-")):
        limit, infinity = (f"0x{float_bits(float(sign + text), 64):016X}" for text in (_LEAST_INFINITE, "inf"))
        made = w.select(w.value(f"fcmp {relation} float {value}, {limit}"), infinity, made, "float", False)
    return made


def load(f: Legalizer, instruction: Instruction) -> None:
    """Halves are loaded as floats, too: into a register of the aux pipe."""
    memory.legalize_load(f, instruction)
    if f.shapes.is_aggregate(instruction.type) or f.shapes.of(instruction.type).element != "half":
        return
    if 0 < instruction.parts.alignment < _HALF_BYTES:
        return
    pointer = f.words(instruction.operands[0])[0]
    for lane, word in enumerate(f.values[instruction.name]):
        half = f.write.value(f"load half, ptr {f.write.near(pointer, _HALF_BYTES * lane)}, align {_HALF_BYTES}")
        f.floats[word] = f.write.value(f"fpext half {half} to float")
        f.loaded_halves.add(word)


def store(f: Legalizer, instruction: Instruction) -> None:
    """Halves that were computed as floats are stored out of the aux pipe."""
    value, pointer = instruction.operands
    is_half = not f.shapes.is_aggregate(value.type) and f.shapes.of(value.type).element == "half"
    words = f.words(value) if is_half else []
    computed = all(word in f.floats and word not in f.loaded_halves for word in words)
    if not words or not computed or 0 < instruction.parts.alignment < _HALF_BYTES:
        memory.legalize_store(f, instruction)
        return
    (base,) = f.words(pointer)
    for lane, word in enumerate(words):
        half = f.write.value(f"fptrunc float {f.unrounded.get(word) or f.floats[word]} to half")
        f.write.emit(f"store half {half}, ptr {f.write.near(base, _HALF_BYTES * lane)}, align {_HALF_BYTES}")


def _kept_as_floats(rule: Rule, of_lane: Callable[[Legalizer, Instruction, int, list[str]], str]) -> Rule:
    """A rule that only moves halves, where all of them are known as floats, does so with these, too."""

    def compute(f: Legalizer, instruction: Instruction) -> None:
        rule(f, instruction)
        if f.shapes.is_aggregate(instruction.type) or f.shapes.of(instruction.type).element != "half":
            return
        operands = [one for one in instruction.operands if one.type == instruction.type]
        for lane, word in enumerate(f.values[instruction.name]):
            halves = [f.words(one)[lane] for one in operands]
            if word not in f.floats and all(half in f.floats or half.isdigit() for half in halves):
                f.floats[word] = of_lane(f, instruction, lane, [from_half(f, half) for half in halves])
                values = [f.unrounded.get(half) or from_half(f, half) for half in halves]
                f.unrounded[word] = of_lane(f, instruction, lane, values)

    return compute


def _selected(f: Legalizer, instruction: Instruction, lane: int, values: list[str]) -> str:
    tests = f.words(instruction.operands[0])
    return f.write.choose(tests[min(lane, len(tests) - 1)], values[0], values[1], "float")


def _combined(operation: str) -> Combine:
    def combine(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        if shape.element != "half":
            return [f.write.float_op(operation, a[0], b[0], False)]
        return [to_half(f, f.write.float_op(operation, from_half(f, a[0]), from_half(f, b[0]), False))]

    return combine


REDUCTIONS: dict[str, Rule] = {name: reduced_in_order(_combined(name)) for name in ("fadd", "fmul")}


def _of(f: Legalizer, instruction: Instruction) -> str:
    """The type of the elements."""
    element = f.shapes.of(instruction.operands[0].type).element
    if element not in ("float", "half"):
        raise NotLegal(f"arithmetic on {element}")
    return element


def _arithmetic(f: Legalizer, instruction: Instruction) -> None:
    element, operation = _of(f, instruction), instruction.op

    def compute(vector: bool, a: Words, b: Words) -> Words:
        x, y = (from_half(f, words[0]) if element == "half" else words[0] for words in (a, b))
        made = (
            call_routine(f, "remainder", False, [x, y])[0] if operation == "frem" else f.write.float_op(operation, x, y, False)
        )
        return [to_half(f, made) if element == "half" else made]

    f.elementwise(instruction, compute)


def _comparison(f: Legalizer, instruction: Instruction) -> None:
    element, predicate = _of(f, instruction), instruction.parts.predicate

    def compute(vector: bool, a: Words, b: Words) -> Words:
        if predicate in ("true", "false"):
            return [predicate]
        x, y = (from_half(f, words[0]) if element == "half" else words[0] for words in (a, b))
        return [f.write.value(f"fcmp {predicate} float {x}, {y}")]

    f.elementwise(instruction, compute)


def _negation(f: Legalizer, instruction: Instruction) -> None:
    element = _of(f, instruction)

    def compute(vector: bool, a: Words) -> Words:
        if element != "half":
            return [f.write.value(f"fneg float {a[0]}")]
        made = f.write.op("xor", a[0], 0x8000)
        if a[0] in f.floats:
            f.floats[made] = f.write.value(f"fneg float {f.floats[a[0]]}")
        return [made]

    f.elementwise(instruction, compute)


def _size(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    if {source.element, target.element} != {"half", "float"}:
        raise NotLegal(f"a conversion from {source.element} to {target.element}")
    convert = from_half if instruction.op == "fpext" else to_half
    f.elementwise(instruction, lambda vector, a: [convert(f, a[0])])


RULES: dict[str, Rule] = {
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv", "frem"), _arithmetic),
    "fcmp": _comparison,
    "fneg": _negation,
    **dict.fromkeys(("fpext", "fptrunc"), _size),
    "load": load,
    "store": store,
    "select": _kept_as_floats(integer_rules.RULES["select"], _selected),
    "freeze": _kept_as_floats(
        integer_rules.RULES["freeze"], lambda f, instruction, lane, values: f.write.value(f"freeze float {values[0]}")
    ),
}


def _on_float(compute: Callable[..., str], is_exact: bool = False) -> LaneFunction:
    """``is_exact``: of halves it makes a half."""

    def convert(f: Legalizer, vector: bool, shape: Shape, *operands: Words) -> Words:
        if shape.element == "half":
            return [to_half(f, compute(f, *(from_half(f, words[0]) for words in operands)), is_exact)]
        return [compute(f, *(words[0] for words in operands))]

    return convert


def _instruction(name: str, count: int) -> LaneFunction:
    """An intrinsic that selection knows."""
    declaration = f"float @llvm.{name}.f32({', '.join(['float'] * count)})"
    return _on_float(lambda f, *values: f.write.call(declaration, *values), name != "sqrt")


def _sum_of_product(f: Legalizer, a: str, b: str, c: str) -> str:
    return f.write.float_op("fadd", f.write.float_op("fmul", a, b, False), c, False)


def _extreme(name: str) -> LaneFunction:
    """With a number as result where one of both is not a number."""
    return _instruction(name, 2)


_ROUNDING = {name: name for name in ("floor", "ceil", "trunc", "round", "roundeven")} | {
    "rint": "roundeven", "nearbyint": "roundeven",
}  # fmt: skip

FUNCTIONS: dict[str, LaneFunction] = {
    **FLOAT_FUNCTIONS,
    "sqrt": _instruction("sqrt", 1),
    "fabs": _instruction("fabs", 1),
    "copysign": _instruction("copysign", 2),
    "fmuladd": _on_float(_sum_of_product),
    "fma": _on_float(lambda f, a, b, c: call_routine(f, "fused", False, [a, b, c])[0]),
    "minnum": _extreme("minnum"),
    "maxnum": _extreme("maxnum"),
    **{name: _instruction(way, 1) for name, way in _ROUNDING.items()},
}
"""Lane by lane; what is not here, the shared rows do on the bits."""
