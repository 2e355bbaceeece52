"""What selection asks about values: shapes, keys, constants, and vectors that are one scalar in every lane."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache

from voltac.codegen.constant_operands import ConstantOperands, between
from voltac.codegen.machine_code import (
    AnyRegister,
    FrameSlot,
    Immediate,
    LabelOperand,
    MachineFunction,
    MachineInstruction,
    MemoryOperand,
)
from voltac.codegen.operation_keys import is_signed_load, operation_key
from voltac.codegen.selection import Selection
from voltac.ir.constants import shuffle_mask
from voltac.ir.interp_values import float_bits, has_poison, to_signed
from voltac.ir.match import made_by
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import vector_parts
from voltac.targets.naplespu.regs import FULL_MASK, LANES
from voltac.targets.naplespu.select.pseudo import ROWS

_SHAPES = {
    "i1": "c", "i8": "y", "i16": "h", "i32": "s", "float": "s", "ptr": "s", "ptr addrspace(68)": "s",
    "<16 x i1>": "b", "<16 x i8>": "vy", "<16 x i16>": "vh", "<16 x i32>": "v", "<16 x float>": "v", "<16 x ptr>": "v",
}  # fmt: skip
SCRATCHPAD = "ptr addrspace(68)"


def shape(type_text: str) -> str:
    """A letter or two for a type, by which rules are found: s scalar, v vector, c condition, b bitmap, y byte, h half."""
    return _SHAPES.get(type_text, type_text)


def kind_of(type_text: str) -> str:
    """The register class of a type."""
    return "vector" if shape(type_text).startswith("v") else "scalar"


# --- keys ---

_SAME_REGISTER = {"zext.c.s", "zext.h.s", "zext.y.s", "zext.c.h", "zext.y.h", "zext.c.y"}
_SAME_REGISTER |= {"sext.signed.s", "bitcast.b.h", "bitcast.h.b"}
_SAME_REGISTER |= {f"{op}.{one}.{one}" for op in ("bitcast", "ptrtoint", "inttoptr", "addrspacecast") for one in "sv"}
_SAME_REGISTER |= {"freeze." + one for one in ("s", "v", "c", "b", "h", "y")}
TRANSPARENT = frozenset(_SAME_REGISTER)


def key(selection: Selection, instruction: Instruction) -> str:
    """What rules are found by; loads that all their users extend by sign are extended already."""
    if instruction.op == "sext" and is_signed_load(selection, instruction.operands[0].value):
        return "sext.signed.s"
    return operation_key(instruction, shape)


def pure(callee: str) -> bool:
    """Whether a function of the core, or an intrinsic, has no effects."""
    return callee.startswith(("@llvm.ctlz.", "@llvm.cttz.", "@npu.mulh", "@npu.shuffle", "@npu.fcmp."))


def leaves_memory(callee: str) -> bool:
    """Whether a function writes nothing to memory."""
    return pure(callee) or callee.startswith(("@npu.flush", "@npu.read_control", "@npu.read_mask"))


# --- constants ---

_CONSTANTS = ConstantOperands(4)


@lru_cache(maxsize=8192)
def constant_bits(type_text: str, value: str) -> int | tuple[int, ...] | None:
    """Bits of a constant scalar, of a bitmap, or of a vector's lanes; undefined ones are 0. None for what is no number."""
    kind = _CONSTANTS.kinds["ptr" if type_text == SCRATCHPAD else type_text]
    if not kind.is_vector:
        return _CONSTANTS.bits("ptr" if type_text == SCRATCHPAD else type_text, value)
    if value[0] in "%@" or "@" in value:
        return None
    known = _CONSTANTS.evaluated(type_text, value)
    scalar = kind.scalar
    lanes = tuple(0 if one is None else float_bits(one, 32) if scalar.shape == "float" else int(one) for one in known)
    if scalar.bits == 1:
        return sum(bit << lane for lane, bit in enumerate(lanes))
    if has_poison(known):
        # A lane that may be anything is what the others are.
        some = next((bits for bits, one in zip(lanes, known) if one is not None), 0)
        lanes = tuple(some if one is None else bits for bits, one in zip(lanes, known))
    return lanes


def constant_key(selection: Selection, operand: Operand) -> Hashable | None:
    """The names of values that need no operation: see :func:`make_constant`."""
    if operand.value[0] == "%":
        slot = selection.frame_slots.get(operand.value)
        return None if slot is None else ("frame", slot, 0)
    bits = constant_bits(operand.type, operand.value)
    if bits is None:
        address = _CONSTANTS.address(operand.type, operand.value.replace(" addrspace(68)", ""))
        return None if address is None else ("address", *address)
    if isinstance(bits, tuple):
        return ("splat", bits[0]) if len(set(bits)) == 1 else ("lanes", bits)
    return ("scalar", bits)


