"""Memory, and what does nothing: the operations that are left (IA-64 6)."""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.machine_code import AnyRegister, MachineInstruction, MemoryOperand
from voltac.codegen.origins import origin_of
from voltac.codegen.selection import CannotSelect, Selection
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.select import conditions
from voltac.targets.ia64.select.arithmetic import ARITHMETIC
from voltac.targets.ia64.select.pseudo import ROWS
from voltac.targets.ia64.select.quotients import QUOTIENTS
from voltac.targets.ia64.select.values import shape, word_constant

_LOADS = {"y": ("ld1.r=[r]", 1), "h": ("ld2.r=[r]", 2), "w": ("ld4.r=[r]", 4), "s": ("ld8.r=[r]", 8),
          "f": ("ldfs.f=[r]", 4), "d": ("ldfd.f=[r]", 8), "v": ("ldf8.f=[r]", 8)}  # fmt: skip
_STORES = {"y": ("st1.[r]=r", 1), "h": ("st2.[r]=r", 2), "w": ("st4.[r]=r", 4), "s": ("st8.[r]=r", 8),
           "f": ("stfs.[r]=f", 4), "d": ("stfd.[r]=f", 8), "v": ("stf8.[r]=f", 8)}  # fmt: skip


def _address_of(selection: Selection, pointer: Operand, size: int) -> tuple[AnyRegister, MemoryOperand]:
    """The register with an address, and what is known of its bytes."""
    offset = 0
    operand = selection.resolve(pointer)
    while (made := selection.definitions.get(operand.value)) is not None and made.op == "getelementptr":
        step = word_constant(selection.resolve(made.operands[1])) if len(made.operands) == 2 else None
        if step is None:
            break
        offset += step
        operand = selection.resolve(made.operands[0])
    access = MemoryOperand("main", origin_of(selection, operand), operand.value, offset, size)
    return selection.register(pointer), access


def load(selection: Selection, instruction: Instruction) -> None:
    """Of numbers, which are zero-extended, and of floats."""
    letter = shape(instruction.type)
    if letter not in _LOADS:
        raise CannotSelect(f"in @{selection.function.name}: a load of {instruction.type}")
    row, size = _LOADS[letter]
    place, access = _address_of(selection, instruction.operands[0], size)
    selection.emit(row, selection.result(instruction.name, instruction.type), place, access=access)


def store(selection: Selection, instruction: Instruction) -> None:
    """Of the lowest bytes of a number, or of a float."""
    value, pointer = instruction.operands
    letter = shape(value.type)
    if letter not in _STORES:
        raise CannotSelect(f"in @{selection.function.name}: a store of {value.type}")
    row, size = _STORES[letter]
    data = selection.register(value)
    place, access = _address_of(selection, pointer, size)
    selection.emit(row, place, data, access=access)


def load_if(selection: Selection, instruction: Instruction) -> None:
    """What is to be there otherwise, and a load over it."""
    asked, pointer, otherwise = instruction.parts.operands
    row, size = _LOADS[_letter(instruction)]
    result = selection.result(instruction.name, instruction.type)
    known = word_constant(selection.resolve(asked))
    if known == 0:
        selection.copy_to(result, otherwise)
        return
    place, access = _address_of(selection, pointer, size)
    if known is not None:
        selection.emit(row, result, place, access=access)
        return
    holds = conditions.holds(selection, asked)
    selection.copy_to(result, otherwise)
    conditions.under_predicate(selection.emit(row, result, place, access=access), holds)


def store_if(selection: Selection, instruction: Instruction) -> None:
    """A store that is left out where the condition does not hold."""
    asked, pointer, value = instruction.parts.operands
    row, size = _STORES[_letter(instruction)]
    known = word_constant(selection.resolve(asked))
    if known == 0:
        return
    data = selection.register(value)
    place, access = _address_of(selection, pointer, size)
    holds = None if known is not None else conditions.holds(selection, asked)
    made = selection.emit(row, place, data, access=access)
    if holds is not None:
        conditions.under_predicate(made, holds)


def _letter(instruction: Instruction) -> str:
    return shape(instruction.parts.callee.rpartition(".")[2])


def trap(selection: Selection, instruction: Instruction) -> None:
    """The program stops."""
    selection.emit("trap")


def cycles(selection: Selection, instruction: Instruction) -> None:
    """The interval timer."""
    selection.emit("mov.m.r=ar", selection.result(instruction.name, "i64"), BY_NAME["ar.itc"])


def unreachable(selection: Selection, instruction: Instruction) -> None:
    """Nothing may run on into what comes behind."""
    selection.out.append(MachineInstruction(ROWS["trap"], []))


def nothing(selection: Selection, instruction: Instruction) -> None:
    """Hints, and what the selection has seen to elsewhere."""


_CONDITIONAL = ("i8", "i16", "i32", "i64", "float", "double")
"""What is accessed under a condition."""

FUNCTIONS: dict[str, Callable[[Selection, Instruction], None]] = {
    **ARITHMETIC,
    **QUOTIENTS,
    "load": load,
    "store": store,
    **{f"call.ia64.load_if.{one}": load_if for one in _CONDITIONAL},
    **{f"call.ia64.store_if.{one}": store_if for one in _CONDITIONAL},
    "call.ia64.trap": trap,
    "call.ia64.cycles": cycles,
    **dict.fromkeys(("icmp", "fcmp", "and.c", "or.c", "xor.c"), conditions.define),
    "select": conditions.choose,
    "br": conditions.branch,
    "br.if": conditions.branch_if,
    "switch": conditions.SWITCHES.switch,
    "unreachable": unreachable,
    "alloca": nothing,
    "insertvalue": nothing,
    "extractvalue": nothing,
}
"""By key, or by operation behind the rules."""
