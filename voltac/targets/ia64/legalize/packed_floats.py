"""Operations on pairs of floats in a register (IA-64 7): rows by operation, or by the name of LLVM's intrinsic.

%c = fadd <2 x float> %a, %b          ->    call <2 x float> @ia64.fpma(<2 x float> %a, <1.0, 1.0>, <2 x float> %b)
%c = fcmp olt <2 x float> %a, %b      ->    bitcast <2 x float> (call @ia64.fpcmp.lt(%a, %b)) to i64

A mask is a number of a general register; the comparison it comes from is taken itself where floats are chosen by it.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer
from voltac.codegen.legalize.packed import PackedRule
from voltac.codegen.legalize.shapes import Shape
from voltac.ir.model import Instruction
from voltac.targets.ia64.legalize.packed_integers import chosen, is_packed, on_registers
from voltac.targets.ia64.legalize.packed_registers import as_pair, bits_of_pair, pairs

_ONES = "<float 1.0, float 1.0>"
_ZEROS = "zeroinitializer"
_RELATIONS = {
    "oeq": ("eq", False), "une": ("neq", False), "olt": ("lt", False), "ogt": ("lt", True), "ole": ("le", False),
    "oge": ("le", True), "uno": ("unord", False), "ord": ("ord", False), "uge": ("nlt", False), "ule": ("nlt", True),
    "ugt": ("nle", False), "ult": ("nle", True),
}  # fmt: skip
"""Relation of the machine, and whether its operands change places."""


def _contracts(instruction: Instruction) -> bool:
    return "contract" in instruction.parts.flags or "fast" in instruction.parts.flags


def _product_of(f: Legalizer, instruction: Instruction, number: int) -> Instruction | None:
    """The product that a sum may take in without rounding it."""
    name = instruction.operands[number].value
    made = f.definitions.get(name)
    if made is None or made.op != "fmul" or not _contracts(made) or not _contracts(instruction):
        return None
    return made if f.uses.single_use(name) is not None else None


def _sum(f: Legalizer, instruction: Instruction) -> bool:
    """A product with 1, or one that is there anyhow, and a sum."""
    if not _is_of_floats(f, instruction):
        return False
    is_sum = instruction.op == "fadd"
    first, second = (f.words(operand) for operand in instruction.operands)
    product = _product_of(f, instruction, 0)
    if product is not None:
        factors, summands, name = [f.words(one) for one in product.operands], second, "fpma" if is_sum else "fpms"
    elif (product := _product_of(f, instruction, 1)) is not None:
        factors, summands, name = [f.words(one) for one in product.operands], first, "fpma" if is_sum else "fpnma"
    else:
        factors, summands, name = [first, [_ONES] * len(first)], second, "fpma" if is_sum else "fpms"
    f.define(instruction, [pairs(f, name, a, b, c) for a, b, c in zip(*factors, summands)])
    return True


def _is_of_floats(f: Legalizer, instruction: Instruction) -> bool:
    shape = f.shapes.of(instruction.operands[0].type)
    return shape.element == "float" and is_packed(shape)


def _of_pairs(name: str) -> PackedRule:
    def compute(f: Legalizer, shape: Shape, *words: str) -> str | None:
        return pairs(f, name, *words) if shape.element == "float" else None

    return on_registers(compute, 3)


def _product(f: Legalizer, shape: Shape, a: str, b: str) -> str | None:
    return pairs(f, "fpmpy", a, b) if shape.element == "float" else None


def _negative(f: Legalizer, shape: Shape, a: str) -> str | None:
    return pairs(f, "fpmerge.ns", a, a) if shape.element == "float" else None


def _absolute(f: Legalizer, shape: Shape, a: str) -> str | None:
    return pairs(f, "fpmerge.s", _ZEROS, a) if shape.element == "float" else None


def _with_sign(f: Legalizer, shape: Shape, a: str, b: str) -> str | None:
    return pairs(f, "fpmerge.s", b, a) if shape.element == "float" else None


# --- comparisons and choices


def _compared(f: Legalizer, predicate: str, a: str, b: str) -> str:
    """A mask as a pair of floats' bits."""
    if predicate in ("one", "ueq"):
        first, second = ("lt", "for") if predicate == "one" else ("nlt", "fand")
        return pairs(f, second, pairs(f, f"fpcmp.{first}", a, b), pairs(f, f"fpcmp.{first}", b, a))
    relation, swaps = _RELATIONS[predicate]
    return pairs(f, f"fpcmp.{relation}", *((b, a) if swaps else (a, b)))


def _comparison(f: Legalizer, instruction: Instruction) -> bool:
    predicate = instruction.parts.predicate
    if not _is_of_floats(f, instruction):
        return False
    if predicate in ("true", "false"):
        f.define(instruction, ["-1" if predicate == "true" else "0"] * len(f.words(instruction.operands[0])))
        return True
    made = []
    for a, b in zip(*map(f.words, instruction.operands)):
        mask = _compared(f, predicate, a, b)
        made.append(bits_of_pair(f, mask))
    f.define(instruction, made)
    return True


def _mask(f: Legalizer, word: str) -> str:
    """A mask in a floating register."""
    known = f.literal(word)
    return "zeroinitializer" if known == 0 else as_pair(f, word)


def _choice(f: Legalizer, instruction: Instruction) -> bool:
    condition, first, second = instruction.operands
    shape = f.shapes.of(first.type)
    if not is_packed(shape):
        return False
    extreme = _as_extreme(f, instruction) if shape.element == "float" else ""
    made = []
    for mask, a, b in zip(*map(f.words, (condition, first, second))):
        if extreme:
            made.append(pairs(f, extreme, a, b))
        elif shape.element == "float":
            made.append(pairs(f, "fselect", a, b, _mask(f, mask)))
        else:
            made.append(chosen(f, mask, a, b))
    f.define(instruction, made)
    return True


def _as_extreme(f: Legalizer, instruction: Instruction) -> str:
    """``a < b ? a : b`` is what the machine's minimum is, zeros and what is no number included."""
    condition, first, second = (operand.value for operand in instruction.operands)
    made = f.definitions.get(condition)
    if made is None or made.op != "fcmp" or [one.value for one in made.operands] != [first, second]:
        return ""
    return {"olt": "fpmin", "ogt": "fpmax"}.get(made.parts.predicate, "")


def _extreme(name: str) -> PackedRule:
    """The machine's own gives the second one where one is no number."""

    def compute(f: Legalizer, shape: Shape, a: str, b: str) -> str | None:
        if shape.element != "float":
            return None
        return pairs(f, "fselect", a, pairs(f, name, a, b), pairs(f, "fpcmp.unord", b, b))

    return on_registers(compute)


def _to_integers(f: Legalizer, instruction: Instruction) -> bool:
    if not _is_of_floats(f, instruction) or not is_packed(f.shapes.of(instruction.type)):
        return False
    words = f.words(instruction.operands[0])
    f.define(instruction, [bits_of_pair(f, pairs(f, "fpcvt.fx.trunc", word)) for word in words])
    return True


FLOATS: dict[str, PackedRule] = {
    **dict.fromkeys(("fadd", "fsub"), _sum),
    "fmul": on_registers(_product),
    "fneg": on_registers(_negative, 1),
    "fabs": on_registers(_absolute, 1),
    "copysign": on_registers(_with_sign),
    **dict.fromkeys(("fma", "fmuladd"), _of_pairs("fpma")),
    "minnum": _extreme("fpmin"),
    "maxnum": _extreme("fpmax"),
    "fcmp": _comparison,
    "select": _choice,
    "fptosi": _to_integers,
}
