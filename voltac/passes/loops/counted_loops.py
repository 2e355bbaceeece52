"""Loops that count a scalar up by one: a header that tests, and a body, mostly of one block.

test:   %k = phi i32 [ start, %outside ], [ %next, %body ]      and phis of what the body carries on
        %more = icmp slt i32 %k, limit
        br i1 %more, label %body, label %after
body:   ...
        %next = add nsw i32 %k, 1
        br label %test
"""

from __future__ import annotations

from collections.abc import Container

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, NaturalLoop
from voltac.ir.constants import integers
from voltac.ir.match import Definitions, scalar_of_splat
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import BINARY, CASTS, Operand
from voltac.ir.types import DataLayout, array_parts, element_of, lanes_of
from voltac.records import record

_NEXT = m.add(m.value("counter"), m.number(1), "nsw")
_SUM = m.one_of(
    m.add(m.value("counter"), m.constant("step"), "nsw"), m.op("getelementptr", m.value("counter"), m.constant("step"))
)
_TESTS = {"slt": "slt", "sle": "sle", "sgt": "slt", "sge": "sle"}
"""Of the comparison as it is written, and as it is with the counter on the left."""
_PURE = frozenset((*BINARY, *CASTS, "icmp", "freeze", "getelementptr", "insertelement", "shufflevector")) - {
    "sdiv", "udiv", "srem", "urem",
}  # fmt: skip
"""What may be computed where the loop might not have computed it."""


@record
class CountedLoop:
    """One such loop."""

    function: Function
    header: Block
    body: Block
    """The block that goes back to the header; often all there is beside it."""
    blocks: list[Block]
    """All but the header, in the order of the function."""
    outside: str
    """The block before the loop."""
    counter: Instruction
    limit: Operand
    """The same in each iteration; the header may compute it."""
    predicate: str
    """``slt`` or ``sle``: how the counter compares with the limit while the loop goes on."""
    inside: frozenset[str]
    """Names of what the loop computes."""

    def block_of(self, instruction: Instruction) -> str:
        """The block that has it; the last one's where it has been replaced."""
        having = (each.name for each in self.blocks if any(instruction is made for made in each.instructions))
        return next(having, self.body.name)

    @staticmethod
    def of(function: Function, loop: NaturalLoop, flow: ControlFlow, definitions: Definitions) -> CountedLoop | None:
        """None for a loop of another form."""
        header = function.block(loop.header)
        others = [name for name in flow.predecessors[header.name] if name not in loop.blocks]
        branch = header.terminator
        if len(others) != 1 or len(loop.latches) != 1 or branch.op != "br" or len(branch.parts.labels) != 2:
            return None
        blocks = function.blocks_named(name for name in loop.blocks if name != loop.header)
        if not blocks or branch.parts.labels[0] not in loop.blocks or branch.parts.labels[1] in loop.blocks:
            return None
        if any(name not in loop.blocks for block in blocks for name in block.successors):
            return None
        body = function.block(loop.latches[0])
        if body.successors != [header.name]:
            return None
        test = m.made_by(("icmp",), branch.operands[0].value, definitions)
        if test is None or test.parts.predicate not in _TESTS or not any(each is test for each in header.instructions):
            return None
        left, right = test.operands
        if test.parts.predicate in ("sgt", "sge"):
            left, right = right, left
        counter = next((phi for phi in header.phis() if phi.name == left.value), None)
        if counter is None:
            return None
        inside = frozenset(each.name for block in (header, *blocks) for each in block.instructions if each.name)
        made = CountedLoop(function, header, body, blocks, others[0], counter, right, _TESTS[test.parts.predicate], inside)
        counts = _NEXT.matches(made.arm(counter, body.name), definitions, counter=Operand(counter.type, counter.name))
        plain = all(each.op in _PURE for each in header.instructions[sum(1 for _ in header.phis()) : -1])
        return made if counts and plain and not made.varying_in(right, definitions) else None

    def arm(self, phi: Instruction, label: str) -> str:
        """What comes to a phi of the header from a block."""
        return next(operand.value for operand, each in zip(phi.operands, phi.parts.labels, strict=True) if each == label)

    def varying_in(self, operand: Operand, definitions: Definitions) -> bool:
        """Whether a value may differ from iteration to iteration."""
        if operand.value not in self.inside:
            return False
        made = definitions[operand.value]
        return made.op not in _PURE or any(self.varying_in(each, definitions) for each in made.operands)


class IterationSteps:
    """How much values grow from one iteration to the next: each lane by the same, and by the same each time."""

    def __init__(self, loop: CountedLoop, definitions: Definitions, layout: DataLayout, varying: Container[str] = ()) -> None:
        """``varying``: what may differ between iterations, if that is not all that the loop computes."""
        self.loop = loop
        self.varying = varying or loop.inside
        self.definitions = definitions
        self.layout = layout
        self._known: dict[str, int | None] = {}

    def of(self, operand: Operand) -> int | None:
        """In the units of an integer, or in bytes of a pointer; None where it is not known.

        Sums that are extended must not wrap; that they do in no iteration that is run, ``nsw`` says.
        """
        name = operand.value
        if name not in self.varying:
            return 0
        if name not in self._known:
            self._known[name] = None  # while it is looked for
            self._known[name] = self._find(self.definitions[name])
        return self._known[name]

    def _find(self, made: Instruction) -> int | None:
        op, operands = made.op, made.parts.operands
        if op == "phi":
            return self._of_phi(made)
        if (scalar := scalar_of_splat(made.name, self.definitions)) is not None:
            return self.of(scalar)
        if op not in _PURE:
            return None
        steps = [self.of(each) for each in operands]
        if None in steps:
            return None
        known = [each for each in steps if each is not None]
        if not any(known):
            return 0
        if op == "getelementptr":
            return self._of_address(made, known)
        if op in ("sext", "freeze"):
            return known[0]
        if "nsw" not in made.parts.flags:
            return None
        if op == "add":
            return known[0] + known[1]
        if op == "sub":
            return known[0] - known[1]
        if op == "mul":
            return self._of_product(operands, known)
        return None

    def _of_product(self, operands: list[Operand], steps: list[int]) -> int | None:
        """With a number that is known."""
        for operand, step in zip(operands, reversed(steps), strict=True):
            numbers = integers(operand.type, operand.value) if operand.value[0] != "%" else None
            if numbers and len(set(numbers)) == 1:
                return numbers[0] * step
        return None

    def _of_phi(self, phi: Instruction) -> int | None:
        """Of what each iteration adds a constant to."""
        if not any(each is phi for each in self.loop.header.phis()):
            return None
        following = self.loop.arm(phi, self.loop.body.name)
        own = Operand(phi.type, phi.name)
        found = _SUM.find(following, self.definitions, counter=own)
        if found is None:
            return None
        added = integers(*found["step"])
        made = self.definitions[following]
        if added is None or len(set(added)) != 1 or (made.op == "getelementptr" and len(made.operands) != 2):
            return None
        return added[0] * (self.layout.size(made.parts.element_type) if made.op == "getelementptr" else 1)

    def _of_address(self, made: Instruction, steps: list[int]) -> int | None:
        element, total = made.parts.element_type, steps[0]
        for position, index in enumerate(made.operands[1:]):
            body = self.layout.resolve(element)
            array = array_parts(body)
            if position and array is not None:
                element = array[1]
            elif position and lanes_of(body):
                element = element_of(body)
            elif position:
                number = integers(index.type, index.value)
                if number is None or len(set(number)) != 1:
                    return None
                element = self.layout.members(body)[0][number[0]]
                continue
            total += self.layout.size(element) * steps[1 + position]
        return total