def make_constant(
    pool: dict[tuple[int, ...], str], function: MachineFunction, register: AnyRegister, key: Hashable
) -> list[MachineInstruction]:
    """The instructions for a name of :func:`constant_key`. ``pool`` has the labels of vectors in memory."""
    assert isinstance(key, tuple)
    match key:
        case ("scalar", int(bits)):
            return [MachineInstruction(ROWS["constant"], [register, Immediate(bits)])]
        case ("address", str(name), int(offset)):
            return [MachineInstruction(ROWS["address"], [register, LabelOperand(name, "absolute", offset)])]
        case ("frame", int(slot), int(offset)):
            return [MachineInstruction(ROWS["frame"], [register, FrameSlot(slot, offset)])]
        case ("splat", int(bits)) if bits <= 0xFFFF:
            return [MachineInstruction(ROWS["movei.vi"], [register, Immediate(bits)])]
        case ("splat", int(bits)):
            scalar = function.new_register("scalar")
            return [
                MachineInstruction(ROWS["constant"], [scalar, Immediate(bits)]),
                MachineInstruction(ROWS["move_i32.vs"], [register, scalar]),
            ]
        case ("lanes", tuple(lanes)):
            label = pool.setdefault(lanes, f".lanes.{len(pool)}")
            address = function.new_register("scalar")
            return [
                MachineInstruction(ROWS["address"], [address, LabelOperand(label, "absolute")]),
                MachineInstruction(ROWS["load_v16i32"], [register, Immediate(0), address], access=MemoryOperand("constant")),
            ]
    raise AssertionError(key)


def cheap_constant(key: Hashable) -> bool:
    """Whether one instruction makes it."""
    assert isinstance(key, tuple)
    return key[0] == "frame" or (key[0] in ("scalar", "splat") and key[1] <= 0xFFFF)


def literal(value: int) -> Hashable:
    """The key of a constant scalar, by its bits."""
    return ("scalar", value & 0xFFFF_FFFF)


def scalar_constant(operand: Operand) -> int | None:
    """Signed, of 32 bits."""
    if operand.value[0] == "%":
        return None
    bits = constant_bits(operand.type, operand.value)
    return to_signed(bits, 32) if isinstance(bits, int) else None


def all_true(operand: Operand) -> int | None:
    """True in every lane."""
    wanted = FULL_MASK if shape(operand.type) == "b" else 1
    return wanted if scalar_constant(operand) == wanted else None


PREDICATES: dict[str, Callable[[Operand], int | None]] = {
    "imm9": between(scalar_constant, -256, 255),
    "zero": between(scalar_constant, 0, 0),
    "true": all_true,
    "count16": between(scalar_constant, 16, 16),
    "count24": between(scalar_constant, 24, 24),
}


def splat_of(selection: Selection, operand: Operand) -> Operand | None:
    """The scalar that is in every lane."""
    if operand.value[0] == "%":
        return selection.splats.get(operand.value)
    bits = constant_bits(operand.type, operand.value) if kind_of(operand.type) == "vector" else None
    if isinstance(bits, tuple) and len(set(bits)) == 1:
        return Operand("i32", str(to_signed(bits[0], 32)))
    return None


# --- before the walk ---


def prepare(selection: Selection) -> None:
    """Find splats and give allocas their slots."""
    for block in selection.function.blocks:
        position = 0
        while position < len(block.instructions):
            instruction = block.instructions[position]
            if instruction.op == "alloca":
                _CONSTANTS.give_slots(selection, (instruction,))
            elif instruction.op == "shufflevector" and shape(instruction.type) == "v":
                lane = one_lane(instruction)
                if lane is not None:
                    scalar, made = _scalar_of_splat(selection, instruction, lane)
                    selection.splats[instruction.name] = scalar
                    if made is not None:
                        block.instructions.insert(position, made)
                        selection.add_definition(made, block.name)
                        position += 1
            position += 1


def one_lane(shuffle: Instruction) -> int | None:
    """The lane of the first operand that every lane of the result is."""
    lanes = {lane for lane in shuffle_mask(shuffle.parts.mask, LANES) or () if lane >= 0}
    return lanes.pop() if len(lanes) == 1 and max(lanes) < LANES else None


def _scalar_of_splat(selection: Selection, shuffle: Instruction, lane: int) -> tuple[Operand, Instruction | None]:
    source = shuffle.operands[0]
    made = made_by(("insertelement",), source.value, selection.definitions)
    if made is not None and constant_bits("i32", made.operands[2].value) == lane:
        return made.operands[1], None
    vector = vector_parts(source.type)
    assert vector is not None
    name = f"{shuffle.name}.lane"
    extract = Instruction(f"  {name} = extractelement {source.type} {source.value}, i32 {lane}")
    return Operand(vector[1], name), extract
