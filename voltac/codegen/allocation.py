"""Virtual registers -> physical ones: coalescing of copies, then linear scan.

Registers are given in the order in which values begin to live (Poletto and
Sarkar, "Linear Scan Register Allocation", 1999), with live positions exact to
the instruction (``liveness.py``), so that holes and physical registers fixed by
calls are seen. Where none is free, the values that are cheapest to keep in memory
lose theirs: they get a frame slot and tiny lives around each use
(``spilling.py``), constants are made anew instead, and the scan starts over.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.liveness import Liveness, liveness
from voltac.codegen.machine_code import (
    AnyRegister,
    MachineFunction,
    MachineInstruction,
    Register,
    VirtualRegister,
)
from voltac.codegen.spilling import spill
from voltac.records import record


@record(eq=False)
class RegisterFile:
    """What allocation has to know of a target."""

    allocatable: dict[str, tuple[Register, ...]]
    """By class, in order of preference."""
    copies: frozenset[str]
    """Names of the rows that copy a register."""
    sizes: dict[str, int]
    """Bytes of a frame slot for a class, and its alignment."""
    spill: Callable[[AnyRegister, int], MachineInstruction]
    """Stores a register into a frame slot."""
    reload: Callable[[AnyRegister, int], MachineInstruction]


class OutOfRegisters(Exception):
    """One instruction needs more registers than there are."""


_UNSPILLABLE = float("inf")


def copied(instruction: MachineInstruction, file: RegisterFile) -> tuple[AnyRegister, AnyRegister] | None:
    """Target and source of a plain copy."""
    if instruction.row.name not in file.copies or instruction.mask is not None:
        return None
    to, source = instruction.values
    assert isinstance(to, (VirtualRegister, Register)) and isinstance(source, (VirtualRegister, Register))
    return to, source


def coalesce(function: MachineFunction, file: RegisterFile) -> None:
    """Give both ends of a copy one virtual register where they never hold different values at one time."""
    live = liveness(function).live
    parent: dict[VirtualRegister, VirtualRegister] = {}

    def find(register: VirtualRegister) -> VirtualRegister:
        while register in parent:
            register = parent[register]
        return register

    pairs: list[tuple[int, VirtualRegister, VirtualRegister]] = []
    for block in function.blocks:
        for instruction in block.instructions:
            ends = copied(instruction, file)
            if ends and isinstance(ends[0], VirtualRegister) and isinstance(ends[1], VirtualRegister):
                pairs.append((block.frequency, ends[0], ends[1]))
    # Copies in inner loops first.
    pairs.sort(key=lambda pair: -pair[0])
    for _, to, source in pairs:
        first, second = find(to), find(source)
        if first != second and first.kind == second.kind and not live.get(first, 0) & live.get(second, 0):
            parent[second] = first
            live[first] = live.get(first, 0) | live.pop(second, 0)
    if not parent:
        return
    names = {register: find(register) for register in parent}
    for instruction in function.instructions():
        instruction.replace_registers(names)
    remove_idle_copies(function, file)


def remove_idle_copies(function: MachineFunction, file: RegisterFile) -> None:
    """Drop copies of a register onto itself."""
    for block in function.blocks:
        block.instructions = [instruction for instruction in block.instructions if not _is_idle(copied(instruction, file))]


def _is_idle(ends: tuple[AnyRegister, AnyRegister] | None) -> bool:
    return ends is not None and ends[0] == ends[1]


def allocate(function: MachineFunction, file: RegisterFile) -> None:
    """Replace every virtual register."""
    tiny: set[VirtualRegister] = set()
    while True:
        lives = liveness(function)
        assigned, losers = _scan(function, file, lives, tiny)
        if not losers:
            break
        tiny |= spill(function, file.sizes, file.spill, file.reload, losers)
    for instruction in function.instructions():
        instruction.replace_registers(assigned)
    remove_idle_copies(function, file)


def _scan(
    function: MachineFunction, file: RegisterFile, lives: Liveness, tiny: set[VirtualRegister]
) -> tuple[dict[VirtualRegister, Register], list[VirtualRegister]]:
    taken: dict[Register, int] = {}
    for register, bits in lives.live.items():
        if isinstance(register, Register):
            taken[register] = bits
    weights = _weights(function, lives, tiny)
    hints = _hints(function, file)
    virtual = [register for register in lives.live if isinstance(register, VirtualRegister)]
    begin = {register: lives.live[register] & -lives.live[register] for register in virtual}
    virtual.sort(key=lambda register: (begin[register], register.number))
    assigned: dict[VirtualRegister, Register] = {}
    holders: dict[Register, list[VirtualRegister]] = {}
    fixed = dict(taken)
    losers: list[VirtualRegister] = []
    for register in virtual:
        bits = lives.live[register]
        candidates = file.allocatable[register.kind]
        place = _preferred(register, bits, hints, assigned, taken, candidates)
        if place is None:
            place = next((one for one in candidates if not taken.get(one, 0) & bits), None)
        if place is None:
            place, out = _cheapest(register, bits, candidates, fixed, holders, lives, weights)
            for loser in out:
                losers.append(loser)
                if loser is not register:
                    del assigned[loser]
                    holders[place].remove(loser)
            if register in out:
                continue
            taken[place] = fixed.get(place, 0)
            for holder in holders[place]:
                taken[place] |= lives.live[holder]
        assigned[register] = place
        holders.setdefault(place, []).append(register)
        taken[place] = taken.get(place, 0) | bits
    return assigned, losers


def _preferred(
    register: VirtualRegister,
    bits: int,
    hints: dict[VirtualRegister, list[AnyRegister]],
    assigned: dict[VirtualRegister, Register],
    taken: dict[Register, int],
    candidates: tuple[Register, ...],
) -> Register | None:
    """The register of a value that this one is copied from or to."""
    for hint in hints.get(register, ()):
        place = assigned.get(hint) if isinstance(hint, VirtualRegister) else hint
        if place is not None and place in candidates and not taken.get(place, 0) & bits:
            return place
    return None


def _cheapest(
    register: VirtualRegister,
    bits: int,
    candidates: tuple[Register, ...],
    fixed: dict[Register, int],
    holders: dict[Register, list[VirtualRegister]],
    lives: Liveness,
    weights: dict[VirtualRegister, float],
) -> tuple[Register, list[VirtualRegister]]:
    """The register whose holders cost least to spill, and who is to be spilled: they, or the newcomer itself."""
    best_cost, best, best_out = weights[register], candidates[0], [register]
    for place in candidates:
        if fixed.get(place, 0) & bits:
            continue
        out = [holder for holder in holders.get(place, ()) if lives.live[holder] & bits]
        cost = max((weights[holder] for holder in out), default=0.0)
        if cost < best_cost:
            best_cost, best, best_out = cost, place, out
    if best_cost == _UNSPILLABLE:
        raise OutOfRegisters(f"{register} finds no register")
    return best, best_out


def _weights(function: MachineFunction, lives: Liveness, tiny: set[VirtualRegister]) -> dict[VirtualRegister, float]:
    """What spilling a value costs: its uses, ten times as much in each loop, over how long it holds a register."""
    costs: dict[AnyRegister, float] = {}
    constants: set[AnyRegister] = set()
    for block in function.blocks:
        each = 10.0**block.frequency
        for instruction in block.instructions:
            for register in (*instruction.reads(), *instruction.writes()):
                costs[register] = costs.get(register, 0.0) + each
            if "rematerialisable" in instruction.row.traits:
                constants.update(instruction.writes())
    weights: dict[VirtualRegister, float] = {}
    for register, cost in costs.items():
        if not isinstance(register, VirtualRegister):
            continue
        if register in tiny:
            weights[register] = _UNSPILLABLE
        else:
            weights[register] = cost * (0.5 if register in constants else 1.0) / (lives.live[register].bit_count() + 2)
    return weights


def _hints(function: MachineFunction, file: RegisterFile) -> dict[VirtualRegister, list[AnyRegister]]:
    hints: dict[VirtualRegister, list[AnyRegister]] = {}
    for instruction in function.instructions():
        ends = copied(instruction, file)
        if ends is not None:
            to, source = ends
            if isinstance(to, VirtualRegister):
                hints.setdefault(to, []).append(source)
            if isinstance(source, VirtualRegister):
                hints.setdefault(source, []).append(to)
    return hints
