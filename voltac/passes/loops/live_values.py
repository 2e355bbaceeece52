"""How many registers the values of a loop's body take at a time, as it is written."""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.model import Block, Instruction
from voltac.ir.types import DataLayout, element_of, lanes_of


def most_live(block: Block, is_data: Callable[[Instruction], bool], layout: DataLayout, gangs: int, register: int) -> int:
    """Of ``gangs`` done at once; constants and what comes from outside are not counted. ``register``: bytes."""
    last: dict[str, int] = {}
    for at, instruction in enumerate(block.instructions):
        last.update((operand.value, at) for operand in instruction.operands)
    ends: dict[int, int] = {}
    live = most = 0
    for at, made in enumerate(block.instructions):
        if made.name in last and made.op != "phi" and is_data(made):
            count = max(1, gangs * lanes_of(made.type) * layout.size(element_of(made.type)) // register)
            live += count
            end = last[made.name]
            ends[end] = ends.get(end, 0) + count
        most = max(most, live)
        live -= ends.pop(at, 0)
    return most
