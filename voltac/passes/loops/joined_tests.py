"""A loop that asks several things of its lanes, one after the other -> a test and a body, in which lanes leave as well.

    test:  %m = and %live, (%k < 16)                      test:  %m = and %live, (%k < 16)
           br (any of %m), right, done                           br (any of %m), rest, exit
    right: %b = icmp eq (gather ..., %m), %c              rest:  %b = icmp eq (gather ..., %m), %c
           br done                                   ->          %goes = and %live, %b
    done:  %both = phi [ %k < 16, test ], [ %b, right ]          the rest, of the lanes of %goes
           %goes = and %live, %both                              br test
           br (any of %goes), rest, exit
    rest:  ... br test

Without a block of its own for the right side the first test ends before the first gather of those that passed a part of it.
Where no lane asks for the right side, none goes on: the first test says so, too. Where no lane goes on behind it, the rest runs
with no lane on, and the next test ends the loop. So nothing of the right side and of the rest may do anything where no lane is
on, and nothing of them may be used behind the loop. A load that is the same for all lanes does something, so a loop with one
may have this form only for lanes that then go alone (:func:`loads_for_all`): who is in the body has passed the test.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, NaturalLoop
from voltac.ir.constants import is_all_true
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.accesses.available_loads import mask_implies
from voltac.passes.loops.lane_loops import ANY_LANE, DIVISIONS, PLAIN, loads_for_all, scalar_callee

_RIGHT = "logical.right"
_BOTH = m.op("select", m.value("left"), m.value(), m.number(0))
"""``left && right``."""


def asks_twice(loop: NaturalLoop) -> bool:
    """Whether a loop of more than two blocks may be such a loop, by their names."""
    return any(_RIGHT in name for name in loop.blocks)


def join_tests(function: Function, loop: NaturalLoop, flow: ControlFlow, values: LaneValues) -> Callable[[], None] | None:
    """Give a loop this form, and a way to take it back; None where nothing changes."""
    row = _Row(function, loop, flow, values)
    if not row.read() or not row.split():
        return None
    moved = {each.name for each in row.body if each.name} | row.chosen.keys()
    behind = [block for block in function.blocks if block.name not in loop.blocks]
    if any(not moved.isdisjoint(each.names_used()) for block in behind for each in block.instructions):
        return None
    if not all(map(_is_idle, row.body)):
        return None
    phis = [(phi, phi.text) for phi in function.block(row.exit_name).phis()]
    for phi, _ in phis:
        phi.rename({f"%{row.left_from}": f"%{loop.header}"})
    before = function.blocks
    head, body = row.written()
    function.blocks = []
    for block in before:
        if block.name == loop.header:
            function.blocks += [head, body]
        elif block.name not in loop.blocks:
            function.blocks.append(block)
    _load_once(head, body, lane_values(function, values.layout))

    def take_back() -> None:
        function.blocks = before
        for phi, text in phis:
            phi.text = text

    return take_back


class _Row:
    """The blocks of such a loop, one after the other."""

    def __init__(self, function: Function, loop: NaturalLoop, flow: ControlFlow, values: LaneValues) -> None:
        self.function = function
        self.loop = loop
        self.flow = flow
        self.values = values
        self.head: list[Instruction] = []
        self.body: list[Instruction] = []
        """What the first test computes, and all behind it, without what decides branches."""
        self.mask = ""
        """The lanes that go on to the body."""
        self.chosen: dict[str, str] = {}
        """Where two ways meet -> what comes from the right side."""
        self.exit_name = self.left_from = ""
        """The block behind the loop, and the one it is entered from."""

    def read(self) -> bool:
        """Whether it has the shape."""
        asking = self.function.block(self.loop.header)
        if len(self.loop.latches) != 1 or not self._asks(asking):
            return False
        latch = self.loop.latches[0]
        deciding = self._deciding(asking)
        self.mask = self._tested(asking)
        self.head = [each for each in asking.instructions[:-1] if each.name not in deciding]
        while asking.terminator.parts.labels[0] != latch:
            right, done = (self.function.block(name) for name in asking.terminator.parts.labels)
            if done.name not in self.loop.blocks or right.name not in self.loop.blocks or right.name == done.name:
                return False
            ways = self.flow.predecessors[right.name], sorted(self.flow.predecessors[done.name])
            if ways != ([asking.name], sorted((asking.name, right.name))) or right.successors != [done.name]:
                return False
            if not self._asks(done) or not all(self._takes_right(phi, right.name) for phi in done.phis()):
                return False
            added = [*right.instructions[:-1], *done.instructions[done.first_after_phis() : -1]]
            deciding = self._deciding(done)
            self.body += [each for each in added if each.name not in deciding]
            asking = done
        self.left_from = asking.name
        self.exit_name = asking.terminator.parts.labels[1]
        last = self.function.block(latch)
        self.body += last.instructions[:-1]
        ends = last.successors == [self.loop.header] and self.flow.predecessors[latch] == [asking.name]
        return ends and latch != self.loop.header and self.exit_name not in self.loop.blocks

    def split(self) -> bool:
        """Let the first test end before the first gather of those alone that passed a part of it; whether anything changes."""
        live = [phi.name for phi in self.function.block(self.loop.header).phis()]
        for position, each in enumerate(self.head):
            if pseudo_operation(each) != "gather":
                continue
            mask = each.operands[-1].value
            if is_all_true(mask) or any(mask_implies(phi, mask, self.values) for phi in live):
                continue
            if not mask_implies(self.mask, mask, self.values):
                return False
            self.body[:0] = self.head[position:]
            self.head = self.head[:position]
            self.mask = mask
            return True
        return bool(self.chosen) or len(self.loop.blocks) > 2

    def _asks(self, block: Block) -> bool:
        branch = block.terminator
        return branch.op == "br" and len(branch.parts.labels) == 2 and bool(self._tested(block))

    def _tested(self, block: Block) -> str:
        found = ANY_LANE.find(block.terminator.operands[0].value, self.values.definitions)
        return found["mask"].value if found else ""

    def _deciding(self, block: Block) -> set[str]:
        condition = block.terminator.operands[0].value
        return {condition, self.values.definitions[condition].operands[0].value}

    def _takes_right(self, phi: Instruction, right: str) -> bool:
        """Whether the right side gives the left where lanes do not ask for it, which those that are off may do as they like."""
        arms = dict(zip(phi.parts.labels, (each.value for each in phi.operands), strict=True))
        chosen = arms.pop(right)
        (otherwise,) = arms.values()
        self.chosen[phi.name] = chosen
        return chosen == otherwise or _BOTH.matches(chosen, self.values.definitions, left=Operand("", otherwise))

    def written(self) -> list[Block]:
        """The two blocks."""
        header, latch = self.function.block(self.loop.header), self.function.block(self.loop.latches[0])
        fresh = self.function.fresh_names()
        lanes = lanes_of(self.values.definitions[self.mask].type)
        bits, some = fresh("bits"), fresh("some")
        asked = [
            Instruction(f"  {bits} = bitcast <{lanes} x i1> {self.mask} to i{lanes}"),
            Instruction(f"  {some} = icmp ne i{lanes} {bits}, 0"),
            Instruction(f"  br i1 {some}, label %{latch.name}, label %{self.exit_name}"),
        ]
        head, body = ([Instruction(each.text) for each in part] for part in (self.head, (*self.body, latch.terminator)))
        for each in (*head, *body):
            each.rename(self.chosen)
        return [Block(header.name, [*head, *asked], header.label_line), Block(latch.name, body, latch.label_line)]


def _load_once(head: Block, body: Block, values: LaneValues) -> None:
    """Nothing stores: lanes that ask for their element again have it, and what is computed again is there."""
    known: dict[str, Instruction] = {}
    same: dict[str, str] = {}
    for block in (head, body):
        for each in list(block.instructions):
            each.rename(same)
            if each.op == "phi" or not each.name:
                continue
            is_load = pseudo_operation(each) == "gather"
            key = f"{each.type} {each.operands[0].value}" if is_load else each.text.partition(" = ")[2]
            first = known.setdefault(key, each)
            if first is each:
                continue
            if not is_load or mask_implies(each.operands[-1].value, first.operands[-1].value, values):
                same[each.name] = first.name
                block.instructions.remove(each)
    for phi in head.phis():
        phi.rename(same)


def _is_idle(instruction: Instruction) -> bool:
    """Whether it does nothing where no lane is on, and cannot trap; a load for all lanes is none of lanes alone, either."""
    if loads_for_all(instruction):
        return True
    if instruction.op == "call":
        return pseudo_operation(instruction) == "gather" or scalar_callee(instruction.parts.callee) is not None
    allowed = instruction.op in PLAIN or instruction.op in ("insertelement", "shufflevector")
    return instruction.op.startswith("#") or (allowed and instruction.op not in DIVISIONS)
