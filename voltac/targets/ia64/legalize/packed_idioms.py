"""Several operations that are one on registers with several numbers (IA-64 8): averages, sums of absolute differences.

reduce.add (abs (zext <8 x i8> %a - zext <8 x i8> %b))        ->    psad1
trunc (zext <8 x i8> %a + zext <8 x i8> %b + 1 >> 1)          ->    pavg1.raz
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Words
from voltac.codegen.legalize.packed import PackedRule
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ia64.legalize.packed_integers import INTEGERS, is_packed
from voltac.targets.ia64.legalize.packed_registers import everywhere, integers


def _made(f: Legalizer, operand: Operand, *operations: str) -> Instruction | None:
    """The instruction that makes a value if it is one of these, an intrinsic by its name."""
    made = f.definitions.get(operand.value)
    if made is None:
        return None
    name = made.op if made.op != "call" else ".".join(made.parts.callee.split(".")[:2])
    return made if name in operations else None


def _extended(f: Legalizer, operand: Operand, bits: tuple[int, ...]) -> Operand | None:
    """What a number is the zero extension of, if registers hold several of that."""
    made = _made(f, operand, "zext")
    if made is None:
        return None
    shape = f.shapes.of(made.operands[0].type)
    return made.operands[0] if is_packed(shape) and shape.bits in bits else None


def _difference(f: Legalizer, operand: Operand) -> tuple[Words, Words] | None:
    """Of what an operand is the absolute differences, or numbers without signs: these, and zeros."""
    bytes_ = _extended(f, operand, (8,))
    if bytes_ is not None:
        words = f.words(bytes_)
        return words, ["0"] * len(words)
    absolute = _made(f, operand, "@llvm.abs")
    made = None if absolute is None else _made(f, absolute.operands[0], "sub")
    if made is None:
        return None
    first, second = (_extended(f, one, (8,)) for one in made.operands)
    return None if first is None or second is None else (f.words(first), f.words(second))


def _sum(f: Legalizer, instruction: Instruction) -> bool:
    """``vector.reduce.add``; of lanes that are on, where the others are chosen to be zero."""
    operand = instruction.operands[0]
    masks: Words = []
    choice = _made(f, operand, "select")
    if choice is not None and choice.operands[2].value == "zeroinitializer" and choice.operands[0].type != "i1":
        operand, masks = choice.operands[1], f.words(choice.operands[0])
    found = _difference(f, operand)
    if found is None or (masks and len(masks) != len(found[0])):
        return INTEGERS["vector.reduce.add"](f, instruction)
    w = f.write
    total = ""
    for number, (a, b) in enumerate(zip(*found)):
        if masks:
            a, b = (w.op("and", one, masks[number]) if one != "0" else one for one in (a, b))
        part = integers(f, "psad1", a, b)
        total = w.op("add", total, part) if total else part
    f.define(instruction, [total])
    return True


def _summands(f: Legalizer, operand: Operand, depth: int = 2) -> list[Operand]:
    made = _made(f, operand, "add") if depth else None
    return [operand] if made is None else [one for each in made.operands for one in _summands(f, each, depth - 1)]


def _average(f: Legalizer, instruction: Instruction) -> bool:
    """``trunc`` of half a sum, rounded up or down."""
    target = f.shapes.of(instruction.type)
    half = _made(f, instruction.operands[0], "lshr")
    if half is None or target.bits not in (8, 16) or not is_packed(target) or half.operands[1].value != "splat (i32 1)":
        return INTEGERS["trunc"](f, instruction)
    summands = _summands(f, half.operands[0])
    numbers = [_extended(f, one, (target.bits,)) for one in summands]
    pair = [f.words(one) for one in numbers if one is not None]
    ones = [one.value for one, number in zip(summands, numbers) if number is None]
    if len(pair) != 2 or ones not in ([], ["splat (i32 1)"]):
        return INTEGERS["trunc"](f, instruction)
    size = target.bits // 8
    made = [integers(f, f"pavg{size}.raz", a, b) if ones else _rounded_down(f, size, a, b) for a, b in zip(*pair)]
    f.define(instruction, made)
    return True


def _rounded_down(f: Legalizer, size: int, a: str, b: str) -> str:
    """What both have, and half of what one has."""
    w = f.write
    half = w.op("and", w.op("lshr", w.op("xor", a, b), 1), everywhere(8 * size, (1 << 8 * size - 1) - 1))
    return integers(f, f"padd{size}", w.op("and", a, b), half)


IDIOMS: dict[str, PackedRule] = {"vector.reduce.add": _sum, "trunc": _average}
"""In front of the operations by themselves."""
