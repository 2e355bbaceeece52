"""Instructions of a block -> groups that issue together, on machines that read all registers before they write any.

    a; b; c -> [a, c], [b]        where c waits for nothing of b, and a and c take different resources

The machine waits by itself for what takes several cycles: no group is empty.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.dependence import dependences, is_fence
from voltac.codegen.machine_code import MachineBlock, MachineFunction, MachineInstruction
from voltac.codegen.pipelining.loop import Edge, IssueResources, Occupied
from voltac.codegen.pipelining.straight import bundles
from voltac.records import record

IssueGroup = list[MachineInstruction]
"""In the order of the block."""
_LONGEST = 400
"""Instructions scheduled at a time."""


@record
class IssueRules:
    """What a machine issues together."""

    resources: IssueResources
    """Of a cycle."""
    ways: Callable[[MachineInstruction], tuple[Occupied, ...]]
    """What an instruction takes of them, in each of the ways there are."""
    alone: frozenset[str]
    """Traits of instructions that nothing passes and that share their group with nothing."""
    cycles: Callable[[MachineInstruction, MachineInstruction, int], int] = lambda one, other, cycles: cycles
    """From an instruction to one that depends on it, given the usual number."""

    def groups(self, function: MachineFunction) -> dict[str, list[IssueGroup]]:
        """The groups of each block, in the blocks' order."""
        return {block.name: self._of_block(block) for block in function.blocks}

    def _of_block(self, block: MachineBlock) -> list[IssueGroup]:
        made: list[IssueGroup] = []
        region: list[MachineInstruction] = []
        for instruction in block.instructions:
            if not self.alone.isdisjoint(instruction.row.traits):
                made += [*self._scheduled(region), [instruction]]
                region = []
                continue
            region.append(instruction)
            if is_fence(instruction) or len(region) >= _LONGEST:
                made += self._scheduled(region)
                region = []
        return made + self._scheduled(region)

    def _scheduled(self, region: list[MachineInstruction]) -> list[IssueGroup]:
        """Of instructions among which only the last may be one that nothing passes."""
        if len(region) < 2:
            return [[instruction] for instruction in region]
        found: dict[tuple[int, int], int] = {}
        for node in dependences(region, reads_before_writes=True):
            for other, cycles in node.after:
                found[node.number, other.number] = self.cycles(node.instruction, other.instruction, cycles)
        last = len(region) - 1
        if is_fence(region[last]):
            for number in range(last):
                found.setdefault((number, last), 0)
        edges = [Edge(before, after, cycles, 0) for (before, after), cycles in found.items()]
        issued = bundles([self.ways(instruction) for instruction in region], edges, self.resources)
        return [[region[number] for number in sorted(number for number, _ in cycle)] for cycle in issued if cycle]


def one_by_one(function: MachineFunction) -> dict[str, list[IssueGroup]]:
    """Each instruction a group by itself: what schedules are compared with."""
    return {block.name: [[instruction] for instruction in block.instructions] for block in function.blocks}
