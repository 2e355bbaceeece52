"""Long straight bodies of loops over gangs: whether what follows from each other in one keeps a processor waiting.

    float k = f * a - a * a * a;                each of which waits for the one before: a gang takes
    a += h * k * (1 + k * (0.5f + k * ...       four cycles a step, in which a processor does eight

A processor looks for what it can do among the instructions that wait, about a hundred. Gangs of short bodies overlap there by
themselves; of long ones there is little more than one at a time, and two whose instructions take turns keep it busy. On Zen 4
six steps of a differential equation, 66 instructions, take 0.81 of the time so, option prices with five functions 0.85, pow
0.88, erf, cosh and atan2 0.92. Branches may be among them that seldom go one of their ways
(:mod:`voltac.passes.loops.rare_branches`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voltac.ir.model import Block, Instruction
from voltac.ir.parts import FLOAT_BINARY

GANGS = 2
"""At once. More need more registers than there are."""
_FEWEST = 30
"""Instructions of a body that compute: shorter ones overlap. By two gangs log1p, of 29, takes 1.06 of the time, expm1, of 31,
0.92."""
_FEWEST_AT_ALL = 40
"""Such and others, of one block."""
_WAITS = 46
"""Cycles of the longest chain, which such a window cannot bridge: with 49 functions take 0.93 to 0.97 of the time by two gangs,
with 43 and less as long, or up to 1.05."""
_CYCLES = {"mul": 4, "fcmp": 4, "fptosi": 4, "sitofp": 4, "fpext": 4, "fptrunc": 4}
_FLOAT, _QUOTIENT, _OTHER = 4, 11, 1
"""From operand to result, about, on processors from Haswell to Zen 4: of other float operations, of quotients and roots, and of
all others. Chosen, not measured."""
DIVISION = 10
"""Instructions that a division counts for: its unit begins one in five cycles, two other units two others in each."""
WORK_OF_CYCLE = 1.8
"""Instructions for each cycle of the longest chain; a processor does two, and then nothing waits."""


def begins_with_long_body(block: Block) -> bool:
    """Whether it may be such a body, at first sight."""
    return len(block.instructions) >= _FEWEST_AT_ALL and block.terminator.op == "br"


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


def waits_in_line(
    body: Sequence[Instruction], is_data: Callable[[Instruction], bool], work_of_cycle: float = WORK_OF_CYCLE
) -> bool:
    """Whether two gangs would take much less time together than one after the other."""
    users: dict[str, list[Instruction]] = {}
    for each in body:
        for name in each.names_used():
            users.setdefault(name, []).append(each)
    work = 0
    ready: dict[str, int] = {}
    for each in body:
        if not each.name or not is_data(each):
            continue
        contracted = each.op == "fmul" and [user.op for user in users.get(each.name, ())] in (["fadd"], ["fsub"])
        work += DIVISION if is_division(each) else not contracted
        start = max((ready[name] for name in each.names_used() if name in ready), default=0)
        ready[each.name] = start if contracted else start + latency(each)
    cycles = max(ready.values(), default=0)
    return work >= _FEWEST and cycles >= _WAITS and work <= work_of_cycle * cycles
