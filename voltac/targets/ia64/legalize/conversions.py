"""Numbers between integers and floats -> conversions of words; rounding to whole numbers -> there and back (IA-64 15).

%i = fptosi double %x to i32       ->    fptosi double %x to i64
%x = uitofp i32 %i to float        ->    sitofp i64 (%i without what is above it) to float
%t = call float @llvm.floor(%x)    ->    t = sitofp (fptosi x); t - 1 where t > x; x itself where it is large
"""

from __future__ import annotations

from voltac.codegen.legalize.function import LaneFunction, Legalizer, Rule, Words
from voltac.codegen.legalize.halves import from_half, to_half
from voltac.codegen.legalize.integers import sign_extended, zero_extended
from voltac.codegen.legalize.shapes import NotLegal, Shape
from voltac.ir.model import Instruction
from voltac.targets.ia64.legalize.float_rules import as_double, from_double

_WHOLE = {"float": "0x4160000000000000", "double": "0x4330000000000000"}
"""2^23 and 2^52: numbers from there on are whole."""


def _to_integer(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    if target.bits > f.word_bits:
        raise NotLegal(f"a conversion to {target.bits} bits")
    # A number without a sign of fewer bits than a word is one with a sign there.
    operation = "fptoui" if instruction.op == "fptoui" and target.bits == f.word_bits else "fptosi"

    def compute(vector: bool, a: Words) -> Words:
        element, value = _as_float(f, source, a[0])
        word = f.write.value(f"{operation} {element} {value} to i64")
        return [f.write.compare("ne", f.write.op("and", word, 1), 0) if target.bits == 1 else word]

    f.elementwise(instruction, compute)


def _as_float(f: Legalizer, shape: Shape, value: str) -> tuple[str, str]:
    return ("float", from_half(f, False, value)) if shape.element == "half" else (shape.element, value)


def _from_integer(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    if source.bits > f.word_bits:
        raise NotLegal(f"a conversion from {source.bits} bits")
    is_signed = instruction.op == "sitofp"

    def compute(vector: bool, a: Words) -> Words:
        w = f.write
        if source.bits == 1:
            word = w.to_all_bits(a[0], False) if is_signed else w.to_int(a[0], False)
        else:
            word = (sign_extended if is_signed else zero_extended)(f, source.bits, a, False)[0]
        operation = "uitofp" if not is_signed and source.bits == f.word_bits else "sitofp"
        if target.element == "half":
            # By way of double, which holds 53 bits: what is beyond the largest half rounds to infinity either way.
            return [from_double(f, "half", w.value(f"{operation} i64 {word} to double"))]
        return [w.value(f"{operation} i64 {word} to {target.element}")]

    f.elementwise(instruction, compute)


def _saturated(is_signed: bool) -> Rule:
    """``llvm.fptosi.sat``: the nearest number there is, 0 for what is none."""

    def convert(f: Legalizer, instruction: Instruction) -> None:
        source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
        bits = target.bits
        if bits > f.word_bits:
            raise NotLegal(f"a conversion to {bits} bits")
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)

        def compute(vector: bool, a: Words) -> Words:
            w = f.write
            value = as_double(f, *_as_float(f, source, a[0]))
            operation = "fptosi" if is_signed or bits < f.word_bits else "fptoui"
            word = w.value(f"{operation} double {value} to i64")
            high = w.value(f"fcmp oge double {value}, {float(most + 1)!r}")
            low = w.value(f"fcmp olt double {value}, {float(least)!r}")
            nothing = w.value(f"fcmp uno double {value}, {value}")
            word = w.select(high, f.constant(most, False), word, w.word, False)
            word = w.select(low, f.constant(least, False), word, w.word, False)
            return [w.select(nothing, "0", word, w.word, False)]

        f.elementwise(instruction, compute)

    return convert


RULES: dict[str, Rule] = {
    **dict.fromkeys(("fptosi", "fptoui"), _to_integer),
    **dict.fromkeys(("sitofp", "uitofp"), _from_integer),
}
INTRINSICS: dict[str, Rule] = {"fptosi.sat": _saturated(True), "fptoui.sat": _saturated(False)}


# --- whole numbers


def _rounded(f: Legalizer, element: str, value: str, way: str) -> str:
    w = f.write
    number = f"{'f32' if element == 'float' else 'f64'}"
    size = w.call(f"{element} @llvm.fabs.{number}({element})", value)
    if way == "even":
        word = w.call(f"i64 @ia64.rint.{number}({element})", value)
    else:
        word = w.value(f"fptosi {element} {value} to i64")
    whole = w.value(f"sitofp i64 {word} to {element}")
    if way in ("floor", "ceil"):
        relation, operation = ("ogt", "fsub") if way == "floor" else ("olt", "fadd")
        beyond = w.value(f"fcmp {relation} {element} {whole}, {value}")
        step = w.value(f"{operation} {element} {whole}, 1.0")
        whole = w.choose(beyond, step, whole, element)
    elif way == "away":
        rest = w.call(f"{element} @llvm.fabs.{number}({element})", w.value(f"fsub {element} {value}, {whole}"))
        one = w.call(f"{element} @llvm.copysign.{number}({element}, {element})", "1.0", value)
        far = w.value(f"fcmp oge {element} {rest}, 5.0e-01")
        whole = w.choose(far, w.value(f"fadd {element} {whole}, {one}"), whole, element)
    signed = w.call(f"{element} @llvm.copysign.{number}({element}, {element})", whole, value)
    is_small = w.value(f"fcmp olt {element} {size}, {_WHOLE[element]}")
    return w.choose(is_small, signed, value, element)


def _rounding(way: str) -> LaneFunction:
    def compute(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
        if shape.element == "half":
            return [to_half(f, False, _rounded(f, "float", from_half(f, False, a[0]), way))]
        return [_rounded(f, shape.element, a[0], way)]

    return compute


ROUNDING: dict[str, LaneFunction] = {
    "floor": _rounding("floor"),
    "ceil": _rounding("ceil"),
    "trunc": _rounding("zero"),
    "round": _rounding("away"),
    **dict.fromkeys(("roundeven", "rint", "nearbyint"), _rounding("even")),
}
"""Lane by lane."""
