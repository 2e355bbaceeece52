"""Instructions of a block -> groups: those of one cycle, in an order in which none reads what another wrote (IA-64 4, 10)."""

from __future__ import annotations

from voltac.codegen.issue_groups import IssueRules
from voltac.codegen.machine_code import MachineInstruction
from voltac.codegen.pipelining.loop import IssueResources, Occupied
from voltac.targets.ia64.shapes import B

RESOURCES = IssueResources({"slot": 6, "M": 4, "I": 2, "F": 2, "B": 3, "load": 2, "store": 2, "M2": 1, "I0": 1})
"""Of a cycle (IA-64 10); ``load`` are those of integers and of what the ALAT is for, ``M2`` and ``I0`` ports that some need."""


def ways_of(instruction: MachineInstruction) -> tuple[Occupied, ...]:
    """What an instruction takes of a cycle: A goes to M or I, a long constant to an I and an F."""
    row, traits = instruction.row, instruction.row.traits
    slot = ("slot", 0)
    if row.unit == "A":
        return ((slot, ("I", 0)), (slot, ("M", 0)))
    if row.unit == "X":
        return ((slot, slot, ("I", 0), ("F", 0)),)
    taken = [slot, (row.unit, 0)]
    if traits & {"load", "prefetch"} and ("float load" not in traits or traits & {"advanced", "check"}):
        taken.append(("load", 0))
    if traits & {"store", "setf"}:
        taken.append(("store", 0))
    if "M2" in traits:
        taken += [("M2", 0), ("store", 0)]
    if "I0" in traits:
        taken.append(("I0", 0))
    return (tuple(taken),)


def _cycles(one: MachineInstruction, other: MachineInstruction, cycles: int) -> int:
    """A branch may go by a comparison of its own group; parallel comparisons of one kind may share a group."""
    if "compare" in one.row.traits and "compare" in other.row.traits:
        parallel = [trait for trait in one.row.traits if trait.startswith("parallel ")]
        return 0 if parallel and parallel[0] in other.row.traits else cycles
    if other.row.unit != B or cycles != one.row.latency:
        return cycles
    is_condition = "compare" in one.row.traits and other.mask in one.writes()
    is_return = "to branch" in one.row.traits or any(operand.kind == "ar" for operand in one.row.defined)
    return 0 if is_condition or is_return else cycles


RULES = IssueRules(RESOURCES, ways_of, frozenset(("alloc", "clrrrb")), _cycles)
