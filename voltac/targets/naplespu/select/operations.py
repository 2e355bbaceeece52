"""What the rules cannot say: memory, masks, lanes and branches."""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.machine_code import (
    AnyRegister,
    FrameSlot,
    Immediate,
    LabelOperand,
    MachineInstruction,
    MemoryOperand,
    Value,
)
from voltac.codegen.operation_keys import is_signed_load
from voltac.codegen.origins import origin_of
from voltac.codegen.selection import CannotSelect, Mask, Selection
from voltac.codegen.switches import SwitchBranches
from voltac.ir.constants import shuffle_mask
from voltac.ir.match import made_by
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.naplespu.regs import FULL_MASK, LANES, SP
from voltac.targets.naplespu.select.pseudo import ROWS
from voltac.targets.naplespu.select.values import (
    SCRATCHPAD,
    all_true,
    constant_bits,
    constant_key,
    literal,
    one_lane,
    scalar_constant,
    shape,
    splat_of,
)

# --- memory ---


def _address_of(selection: Selection, pointer: Operand, size: int) -> tuple[Value, AnyRegister, MemoryOperand]:
    """Offset, base register, and what is known of the bytes."""
    space = "scratchpad" if pointer.type == SCRATCHPAD else "main"
    offset = 0
    operand = selection.resolve(pointer)
    while (made := made_by(("getelementptr",), operand.value, selection.definitions)) is not None:
        step = scalar_constant(selection.resolve(made.operands[1])) if made.parts.element_type == "i8" else None
        if step is None or len(made.operands) != 2:
            break
        offset += step
        operand = selection.resolve(made.operands[0])
    access = MemoryOperand(space, origin_of(selection, operand), operand.value, offset, size)
    known = constant_key(selection, operand)
    if isinstance(known, tuple) and known[0] == "frame":
        return FrameSlot(known[1], offset), SP, access
    if isinstance(known, tuple) and known[0] == "address":
        far, near = _divided(known[2] + offset)
        return Immediate(near), selection.constant(("address", known[1], far), "scalar"), access
    far, near = _divided(offset)
    base = selection.register(operand)
    return Immediate(near), base if not far else _derived(selection, operand, far), access


def _divided(offset: int) -> tuple[int, int]:
    """An offset as one that an instruction takes, and the rest, which neighbours share."""
    if -256 <= offset <= 255:
        return 0, offset
    far = (offset + 256) & ~511
    return far, offset - far


def _derived(selection: Selection, base: Operand, far: int) -> AnyRegister:
    """A register with base + far, made once right behind the base."""
    known = ("derived", base.value, far)
    register = selection.derived.get(known)
    if register is None:
        register = selection.derived[known] = selection.new("scalar")
        step = selection.constant(("scalar", far & 0xFFFF_FFFF), "scalar")
        made = MachineInstruction(ROWS["add_i32.sss"], [register, selection.register(base), step])
        selection.behind.setdefault(base.value, []).append(made)
    return register


_LOADS = {"y": ("load32_u8", 1), "h": ("load32_u16", 2), "s": ("load32", 4), "v": ("load_v16i32", 64)}
_SIGNED_LOADS = {"y": ("load32_s8", 1), "h": ("load32_s16", 2)}
_STORES = {
    "y": ("store32_8", 1), "h": ("store32_16", 2), "s": ("store32", 4),
    "v": ("store_v16i32", 64), "vy": ("store_v16i8", 16), "vh": ("store_v16i16", 32),
}  # fmt: skip


def _suffix(pointer: Operand) -> str:
    return "_scratchpad" if pointer.type == SCRATCHPAD else ""


def load(selection: Selection, instruction: Instruction) -> None:
    """Loads of scalars and of whole lines, narrow ones with the extension that their users ask for."""
    (pointer,) = instruction.operands
    signed = shape(instruction.type) in _SIGNED_LOADS and is_signed_load(selection, instruction.name)
    rows = _SIGNED_LOADS if signed else _LOADS
    if shape(instruction.type) not in rows:
        raise CannotSelect(f"in @{selection.function.name}: a load of {instruction.type}")
    row, size = rows[shape(instruction.type)]
    offset, base, access = _address_of(selection, pointer, size)
    result = selection.result(instruction.name, instruction.type)
    selection.emit(row + _suffix(pointer), result, offset, base, access=access)


