"""Frozen vectors of what was loaded -> these vectors, for LLVM's code generator.

When LLVM has finished simplifying::

    %one = load i8, ptr %p                              %v = insertelement <8 x i8> ..., i8 %one, i64 0 (and so on)
    %known = freeze <8 x i8> %v                    ->
    %wide = zext <8 x i8> %known to <8 x i32>           %wide = zext <8 x i8> %v to <8 x i32>

What is put together of bytes is frozen, as memory may hold what nobody has written, and no lane may spoil another while LLVM
simplifies. Its code generator takes what an instruction loads for what it is; but it freezes each lane by itself,
and what is frozen is no operand in memory: ``vpinsrb`` from memory became two instructions.
"""

from __future__ import annotations

from voltac.ir.function_texts import rewrite_functions
from voltac.ir.model import Instruction
from voltac.ir.scan import VALUE, renamed
from voltac.ir.types import lanes_of
from voltac.system.lazy_patterns import lazy_pattern

_FROZEN = lazy_pattern(rf"  (?P<name>{VALUE}) = freeze <\d+ x [if]\d+> (?P<value>{VALUE})(?:, !dbg !\d+)?$")


def thaw_loads(text: str) -> str:
    """The module's text, unchanged if no vector of what was loaded is frozen."""
    return rewrite_functions(text, _rewritten) if " = freeze <" in text and " = load " in text else text


def _rewritten(function: str) -> str:
    if " = freeze <" not in function:
        return function
    lines = function.split("\n")
    frozen = {at: found for at, line in enumerate(lines) if " = freeze <" in line and (found := _FROZEN.match(line))}
    if not frozen:
        return function
    made = {line[2 : line.index(" = ")]: line for line in lines if line.startswith("  %") and _makes_of_loads(line)}
    same = {found["name"]: found["value"] for found in frozen.values() if _is_loaded(found["value"], made)}
    if not same:
        return function
    for name, value in same.items():
        while value in same:
            value = same[value]
        same[name] = value
    kept = (line for at, line in enumerate(lines) if at not in frozen or frozen[at]["name"] not in same)
    return "\n".join(renamed(line, same) for line in kept)


def _makes_of_loads(line: str) -> bool:
    return " = load " in line or " = insertelement <" in line


def _is_loaded(name: str, made: dict[str, str]) -> bool:
    """Whether it is a load, or a vector of which each lane is."""
    lanes, count = set[str](), 0
    while name in made:
        instruction = Instruction(made[name])
        if instruction.op == "load":
            return True
        vector, scalar, lane = instruction.operands
        count = lanes_of(vector.type)
        if " = load " not in made.get(scalar.value, ""):
            return False
        lanes.add(lane.value)
        name = vector.value
    return count > 0 and len(lanes) == count
