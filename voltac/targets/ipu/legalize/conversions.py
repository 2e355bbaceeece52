"""Between integers of any width and floats: what fits a word is the aux pipe's, two words are done on the bits."""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.integers import extend, sign_extended, zero_extended
from voltac.codegen.legalize.pairs_and_floats import float_of_pair, pair_of_float, saturating
from voltac.codegen.legalize.shapes import NotLegal
from voltac.ir.model import Instruction
from voltac.targets.ipu.legalize.float_rules import from_half, to_half


def _to_float(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    is_signed = instruction.op == "sitofp"

    def compute(vector: bool, a: Words) -> Words:
        if source.bits > 64:
            raise NotLegal(f"a conversion of {source.bits} bits to floating point")
        if source.bits == 1:
            made = f.write.converted(extend(f, False, 1, 1, a, is_signed)[0], False)
        elif source.bits > 32:
            made = float_of_pair(f, False, (sign_extended if is_signed else zero_extended)(f, source.bits, a, False), is_signed)
        elif is_signed or source.bits < 32:
            made = f.write.converted((sign_extended if is_signed else zero_extended)(f, source.bits, a, False)[0], False)
        else:
            made = f.write.value(f"uitofp i32 {a[0]} to float")
        return [to_half(f, made) if target.element == "half" else made]

    f.elementwise(instruction, compute)


def to_integer(f: Legalizer, vector: bool, bits: int, value: str, is_signed: bool) -> Words:
    """Cut off; what does not fit is anything."""
    if bits > 64:
        raise NotLegal(f"a conversion of floating point to {bits} bits")
    if bits > 32:
        return pair_of_float(f, False, value, is_signed)
    operation = "fptosi" if is_signed or bits < 32 else "fptoui"
    return [f.write.value(f"{operation} float {value} to i32")]


def _to_integer(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)

    def compute(vector: bool, a: Words) -> Words:
        value = from_half(f, a[0]) if source.element == "half" else a[0]
        found = to_integer(f, False, target.bits, value, instruction.op == "fptosi")
        if target.bits == 1:
            return [f.write.compare("ne", f.write.op("and", found[0], 1), 0)]
        return found

    f.elementwise(instruction, compute)


def _compare(f: Legalizer, predicate: str, vector: bool, a: str, b: str) -> str:
    return f.write.value(f"fcmp {predicate} float {a}, {b}")


RULES: dict[str, Rule] = {
    **dict.fromkeys(("sitofp", "uitofp"), _to_float),
    **dict.fromkeys(("fptosi", "fptoui"), _to_integer),
}
INTRINSICS: dict[str, Rule] = {
    "fptosi.sat": saturating(to_integer, _compare, True),
    "fptoui.sat": saturating(to_integer, _compare, False),
}
