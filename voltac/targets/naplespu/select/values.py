"""What selection asks about values: shapes, keys, constants, and vectors that are one scalar in every lane."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache

from voltac.codegen.machine_code import (
    AnyRegister,
    FrameSlot,
    Immediate,
    LabelOperand,
    MachineFunction,
    MachineInstruction,
    MemoryOperand,
)
from voltac.codegen.origins import GLOBAL_NAME
from voltac.codegen.selection import CannotSelect, Selection, label_of
from voltac.ir.constants import shuffle_mask
from voltac.ir.interp_constants import constant
from voltac.ir.interp_values import InstructionFault, KindTable, float_bits, has_poison, to_signed
from voltac.ir.match import made_by
from voltac.ir.model import Instruction
from voltac.ir.parts import CASTS, Operand
from voltac.ir.types import DataLayout, vector_parts
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
    """Operation and shapes: what rules are found by."""
    op, parts = instruction.op, instruction.parts
    if op == "icmp":
        return f"icmp.{parts.predicate}.{shape(parts.operands[0].type)}"
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
    if op in ("extractelement", "insertelement", "shufflevector"):
        return f"{op}.{shape(parts.operands[0].type)}"
    if op in ("load", "store", "getelementptr", "phi", "alloca", "ret", "switch", "unreachable", "extractvalue", "insertvalue"):
        return op
    return f"{op}.{shape(parts.type)}"


def is_signed_load(selection: Selection, name: str) -> bool:
    """Whether a narrow load is sign-extended by everybody who uses it."""
    made = made_by(("load",), name, selection.definitions)
    return made is not None and all(user.op == "sext" for user in selection.users.get(name, ()))


def pure(callee: str) -> bool:
    """Whether a function of the core, or an intrinsic, has no effects."""
    return callee.startswith(("@llvm.ctlz.", "@llvm.cttz.", "@npu.mulh", "@npu.shuffle", "@npu.fcmp."))


def leaves_memory(callee: str) -> bool:
    """Whether a function writes nothing to memory."""
    return pure(callee) or callee.startswith(("@npu.flush", "@npu.read_control", "@npu.read_mask"))


# --- constants ---

_KINDS = KindTable(DataLayout({}, 4))


@lru_cache(maxsize=8192)
def constant_bits(type_text: str, value: str) -> int | tuple[int, ...] | None:
    """Bits of a constant scalar, of a bitmap, or of a vector's lanes; undefined ones are 0. None for what is no number."""
    if value[0] in "%@" or "@" in value:
        return None
    kind = _KINDS["ptr" if type_text == SCRATCHPAD else type_text]
    try:
        known = constant(_KINDS, kind, value, lambda name: 0)
    except InstructionFault as fault:
        raise CannotSelect(f"a constant of type {type_text}: {value}") from fault
    if not kind.is_vector:
        return 0 if known is None else float_bits(known, 32) if kind.shape == "float" else int(known)
    scalar = kind.scalar
    lanes = tuple(0 if one is None else float_bits(one, 32) if scalar.shape == "float" else int(one) for one in known)
    if scalar.bits == 1:
        return sum(bit << lane for lane, bit in enumerate(lanes))
    if has_poison(known):
        # A lane that may be anything is what the others are.
        some = next((bits for bits, one in zip(lanes, known) if one is not None), 0)
        lanes = tuple(some if one is None else bits for bits, one in zip(lanes, known))
    return lanes


@lru_cache(maxsize=4096)
def _address(type_text: str, value: str) -> tuple[str, int] | None:
    """The global and the offset that a constant address names."""
    found = GLOBAL_NAME.search(value)
    if found is None:
        return None
    if value[0] == "@":
        return label_of(found.group(1)), 0
    try:
        offset = constant(_KINDS, _KINDS["ptr"], value.replace(" addrspace(68)", ""), lambda name: 0)
    except InstructionFault as fault:
        raise CannotSelect(f"a constant of type {type_text}: {value}") from fault
    return label_of(found.group(1)), to_signed(int(offset), 32)


def constant_key(selection: Selection, operand: Operand) -> Hashable | None:
    """The names of values that need no operation: see :func:`make_constant`."""
    if operand.value[0] == "%":
        slot = selection.frame_slots.get(operand.value)
        return None if slot is None else ("frame", slot, 0)
    bits = constant_bits(operand.type, operand.value)
    if bits is None:
        address = _address(operand.type, operand.value)
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


def _imm9(operand: Operand) -> int | None:
    value = scalar_constant(operand)
    return value if value is not None and -256 <= value <= 255 else None


def all_true(operand: Operand) -> int | None:
    """True in every lane."""
    wanted = FULL_MASK if shape(operand.type) == "b" else 1
    return wanted if scalar_constant(operand) == wanted else None


def _exactly(value: int) -> Callable[[Operand], int | None]:
    return lambda operand: value if scalar_constant(operand) == value else None


PREDICATES: dict[str, Callable[[Operand], int | None]] = {
    "imm9": _imm9,
    "zero": _exactly(0),
    "true": all_true,
    "count16": _exactly(16),
    "count24": _exactly(24),
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
    layout = selection.module.layout(4)
    for block in selection.function.blocks:
        position = 0
        while position < len(block.instructions):
            instruction = block.instructions[position]
            if instruction.op == "alloca":
                parts = instruction.parts
                count = constant_bits(parts.operands[0].type, parts.operands[0].value) if parts.operands else 1
                if not isinstance(count, int):
                    raise CannotSelect(f"in @{selection.function.name}: an alloca of unknown size")
                size = layout.size(parts.element_type) * count
                alignment = max(parts.alignment, layout.alignment(parts.element_type), 4)
                selection.frame_slots[instruction.name] = selection.machine.new_slot(size, alignment)
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
