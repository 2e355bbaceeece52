"""What lanes compute of numbers that are the same in all of them -> computed once, and put into all lanes.

    %v = mul nsw <8 x i32> %y8, %n8          %once = mul nsw i32 %y, %n
                                      ->     %one = insertelement <8 x i32> poison, i32 %once, i64 0
                                             %v = shufflevector <8 x i32> %one, <8 x i32> poison, zeroinitializer

of ``%y8`` with ``%y`` and ``%n8`` with ``%n`` in all lanes. The flags are those of each lane. So places of rows, which a
``foreach`` over two dimensions computes in lanes, are numbers that can be compared before a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from voltac.ir.constants import splatted
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Block, Instruction
from voltac.ir.types import element_of, lanes_of

SUMS = frozenset(("add", "sub", "mul"))
"""Operations that are done once."""


def compute_once(blocks: Iterable[Block], definitions: dict[str, Instruction], fresh: Callable[[str], str]) -> None:
    """Rewrite the blocks, each of which stands behind those it takes something of.

    ``definitions`` gets what is new, under names that ``fresh`` makes.
    """
    once: dict[str, str] = {}

    def scalar(value: str) -> str | None:
        if value in once:
            return once[value]
        found = scalar_of_splat(value, definitions) if value[0] == "%" else splatted(value)
        return found.value if found is not None else "0" if value == "zeroinitializer" else None

    for block in blocks:
        made: list[Instruction] = []
        for each in block.instructions:
            parts = [scalar(operand.value) for operand in each.operands] if each.op in SUMS and lanes_of(each.type) else [None]
            if None in parts:
                made.append(each)
                continue
            written = _in_all_lanes(each, f"{parts[0]}, {parts[1]}", fresh)
            once[each.name] = written[0].name
            definitions.update((new.name, new) for new in written)
            made += written
        block.instructions = made


def _in_all_lanes(each: Instruction, operands: str, fresh: Callable[[str], str]) -> list[Instruction]:
    element, type = element_of(each.type), each.type
    flags = "".join(f"{flag} " for flag in each.parts.flags)
    name, one = fresh("once"), fresh("one")
    return [
        Instruction(f"  {name} = {each.op} {flags}{element} {operands}"),
        Instruction(f"  {one} = insertelement {type} poison, {element} {name}, i64 0"),
        Instruction(f"  {each.name} = shufflevector {type} {one}, {type} poison, <{lanes_of(type)} x i32> zeroinitializer"),
    ]
