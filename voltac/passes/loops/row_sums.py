"""What lanes sum up along rows of their own, where the order of additions is free: parts of rows are added as they lie.

    x0 x1 x2 x3 | y0 y1 y2 y3   +   x4 x5 x6 x7 | y4 y5 y6 y7   + ...      of rows x and y, with nothing moved between lanes
    ->
    x0 + x4 + ... and so on, transposed behind the loop: four sums of each lane, which are added

So are minima, maxima and bits that are put together; as each element may be taken twice there, 16 bytes of a row are a part,
and the last part may overlap the one before. A term may be made of elements of several rows, of what is the same in all lanes
and iterations, and of elements of a row that all lanes have in common.
"""

from __future__ import annotations

from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import Definitions, scalar_of_splat
from voltac.ir.model import Instruction
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.loops.counted_loops import CountedLoop, IterationSteps
from voltac.records import record

PART = 4
"""Elements of a row that are left when all of it is summed up; of sums elements of a part, too."""
_LANE_BYTES = 4
"""Of a lane in the largest registers that a gang fills once."""
_PART_BYTES = 16
"""Of a part of a row whose elements may be taken twice."""
_EXTREMES = ("@llvm.smax.", "@llvm.smin.", "@llvm.umax.", "@llvm.umin.")
_INTEGERS = ("i8", "i16", "i32")
_COMPARED = {
    f"{sign}{test}": (f"@llvm.{sign}{first}.", f"@llvm.{sign}{second}.")
    for sign in "su"
    for test, first, second in (("lt", "min", "max"), ("le", "min", "max"), ("gt", "max", "min"), ("ge", "max", "min"))
}
"""Predicate -> what the left is where it is selected if the comparison holds, and where the right is."""
_TWICE = frozenset((*_EXTREMES, "and", "or"))
"""Operations with which to take an element twice changes nothing."""
_FREE = frozenset((*_TWICE, "add", "xor"))
"""Operations of integers in any order."""
_ELEMENTWISE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "fcmp", "icmp", "select", "freeze")) - {
    "sdiv", "udiv", "srem", "urem",
}  # fmt: skip
_CALLS = (*_EXTREMES, "@llvm.abs.")


@record
class RowSum:
    """One of a loop."""

    phi: Instruction
    change: Instruction
    """The sum of the phi and a term."""
    operation: str
    """The instruction's word, or the beginning of the function's name."""

    @property
    def element(self) -> str:
        """Its type."""
        return element_of(self.phi.type)

    @property
    def takes_twice(self) -> bool:
        """Whether an element may be taken twice."""
        return self.operation in _TWICE

    @property
    def identity(self) -> str:
        """The vector that changes nothing."""
        if self.element == "float":
            return "splat (float -0.0)"
        bits = integer_bits(self.element)
        first = {"and": -1, "@llvm.umin.": -1, "@llvm.smax.": -(1 << bits - 1), "@llvm.smin.": (1 << bits - 1) - 1}
        number = first.get(self.operation, 0)
        return f"splat ({self.element} {number})" if number else "zeroinitializer"

    def joined(self, first: str, second: str, lanes: int, emit: Emitter) -> str:
        """Two vectors of so many lanes, element by element."""
        vector = f"<{lanes} x {self.element}>"
        if self.operation[0] != "@":
            flags = self.change.parts.flags if self.change.op == "fadd" else ()
            return emit.value("total", f"{' '.join((self.change.op, *flags))} {vector} {first}, {second}")
        name = emit.fresh("total")
        function = f"{self.operation}v{lanes}{self.element}"
        emit.call(f"{vector} {function}({vector}, {vector})", f"{vector} {first}, {vector} {second}", name)
        return name


def _operation(change: Instruction, test: Instruction | None) -> str:
    """Of a sum; a selection of one of two numbers by their comparison is an extreme of both."""
    callee = change.parts.callee
    if callee:
        return f"{callee.rpartition('.')[0]}."
    if test is None or test.op != "icmp" or test.parts.predicate not in _COMPARED:
        return change.op
    compared, chosen = [[each.value for each in made] for made in (test.operands, change.operands[1:])]
    least, most = _COMPARED[test.parts.predicate]
    if compared == chosen:
        return least
    return most if compared == chosen[::-1] else change.op


@record
class SharedRow:
    """A row that all lanes have in common."""

    load: Instruction
    """Of the element of an iteration."""
    casts: list[Instruction]
    """What is done to it before it is put into all lanes."""


@record
class RowSums:
    """All that a loop does."""

    sums: list[RowSum]
    shared: dict[str, SharedRow]
    """By the vectors that have an element of it in all lanes."""
    count: int
    """Elements of a part of a row."""

    @property
    def overlaps(self) -> bool:
        """Whether the last part may overlap the one before."""
        return all(each.takes_twice for each in self.sums)


