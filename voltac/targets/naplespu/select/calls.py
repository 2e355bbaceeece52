"""Calls, returns and parameters: values to and from the places that ``abi.py`` gives them."""

from __future__ import annotations

from voltac.codegen.machine_code import AnyRegister, FrameSlot, LabelOperand, MachineInstruction, Register
from voltac.codegen.selection import Selection, label_of
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.scan import split_list
from voltac.targets.naplespu.regs import RA, SP
from voltac.targets.naplespu.select.abi import CLOBBERED, INCOMING, OUTGOING, argument_places, result_places
from voltac.targets.naplespu.select.operations import aggregate_elements
from voltac.targets.naplespu.select.pseudo import ROWS
from voltac.targets.naplespu.select.values import kind_of

COPIES = {"scalar": "move_i32.ss", "vector": "move_i32.vv"}
LOADS = {"scalar": "load32", "vector": "load_v16i32"}
STORES = {"scalar": "store32", "vector": "store_v16i32"}
IGNORED = ("@llvm.lifetime.", "@llvm.assume", "@llvm.dbg.", "@llvm.experimental.noalias", "@llvm.donothing")


def copy(to: AnyRegister, source: AnyRegister) -> MachineInstruction:
    """A move between registers of one class."""
    return MachineInstruction(ROWS[COPIES[to.kind]], [to, source])


def parts_of_type(type_text: str) -> list[str]:
    """The values that a function of this type returns."""
    if type_text == "void":
        return []
    return split_list(type_text.strip()[1:-1]) if type_text.startswith("{") else [type_text]


def take_parameters(selection: Selection) -> None:
    """Copies of what a function is given to registers of its own, at its beginning."""
    parameters = selection.function.parameters
    kinds = [kind_of(parameter.type) for parameter in parameters]
    for parameter, kind, place in zip(parameters, kinds, argument_places(kinds).places):
        if isinstance(place, Register):
            selection.machine.parameters.append(place)
        if not selection.is_demanded(parameter.name):
            continue
        register = selection.result(parameter.name, parameter.type)
        if isinstance(place, Register):
            selection.out.append(copy(register, place))
        else:
            selection.emit(LOADS[kind], register, FrameSlot(INCOMING, place), SP)


def call(selection: Selection, instruction: Instruction) -> None:
    """Arguments to their places, the call, results from theirs."""
    parts = instruction.parts
    if parts.callee.startswith(IGNORED):
        return
    selection.machine.calls = True
    kinds = [kind_of(operand.type) for operand in parts.operands]
    arguments = argument_places(kinds)
    results = parts_of_type(parts.type)
    result_kinds = [kind_of(one) for one in results]
    returned = result_places(result_kinds)
    selection.machine.outgoing = max(selection.machine.outgoing, arguments.stack, returned.stack)
    used: list[AnyRegister] = []
    for operand, kind, place in zip(parts.operands, kinds, arguments.places):
        if not isinstance(place, Register):
            selection.emit(STORES[kind], selection.register(operand), FrameSlot(OUTGOING, place), SP)
    for operand, place in zip(parts.operands, arguments.places):
        if isinstance(place, Register):
            used.append(place)
            selection.copy_to(place, operand)
    if parts.callee[0] == "@":
        made = selection.emit("jmpsr", LabelOperand(label_of(parts.callee[1:])))
    else:
        made = selection.emit("call_address", selection.register(Operand("ptr", parts.callee)))
    made.implicit_uses = used
    made.implicit_defs = list(CLOBBERED)
    for register, kind, place in zip(_result_registers(selection, instruction, results), result_kinds, returned.places):
        if register is None:
            continue
        if isinstance(place, Register):
            selection.out.append(copy(register, place))
        else:
            selection.emit(LOADS[kind], register, FrameSlot(OUTGOING, place), SP)


def _result_registers(selection: Selection, instruction: Instruction, types: list[str]) -> list[AnyRegister | None]:
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
                selection.behind.setdefault(user.name, []).append(copy(register, registers[index] or register))
    return registers


def leave(selection: Selection, instruction: Instruction) -> None:
    """``ret``; the epilogue comes with the frame."""
    operands = list(instruction.operands)
    if operands and operands[0].type.startswith("{"):
        operands = aggregate_elements(selection, operands[0])
    kinds = [kind_of(operand.type) for operand in operands]
    places = result_places(kinds).places
    used: list[AnyRegister] = [RA]
    for operand, kind, place in zip(operands, kinds, places):
        if not isinstance(place, Register):
            selection.emit(STORES[kind], selection.register(operand), FrameSlot(INCOMING, place), SP)
    for operand, place in zip(operands, places):
        if isinstance(place, Register):
            used.append(place)
            selection.copy_to(place, operand)
    selection.emit("jret").implicit_uses = used
