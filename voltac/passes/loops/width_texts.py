"""An operation of each lane by itself -> the same on vectors of any width."""

from __future__ import annotations

from voltac.ir.model import Instruction
from voltac.ir.types import element_of
from voltac.passes.loops.row_loops import intrinsic_of
from voltac.passes.loops.same_operation import same_operation


def of_width(instruction: Instruction, given: list[str], width: int, declarations: set[str]) -> str:
    """What stands behind ``=``; ``given`` are its operands in that width. A call's truth values stay scalars."""
    parts = instruction.parts
    element = f"<{width} x {element_of(instruction.type)}>"
    types = [f"<{width} x {element_of(each.type)}>" for each in parts.operands]
    if instruction.op != "call":
        return same_operation(instruction, element, types, given)
    intrinsic = intrinsic_of(parts.callee)
    assert intrinsic is not None
    callee = f"{intrinsic[0]}.v{width}{intrinsic[1]}"
    scalars = [each.type == "i1" for each in parts.operands]
    types = ["i1" if scalar else each for scalar, each in zip(scalars, types, strict=True)]
    given = [operand.value if scalar else each for scalar, operand, each in zip(scalars, parts.operands, given, strict=True)]
    declarations.add(f"{element} {callee}({', '.join(types)})")
    return same_operation(instruction, element, types, given, callee)
