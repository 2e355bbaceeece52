"""Where several branches join in one block, each joins in a block of its own.

    a:     br any, b, join                        a:     br any, b, join
    b:     br rare, c, join                ->     b:     br rare, c, inner
    c:     br join                                c:     br inner
    join:  phi [ %x, a ], [ %y, b ], [ %z, c ]    inner: phi [ %y, b ], [ %z, c ]
                                                  join:  phi [ %x, a ], [ %w, inner ]

LLVM leaves out blocks that do nothing else. With them a body is a line of blocks with branches in it
(:mod:`voltac.passes.loops.body_branches`).
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.model import Block, Function, Instruction

_MOST_BLOCKS = 32
"""Between a branch and where it joins. Chosen, not measured."""


def separate_joins(function: Function) -> None:
    """Rewrite the function."""
    before: dict[str, list[str]] = {block.name: [] for block in function.blocks}
    for block in function.blocks:
        for name in block.successors:
            before[name].append(block.name)
    if not any(len(names) > 2 for names in before.values()):
        return
    joins = _Joins(function, before)
    for block in reversed(function.blocks):  # Inner branches come first.
        joins.separate(block)


class _Joins:
    def __init__(self, function: Function, before: dict[str, list[str]]) -> None:
        self._function = function
        self._before = before
        self._places = {block.name: number for number, block in enumerate(function.blocks)}
        self._blocks = {block.name: block for block in function.blocks}
        self._fresh: Callable[[str], str] | None = None

    def separate(self, block: Block) -> None:
        """Give the branch at the end of a block a join of its own, if it has none."""
        last = block.terminator
        if last.op != "br" or len(block.successors) != 2:
            return
        for side, join in (block.successors, reversed(block.successors)):
            if len(self._before[join]) > 2 and self._places.get(join, 0) > self._places[block.name]:
                ends = self._ends(block, side, join)
                if ends is not None and len(ends) < len(self._before[join]):
                    self._join(ends, self._blocks[join])
                    return

    def _ends(self, block: Block, side: str, join: str) -> list[str] | None:
        """The blocks that go from a branch, one way of which is ``side``, to where it joins; None where some go elsewhere."""
        seen, waiting = [side], [side]
        while waiting:
            here = self._blocks[waiting.pop()]
            if not here.successors or block.name in here.successors or len(seen) > _MOST_BLOCKS:
                return None
            new = [name for name in here.successors if name != join and name not in seen]
            seen += new
            waiting += new
        inside = {block.name, *seen}
        if self._before[side] != [block.name] or not all(inside.issuperset(self._before[name]) for name in seen):
            return None
        return [name for name in self._before[join] if name in inside]

    def _join(self, ends: list[str], join: Block) -> None:
        """Put a block before ``join`` to which these go."""
        self._fresh = self._fresh or self._function.fresh_names()
        made = Block(self._fresh("branches_join")[1:], [])
        for phi in join.phis():
            arms = [(operand.value, label) for operand, label in zip(phi.operands, phi.parts.labels)]
            flags = "".join(f"{flag} " for flag in phi.parts.flags)
            name = self._fresh(phi.name[1:].strip('"'))
            made.instructions.append(_phi(name, f"{flags}{phi.type}", [arm for arm in arms if arm[1] in ends]))
            others = [arm for arm in arms if arm[1] not in ends]
            phi.text = _phi(phi.name, f"{flags}{phi.type}", [*others, (name, made.name)]).text
        made.instructions.append(Instruction(f"  br label %{join.name}"))
        for name in ends:
            self._blocks[name].terminator.rename({f"%{join.name}": f"%{made.name}"})
        self._function.blocks.insert(self._function.blocks.index(join), made)
        self._blocks[made.name], self._places[made.name] = made, self._places[join.name]
        self._before[made.name] = ends
        self._before[join.name] = [*(name for name in self._before[join.name] if name not in ends), made.name]


def _phi(name: str, type: str, arms: list[tuple[str, str]]) -> Instruction:
    return Instruction(f"  {name} = phi {type} {', '.join(f'[ {value}, %{label} ]' for value, label in arms)}")
