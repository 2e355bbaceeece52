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
    writer: dict[AnyRegister, DependenceNode] = {}
    readers: dict[AnyRegister, list[DependenceNode]] = {}
    loads: list[DependenceNode] = []
    stores: list[DependenceNode] = []
    flushes: list[DependenceNode] = []
    for node in nodes:
        instruction = node.instruction
        before: dict[int, int] = {}

        def wait(other: DependenceNode, cycles: int, before: dict[int, int] = before) -> None:
            before[other.number] = max(cycles, before.get(other.number, 0))

        for register in node.reads:
            if register in writer:
                wait(writer[register], result_latency(writer[register].instruction, register))
        for register in node.writes:
            if register in writer:
                wait(writer[register], result_latency(writer[register].instruction, register))
            for reader in readers.pop(register, ()):
                wait(reader, 0 if reads_before_writes else 1)
        traits = instruction.row.traits
        if "flush" in traits:
            for other in (*stores, *flushes):
                wait(other, 1)
            flushes.append(node)
        elif "store" in traits:
            for other in (*loads, *stores):
                if may_meet(instruction, other.instruction):
                    wait(other, 0 if reads_before_writes and "store" not in other.instruction.row.traits else 1)
            for other in flushes:
                wait(other, 1)
            stores.append(node)
        elif "load" in traits:
            for other in stores:
                if may_meet(instruction, other.instruction):
                    wait(other, 1)
            loads.append(node)
        before.pop(node.number, None)
        for number, cycles in before.items():
            nodes[number].after.append((node, cycles))
        node.waits_for = len(before)
        for register in node.reads:
            readers.setdefault(register, []).append(node)
        for register in node.writes:
            writer[register] = node
    for node in reversed(nodes):
        node.height = max([cycles + other.height for other, cycles in node.after], default=node.instruction.row.latency)
    return nodes


def may_meet(one: MachineInstruction, other: MachineInstruction) -> bool:
    """Whether two accesses may touch one byte."""
    return one.access is None or other.access is None or one.access.meets(other.access)
