"""Operations on pairs of floats and their masks that take more than a rule: pairs out of scalars, signs."""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.machine_code import Immediate, MemoryOperand, VirtualRegister
from voltac.codegen.selection import Selection
from voltac.ir.model import Instruction
from voltac.targets.ipu.float_bits import HALF_OVERFLOW, SIGN
from voltac.targets.ipu.select.operations import address_of, scratch
from voltac.targets.ipu.select.registers import SCRATCH, ZERO

_HALF_EXPONENTS, _HALF_MANTISSAS = 0x7C007C00, 0x03FF03FF
"""Of two halves."""


def make_pair(selection: Selection, instruction: Instruction) -> None:
    """Each float into its lane, which mostly it is made in (``codegen/allocation.py``)."""
    result = selection.result(instruction.name, instruction.type)
    for lane, operand in zip(result.lanes, instruction.parts.operands):
        selection.copy_to(lane, operand)


def make_mask(selection: Selection, instruction: Instruction) -> None:
    """Conditions spread over words, which go through memory."""
    place = scratch(selection, 2)
    words: list[VirtualRegister] = []
    operands = instruction.parts.operands
    for operand in dict.fromkeys(operands):
        word = selection.new("m")
        selection.emit("sub.msi16m", word, Immediate(0), selection.register(operand))
        words.append(word)
    for number in range(len(operands)):
        access = MemoryOperand("scratch", "", "scratch", 4 * (place + number), 4)
        selection.emit("st32.mmmzi12", words[number % len(words)], SCRATCH, ZERO["m"], Immediate(place + number), access=access)
    both = MemoryOperand("scratch", "", "scratch", 4 * place, 8)
    result = selection.result(instruction.name, instruction.type)
    selection.emit("ld64.a2mmzi12", result, SCRATCH, ZERO["m"], Immediate(place // 2), access=both)


def _sign(selection: Selection) -> VirtualRegister:
    return selection.constant(("a2", SIGN, SIGN), "a2")


def negate(selection: Selection, instruction: Instruction) -> None:
    """The other sign: there is no exclusive or (IPU 2.2)."""
    value, sign = selection.register(instruction.operands[0]), _sign(selection)
    old, set_ = selection.new("a2"), selection.new("a2")
    selection.emit("and64.a2a2a2", old, value, sign)
    selection.emit("or64.a2a2a2", set_, value, sign)
    selection.emit("andc64.a2a2a2", selection.result(instruction.name, instruction.type), set_, old)


def absolute(selection: Selection, instruction: Instruction) -> None:
    """Without the sign."""
    value = selection.register(instruction.parts.operands[0])
    selection.emit("andc64.a2a2a2", selection.result(instruction.name, instruction.type), value, _sign(selection))


def copy_sign(selection: Selection, instruction: Instruction) -> None:
    """The sign of the second beside what is no sign of the first."""
    size, other = (selection.register(operand) for operand in instruction.parts.operands)
    sign, rest, taken = _sign(selection), selection.new("a2"), selection.new("a2")
    selection.emit("andc64.a2a2a2", rest, size, sign)
    selection.emit("and64.a2a2a2", taken, other, sign)
    selection.emit("or64.a2a2a2", selection.result(instruction.name, instruction.type), rest, taken)


def store_halves(selection: Selection, instruction: Instruction) -> None:
    """Both lanes, rounded, as one word.

    Where the hardware stops at the largest half (IPU 3.8), exponent and mantissa are mended. The mask of what is infinite
    becomes one of halves by its conversion: all ones are no number.
    """
    value, pointer = instruction.parts.operands
    pair, new = selection.register(value), selection.new
    size, endless, halves, marks, mask, raised, cut, word, made = (new(kind) for kind in ("a2", "a2", *"aaaaaaa"))
    limit = selection.constant(("a", HALF_OVERFLOW), "a")
    selection.emit("andc64.a2a2a2", size, pair, _sign(selection))
    selection.emit("f32v2cmple.a2aBa2", endless, limit, size)
    selection.emit("f32v2tof16.aa2", halves, pair)
    selection.emit("f32v2tof16.aa2", marks, endless)
    selection.emit("f16v2cmpne.aaa", mask, marks, marks)
    selection.emit("and.aaa", raised, mask, selection.constant(("a", _HALF_EXPONENTS), "a"))
    selection.emit("and.aaa", cut, mask, selection.constant(("a", _HALF_MANTISSAS), "a"))
    selection.emit("or.aaa", word, halves, raised)
    selection.emit("andc.aaa", made, word, cut)
    place, access = address_of(selection, pointer, 4)
    selection.emit("st32.ammzi12", made, *place, access=access)


FUNCTIONS: dict[str, Callable[[Selection, Instruction], None]] = {
    "call.ipu.pair": make_pair,
    "call.ipu.mask": make_mask,
    "call.ipu.store_halves": store_halves,
    "fneg.p": negate,
    "call.llvm.fabs.v2f32": absolute,
    "call.llvm.copysign.v2f32": copy_sign,
}
