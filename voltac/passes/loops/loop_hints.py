"""What ``lower`` says to LLVM of loops over gangs by metadata: not to unroll them, unless the program asks for that.

br label %test, !llvm.loop !7        !7 = distinct !{!7, !8}     !8 = !{!"llvm.loop.unroll.runtime.disable"}
"""

from __future__ import annotations

import re

from voltac.ir.model import Instruction, Module

_SINGLE = '!{!"llvm.loop.unroll.runtime.disable"}'
_LOOP = re.compile(r"!llvm\.loop (!\d+)")


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
