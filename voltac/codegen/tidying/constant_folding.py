"""legal IR -> legal IR: what follows from values that have turned out to be constants.

    %n = lshr i32 4, 2;  %t = icmp ne i32 4, 0;  br i1 %t, label %a, label %b      ->      br label %a

Operations on constants are computed, branches on them lead one way, and blocks that nothing leads to go.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers
from voltac.ir.interp_values import to_signed
from voltac.ir.match import made_by
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.types import element_of, integer_bits, vector_parts

_WORD = 0xFFFFFFFF
"""The bits of a register."""
_COMPUTED: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b,
    "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b if 0 <= b < 32 else 0, "lshr": lambda a, b: (a & _WORD) >> b if 0 <= b < 32 else 0,
}  # fmt: skip


def fold_constants(function: Function, constants: dict[str, str]) -> bool:
    """``constants``: names of values -> what they are. Whether there were any."""
    if not constants:
        return False
    definitions = function.definitions()
    users: dict[str, list[Instruction]] = {}
    for instruction in function.instructions():
        for name in instruction.names_used():
            users.setdefault(name, []).append(instruction)
    known = dict(constants)
    pending = list(constants)
    while pending:
        name = pending.pop()
        for user in users.get(name, ()):
            user.rename({name: known[name]})
            if user.name and user.name not in known:
                value = _value(user, definitions)
                if value is not None:
                    known[user.name] = value
                    pending.append(user.name)
    for block in function.blocks:
        block.instructions = [one for one in block.instructions if one.name not in known]
    _follow_branches(function)
    return True


def _value(instruction: Instruction, definitions: dict[str, Instruction]) -> str | None:
    """The constant that an operation gives, if it does."""
    operands, type = instruction.operands, instruction.type
    if instruction.op == "shufflevector" and instruction.parts.mask == "zeroinitializer":
        # A splat: the first lane was inserted into nothing.
        made = made_by(("insertelement",), operands[0].value, definitions)
        if made is None or made.operands[2].value != "0":
            return None
        lane = integers("i32", made.operands[1].value) if made.operands[1].type == "i32" else None
        return f"splat (i32 {lane[0]})" if lane is not None else None
    if any(operand.value[0] in "%@" or "poison" in operand.value for operand in operands):
        return None
    if instruction.op in _COMPUTED and element_of(type) == "i32":
        left, right = (integers(type, operand.value) for operand in operands)
        if left is None or right is None:
            return None
        made_lanes = [to_signed(_COMPUTED[instruction.op](a, b) & _WORD, 32) for a, b in zip(left, right)]
        if type == "i32":
            return str(made_lanes[0])
        return "<" + ", ".join(f"i32 {lane}" for lane in made_lanes) + ">"
    if instruction.op == "icmp" and operands[0].type == "i32" and instruction.parts.predicate in ("eq", "ne"):
        left, right = (integers("i32", operand.value) for operand in operands)
        if left is None or right is None:
            return None
        return "true" if (left == right) == (instruction.parts.predicate == "eq") else "false"
    if instruction.op == "trunc" and operands[0].type == "i32" and (width := integer_bits(type)) > 1:
        bits = integers("i32", operands[0].value)
        return str(to_signed(bits[0] & (1 << width) - 1, width)) if bits is not None else None
    mask = vector_parts(type)
    if instruction.op == "bitcast" and mask is not None and mask[1] == "i1" and operands[0].type == f"i{mask[0]}":
        bits = integers(operands[0].type, operands[0].value)
        if bits is None:
            return None
        return "<" + ", ".join(f"i1 {str(bool(bits[0] >> lane & 1)).lower()}" for lane in range(mask[0])) + ">"
    return None


def _follow_branches(function: Function) -> None:
    for block in function.blocks:
        branch = block.terminator
        if branch.op == "br" and branch.operands and branch.operands[0].value in ("true", "false"):
            labels = branch.parts.labels
            kept, left = labels if branch.operands[0].value == "true" else labels[::-1]
            block.instructions[-1] = Instruction(f"  br label %{kept}")
            if left != kept:
                _forget(function.block(left), {block.name})
    reached = set(control_flow(function).order)
    gone = {block.name for block in function.blocks} - reached
    if gone:
        function.blocks = [block for block in function.blocks if block.name in reached]
        for block in function.blocks:
            _forget(block, gone)


def _forget(block: Block, before: set[str]) -> None:
    """Blocks no longer lead to this one."""
    for phi in block.phis():
        parts = phi.parts
        if before & set(parts.labels):
            kept = [f"[ {one.value}, %{label} ]" for one, label in zip(parts.operands, parts.labels) if label not in before]
            phi.text = f"  {phi.name} = phi {parts.type} {', '.join(kept)}"