def store(selection: Selection, instruction: Instruction) -> None:
    """Stores of scalars, of whole lines, and of lanes cut to bytes and halves."""
    value, pointer = instruction.operands
    _store(selection, value, pointer, None)


def _store(selection: Selection, value: Operand, pointer: Operand, mask: Mask | None) -> None:
    if shape(value.type) not in _STORES:
        raise CannotSelect(f"in @{selection.function.name}: a store of {value.type}")
    row, size = _STORES[shape(value.type)]
    made = selection.definition(value)
    if made is not None and made.op == "trunc" and shape(value.type) in ("y", "h", "vy", "vh"):
        # The store takes the low bits itself.
        value = made.operands[0]
    data = selection.register(value)
    offset, base, access = _address_of(selection, pointer, size)
    selection.emit(row + _suffix(pointer) + (".m" if mask else ""), data, offset, base, mask=mask, access=access)


def masked_load(selection: Selection, instruction: Instruction) -> None:
    """Of the scratchpad, the only memory that knows the mask."""
    pointer, *_, mask, old = instruction.operands
    result = selection.result(instruction.name, instruction.type)
    selection.copy_to(result, old)
    offset, base, access = _address_of(selection, pointer, 64)
    row = "load_v16i32" + _suffix(pointer) + ".m"
    selection.emit(row, result, offset, base, mask=_mask(selection, mask), access=access)


def masked_store(selection: Selection, instruction: Instruction) -> None:
    """A store to the scratchpad under a mask."""
    value, pointer, *_, mask = instruction.operands
    _store(selection, value, pointer, _mask(selection, mask))


# --- masks ---


def _mask(selection: Selection, operand: Operand) -> Mask:
    """Lanes as instructions take them."""
    bits = scalar_constant(selection.resolve(operand))
    return Immediate(bits) if bits is not None else selection.register(operand)


def select_lanes(selection: Selection, instruction: Instruction) -> None:
    """The old value, and the new one over it in the lanes of a bitmap."""
    mask, new, old = instruction.operands
    made = selection.definition(mask)
    if made is not None and selection.key(made) == "xor.b" and all_true(made.operands[1]) and selection.foldable(mask):
        mask, new, old = made.operands[0], old, new
    if shape(mask.type) == "c":
        lanes = selection.new("scalar")
        selection.emit("mulli.ssi", lanes, selection.register(mask), Immediate(-1))
        _masked(selection, instruction, lanes, new, old)
    else:
        _masked(selection, instruction, _mask(selection, mask), new, old)


def _masked(selection: Selection, instruction: Instruction, mask: Mask, new: Operand, old: Operand) -> None:
    result = selection.result(instruction.name, instruction.type)
    if old.value in ("poison", "undef"):
        selection.copy_to(result, new)
        return
    selection.copy_to(result, old)
    scalar = splat_of(selection, selection.resolve(new))
    if scalar is not None:
        bits = scalar_constant(scalar)
        if bits is not None and 0 <= bits <= 0xFFFF:
            selection.emit("movei.vi.m", result, Immediate(bits), mask=mask)
        else:
            selection.emit("move_i32.vs.m", result, selection.register(scalar), mask=mask)
    elif not _under_mask(selection, result, mask, new):
        selection.emit("move_i32.vv.m", result, selection.register(new), mask=mask)