def row_sums(loop: CountedLoop, rows: list[Access], values: LaneValues, vector_bits: int) -> RowSums | None:
    """None if the loop does anything else than sum up, or lanes do not fill registers once."""
    lanes = rows[0].lanes
    if lanes % PART or 8 * _LANE_BYTES * lanes > vector_bits or any(row.lanes != lanes for row in rows):
        return None
    phis = [phi for phi in loop.header.phis() if phi is not loop.counter]
    terms = _Terms(loop, rows, values)
    sums = [made for phi in phis if (made := terms.sum_of(phi)) is not None]
    if not sums or len(sums) < len(phis):
        return None
    found = RowSums(sums, terms.shared, PART)
    sizes = {integer_bits(each.element) // 8 for each in sums if each.takes_twice}
    if found.overlaps and len(sizes) == 1 and terms.is_plain:
        return RowSums(sums, terms.shared, _PART_BYTES // sizes.pop())
    return found if all(row.size * PART >= _LANE_BYTES for row in rows) else None


class _Terms:
    """What is summed up in a loop."""

    def __init__(self, loop: CountedLoop, rows: list[Access], values: LaneValues) -> None:
        self.loop = loop
        self.definitions: Definitions = values.definitions
        self.steps = IterationSteps(loop, values.definitions, values.layout)
        self.layout = values.layout
        self.loaded = {row.instruction.name for row in rows}
        self.shared: dict[str, SharedRow] = {}
        self.is_plain = True
        """Whether nothing is used but elements of the lanes' own rows and constants."""

    def sum_of(self, phi: Instruction) -> RowSum | None:
        """What a phi of the header sums up, if nothing else."""
        loop, definitions = self.loop, self.definitions
        change = definitions.get(loop.arm(phi, loop.body.name))
        if change is None or not any(each is change for each in loop.body.instructions) or not lanes_of(phi.type):
            return None
        test = definitions.get(change.operands[0].value) if change.op == "select" else None
        found = RowSum(phi, change, _operation(change, test))
        terms = [operand for operand in change.operands[test is not None :] if operand.value != phi.name]
        if found.element == "float":
            free = change.op == "fadd" and not {"fast", "reassoc"}.isdisjoint(change.parts.flags)
        else:
            free = found.operation in _FREE and found.element in _INTEGERS
        if not free or len(terms) != 1:
            return None
        instructions = [*loop.header.instructions, *loop.body.instructions]
        made = {phi.name, change.name} | ({test.name} if test is not None else set())
        uses = [each for each in instructions for operand in each.operands if operand.value in made]
        if len(uses) != (2 if test is None else 4):
            # In the sum and in the phi; and in a comparison, which is used in the selection.
            return None
        return found if lanes_of(terms[0].type) > 0 and self._by_element(terms[0]) else None

    def _by_element(self, operand: Operand) -> bool:
        """Whether a value is made of loaded elements, each by itself, and of what all lanes have in common."""
        name = operand.value
        if name in self.loaded:
            return True
        if not name.startswith("%"):
            number = integers(operand.type, name)
            return name.startswith(("splat ", "zeroinitializer")) or (number is not None and len(set(number)) == 1)
        scalar = scalar_of_splat(name, self.definitions)
        if scalar is not None:
            self.is_plain = False
            return not self.loop.varying_in(scalar, self.definitions) or self._is_shared(name, scalar)
        made = self.definitions.get(name)
        if made is None or name not in self.loop.inside:
            return False
        callee = made.parts.callee
        if made.op not in _ELEMENTWISE and not callee.startswith(_CALLS):
            return False
        operands = made.operands[:1] if callee.startswith("@llvm.abs.") else made.operands
        if any(lanes_of(each.type) != lanes_of(made.type) for each in operands):
            # Not an element of each lane, but parts of it.
            return False
        return all(map(self._by_element, operands))

    def _is_shared(self, vector: str, scalar: Operand) -> bool:
        """Whether a scalar is the element of a row that all lanes have in common; it is noted then."""
        casts: list[Instruction] = []
        made = self.definitions.get(scalar.value)
        while made is not None and made.op in CASTS:
            casts.insert(0, made)
            made = self.definitions.get(made.operands[0].value)
        if made is None or made.op != "load" or not any(made is each for each in self.loop.body.instructions):
            return False
        element = made.type
        if element not in ("float", *_INTEGERS) or self.steps.of(made.operands[0]) != self.layout.size(element):
            return False
        self.shared[vector] = SharedRow(made, casts)
        return True
