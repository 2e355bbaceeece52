"""Calls, of functions and of intrinsics -> Python functions on a frame, for ``interp_translate.py``."""

from __future__ import annotations

import re
from typing import Any

from voltac.ir import interp_intrinsics as intrinsics
from voltac.ir import interp_operations as operations
from voltac.ir.interp_elementwise import apply_elementwise
from voltac.ir.interp_frame import Frame, Rule, Slots, Step
from voltac.ir.interp_memory import Called
from voltac.ir.interp_steps import checking
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.scan import match_bracket, split_list


def _call(slots: Slots, instruction: Instruction, target: int) -> Step:
    parts, machine = instruction.parts, slots.machine
    operands = [operand for operand in parts.operands if operand.type != "metadata"]
    name = parts.callee.removeprefix("@").strip('"')
    row = intrinsics.find(name) if parts.callee[0] == "@" and name not in machine.externals else None
    if row is not None:
        if len(operands) != len(parts.operands) and not instruction.name:
            return lambda frame: None  # debug information
        return _intrinsic(slots, instruction, target, row, operands)
    sources = [slots.source(operand) for operand in operands]
    if parts.callee[0] == "@":

        def named(frame: Frame) -> None:
            frame[target] = machine.call_named(name, [frame[source] for source in sources])

        return named
    address = slots.slot(parts.callee)

    def indirect(frame: Frame) -> None:
        frame[target] = machine.call_address(frame[address], [frame[source] for source in sources])

    return indirect


def _intrinsic(slots: Slots, instruction: Instruction, target: int, row: tuple[str, Any], operands: list[Operand]) -> Step:
    sources = [slots.source(operand) for operand in operands]
    kinds, result = tuple(slots.kinds[operand.type] for operand in operands), slots.kinds[instruction.type]
    shape, meaning = row
    if shape == "element":
        function = meaning(kinds[0].scalar, result.scalar)

        def element(frame: Frame) -> None:
            frame[target] = apply_elementwise(function, kinds, result, [frame[source] for source in sources])

        allowed = operations.finite_only(instruction.parts.flags) if result.scalar.shape == "float" else None
        return element if allowed is None else checking(element, target, allowed, sources)
    memory, alignments = slots.memory, _argument_alignments(instruction, len(operands))

    def whole(frame: Frame) -> None:
        arguments = [frame[source] for source in sources]
        frame[target] = meaning(Called(memory, kinds, result, arguments, alignments))

    return whole


def _argument_alignments(instruction: Instruction, count: int) -> tuple[int, ...]:
    """The ``align N`` attribute of each argument of a call, 1 without."""
    text = instruction.text
    opening = text.index("(", text.index(instruction.parts.callee))
    items = split_list(text[opening + 1 : match_bracket(text, opening) - 1])
    found = (re.search(r"\balign (\d+)", item) for item in items[:count])
    return tuple(int(match.group(1)) if match else 1 for match in found)


RULES: dict[str, Rule] = {"call": _call}
"""Operation -> how it is translated."""
