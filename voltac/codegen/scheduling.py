"""Orders the instructions of a block so that results are there when they are needed: list scheduling.

Of the instructions whose operands are made, the one is next that can issue
soonest, and of those the one with the longest chain behind it. Where registers
are getting scarce, those that end more values than they begin come first. An
instruction that wants another state of the machine (the mask) waits until the
others are through.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable

from voltac.codegen.dependence import DependenceNode, dependences, is_fence
from voltac.codegen.liveness import live_out
from voltac.codegen.machine_code import AnyRegister, MachineFunction, MachineInstruction, VirtualRegister
from voltac.records import record

_LONGEST = 400
"""Instructions scheduled at a time."""


@record(eq=False)
class IssueModel:
    """What scheduling has to know of a target."""

    registers: dict[str, int]
    """How many values of a class may live at a time."""
    usual_state: Hashable
    """The state of the machine (``MachineInstruction.states``) at the borders of blocks."""
    switch_cycles: int
    """What a change of state costs."""


def schedule(function: MachineFunction, machine: IssueModel) -> None:
    """Reorder the instructions of each block between its fences, before registers are allocated."""
    outs = live_out(function)
    for block in function.blocks:
        wanted_later: set[AnyRegister] = outs[block.name]
        regions: list[list[MachineInstruction]] = []
        for region in reversed(_regions(block.instructions)):
            regions.append(_ordered(region, wanted_later, machine) if len(region) > 2 else region)
            for instruction in reversed(region):
                wanted_later.difference_update(instruction.writes())
                wanted_later.update(instruction.reads())
        block.instructions = [instruction for region in reversed(regions) for instruction in region]


def _regions(instructions: list[MachineInstruction]) -> list[list[MachineInstruction]]:
    """Runs of instructions without a fence; each fence by itself."""
    regions: list[list[MachineInstruction]] = [[]]
    for instruction in instructions:
        if is_fence(instruction):
            regions += [[instruction], []]
        else:
            if len(regions[-1]) >= _LONGEST:
                regions.append([])
            regions[-1].append(instruction)
    return [region for region in regions if region]


class _Pressure:
    """How many values live while instructions are picked one by one."""

    def __init__(self, region: list[DependenceNode], wanted_later: set[AnyRegister]) -> None:
        self.readers_left: dict[AnyRegister, int] = {}
        self.wanted_later = wanted_later
        self.living: set[AnyRegister] = set()
        written: set[AnyRegister] = set()
        for node in region:
            for register in node.reads:
                self.readers_left[register] = self.readers_left.get(register, 0) + 1
                if register not in written:
                    self.living.add(register)
            written |= node.writes
        self.living |= wanted_later - written
        self.count: dict[str, int] = {}
        for register in self.living:
            if isinstance(register, VirtualRegister):
                self.count[register.kind] = self.count.get(register.kind, 0) + 1

    def change(self, node: DependenceNode) -> dict[str, int]:
        """By class, how many more values live behind an instruction."""
        changes: dict[str, int] = {}
        for register in node.writes:
            if register not in self.living and isinstance(register, VirtualRegister):
                changes[register.kind] = changes.get(register.kind, 0) + 1
        for register in node.reads:
            if self._ends(register) and isinstance(register, VirtualRegister):
                changes[register.kind] = changes.get(register.kind, 0) - 1
        return changes

    def _ends(self, register: AnyRegister) -> bool:
        return self.readers_left[register] == 1 and register in self.living and register not in self.wanted_later

    def issue(self, node: DependenceNode) -> None:
        for kind, change in self.change(node).items():
            self.count[kind] = self.count.get(kind, 0) + change
        for register in node.reads:
            if self._ends(register):
                self.living.discard(register)
            self.readers_left[register] -= 1
        self.living |= node.writes


def _ordered(region: list[MachineInstruction], wanted_later: set[AnyRegister], machine: IssueModel) -> list[MachineInstruction]:
    nodes = dependences(region)
    pressure = _Pressure(nodes, wanted_later)
    earliest = [0] * len(nodes)
    waiting = [node.waits_for for node in nodes]
    # Height and number of what could be next, the longest chain first.
    ready = sorted((-node.height, node.number) for node in nodes if not node.waits_for)
    state = machine.usual_state
    now = 0
    order: list[MachineInstruction] = []

    def next_place() -> int:
        """Of the best in ``ready``: where registers are scarce that which frees most, else the one that can issue first."""
        scarce = [kind for kind, limit in machine.registers.items() if pressure.count.get(kind, 0) >= limit]
        best, best_rank = 0, None
        for place, (_, number) in enumerate(ready):
            node = nodes[number]
            states = node.instruction.states
            at = max(earliest[number], now) + (machine.switch_cycles if states and state not in states else 0)
            if not scarce and at == now:
                return place
            changes = pressure.change(node) if scarce else {}
            rank = sum(changes.get(kind, 0) for kind in scarce), at
            if best_rank is None or rank < best_rank:
                best, best_rank = place, rank
        return best

    while ready:
        _, number = ready.pop(next_place())
        node = nodes[number]
        now = max(now, earliest[number])
        states = node.instruction.states
        if states and state not in states:
            state = states[0]
        pressure.issue(node)
        order.append(node.instruction)
        for other, cycles in node.after:
            earliest[other.number] = max(earliest[other.number], now + cycles)
            waiting[other.number] -= 1
            if not waiting[other.number]:
                insort(ready, (-other.height, other.number))
        now += 1
    return order
