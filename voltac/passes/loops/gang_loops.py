"""The loops that ``lower`` writes for whole gangs, recognised: a header that tests, and a body, mostly of one block.

test:   %i = phi i32 [ start, %outside ], [ %next, %body ]      and phis of what the body carries on
        %more = icmp slt i32 %i, limit
        br i1 %more, label %body, label %after
body:   ...
        %next = add nsw i32 %i, WIDTH
        br label %test
"""

from __future__ import annotations

from functools import cached_property

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, NaturalLoop
from voltac.ir.constants import integers
from voltac.ir.lane_formulas import UniformSymbol
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.passes.accesses.access import Access

_SUMS = frozenset(("add", "sub", "mul", "shl", "and", "or", "sext", "zext", "trunc"))
_STEP = m.op("add", m.value("counter"), m.constant("width"), flag="nsw")


class GangLoop:
    """A loop of a header that tests and a body, counting ``counter`` by the width of the gang."""

    def __init__(
        self, function: Function, header: Block, body: Block, outside: str, values: LaneValues, phi: Instruction
    ) -> None:
        self.function = function
        self.header = header
        self.body = body
        """The block that goes back to the header."""
        self.blocks = [body]
        """All but the header, the one that is entered first."""
        self.outside = outside
        """The block before the loop."""
        self.values = values
        self.phi = phi
        self.carried = [each for each in header.phis() if each is not phi]
        """What else goes from one iteration to the next."""
        incoming = dict(zip(phi.parts.labels, phi.operands))
        self.counter = phi.name
        self.start = incoming[outside].value
        self.following = incoming[body.name].value
        self.limit = header.instructions[-2].operands[1].value
        self.width = 0
        self.limits: list[Instruction] = []
        """What the header computes the limit by, of what is outside; nothing but sums and products."""

    @staticmethod
    def of(
        function: Function,
        loop: NaturalLoop,
        flow: ControlFlow,
        values: LaneValues,
        most_instructions: int,
        finds_limit: bool = False,
    ) -> GangLoop | None:
        """None for a loop of another form. With ``finds_limit`` the header may compute the limit, each time anew, by
        :attr:`limits`."""
        header = function.block(loop.header)
        others = [name for name in flow.predecessors[loop.header] if name not in loop.blocks]
        phis = {phi.name: phi for phi in header.phis()}
        limits = header.instructions[len(phis) : -2]
        if len(others) != 1 or not phis or (limits and not finds_limit):
            return None
        test, branch = header.instructions[-2:]
        phi = phis.get(test.operands[0].value) if test.op == "icmp" else None
        if branch.op != "br" or len(branch.parts.labels) != 2 or len(loop.latches) != 1:
            return None
        if phi is None or phi.type != "i32" or test.parts.predicate != "slt":
            return None
        names = flow.in_order(name for name in loop.blocks if name != loop.header)
        blocks = [function.block(name) for name in names]
        body = function.block(loop.latches[0])
        if body.successors != [loop.header] or branch.parts.labels[0] != names[0]:
            return None
        if any(name not in loop.blocks for block in blocks for name in block.successors):
            return None
        if sum(len(block.instructions) for block in blocks) > most_instructions:
            return None
        made = GangLoop(function, header, body, others[0], values, phi)
        made.blocks = blocks
        if limits and not made._may_move(limits):
            return None
        made.limits = limits
        step = _STEP.find(made.following, values.definitions, counter=Operand(phi.type, phi.name))
        width = integers(*step["width"]) if step else None
        if not width or width[0] <= 0 or not any(each.name == made.following for each in body.instructions):
            return None
        made.width = width[0]
        return made

    def _may_move(self, limits: list[Instruction]) -> bool:
        """Whether they are scalars that do the same each time, and never fail."""
        inside = self.names - {each.name for each in limits}
        return all(each.op in _SUMS and not lanes_of(each.type) and inside.isdisjoint(each.names_used()) for each in limits)

    @cached_property
    def names(self) -> set[str]:
        """The loop's values."""
        return {made.name for block in (self.header, *self.blocks) for made in block.instructions if made.name}

    def is_even(self, access: Access) -> bool:
        """Whether the lanes of the next gang go on where those of this one end: the address is linear in counter and lane."""
        # A gang of one lane has no step.
        if access.address is None or len(access.offsets) < 2:
            return False
        step = access.offsets[1] - access.offsets[0]
        if abs(step) < access.size or any(after - before != step for before, after in zip(access.offsets, access.offsets[1:])):
            return False
        counting = [(symbol, factor) for symbol, factor in access.address.terms.items() if root(symbol) == self.counter]
        return len(counting) == 1 and counting[0][0].kind in ("value", "sext") and counting[0][1] == step

    def is_of_blocks(self, access: Access) -> bool:
        """Whether neighbours load one element for several of them, at ``(i + lane) >> count``, or divided by a power of two."""
        if access.is_store or not access.all_on or access.address is None:
            return False
        made = m.made_by(("getelementptr",), access.pointers.value, self.values.definitions)
        if made is None or len(made.operands) != 2 or lanes_of(made.operands[0].type):
            return False
        extended = m.made_by(("sext", "zext"), made.operands[1].value, self.values.definitions)
        index = extended.operands[0] if extended is not None else made.operands[1]
        shift = m.made_by(("ashr", "lshr", "sdiv", "udiv"), index.value, self.values.definitions)
        numbers = integers(*shift.operands[1]) if shift is not None else None
        if shift is None or not numbers or (shift.op in ("sdiv", "udiv") and numbers[0].bit_count() != 1):
            return False
        return self._is_index(shift.operands[0])

    def is_cyclic(self, access: Access) -> bool:
        """Whether neighbours load neighbours in a row that begins again after a power of two: at ``(i + lane) & (period - 1)``.

        The period is more than a gang, or what each gang loads is the same.
        """
        if access.is_store or access.address is None or access.is_uniform:
            return False
        for symbol in access.address.terms:
            inner = symbol if symbol.inner is None else symbol.inner
            if root(symbol) == self.counter:
                return False
            if inner.kind == "lane" and inner.name in self.names:
                cut = m.made_by(("and",), inner.name, self.values.definitions)
                last = integers(*cut.operands[1]) if cut is not None else None
                if cut is None or not last or len(set(last)) != 1 or last[0] <= 0 or last[0] & (last[0] + 1):
                    return False
                if not self._is_index(cut.operands[0]):
                    return False
        return True

    def _is_index(self, operand: Operand) -> bool:
        """Whether the lanes are the counter and their numbers."""
        lanes = self.values.of(operand)
        if lanes is None or lanes.offsets != tuple(range(self.width)) or list(lanes.terms.values()) != [1]:
            return False
        return all(root(symbol) == self.counter and symbol.inner is None for symbol in lanes.terms)


def root(symbol: UniformSymbol) -> str:
    """The value under extensions and quotients."""
    while symbol.inner is not None:
        symbol = symbol.inner
    return symbol.name
