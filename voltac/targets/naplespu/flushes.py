"""legal IR -> legal IR: a flush behind each store to memory that the host, or a later kernel, may look at.

Nothing that a thread stores reaches memory before it is flushed (reference 1.6).
A flush writes back one line and is an instruction by itself, so behind the store
it is always right; stores to the thread's own frame need none. A program that
flushes by itself says so (``"voltac-flush"="written"``).
"""

from __future__ import annotations

from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.targets.naplespu.startup import attribute


def add_flushes(module: Module) -> bool:
    """Whether anything was added."""
    changed = False
    for function in module.functions:
        if attribute(module, function, "voltac-flush") != "written":
            changed |= _add_to(function)
    if changed:
        module.declare(["declare void @npu.flush(i32)"])
    return changed


def _add_to(function: Function) -> bool:
    definitions = function.definitions()
    fresh = function.fresh_names()
    changed = False
    for block in function.blocks:
        code: list[Instruction] = []
        for instruction in block.instructions:
            code.append(instruction)
            if instruction.op == "store" and _is_visible(instruction.operands[1], definitions):
                changed = True
                value, pointer = instruction.operands
                address = fresh("flushed")
                code.append(Instruction(f"  {address} = ptrtoint ptr {pointer.value} to i32"))
                if value.type in ("i8", "i16"):
                    # A flush wants the address of a word.
                    whole = fresh("flushed")
                    code.append(Instruction(f"  {whole} = and i32 {address}, -4"))
                    address = whole
                code.append(Instruction(f"  call void @npu.flush(i32 {address})"))
        block.instructions = code
    return changed


def _is_visible(pointer: Operand, definitions: dict[str, Instruction]) -> bool:
    if pointer.type != "ptr":
        return False
    value = pointer.value
    while (made := definitions.get(value)) is not None:
        if made.op == "alloca":
            return False
        if made.op not in ("getelementptr", "freeze", "bitcast"):
            return True
        value = made.operands[0].value
    return True
