"""Barriers at the end of a kernel go: where all workers end, nobody has to wait.

call void @ipu.barrier(...); ret void    ->    ret void
"""

from __future__ import annotations

from voltac.ir.model import Block, Function, Module

BARRIER = "@ipu.barrier"
_HARMLESS = frozenset(("br", "ret", "phi"))


def drop_last_barriers(module: Module) -> None:
    """Those behind which nothing but the end of a kernel comes, if each worker's last one is such.

    Workers go different ways, and copies of one barrier may stand on them: where one is left out, those that it meets are, too.
    """
    if any(function.header.startswith("define internal") and _has_barrier(function) for function in module.functions):
        return
    for function in module.functions:
        blocks = {block.name: block for block in function.blocks}
        while last := [
            (block, place) for block in function.blocks for place in _barriers(block) if _may_be_last(block, place, blocks)
        ]:
            if not all(_ends(block, place + 1, blocks) for block, place in last):
                break
            for block, place in reversed(last):
                del block.instructions[place]


def _has_barrier(function: Function) -> bool:
    return any(_barriers(block) for block in function.blocks)


def _barriers(block: Block) -> list[int]:
    """Their places in a block."""
    return [
        place
        for place, instruction in enumerate(block.instructions)
        if instruction.op == "call" and instruction.parts.callee == BARRIER
    ]


def _may_be_last(block: Block, place: int, blocks: dict[str, Block]) -> bool:
    """Whether a way leads from a barrier to the end of the function without another one."""
    if _barriers(block)[-1] != place:
        return False
    seen: set[str] = set()
    waiting = [block.instructions[-1]]
    while waiting:
        last = waiting.pop()
        if last.op == "ret":
            return True
        for label in last.parts.labels:
            if label not in seen:
                seen.add(label)
                if not _barriers(blocks[label]):
                    waiting.append(blocks[label].instructions[-1])
    return False


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
