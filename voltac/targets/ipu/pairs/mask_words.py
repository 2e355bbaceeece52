"""Words that are 0 or -1 in each lane -> conditions, which are lanes of masks; and words of one bit a lane -> their lanes.

%m = phi i32 [ -1, %a ], [ %n, %b ]; ... %n = select i1 %c, i32 %m, i32 0; %t = icmp slt i32 %n, 0
->    %m = phi i1 [ true, %a ], [ %n, %b ]; ... %n = select i1 %c, i1 %m, i1 false                      (%t is %n)
"""

from __future__ import annotations

from voltac.ir.match import Definitions, made_by
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.records import record

_COPIED = frozenset(("phi", "select", "and", "or", "xor", "freeze"))
_CONSTANTS = {"0": "false", "-1": "true", "poison": "poison", "undef": "poison"}
_ASKED = {"slt": False, "ne": False, "sge": True, "eq": True}
"""Comparison of such a word with 0 -> whether it is the opposite of the lane."""


def make_conditions(function: Function) -> None:
    """Of the words that nobody takes for numbers."""
    words = _mask_words(function)
    if not words:
        return
    renamed: dict[str, str] = {}
    for block in function.blocks:
        for instruction in block.instructions:
            name = instruction.name
            if name in words:
                if instruction.op == "sext":
                    renamed[name] = instruction.operands[0].value
                else:
                    instruction.text = _as_condition(instruction)
            elif (asked := _asked(instruction)) is not None and asked[0] in words:
                if asked[1]:
                    instruction.text = f"  {name} = xor i1 {asked[0]}, true"
                else:
                    renamed[name] = asked[0]
        block.instructions = [one for one in block.instructions if one.name not in renamed]
    function.replace_uses(renamed)


def _asked(instruction: Instruction) -> tuple[str, bool] | None:
    """The word that is compared with 0, and whether the result is the opposite of it."""
    if instruction.op != "icmp" or instruction.parts.predicate not in _ASKED:
        return None
    word, other = instruction.operands
    return (word.value, _ASKED[instruction.parts.predicate]) if word.type == "i32" and other.value == "0" else None


def _data(instruction: Instruction) -> list[Operand]:
    return instruction.operands[1:] if instruction.op == "select" else instruction.operands


def _mask_words(function: Function) -> set[str]:
    """Greatest set of such words that are made of each other, and used by each other and by comparisons with 0."""
    users: dict[str, list[Instruction]] = {}
    words: dict[str, Instruction] = {}
    for instruction in function.instructions():
        for name in set(instruction.names_used()):
            users.setdefault(name, []).append(instruction)
        is_spread = instruction.op == "sext" and instruction.operands[0].type == "i1"
        if (is_spread or instruction.op in _COPIED) and instruction.type == "i32":
            words[instruction.name] = instruction

    def holds(word: Instruction) -> bool:
        made = word.op == "sext" or all(one.value in words or one.value in _CONSTANTS for one in _data(word))
        return made and all(user.name in words or _asked(user) is not None for user in users.get(word.name, ()))

    while wrong := [name for name, word in words.items() if not holds(word)]:
        for name in wrong:
            del words[name]
    return set(words)


def _as_condition(instruction: Instruction) -> str:
    values = [_CONSTANTS.get(operand.value, operand.value) for operand in _data(instruction)]
    head = f"  {instruction.name} = {instruction.op}"
    if instruction.op == "phi":
        return f"{head} i1 " + ", ".join(f"[ {value}, %{label} ]" for value, label in zip(values, instruction.parts.labels))
    if instruction.op == "select":
        return f"{head} i1 {instruction.operands[0].value}, i1 {values[0]}, i1 {values[1]}"
    return f"{head} i1 {', '.join(values)}"


@record
class Vote:
    """Whether any lane, or all lanes, of a mask are on, or the opposite of that."""

    lanes: tuple[str, ...]
    of_all: bool
    is_opposite: bool


def vote_of(instruction: Instruction, definitions: Definitions) -> Vote | None:
    """What a comparison of a word of one bit a lane asks."""
    if instruction.op != "icmp" or instruction.parts.predicate not in ("eq", "ne"):
        return None
    word, other = instruction.operands
    if word.type != "i32" or not other.value.isdigit():
        return None
    lanes = _lanes_of(word.value, definitions)
    if lanes is None or len(lanes) < 2 or sorted(lanes) != list(range(len(lanes))):
        return None
    of_all = int(other.value) == (1 << len(lanes)) - 1
    if not of_all and int(other.value):
        return None
    is_opposite = (instruction.parts.predicate == "eq") != of_all
    return Vote(tuple(lanes[lane] for lane in range(len(lanes))), of_all, is_opposite)


def _lanes_of(word: str, definitions: Definitions) -> dict[int, str] | None:
    """Bit -> the condition it is."""
    made = made_by(("zext", "shl", "or"), word, definitions)
    if made is None:
        return None
    if made.op == "zext":
        return {0: made.operands[0].value} if made.operands[0].type == "i1" else None
    first = _lanes_of(made.operands[0].value, definitions)
    if first is None:
        return None
    if made.op == "shl":
        by = made.operands[1].value
        return {bit + int(by): value for bit, value in first.items()} if by.isdigit() else None
    second = _lanes_of(made.operands[1].value, definitions)
    return None if second is None or first.keys() & second.keys() else first | second
