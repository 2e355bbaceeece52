"""Integers inside a loop -> the least and the greatest they can be there, as numbers that are computed before the loop.

    for k < n:  for j < n:  ... k * n + j ...    ->    before:  (n - 1) * n + (n - 1), in 64 bits

Numbers are read as unsigned ones. What is computed is exact, or too large: each operation inside the loop that
could wrap around leaves a test in ``tests``, and where all of them hold none of these operations wraps.
"""

from __future__ import annotations

from collections.abc import Callable, KeysView

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow
from voltac.ir.constants import integers
from voltac.ir.lane_formulas import UniformSymbol, greatest_common_divisor, power_of_two_part
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.passes.facts.passed_tests import PassedTests
from voltac.passes.loops.preheader import Number, Preheader
from voltac.records import field, mutable_record, record

_DEEPEST = 40
"""Of a chain of instructions: addresses are far shorter, and Python's stack is in no danger."""
_WIDEST = 32
"""Bits of the integers that are bounded."""
_GREATEST = (1 << 64) - 1
"""Of what a number of 64 bits can be."""
_REMAINDER = m.op(("and", "urem"), m.value("whole"))
_STEP = m.op("add", m.value("counter"), m.constant("step"))


class Unbounded(Exception):
    """Nothing useful is known of a value before the loop."""


@record
class Bounds:
    """Least and greatest of an integer, read as unsigned, as numbers that are known before the loop."""

    low: Number
    high: Number
    exact: bool = False
    """The greatest fits into the type, in the case that is tested for; not so of a sum that is still to be tested."""
    most: int = (1 << _WIDEST) - 1
    """What the greatest never exceeds; less than 2 to the 64."""


@mutable_record
class Claims:
    """Operations that do not wrap, and the tests that say so."""

    tests: dict[tuple[str, Number, Number], None] = field(default_factory=dict)
    """``left`` is less than, or at least, ``right``."""
    without_wrap: dict[str, None] = field(default_factory=dict)

    def join(self, other: Claims) -> None:
        """Take over what another case claims."""
        self.tests |= other.tests
        self.without_wrap |= other.without_wrap


