"""Operations that take more than a rule: memory, choices, what moves between the register files, branches."""

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
from voltac.codegen.selection import CannotSelect, Selection
from voltac.codegen.switches import SwitchBranches
from voltac.ir.match import made_by
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ipu.facts import WORKER_REGISTER
from voltac.targets.ipu.pairs.types import PAIR
from voltac.targets.ipu.registers import BY_NAME, WORKER_MASK
from voltac.targets.ipu.select.pseudo import ROWS
from voltac.targets.ipu.select.registers import SCRATCH, SP, ZERO
from voltac.targets.ipu.select.values import constant_key, literal, shape, word_constant

SCRATCH_WORDS = 12
"""Words of a worker's own that need not be asked for (IPU 4.3)."""
_MOST = 0xFFF
"""Elements that an offset reaches."""

# --- memory ---


def address_of(selection: Selection, pointer: Operand, size: int) -> tuple[list[Value], MemoryOperand]:
    """Base, delta and offset of an access of so many bytes, and what is known of these."""
    offset = 0
    operand = selection.resolve(pointer)
    while (step := _step(selection, operand)) is not None:
        offset += step
        operand = selection.resolve(selection.definitions[operand.value].operands[0])
    access = MemoryOperand("main", origin_of(selection, operand), operand.value, offset, size)
    known = constant_key(selection, operand)
    if isinstance(known, tuple) and known[0] == "frame":
        return [SP, ZERO["m"], FrameSlot(known[1], offset)], access
    if isinstance(known, tuple) and known[0] == "address":
        return [selection.constant(("address", known[1], known[2] + offset), "m"), ZERO["m"], Immediate(0)], access
    base = selection.register(operand)
    if 0 <= offset <= _MOST * size and offset % size == 0:
        return [base, ZERO["m"], Immediate(offset // size)], access
    return [base, selection.constant(literal(offset), "m"), Immediate(0)], access


def _step(selection: Selection, operand: Operand) -> int | None:
    """The constant by which an address is beyond another."""
    made = made_by(("getelementptr",), operand.value, selection.definitions)
    if made is None or made.parts.element_type != "i8" or len(made.operands) != 2:
        return None
    return word_constant(selection.resolve(made.operands[1]))


_LOADS = {
    "y": ("ldz8.mmmzi12", 1), "h": ("ldz16.mmmzi12", 2), "s": ("ld32.mmmzi12", 4), "f": ("ld32.ammzi12", 4),
    "p": ("ld64.a2mmzi12", 8), "half": ("ldb16.ammzi12", 2),
}  # fmt: skip
_SIGNED_LOADS = {"y": ("lds8.mmmzi12", 1), "h": ("lds16.mmmzi12", 2)}
_STORES = {"s": ("st32.mmmzi12", 4), "f": ("st32.ammzi12", 4), "p": ("st64.a2mmzi12", 8)}


def load(selection: Selection, instruction: Instruction) -> None:
    """Of a word, of a pair, or of less than a word with the extension that its users ask for."""
    (pointer,) = instruction.operands
    letter = shape(instruction.type)
    signed = letter in _SIGNED_LOADS and is_signed_load(selection, instruction.name)
    rows = _SIGNED_LOADS if signed else _LOADS
    if letter not in rows:
        raise CannotSelect(f"in @{selection.function.name}: a load of {instruction.type}")
    row, size = rows[letter]
    place, access = address_of(selection, pointer, size)
    selection.emit(row, selection.result(instruction.name, instruction.type), *place, access=access)


def store(selection: Selection, instruction: Instruction) -> None:
    """Of a word or a pair: the bits of a float from where they are."""
    value, pointer = instruction.operands
    made = selection.definition(value)
    if made is not None and selection.key(made) == "bitcast.f.s":
        value = made.operands[0]
    if shape(value.type) not in _STORES:
        raise CannotSelect(f"in @{selection.function.name}: a store of {value.type}")
    data = selection.register(value)
    row, size = _STORES[shape(value.type)]
    place, access = address_of(selection, pointer, size)
    selection.emit(row, data, *place, access=access)


# --- between the register files ---


def scratch(selection: Selection, words: int) -> int:
    """The first of some words that nothing near uses."""
    return selection.machine.registers * words % (SCRATCH_WORDS // words * words)


def _through_memory(selection: Selection, to: AnyRegister, word: AnyRegister) -> None:
    """There is no other way from the MRF to the ARF (IPU 2.2)."""
    place = scratch(selection, 1)
    access = MemoryOperand("scratch", "", "scratch", 4 * place, 4)
    selection.emit("st32.mmmzi12", word, SCRATCH, ZERO["m"], Immediate(place), access=access)
    selection.emit("ld32.ammzi12", to, SCRATCH, ZERO["m"], Immediate(place), access=access)


def as_float(selection: Selection, instruction: Instruction) -> None:
    """``bitcast`` of a word."""
    result = selection.result(instruction.name, instruction.type)
    _through_memory(selection, result, selection.register(instruction.operands[0]))


def _converted(row: str) -> Callable[[Selection, Instruction], None]:
    """What takes the bits of a word in the ARF."""

    def convert(selection: Selection, instruction: Instruction) -> None:
        bits = selection.new("a")
        operand = instruction.operands[0] if instruction.op != "call" else instruction.parts.operands[0]
        _through_memory(selection, bits, selection.register(operand))
        selection.emit(row, selection.result(instruction.name, instruction.type), bits)

    return convert


# --- choices ---


def choose_word(selection: Selection, instruction: Instruction) -> None:
    """The other one, and this one moved over it where the condition holds."""
    condition, first, second = instruction.operands
    result = selection.result(instruction.name, instruction.type)
    new, asked = selection.register(first), selection.register(condition)
    selection.copy_to(result, second)
    selection.emit("movnz.mmm", result, asked, new)


def choose_float(selection: Selection, instruction: Instruction) -> None:
    """Both, or both pairs, to memory, and back the one that the condition counts to."""
    condition, first, second = instruction.operands
    kind, words = ("a2", 2) if instruction.type == PAIR else ("a", 1)
    place = scratch(selection, 2 * words)
    values = [selection.register(one) for one in (second, first)]
    for number, value in enumerate(values):
        access = MemoryOperand("scratch", "", "scratch", 4 * (place + number * words), 4 * words)
        offset = Immediate(place // words + number)
        selection.emit(f"st{32 * words}.{kind}mmzi12", value, SCRATCH, ZERO["m"], offset, access=access)
    base: AnyRegister = SCRATCH
    if place:
        base = selection.new("m")
        selection.emit("add.mmsi16", base, SCRATCH, Immediate(4 * place))
    both = MemoryOperand("scratch", "", "scratch", 4 * place, 8 * words)
    result = selection.result(instruction.name, instruction.type)
    selection.emit(f"ld{32 * words}.{kind}mmm", result, base, ZERO["m"], selection.register(condition), access=both)


# --- the machine ---


def trap(selection: Selection, instruction: Instruction) -> None:
    """The worker stops."""
    selection.emit("stop", Immediate(0))


def _counter(name: str) -> Callable[[Selection, Instruction], None]:
    def read(selection: Selection, instruction: Instruction) -> None:
        selection.emit("get.mcsr", selection.result(instruction.name, "i32"), BY_NAME[name])

    return read


def read_control(selection: Selection, instruction: Instruction) -> None:
    """The worker's number, of which the register has more than that."""
    if word_constant(selection.resolve(instruction.parts.operands[0])) != WORKER_REGISTER:
        raise CannotSelect(f"in @{selection.function.name}: a register other than the worker's")
    bits = selection.new("m")
    selection.emit("get.mcsr", bits, BY_NAME["$WSR"])
    selection.emit("and.mmzi12", selection.result(instruction.name, "i32"), bits, Immediate(WORKER_MASK))


# --- branches ---


def jump(block: str) -> MachineInstruction:
    """The end of a block that one other follows."""
    return MachineInstruction(ROWS["bri.target"], [LabelOperand(block, "target")])


def branch(selection: Selection, instruction: Instruction) -> None:
    """A ``br`` without a condition."""
    selection.out.append(jump(selection.label(instruction.parts.labels[0])))


def branch_if(selection: Selection, instruction: Instruction) -> None:
    """A ``br`` by a condition, as the rule for it says, and a jump to the other block."""
    found = selection.rule_for(instruction)
    assert found is not None
    yes, no = map(selection.label, instruction.parts.labels)
    selection.apply(*found, None)
    selection.out[-1].values.append(LabelOperand(yes, "target"))
    selection.out.append(jump(no))


def _branch_on(selection: Selection, relation: str, value: AnyRegister, number: int, target: str) -> list[MachineInstruction]:
    """``eq``, and ``sge``, which is not less."""
    condition = selection.new("m")
    mnemonic = "cmpeq" if relation == "eq" else "cmpslt"
    if -0x8000 <= number <= 0x7FFF:
        compare = MachineInstruction(ROWS[f"{mnemonic}.mmsi16"], [condition, value, Immediate(number)])
    else:
        other = selection.constant(literal(number), "m")
        compare = MachineInstruction(ROWS[f"{mnemonic}.mmm"], [condition, value, other])
    row = "brnz.mtarget" if relation == "eq" else "brz.mtarget"
    return [compare, MachineInstruction(ROWS[row], [condition, LabelOperand(target, "target")])]


_SWITCHES = SwitchBranches(lambda text: word_constant(Operand("i32", text)), _branch_on, jump)


def unreachable(selection: Selection, instruction: Instruction) -> None:
    """Nothing may run on into what comes behind."""
    selection.out.append(jump(selection.label(selection.block)))


def nothing(selection: Selection, instruction: Instruction) -> None:
    """Hints, and what the selection has seen to elsewhere."""


FUNCTIONS: dict[str, Callable[[Selection, Instruction], None]] = {
    "load": load,
    "store": store,
    "bitcast.s.f": as_float,
    "sitofp.s.f": _converted("f32fromi32.aa"),
    "uitofp.s.f": _converted("f32fromui32.aa"),
    "call.ipu.from_half": _converted("f16tof32.aa"),
    "call.ipu.trap": trap,
    "call.ipu.read_control": read_control,
    "call.ipu.cycles.low": _counter("$COUNT_L"),
    "call.ipu.cycles.high": _counter("$COUNT_U"),
    # Behind the rules for these operations.
    "select": lambda selection, instruction: (choose_float if instruction.type in ("float", PAIR) else choose_word)(
        selection, instruction
    ),
    "br": branch,
    "br.if": branch_if,
    "switch": _SWITCHES.switch,
    "unreachable": unreachable,
    "alloca": nothing,
    "insertvalue": nothing,
    "extractvalue": nothing,
}
