"""Operation and shapes of an instruction: the key that rules of selection are found by.

icmp slt i32 -> icmp.slt.s        zext i8 to i32 -> zext.y.s        br i1 -> br.if        call @f -> call.f
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.selection import Selection
from voltac.ir.match import made_by
from voltac.ir.model import Instruction
from voltac.ir.parts import CASTS

_OF_ANY_TYPE = frozenset(
    ("load", "store", "getelementptr", "phi", "alloca", "ret", "switch", "unreachable", "extractvalue", "insertvalue")
)
_BY_OPERAND = frozenset(("extractelement", "insertelement", "shufflevector"))


def operation_key(instruction: Instruction, shape: Callable[[str], str]) -> str:
    """``shape`` gives a machine's letters for a type."""
    op, parts = instruction.op, instruction.parts
    if op in ("icmp", "fcmp"):
        return f"{op}.{parts.predicate}.{shape(parts.operands[0].type)}"
    if op in CASTS or op == "select":
        return f"{op}.{shape(parts.operands[0].type)}.{shape(parts.type)}"
    if op == "call":
        return f"call.{parts.callee[1:]}"
    if op == "br":
        return "br.if" if parts.operands else "br"
    if op in _BY_OPERAND:
        return f"{op}.{shape(parts.operands[0].type)}"
    if op in _OF_ANY_TYPE:
        return op
    return f"{op}.{shape(parts.type)}"


def is_signed_load(selection: Selection, name: str) -> bool:
    """Whether a narrow load is sign-extended by everybody who uses it."""
    made = made_by(("load",), name, selection.definitions)
    return made is not None and all(user.op == "sext" for user in selection.users.get(name, ()))
