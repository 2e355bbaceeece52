"""legal IR -> legal IR: what a block loads twice from one place, with nothing stored in between, it loads once.

    %a = load <16 x i32>, ptr %p, align 64 ... %b = load <16 x i32>, ptr %q, align 64, where %q is %p      ->      %a alone

Neighbours of one element (``a[i + 1]``, ``a[i + 2]``) are parts of the same two lines, which is seen when their
addresses are steps of one pointer (``loops/strides.py``).
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.addresses import place_of
from voltac.ir.model import Instruction, Module


def share_loads(module: Module, is_harmless: Callable[[str], bool]) -> bool:
    """``is_harmless``: whether a function, by its name, leaves memory as it is. Whether any load has gone."""
    changed = False
    for function in module.functions:
        definitions = function.definitions()
        renamed: dict[str, str] = {}
        for block in function.blocks:
            known: dict[tuple[str, str, int], str] = {}
            kept: list[Instruction] = []
            for instruction in block.instructions:
                if instruction.op == "load" and "volatile" not in instruction.text and "atomic" not in instruction.text:
                    key = (
                        instruction.text.partition(" = ")[2].partition(",")[0],
                        *place_of(instruction.operands[0].value, definitions),
                    )
                    if key in known:
                        renamed[instruction.name] = known[key]
                        continue
                    known[key] = instruction.name
                elif instruction.op in ("store", "atomicrmw", "cmpxchg", "fence") or (
                    instruction.op == "call" and not is_harmless(instruction.parts.callee)
                ):
                    known.clear()
                kept.append(instruction)
            block.instructions = kept
        function.replace_uses(renamed)
        changed |= bool(renamed)
    return changed
