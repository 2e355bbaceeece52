"""Long straight bodies of loops over gangs: whether what follows from each other in one keeps a processor waiting.

    float k = f * a - a * a * a;                each of which waits for the one before: a gang takes
    a += h * k * (1 + k * (0.5f + k * ...       four cycles a step, in which a processor does eight

A processor looks for what it can do among the instructions that wait, about a hundred. Gangs of short bodies overlap there by
themselves; of long ones there is little more than one at a time, and two whose instructions take turns keep it busy. On Zen 4
six steps of a differential equation, 66 instructions, take 0.81 of the time so.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.model import Block, Instruction
from voltac.ir.parts import FLOAT_BINARY

GANGS = 2
"""At once. More need more registers than there are."""
_FEWEST = 60
"""Instructions of a body: shorter ones overlap."""
_CYCLES = {"mul": 4, "fcmp": 4, "fptosi": 4, "sitofp": 4, "fpext": 4, "fptrunc": 4}
_FLOAT, _QUOTIENT, _OTHER = 4, 11, 1
"""From operand to result, about, on processors from Haswell to Zen 4: of other float operations, of quotients and roots, and of
all others. Chosen, not measured."""
DIVISION = 10
"""Instructions that a division counts for: its unit begins one in five cycles, two other units two others in each."""
_LATENCY_OF_WORK = 1.5
"""Cycles of the longest chain for each instruction: then its units are busy for less than a third of the time."""


def begins_with_long_body(block: Block) -> bool:
    """Whether it may be such a body, at first sight."""
    return len(block.instructions) >= _FEWEST and block.terminator.op == "br" and len(block.successors) == 1


def is_division(instruction: Instruction) -> bool:
    """Whether it is for the unit that finds quotients and roots of floats."""
    return instruction.op in ("fdiv", "frem") or ".sqrt." in instruction.text


def latency(instruction: Instruction) -> int:
    """Cycles from operand to result, about."""
    if is_division(instruction):
        return _QUOTIENT
    if "@llvm.fma." in instruction.text or "@llvm.fmuladd." in instruction.text:
        return _FLOAT
    return _CYCLES.get(instruction.op, _FLOAT if instruction.op in FLOAT_BINARY else _OTHER)


def waits_in_line(block: Block, is_data: Callable[[Instruction], bool]) -> bool:
    """Whether two gangs would take much less time together than one after the other."""
    users: dict[str, list[Instruction]] = {}
    for each in block.instructions:
        for name in each.names_used():
            users.setdefault(name, []).append(each)
    work = 0
    ready: dict[str, int] = {}
    for each in block.instructions:
        if not each.name or not is_data(each):
            continue
        contracted = each.op == "fmul" and [user.op for user in users.get(each.name, ())] in (["fadd"], ["fsub"])
        work += DIVISION if is_division(each) else not contracted
        start = max((ready[name] for name in each.names_used() if name in ready), default=0)
        ready[each.name] = start if contracted else start + latency(each)
    return work >= _FEWEST and max(ready.values(), default=0) >= _LATENCY_OF_WORK * work
