"""Calls, returns and parameters: values to and from the places that a device's convention gives them.

Register classes are counted apart: the first values of a class go in registers, the
others on the stack, each in a slot aligned to its size; so do results, which lie
where the arguments of the same call lay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voltac.codegen.machine_code import AnyRegister, FrameSlot, LabelOperand, MachineInstruction, Register
from voltac.codegen.selection import CannotSelect, Selection, label_of
from voltac.ir.match import made_by
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand, parse_operand
from voltac.ir.scan import split_list
from voltac.records import record

OUTGOING = -1
"""The frame slot of arguments and results on the stack, at the caller's end."""
INCOMING = -2
"""The same as its callee sees it."""

IGNORED = ("@llvm.lifetime.", "@llvm.assume", "@llvm.dbg.", "@llvm.experimental.noalias", "@llvm.donothing")


@record
class Places:
    """Where values are: a register or an offset each, and the bytes on the stack in all."""

    places: tuple[Register | int, ...]
    stack: int


@record(eq=False)
class CallingConvention:
    """How functions of a device call each other."""

    kind_of: Callable[[str], str]
    """Register class of an IR type."""
    arguments: dict[str, tuple[Register, ...]]
    """By class."""
    results: dict[str, tuple[Register, ...]]
    sizes: dict[str, int]
    """Bytes of a value of a class."""
    clobbered: tuple[Register, ...]
    """What a call writes beyond its results."""
    back: Register
    """Where a function finds the address it returns to."""
    copy: Callable[[AnyRegister, AnyRegister], MachineInstruction]
    store: Callable[[AnyRegister, FrameSlot], MachineInstruction]
    load: Callable[[AnyRegister, FrameSlot], MachineInstruction]
    jump_to: Callable[[LabelOperand], MachineInstruction]
    """The call of a function by its name."""
    jump_by_address: Callable[[AnyRegister], MachineInstruction]
    leave: Callable[[], MachineInstruction]

    def argument_places(self, function: Function) -> Places:
        """Where a function looks for its arguments."""
        return _places([self.kind_of(each.type) for each in function.parameters], self.arguments, self.sizes)

    def result_places(self, function: Function) -> Places:
        """Where a function leaves its results."""
        return self._results(parts_of_type(function.return_type))

    def _results(self, types: Sequence[str]) -> Places:
        return _places([self.kind_of(one) for one in types], self.results, self.sizes)

    # --- what selection calls

    def take_parameters(self, selection: Selection) -> None:
        """Copies of what a function is given to registers of its own, at its beginning."""
        parameters = selection.function.parameters
        for parameter, place in zip(parameters, self.argument_places(selection.function).places):
            if isinstance(place, Register):
                selection.machine.parameters.append(place)
            if not selection.is_demanded(parameter.name):
                continue
            register = selection.result(parameter.name, parameter.type)
            if isinstance(place, Register):
                selection.out.append(self.copy(register, place))
            else:
                selection.out.append(self.load(register, FrameSlot(INCOMING, place)))

    def call(self, selection: Selection, instruction: Instruction) -> None:
        """Arguments to their places, the call, results from theirs."""
        parts = instruction.parts
        if parts.callee.startswith(IGNORED):
            return
        selection.machine.calls = True
        arguments = _places([self.kind_of(operand.type) for operand in parts.operands], self.arguments, self.sizes)
        results = parts_of_type(parts.type)
        returned = self._results(results)
        selection.machine.outgoing = max(selection.machine.outgoing, arguments.stack, returned.stack)
        used: list[AnyRegister] = []
        for operand, place in zip(parts.operands, arguments.places):
            if not isinstance(place, Register):
                selection.out.append(self.store(selection.register(operand), FrameSlot(OUTGOING, place)))
        for operand, place in zip(parts.operands, arguments.places):
            if isinstance(place, Register):
                used.append(place)
                selection.copy_to(place, operand)
        if parts.callee[0] == "@":
            made = self.jump_to(LabelOperand(label_of(parts.callee[1:])))
        else:
            made = self.jump_by_address(selection.register(Operand("ptr", parts.callee)))
        made.line = selection.line
        made.implicit_uses = used
        made.implicit_defs = list(self.clobbered)
        selection.out.append(made)
        for register, place in zip(_result_registers(self, selection, instruction, results), returned.places):
            if register is None:
                continue
            if isinstance(place, Register):
                selection.out.append(self.copy(register, place))
            else:
                selection.out.append(self.load(register, FrameSlot(OUTGOING, place)))

    def ret(self, selection: Selection, instruction: Instruction) -> None:
        """``ret``; the epilogue comes with the frame."""
        operands = list(instruction.operands)
        if operands and operands[0].type.startswith("{"):
            operands = aggregate_elements(selection, operands[0])
        places = self._results([operand.type for operand in operands]).places
        used: list[AnyRegister] = [self.back]
        for operand, place in zip(operands, places):
            if not isinstance(place, Register):
                selection.out.append(self.store(selection.register(operand), FrameSlot(INCOMING, place)))
        for operand, place in zip(operands, places):
            if isinstance(place, Register):
                used.append(place)
                selection.copy_to(place, operand)
        made = self.leave()
        made.line = selection.line
        made.implicit_uses = used
        selection.out.append(made)


def _places(kinds: Sequence[str], registers: dict[str, tuple[Register, ...]], sizes: dict[str, int]) -> Places:
    taken = dict.fromkeys(registers, 0)
    places: list[Register | int] = []
    stack = 0
    for kind in kinds:
        number = taken[kind]
        taken[kind] += 1
        if number < len(registers[kind]):
            places.append(registers[kind][number])
        else:
            size = sizes[kind]
            stack = (stack + size - 1) // size * size
            places.append(stack)
            stack += size
    return Places(tuple(places), stack)


def parts_of_type(type_text: str) -> list[str]:
    """The values that a function of this type returns."""
    if type_text == "void":
        return []
    return split_list(type_text.strip()[1:-1]) if type_text.startswith("{") else [type_text]


def _result_registers(
    convention: CallingConvention, selection: Selection, instruction: Instruction, types: list[str]
) -> list[AnyRegister | None]:
    """A register for each part of the result that somebody uses."""
    if not instruction.type.startswith("{"):
        return [selection.result(instruction.name, one) if selection.is_demanded(instruction.name) else None for one in types]
    registers: list[AnyRegister | None] = [None] * len(types)
    for user in selection.users.get(instruction.name, ()):
        if user.op == "extractvalue" and selection.is_demanded(user.name):
            index = user.parts.indices[0]
            register = selection.result(user.name, types[index])
            if registers[index] is None:
                registers[index] = register
            else:
                # Taken out twice: the second is copied from where the first will be.
                selection.behind.setdefault(user.name, []).append(convention.copy(register, registers[index] or register))
    return registers


def aggregate_elements(selection: Selection, operand: Operand) -> list[Operand]:
    """The members of a struct that is returned: a constant, or made by insertvalue."""
    if operand.value[0] != "%":
        types = split_list(operand.type.strip()[1:-1])
        if operand.value[0] != "{":
            return [Operand(one, operand.value) for one in types]
        return [parse_operand(item) for item in split_list(operand.value[1:-1])]
    made = made_by(("insertvalue",), operand.value, selection.definitions)
    if made is None:
        raise CannotSelect(f"in @{selection.function.name}: the struct {operand.value} is not made by insertvalue")
    elements = aggregate_elements(selection, made.operands[0])
    elements[made.parts.indices[0]] = made.operands[1]
    return elements
