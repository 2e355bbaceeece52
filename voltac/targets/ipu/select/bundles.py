"""Instructions of a block -> bundles: one for each of the two pipes, where nothing stands against it (IPU 2).

A bundle reads all registers before it writes any, so a register may be written beside the last read of its old value. A
branch, or a call, shares its bundle with what stands before it, never with what stands behind.
"""

from __future__ import annotations

from voltac.codegen.issue_groups import IssueGroup, IssueRules
from voltac.codegen.machine_code import MachineFunction
from voltac.codegen.pipelining.loop import IssueResources
from voltac.targets.ipu.shapes import AUX, MAIN

_RULES = IssueRules(
    IssueResources({MAIN: 1, AUX: 1}), lambda instruction: (((instruction.row.unit, 0),),), frozenset(("exit",))
)


def bundled(function: MachineFunction) -> dict[str, list[IssueGroup]]:
    """The bundles of each block, in the blocks' order: one instruction, or one of the main and one of the aux pipe."""
    groups = _RULES.groups(function)
    return {block: [sorted(group, key=lambda one: one.row.unit != MAIN) for group in groups[block]] for block in groups}
