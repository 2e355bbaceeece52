"""What selection asks about values: shapes, keys, constants."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from voltac.codegen.constant_operands import ConstantOperands, between
from voltac.codegen.machine_code import AnyRegister, FrameSlot, Immediate, LabelOperand, MachineFunction, MachineInstruction
from voltac.codegen.operation_keys import operation_key
from voltac.codegen.selection import Selection
from voltac.ir.interp_values import float_bits
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ia64.legalize import PURE
from voltac.targets.ia64.select.conventions import kind_of
from voltac.targets.ia64.select.pseudo import ROWS

_SHAPES = {
    "i1": "c",
    "i8": "y",
    "i16": "h",
    "i32": "w",
    "i64": "s",
    "ptr": "s",
    "float": "f",
    "double": "d",
    "<2 x float>": "v",
}


def shape(type_text: str) -> str:
    """A letter for a type: s a word, f float, d double, v a pair of floats, c a condition, y a byte, h 16 bits, w 32 bits."""
    return _SHAPES.get(type_text, type_text)


# --- keys ---

TRANSPARENT = frozenset((
    "zext.c.s", *(f"zext.clear.{one}.s" for one in "yhw"), *(f"trunc.s.{one}" for one in "yhw"), "bitcast.s.s", "ptrtoint.s.s",
    "inttoptr.s.s", "fpext.as_it_is.f.d", *(f"freeze.{one}" for one in "sfdvcyhw"),
))  # fmt: skip


def key(selection: Selection, instruction: Instruction) -> str:
    """What rules are found by; another of an extension that leaves a number in its register as it is."""
    found = operation_key(instruction, shape)
    if instruction.op == "zext" and _is_clear(selection, instruction.operands[0]):
        return f"zext.clear{found[len('zext') :]}"
    if instruction.op == "fpext" and _is_computed_with(selection, instruction):
        return f"fpext.as_it_is{found[len('fpext') :]}"
    return found


_NORMALIZING = frozenset(("fadd", "fsub", "fmul", "fdiv", "fcmp", "fptrunc", "fptosi", "fptoui"))
"""What takes a number in any form."""


def _is_computed_with(selection: Selection, instruction: Instruction) -> bool:
    """Whether a longer float is only computed with: a subnormal one is no subnormal double, but is stored as it is in the
    register (IA-64 7)."""
    users = selection.users.get(instruction.name, ())
    return all(user.op in _NORMALIZING or (user.op == "call" and "@llvm.fma." in user.text) for user in users)


def _is_clear(selection: Selection, operand: Operand) -> bool:
    """Whether the register of a narrow number has zeros above it: loads and moves from the floating registers see to that."""
    made = selection.definitions.get(operand.value)
    return made is not None and operand.type != "i1" and made.op in ("load", "bitcast")


def pure(callee: str) -> bool:
    """Whether a function has no effects."""
    return callee.startswith(PURE)


# --- constants ---

CONSTANTS = ConstantOperands(8)


def constant_key(selection: Selection, operand: Operand) -> Hashable | None:
    """The names of values that need no operation: see :func:`make_constant`."""
    if operand.value[0] == "%":
        slot = selection.frame_slots.get(operand.value)
        return None if slot is None else ("frame", slot)
    if operand.type == "<2 x float>":
        return ("pair", _bits_of_pair(operand.value))
    bits = CONSTANTS.bits(operand.type, operand.value)
    if bits is None:
        address = CONSTANTS.address(operand.type, operand.value)
        return None if address is None else ("address", *address)
    if kind_of(operand.type) == "f":
        return ("single" if operand.type == "float" else "double", bits)
    return literal(bits)


def _bits_of_pair(value: str) -> int:
    """The lower one's bits lowest; undefined ones are 0."""
    known = CONSTANTS.evaluated("<2 x float>", value) or (0.0, 0.0)
    low, high = (0 if one is None else float_bits(one, 32) for one in known)
    return low | high << 32


def make_constant(function: MachineFunction, register: AnyRegister, key: Hashable) -> list[MachineInstruction]:
    """The instructions for a name of :func:`constant_key`."""
    assert isinstance(key, tuple)
    match key:
        case ("r" | "single" | "double" | "pair", int(bits)):
            return [MachineInstruction(ROWS[f"constant.{key[0]}"], [register, Immediate(bits)])]
        case ("address", str(name), int(offset)):
            return [MachineInstruction(ROWS["address"], [register, LabelOperand(name, "imm64", offset)])]
        case ("frame", int(slot)):
            return [MachineInstruction(ROWS["frame"], [register, FrameSlot(slot)])]
    raise AssertionError(key)


def cheap_constant(key: Hashable) -> bool:
    """Whether one instruction makes it."""
    assert isinstance(key, tuple)
    return key[0] not in ("single", "double", "pair")


def literal(value: int) -> Hashable:
    """The key of a word, by its bits."""
    return ("r", value & (1 << 64) - 1)


def word_constant(operand: Operand) -> int | None:
    """Signed, of 64 bits; -1 for true."""
    value = CONSTANTS.word(operand)
    return -value if operand.type == "i1" and value is not None else value


def _negative(operand: Operand) -> int | None:
    """What is subtracted, to be added."""
    value = word_constant(operand)
    return -value if value is not None and -0x1FFF <= value <= 0x2000 else None


def _low_bits(operand: Operand) -> int | None:
    """How many of the lowest bits a mask keeps."""
    value = word_constant(operand)
    return value.bit_length() if value is not None and value > 0 and value & (value + 1) == 0 else None


PREDICATES: dict[str, Callable[[Operand], int | None]] = {
    "imm8": between(word_constant, -0x80, 0x7F),
    "imm14": between(word_constant, -0x2000, 0x1FFF),
    "negative": _negative,
    "count4": between(word_constant, 1, 4),
    "count5": between(word_constant, 0, 31),
    "mux": between(word_constant, 0, 0xFF),
    "is0": between(word_constant, 0, 0),
    "is16": between(word_constant, 16, 16),
    "low_bits": _low_bits,
    "one": between(word_constant, 1, 1),
    "minus_one": between(word_constant, -1, -1),
    "true": between(word_constant, -1, -1),
    **{f"mask{number}": between(word_constant, (1 << number) - 1, (1 << number) - 1) for number in (8, 16, 32)},
}


def prepare(selection: Selection) -> None:
    """Give allocas their slots."""
    CONSTANTS.give_slots(selection, selection.function.instructions())
