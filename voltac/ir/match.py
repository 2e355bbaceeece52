"""Shapes of values, matched against what defines them.

    from voltac.ir import match as m

    _REST = m.op("sub", m.value("n"), m.op(("and", "urem"), m.value("n"), m.constant("k")))

    found = _REST.find("%x", function.definitions())

    %rest = and i32 %count, 7
    %x = sub i32 %count, %rest        found is {"n": i32 %count, "k": i32 7}; None for another ``%x``

A pattern is made once, where a module is imported; that takes a microsecond and no regular
expression. It looks at a definition only when it gets there. A name that stands twice in a
pattern is the same value both times; names that the caller knows already are given to
:meth:`Pattern.find`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping

from voltac.ir.constants import integers
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, lanes_of

Definitions = Mapping[str, Instruction]
"""``%name`` -> the instruction that defines it."""
Bindings = dict[str, Operand]
"""Names in a pattern -> what they stand for."""
_Test = Callable[[Operand, Definitions, Bindings], bool]
_INDEFINITE = ("poison", "undef")


class Pattern:
    """A shape that a value has or has not."""

    __slots__ = ("test",)

    def __init__(self, test: _Test) -> None:
        self.test = test
        """Whether an operand has the shape; adds what names stand for, also where it fails in the end."""

    def find(self, name: str, definitions: Definitions, **known: Operand) -> Bindings | None:
        """What the names stand for where the value of that name has this shape; ``known`` are some of them."""
        return known if self.test(Operand("", name), definitions, known) else None

    def matches(self, name: str, definitions: Definitions, **known: Operand) -> bool:
        """Whether the value of that name has this shape."""
        return self.test(Operand("", name), definitions, known)


# --- what is taken as it is written ---


def value(name: str = "") -> Pattern:
    """Anything; a name that stands for something already is that."""

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        if name:
            return found.setdefault(name, operand).value == operand.value
        return True

    return Pattern(test)


def mask(name: str = "") -> Pattern:
    """A vector of truth values."""
    anything = value(name)

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        is_mask = lanes_of(operand.type) > 0 and element_of(operand.type) == "i1"
        return is_mask and anything.test(operand, definitions, found)

    return Pattern(test)


def constant(name: str = "") -> Pattern:
    """An integer constant, scalar or vector; :func:`voltac.ir.constants.integers` reads it."""
    anything = value(name)

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        return _numbers(operand) is not None and anything.test(operand, definitions, found)

    return Pattern(test)


def number(wanted: int) -> Pattern:
    """This number in every lane; ``number(0)`` is false too, in no lane indefinite."""

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        numbers = _numbers(operand)
        return numbers is not None and numbers.count(wanted) == len(numbers) and not _is_indefinite(operand)

    return Pattern(test)


def all_ones() -> Pattern:
    """All bits of every lane: -1, or true."""
    true, minus_one = number(1), number(-1)

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        return (true if element_of(operand.type) == "i1" else minus_one).test(operand, definitions, found)

    return Pattern(test)


def _numbers(operand: Operand) -> tuple[int, ...] | None:
    return None if operand.value[0] in "%@" else integers(operand.type, operand.value)


def _is_indefinite(operand: Operand) -> bool:
    return any(word in operand.value for word in _INDEFINITE)


# --- what was computed ---


def op(operations: str | Collection[str], *operands: Pattern, flag: str = "", predicate: str = "", named: str = "") -> Pattern:
    """The result of an operation, or one of several; of its operands those at the end may be left out.

    ``flag``: one it must have, such as ``nsw``. ``predicate``: of a comparison. ``named``: what the result is called.
    """
    wanted = frozenset((operations,) if isinstance(operations, str) else operations)

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        made = definitions.get(operand.value)
        if made is None or made.op not in wanted:
            return False
        parts = made.parts
        if (predicate and parts.predicate != predicate) or (flag and flag not in parts.flags):
            return False
        if len(parts.operands) < len(operands):
            return False
        for pattern, each in zip(operands, parts.operands):
            if not pattern.test(each, definitions, found):
                return False
        return not named or value(named).test(Operand(made.type, made.name), definitions, found)

    return Pattern(test)


def either_way(operation: str, first: Pattern, second: Pattern, flag: str = "") -> Pattern:
    """An operation on two operands that may stand in either order."""
    return one_of(op(operation, first, second, flag=flag), op(operation, second, first, flag=flag))


def add(first: Pattern, second: Pattern, flag: str = "") -> Pattern:
    """A sum, in either order."""
    return either_way("add", first, second, flag)


def negative(inner: Pattern) -> Pattern:
    """The lanes in which a number is negative: the signs of a wide mask, tested."""
    return op("icmp", inner, number(0), predicate="slt")


def call(function: str, *arguments: Pattern) -> Pattern:
    """A call of a function by the beginning of its name, such as ``@llvm.abs.``."""
    called = op("call", *arguments)

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        made = definitions.get(operand.value)
        is_it = made is not None and made.op == "call" and made.parts.callee.startswith(function)
        return is_it and called.test(operand, definitions, found)

    return Pattern(test)


def splat(scalar: Pattern) -> Pattern:
    """A vector with a scalar in every lane, as it is written: inserted into lane 0, which is shuffled into all."""
    inserted = op("insertelement", value(), scalar, number(0))

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        made = definitions.get(operand.value)
        is_spread = made is not None and made.op == "shufflevector" and made.parts.mask == "zeroinitializer"
        return made is not None and is_spread and inserted.test(made.operands[0], definitions, found)

    return Pattern(test)


_SPLAT = splat(value("scalar"))


def scalar_of_splat(name: str, definitions: Definitions) -> Operand | None:
    """The scalar that is in every lane of a value, where it was put there; constants are read by ``ir/constants.py``."""
    found = _SPLAT.find(name, definitions)
    return None if found is None else found["scalar"]


# --- patterns of patterns ---


def one_of(*patterns: Pattern) -> Pattern:
    """The first of several shapes that fits."""

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        known = len(found)
        for pattern in patterns:
            if pattern.test(operand, definitions, found):
                return True
            while len(found) > known:
                found.popitem()
        return False

    return Pattern(test)


def behind(operations: Collection[str], inner: Pattern) -> Pattern:
    """What any number of these operations were done to, each to its first operand."""

    def test(operand: Operand, definitions: Definitions, found: Bindings) -> bool:
        while (made := definitions.get(operand.value)) is not None and made.op in operations:
            operand = made.operands[0]
        return inner.test(operand, definitions, found)

    return Pattern(test)


def made_by(operations: Collection[str], name: str, definitions: Definitions) -> Instruction | None:
    """The instruction that makes a value, where it is one of these operations."""
    made = definitions.get(name)
    return made if made is not None and made.op in operations else None


def source(name: str, operations: Collection[str], definitions: Definitions) -> str:
    """The value that any number of these operations were done to, each to its first operand; often ``name`` itself."""
    while (made := definitions.get(name)) is not None and made.op in operations:
        name = made.operands[0].value
    return name


_FOLDED: dict[str, Callable[[int, int], int]] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


def folded(scalar: str, definitions: Definitions) -> str:
    """The number that a sum, difference or product of numbers is, as copies of loops have them; anything else is as it was."""
    made = definitions.get(scalar)
    if made is None or made.op not in _FOLDED:
        return scalar
    known = [folded(each.value, definitions) for each in made.operands]
    if any(each[0] not in "-0123456789" for each in known):
        return scalar
    first, second = map(int, known)
    total = _FOLDED[made.op](first, second)
    bits = int(made.type[1:])
    return str((total + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1))
