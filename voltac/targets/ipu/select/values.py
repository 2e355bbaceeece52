"""What selection asks about values: shapes, keys, constants, places of memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache

from voltac.codegen.machine_code import AnyRegister, FrameSlot, Immediate, LabelOperand, MachineFunction, MachineInstruction
from voltac.codegen.origins import GLOBAL_NAME
from voltac.codegen.selection import CannotSelect, Selection, label_of
from voltac.ir.interp_constants import constant
from voltac.ir.interp_values import InstructionFault, KindTable, float_bits, to_signed
from voltac.ir.match import made_by
from voltac.ir.model import Instruction
from voltac.ir.parts import CASTS, Operand
from voltac.ir.types import DataLayout
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
    """Operation and shapes: what rules are found by."""
    op, parts = instruction.op, instruction.parts
    if op in ("icmp", "fcmp"):
        return f"{op}.{parts.predicate}.{shape(parts.operands[0].type)}"
    if op in CASTS:
        if op == "sext" and is_signed_load(selection, parts.operands[0].value):
            return "sext.signed.s"
        return f"{op}.{shape(parts.operands[0].type)}.{shape(parts.type)}"
    if op == "select":
        return f"select.{shape(parts.operands[0].type)}.{shape(parts.type)}"
    if op == "call":
        return f"call.{parts.callee[1:]}"
    if op == "br":
        return "br.if" if parts.operands else "br"
    if op in ("load", "store", "getelementptr", "phi", "alloca", "ret", "switch", "unreachable", "extractvalue", "insertvalue"):
        return op
    return f"{op}.{shape(parts.type)}"


def is_signed_load(selection: Selection, name: str) -> bool:
    """Whether a narrow load is sign-extended by everybody who uses it."""
    made = made_by(("load",), name, selection.definitions)
    return made is not None and all(user.op == "sext" for user in selection.users.get(name, ()))


def pure(callee: str) -> bool:
    """Whether a function has no effects."""
    return callee.startswith(PURE)


# --- constants ---

_KINDS = KindTable(DataLayout({}, 4))


@lru_cache(maxsize=8192)
def constant_bits(type_text: str, value: str) -> int | None:
    """Bits of a constant; undefined ones are 0. None for what is no number."""
    if value[0] == "%" or "@" in value:
        return None
    try:
        known = constant(_KINDS, _KINDS[type_text], value, lambda name: 0)
    except InstructionFault as fault:
        raise CannotSelect(f"a constant of type {type_text}: {value}") from fault
    return 0 if known is None else float_bits(known, 32) if type_text == "float" else int(known)


@lru_cache(maxsize=4096)
def _address(type_text: str, value: str) -> tuple[str, int] | None:
    """The global and the offset that a constant address names."""
    found = GLOBAL_NAME.search(value)
    if found is None:
        return None
    if value[0] == "@":
        return label_of(found.group(1)), 0
    try:
        offset = constant(_KINDS, _KINDS["ptr"], value, lambda name: 0)
    except InstructionFault as fault:
        raise CannotSelect(f"a constant of type {type_text}: {value}") from fault
    return label_of(found.group(1)), to_signed(int(offset), 32)


def constant_key(selection: Selection, operand: Operand) -> Hashable | None:
    """The names of values that need no operation: see :func:`make_constant`."""
    if operand.value[0] == "%":
        slot = selection.frame_slots.get(operand.value)
        return None if slot is None else ("frame", slot)
    bits = constant_bits(operand.type, operand.value)
    if bits is None:
        address = _address(operand.type, operand.value)
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


def word_constant(operand: Operand) -> int | None:
    """Signed, of 32 bits."""
    if operand.value[0] == "%" or operand.type == "float":
        return None
    bits = constant_bits(operand.type, operand.value)
    return None if bits is None else to_signed(bits, 32)


def _between(low: int, high: int, more: int = 0) -> Callable[[Operand], int | None]:
    """Numbers from ``low`` to ``high``; the instruction gets them ``more`` greater."""

    def fitting(operand: Operand) -> int | None:
        value = word_constant(operand)
        return value + more if value is not None and low <= value <= high else None

    return fitting


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
    return 0 if operand.type == "float" and constant_bits("float", operand.value) == 0 else None


PREDICATES: dict[str, Callable[[Operand], int | None]] = {
    "si16": _between(-0x8000, 0x7FFF),
    "si16up": _between(-0x8001, 0x7FFE, 1),
    "zi16": _between(0, 0xFFFF),
    "zi16up": _between(0, 0xFFFE, 1),
    "zi12": _between(0, 0xFFF),
    "shift": _between(0, 31),
    "negative": _negative,
    "inverse": _inverse,
    "zero": _between(0, 0),
    "minus_one": _between(-1, -1),
    "true": _true,
    "float_zero": _float_zero,
    "count24": _between(24, 24),
    "count16": _between(16, 16),
}


def prepare(selection: Selection) -> None:
    """Give allocas their slots."""
    layout = selection.module.layout(4)
    for instruction in selection.function.instructions():
        if instruction.op == "alloca":
            parts = instruction.parts
            count = constant_bits(parts.operands[0].type, parts.operands[0].value) if parts.operands else 1
            if count is None:
                raise CannotSelect(f"in @{selection.function.name}: an alloca of unknown size")
            alignment = max(parts.alignment, layout.alignment(parts.element_type), 4)
            selection.frame_slots[instruction.name] = selection.machine.new_slot(
                layout.size(parts.element_type) * count, alignment
            )
