"""What accesses come behind: whatever may touch the same bytes, for all the addresses that there may be, and little else."""

from __future__ import annotations

import itertools
import random

from voltac.ir.read import read
from voltac.targets.ipu.pairs.memory_order import MemoryOrder

BASES = ("%a", "%b", "%far", "%any", "%local")
"""Two arrays that share nothing, a place of the first that is not known, any place, and a variable."""
Access = tuple[str, str, int]
"""Whether it loads, its base and bytes from there."""
HEAD = """  %local = alloca [64 x i8], align 4
  %far = getelementptr i8, ptr %a, i32 %n
"""


def random_block(rng: random.Random, count: int) -> tuple[str, list[Access | None]]:
    """The text, and the accesses; None for a call."""
    lines: list[str] = []
    accesses: list[Access | None] = []
    for number in range(count):
        if rng.random() < 0.05:
            lines.append("  call void @f()")
            accesses.append(None)
            continue
        base, offset = rng.choice(BASES), rng.randrange(0, 24)
        lines.append(f"  %p{number} = getelementptr i8, ptr {base}, i32 {offset}")
        kind = rng.choice(("load", "store"))
        lines.append(f"  %v{number} = load i32, ptr %p{number}" if kind == "load" else f"  store i32 %n, ptr %p{number}")
        accesses.append((kind, base, offset))
    return "\n".join(lines), accesses


def meet(one: Access, other: Access) -> bool:
    """By addresses: those of arrays that share nothing are far from each other, others may be anywhere."""
    if one[1] == other[1]:
        return abs(one[2] - other[2]) < 4
    apart = {"%a", "%b", "%local", "%far"}
    return not {one[1], other[1]} <= apart or {one[1], other[1]} == {"%a", "%far"}


def test_accesses_come_behind_those_that_they_may_meet() -> None:
    rng = random.Random(1)
    for _ in range(40):
        text, accesses = random_block(rng, 30)
        module = read(
            "declare void @f()\n\ndefine void @k(ptr noalias %a, ptr noalias %b, ptr %any, i32 %n) {\nentry:\n"
            f"{HEAD}{text}\n  ret void\n}}\n"
        )
        (function,) = module.functions
        (block,) = function.blocks
        found = MemoryOrder(function, function.definitions()).of(block)
        touching = [one for one in block.instructions if one.op in ("load", "store", "call")]
        position = {id(one): at for at, one in enumerate(touching)}
        for at, instruction in enumerate(touching):
            before = {position[id(one)] for one in found[id(instruction)]}
            own = accesses[at]
            fence = max((number for number in range(at) if accesses[number] is None), default=-1)
            expected = {fence} - {-1}
            for number, other in itertools.islice(enumerate(accesses), fence + 1, at):
                if own is None or (other is not None and {own[0], other[0]} != {"load"} and meet(own, other)):
                    expected.add(number)
            assert before == expected, (text, at)


def test_a_long_block_of_different_places_is_looked_up() -> None:
    lines = [
        f"  %p{number} = getelementptr i8, ptr %a, i32 {4 * number}\n  store i32 0, ptr %p{number}" for number in range(3000)
    ]
    module = read("define void @k(ptr noalias %a) {\nentry:\n" + "\n".join(lines) + "\n  ret void\n}\n")
    (function,) = module.functions
    found = MemoryOrder(function, function.definitions()).of(function.blocks[0])
    assert all(not found[id(one)] for one in function.blocks[0].instructions if one.op == "store")
