"""Operations on integers side by side in a register, and on masks: rows by operation, or by the name of LLVM's intrinsic.

%c = add <4 x i16> %a, %b           ->    call i64 @ia64.padd2(i64 %a, i64 %b)
%c = icmp ult <8 x i8> %a, %b       ->    call i64 @ia64.pcmp1.gt(i64 (%b ^ 0x8080...), i64 (%a ^ 0x8080...))
%c = mul <8 x i8> %a, %b            ->    products of the even and of the odd ones by pmpyshr2, and mix1.r

What the machine has not, such as shifts by a count of each lane's own, is left to be done lane by lane (IA-64 8).
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.legalize.function import Legalizer
from voltac.codegen.legalize.packed import PackedRule
from voltac.codegen.legalize.shapes import Shape
from voltac.ir.model import Instruction
from voltac.targets.ia64.legalize.packed_registers import everywhere, integers, lane_bits

Operation = Callable[..., "str | None"]
"""``(f, shape, *registers)``; None, and nothing written, where it is to be done lane by lane."""


def is_packed(shape: Shape) -> bool:
    """Whether all lanes are in registers that hold several."""
    return bool(shape.part) and not shape.lanes % shape.width


def on_registers(compute: Operation, count: int = 2) -> PackedRule:
    """The first operands, register by register."""

    def write(f: Legalizer, instruction: Instruction) -> bool:
        operands = instruction.operands[:count]
        shape = f.shapes.of(operands[0].type)
        if not is_packed(shape):
            return False
        made: list[str] = []
        for words in zip(*map(f.words, operands)):
            register = compute(f, shape, *words)
            if register is None:
                return False
            made.append(register)
        f.define(instruction, made)
        return True

    return write


def _bitwise(operation: str) -> Operation:
    def compute(f: Legalizer, shape: Shape, a: str, b: str) -> str:
        return f.write.op(operation, a, b)

    return compute


def opposite(f: Legalizer, mask: str) -> str:
    """A mask's lanes that are off."""
    return f.write.op("xor", mask, -1)


def _sum(name: str) -> Operation:
    def compute(f: Legalizer, shape: Shape, a: str, b: str) -> str | None:
        if shape.element == "i1":
            return f.write.op("xor", a, b)
        return integers(f, f"{name}{shape.bits // 8}", a, b)

    return compute


def _saturating(name: str) -> Operation:
    def compute(f: Legalizer, shape: Shape, a: str, b: str) -> str | None:
        head, kind = name.split(".")
        return None if shape.bits not in (8, 16) else integers(f, f"{head}{shape.bits // 8}.{kind}", a, b)

    return compute


# --- products


def _product(f: Legalizer, shape: Shape, a: str, b: str) -> str | None:
    if shape.element == "i1":
        return f.write.op("and", a, b)
    return {8: _of_bytes, 16: _of_halves, 32: _of_words}[shape.bits](f, a, b)


def _of_halves(f: Legalizer, a: str, b: str) -> str:
    return integers(f, "pmpyshr2.u", a, b, "0")


def _of_bytes(f: Legalizer, a: str, b: str) -> str:
    odd = _of_halves(f, *(integers(f, "pshr2.u", one, "8") for one in (a, b)))
    return integers(f, "mix1.r", odd, _of_halves(f, a, b))


def _of_words(f: Legalizer, a: str, b: str) -> str:
    """Of halves: the lower ones' whole product, and the lower halves of what is crossed (IA-64 8)."""
    swapped = str(0xB1)
    crossed = _of_halves(f, a, integers(f, "mux2", b, swapped))
    crossed = integers(f, "padd2", crossed, integers(f, "mux2", crossed, swapped))
    low = integers(f, "mix2.r", integers(f, "pmpyshr2.u", a, b, "16"), _of_halves(f, a, b))
    return integers(f, "padd4", low, integers(f, "pshl4", crossed, "16"))


# --- shifts


def _count(f: Legalizer, shape: Shape, register: str) -> str | None:
    """By how much all lanes are shifted, if that is the same for all: a word."""
    known = f.packed.made_of.get((shape.element, register))
    if known is None and f.literal(register) is not None:
        known = f.packed.lanes(shape, register)
    different = {lane for lane in known or ("", "") if lane != "poison"}
    return different.pop() if known and len(different) == 1 else None


