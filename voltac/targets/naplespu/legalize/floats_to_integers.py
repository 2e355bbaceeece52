"""Floats -> integers of any width, toward zero, on the bits (``truncation.py`` has those of a word)."""

from __future__ import annotations

from voltac.codegen.legalize.floats import compare
from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.halves import from_half
from voltac.codegen.legalize.pairs_and_floats import pair_of_float, saturating
from voltac.codegen.legalize.shapes import NotLegal
from voltac.ir.model import Instruction
from voltac.targets.naplespu.legalize.truncation import by_the_core, small_sizes_are_alike, truncated


def to_integer(f: Legalizer, vector: bool, bits: int, value: str, is_signed: bool) -> Words:
    """Cut off; what does not fit is anything."""
    if bits <= 32:
        return [truncated(f, vector, value, is_signed)]
    if bits > 64:
        raise NotLegal(f"a conversion of floating point to {bits} bits")
    return pair_of_float(f, vector, value, is_signed)


def _legalize_to_integer(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    is_signed = instruction.op == "fptosi"
    is_coarse = is_signed and target.bits == 32 and small_sizes_are_alike(f, instruction)

    def compute(vector: bool, a: Words) -> Words:
        value = from_half(f, vector, a[0]) if source.element == "half" else a[0]
        if is_coarse:
            return [by_the_core(f, vector, value)]
        found = to_integer(f, vector, target.bits, value, is_signed)
        if target.bits == 1:
            return [f.write.compare("ne", f.write.op("and", found[0], 1, vector), 0, vector)]
        return found

    f.elementwise(instruction, compute)


RULES: dict[str, Rule] = {
    "fptosi": _legalize_to_integer,
    "fptoui": _legalize_to_integer,
}
INTRINSICS: dict[str, Rule] = {
    "fptosi.sat": saturating(to_integer, compare, True),
    "fptoui.sat": saturating(to_integer, compare, False),
}
