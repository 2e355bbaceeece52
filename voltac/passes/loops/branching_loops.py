"""Loops that lanes leave one by one, with branches inside, and whose lanes have nothing to do with each other.

    test:  %m = and %live, (%top > 0)
           br (any of %m), body, done
    body:  %node = call <8 x i32> @volta.gather.v8i32(%stack + 8 * (%top - 1) + lane, %m)
           %n = and %m, (%node < 31)
           br (any of %n), then, step
    then:  call void @volta.scatter.v8i32(..., %stack + 8 * %top + lane, %n)
           %more = select %n, (add %top, 1), %top
    step:  %top.next = phi [ %top, body ], [ %more, then ]

A lane that does the loop alone goes the way that its own lane of each mask says, where the gang goes wherever any lane does. So
each value must be for a lane that is off what it is on the other way. That is looked for value by value: ``if (any(x))`` is
written with the same branch. What is stored goes to local arrays, of which each lane has elements of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.ir.constants import integers
from voltac.ir.model import Block, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import mask_implies
from voltac.passes.loops.lane_loops import ANY_LANE, MOST_LANES, LaneLoop
from voltac.records import field, mutable_record
from voltac.system.lazy_patterns import lazy_pattern

_MOST_BLOCKS = 12
"""Of a loop. Chosen: the ways through it double with each branch."""
_MOST_WAYS = 64
"""From a block to another. Chosen."""
_ROWS = lazy_pattern(r"(?P<around>(?:\[\d+ x )*)<(?P<lanes>\d+) x (?P<element>\w+)>\]*$")


@mutable_record
class BranchingLoop(LaneLoop):
    """One loop; of what it is asked, :meth:`splits` comes first."""

    stores: list[tuple[Access, str]] = field(default_factory=list)
    """Of lanes, with the blocks that they are in."""
    sure: dict[str, str] = field(default_factory=dict)
    """Block behind the test -> the mask of lanes that get there alone."""

    def inner_blocks(self) -> list[Block]:
        """Those behind the test, each before what it dominates."""
        names = self.flow.in_order(name for name in self.loop.blocks if name != self.loop.header)
        return [self.function.block(name) for name in names]

    def instructions(self) -> Iterator[Instruction]:
        """Of all blocks, in order."""
        yield from self.header.instructions
        for block in self.inner_blocks():
            yield from block.instructions

    def splits(self) -> bool:
        """Whether the loop has the shape, and each lane could do it alone, as far as can be told from the function."""
        if len(self.loop.blocks) > _MOST_BLOCKS or not self._has_shape():
            return False
        inner = self.inner_blocks()
        return (
            all(self._is_lanewise(each, block) for block in (self.header, *inner) for each in block.instructions)
            and all(self._is_own(access) for access, _ in self.stores)
            and self._reads_own()
            and all(self._agrees(phi, block) for block in inner for phi in block.phis())
        )

    def _has_shape(self) -> bool:
        flow, branch = self.flow, self.header.terminator
        if len(self.loop.latches) != 1 or len(flow.predecessors[self.loop.header]) != 2 or len(branch.parts.labels) != 2:
            return False
        found = ANY_LANE.find(branch.operands[0].value, self.values.definitions)
        entered, left = branch.parts.labels
        if found is None or entered not in self.loop.blocks or left in self.loop.blocks:
            return False
        if any(flow.loop_of[name].header != self.loop.header for name in self.loop.blocks):
            return False
        self.tested, self.deciding = found["mask"].value, {branch.operands[0].value, found["bits"].value}
        self.sure = {self.loop.header: self.tested}
        return all(map(self._has_branch, self.inner_blocks())) and self._finds_live()

    def _has_branch(self, block: Block) -> bool:
        """Whether a block goes on within the loop, by a mask of lanes that got there; finds out who these are."""
        branch, dominator = block.terminator, self.flow.immediate_dominator[block.name]
        mask = self.sure[dominator]
        above = self.function.block(dominator).terminator.parts.labels
        if self.flow.predecessors[block.name] == [dominator] and above[0] == block.name and dominator in self.asked:
            mask = self.asked[dominator]
        self.sure[block.name] = mask
        inside = all(name in self.loop.blocks for name in branch.parts.labels)
        if branch.op != "br" or not inside or (self.loop.header in branch.parts.labels) != (block.name in self.loop.latches):
            return False
        if len(branch.parts.labels) == 1:
            return True
        found = ANY_LANE.find(branch.operands[0].value, self.values.definitions)
        if found is None or not mask_implies(found["mask"].value, mask, self.values) or block.name in self.loop.latches:
            return False
        self.asked[block.name] = found["mask"].value
        self.deciding |= {branch.operands[0].value, found["bits"].value}
        return len(set(branch.parts.labels)) > 1

    def _finds_live(self) -> bool:
        for phi in self.header.phis():
            if not lanes_of(phi.type) or integer_bits(element_of(phi.type)) not in (1, self.options.target.mask_bits):
                continue
            # A lane that has left does not come back.
            if mask_implies(self.tested, phi.name, self.values) and mask_implies(self.following(phi), self.tested, self.values):
                self.live = phi.name
                return self.lanes <= MOST_LANES
        return False

    def _is_lanewise(self, instruction: Instruction, block: Block) -> bool:
        if instruction.op == "phi":
            return lanes_of(instruction.type) == self.lanes
        operation = pseudo_operation(instruction)
        if not operation:
            # Lanes of such a loop store, and it may be done by two gangs as well.
            return instruction.op != "load" and LaneLoop._is_lanewise(self, instruction, block)
        if operation not in ("gather", "scatter"):
            return False
        access = read_access(0, instruction, operation, self.values)
        (self.stores if access.is_store else self.loads).append((access, block.name))
        sure = self.live if block.name == self.loop.header else self.sure[block.name]
        if access.is_store:
            return mask_implies(sure, access.mask, self.values) and mask_implies(access.mask, sure, self.values)
        if access.all_on or mask_implies(sure, access.mask, self.values):
            return True
        self.guarded[instruction.name] = access.mask
        return mask_implies(access.mask, sure, self.values)

    def tests_without_guards(self) -> bool:
        """Whether each lane that asks may load all that it asks for: only what is behind the test is split into branches."""
        return all(block != self.loop.header or access.instruction.name not in self.guarded for access, block in self.loads)

    def keeps_all(self) -> bool:
        """Whether what is used behind the loop is only what lanes that have left keep."""
        kept = {phi.name for phi in self.header.phis() if self._keeps(phi)}
        return all(each.name in kept or each.name not in self.used_outside for each in self.instructions() if each.name)

    def _keeps(self, phi: Instruction) -> bool:
        return (
            lanes_of(phi.type) == self.lanes
            and element_of(phi.type) != "i1"
            and self._off(self.following(phi), self.tested) == phi.name
        )

    # --- values of lanes that are off ---

    def _off(self, value: str, mask: str) -> str:
        """The value that certainly is a value's own for lanes that are off in a mask."""
        while (made := self.values.definitions.get(value)) is not None:
            if made.op == "select" and mask_implies(made.operands[0].value, mask, self.values):
                value = made.operands[2].value
            elif made.op == "phi" and made.name in self._inner_phis:
                others = {self._off(each.value, mask) for each in made.operands}
                if len(others) != 1:
                    return value
                value = others.pop()
            else:
                return value
        return value

    @property
    def _inner_phis(self) -> set[str]:
        return {phi.name for block in self.inner_blocks() for phi in block.phis()}

    def _agrees(self, phi: Instruction, block: Block) -> bool:
        """Whether a lane gets the same from a phi on the gang's way as on its own, where these part at a branch."""
        arms = {label: each.value for label, each in zip(phi.parts.labels, phi.operands, strict=True)}
        for branching, mask in self.asked.items():
            there, by = self.function.block(branching).terminator.parts.labels
            own, gang = (self._ways(branching, first, block.name) for first in (by, there))
            if own is None or gang is None:
                return False
            for one in own:
                for other in gang:
                    if len({*one} & {*other}) == 1 and self._off(arms[one[-1]], mask) != self._off(arms[other[-1]], mask):
                        return False
        return True

    def _ways(self, branching: str, first: str, end: str) -> list[tuple[str, ...]] | None:
        """The blocks before ``end`` on each way from a branch to it, that of the branch included; None if they are too many."""
        found: list[tuple[str, ...]] = []
        work: list[tuple[tuple[str, ...], str]] = [((branching,), first)]
        while work:
            way, name = work.pop()
            if name == end:
                found.append(way)
            elif name != self.loop.header:
                work += [((*way, name), following) for following in self.flow.successors[name]]
            if len(found) + len(work) > _MOST_WAYS:
                return None
        return found

    # --- memory of lanes' own ---

    def _is_own(self, access: Access) -> bool:
        """Whether each lane accesses elements of its own in a local array, whichever these are."""
        made = self.values.definitions.get(access.pointers.value)
        if made is None or made.op != "getelementptr" or made.parts.element_type != access.element:
            return False
        start, *steps = made.operands
        if len(steps) != 1 or integers(*steps[0]) != tuple(range(self.lanes)):
            return False
        while (made := self.values.definitions.get(start.value)) is not None and made.op == "getelementptr":
            rows = _ROWS.match(made.parts.element_type)
            if rows is None or (int(rows["lanes"]), rows["element"]) != (self.lanes, access.element):
                return False
            if len(made.operands) - 2 > rows["around"].count("["):
                return False
            start = made.operands[0]
        return made is not None and made.op == "alloca" and self._stays_here(made.name)

    def _stays_here(self, array: str) -> bool:
        """Whether only accesses of this function get the address of a local array."""
        work, seen = [array], {array}
        while work:
            name = work.pop()
            for user in self.function.instructions():
                if name not in user.names_used():
                    continue
                if user.op == "getelementptr" and user.operands[0].value == name:
                    if user.name not in seen:
                        seen.add(user.name)
                        work.append(user.name)
                elif not self._only_accesses(user, name):
                    return False
        return True

    def _only_accesses(self, user: Instruction, pointer: str) -> bool:
        if user.op in ("load", "store"):
            return user.op == "load" or user.operands[0].value != pointer
        if pseudo_operation(user):
            return all(each.value != pointer for each in user.operands[:-2])
        return user.op == "call" and user.parts.callee.startswith("@llvm.lifetime.")

    def _reads_own(self) -> bool:
        """Whether what lanes load from arrays that the loop stores to is their own, too."""
        arrays = {self._array(access.pointers) for access, _ in self.stores}
        return all(self._array(access.pointers) not in arrays or self._is_own(access) for access, _ in self.loads)

    def _array(self, pointers: Operand) -> str:
        """What the pointers of all lanes are counted from."""
        made = self.values.definitions.get(pointers.value)
        while made is not None and made.op == "getelementptr":
            pointers = made.operands[0]
            made = self.values.definitions.get(pointers.value)
        return pointers.value
