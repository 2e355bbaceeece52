"""The operation of an instruction on operands of other types, such as of one lane or of more lanes: as text."""

from __future__ import annotations

from voltac.ir.model import Instruction
from voltac.ir.parts import CASTS
from voltac.passes.loops.lane_loops import COMPARISONS

_OF_THIS_CALL = ("tail", "musttail", "notail")


def same_operation(instruction: Instruction, result: str, types: list[str], given: list[str], callee: str = "") -> str:
    """What stands behind ``=`` for operands ``given`` of ``types`` and a result of type ``result``; a call is of ``callee``."""
    op, parts = instruction.op, instruction.parts
    flags = "".join(f"{flag} " for flag in parts.flags)
    typed = [f"{kind} {value}" for kind, value in zip(types, given, strict=True)]
    if op == "call":
        plain = "".join(f"{flag} " for flag in parts.flags if flag not in _OF_THIS_CALL)
        return f"call {plain}{result} {callee}({', '.join(typed)})"
    if op in CASTS:
        return f"{op} {flags}{typed[0]} to {result}"
    if op in COMPARISONS:
        return f"{op} {flags}{parts.predicate} {typed[0]}, {given[1]}"
    if op == "select":
        return f"select {flags}{', '.join(typed)}"
    if op == "getelementptr":
        return f"getelementptr {flags}{parts.element_type}, {', '.join(typed)}"
    return f"{op} {flags}{typed[0]}" + (f", {given[1]}" if len(given) > 1 else "")
