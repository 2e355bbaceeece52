"""Arithmetic that takes fixed registers, or numbers that depend on each other: shifts, products, sums of floats, conversions.

An integer product is one of the floating-point unit; a sum of floats is a product with 1 and a sum (IA-64 1, 7).
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.machine_code import AnyRegister, Immediate
from voltac.codegen.selection import Selection
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ia64.select.conditions import under_predicate
from voltac.targets.ia64.select.registers import ONE, ZERO
from voltac.targets.ia64.select.values import word_constant

_BITS = 64
"""Of a general register."""
_PRECISION = {"float": ".s", "double": ".d"}
Function = Callable[[Selection, Instruction], None]


# --- shifts ---


def _inner(selection: Selection, operand: Operand, op: str) -> tuple[Operand, int] | None:
    """What an operand is an operation on, with a constant, that nobody else needs."""
    made = selection.definition(operand)
    if made is None or made.op != op or not selection.foldable(operand):
        return None
    number = word_constant(selection.resolve(made.operands[1]))
    return None if number is None else (made.operands[0], number)


def _shift(row: str) -> Function:
    """A shift by a constant is a field that is taken out or put in."""

    def select(selection: Selection, instruction: Instruction) -> None:
        result = selection.result(instruction.name, instruction.type)
        value, count = instruction.operands
        number = word_constant(selection.resolve(count))
        if number is None:
            selection.emit(row, result, selection.register(value), selection.register(count))
        elif instruction.op == "shl":
            _put(selection, result, value, number)
        else:
            _take(selection, result, value, number, instruction.op == "ashr")

    return select


def _put(selection: Selection, result: AnyRegister, value: Operand, number: int) -> None:
    length = _BITS - number
    masked = _inner(selection, value, "and")
    if masked is not None and masked[1] > 0 and masked[1] & masked[1] + 1 == 0:
        value, length = masked[0], min(length, masked[1].bit_length())
    selection.emit("dep.z.r=r,cpos6,len6", result, selection.register(value), Immediate(number), Immediate(length))


def _take(selection: Selection, result: AnyRegister, value: Operand, number: int, is_signed: bool) -> None:
    position, length = number, _BITS - number
    shifted = _inner(selection, value, "shl")
    if shifted is not None and 0 <= shifted[1] <= number:
        value, position = shifted[0], number - shifted[1]
    sizes = {8: "1", 16: "2", 32: "4"}
    if not position and length in sizes:
        selection.emit(f"{'s' if is_signed else 'z'}xt{sizes[length]}.r=r", result, selection.register(value))
        return
    row = "extr.r=r,pos6,len6" if is_signed else "extr.u.r=r,pos6,len6"
    selection.emit(row, result, selection.register(value), Immediate(position), Immediate(length))


# --- products of integers ---


def _product(selection: Selection, row: str, result: AnyRegister, operands: list[Operand]) -> None:
    factors = []
    for operand in operands:
        factor = selection.new("f")
        selection.emit("setf.sig.f=r", factor, selection.register(operand))
        factors.append(factor)
    made = selection.new("f")
    selection.emit(f"{row}.f=f,f,f", made, *factors, ZERO["f"])
    selection.emit("getf.sig.r=f", result, made)


_SHIFTED = {3: 1, 5: 2, 9: 3, 17: 4}
"""Factor -> places of a shift of what is added to itself."""


def multiply(selection: Selection, instruction: Instruction) -> None:
    """A product of integers, of small constants by a shift and a sum."""
    result = selection.result(instruction.name, instruction.type)
    first, second = instruction.operands
    number = word_constant(selection.resolve(second))
    if number in _SHIFTED:
        register = selection.register(first)
        selection.emit("shladd.r=r,count4,r", result, register, Immediate(_SHIFTED[number]), register)
        return
    _product(selection, "xma.l", result, [first, second])


def _high_product(row: str) -> Function:
    def select(selection: Selection, instruction: Instruction) -> None:
        _product(selection, row, selection.result(instruction.name, instruction.type), list(instruction.parts.operands))

    return select


# --- floats ---


def _may_fuse(selection: Selection, instruction: Instruction, operand: Operand) -> Instruction | None:
    """The product that a sum may take in without rounding it."""
    made = selection.definition(operand)
    is_allowed = made is not None and made.op == "fmul" and _contracts(made) and _contracts(instruction)
    return made if is_allowed and selection.foldable(operand) and made is not None and made.type == instruction.type else None


def _contracts(instruction: Instruction) -> bool:
    return "contract" in instruction.parts.flags


def float_sum(selection: Selection, instruction: Instruction) -> None:
    """``fadd`` and ``fsub``, with a product where that may be."""
    result = selection.result(instruction.name, instruction.type)
    first, second = instruction.operands
    end = f"{_PRECISION[instruction.type]}.s0.f=f,f,f"
    is_sum = instruction.op == "fadd"
    product = _may_fuse(selection, instruction, first)
    if product is not None:
        a, b = product.operands
        row, summand = "fma" if is_sum else "fms", second
    elif (product := _may_fuse(selection, instruction, second)) is not None:
        a, b = product.operands
        row, summand = "fma" if is_sum else "fnma", first
    else:
        x, y = selection.register(first), selection.register(second)
        selection.emit(("fma" if is_sum else "fms") + end, result, x, ONE, y)
        return
    factors = [selection.register(one) for one in (a, b)]
    selection.emit(row + end, result, *factors, selection.register(summand))


def float_product(selection: Selection, instruction: Instruction) -> None:
    """``fmul``: with ``f0`` as summand it is a product alone."""
    result = selection.result(instruction.name, instruction.type)
    a, b = (selection.register(one) for one in instruction.operands)
    selection.emit(f"fma{_PRECISION[instruction.type]}.s0.f=f,f,f", result, a, b, ZERO["f"])


def pair_product(selection: Selection, instruction: Instruction) -> None:
    """The same of both numbers of a pair."""
    result = selection.result(instruction.name, instruction.type)
    a, b = (selection.register(one) for one in instruction.parts.operands)
    selection.emit("fpma.s0.f=f,f,f", result, a, b, ZERO["f"])


def shorten(selection: Selection, instruction: Instruction) -> None:
    """``fptrunc``."""
    result = selection.result(instruction.name, instruction.type)
    selection.emit("fma.s.s0.f=f,f,f", result, selection.register(instruction.operands[0]), ONE, ZERO["f"])


def lengthen(selection: Selection, instruction: Instruction) -> None:
    """``fpext`` of what is stored, or read as bits: the register's form of a subnormal float is none of doubles."""
    result = selection.result(instruction.name, instruction.type)
    selection.emit("fma.d.s0.f=f,f,f", result, selection.register(instruction.operands[0]), ONE, ZERO["f"])


