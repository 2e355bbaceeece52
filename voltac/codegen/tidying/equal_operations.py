"""legal IR -> legal IR: what legalization has written out place by place, made once, outside of loops, without the idle parts.

On operations without effects, none of which can trap:

* identities: ``and %m, zeroinitializer`` and the like are one of their operands;
* arithmetic with a bitmap made a vector of 0 and 1 happens under the bitmap instead:
  ``add %x, (zext %m)`` is ``select %m, (add %x, 1), %x``, ``add %x, (select %m, %y, 0)`` is ``select %m, (add %x, %y), %x``;
* equal operations are made once, where the first dominates the others (value
  numbering over the tree of dominators);
* what does not change in a loop moves before it.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.constants import integers
from voltac.ir.match import made_by
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY
from voltac.ir.types import element_of
from voltac.ir.uses import Uses

_PURE = frozenset((
    *BINARY, *FLOAT_BINARY, *CASTS,
    *("icmp", "select", "getelementptr", "extractelement", "insertelement", "shufflevector"),
))  # fmt: skip
_MOST_MOVED = 24
"""Values of a register class that may move before one loop: each takes a register throughout."""


IsPure = Callable[[str], bool]


def tidy(module: Module, is_pure: IsPure) -> bool:
    """``is_pure``: whether a function, by its name, has no effects. Whether anything has changed."""
    changed = False
    for function in module.functions:
        flow = control_flow(function)
        changed |= _number_values(function, flow, is_pure)
        changed |= _move_out_of_loops(function, flow, is_pure)
    return changed


def _has_no_effect(instruction: Instruction, is_pure: IsPure) -> bool:
    return instruction.op in _PURE or (instruction.op == "call" and is_pure(instruction.parts.callee))


def _is_mask(type_text: str) -> bool:
    return type_text.startswith("<") and element_of(type_text) == "i1"


def _is_vector(type_text: str) -> bool:
    return type_text.startswith("<") and element_of(type_text) != "i1"


def _mask_of(vector: str) -> str:
    """The type of a mask for the lanes of a vector."""
    return vector[: vector.index(" x ")] + " x i1>"


# --- identities and equal operations ---


def _number_values(function: Function, flow: ControlFlow, is_pure: IsPure) -> bool:
    known: dict[str, list[tuple[str, str]]] = {}
    """Text of an operation -> the blocks where it is made, and its name."""
    blocks = {block.name: block for block in function.blocks}
    definitions = function.definitions()
    uses = Uses(function.instructions())
    replaced: dict[str, str] = {}
    fresh = function.fresh_names()
    for name in flow.order:
        kept: list[Instruction] = []
        pending = blocks[name].instructions[::-1]
        while pending:
            instruction = pending.pop()
            if replaced:
                instruction.rename(_resolved(replaced, instruction))
            better = _better_form(instruction, definitions, fresh) or _sum_in_lanes(instruction, definitions, uses, fresh)
            if better:
                definitions.update((one.name, one) for one in better)
                pending += better[::-1]
                continue
            same = None
            if instruction.name and _has_no_effect(instruction, is_pure):
                same = _identity(instruction, definitions)
                if same is None:
                    text = instruction.text.partition(" = ")[2]
                    same = next((made for place, made in known.get(text, ()) if flow.dominates(place, name)), None)
                    if same is None:
                        known.setdefault(text, []).append((name, instruction.name))
            if same is None:
                kept.append(instruction)
            else:
                replaced[instruction.name] = same
        blocks[name].instructions = kept
    # Phis and blocks that come before in order may use what was replaced later.
    function.replace_uses(replaced)
    return bool(replaced)


def _resolved(replaced: dict[str, str], instruction: Instruction) -> dict[str, str]:
    new: dict[str, str] = {}
    for name in instruction.names_used():
        if name in replaced:
            end = replaced[name]
            while end in replaced:
                end = replaced[end]
            new[name] = end
    return new


_IDLE_RIGHT = {"add": 0, "sub": 0, "or": 0, "xor": 0, "shl": 0, "lshr": 0, "ashr": 0, "mul": 1, "and": -1}
"""Operation -> the right operand with which it is its left operand."""
_IDLE_LEFT = {"add": 0, "or": 0, "xor": 0, "mul": 1, "and": -1}
_FIXED = {"and": 0, "mul": 0, "or": -1}
"""Operation -> the operand that is its result whatever the other one is."""


def _identity(instruction: Instruction, definitions: dict[str, Instruction]) -> str | None:
    """The operand, or constant, that an operation's result is."""
    op = instruction.op
    operands = instruction.operands
    if op == "select" and operands[1].value == operands[2].value:
        return operands[1].value
    if op not in BINARY:
        return None
    left, right = operands
    first, second = (_same_everywhere(instruction.type, one.value) for one in operands)
    if second is not None and second == _IDLE_RIGHT.get(op):
        return left.value
    if first is not None and first == _IDLE_LEFT.get(op):
        return right.value
    fixed = _FIXED.get(op)
    if fixed is not None and fixed in (first, second):
        return right.value if second == fixed else left.value
    if left.value == right.value:
        if op in ("and", "or"):
            return left.value
        if op in ("xor", "sub"):
            return _zero(instruction.type)
    if op == "xor" and second == -1:
        # Not of not.
        made = made_by(("xor",), left.value, definitions)
        if made is not None and _same_everywhere(made.type, made.operands[1].value) == -1:
            return made.operands[0].value
    return None


