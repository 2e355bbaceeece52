"""An operation of each lane by itself -> the same on vectors of any width."""

from __future__ import annotations

from voltac.ir.model import Instruction
from voltac.ir.parts import CASTS
from voltac.ir.types import element_of
from voltac.passes.loops.lane_loops import COMPARISONS
from voltac.passes.loops.row_loops import intrinsic_of


def of_width(instruction: Instruction, given: list[str], width: int, declarations: set[str]) -> str:
    """What stands behind ``=``; ``given`` are its operands in that width. A call's truth values stay scalars."""
    op, parts = instruction.op, instruction.parts
    element = f"<{width} x {element_of(instruction.type)}>"
    types = [f"<{width} x {element_of(each.type)}>" for each in parts.operands]
    typed = [f"{kind} {value}" for kind, value in zip(types, given, strict=True)]
    flags = "".join(f"{flag} " for flag in parts.flags)
    if op == "call":
        intrinsic = intrinsic_of(parts.callee)
        assert intrinsic is not None
        callee = f"{intrinsic[0]}.v{width}{intrinsic[1]}"
        scalars = {at for at, each in enumerate(parts.operands) if each.type == "i1"}
        types = ["i1" if at in scalars else each for at, each in enumerate(types)]
        typed = [f"i1 {parts.operands[at].value}" if at in scalars else each for at, each in enumerate(typed)]
        declarations.add(f"{element} {callee}({', '.join(types)})")
        plain = "".join(f"{flag} " for flag in parts.flags if flag not in ("tail", "musttail", "notail"))
        return f"call {plain}{element} {callee}({', '.join(typed)})"
    if op in CASTS:
        return f"{op} {flags}{typed[0]} to {element}"
    if op in COMPARISONS:
        return f"{op} {flags}{parts.predicate} {typed[0]}, {given[1]}"
    if op == "select":
        return f"select {flags}{', '.join(typed)}"
    return f"{op} {flags}{typed[0]}" + (f", {given[1]}" if len(given) > 1 else "")
