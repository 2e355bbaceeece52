"""Barriers at the end of a kernel go: where all workers end, nobody has to wait.

call void @ipu.barrier(...); ret void    ->    ret void
"""

from __future__ import annotations

from voltac.ir.model import Block, Module

BARRIER = "@ipu.barrier"
_HARMLESS = frozenset(("br", "ret", "phi"))


def drop_last_barriers(module: Module) -> None:
    """Those behind which nothing but the end of a kernel comes."""
    for function in module.functions:
        blocks = {block.name: block for block in function.blocks}
        if function.header.startswith("define internal"):
            continue
        for block in function.blocks:
            while (place := _last_barrier(block)) is not None and _ends(block, place + 1, blocks):
                del block.instructions[place]


def _last_barrier(block: Block) -> int | None:
    return next(
        (
            place
            for place in reversed(range(len(block.instructions)))
            if block.instructions[place].op == "call" and block.instructions[place].parts.callee == BARRIER
        ),
        None,
    )


def _ends(block: Block, place: int, blocks: dict[str, Block]) -> bool:
    seen = set()
    while block.name not in seen:
        seen.add(block.name)
        rest = block.instructions[place:]
        if not all(instruction.op in _HARMLESS or instruction.op.startswith("#") for instruction in rest):
            return False
        last = rest[-1]
        if last.op == "ret":
            return not last.operands
        if len(last.parts.labels) != 1:
            return False
        block, place = blocks[last.parts.labels[0]], 0
    return False
