"""What is said to LLVM of loops by metadata: ``lower`` says not to unroll those over gangs, unless the program asks for that.

br label %test, !llvm.loop !7        !7 = distinct !{!7, !8}     !8 = !{!"llvm.loop.unroll.runtime.disable"}

Loops of one lane that passes write are to be unrolled: counters are stepped, and lines of the cache left, less often.
"""

from __future__ import annotations

import re

from voltac.ir.model import Instruction, Module
from voltac.system.lazy_patterns import lazy_pattern

_SINGLE = '!{!"llvm.loop.unroll.runtime.disable"}'
_UNROLLED = lazy_pattern(r'!(\d+) = distinct !\{!\1, !\{!"llvm\.loop\.unroll\.count", i32 \d+\}\}$')
_LOOP = lazy_pattern(r"!llvm\.loop (!\d+)")


def single_hints(module: Module) -> set[str]:
    """The nodes that say so: ``!8``."""
    return {line.partition(" = ")[0] for line in module.lines() if line.endswith(_SINGLE)}


def loops_of_single_gangs(module: Module) -> set[str]:
    """The nodes of such loops: ``!7``. Others are unrolled, or not, as the program says by a pragma."""
    hints = single_hints(module)
    return {
        line.partition(" = ")[0]
        for line in (module.lines() if hints else ())
        if " = distinct !{" in line and not hints.isdisjoint(re.findall(r"!\d+", line))
    }


def loop_of(branch: Instruction) -> str:
    """The node of the loop that a jump goes back in; empty for others."""
    found = _LOOP.search(branch.text)
    return found[1] if found else ""


_SHORT, _TIMES = 40, 4
"""Instructions of a loop of one lane, and iterations. Measured on Zen 4: searches take 0.76 of the time, hashes of strings
0.85."""
_MOST_TIMES, _MOST_WHOLE = 8, 320
"""Iterations, and instructions of all of them, of a loop that is written out whole. Measured on Zen 4: numbers of up to eight
digits are read in 0.84 of the time, where each position has branches of its own."""


def aligned(module: Module, number: int) -> str:
    """What the branch back of a loop within one line of the instruction cache ends with: a new node of that number."""
    module.items.append([f'!{number} = distinct !{{!{number}, !{{!"llvm.loop.align", i32 64}}}}'])
    return f", !llvm.loop !{number}"


def free_node(module: Module) -> int:
    """The first number that no node has, nor any behind it."""
    # What unrolled() wrote last has the highest: the others are not looked at once more for each loop.
    if (own := _UNROLLED.match(_last_line(module))) is not None:
        return int(own[1]) + 1
    numbers = (line[1:].partition(" ")[0] for line in module.lines() if line.startswith("!"))
    return max((int(each) for each in numbers if each.isdigit()), default=-1) + 1


def _last_line(module: Module) -> str:
    last = module.items[-1] if module.items else []
    return last[-1] if isinstance(last, list) and last else ""


def unpredictable(module: Module) -> str:
    """What a selection ends with that is to stay one: the node is there, or new."""
    empty = (line.partition(" = ")[0] for line in module.lines() if line.endswith(_EMPTY))
    node = next(empty, "")
    if not node:
        node = f"!{free_node(module)}"
        module.items.append([node + _EMPTY])
    return f", !unpredictable {node}"


_EMPTY = " = !{}"


def rarely_taken(module: Module) -> str:
    """What a branch ends with that LLVM is to leave a branch: it does not look like one that goes either way."""
    node = next((line.partition(" = ")[0] for line in module.lines() if line.endswith(_RARELY)), "")
    if not node:
        node = f"!{free_node(module)}"
        module.items.append([node + _RARELY])
    return f", !prof {node}"


_RARELY = ' = !{!"branch_weights", i32 1, i32 4000}'


def unrolled(module: Module, number: int, instructions: int, most: int | None = None) -> str:
    """What the branch back of a loop of so many instructions ends with: a new node of that number; empty for long ones.

    ``most``: how often the loop is run at most, if that is known."""
    whole = most is not None and _TIMES < most <= _MOST_TIMES and most * instructions <= _MOST_WHOLE
    if instructions > _SHORT and not whole:
        return ""
    times = most if whole else _TIMES
    module.items.append([f'!{number} = distinct !{{!{number}, !{{!"llvm.loop.unroll.count", i32 {times}}}}}'])
    return f", !llvm.loop !{number}"