def _better_form(
    instruction: Instruction, definitions: dict[str, Instruction], fresh: Callable[[str], str]
) -> list[Instruction]:
    """Other operations that do the same at less cost, the last of them under the same name; none where there are none."""
    op = instruction.op
    if op not in ("add", "sub", "and", "mul", "xor"):
        return []
    if _is_mask(instruction.type) and op == "xor":
        return _and_not(instruction, definitions, fresh)
    if not _is_vector(instruction.type):
        return []
    left, right = (one.value for one in instruction.operands)
    if op != "sub" and _bitmap(left, definitions):
        left, right = right, left
    bitmap = _bitmap(right, definitions)
    if bitmap is None:
        return []
    number, mask = bitmap
    vector = instruction.type
    if op in ("add", "sub") or (op == "xor" and number == -1):
        changed = fresh("changed")
        return [
            Instruction(f"  {changed} = {op} {vector} {left}, splat (i32 {number})"),
            Instruction(f"  {instruction.name} = select {_mask_of(vector)} {mask}, {vector} {changed}, {vector} {left}"),
        ]
    if (op, number) in (("and", -1), ("mul", 1)):
        return [
            Instruction(f"  {instruction.name} = select {_mask_of(vector)} {mask}, {vector} {left}, {vector} zeroinitializer")
        ]
    return []


def _sum_in_lanes(
    instruction: Instruction, definitions: dict[str, Instruction], uses: Uses, fresh: Callable[[str], str]
) -> list[Instruction]:
    """What is combined with zero in some lanes stays as it is there."""
    op, vector = instruction.op, instruction.type
    if op not in ("add", "sub", "or", "xor") or not _is_vector(vector):
        return []
    left, right = (one.value for one in instruction.operands)
    for kept, other in ((left, right), (right, left)) if op != "sub" else ((left, right),):
        made = made_by(("select",), other, definitions)
        if made is None or uses.single_use(other) is None or not _is_mask(made.operands[0].type):
            continue
        mask, yes, no = (one.value for one in made.operands)
        if _same_everywhere(vector, yes) == 0 and mask[0] == "<":
            lanes = integers(_mask_of(vector), mask) or ()
            mask, yes, no = "<" + ", ".join(f"i1 {'false' if lane else 'true'}" for lane in lanes) + ">", no, yes
        if _same_everywhere(vector, no) != 0:
            continue
        changed = fresh("changed")
        return [
            Instruction(f"  {changed} = {op} {vector} {kept}, {yes}"),
            Instruction(f"  {instruction.name} = select {_mask_of(vector)} {mask}, {vector} {changed}, {vector} {kept}"),
        ]
    return []


def _bitmap(value: str, definitions: dict[str, Instruction]) -> tuple[int, str] | None:
    """What a vector made of a bitmap is in the lanes that are on (1 or -1), and the bitmap."""
    made = made_by(("zext", "sext"), value, definitions)
    if made is None or not _is_mask(made.operands[0].type):
        return None
    return (1 if made.op == "zext" else -1), made.operands[0].value


def _and_not(instruction: Instruction, definitions: dict[str, Instruction], fresh: Callable[[str], str]) -> list[Instruction]:
    """``(m & c) ^ m`` is ``m & ~c``, and the complement of a comparison costs nothing."""
    for first, second in (instruction.operands, instruction.operands[::-1]):
        made = made_by(("and",), first.value, definitions)
        if made is None:
            continue
        one, other = (operand.value for operand in made.operands)
        if one == second.value:
            one, other = other, one
        if other == second.value and made_by(("icmp",), one, definitions) is not None:
            complement = fresh("not")
            return [
                Instruction(f"  {complement} = xor {made.type} {one}, splat (i1 true)"),
                Instruction(f"  {instruction.name} = and {made.type} {other}, {complement}"),
            ]
    return []


def _same_everywhere(type_text: str, value: str) -> int | None:
    """The number that a constant is in every lane; all bits on is -1."""
    if value[0] in "%@" or "poison" in value or "undef" in value or "float" in type_text or "ptr" in type_text:
        return None
    lanes = integers(type_text, value)
    if lanes is None or len(set(lanes)) != 1:
        return None
    return -lanes[0] if element_of(type_text) == "i1" else lanes[0]


def _zero(type_text: str) -> str:
    return "zeroinitializer" if type_text[0] == "<" else "false" if type_text == "i1" else "0"


# --- loops ---


def _move_out_of_loops(function: Function, flow: ControlFlow, is_pure: IsPure) -> bool:
    blocks = {block.name: block for block in function.blocks}
    changed = False
    # What leaves an inner loop may leave the one around it as well.
    for loop in reversed(flow.loops):
        entries = [name for name in flow.predecessors[loop.header] if name not in loop.blocks]
        if len(entries) != 1 or entries[0] not in flow.immediate_dominator:
            continue
        changed |= _move_before([blocks[name] for name in flow.order if name in loop.blocks], blocks[entries[0]], is_pure)
    return changed


def _move_before(loop: list[Block], before: Block, is_pure: IsPure) -> bool:
    inside = {instruction.name for block in loop for instruction in block.instructions if instruction.name}
    room = {"v": _MOST_MOVED, "s": _MOST_MOVED}
    moved: list[Instruction] = []
    for block in loop:
        kept: list[Instruction] = []
        for instruction in block.instructions:
            kind = "v" if _is_vector(instruction.type) else "s"
            if (
                instruction.name
                and room[kind] > 0
                and _has_no_effect(instruction, is_pure)
                and not any(operand.value in inside for operand in instruction.operands)
            ):
                inside.discard(instruction.name)
                moved.append(instruction)
                room[kind] -= 1
            else:
                kept.append(instruction)
        block.instructions = kept
    before.instructions[-1:-1] = moved
    return bool(moved)
