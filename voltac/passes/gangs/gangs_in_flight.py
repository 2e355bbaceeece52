"""Short all-on loops that store nothing -> the hint that LLVM does several gangs per iteration.

    br label %test, !llvm.loop !7        !7 = distinct !{!7, !8}     !8 = !{!"llvm.loop.unroll.runtime.disable"}
    ->                                   !7 = distinct !{!7, !9}     !9 = !{!"llvm.loop.unroll.count", i32 4}

A loop that only sums up waits for its sums: LLVM gives each of the gangs one of its own,
where the order of additions does not matter. Of loops that store :mod:`voltac.passes.gangs.gang_pairs` does two.
"""

from __future__ import annotations

import re

from voltac.ir.cfg import control_flow
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import is_divisor
from voltac.passes.loops.loop_hints import loop_of, single_hints

_MOST_INSTRUCTIONS = 24
_GANGS = 4
"""Of a loop's body, and gangs per iteration: a float addition takes 3 or 4 cycles, and a longer body keeps the processor busy
meanwhile. The first is chosen, not measured."""


def put_gangs_in_flight(module: Module, options: Options) -> None:
    """Rewrite the hints of the module."""
    gangs = _GANGS * options.target.vector_bits // max(options.target.vector_bits, 32 * options.target.width)
    if gangs < 2:
        return
    single = single_hints(module)
    if not single:
        return
    wanted = {name for function in module.often_called for name in _short_loops(function, options.target.vector_bits)}
    for item in module.items:
        if wanted and isinstance(item, list):
            item[:] = [_with_gangs(line, wanted, single, gangs) for line in item]


def _short_loops(function: Function, register_bits: int) -> list[str]:
    """The names of the metadata of loops of one block, or of a test and one block, that gain."""
    found: list[str] = []
    if not any("!llvm.loop" in block.terminator.text for block in function.blocks):
        return found
    flow = control_flow(function)
    for loop in flow.loops:
        if len(loop.blocks) > 2:
            continue
        bodies = [function.block(name) for name in loop.blocks]
        instructions = [each for block in bodies for each in block.instructions]
        instructions = [each for each in instructions if not each.op.startswith("#") and not is_divisor(each)]
        if len(instructions) > _MOST_INSTRUCTIONS or any(_writes(each) for each in instructions):
            continue
        if any(_bits(phi.type) >= _GANGS * register_bits for block in bodies for phi in block.phis()):
            # Widened: it has as many sums of its own already.
            continue
        found += filter(None, (loop_of(block.terminator) for block in bodies))
    return found


def _bits(type_text: str) -> int:
    width = re.search(r"\d+$", element_of(type_text))
    return lanes_of(type_text) * (int(width[0]) if width else 64 if element_of(type_text) == "double" else 32)


def _writes(instruction: Instruction) -> bool:
    if instruction.op != "call":
        return instruction.op in ("store", "atomicrmw", "cmpxchg")
    callee = instruction.parts.callee
    return not callee.startswith("@llvm.") or "store" in callee or "scatter" in callee


def _with_gangs(line: str, wanted: set[str], single: set[str], gangs: int) -> str:
    name, _, body = line.partition(" = ")
    # Loops of one lane have a count already.
    if name not in wanted or not body.startswith("distinct !{") or "unroll.count" in body:
        return line
    hints = [hint for hint in body[len("distinct !{") : -1].split(", ") if hint not in single]
    return f"{name} = distinct !{{{', '.join((*hints, _count(gangs)))}}}"


def _count(gangs: int) -> str:
    return f'!{{!"llvm.loop.unroll.count", i32 {gangs}}}'