class LoopBounds:
    """Bounds of the values of some blocks, from what is known before them."""

    def __init__(
        self,
        function: Function,
        flow: ControlFlow,
        inside: KeysView[str],
        values: LaneValues,
        block_of: dict[str, str],
        code: Preheader,
    ) -> None:
        self.function = function
        self.flow = flow
        self.inside = inside
        self.values = values
        self.block_of = block_of
        """Value -> its block."""
        self.code = code
        self.claims = Claims()
        """Of what is being bounded."""
        self._known: dict[tuple[str, str], tuple[Bounds, Claims]] = {}
        self._open: set[str] = set()
        self._passed = PassedTests(function, flow, inside, values, block_of)

    def of(self, type_text: str, value: str, block: str, depth: int = 0) -> Bounds:
        """Of an operand of what stands in ``block``, over all lanes."""
        bits = integer_bits(element_of(type_text))
        if value[0] != "%":
            known = integers(type_text, value)
            if known is None or min(known) < 0:
                raise Unbounded
            return Bounds(min(known), max(known), True, max(known))
        if not 1 < bits <= _WIDEST or depth > _DEEPEST:
            raise Unbounded
        key = (value, block)
        if key not in self._known:
            outer, self.claims = self.claims, Claims()
            try:
                self._known[key] = self._find(type_text, value, bits, block, depth), self.claims
            finally:
                self.claims = outer
        found, claims = self._known[key]
        self.claims.join(claims)
        return found

    def _find(self, type_text: str, value: str, bits: int, block: str, depth: int) -> Bounds:
        made = self.values.definitions.get(value)
        if made is None or self.block_of[value] not in self.inside:
            return self._outside(type_text, value, bits)
        if value in self._open:
            raise Unbounded
        self._open.add(value)
        try:
            return self._inside(made, bits, block, depth + 1)
        finally:
            self._open.discard(value)

    def _outside(self, type_text: str, value: str, bits: int) -> Bounds:
        low = high = value
        if lanes_of(type_text):
            formula = self.values.value(type_text, value)
            if formula is None or not formula.unsigned:
                raise Unbounded
            low, high = (
                self.code.value(f"extractelement {type_text} {value}, i64 {formula.offsets.index(choose(formula.offsets))}")
                for choose in (min, max)
            )
        ends = [self.code.value(f"zext i{bits} {end} to i64") for end in ((low,) if low == high else (low, high))]
        return Bounds(ends[0], ends[-1], True, (1 << bits) - 1)

    def _inside(self, made: Instruction, bits: int, block: str, depth: int) -> Bounds:
        place = self.block_of[made.name]
        rule = _RULES.get(made.op)
        found: Bounds | None = None
        if made.op == "call":
            found = self._call(made, place, depth)
        elif made.op == "phi":
            found = self._phi(made, bits, block, depth)
        elif rule is not None:
            found = rule(self, made, place, depth)
        if found is None:
            found = self._of_type(bits)
        return found

    def _of_type(self, bits: int) -> Bounds:
        if bits >= _WIDEST:
            raise Unbounded
        return Bounds(0, (1 << bits) - 1, True, (1 << bits) - 1)

    def _both(self, made: Instruction, place: str, depth: int) -> tuple[Bounds, Bounds]:
        first, second = made.operands
        return self.of(first.type, first.value, place, depth), self.of(second.type, second.value, place, depth)

    def _amount(self, operand: Operand) -> int:
        known = integers(operand.type, operand.value) if operand.value[0] != "%" else None
        if known is None or len(set(known)) != 1 or not 0 <= known[0] < 1 << _WIDEST:
            raise Unbounded
        return known[0]

    # ---- operations

    def add(self, made: Instruction, place: str, depth: int) -> Bounds:
        """The sums of the ends, where the greatest fits."""
        first, second = self._both(made, place, depth)
        if first.most + second.most > _GREATEST:
            first, second = (self._tested(operand, side) for operand, side in zip(made.operands, (first, second)))
        low, high = self._code("add", first.low, second.low), self._code("add", first.high, second.high)
        return self._sum(made, Bounds(low, high, False, first.most + second.most))

    def sub(self, made: Instruction, place: str, depth: int) -> Bounds:
        """The differences of opposite ends, where the least is not below 0."""
        first, second = made.operands
        whole = self._tested(first, self.of(first.type, first.value, place, depth))
        if _REMAINDER.matches(second.value, self.values.definitions, whole=first):
            # What is left when the remainder is taken off.
            return Bounds(0, whole.high, True, whole.most)
        part = self._tested(second, self.of(second.type, second.value, place, depth))
        self.require("uge", whole.low, part.high)
        self.claims.without_wrap[made.name] = None
        # Where the test fails the numbers are wrong, and not used.
        return Bounds(self._code("sub", whole.low, part.high), self._code("sub", whole.high, part.low), True, whole.most)

    def mul(self, made: Instruction, place: str, depth: int) -> Bounds:
        """The products of the ends, where the greatest fits."""
        first, second = (self._tested(operand, side) for operand, side in zip(made.operands, self._both(made, place, depth)))
        low, high = self._code("mul", first.low, second.low), self._code("mul", first.high, second.high)
        return self._sum(made, Bounds(low, high, False, first.most * second.most))

    def shl(self, made: Instruction, place: str, depth: int) -> Bounds:
        """By a constant amount; the ends shifted, where the greatest fits."""
        first, amount = made.operands
        by = self._amount(amount)
        if by >= integer_bits(element_of(made.type)):
            raise Unbounded
        whole = self._tested(first, self.of(first.type, first.value, place, depth))
        low, high = self._code("shl", whole.low, by), self._code("shl", whole.high, by)
        return self._sum(made, Bounds(low, high, False, whole.most << by))

    def _sum(self, made: Instruction, found: Bounds) -> Bounds:
        """Of a sum or product, that does not wrap if its greatest value fits."""
        self.claims.without_wrap[made.name] = None
        bits = integer_bits(element_of(made.type))
        return self.fits(found, bits) if bits < _WIDEST or isinstance(found.high, int) else found

    def lshr(self, made: Instruction, place: str, depth: int) -> Bounds:
        """By a constant amount."""
        first, amount = made.operands
        by = self._amount(amount)
        if by >= integer_bits(element_of(made.type)):
            raise Unbounded
        whole = self._tested(first, self.of(first.type, first.value, place, depth))
        return Bounds(self._code("lshr", whole.low, by), self._code("lshr", whole.high, by), True, whole.most >> by)

    def udiv(self, made: Instruction, place: str, depth: int) -> Bounds:
        """0 to the dividend."""
        first = made.operands[0]
        whole = self._tested(first, self.of(first.type, first.value, place, depth))
        return Bounds(0, whole.high, True, whole.most)

    def bit_and(self, made: Instruction, place: str, depth: int) -> Bounds:
        """0 to the lesser of both; to the constant where one is."""
        for operand in made.operands[::-1]:
            known = integers(operand.type, operand.value) if operand.value[0] != "%" else None
            if known is not None and min(known) >= 0:
                return Bounds(0, max(known), True, max(known))
        first, second = (self._tested(operand, side) for operand, side in zip(made.operands, self._both(made, place, depth)))
        return Bounds(0, self.code.extreme("umin", first.high, second.high), True, min(first.most, second.most))

    def urem(self, made: Instruction, place: str, depth: int) -> Bounds:
        """0 to one less than the divisor."""
        by = made.operands[1]
        divisor = self._tested(by, self.of(by.type, by.value, place, depth))
        return Bounds(0, self.code.less(divisor.high, 1), True, divisor.most)

    def zext(self, made: Instruction, place: str, depth: int) -> Bounds:
        """As what is extended."""
        inner = made.operands[0]
        return self._tested(inner, self.of(inner.type, inner.value, place, depth))

    def sext(self, made: Instruction, place: str, depth: int) -> Bounds:
        """As what is extended, where that is not negative as a signed number."""
        inner = made.operands[0]
        return self.fits(self.of(inner.type, inner.value, place, depth), integer_bits(element_of(inner.type)) - 1)

    def trunc(self, made: Instruction, place: str, depth: int) -> Bounds:
        """As what is cut, where that fits what is left."""
        inner = made.operands[0]
        found = self.of(inner.type, inner.value, place, depth)
        self.claims.without_wrap[made.name] = None
        return self.fits(found, integer_bits(element_of(made.type)))

    def select(self, made: Instruction, place: str, depth: int) -> Bounds:
        """The least and the greatest of both operands."""
        return self._either(made.operands[1:], [place, place], depth)

    def shufflevector(self, made: Instruction, place: str, depth: int) -> Bounds:
        """Of a scalar in all lanes; any other is :class:`Unbounded`."""
        scalar = m.scalar_of_splat(made.name, self.values.definitions)
        if scalar is None:
            raise Unbounded
        return self.of(scalar.type, scalar.value, place, depth)

    def freeze(self, made: Instruction, place: str, depth: int) -> Bounds:
        """As its operand."""
        return self.of(made.operands[0].type, made.operands[0].value, place, depth)

    def _call(self, made: Instruction, place: str, depth: int) -> Bounds | None:
        """Least and greatest; read as signed ones they are the same numbers below the half of all."""
        callee = made.parts.callee
        which = next((name for name in ("umin", "umax", "smin", "smax") if callee.startswith(f"@llvm.{name}.")), "")
        if not which:
            return None
        bits = integer_bits(element_of(made.type)) - (which[0] == "s")
        first, second = (
            self.fits(side, bits) if not side.exact or which[0] == "s" else side for side in self._both(made, place, depth)
        )
        low, high = (self.code.extreme(f"u{which[1:]}", *ends) for ends in ((first.low, second.low), (first.high, second.high)))
        return Bounds(low, high, True, max(first.most, second.most))

    def _either(self, operands: list[Operand], places: list[str], depth: int) -> Bounds:
        found = [
            self._tested(operand, self.of(operand.type, operand.value, place, depth))
            for operand, place in zip(operands, places)
        ]
        low, high = found[0].low, found[0].high
        for side in found[1:]:
            low, high = self.code.extreme("umin", low, side.low), self.code.extreme("umax", high, side.high)
        return Bounds(low, high, True, max(side.most for side in found))

    # ---- what loops count

    def _phi(self, made: Instruction, bits: int, block: str, depth: int) -> Bounds:
        labels = made.parts.labels
        place = self.block_of[made.name]
        if any(self.flow.dominates(place, label) for label in labels):
            return self._counter(made, bits, block, depth)
        return self._either(made.operands, labels, depth)

    def _counter(self, made: Instruction, bits: int, block: str, depth: int) -> Bounds:
        """A counter of a loop: from where it starts, to below what the loop asks it to be less than."""
        limit = self._passed.limit(made, block)
        if limit is None or lanes_of(made.type):
            return self._of_type(bits)
        test, number, at = limit
        facts = self.values.facts(UniformSymbol("value", made.name, bits))
        nonnegative = facts.low is not None and facts.low >= 0
        if test[0] == "s" and not nonnegative:
            return self._of_type(bits)
        most = self._tested(number, self.of(number.type, number.value, at, depth))
        high = most.high
        if test.endswith("lt"):
            formula = self.values.of(number)
            # Multiples of one number differ by it.
            multiple = self.values.facts.of_value(formula).multiple if formula is not None else 1
            common = greatest_common_divisor(facts.multiple, multiple)
            high = self.code.less(high, max(1, power_of_two_part(common)))
        return Bounds(self._start(made, nonnegative, depth), high, True, most.most)

    def _start(self, counter: Instruction, nonnegative: bool, depth: int) -> Number:
        """The least value of a counter that only goes up; 0 is always one."""
        place = self.block_of[counter.name]
        starts: list[tuple[Operand, str]] = []
        for operand, label in zip(counter.operands, counter.parts.labels):
            if not self.flow.dominates(place, label):
                starts.append((operand, label))
            elif not self._goes_up(operand.value, counter, nonnegative):
                return 0
        try:
            found = self._either([operand for operand, _ in starts], [label for _, label in starts], depth)
        except Unbounded:
            return 0
        return found.low

    def _goes_up(self, following: str, counter: Instruction, nonnegative: bool) -> bool:
        """Whether an iteration adds to the counter and does not wrap: below a limit there is room for one."""
        found = _STEP.find(following, self.values.definitions, counter=Operand(counter.type, counter.name))
        step = integers(*found["step"]) if found else None
        if not step or min(step) < 0:
            return False
        flags = self.values.definitions[following].parts.flags
        if "nuw" in flags or ("nsw" in flags and nonnegative):
            return True
        limit = self._passed.limit(counter, self.block_of[following])
        return step == (1,) and limit is not None and limit[0] == "ult"

    # ---- tests

    def _code(self, op: str, left: Number, right: Number) -> Number:
        return self.code.binary(op, left, right)

    def _tested(self, operand: Operand, found: Bounds) -> Bounds:
        """The bounds of an operand, that does not wrap around."""
        return found if found.exact else self.fits(found, integer_bits(element_of(operand.type)))

    def fits(self, found: Bounds, bits: int) -> Bounds:
        """Require that the greatest value has no more than so many bits."""
        if found.most >> bits:
            self.require("ult", found.high, 1 << bits)
        return Bounds(found.low, found.high, True, min(found.most, (1 << bits) - 1))

    def require(self, predicate: str, left: Number, right: Number) -> None:
        """A test before the loop; :class:`Unbounded` if it is known to fail."""
        if isinstance(left, int) and isinstance(right, int):
            if not (left < right if predicate == "ult" else left >= right):
                raise Unbounded
        elif not (predicate == "uge" and right == 0):
            self.claims.tests[predicate, left, right] = None


_Rule = Callable[[LoopBounds, Instruction, str, int], Bounds]
_RULES: dict[str, _Rule] = {
    "add": LoopBounds.add,
    "sub": LoopBounds.sub,
    "mul": LoopBounds.mul,
    "shl": LoopBounds.shl,
    "lshr": LoopBounds.lshr,
    "udiv": LoopBounds.udiv,
    "and": LoopBounds.bit_and,
    "urem": LoopBounds.urem,
    "zext": LoopBounds.zext,
    "sext": LoopBounds.sext,
    "trunc": LoopBounds.trunc,
    "select": LoopBounds.select,
    "shufflevector": LoopBounds.shufflevector,
    "freeze": LoopBounds.freeze,
}
