"""Finds the paths of foreach and coherent statements: in the typed tree, and their instructions in the assembly."""

from __future__ import annotations

from voltac.ir import marks
from voltac.report.assembly import AssemblyBlock
from voltac.sema import tree
from voltac.sema.tree_walk import nodes

Statement = tree.Foreach | tree.If | tree.Loop
"""The statements that have two paths."""


def statements(function: tree.FunctionSymbol) -> list[Statement]:
    """The foreach and coherent statements of a function and of the functions it calls, the library's aside."""
    found: list[Statement] = []
    waiting, seen = [function], {function}
    while waiting:
        for node in nodes(waiting.pop(0).body):
            if isinstance(node, tree.Foreach) or (isinstance(node, (tree.If, tree.Loop)) and node.coherent):
                found.append(node)
            elif isinstance(node, tree.Call) and node.function not in seen and not node.function.library:
                seen.add(node.function)
                waiting.append(node.function)
    return found


def keyword(node: Statement) -> str:
    """The statement as the programmer wrote it."""
    if isinstance(node, tree.Foreach):
        return "foreach_tiled" if node.tiled else "foreach"
    return "cif" if isinstance(node, tree.If) else "cfor" if node.step is not None else "cwhile" if node.test_first else "cdo"


def block_names(node: Statement) -> tuple[str, str]:
    """What the names of the first blocks of the all-on and the masked path begin with (``lower`` gives them)."""
    kind = marks.FOREACH if isinstance(node, tree.Foreach) else marks.CIF if isinstance(node, tree.If) else marks.CFOR
    name = marks.statement(kind, node.span.line, node.span.column)
    return marks.block(name, marks.ALL_ON), marks.block(name, marks.MIXED if kind == marks.CIF else marks.MASKED)


def path_blocks(blocks: list[AssemblyBlock], node: Statement, start: str) -> tuple[AssemblyBlock, ...]:
    """The blocks of the path of ``node`` whose first block's name is ``start``.

    For a loop they are those of the loop around that block; for a cif, or where the
    optimiser left no loop, the blocks from there up to the next one that is named
    after a statement outside of ``node``.
    """
    named = [k for k, block in enumerate(blocks) if block.name.startswith(start) and ".preheader" not in block.name]
    if not named:
        return ()
    looping = [k for k in named if blocks[k].loops]
    first = looping[0] if looping else named[0]
    if looping and not isinstance(node, tree.If):
        # The statement's loop, not one inside of it: the outermost one that begins with a block of the statement.
        heads = (start, marks.test_block(start))
        own = {block.label.removeprefix(".L") for block in blocks if block.name.startswith(heads)}
        header = next((label for label in blocks[first].loops if label in own), blocks[first].loops[-1])
        inside = [block for block in blocks if header in block.loops]
    else:
        inside = [blocks[first]]
        for block in blocks[first + 1 :]:
            if _leaves(block.name, node, start) or block.loops[: len(blocks[first].loops)] != blocks[first].loops:
                break
            inside.append(block)
    return tuple(inside)


def described_block(name: str) -> str:
    """What stands at a block, for readers: ``foreach_17_5.finished`` is ``foreach 17:5 finished``."""
    place = marks.path_of(name)
    if place is None:
        return name
    words = place.path.replace("_", " ")
    return f"{name.partition('_')[0]} {place.line}:{place.column} {words}"


def _leaves(name: str, node: Statement, start: str) -> bool:
    """Whether a block is named after another path of the statement, or after one that is not inside it."""
    place = marks.path_of(name)
    if place is None or name.startswith(start):
        return False
    span, here = node.span, (place.line, place.column)
    return here == (span.line, span.column) or not (span.line, span.column) <= here <= (span.end_line, span.end_column)
