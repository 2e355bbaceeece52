"""What selection asks about values: shapes, keys, constants, places of memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from voltac.codegen.constant_operands import ConstantOperands, between
from voltac.codegen.machine_code import AnyRegister, FrameSlot, Immediate, LabelOperand, MachineFunction, MachineInstruction
from voltac.codegen.operation_keys import is_signed_load, operation_key
from voltac.codegen.selection import Selection
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ipu.legalize import PURE
from voltac.targets.ipu.select.pseudo import ROWS, takes_one

_SHAPES = {"i1": "c", "i8": "y", "i16": "h", "i32": "s", "ptr": "s", "float": "f"}


def shape(type_text: str) -> str:
    """A letter for a type, by which rules are found: s a word, f a float, c a condition, y a byte, h half a word."""
    return _SHAPES.get(type_text, type_text)


def kind_of(type_text: str) -> str:
    """The register class of a type."""
    return "a" if type_text == "float" else "m"


# --- keys ---

TRANSPARENT = frozenset((
    "zext.c.s", "zext.h.s", "zext.y.s", "zext.c.h", "zext.y.h", "zext.c.y", "sext.signed.s",
    "bitcast.s.s", "bitcast.f.f", "ptrtoint.s.s", "inttoptr.s.s", *(f"freeze.{one}" for one in "sfcyh"),
))  # fmt: skip


def key(selection: Selection, instruction: Instruction) -> str:
    """What rules are found by; loads that all their users extend by sign are extended already."""
    if instruction.op == "sext" and is_signed_load(selection, instruction.operands[0].value):
        return "sext.signed.s"
    return operation_key(instruction, shape)


def pure(callee: str) -> bool:
    """Whether a function has no effects."""
    return callee.startswith(PURE)


# --- constants ---

CONSTANTS = ConstantOperands(4)


def constant_key(selection: Selection, operand: Operand) -> Hashable | None:
    """The names of values that need no operation: see :func:`make_constant`."""
    if operand.value[0] == "%":
        slot = selection.frame_slots.get(operand.value)
        return None if slot is None else ("frame", slot)
    bits = CONSTANTS.bits(operand.type, operand.value)
    if bits is None:
        address = CONSTANTS.address(operand.type, operand.value)
        return None if address is None else ("address", *address)
    return (kind_of(operand.type), bits)


def make_constant(function: MachineFunction, register: AnyRegister, key: Hashable) -> list[MachineInstruction]:
    """The instructions for a name of :func:`constant_key`."""
    assert isinstance(key, tuple)
    match key:
        case ("m" | "a", int(bits)):
            return [MachineInstruction(ROWS[f"constant.{key[0]}"], [register, Immediate(bits)])]
        case ("address", str(name), int(offset)):
            return [MachineInstruction(ROWS["address"], [register, LabelOperand(name, "low 20", offset)])]
        case ("frame", int(slot)):
            return [MachineInstruction(ROWS["frame"], [register, FrameSlot(slot)])]
    raise AssertionError(key)


def cheap_constant(key: Hashable) -> bool:
    """Whether one instruction makes it."""
    assert isinstance(key, tuple)
    return key[0] in ("frame", "address") or takes_one(key[0], key[1])


def literal(value: int) -> Hashable:
    """The key of a word, by its bits."""
    return ("m", value & 0xFFFF_FFFF)


word_constant = CONSTANTS.word


def _negative(operand: Operand) -> int | None:
    """What is subtracted, to be added."""
    value = word_constant(operand)
    return -value if value is not None and -0x7FFF <= value <= 0x8000 else None


def _inverse(operand: Operand) -> int | None:
    """A mask whose zeros are among the low twelve bits, as these."""
    value = word_constant(operand)
    return ~value if value is not None and 0 <= ~value <= 0xFFF else None


def _true(operand: Operand) -> int | None:
    return 1 if operand.type == "i1" and word_constant(operand) in (1, -1) else None


def _float_zero(operand: Operand) -> int | None:
    return 0 if operand.type == "float" and CONSTANTS.bits("float", operand.value) == 0 else None


PREDICATES: dict[str, Callable[[Operand], int | None]] = {
    "si16": between(word_constant, -0x8000, 0x7FFF),
    "si16up": between(word_constant, -0x8001, 0x7FFE, 1),
    "zi16": between(word_constant, 0, 0xFFFF),
    "zi16up": between(word_constant, 0, 0xFFFE, 1),
    "zi12": between(word_constant, 0, 0xFFF),
    "shift": between(word_constant, 0, 31),
    "negative": _negative,
    "inverse": _inverse,
    "zero": between(word_constant, 0, 0),
    "minus_one": between(word_constant, -1, -1),
    "true": _true,
    "float_zero": _float_zero,
    "count24": between(word_constant, 24, 24),
    "count16": between(word_constant, 16, 16),
}


def prepare(selection: Selection) -> None:
    """Give allocas their slots."""
    CONSTANTS.give_slots(selection, selection.function.instructions())