def _under_mask(selection: Selection, result: AnyRegister, mask: Mask, new: Operand) -> bool:
    """Do the operation that makes the new value under the mask, where nobody else needs it: saves the move."""
    made = selection.definition(new)
    if made is None or not selection.foldable(new) or made.op in FUNCTIONS or selection.key(made) in FUNCTIONS:
        return False
    found = selection.rule_for(made)
    twin = ROWS.rows.get(found[0].steps[-1].row + ".m") if found is not None else None
    if found is None or twin is None or "masked" not in twin.traits:
        return False
    before = selection.out
    selection.out = []
    temporary = selection.new("vector")
    selection.apply(*found, temporary)
    last = selection.out[-1]
    last.row, last.mask = ROWS[last.row.name + ".m"], mask
    # The old value is in the result by now: nobody needs to keep another copy of it for this operation.
    copied = before[-1].values[1] if before[-1].row.name == "move_i32.vv" else None
    last.values = [result, *(result if value is copied else value for value in last.values[1:])]
    selection.out = before + selection.out
    return True


def extended_lanes(selection: Selection, instruction: Instruction) -> None:
    """A bitmap as a vector of 0 and 1, or 0 and -1."""
    result = selection.result(instruction.name, instruction.type)
    mask = _mask(selection, instruction.operands[0])
    selection.emit("movei.vi", result, Immediate(0))
    if instruction.op == "zext":
        selection.emit("movei.vi.m", result, Immediate(1), mask=mask)
    else:
        selection.emit("ori.vvi.m", result, result, Immediate(-1), mask=mask)


# --- lanes ---


def insert(selection: Selection, instruction: Instruction) -> None:
    """There is no instruction for it: a move under the mask of one lane."""
    vector, scalar, index = instruction.operands
    result = selection.result(instruction.name, instruction.type)
    if vector.value in ("poison", "undef"):
        selection.emit("move_i32.vs", result, selection.register(scalar))
        return
    lane = scalar_constant(selection.resolve(index))
    mask: Mask
    if lane is not None:
        mask = Immediate(1 << lane % LANES)
    else:
        mask = selection.new("scalar")
        one = selection.constant(literal(1), "scalar")
        selection.emit("shl_i32.sss", mask, one, selection.register(index))
    selection.copy_to(result, vector)
    bits = scalar_constant(selection.resolve(scalar))
    if bits is not None and 0 <= bits <= 0xFFFF:
        selection.emit("movei.vi.m", result, Immediate(bits), mask=mask)
    else:
        selection.emit("move_i32.vs.m", result, selection.register(scalar), mask=mask)


def insert_bit(selection: Selection, instruction: Instruction) -> None:
    """Into a bitmap: flip the bit if it is another."""
    bitmap, bit, index = instruction.operands
    result = selection.result(instruction.name, instruction.type)
    place: AnyRegister = selection.register(index)
    if bitmap.value in ("poison", "undef", "zeroinitializer"):
        selection.emit("shl_i32.sss", result, selection.register(bit), place)
        return
    old, wrong = selection.register(bitmap), [selection.new("scalar") for _ in range(4)]
    selection.emit("shr_i32.sss", wrong[0], old, place)
    selection.emit("xor_i32.sss", wrong[1], wrong[0], selection.register(bit))
    selection.emit("andi.ssi", wrong[2], wrong[1], Immediate(1))
    selection.emit("shl_i32.sss", wrong[3], wrong[2], place)
    selection.emit("xor_i32.sss", result, old, wrong[3])


def shuffle(selection: Selection, instruction: Instruction) -> None:
    """A shuffle by constants: a move, for a splat too, or by the lanes' numbers."""
    result = selection.result(instruction.name, instruction.type)
    scalar = selection.splats.get(instruction.name)
    if scalar is not None:
        selection.emit("move_i32.vs", result, selection.register(scalar))
        return
    lanes = shuffle_mask(instruction.parts.mask, LANES)
    if lanes is None or len(lanes) != LANES or shape(instruction.type) != "v":
        raise CannotSelect(f"in @{selection.function.name}: a shuffle of other lanes: {instruction.text.strip()}")
    first, second = instruction.operands
    chosen = sum(1 << lane for lane, source in enumerate(lanes) if source >= LANES)
    if all(source < 0 or source % LANES == lane for lane, source in enumerate(lanes)):
        if not chosen:
            selection.copy_to(result, first)
            return
        _masked(selection, instruction, Immediate(chosen), second, first)
        return
    indices = selection.constant(("lanes", tuple(max(source, 0) % LANES for source in lanes)), "vector")
    if not chosen:
        selection.emit("shuffle_i32.vvv", result, selection.register(first), indices)
        return
    selection.emit("shuffle_i32.vvv", result, selection.register(first), indices)
    selection.emit("shuffle_i32.vvv.m", result, selection.register(second), indices, mask=Immediate(chosen))


