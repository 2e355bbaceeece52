"""Loops of one block that count: what they count, what they carry on, and addresses as sums of products of what is known.

loop:
  %i = phi i32 [ %begin, %before ], [ %n, %loop ]
  %s = phi <4 x float> [ %zero, %before ], [ %t, %loop ]
  ...
  %n = add i32 %i, 4
  %c = icmp slt i32 %n, %limit
  br i1 %c, label %loop, label %behind
"""

from __future__ import annotations

from collections.abc import Mapping

from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.scan import split_list
from voltac.ir.types import vector_parts
from voltac.records import mutable_record, record


class OtherLoop(Exception):
    """The loop is no loop over streams."""


@mutable_record(eq=False)
class StreamLoop:
    """A loop of one block."""

    block: Block
    before: str
    behind: str
    counter: str
    begin: str
    step: int
    following: str
    limit: str
    carried: dict[str, tuple[Operand, str]]
    """Other phis by name: what they are at first, and the name of what the next iteration has."""


def loop_of(function: Function, block: Block) -> StreamLoop:
    """OtherLoop where the block is no such loop."""
    last = block.instructions[-1]
    if last.op != "br" or len(last.parts.labels) != 2 or last.parts.labels[0] != block.name:
        raise OtherLoop
    made = {one.name: one for one in block.instructions if one.name}
    test = made.get(last.operands[0].value)
    if test is None or test.op != "icmp" or test.parts.predicate not in ("slt", "ult") or test.operands[1].value in made:
        raise OtherLoop
    following = test.operands[0].value
    counted: tuple[str, str, str] | None = None
    carried = {}
    for phi in block.phis():
        arms = dict(zip(phi.parts.labels, phi.operands))
        if len(arms) != 2 or block.name not in arms:
            raise OtherLoop
        next_one = arms.pop(block.name).value
        ((before, first),) = arms.items()
        if next_one == following:
            counted = phi.name, before, first.value
        else:
            carried[phi.name] = Operand(phi.type, first.value), next_one
    step = made.get(following)
    if counted is None or step is None or step.op != "add" or step.operands[0].value != counted[0]:
        raise OtherLoop
    if not step.operands[1].value.isdigit():
        raise OtherLoop
    behind, known = last.parts.labels[1], {following, *(next_one for _, next_one in carried.values())}
    # Behind the loop only the counter and what it carries may be known, by phis.
    for other in function.blocks:
        if other is not block:
            for instruction in other.instructions:
                is_exit = instruction.op == "phi" and other.name == behind
                if set(instruction.names_used()) & made.keys() - (known if is_exit else set()):
                    raise OtherLoop
    counter, before, begin = counted
    return StreamLoop(
        block, before, behind, counter, begin, int(step.operands[1].value), following, test.operands[1].value, carried
    )


Sum = Mapping[tuple[str, ...], int]
"""A sum of products of names, each with a factor; the empty product is the constant."""
_CONSTANT = ()


def plus(one: Sum, other: Sum, factor: int = 1) -> Sum:
    """``one + factor * other``."""
    made = dict(one)
    for product, times in other.items():
        made[product] = made.get(product, 0) + factor * times
    return {product: times for product, times in made.items() if times}


def times(one: Sum, other: Sum) -> Sum:
    """The product."""
    made: Sum = {}
    for first, count in one.items():
        made = plus(made, {tuple(sorted(first + second)): number for second, number in other.items()}, count)
    return made


@record
class StreamPlace:
    """An address: a pointer and bytes."""

    base: Operand
    bytes: tuple[tuple[tuple[str, ...], int], ...]
    """A :data:`Sum`, in order."""

    @property
    def sum(self) -> Sum:
        """The bytes."""
        return dict(self.bytes)

    def moved(self, bytes: Sum) -> StreamPlace:
        """So many bytes on."""
        return place(self.base, plus(self.sum, bytes))

    def per(self, name: str) -> Sum:
        """Bytes for one more of what a name counts; OtherLoop if that is not the same everywhere."""
        found: dict[tuple[str, ...], int] = {}
        for product, count in self.bytes:
            if name in product:
                left = list(product)
                left.remove(name)
                if name in left:
                    raise OtherLoop
                found[tuple(left)] = count
        return found

    @property
    def constant(self) -> int:
        """Bytes that are a number."""
        return self.sum.get(_CONSTANT, 0)


def place(base: Operand, bytes: Sum) -> StreamPlace:
    """A place."""
    return StreamPlace(base, tuple(sorted(bytes.items())))


class IndexSums:
    """Integers of a loop, and lanes of vectors of them, as sums."""

    def __init__(self, block: Block, definitions: dict[str, Instruction], counter: str) -> None:
        self.inside = {one.name for one in block.instructions if one.name}
        self.definitions = definitions
        self.counter = counter

    def of(self, operand: Operand, lane: int = 0) -> Sum:
        """OtherLoop where it is no sum."""
        text = operand.value
        if vector_parts(operand.type) is not None and text[0] != "%":
            text = _lane_of_constant(text, lane)
        if text.lstrip("-").isdigit():
            return {_CONSTANT: int(text)} if int(text) else {}
        if text == self.counter or text not in self.definitions:
            return {(text,): 1}
        made = self.definitions[text]
        operands = made.operands
        match made.op:
            case "add" | "or" if made.op == "add" or "disjoint" in made.text:
                return plus(self.of(operands[0], lane), self.of(operands[1], lane))
            case "sub":
                return plus(self.of(operands[0], lane), self.of(operands[1], lane), -1)
            case "mul":
                return times(self.of(operands[0], lane), self.of(operands[1], lane))
            case "shl" if operands[1].value.isdigit():
                return times(self.of(operands[0], lane), {_CONSTANT: 1 << int(operands[1].value)})
            case "extractelement" if operands[1].value.isdigit():
                return self.of(operands[0], int(operands[1].value))
            case "insertelement":
                if operands[2].value == str(lane):
                    return self.of(operands[1])
                return self.of(operands[0], lane)
            case "shufflevector" if "zeroinitializer" in made.parts.mask:
                return self.of(operands[0], 0)
        if text in self.inside or vector_parts(operand.type) is not None:
            raise OtherLoop
        return {(text,): 1}


def _lane_of_constant(text: str, lane: int) -> str:
    if text == "zeroinitializer":
        return "0"
    if text.startswith("splat ("):
        return text[len("splat (") : -1].partition(" ")[2]
    if text.startswith("<"):
        return split_list(text[1:-1])[lane].partition(" ")[2]
    raise OtherLoop


def scalar_of(operand: Operand, element: str, definitions: dict[str, Instruction]) -> Operand:
    """What is in every lane of a vector; OtherLoop where that is not one value."""
    text = operand.value
    if text == "zeroinitializer":
        return Operand(element, "0.0" if element == "float" else "0xH0000")
    if text.startswith(("splat (", "<")):
        values = {_lane_of_constant(text, lane) for lane in range((vector_parts(operand.type) or (1, ""))[0])}
        if len(values) == 1:
            return Operand(element, values.pop())
        raise OtherLoop
    made = definitions.get(text)
    if made is None or made.op != "shufflevector" or "zeroinitializer" not in made.parts.mask:
        raise OtherLoop
    source = definitions.get(made.operands[0].value)
    if source is None or source.op != "insertelement" or source.operands[2].value != "0":
        raise OtherLoop
    return source.operands[1]
