"""Instructions of a block -> bundles: one for each of the two pipes, where nothing stands against it (IPU 2).

A bundle reads all registers before it writes any, so a register may be written beside the last read of its old value. A
branch, or a call, shares its bundle with what stands before it, never with what stands behind.
"""

from __future__ import annotations

from voltac.codegen.dependence import dependences, is_fence
from voltac.codegen.machine_code import MachineBlock, MachineFunction, MachineInstruction
from voltac.codegen.pipelining.loop import Edge, IssueResources
from voltac.codegen.pipelining.straight import bundles
from voltac.targets.ipu.shapes import AUX, MAIN

Bundle = tuple[MachineInstruction, ...]
"""One instruction, or one of the main and one of the aux pipe."""

_PIPES = IssueResources({MAIN: 1, AUX: 1})
_SOLO = frozenset(("exit",))
_LONGEST = 400
"""Instructions scheduled at a time."""


def one_by_one(function: MachineFunction) -> dict[str, list[Bundle]]:
    """The blocks in their order, every instruction by itself: what bundles are compared with."""
    return {block.name: [(instruction,) for instruction in block.instructions] for block in function.blocks}


def bundled(function: MachineFunction) -> dict[str, list[Bundle]]:
    """The bundles of each block, in the blocks' order."""
    return {block.name: _of_block(block) for block in function.blocks}


def _of_block(block: MachineBlock) -> list[Bundle]:
    made: list[Bundle] = []
    region: list[MachineInstruction] = []
    for instruction in block.instructions:
        if not _SOLO.isdisjoint(instruction.row.traits):
            made += [*_scheduled(region), (instruction,)]
            region = []
            continue
        region.append(instruction)
        if is_fence(instruction) or len(region) >= _LONGEST:
            made += _scheduled(region)
            region = []
    return made + _scheduled(region)


def _scheduled(region: list[MachineInstruction]) -> list[Bundle]:
    """Of instructions among which only the last may be one that nothing passes."""
    if len(region) < 2:
        return [(instruction,) for instruction in region]
    found: dict[tuple[int, int], int] = {}
    for node in dependences(region, reads_before_writes=True):
        for other, cycles in node.after:
            found[node.number, other.number] = cycles
    last = len(region) - 1
    if is_fence(region[last]):
        for number in range(last):
            found.setdefault((number, last), 0)
    edges = [Edge(before, after, cycles, 0) for (before, after), cycles in found.items()]
    ways = [(((instruction.row.unit, 0),),) for instruction in region]
    # The worker itself waits for what takes several slots: no cycle is left empty for that.
    issued = [[region[number] for number, _ in cycle] for cycle in bundles(ways, edges, _PIPES) if cycle]
    return [tuple(sorted(together, key=lambda one: one.row.unit != MAIN)) for together in issued]
