"""What selection asks about values: shapes, keys, constants."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache

from voltac.codegen.machine_code import AnyRegister, FrameSlot, Immediate, LabelOperand, MachineFunction, MachineInstruction
from voltac.codegen.origins import GLOBAL_NAME
from voltac.codegen.selection import CannotSelect, Selection, label_of
from voltac.ir.interp_constants import constant
from voltac.ir.interp_values import InstructionFault, KindTable, float_bits, to_signed
from voltac.ir.model import Instruction
from voltac.ir.parts import CASTS, Operand
from voltac.ir.types import DataLayout
from voltac.targets.ia64.legalize import PURE
from voltac.targets.ia64.select.conventions import kind_of
from voltac.targets.ia64.select.pseudo import ROWS

_SHAPES = {"i1": "c", "i8": "y", "i16": "h", "i32": "w", "i64": "s", "ptr": "s", "float": "f", "double": "d"}


def shape(type_text: str) -> str:
    """A letter for a type: s a word, f float, d double, c a condition, y a byte, h 16 bits, w 32 bits."""
    return _SHAPES.get(type_text, type_text)


# --- keys ---

TRANSPARENT = frozenset((
    "zext.c.s", *(f"zext.clear.{one}.s" for one in "yhw"), *(f"trunc.s.{one}" for one in "yhw"), "bitcast.s.s", "ptrtoint.s.s",
    "inttoptr.s.s", "fpext.f.d", *(f"freeze.{one}" for one in "sfdcyhw"),
))  # fmt: skip


def key(selection: Selection, instruction: Instruction) -> str:
    """Operation and shapes: what rules are found by."""
    op, parts = instruction.op, instruction.parts
    if op in ("icmp", "fcmp"):
        return f"{op}.{parts.predicate}.{shape(parts.operands[0].type)}"
    if op in CASTS:
        clear = "clear." if op == "zext" and _is_clear(selection, parts.operands[0]) else ""
        return f"{op}.{clear}{shape(parts.operands[0].type)}.{shape(parts.type)}"
    if op == "select":
        return f"select.{shape(parts.operands[0].type)}.{shape(parts.type)}"
    if op == "call":
        return f"call.{parts.callee[1:]}"
    if op == "br":
        return "br.if" if parts.operands else "br"
    if op in ("load", "store", "getelementptr", "phi", "alloca", "ret", "switch", "unreachable", "extractvalue", "insertvalue"):
        return op
    return f"{op}.{shape(parts.type)}"


def _is_clear(selection: Selection, operand: Operand) -> bool:
    """Whether the register of a narrow number has zeros above it: loads and moves from the floating registers see to that."""
    made = selection.definitions.get(operand.value)
    return made is not None and operand.type != "i1" and made.op in ("load", "bitcast")


def pure(callee: str) -> bool:
    """Whether a function has no effects."""
    return callee.startswith(PURE)


# --- constants ---

_KINDS = KindTable(DataLayout({}, 8))


@lru_cache(maxsize=8192)
def constant_bits(type_text: str, value: str) -> int | None:
    """Bits of a constant; undefined ones are 0. None for what is no number."""
    if value[0] == "%" or "@" in value:
        return None
    try:
        known = constant(_KINDS, _KINDS[type_text], value, lambda name: 0)
    except InstructionFault as fault:
        raise CannotSelect(f"a constant of type {type_text}: {value}") from fault
    if known is None:
        return 0
    return float_bits(known, 32 if type_text == "float" else 64) if type_text in ("float", "double") else int(known)


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
    return label_of(found.group(1)), to_signed(int(offset), 64)


def constant_key(selection: Selection, operand: Operand) -> Hashable | None:
    """The names of values that need no operation: see :func:`make_constant`."""
    if operand.value[0] == "%":
        slot = selection.frame_slots.get(operand.value)
        return None if slot is None else ("frame", slot)
    bits = constant_bits(operand.type, operand.value)
    if bits is None:
        address = _address(operand.type, operand.value)
        return None if address is None else ("address", *address)
    if kind_of(operand.type) == "f":
        return ("single" if operand.type == "float" else "double", bits)
    return literal(bits)


def make_constant(function: MachineFunction, register: AnyRegister, key: Hashable) -> list[MachineInstruction]:
    """The instructions for a name of :func:`constant_key`."""
    assert isinstance(key, tuple)
    match key:
        case ("r" | "single" | "double", int(bits)):
            return [MachineInstruction(ROWS[f"constant.{key[0]}"], [register, Immediate(bits)])]
        case ("address", str(name), int(offset)):
            return [MachineInstruction(ROWS["address"], [register, LabelOperand(name, "imm64", offset)])]
        case ("frame", int(slot)):
            return [MachineInstruction(ROWS["frame"], [register, FrameSlot(slot)])]
    raise AssertionError(key)


def cheap_constant(key: Hashable) -> bool:
    """Whether one instruction makes it."""
    assert isinstance(key, tuple)
    return key[0] not in ("single", "double")


def literal(value: int) -> Hashable:
    """The key of a word, by its bits."""
    return ("r", value & (1 << 64) - 1)


def word_constant(operand: Operand) -> int | None:
    """Signed, of 64 bits."""
    if operand.value[0] == "%" or operand.type in ("float", "double"):
        return None
    bits = constant_bits(operand.type, operand.value)
    return None if bits is None else to_signed(bits, 1 if operand.type == "i1" else 64)


def _between(low: int, high: int) -> Callable[[Operand], int | None]:
    def fitting(operand: Operand) -> int | None:
        value = word_constant(operand)
        return value if value is not None and low <= value <= high else None

    return fitting


def _negative(operand: Operand) -> int | None:
    """What is subtracted, to be added."""
    value = word_constant(operand)
    return -value if value is not None and -0x1FFF <= value <= 0x2000 else None


def _low_bits(operand: Operand) -> int | None:
    """How many of the lowest bits a mask keeps."""
    value = word_constant(operand)
    return value.bit_length() if value is not None and value > 0 and value & (value + 1) == 0 else None


PREDICATES: dict[str, Callable[[Operand], int | None]] = {
    "imm8": _between(-0x80, 0x7F),
    "imm14": _between(-0x2000, 0x1FFF),
    "negative": _negative,
    "count4": _between(1, 4),
    "low_bits": _low_bits,
    "one": _between(1, 1),
    "minus_one": _between(-1, -1),
    "true": _between(-1, -1),
    **{f"mask{number}": _between((1 << number) - 1, (1 << number) - 1) for number in (8, 16, 32)},
}


def prepare(selection: Selection) -> None:
    """Give allocas their slots."""
    layout = selection.module.layout(8)
    for instruction in selection.function.instructions():
        if instruction.op == "alloca":
            parts = instruction.parts
            count = constant_bits(parts.operands[0].type, parts.operands[0].value) if parts.operands else 1
            if count is None:
                raise CannotSelect(f"in @{selection.function.name}: an alloca of unknown size")
            alignment = max(parts.alignment, layout.alignment(parts.element_type), 8)
            selection.frame_slots[instruction.name] = selection.machine.new_slot(
                layout.size(parts.element_type) * count, alignment
            )
