"""Control flow of a function: predecessors, reverse postorder, dominators, natural loops.

Dominators after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView

from voltac.ir.model import Function
from voltac.records import field, mutable_record


@mutable_record
class NaturalLoop:
    """A natural loop: ``header`` dominates every block in ``blocks`` and is the target of the back edges."""

    header: str
    blocks: KeysView[str]
    """In an order that is the same in every process."""
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
    place: dict[str, int] = field(default_factory=dict)
    """Block -> its index in ``order``."""
    immediate_dominator: dict[str, str] = field(default_factory=dict)
    """The entry block is its own."""
    dominated: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Block -> its number in a walk over the tree of dominators, and the largest number below it."""
    loops: list[NaturalLoop] = field(default_factory=list)
    """Outer loops before inner ones."""
    loop_of: dict[str, NaturalLoop] = field(default_factory=dict)
    """Block -> the innermost loop it is in."""

    def dominates(self, above: str, below: str) -> bool:
        """Whether every way to ``below`` goes through ``above``; a block dominates itself."""
        if above not in self.dominated or below not in self.dominated:
            return above == below
        first, last = self.dominated[above]
        return first <= self.dominated[below][0] <= last

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Those of the blocks that are reachable, in the order of ``order``.

        So who looks at one loop after the other does not go over all blocks of the function for each.
        """
        return sorted((name for name in names if name in self.place), key=self.place.__getitem__)

    def inner_loops(self) -> dict[str, list[NaturalLoop]]:
        """Header of each loop -> the loops within it."""
        inner: dict[str, list[NaturalLoop]] = {loop.header: [] for loop in self.loops}
        around: dict[str, list[str]] = {}
        for loop in self.loops:
            for outer in around.get(loop.header, ()):
                inner[outer].append(loop)
            for name in loop.blocks:
                around.setdefault(name, []).append(loop.header)
        return inner


def control_flow(function: Function) -> ControlFlow:
    """Everything above, for one function; passes that leave its blocks and branches alone get the same one."""
    shape = [(block.name, block.instructions[-1].text) for block in function.blocks]
    if function.flow is None or function.flow[0] != shape:
        function.flow = shape, _control_flow(function)
    flow: ControlFlow = function.flow[1]
    return flow


def loops_in_turn(
    function: Function, is_wanted: Callable[[NaturalLoop], bool] = lambda loop: True
) -> Iterator[tuple[ControlFlow, NaturalLoop]]:
    """Each loop that is wanted once, outer ones first, with the control flow as it is by then: the function may be rewritten
    meanwhile."""
    looked_at: set[str] = set()
    flow = None
    while flow is not (now := control_flow(function)):
        flow = now
        for loop in flow.loops:
            if loop.header not in looked_at:
                looked_at.add(loop.header)
                if is_wanted(loop):
                    yield flow, loop
                    if control_flow(function) is not flow:
                        break


def _control_flow(function: Function) -> ControlFlow:
    flow = ControlFlow()
    for block in function.blocks:
        flow.successors[block.name] = block.successors
        flow.predecessors.setdefault(block.name, [])
    for name, successors in flow.successors.items():
        for successor in successors:
            flow.predecessors.setdefault(successor, []).append(name)
    entry = function.blocks[0].name
    flow.order = _reverse_postorder(entry, flow.successors)
    flow.place = {name: position for position, name in enumerate(flow.order)}
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
    number = flow.place
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
    _number_dominated(entry, flow)


def _number_dominated(entry: str, flow: ControlFlow) -> None:
    below: dict[str, list[str]] = {name: [] for name in flow.order}
    for name in flow.order[1:]:
        below[flow.immediate_dominator[name]].append(name)
    walk: list[str] = []
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        walk.append(name)
        waiting.extend(below[name])
    number = {name: position for position, name in enumerate(walk)}
    last: dict[str, int] = {}
    for name in reversed(walk):
        last[name] = max([number[name], *(last[child] for child in below[name])])
        flow.dominated[name] = number[name], last[name]


def _find_loops(flow: ControlFlow) -> None:
    latches: dict[str, list[str]] = {}
    for name in flow.order:
        for successor in flow.successors[name]:
            if flow.dominates(successor, name):
                latches.setdefault(successor, []).append(name)
    for header in flow.order:
        if header not in latches:
            continue
        members = {header: None}
        pending = list(latches[header])
        while pending:
            name = pending.pop()
            if name not in members:
                members[name] = None
                pending.extend(flow.predecessors[name])
        outer = flow.loop_of.get(header)
        loop = NaturalLoop(header, members.keys(), latches[header], 1 if outer is None else outer.depth + 1)
        flow.loops.append(loop)
        flow.loop_of.update(dict.fromkeys(members, loop))
