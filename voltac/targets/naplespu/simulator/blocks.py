"""Blocks of instructions, and what of a machine they are translated for."""

from __future__ import annotations

from voltac.codegen.simulator import Fault
from voltac.records import record
from voltac.targets.naplespu.simulator.instructions import DecodedInstruction, Listing

NEVER = 1 << 62
"""A cycle that does not come."""
LONGEST_BLOCK = 64
"""Instructions that become one function of Python. Chosen, not measured."""


@record
class BlockTraits:
    """What of a machine its blocks are written for."""

    mode: str
    """Of float arithmetic."""
    coherent: bool
    """There are other cores."""
    write_through: bool
    scratchpad: bool
    traced: bool
    trap_vector: bool
    """A misaligned access goes on with the registers as they are just then."""
    blocking_stores: bool


@record
class BlockFacts:
    """What is known of a block without running it."""

    start: int
    end: int
    instructions: tuple[DecodedInstruction, ...]
    vector_instructions: int
    memory_instructions: int
    origin: tuple[int, ...]
    """The instruction (its number) that each line of the block's source belongs to."""


def facts_of(instructions: tuple[DecodedInstruction, ...], start: int, origin: tuple[int, ...] = ()) -> BlockFacts:
    """What is known of these instructions; ``origin`` is that of its record."""
    vectors = sum("vector" in instruction.row.traits for instruction in instructions)
    memory = sum(instruction.row.unit == "memory" for instruction in instructions)
    return BlockFacts(start, start + 4 * len(instructions), instructions, vectors, memory, origin)


ENDS = frozenset(("branch", "call", "return", "barrier", "write_control"))


def straight_line(listing: Listing, start: int) -> tuple[DecodedInstruction, ...]:
    """The block from an address on."""
    found = [listing.instruction(start)]
    while len(found) < LONGEST_BLOCK and not found[-1].row.traits & ENDS:
        try:
            found.append(listing.instruction(found[-1].pc + 4))
        except Fault:
            break
    return tuple(found)
