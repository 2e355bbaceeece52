"""What a loop over gangs only sums up, or finds the least or greatest of: several of them side by side, folded at its end.

%s = phi <8 x i8> [ %start, %outside ], [ %next, %body ]
%next = call <8 x i8> @llvm.smax.v8i8(<8 x i8> %s, <8 x i8> %v)

A wide loop has ``<32 x i8>`` of it, four to a lane; what it ends with is made eight lanes
again before the loop of single gangs goes on. Each lane still has what its own
elements give, since the order does not matter.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import match as m
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Block, Instruction
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import Uses
from voltac.options import Options
from voltac.passes.loops.gang_loops import GangLoop
from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern

_SUMS = frozenset(("add", "xor"))
_EXTREMES = frozenset(("and", "or", "smin", "smax", "umin", "umax"))
_CALL = lazy_pattern(r"@llvm\.([su](?:min|max))\.")
_LEAST_OR_GREATEST = lazy_pattern(r"(?:ogt|olt|oge|ole)")
_COMPARED = m.op("fcmp", m.value("a"), m.value("b"), named="compare")
_CHOSEN = m.op("select", _COMPARED, m.value("a"), m.value("b"))
_CHOSEN_OTHER = m.op("select", _COMPARED, m.value("b"), m.value("a"))


@record(eq=False)
class Accumulator:
    """A phi of a gang and the one instruction of the body that changes it."""

    phi: Instruction
    start: str
    change: Instruction
    compare: Instruction | None
    """Of floats: ``change`` selects by it."""
    term: str
    """What it takes in each iteration."""
    operation: str

    @property
    def type(self) -> str:
        """IR type of the vector it sums up in."""
        return self.phi.type

    @property
    def is_sum(self) -> bool:
        """Taking the same element twice would be wrong."""
        return self.operation in _SUMS

    def combined(self, name: str, vector: str, first: str, second: str, fresh: Callable[[str], str]) -> list[Instruction]:
        """Instructions that make ``name`` of two such vectors."""
        if self.compare is not None:
            less = fresh("compared")
            test = f"  {less} = fcmp {self.compare.parts.predicate} {vector} {first}, {second}"
            operands = (first, second) if self.change.operands[1].value == self.compare.operands[0].value else (second, first)
            choose = f"  {name} = select <{lanes_of(vector)} x i1> {less}, {vector} {operands[0]}, {vector} {operands[1]}"
            return [Instruction(test), Instruction(choose)]
        if self.operation in ("add", "xor", "and", "or"):
            return [Instruction(f"  {name} = {self.operation} {vector} {first}, {second}")]
        callee = f"@llvm.{self.operation}.v{lanes_of(vector)}{element_of(vector)}"
        return [Instruction(f"  {name} = call {vector} {callee}({vector} {first}, {vector} {second})")]


def move_conditions_into_terms(loop: GangLoop, values: LaneValues) -> None:
    """``if (test) sum += term;`` is ``sum += test ? term : 0;``, so that it is a sum.

    %more = add <8 x i32> %s, %term                             %some = select <8 x i1> %test, <8 x i32> %term, zeroinitializer
    %next = select <8 x i1> %test, <8 x i32> %more, %s    ->    %next = add <8 x i32> %s, %some
    """
    instructions = loop.body.instructions
    uses: Uses | None = None
    for phi in loop.carried:
        incoming = dict(zip(phi.parts.labels, (operand.value for operand in phi.operands)))
        choice = m.made_by(("select",), incoming.get(loop.body.name, ""), values.definitions)
        if choice is None or not any(each is choice for each in instructions):
            continue
        test, *sides = choice.operands
        if [side.value for side in sides].count(phi.name) != 1 or lanes_of(test.type) != loop.width:
            continue
        at = 1 - [side.value for side in sides].index(phi.name)
        change = m.made_by(_SUMS, sides[at].value, values.definitions)
        if change is None or not any(each is change for each in instructions):
            continue
        uses = uses or Uses(loop.function.instructions())
        if uses.single_use(change.name) is not choice:
            continue
        terms = [operand.value for operand in change.operands]
        if terms.count(phi.name) != 1:
            continue
        arms = ["zeroinitializer", "zeroinitializer"]
        arms[at] = terms[1 - terms.index(phi.name)]
        some, vector = loop.function.fresh_names()("some"), phi.type
        chosen = Instruction(f"  {some} = select {test.type} {test.value}, {vector} {arms[0]}, {vector} {arms[1]}")
        values.definitions[some] = chosen
        for gone in (choice, change):
            uses.remove(gone)
        choice.text = f"  {choice.name} = {change.op} {vector} {phi.name}, {some}"
        for new in (chosen, choice):
            uses.add(new)
        instructions.insert(instructions.index(choice), chosen)
        instructions.remove(change)


def accumulators(loop: GangLoop, values: LaneValues, options: Options) -> list[Accumulator] | None:
    """One for each phi that the loop carries; None if one of them is something else."""
    found: list[Accumulator] = []
    uses = Uses(loop.body.instructions)
    for phi in loop.carried:
        made = _accumulator(loop, phi, uses, values, options)
        if made is None:
            return None
        found.append(made)
    return found


def _accumulator(loop: GangLoop, phi: Instruction, uses: Uses, values: LaneValues, options: Options) -> Accumulator | None:
    incoming = dict(zip(phi.parts.labels, (operand.value for operand in phi.operands)))
    change = values.definitions.get(incoming.get(loop.body.name, ""))
    if change is None or lanes_of(phi.type) != loop.width or not any(each is change for each in loop.body.instructions):
        return None
    start, name = incoming[loop.outside], phi.name
    if not uses.is_unused(change.name):
        return None
    if change.op == "select" and options.fast_math == "aggressive":
        return _extreme_of_floats(phi, start, change, uses, values)
    operation = change.op
    if operation == "call":
        called = _CALL.match(change.parts.callee)
        operation = called[1] if called else ""
    if operation not in _SUMS and operation not in _EXTREMES:
        return None
    operands = [operand.value for operand in change.operands[:2]]
    if operands.count(name) != 1 or uses.count(name) != 1:
        return None
    term = operands[1 - operands.index(name)]
    return Accumulator(phi, start, change, None, term, operation)


def _extreme_of_floats(phi: Instruction, start: str, change: Instruction, uses: Uses, values: LaneValues) -> Accumulator | None:
    """``s > v ? s : v``: with the order of NaNs and of zeros left open."""
    in_order = _CHOSEN.find(change.name, values.definitions)
    found = in_order or _CHOSEN_OTHER.find(change.name, values.definitions)
    if found is None:
        return None
    compare, pair = values.definitions[found["compare"].value], [found["a"].value, found["b"].value]
    if not _LEAST_OR_GREATEST.fullmatch(compare.parts.predicate) or pair.count(phi.name) != 1:
        return None
    if uses.count(phi.name) != 2 or uses.count(compare.name) != 1:
        return None
    term = pair[1 - pair.index(phi.name)]
    return Accumulator(phi, start, change, compare, term, f"{compare.parts.predicate} {in_order is not None}")


def begun(accumulator: Accumulator, wide: int, block: Block, fresh: Callable[[str], str]) -> str:
    """What the wide loop starts with, made at the end of ``block``: nothing yet of a sum, the same in all parts of others."""
    if accumulator.is_sum:
        return "zeroinitializer"
    name = fresh("begun")
    block.instructions.append(repeated(name, accumulator.type, accumulator.start, wide))
    return name


def repeated(name: str, vector: str, value: str, wide: int) -> Instruction:
    """``value`` over and over, up to ``wide`` lanes."""
    places = ", ".join(f"i32 {lane % lanes_of(vector)}" for lane in range(wide))
    return Instruction(f"  {name} = shufflevector {vector} {value}, {vector} poison, <{wide} x i32> <{places}>")


def folded(accumulator: Accumulator, value: str, wide: int, block: Block, fresh: Callable[[str], str]) -> str:
    """``value``, of ``wide`` lanes, made one gang's at the end of ``block``, with what the sum began with."""
    element, width = element_of(accumulator.type), lanes_of(accumulator.type)
    while wide > width:
        halves = fresh("half"), fresh("half")
        for half, first in zip(halves, (0, wide // 2)):
            places = ", ".join(f"i32 {lane}" for lane in range(first, first + wide // 2))
            vector = f"<{wide} x {element}>"
            block.instructions.append(
                Instruction(f"  {half} = shufflevector {vector} {value}, {vector} poison, <{wide // 2} x i32> <{places}>")
            )
        wide //= 2
        value = fresh("folded")
        block.instructions += accumulator.combined(value, f"<{wide} x {element}>", halves[0], halves[1], fresh)
    if accumulator.is_sum and accumulator.start != "zeroinitializer":
        whole = fresh("folded")
        block.instructions += accumulator.combined(whole, accumulator.type, accumulator.start, value, fresh)
        return whole
    return value
