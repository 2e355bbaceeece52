"""The branches in the body of a loop over gangs that several gangs may go through at once.

Those that seldom go one of their ways are in :mod:`voltac.passes.loops.rare_branches`. Others only skip what no lane wants:

    body:  %v = ...                                            for two gangs the test is whether any lane of both wants it;
           br (any of %m), side, join                          one without such a lane computes what it throws away
    side:  ... %w = select <8 x i1> %m, %new, %v
    join:  phi [ %w, side ], [ %v, body ]

What proves that the same comes out: all work is done lane by lane, a lane that is off in a gang with none on gets what one in
any other gang gets, and where ways join a lane that is off has the value from before the branch, or none.
"""

from __future__ import annotations

from collections.abc import Collection

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Block, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.passes.accesses.access import is_divisor, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import inverse, mask_implies
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.lane_loops import ANY_LANE
from voltac.passes.loops.rare_branches import RareBranch, RareCalls, is_scope, rare_branch
from voltac.records import record

_CHOSEN = m.op("select", m.value("mask"), m.value("value"), m.value("otherwise"))
_NOTHING = ("poison", "undef")
_MOST_CHOICES = 16
"""Between a value and what it is in lanes that are off. Chosen, not measured."""


@record(eq=False)
class SkippedWork:
    """What a branch skips where no lane wants it."""

    block: Block
    """That ends with the branch."""
    tests: tuple[str, str]
    """What is made of the mask of lanes that want it: its bits, then the comparison."""


class BodyBranches:
    """All branches of a loop's body. :meth:`are_known` comes first."""

    def __init__(self, loop: GangLoop, flow: ControlFlow, values: LaneValues, calls: RareCalls) -> None:
        self.rare: list[RareBranch] = []
        self.skips: list[SkippedWork] = []
        self._loop = loop
        self._flow = flow
        self._values = values
        self._calls = calls
        self._inside = {block.name: block for block in loop.blocks}
        self._seen: list[Block] = []

    @property
    def tests(self) -> frozenset[str]:
        """What asks whether any lane of a mask is on, or all are."""
        return frozenset(name for branch in self._all() for name in branch.tests)

    def _all(self) -> list[RareBranch | SkippedWork]:
        return [*self.rare, *self.skips]

    def are_known(self) -> bool:
        """Whether the body is a line of blocks but for branches of these two kinds."""
        last = self._line(self._loop.blocks[0], self._loop.header.name)
        return last is self._loop.body and len(self._seen) == len(self._loop.blocks) and self._only_branch()

    def _line(self, at: Block, end: str) -> Block | None:
        """The last block of a line that goes from a block to where it ends; None where it is none."""
        while True:
            self._seen.append(at)
            following = at.successors
            if following == [end]:
                return at
            if len(following) == 1:
                joined = self._inside.get(following[0])
                if joined is None or self._flow.predecessors[joined.name] != [at.name]:
                    return None
            elif (branch := rare_branch(at, self._loop, self._flow, self._values, self._calls)) is not None:
                self.rare.append(branch)
                self._seen += branch.sides
                joined = branch.join
            else:
                joined = self._skipped(at)
            if joined is None:
                return None
            at = joined

    def _skipped(self, block: Block) -> Block | None:
        """Where a line goes on behind work that a branch skips; None where it is another branch."""
        last = block.terminator
        if last.op != "br" or len(block.successors) != 2:
            return None
        tested = ANY_LANE.find(last.operands[0].value, self._values.definitions)
        side, join = (self._inside.get(label) for label in last.parts.labels)
        if tested is None or side is None or join is None or self._flow.predecessors[side.name] != [block.name]:
            return None
        first = len(self._seen)
        end = self._line(side, join.name)
        if end is None or sorted(self._flow.predecessors[join.name]) != sorted((block.name, end.name)):
            return None
        mask = tested["mask"].value
        if not all(self._may_be_done(each, mask) for part in self._seen[first:] for each in part.instructions):
            return None
        if not all(self._is_chosen(phi, end.name, block.name, mask) for phi in join.phis()):
            return None
        self.skips.append(SkippedWork(block, (tested["bits"].value, last.operands[0].value)))
        return join

    def _may_be_done(self, instruction: Instruction, mask: str) -> bool:
        """Whether it does nothing that anybody sees where no lane of the mask is on."""
        if (
            instruction.op in ("br", "phi")
            or instruction.op.startswith("#")
            or is_scope(instruction)
            or is_divisor(instruction)
        ):
            return True
        if operation := pseudo_operation(instruction):
            return mask_implies(read_access(0, instruction, operation, self._values).mask, mask, self._values)
        return instruction.op == "getelementptr" or self._calls.is_pure(instruction)

    def _is_chosen(self, phi: Instruction, side: str, before: str, mask: str) -> bool:
        """Whether lanes that are off have on both ways what they have on the way past, or nobody cares."""
        values = dict(zip(phi.parts.labels, (operand.value for operand in phi.operands)))
        if lanes_of(phi.type) != self._loop.width:
            return False
        past = values[before]
        # Where no lane of the mask is on, all are of its inverse.
        all_on = _CHOSEN.find(past, self._values.definitions, mask=Operand("", inverse(mask, self._values)))
        kept = {past} if all_on is None else {past, all_on["value"].value}
        return past in _NOTHING or self._keeps(values[side], kept, mask, _MOST_CHOICES)

    def _keeps(self, value: str, otherwise: Collection[str], mask: str, depth: int) -> bool:
        if value in otherwise:
            return True
        made = self._values.definitions.get(value)
        if made is None or not depth:
            return False
        if made.op == "phi":
            return all(self._keeps(each.value, otherwise, mask, depth - 1) for each in made.operands)
        found = _CHOSEN.find(value, self._values.definitions)
        if found is None or not mask_implies(found["mask"].value, mask, self._values):
            return False
        return self._keeps(found["otherwise"].value, otherwise, mask, depth - 1)

    def _only_branch(self) -> bool:
        """Whether nothing but such branches looks at the tests, which ask all gangs where these do something at once."""
        tests = self.tests
        asking = {id(branch.block.terminator) for branch in self._all()}
        made = set[str]()
        for each in (each for block in self._loop.blocks for each in block.instructions):
            made.add(each.name)
            if id(each) not in asking and each.name not in tests and not tests.isdisjoint(each.names_used()):
                return False
        return tests <= made
