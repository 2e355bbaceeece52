"""What must stay before what: registers, memory, and instructions that nothing passes."""

from __future__ import annotations

from voltac.codegen.machine_code import AnyRegister, MachineInstruction
from voltac.records import field, mutable_record

FENCES = frozenset(
    ("branch", "return", "call", "barrier", "read_control", "write_control", "read_mask", "write_mask", "end", "invalidate")
)
"""Traits of instructions that nothing is moved across."""


@mutable_record(eq=False)
class DependenceNode:
    """An instruction, what waits for it, and after how many cycles."""

    instruction: MachineInstruction
    number: int
    reads: frozenset[AnyRegister]
    writes: frozenset[AnyRegister]
    after: list[tuple[DependenceNode, int]] = field(default_factory=list)
    waits_for: int = 0
    """How many nodes come before it."""
    height: int = 0
    """Cycles from its issue to the end of the longest chain that begins with it."""


def result_latency(instruction: MachineInstruction, register: AnyRegister) -> int:
    """Cycles until a register that an instruction writes may be read: an address that an access increments is there at once."""
    if "increments" in instruction.row.traits:
        for operand, value in zip(instruction.row.operands, instruction.values):
            if value == register and operand.role == "update":
                return 1
    return instruction.row.latency


def is_fence(instruction: MachineInstruction) -> bool:
    """Whether nothing may be moved past it."""
    return not FENCES.isdisjoint(instruction.row.traits)


def dependences(instructions: list[MachineInstruction], reads_before_writes: bool = False) -> list[DependenceNode]:
    """The graph of instructions among which there is no fence but the last, in their order.

    ``reads_before_writes``: a register, or memory, may be written in the cycle in which its old value is read.
    """
    nodes = [
        DependenceNode(instruction, number, frozenset(instruction.reads()), frozenset(instruction.writes()))
        for number, instruction in enumerate(instructions)
    ]
    writer: dict[AnyRegister, tuple[int, int]] = {}
    """Who wrote a register last, and after how many cycles it may be read."""
    readers: dict[AnyRegister, list[int]] = {}
    loads: list[DependenceNode] = []
    stores: list[DependenceNode] = []
    flushes: list[DependenceNode] = []
    behind_read = 0 if reads_before_writes else 1
    for node in nodes:
        instruction, number = node.instruction, node.number
        before: dict[int, int] = {}
        for register in (*node.reads, *node.writes):
            if register in writer:
                first, cycles = writer[register]
                before[first] = max(cycles, before.get(first, 0))
        for register in node.writes:
            for first in readers.pop(register, ()):
                before[first] = max(behind_read, before.get(first, 0))
            writer[register] = number, result_latency(instruction, register)
        for register in node.reads:
            readers.setdefault(register, []).append(number)
        traits = instruction.row.traits
        waits: list[tuple[DependenceNode, int]] = []
        if "flush" in traits:
            waits = [(other, 1) for other in (*stores, *flushes)]
            flushes.append(node)
        elif "store" in traits:
            waits = [(other, behind_read) for other in loads if may_meet(instruction, other.instruction)]
            waits += [(other, 1) for other in stores if may_meet(instruction, other.instruction)]
            waits += [(other, 1) for other in flushes]
            stores.append(node)
        elif "load" in traits:
            waits = [(other, 1) for other in stores if may_meet(instruction, other.instruction)]
            loads.append(node)
        for other, cycles in waits:
            before[other.number] = max(cycles, before.get(other.number, 0))
        for first, cycles in before.items():
            nodes[first].after.append((node, cycles))
        node.waits_for = len(before)
    for node in reversed(nodes):
        node.height = max([cycles + other.height for other, cycles in node.after], default=node.instruction.row.latency)
    return nodes


def may_meet(one: MachineInstruction, other: MachineInstruction) -> bool:
    """Whether two accesses may touch one byte."""
    return one.access is None or other.access is None or one.access.meets(other.access)