def _shift(operation: str) -> Operation:
    name = {"shl": "pshl{}", "lshr": "pshr{}.u", "ashr": "pshr{}"}[operation]

    def compute(f: Legalizer, shape: Shape, a: str, b: str) -> str | None:
        bits = shape.bits
        count = _count(f, shape, b)
        if count is None or shape.element == "i1":
            return None
        if bits > 8:
            number = f.literal(count)
            # Those that are not smaller than the elements make poison; the machine takes five bits of a constant.
            by = f.write.op("and", count, bits - 1) if number is None else str(number & bits - 1)
            return integers(f, name.format(bits // 8), a, by)
        return _shifted_bytes(f, operation, a, f.literal(count))

    return compute


def _shifted_bytes(f: Legalizer, operation: str, a: str, count: int | None) -> str | None:
    """As one number, without what comes from the neighbours."""
    if count is None or not 0 <= count < 8:
        return None
    w = f.write
    if operation == "shl":
        return w.op("and", w.op("shl", a, count), everywhere(8, 0xFF << count))
    moved = w.op("and", w.op("lshr", a, count), everywhere(8, 0xFF >> count))
    if operation == "lshr":
        return moved
    sign = str(everywhere(8, 0x80 >> count))
    return integers(f, "psub1", w.op("xor", moved, sign), sign)


# --- comparisons and choices


def compared(f: Legalizer, shape: Shape, predicate: str, a: str, b: str) -> str:
    """The mask of the lanes in which a relation of integers holds."""
    size = shape.bits // 8
    if predicate in ("eq", "ne"):
        same = integers(f, f"pcmp{size}.eq", a, b)
        return same if predicate == "eq" else opposite(f, same)
    if predicate[0] == "u":
        a, b = (_flipped(f, shape.bits, one) for one in (a, b))
    if predicate[1:] in ("lt", "ge"):
        a, b = b, a
    more = integers(f, f"pcmp{size}.gt", a, b)
    return more if predicate[1:] in ("gt", "lt") else opposite(f, more)


def _flipped(f: Legalizer, bits: int, word: str) -> str:
    """Numbers without signs in the order of those with signs."""
    known, signs = f.literal(word), everywhere(bits, 1 << bits - 1)
    return f.write.op("xor", word, signs) if known is None else f.constant(known ^ signs, False)


def _comparison(f: Legalizer, instruction: Instruction) -> bool:
    predicate = instruction.parts.predicate

    def compute(f: Legalizer, shape: Shape, a: str, b: str) -> str | None:
        if shape.element != "i1":
            return compared(f, shape, predicate, a, b)
        if predicate not in ("eq", "ne"):
            return None
        different = f.write.op("xor", a, b)
        return different if predicate == "ne" else opposite(f, different)

    return on_registers(compute)(f, instruction)


def chosen(f: Legalizer, mask: str, a: str, b: str) -> str:
    """``a`` in the lanes that are on, else ``b``."""
    w = f.write
    return w.op("or", w.op("and", a, mask), w.op("and", b, opposite(f, mask)))


def _extreme(predicate: str) -> Operation:
    def compute(f: Legalizer, shape: Shape, a: str, b: str) -> str | None:
        if shape.element == "i1":
            return None
        kind, is_max = predicate[0], predicate[1:] == "gt"
        word = "max" if is_max else "min"
        if (shape.bits, kind) == (8, "u"):
            return integers(f, f"p{word}1.u", a, b)
        if (shape.bits, kind) == (16, "s"):
            return integers(f, f"p{word}2", a, b)
        if (shape.bits, kind) == (16, "u"):
            above = integers(f, "psub2.uuu", a, b)
            return integers(f, "padd2", b, above) if is_max else integers(f, "psub2", a, above)
        return chosen(f, compared(f, shape, predicate, a, b), a, b)

    return compute


def _absolute(f: Legalizer, shape: Shape, a: str) -> str | None:
    size = shape.bits // 8
    if shape.bits == 16:
        return integers(f, "pmax2", a, integers(f, "psub2", "0", a))
    sign = integers(f, f"pcmp{size}.gt", "0", a)
    return integers(f, f"psub{size}", f.write.op("xor", a, sign), sign)


# --- masks and numbers


def _extension(f: Legalizer, instruction: Instruction) -> bool:
    """Of a mask: all bits, or the lowest."""
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    if source.element != "i1" or not is_packed(target) or target.element == "float":
        return False
    words = f.words(instruction.operands[0])
    if instruction.op == "zext":
        words = [f.write.op("and", word, everywhere(lane_bits(target), 1)) for word in words]
    f.define(instruction, words)
    return True


def _truncation(f: Legalizer, instruction: Instruction) -> bool:
    """To a mask, by the lowest bits."""
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    if target.element != "i1" or not is_packed(source):
        return False
    ones = everywhere(source.bits, 1)
    words = f.words(instruction.operands[0])
    made = [compared(f, source, "eq", f.write.op("and", word, ones), str(ones)) for word in words]
    f.define(instruction, made)
    return True


def _sum_of_bytes(f: Legalizer, instruction: Instruction) -> bool:
    """The sum of differences from 0."""
    shape = f.shapes.of(instruction.operands[0].type)
    if shape.bits != 8 or not is_packed(shape):
        return False
    total = ""
    for word in f.words(instruction.operands[0]):
        part = integers(f, "psad1", word, "0")
        total = f.write.op("add", total, part) if total else part
    f.define(instruction, [total])
    return True


def _of_conditions(operation: str) -> PackedRule:
    """Whether any lane of a mask is on, or all are."""

    def write(f: Legalizer, instruction: Instruction) -> bool:
        operand = instruction.operands[0]
        shape = f.shapes.of(operand.type)
        if shape.element != "i1" or not is_packed(shape):
            return False
        words = f.words(operand)
        total = words[0]
        for word in words[1:]:
            total = f.write.op(operation, total, word)
        test = f.write.compare("ne", total, 0) if operation == "or" else f.write.compare("eq", total, -1)
        f.define(instruction, [test])
        return True

    return write


INTEGERS: dict[str, PackedRule] = {
    **{name: on_registers(_bitwise(name)) for name in ("and", "or", "xor")},
    "add": on_registers(_sum("padd")),
    "sub": on_registers(_sum("psub")),
    "mul": on_registers(_product),
    **{name: on_registers(_shift(name)) for name in ("shl", "lshr", "ashr")},
    "icmp": _comparison,
    "smax": on_registers(_extreme("sgt")),
    "smin": on_registers(_extreme("slt")),
    "umax": on_registers(_extreme("ugt")),
    "umin": on_registers(_extreme("ult")),
    "abs": on_registers(_absolute, 1),
    "uadd.sat": on_registers(_saturating("padd.uuu")),
    "usub.sat": on_registers(_saturating("psub.uuu")),
    "sadd.sat": on_registers(_saturating("padd.sss")),
    "ssub.sat": on_registers(_saturating("psub.sss")),
    **dict.fromkeys(("zext", "sext"), _extension),
    "trunc": _truncation,
    "vector.reduce.add": _sum_of_bytes,
    "vector.reduce.or": _of_conditions("or"),
    "vector.reduce.and": _of_conditions("and"),
}
