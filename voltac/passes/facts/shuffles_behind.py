"""Shuffles behind those that let lanes out, and which of their results hold what with the lanes in another order.

    %s0 = shufflevector %x, %y, <0, 8, 1, 9, 4, 12, 5, 13>              x0 y0 x1 y1 | x4 ...          x0 y0 x2 y2 | x1 ...
    %s1 = shufflevector %z, %w, <0, 8, 1, 9, 4, 12, 5, 13>
    %r0 = shufflevector %s0, %s1, <0, 1, 8, 9, 4, 5, 12, 13>            rows 0 and 4                  rows 0 and 1
    %r1 = shufflevector %s0, %s1, <2, 3, 10, 11, 6, 7, 14, 15>          rows 1 and 5                  rows 2 and 3
    %c0 = shufflevector %r0, %r1, <0, 1, 2, 3, 8, 9, 10, 11>            rows 0 and 1                  is %r0

Left as they are while the lanes of %x to %w stand in the order 0, 2, 4, 6, 1, 3, 5, 7, they make rows side by side
themselves: the last stage, from half to half, is nothing then.
"""

from __future__ import annotations

from voltac.ir.constants import shuffle_mask
from voltac.ir.model import Block, Instruction
from voltac.ir.types import lanes_of
from voltac.ir.uses import Uses

Content = tuple[object, ...]
"""Of each element the vector and the lane that it comes from."""


class ShufflesBehind:
    """Of one block."""

    def __init__(self, block: Block, uses: Uses) -> None:
        self.places = {each.name: at for at, each in enumerate(block.instructions) if each.name}
        self.uses = uses
        self.let_out: set[str] = set()
        """What the first ones shuffle."""
        self.between: dict[str, Instruction] = {}
        """All shuffles whose users are shuffles, the first ones among them."""
        self.last: list[Instruction] = []

    def collect(self, first: list[Instruction]) -> None:
        """Follow the shuffles that let lanes out; there is nothing behind if one is used by anything else."""
        self.let_out = {operand.value for each in first for operand in each.operands}
        self.between, self.last = {}, []
        work, seen = list(first), {each.name for each in first}
        while work:
            each = work.pop()
            users = self.uses.of(each.name)
            if users and all(user.op == "shufflevector" and user.name in self.places for user in users):
                self.between[each.name] = each
                for user in users:
                    if user.name not in seen:
                        seen.add(user.name)
                        work.append(user)
            else:
                self.last.append(each)
        names = {each.name for each in self.last}
        alike = {each.type for each in (*self.between.values(), *self.last)} | {
            operand.type for each in (*self.between.values(), *self.last) for operand in each.operands
        }
        mixed = any(user.name in seen for each in self.last for user in self.uses.of(each.name))
        if len(alike) != 1 or mixed or not names.isdisjoint(each.name for each in first):
            self.between, self.last = {}, []

    def find_held(self, order: tuple[int, ...]) -> dict[Instruction, str]:
        """The last shuffles -> what holds the same with the lanes in this order; empty if that is not so for all of them."""
        natural = tuple(range(len(order)))
        known: dict[str, Content] = {}
        moved: dict[str, Content] = {}
        holding = {self._content(name, order, moved): name for name in reversed(self.between)}
        found: dict[Instruction, str] = {}
        for each in self.last:
            value = holding.get(self._content(each.name, natural, known, each))
            if value is None or self.places[value] > self.places[each.name]:
                return {}
            found[each] = value
        return found

    def _content(
        self, name: str, order: tuple[int, ...], known: dict[str, Content], made: Instruction | None = None
    ) -> Content:
        if name not in known:
            made = made or self.between.get(name)
            if made is None:
                known[name] = tuple((name, lane) for lane in (order if name in self.let_out else sorted(order)))
            else:
                both = [lane for each in made.operands for lane in self._content(each.value, order, known)]
                known[name] = tuple(both[lane] if lane >= 0 else None for lane in mask_of(made))
        return known[name]


def mask_of(shuffle: Instruction) -> tuple[int, ...]:
    """Of a shuffle by constants."""
    found = shuffle_mask(shuffle.parts.mask, lanes_of(shuffle.type))
    assert found is not None
    return found
