"""Instructions of a block -> groups: those of one cycle, in an order in which none reads what another wrote (IA-64 4, 10)."""

from __future__ import annotations

from voltac.codegen.dependence import dependences, is_fence
from voltac.codegen.machine_code import MachineBlock, MachineFunction, MachineInstruction
from voltac.codegen.pipelining.loop import Edge, IssueResources, Occupied
from voltac.codegen.pipelining.straight import bundles
from voltac.targets.ia64.shapes import B

Group = list[MachineInstruction]

RESOURCES = IssueResources({"slot": 6, "M": 4, "I": 2, "F": 2, "B": 3, "load": 2, "store": 2, "M2": 1, "I0": 1})
"""Of a cycle (IA-64 10); ``load`` are those of integers, ``M2`` and ``I0`` the ports that some instructions need."""
_LONGEST = 400
"""Instructions scheduled at a time."""
_SOLO = frozenset(("alloc", "clrrrb"))


def ways_of(instruction: MachineInstruction) -> tuple[Occupied, ...]:
    """What an instruction takes of a cycle: A goes to M or I, a long constant to an I and an F."""
    row, traits = instruction.row, instruction.row.traits
    slot = ("slot", 0)
    if row.unit == "A":
        return ((slot, ("I", 0)), (slot, ("M", 0)))
    if row.unit == "X":
        return ((slot, slot, ("I", 0), ("F", 0)),)
    taken = [slot, (row.unit, 0)]
    if traits & {"load", "prefetch"} and "float load" not in traits:
        taken.append(("load", 0))
    if traits & {"store", "setf"}:
        taken.append(("store", 0))
    if "M2" in traits:
        taken += [("M2", 0), ("store", 0)]
    if "I0" in traits:
        taken.append(("I0", 0))
    return (tuple(taken),)


def one_by_one(function: MachineFunction) -> dict[str, list[Group]]:
    """Each instruction a group by itself: what schedules are compared with."""
    return {block.name: [[instruction] for instruction in block.instructions] for block in function.blocks}


def grouped(function: MachineFunction) -> dict[str, list[Group]]:
    """The groups of each block, in the blocks' order."""
    return {block.name: _of_block(block) for block in function.blocks}


def _of_block(block: MachineBlock) -> list[Group]:
    made: list[Group] = []
    region: list[MachineInstruction] = []
    for instruction in block.instructions:
        if not _SOLO.isdisjoint(instruction.row.traits):
            made += [*_scheduled(region), [instruction]]
            region = []
            continue
        region.append(instruction)
        if is_fence(instruction) or len(region) >= _LONGEST:
            made += _scheduled(region)
            region = []
    return made + _scheduled(region)


def _scheduled(region: list[MachineInstruction]) -> list[Group]:
    """Of instructions among which only the last may be one that nothing passes."""
    if len(region) < 2:
        return [[instruction] for instruction in region]
    found: dict[tuple[int, int], int] = {}
    for node in dependences(region, reads_before_writes=True):
        for other, cycles in node.after:
            found[node.number, other.number] = _cycles(node.instruction, other.instruction, cycles)
    last = len(region) - 1
    if is_fence(region[last]):
        for number in range(last):
            found.setdefault((number, last), 0)
    edges = [Edge(before, after, cycles, 0) for (before, after), cycles in found.items()]
    issued = bundles([ways_of(instruction) for instruction in region], edges, RESOURCES)
    # The machine waits by itself: no group is empty.
    return [[region[number] for number in sorted(number for number, _ in cycle)] for cycle in issued if cycle]


def _cycles(one: MachineInstruction, other: MachineInstruction, cycles: int) -> int:
    """A branch may go by a comparison of its own group; parallel comparisons of one kind may share a group."""
    parallel = [trait for trait in one.row.traits if trait.startswith("parallel ")]
    if parallel and parallel[0] in other.row.traits:
        return 0
    is_condition = other.row.unit == B and "compare" in one.row.traits and other.mask in one.writes()
    is_return = other.row.unit == B and (
        one.row.traits & {"to branch"} or "ar" in {operand.kind for operand in one.row.defined}
    )
    return 0 if (is_condition or is_return) and cycles == one.row.latency else cycles
