"""Where the registers of a function hold something that is still needed.

Instruction number i reads at position 2i and writes at 2i + 1, all blocks in
order. The live positions of a register are the bits of one integer, so that
two registers meet if the integers have a common bit; these operations are fast
for functions of any size.
"""

from __future__ import annotations

from voltac.codegen.machine_code import AnyRegister, MachineFunction

_Accesses = list[tuple[list[AnyRegister], list[AnyRegister]]]
"""What each instruction of a block reads and writes."""


def liveness(function: MachineFunction) -> dict[AnyRegister, int]:
    """Register -> the positions where it holds a value that is still needed."""
    accesses = _accesses(function)
    outs = _live_out(function, accesses)
    ranges: dict[AnyRegister, list[tuple[int, int]]] = {}
    start = 0
    for block in function.blocks:
        at = end = start + 2 * len(block.instructions)
        # Register -> the last position where it is needed.
        needed: dict[AnyRegister, int] = dict.fromkeys(outs[block.name], end - 1)
        for reads, writes in reversed(accesses[block.name]):
            at -= 2
            for register in writes:
                last = needed.pop(register, at + 1)
                ranges.setdefault(register, []).append((at + 1, last))
            for register in reads:
                needed.setdefault(register, at)
        for register, last in needed.items():
            ranges.setdefault(register, []).append((start, last))
        start = end
    for register in function.parameters:
        # Arrives in this register whether somebody reads it or not.
        ranges.setdefault(register, []).append((0, 0))
    found: dict[AnyRegister, int] = {}
    for register, pieces in ranges.items():
        bits = 0
        for first, last in pieces:
            bits |= ((1 << last - first + 1) - 1) << first
        found[register] = bits
    return found


def live_out(function: MachineFunction) -> dict[str, set[AnyRegister]]:
    """Block -> registers whose value at its end is still needed."""
    return _live_out(function, _accesses(function))


def _accesses(function: MachineFunction) -> dict[str, _Accesses]:
    return {block.name: [(one.reads(), one.writes()) for one in block.instructions] for block in function.blocks}


def _live_out(function: MachineFunction, accesses: dict[str, _Accesses]) -> dict[str, set[AnyRegister]]:
    """To a fixed point, block by block from those behind to those before."""
    live_in: dict[str, set[AnyRegister]] = {}
    """At first what a block reads before it writes it."""
    written: dict[str, set[AnyRegister]] = {}
    for name, of_block in accesses.items():
        read: set[AnyRegister] = set()
        made: set[AnyRegister] = set()
        for reads, writes in of_block:
            read.update(register for register in reads if register not in made)
            made.update(writes)
        live_in[name], written[name] = read, made
    outs: dict[str, set[AnyRegister]] = {block.name: set() for block in function.blocks}
    successors = {block.name: block.successors for block in function.blocks}
    before = predecessors(function)
    pending = dict.fromkeys(successors)
    while pending:
        name, _ = pending.popitem()
        out = outs[name].union(*(live_in[successor] for successor in successors[name]))
        new = out - outs[name]
        outs[name] = out
        new -= written[name]
        if not new <= live_in[name]:
            live_in[name] |= new
            pending.update(dict.fromkeys(before[name]))
    return outs


def predecessors(function: MachineFunction) -> dict[str, list[str]]:
    """Block -> those that may come before it, each once."""
    found: dict[str, list[str]] = {block.name: [] for block in function.blocks}
    for block in function.blocks:
        for successor in dict.fromkeys(block.successors):
            found[successor].append(block.name)
    return found
