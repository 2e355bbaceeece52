"""What masks are for a lane that is in its loop, that stays in it, and that leaves it.

    %found = and %live, %above            a lane in the loop that leaves has found, and one that stays has not:
    %next = and %live, (not %above)       %at.next is %k where it leaves, and %at where it stays
    %at.next = select %found, %k, %at

Of a lane by itself that is said by the branch, and need not be carried on.
"""

from __future__ import annotations

from voltac.ir.match import made_by
from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.available_loads import conjuncts
from voltac.passes.loops.lane_loops import LaneLoop


class KnownMasks:
    """Of one loop."""

    def __init__(self, walk: LaneLoop) -> None:
        self.walk = walk
        self.inside = conjuncts(walk.tested, walk.values)
        """What is so for a lane that passed the test, with its sense."""
        following = conjuncts(walk.following(walk.values.definitions[walk.live]), walk.values)
        self.asked = {name: sense for name, sense in following.items() if self.inside.get(name) != sense}
        """What else is so for one that asks for the next test."""

    def is_on(self, name: str) -> bool:
        """Whether it is a mask, each lane of which is all ones or zeros, and on for whom is in the loop."""
        return self._is_mask(name) and self._sense(name, self.inside) is True

    def _is_mask(self, name: str) -> bool:
        if name == self.walk.live:
            return True
        made = self.walk.values.definitions.get(name)
        if made is None or not lanes_of(made.type):
            return False
        if element_of(made.type) == "i1":
            return True
        if made.op == "sext":
            return element_of(made.operands[0].type) == "i1"
        return made.op == "and" and all(self._is_mask(each.value) for each in made.operands)

    def chosen(self, value: str, stays: bool) -> str:
        """What a value computed in the loop is where the lane stays, or leaves: one side of selects."""
        known = self.inside | self.asked
        if not stays:
            known = dict(self.inside)
            if len(self.asked) == 1:
                known |= {name: not sense for name, sense in self.asked.items()}
        while (made := made_by(("select",), value, self.walk.values.definitions)) is not None:
            sense = self._sense(made.operands[0].value, known)
            if sense is None:
                break
            value = made.operands[1 if sense else 2].value
        return value

    def _sense(self, mask: str, known: dict[str, bool]) -> bool | None:
        """Whether a lane of it is on; None where that is not known."""
        needed = conjuncts(mask, self.walk.values)
        if any(known.get(name, sense) != sense for name, sense in needed.items()):
            return False
        return True if all(name in known for name in needed) else None
