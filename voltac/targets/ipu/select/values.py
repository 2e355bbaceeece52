"""What selection asks about values: shapes, keys, constants, places of memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache

from voltac.codegen.constant_operands import ConstantOperands, between
from voltac.codegen.machine_code import AnyRegister, FrameSlot, Immediate, LabelOperand, MachineFunction, MachineInstruction
from voltac.codegen.operation_keys import is_signed_load, operation_key
from voltac.codegen.selection import Selection
from voltac.ir.interp_values import float_bits, float_of_bits
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ipu.legalize import PURE
from voltac.targets.ipu.pairs.types import MASK, PAIR
from voltac.targets.ipu.select.pseudo import ROWS, takes_one

_SHAPES = {"i1": "c", "i8": "y", "i16": "h", "i32": "s", "ptr": "s", "float": "f", PAIR: "p", MASK: "k"}


def shape(type_text: str) -> str:
    """A letter for a type, by which rules are found: s a word, f a float, c a condition, y a byte, h half a word, p a pair of
    floats, k the mask of one."""
    return _SHAPES.get(type_text, type_text)


def kind_of(type_text: str) -> str:
    """The register class of a type."""
    return "a" if type_text in ("float", "half") else "a2" if type_text[0] == "<" else "m"


# --- keys ---

TRANSPARENT = frozenset((
    "zext.c.s", "zext.h.s", "zext.y.s", "zext.c.h", "zext.y.h", "zext.c.y", "sext.signed.s",
    "bitcast.s.s", "bitcast.f.f", "ptrtoint.s.s", "inttoptr.s.s", *(f"freeze.{one}" for one in "sfcyhpk"),
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

_ONES = 0xFFFFFFFF
"""A lane of a mask that is on."""
CONSTANTS = ConstantOperands(4)


def constant_key(selection: Selection, operand: Operand) -> Hashable | None:
    """The names of values that need no operation: see :func:`make_constant`."""
    if operand.value[0] == "%":
        slot = selection.frame_slots.get(operand.value)
        return None if slot is None else ("frame", slot)
    if operand.type[0] == "<":
        return ("a2", *_lanes(operand.type, operand.value))
    bits = CONSTANTS.bits(operand.type, operand.value)
    if bits is None:
        address = CONSTANTS.address(operand.type, operand.value)
        return None if address is None else ("address", *address)
    return (kind_of(operand.type), bits)


def make_constant(function: MachineFunction, register: AnyRegister, key: Hashable) -> list[MachineInstruction]:
    """The instructions for a name of :func:`constant_key`."""
    assert isinstance(key, tuple)
    match key:
        case ("a2", int(low), int(high)) if low == high:
            return [MachineInstruction(ROWS["constant.a2"], [register, Immediate(low)])]
        case ("a2", int(low), int(high)):
            lanes: tuple[AnyRegister, ...] = register.lanes
            return [made for lane, word in zip(lanes, (low, high)) for made in make_constant(function, lane, ("a", word))]
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
    return key[0] in ("frame", "address", "a2") or takes_one(key[0], key[1])


@lru_cache(maxsize=1024)
def _lanes(type_text: str, value: str) -> tuple[int, int]:
    """The bits of both lanes of a constant pair, or mask: all ones for true."""
    known = CONSTANTS.evaluated(type_text, value)
    if type_text == MASK:
        low, high = (_ONES if lane else 0 for lane in known)
    else:
        low, high = (0 if lane is None else float_bits(lane, 32) for lane in known)
    return low, high


def splat_of(selection: Selection, operand: Operand) -> Operand | None:
    """The float that is in both lanes of a pair."""
    if operand.type != PAIR:
        return None
    if operand.value[0] != "%":
        low, high = _lanes(operand.type, operand.value)
        return Operand("float", f"0x{float_bits(float_of_bits(low, 32), 64):016X}") if low == high else None
    made = selection.definitions.get(operand.value)
    if made is None or selection.key(made) != "call.ipu.pair":
        return None
    first, second = made.parts.operands
    return first if first == second else None


def lane_of(selection: Selection, operand: Operand) -> tuple[Operand, int] | None:
    """The pair, or mask, of which a float is a lane, and which one."""
    made = selection.definitions.get(operand.value)
    if made is None or (made.op != "extractelement" and selection.key(made) != "call.ipu.bits"):
        return None
    pair, index = made.parts.operands[:2]
    return pair, int(index.value)


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


def _pair_zero(operand: Operand) -> int | None:
    return (
        0
        if operand.type in (PAIR, MASK) and operand.value[0] != "%" and _lanes(operand.type, operand.value) == (0, 0)
        else None
    )


def _all_on(operand: Operand) -> int | None:
    return (
        1
        if operand.type == MASK and operand.value[0] != "%" and _lanes(operand.type, operand.value) == (_ONES, _ONES)
        else None
    )


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
    "pair_zero": _pair_zero,
    "all_on": _all_on,
    "count24": between(word_constant, 24, 24),
    "count16": between(word_constant, 16, 16),
}


def prepare(selection: Selection) -> None:
    """Give allocas their slots."""
    CONSTANTS.give_slots(selection, selection.function.instructions())
