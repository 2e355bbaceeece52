"""legal IR -> legal IR: flushes behind stores to memory that the host, or a later kernel, may look at.

Nothing that a thread stores reaches memory before it is flushed (NaplesPU 1.6).
A flush writes back one line and is an instruction by itself, so behind the store
it is always right; stores to neighbouring places share one, stores to the
thread's own frame need none. A program that
flushes by itself says so (``"voltac-flush"="program"``).
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.addresses import is_on_stack, place_of
from voltac.codegen.kernels import attribute
from voltac.ir import marks
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import Operand

LINE = 64
"""Bytes of a line of the cache (NaplesPU 1.1)."""


def add_flushes(module: Module) -> bool:
    """Whether anything was added."""
    changed = False
    for function in module.functions:
        if attribute(module, function, marks.FLUSH) != "program":
            changed |= _add_to(function)
    if changed:
        module.declare(["declare void @npu.flush(i32)"])
    return changed


def _add_to(function: Function) -> bool:
    definitions = function.definitions()
    fresh = function.fresh_names()
    changed = False
    for block in function.blocks:
        # Base of the address -> where the last store off it is, and the offsets stored to.
        groups: dict[str, tuple[int, set[int]]] = {}
        for position, instruction in enumerate(block.instructions):
            if instruction.op == "store" and _is_visible(instruction.operands[1], definitions):
                base, offset = _place(instruction, definitions)
                groups[base] = (position, groups.get(base, (0, set()))[1] | {offset})
        behind: dict[int, list[Instruction]] = {}
        for base, (position, offsets) in groups.items():
            for offset in _one_in_each_line(sorted(offsets)):
                behind.setdefault(position, []).extend(_flush(base, offset, fresh))
        if behind:
            changed = True
            block.instructions = [
                one
                for position, instruction in enumerate(block.instructions)
                for one in (instruction, *behind.get(position, ()))
            ]
    return changed


def _place(store: Instruction, definitions: dict[str, Instruction]) -> tuple[str, int]:
    """A name and an offset from it of the word that a store begins in."""
    value, pointer = store.operands
    if value.type not in ("i8", "i16"):
        return place_of(pointer.value, definitions)
    # A flush wants the address of a word, and the base of a narrow store need not be one: it is a group of its own.
    return "word of " + pointer.value, 0


def _one_in_each_line(offsets: list[int]) -> list[int]:
    """The fewest of some offsets that have a byte in every line any of them has, wherever the lines begin.

    Between two bytes that are at most a line apart there is one border at most, so a byte between them shares a line
    with one of the two.
    """
    kept = [offsets[0]]
    for offset, following in zip(offsets[1:], [*offsets[2:], None]):
        if following is None or following - kept[-1] > LINE:
            kept.append(offset)
    return kept


def _flush(base: str, offset: int, fresh: Callable[[str], str]) -> list[Instruction]:
    code: list[str] = []
    narrow = base.startswith("word of ")
    pointer = base.removeprefix("word of ")
    if offset:
        moved = fresh("flushed")
        code.append(f"{moved} = getelementptr i8, ptr {pointer}, i32 {offset}")
        pointer = moved
    address = fresh("flushed")
    code.append(f"{address} = ptrtoint ptr {pointer} to i32")
    if narrow:
        whole = fresh("flushed")
        code.append(f"{whole} = and i32 {address}, -4")
        address = whole
    code.append(f"call void @npu.flush(i32 {address})")
    return [Instruction("  " + line) for line in code]


def _is_visible(pointer: Operand, definitions: dict[str, Instruction]) -> bool:
    """To other threads: in main memory, and not on the stack."""
    return pointer.type == "ptr" and not is_on_stack(pointer.value, definitions)
