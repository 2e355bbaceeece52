"""How wide the lanes are that carry the masks of a function, where masks are whole lanes.

    %m = fcmp ogt <8 x double> %x, %y
    %n = and <8 x i1> %m, %live
    %s = select <8 x i1> %n, <8 x double> ...        %m, %n and %live: lanes of 64 bits

Masks that are joined with each other have lanes of one width: that of what they compare and what they select,
each counted as often as its loops are run.
"""

from __future__ import annotations

from collections.abc import Mapping

from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.records import mutable_record

JOINING = frozenset(("and", "or", "xor", "freeze", "phi", "select"))
"""Operations whose results are masks where their operands are."""
_FLOAT_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_ITERATIONS = 10
"""A loop is taken to run so often; the width follows the innermost loops for any number above a few."""


@mutable_record
class Masks:
    """Those that a function's instructions make."""

    made: dict[str, tuple[Instruction, Block]]
    """Name -> who makes it, and where."""
    bits: dict[str, int]
    """Name -> the width of the lanes that carry it, at least 8, in all at least 128 bits for a mask."""

    def size(self, name: str) -> int:
        """Bits of all lanes together."""
        return lanes_of(self.made[name][0].type) * self.bits[name]


def is_mask(type_text: str) -> bool:
    """Whether it is a vector of truth values."""
    return type_text.endswith(" x i1>") and type_text[0] == "<"


def masks_of(function: Function, usual_bits: int) -> Masks:
    """The masks that instructions of a function make; ``usual_bits`` is the width where nothing speaks for another."""
    concerned = [(block, [each for each in block.instructions if _concerns_masks(each)]) for block in function.blocks]
    made = {each.name: (each, block) for block, found in concerned for each in found if each.name and is_mask(each.type)}
    if not made:
        return Masks(made, {})
    group = _groups(made)
    votes = _votes(control_flow(function), concerned, made, group)
    bits: dict[str, int] = {}
    for name, (instruction, _) in made.items():
        counted = votes.get(group[name])
        wanted = max(counted, key=lambda width: (counted[width], width)) if counted else usual_bits
        bits[name] = max(wanted, 128 // lanes_of(instruction.type), 8)
    return Masks(made, {name: min(width, 64) for name, width in bits.items()})


def _concerns_masks(instruction: Instruction) -> bool:
    """Whether it may take or make a mask: its type stands before each, but for a comparison's result."""
    return "i1>" in instruction.text or ("cmp " in instruction.text and " x " in instruction.text)


def _groups(made: Mapping[str, tuple[Instruction, Block]]) -> dict[str, str]:
    """Name -> one name for all masks that it is joined with."""
    parent = {name: name for name in made}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for name, (instruction, _) in made.items():
        if instruction.op in JOINING:
            for operand in instruction.operands:
                if operand.value in parent:
                    parent[root(operand.value)] = root(name)
    return {name: root(name) for name in made}


def _votes(
    flow: ControlFlow,
    concerned: list[tuple[Block, list[Instruction]]],
    made: Mapping[str, object],
    group: Mapping[str, str],
) -> dict[str, dict[int, int]]:
    """Group -> width of lanes -> how much speaks for it."""
    votes: dict[str, dict[int, int]] = {}
    for block, instructions in concerned:
        loop = flow.loop_of.get(block.name)
        weight = _ITERATIONS ** (loop.depth if loop is not None else 0)
        for instruction in instructions:
            if instruction.op in JOINING and instruction.name in made:
                continue
            names = {group[name] for name in (instruction.name, *instruction.names_used()) if name in made}
            if not names:
                continue
            for width in _widths(instruction):
                for name in names:
                    counted = votes.setdefault(name, {})
                    counted[width] = counted.get(width, 0) + weight
    return votes


def _widths(instruction: Instruction) -> set[int]:
    """Of the lanes of what it takes and makes, addresses left out."""
    types = {instruction.type, *(operand.type for operand in instruction.operands)}
    return {width for width in map(lane_bits, types) if width >= 8}


def lane_bits(type_text: str) -> int:
    """Bits of each number of a vector of numbers, 0 for any other type."""
    element = element_of(type_text)
    return (_FLOAT_BITS.get(element) or integer_bits(element)) if lanes_of(type_text) else 0
