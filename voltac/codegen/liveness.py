"""Where the registers of a function hold something that is still needed.

Instruction number i reads at position 2i and writes at 2i + 1, all blocks in
order. The live positions of a register are the bits of one integer, so that
two registers meet if the integers have a common bit; these operations are fast
for functions of any size.
"""

from __future__ import annotations

from voltac.codegen.machine_code import AnyRegister, MachineBlock, MachineFunction
from voltac.records import field, mutable_record


@mutable_record(eq=False)
class Liveness:
    """Where each register of a function holds a value that is still needed."""

    live: dict[AnyRegister, int] = field(default_factory=dict)
    """Register -> the positions where it is live."""
    live_in: dict[str, frozenset[AnyRegister]] = field(default_factory=dict)
    live_out: dict[str, frozenset[AnyRegister]] = field(default_factory=dict)
    """By block."""
    start: dict[str, int] = field(default_factory=dict)
    """Block -> position of its first instruction."""


def liveness(function: MachineFunction) -> Liveness:
    """Positions count the instructions of the function, in the order of its blocks."""
    found = Liveness()
    _solve(function, found)
    position = 0
    for block in function.blocks:
        found.start[block.name] = position
        position += 2 * len(block.instructions)
    ranges: dict[AnyRegister, list[tuple[int, int]]] = {}
    for block in function.blocks:
        start = found.start[block.name]
        end = start + 2 * len(block.instructions)
        # Register -> the last position where it is needed.
        needed: dict[AnyRegister, int] = dict.fromkeys(found.live_out[block.name], end - 1)
        at = end
        for instruction in reversed(block.instructions):
            at -= 2
            reads = instruction.reads()
            for register in instruction.writes():
                last = needed.pop(register, at + 1)
                ranges.setdefault(register, []).append((at + 1, last))
            for register in reads:
                needed.setdefault(register, at)
        for register, last in needed.items():
            ranges.setdefault(register, []).append((start, last))
    for register in function.parameters:
        # Arrives in this register whether somebody reads it or not.
        ranges.setdefault(register, []).append((0, 0))
    for register, pieces in ranges.items():
        bits = 0
        for first, last in pieces:
            bits |= ((1 << last - first + 1) - 1) << first
        found.live[register] = bits
    return found


def _solve(function: MachineFunction, found: Liveness) -> None:
    """Live sets at the borders of blocks, to a fixed point."""
    numbers: dict[AnyRegister, int] = {}
    registers: list[AnyRegister] = []

    def bit(register: AnyRegister) -> int:
        number = numbers.get(register)
        if number is None:
            number = numbers[register] = len(registers)
            registers.append(register)
        return 1 << number

    first_reads: dict[str, int] = {}
    writes: dict[str, int] = {}
    for block in function.blocks:
        read = written = 0
        for instruction in block.instructions:
            for register in instruction.reads():
                read |= bit(register) & ~written
            for register in instruction.writes():
                written |= bit(register)
        first_reads[block.name], writes[block.name] = read, written
    live_in = dict.fromkeys(first_reads, 0)
    live_out = dict.fromkeys(first_reads, 0)
    before = predecessors(function)
    pending: list[MachineBlock] = list(function.blocks)
    by_name = {block.name: block for block in function.blocks}
    waiting = set(by_name)
    while pending:
        block = pending.pop()
        name = block.name
        waiting.discard(name)
        out = 0
        for successor in block.successors:
            out |= live_in[successor]
        live_out[name] = out
        into = first_reads[name] | (out & ~writes[name])
        if into != live_in[name]:
            live_in[name] = into
            for other in before[name]:
                if other not in waiting:
                    waiting.add(other)
                    pending.append(by_name[other])

    def members(bits: int) -> frozenset[AnyRegister]:
        inside = []
        while bits:
            lowest = bits & -bits
            inside.append(registers[lowest.bit_length() - 1])
            bits ^= lowest
        return frozenset(inside)

    for name in live_in:
        found.live_in[name], found.live_out[name] = members(live_in[name]), members(live_out[name])


def predecessors(function: MachineFunction) -> dict[str, list[str]]:
    """Block -> those that may come before it, each once."""
    found: dict[str, list[str]] = {block.name: [] for block in function.blocks}
    for block in function.blocks:
        for successor in dict.fromkeys(block.successors):
            found[successor].append(block.name)
    return found
