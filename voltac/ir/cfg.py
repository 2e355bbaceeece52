"""Control flow of a function: predecessors, reverse postorder, dominators, natural loops.

Dominators after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from voltac.ir.model import Block, Function
from voltac.records import field, mutable_record


@mutable_record
class Loop:
    """A natural loop: ``header`` dominates every block in ``blocks`` and is the target of the back edges."""

    header: str
    blocks: set[str]
    latches: list[str]
    """Blocks in the loop that branch back to the header."""
    depth: int = 1


@mutable_record
class ControlFlow:
    """Names of blocks only; the blocks themselves are in the function."""

    successors: dict[str, list[str]] = field(default_factory=dict)
    predecessors: dict[str, list[str]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    """Reachable blocks in reverse postorder: a block before what it dominates."""
    immediate_dominator: dict[str, str] = field(default_factory=dict)
    """The entry block is its own."""
    loops: list[Loop] = field(default_factory=list)
    """Outer loops before inner ones."""
    loop_of: dict[str, Loop] = field(default_factory=dict)
    """Block -> the innermost loop it is in."""

    def dominates(self, above: str, below: str) -> bool:
        """Whether every way to ``below`` goes through ``above``; a block dominates itself."""
        while below != above:
            parent = self.immediate_dominator.get(below)
            if parent is None or parent == below:
                return False
            below = parent
        return True


def control_flow(function: Function) -> ControlFlow:
    """Everything above, for one function."""
    flow = ControlFlow()
    for block in function.blocks:
        flow.successors[block.name] = block.successors
        flow.predecessors.setdefault(block.name, [])
    for name, successors in flow.successors.items():
        for successor in successors:
            flow.predecessors.setdefault(successor, []).append(name)
    entry = function.blocks[0].name
    flow.order = _reverse_postorder(entry, flow.successors)
    _find_dominators(entry, flow)
    _find_loops(flow)
    return flow


def _reverse_postorder(entry: str, successors: dict[str, list[str]]) -> list[str]:
    postorder: list[str] = []
    seen = {entry}
    stack = [(entry, iter(successors[entry]))]
    while stack:
        name, remaining = stack[-1]
        for successor in remaining:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(successors.get(successor, ()))))
                break
        else:
            postorder.append(name)
            stack.pop()
    return postorder[::-1]


def _find_dominators(entry: str, flow: ControlFlow) -> None:
    number = {name: position for position, name in enumerate(flow.order)}
    dominator = flow.immediate_dominator
    dominator[entry] = entry
    changed = True
    while changed:
        changed = False
        for name in flow.order[1:]:
            best = ""
            for predecessor in flow.predecessors[name]:
                if predecessor not in dominator:
                    continue
                if not best:
                    best = predecessor
                    continue
                first, second = predecessor, best
                while first != second:
                    while number[first] > number[second]:
                        first = dominator[first]
                    while number[second] > number[first]:
                        second = dominator[second]
                best = first
            if dominator.get(name) != best:
                dominator[name] = best
                changed = True


def _find_loops(flow: ControlFlow) -> None:
    latches: dict[str, list[str]] = {}
    for name in flow.order:
        for successor in flow.successors[name]:
            if flow.dominates(successor, name):
                latches.setdefault(successor, []).append(name)
    for header in flow.order:
        if header not in latches:
            continue
        members = {header}
        pending = list(latches[header])
        while pending:
            name = pending.pop()
            if name not in members:
                members.add(name)
                pending.extend(flow.predecessors[name])
        loop = Loop(header, members, latches[header])
        flow.loops.append(loop)
    for loop in flow.loops:
        loop.depth = sum(loop.header in other.blocks for other in flow.loops)
        for name in loop.blocks:
            known = flow.loop_of.get(name)
            if known is None or len(loop.blocks) < len(known.blocks):
                flow.loop_of[name] = loop


def block_by_name(function: Function) -> dict[str, Block]:
    return {block.name: block for block in function.blocks}
