"""What lanes sum up along rows of their own, where the order of additions is free: parts of rows are added as they lie.

    x0 x1 x2 x3 | y0 y1 y2 y3   +   x4 x5 x6 x7 | y4 y5 y6 y7   + ...      of rows x and y, with nothing moved between lanes
    ->
    x0 + x4 + ... and so on, transposed behind the loop: four sums of each lane, which are added

A term may be made of elements of several rows and of what is the same in all lanes and iterations.
"""

from __future__ import annotations

from voltac.ir.constants import integers
from voltac.ir.match import Definitions, scalar_of_splat
from voltac.ir.model import Instruction
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.access import Access
from voltac.passes.loops.counted_loops import CountedLoop

SIZE = 4
"""Bytes of an element: four of them are a part of a row."""
IDENTITIES = {"float": "splat (float -0.0)", "i32": "zeroinitializer"}
"""Element of a sum -> what a sum begins with that changes nothing."""
_ELEMENTWISE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "fcmp", "icmp", "select", "freeze")) - {
    "sdiv", "udiv", "srem", "urem",
}  # fmt: skip


def row_sums(loop: CountedLoop, rows: list[Access], definitions: Definitions, vector_bits: int) -> list[Instruction]:
    """The phis that only sum up; empty if the loop does anything else, or lanes do not fill registers once."""
    lanes = rows[0].lanes
    if lanes % SIZE or 8 * SIZE * lanes > vector_bits or any(row.size != SIZE or row.lanes != lanes for row in rows):
        return []
    sums = [phi for phi in loop.header.phis() if phi is not loop.counter]
    loaded = {row.instruction.name for row in rows}
    return sums if all(_is_sum(phi, loop, loaded, definitions) for phi in sums) else []


def _is_sum(phi: Instruction, loop: CountedLoop, loaded: set[str], definitions: Definitions) -> bool:
    change = definitions.get(loop.arm(phi, loop.body.name))
    if change is None or element_of(phi.type) not in IDENTITIES or not any(each is change for each in loop.body.instructions):
        return False
    free = change.op == "add" or (change.op == "fadd" and not {"fast", "reassoc"}.isdisjoint(change.parts.flags))
    terms = [operand for operand in change.operands if operand.value != phi.name]
    if not free or len(terms) != 1:
        return False
    instructions = [*loop.header.instructions, *loop.body.instructions]
    uses = [each for each in instructions for operand in each.operands if operand.value in (phi.name, change.name)]
    if len(uses) != 2:
        # In the sum and in the phi.
        return False
    return lanes_of(terms[0].type) > 0 and _by_element(terms[0], loop, loaded, definitions)


def _by_element(operand: Operand, loop: CountedLoop, loaded: set[str], definitions: Definitions) -> bool:
    """Whether a value is made of loaded elements, each by itself, and of what all lanes and iterations have in common."""
    name = operand.value
    if name in loaded:
        return True
    if not name.startswith("%"):
        number = integers(operand.type, name)
        return name.startswith(("splat ", "zeroinitializer")) or (number is not None and len(set(number)) == 1)
    scalar = scalar_of_splat(name, definitions)
    if scalar is not None:
        return not loop.varying_in(scalar, definitions)
    made = definitions.get(name)
    if made is None or name not in loop.inside or made.op not in _ELEMENTWISE:
        return False
    if any(lanes_of(each.type) != lanes_of(made.type) for each in made.operands):
        # Not an element of each lane, but parts of it.
        return False
    return all(_by_element(each, loop, loaded, definitions) for each in made.operands)
