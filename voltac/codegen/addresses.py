"""Addresses of legal IR -> what they are counted from: steps of bytes, and casts, that lead from a pointer back to its object.

%q = getelementptr i8, ptr %p, i32 8
%r = getelementptr i8, ptr %q, i32 %n        the place of %q is (%p, 8), that of %r is (%r, 0); the object of both is %p's
"""

from __future__ import annotations

from voltac.ir.constants import integers
from voltac.ir.match import Definitions, made_by, source
from voltac.ir.model import Instruction

_STEPS_AND_CASTS = ("getelementptr", "bitcast")
_SAME_OBJECT = ("getelementptr", "bitcast", "freeze")


def constant_step(made: Instruction) -> int | None:
    """Bytes from the first operand to the result; None for a number that is computed. A cast goes nowhere."""
    if made.op == "bitcast":
        return 0
    if made.parts.element_type != "i8" or len(made.operands) != 2:
        return None
    step = integers("i32", made.operands[1].value)
    return None if step is None else step[0]


def place_of(pointer: str, definitions: Definitions) -> tuple[str, int]:
    """A pointer as another one, nearest to its object, and bytes from there."""
    offset = 0
    while (made := made_by(_STEPS_AND_CASTS, pointer, definitions)) is not None and (step := constant_step(made)) is not None:
        pointer, offset = made.operands[0].value, offset + step
    return pointer, offset


def is_on_stack(pointer: str, definitions: Definitions) -> bool:
    """Whether a pointer, by whatever steps, is one to a variable of the function itself."""
    return made_by(("alloca",), source(pointer, _SAME_OBJECT, definitions), definitions) is not None
