"""Vectors of numbers that a register holds side by side -> what the machine does on such registers, and all else lane by lane.

    %c = add <8 x i8> %a, %b      ->    call i64 @padd1(i64 %a, i64 %b)
    %c = sdiv <8 x i8> %a, %b     ->    eight lanes of each, eight divisions, and their results in a register again

What only moves values takes registers as they are. For what is done lane by lane the rules of a machine without vectors serve:
they see lanes, and what they define is put into registers behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from voltac.codegen.legalize.function import Legalizer, Rule
from voltac.ir.model import Instruction

PackedRule = Callable[[Legalizer, Instruction], bool]
"""Writes an instruction on registers that hold several numbers; False, and nothing, where the machine has no way."""


_MOVING = frozenset(("phi", "ret", "br", "switch", "unreachable", "alloca", "extractvalue", "insertvalue", "freeze", "fence"))


def by_registers(rules: Mapping[str, Rule], packed: Mapping[str, PackedRule]) -> dict[str, Rule]:
    """The rules of a machine that has both: ``packed`` has what it does on registers, by operation, or by the name of LLVM's
    intrinsic without types."""
    return {operation: _chosen(rule, packed) for operation, rule in rules.items()}


def _chosen(rule: Rule, packed: Mapping[str, PackedRule]) -> Rule:
    def rewrite(f: Legalizer, instruction: Instruction) -> None:
        if _moves(f, instruction):
            rule(f, instruction)
            return
        own = packed.get(_name(instruction))
        if own is not None and own(f, instruction):
            return
        with f.in_lanes():
            rule(f, instruction)

    return rewrite


def _name(instruction: Instruction) -> str:
    if instruction.op != "call":
        return instruction.op
    words = instruction.parts.callee.removeprefix("@llvm.").split(".")
    # The types begin where a name would be that of a vector or a pointer.
    while len(words) > 1 and words[-1][:1] in "vip" and words[-1][1:2].isdigit():
        words.pop()
    return ".".join(words)


def _moves(f: Legalizer, instruction: Instruction) -> bool:
    """Whether an instruction takes parts of values as they are."""
    op = instruction.op
    if op in ("load", "store"):
        shape = None
        type = instruction.type if op == "load" else instruction.operands[0].type
        if not f.shapes.is_aggregate(type):
            shape = f.shapes.of(type)
        return shape is None or shape.element != "i1"
    if op == "call":
        return not instruction.parts.callee.startswith("@llvm.")
    return op in _MOVING or (op == "select" and instruction.operands[0].type == "i1")