def shuffle_bits(selection: Selection, instruction: Instruction) -> None:
    """Of bitmaps only the same bit for all lanes."""
    lane = one_lane(instruction)
    if lane is None:
        raise CannotSelect(f"in @{selection.function.name}: a shuffle of bits: {instruction.text.strip()}")
    result = selection.result(instruction.name, instruction.type)
    source = instruction.operands[0]
    full = selection.constant(literal(FULL_MASK), "scalar")
    made = made_by(("insertelement",), source.value, selection.definitions)
    if made is not None and constant_bits("i32", made.operands[2].value) == lane:
        bit = selection.register(made.operands[1])
    else:
        shifted = selection.new("scalar")
        bit = selection.new("scalar")
        selection.emit("shri.ssi", shifted, selection.register(source), Immediate(lane))
        selection.emit("andi.ssi", bit, shifted, Immediate(1))
    selection.emit("mull_i32.sss", result, bit, full)


# --- branches ---


def jump(block: str) -> MachineInstruction:
    """The end of a block that one other follows."""
    return MachineInstruction(ROWS["jmp"], [LabelOperand(block)])


def branch(selection: Selection, instruction: Instruction) -> None:
    """A ``br`` without a condition."""
    selection.out.append(jump(selection.label(instruction.parts.labels[0])))


def branch_if(selection: Selection, instruction: Instruction) -> None:
    """A ``br`` by a condition, as the rule for it says, and a jump to the other block."""
    found = selection.rule_for(instruction)
    assert found is not None
    yes, no = map(selection.label, instruction.parts.labels)
    selection.apply(*found, None)
    selection.out[-1].values.append(LabelOperand(yes))
    selection.out.append(jump(no))


_COMPARISONS = {"eq": "cmpeq", "sge": "cmpge"}


def _branch_on(selection: Selection, relation: str, value: AnyRegister, number: int, target: str) -> list[MachineInstruction]:
    if relation == "eq" and number == 0:
        return [MachineInstruction(ROWS["beqz"], [value, LabelOperand(target)])]
    mnemonic = _COMPARISONS[relation]
    condition = selection.new("scalar")
    if -256 <= number <= 255:
        compare = MachineInstruction(ROWS[mnemonic + "i.ssi"], [condition, value, Immediate(number)])
    else:
        other = selection.constant(literal(number), "scalar")
        compare = MachineInstruction(ROWS[mnemonic + "_i32.sss"], [condition, value, other])
    return [compare, MachineInstruction(ROWS["bnez"], [condition, LabelOperand(target)])]


SWITCHES = SwitchBranches(lambda text: scalar_constant(Operand("i32", text)), _branch_on, jump)


def unreachable(selection: Selection, instruction: Instruction) -> None:
    """Nothing may run on into what comes behind."""
    selection.out.append(jump(selection.label(selection.block)))


def nothing(selection: Selection, instruction: Instruction) -> None:
    """Hints, and what the selection has seen to elsewhere."""


FUNCTIONS: dict[str, Callable[[Selection, Instruction], None]] = {
    "load": load,
    "store": store,
    "select.b.v": select_lanes,
    "select.c.v": select_lanes,
    "zext.b.v": extended_lanes,
    "sext.b.v": extended_lanes,
    "insertelement.v": insert,
    "insertelement.b": insert_bit,
    "shufflevector.v": shuffle,
    "shufflevector.b": shuffle_bits,
    "br": branch,
    "br.if": branch_if,
    "switch": SWITCHES.switch,
    "unreachable": unreachable,
    "alloca": nothing,
    "insertvalue": nothing,
    "extractvalue": nothing,
}