def absolute(selection: Selection, instruction: Instruction) -> None:
    """``llvm.fabs``."""
    result = selection.result(instruction.name, instruction.type)
    selection.emit("fmerge.s.f=f,f", result, ZERO["f"], selection.register(instruction.parts.operands[0]))


def from_integer(selection: Selection, instruction: Instruction) -> None:
    """``sitofp`` and ``uitofp``: an integer in a significand is already the number without a sign that it is."""
    result = selection.result(instruction.name, instruction.type)
    number = selection.new("f")
    selection.emit("setf.sig.f=r", number, selection.register(instruction.operands[0]))
    if instruction.op == "sitofp":
        exact = selection.new("f")
        selection.emit("fcvt.xf.f=f", exact, number)
        number = exact
    selection.emit(f"fma{_PRECISION[instruction.type]}.s0.f=f,f,f", result, number, ONE, ZERO["f"])


_EXPONENT = 0x1003E
"""Of a number whose highest bit is that of 64 (IA-64 7)."""


def leading_zeros(selection: Selection, instruction: Instruction) -> None:
    """By the exponent of the number; 64 of 0 (IA-64 8)."""
    result = selection.result(instruction.name, instruction.type)
    word = selection.register(instruction.parts.operands[0])
    number, normal = selection.new("f"), selection.new("f")
    exponent = selection.new("r")
    both = selection.new("p"), selection.new("p")
    selection.emit("setf.sig.f=r", number, word)
    selection.emit("fma.s1.f=f,f,f", normal, number, ONE, ZERO["f"])
    selection.emit("getf.exp.r=f", exponent, normal)
    selection.emit("sub.r=r,r", result, selection.constant(("r", _EXPONENT), "r"), exponent)
    selection.emit("cmp.eq.p,p=imm8,r", *both, Immediate(0), word)
    under_predicate(selection.emit("adds.r=imm14,r", result, Immediate(_BITS), ZERO["r"]), both[0])


ARITHMETIC: dict[str, Function] = {
    "shl.s": _shift("shl.r=r,r"),
    "lshr.s": _shift("shr.u.r=r,r"),
    "ashr.s": _shift("shr.r=r,r"),
    "mul.s": multiply,
    "call.ia64.mulhs": _high_product("xma.h"),
    "call.ia64.mulhu": _high_product("xma.hu"),
    "call.ia64.fpmpy": pair_product,
    "call.llvm.ctlz.i64": leading_zeros,
    "fptrunc.d.f": shorten,
    "fpext.f.d": lengthen,
    **{f"{op}.{letter}": float_sum for op in ("fadd", "fsub") for letter in "fd"},
    **{f"fmul.{letter}": float_product for letter in "fd"},
    **{f"call.llvm.fabs.{size}": absolute for size in ("f32", "f64")},
    **{f"{op}.s.{letter}": from_integer for op in ("sitofp", "uitofp") for letter in "fd"},
}
"""By key."""
