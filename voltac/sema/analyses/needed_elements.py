"""How long the arrays have to be that an exported function is called with.

    export void f(uniform float a[n], uniform float b[], uniform float out[], uniform int n, uniform int w) {
        foreach (y = 1 ... n, x = 0 ... w)
            out[y * w + x] = b[(y - 1) * w + x];
    }

``a`` has ``n`` elements since the declaration says so. Where ``n - 1 > 0`` and ``w > 0`` every
call stores to ``out[1 * w + 0]`` and ``out[(n - 1) * w + (w - 1)]``, the corners of the range,
so that neither may lie outside; between them an index that is linear in each variable cannot
leave either.

Only what every call does counts: statements in a row from the beginning, with all lanes on, up
to the first that may end the call. What depends on a condition, on the turns of another loop or
on numbers in memory is left to ``checked``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from voltac.messages.message import Span
from voltac.records import record
from voltac.sema import tree
from voltac.sema.analyses.effects import root_of, unchanged_variables
from voltac.sema.analyses.index_forms import IndexForm, IndexReader, constant_form
from voltac.sema.tree_walk import children, nodes, nodes_of
from voltac.sema.types import UNIFORM, Pointer, Scalar

Sum = tuple[tuple[int, tuple[int, ...]], ...]
"""Coefficients, each with the numbers of the parameters it is multiplied by; ``n * w - 1`` is ``((1, (3, 4)), (-1, ()))``."""

_MOST_CORNERS = 8
"""Of a range of three dimensions; one with more is left unchecked, as a call would look at too many sums."""
MOST_BITS = 120
"""Callers find a sum in 128 bits; sums of products that could be larger are left unchecked."""


@record
class UsedElement:
    """An element that every call uses: it has to be there unless one of ``unless_empty`` is zero or less."""

    parameter: int
    index: Sum
    below_end: bool
    """Whether the index may be too large; else it may be negative."""
    unless_empty: tuple[Sum, ...]
    """Extents of the ranges around."""
    span: Span | None
    """Of the place that is used; None where the declaration says the length."""


def needed_elements(function: tree.FunctionSymbol) -> tuple[tuple[UsedElement, ...], dict[int, Span]]:
    """What the arrays of an exported function must have for a call with all arguments valid not to leave them.

    That holds while the parameters whose numbers are given beside it fit into the ``int32`` they are converted to.
    """
    found = _Function(function.parameters, unchanged_variables(function))
    found.declarations(function.parameters)
    found.reader.narrowed = {}
    if function.body is not None:
        found.statement(function.body)
    needed = _strongest(found.needed)
    sums = [one for element in needed for one in (element.index, *element.unless_empty)]
    used = {factor for one in sums for _, factors in one for factor in factors}
    places = {found.positions.get(id(symbol)): span for symbol, span in found.reader.narrowed.items()}
    return needed, {position: span for position, span in places.items() if position is not None and position in used}


def _strongest(needed: list[UsedElement]) -> tuple[UsedElement, ...]:
    """Without those that hold wherever another one does: the same index but for a constant that goes less far."""
    best: dict[tuple[object, ...], UsedElement] = {}
    # What holds without conditions comes first, and of the others none with the same index is asked for again.
    for one in sorted(needed, key=lambda one: len(one.unless_empty)):
        variable = tuple(term for term in one.index if term[1])
        key = (one.parameter, one.below_end, variable)
        always, here = best.get((*key, ())), best.get((*key, one.unless_empty))
        if not any(other is not None and _goes_as_far(other, one) for other in (always, here)):
            best[*key, one.unless_empty] = one
    return tuple(sorted(best.values(), key=lambda one: (one.parameter, not one.below_end)))


def _goes_as_far(one: UsedElement, other: UsedElement) -> bool:
    here, there = _constant(one.index), _constant(other.index)
    return here >= there if one.below_end else here <= there


def _constant(index: Sum) -> int:
    return sum(coefficient for coefficient, factors in index if not factors)


def is_countable(length: tree.Value, parameters: Sequence[tree.VariableSymbol]) -> bool:
    """Whether callers can find a length from the values of parameters."""
    reader = _Function(parameters, {})
    form = reader.length(length)
    return form is not None and reader.sum(form) is not None


class _Function:
    """The statements of a function, in the order they run."""

    def __init__(self, parameters: Sequence[tree.VariableSymbol], initials: dict[tree.VariableSymbol, tree.Value]) -> None:
        self.reader = IndexReader(initials)
        self.positions = {
            id(symbol): position
            for position, symbol in enumerate(parameters)
            if not symbol.assigned and not symbol.address_taken
        }
        self.bits = [symbol.type.type.bits if isinstance(symbol.type.type, Scalar) else 0 for symbol in parameters]
        self.needed: list[UsedElement] = []

    def declarations(self, parameters: Sequence[tree.VariableSymbol]) -> None:
        """Note what the parameters' declarations say of the values that a caller gives, whatever becomes of them."""
        self.positions, unchanged = {id(symbol): position for position, symbol in enumerate(parameters)}, self.positions
        for position, symbol in enumerate(parameters):
            length = None if symbol.length is None else self.length(symbol.length)
            last = None if length is None else self.sum(length.plus(constant_form(1), -1))
            if last is not None:
                self.needed.append(UsedElement(position, last, True, (), None))
        self.positions = unchanged

    def length(self, value: tree.Value) -> IndexForm | None:
        """A length that is written, in which a parameter by itself may be unsigned."""
        inner = value
        while isinstance(inner, tree.Convert) and isinstance(inner.value.type.type, Scalar):
            inner = inner.value
        if isinstance(inner, tree.Load) and isinstance(inner.place, tree.Variable):
            return IndexForm({(id(inner.place.symbol),): 1})
        return self.reader.form(value)

    def statement(self, node: tree.Statement) -> bool:
        """Whether every call goes on behind the statement, with all lanes."""
        match node:
            case tree.Block(statements=statements):
                return all(self.statement(one) for one in statements)
            case tree.Declare(initial=initial):
                return initial is None or self.value(initial, ())
            case tree.Evaluate(value=value):
                return self.value(value, ())
            case tree.Foreach(dimensions=dimensions, body=body):
                return self.foreach(dimensions, body) and not _may_leave(node)
            case tree.If(test=test):
                return self.value(test, ()) and not _may_leave(node)
            case tree.Return(value=value):
                return value is not None and self.value(value, ()) and False
        return not _may_leave(node)

    def foreach(self, dimensions: tuple[tree.ForeachDimension, ...], body: tree.Statement) -> bool:
        """Use what its iterations use whatever else is the case."""
        ranges = []
        for dimension in dimensions:
            first, last = self.reader.form(dimension.first), self.reader.form(dimension.last)
            if first is None or last is None:
                return True
            ranges.append((id(dimension.symbol), first, last))
        self.iteration(body, tuple(ranges))
        return True

    def iteration(self, node: tree.Statement, ranges: tuple[tuple[int, IndexForm, IndexForm], ...]) -> bool:
        """Whether every iteration goes on behind the statement."""
        match node:
            case tree.Block(statements=statements):
                return all(self.iteration(one, ranges) for one in statements)
            case tree.Declare(initial=initial):
                return initial is None or self.value(initial, ranges)
            case tree.Evaluate(value=value):
                return self.value(value, ranges)
            case tree.If(test=test):
                return self.value(test, ranges) and not _may_leave(node)
        return not _may_leave(node)

    def value(self, node: object, ranges: tuple[tuple[int, IndexForm, IndexForm], ...]) -> bool:
        """Note the elements used where the node is evaluated; False if that may end the call."""
        match node:
            case tree.Logical(left=left):
                return self.value(left, ranges) and not _may_leave(node)
            case tree.Conditional(test=test):
                return self.value(test, ranges) and not _may_leave(node)
            case tree.Load(place=place) | tree.Assign(place=place) | tree.CompoundAssign(place=place):
                self.place(place, ranges)
            case tree.Increment(place=place):
                self.place(place, ranges)
        if isinstance(node, tree.Call | tree.CallPointer | tree.Launch) and _may_leave(node):
            return False
        return all(self.value(child, ranges) for child in children(node))

    def place(self, place: tree.Place, ranges: tuple[tuple[int, IndexForm, IndexForm], ...]) -> None:
        """Note the corners of what a place is over the ranges."""
        root = root_of(place)
        found = self.element(root.pointer) if isinstance(root, tree.Deref) else None
        if found is None:
            return
        parameter, index = found
        extents = [last.plus(first, -1) for _, first, last in ranges]
        fixed = [extent.constant for extent in extents if not extent.terms.keys() - {()}]
        if any(count <= 0 for count in fixed):
            return
        guards = [self.sum(extent) for extent in extents if extent.terms.keys() - {()}]
        for corner, below_end in _corners(index, ranges, extents):
            as_sum = self.sum(corner)
            if as_sum is None or None in guards:
                return
            if below_end or not _is_negative_nowhere(corner, extents):
                around = tuple(sorted({guard for guard in guards if guard is not None}))
                self.needed.append(UsedElement(parameter, as_sum, below_end, around, place.span))

    def element(self, pointer: tree.Value) -> tuple[int, IndexForm] | None:
        """The parameter that a pointer is made of, and the number of the element it leads to."""
        match pointer:
            case tree.PointerOffset():
                found = self.element(pointer.pointer)
                offset = self.reader.form(pointer.index)
                if found is None or offset is None:
                    return None
                return found[0], found[1].plus(offset, -1 if pointer.negative else 1)
            case tree.Broadcast():
                return self.element(pointer.value)
            case tree.Load(place=tree.Variable(symbol=symbol)):
                if id(symbol) in self.positions and isinstance(symbol.type.type, Pointer) and symbol.type.rate is UNIFORM:
                    return self.positions[id(symbol)], constant_form(0)
                initial = self.reader.initials.get(symbol)
                return None if initial is None else self.element(initial)
        return None

    def sum(self, form: IndexForm) -> Sum | None:
        """The form in terms of parameters; None if there is more in it, or it may take too many bits."""
        out, most = [], 0
        for product, coefficient in sorted(form.terms.items()):
            if any(variable not in self.positions for variable in product):
                return None
            factors = tuple(sorted(self.positions[variable] for variable in product))
            most += abs(coefficient) << sum(self.bits[position] for position in factors)
            out.append((coefficient, factors))
        return tuple(sorted(out)) if most < 1 << MOST_BITS else None


def _corners(
    index: IndexForm, ranges: tuple[tuple[int, IndexForm, IndexForm], ...], extents: list[IndexForm]
) -> Iterator[tuple[IndexForm, bool]]:
    """The corners where an index may be too large, with True, and those where it may be negative, with False."""
    for below_end in (True, False):
        corners = [index]
        for variable, first, last in ranges:
            final = last.plus(constant_form(1), -1)
            split = []
            for corner in corners:
                factor = corner.of_variable(variable)
                if factor is None:
                    return
                rest = corner.plus(IndexForm({(variable,): 1}).times(factor), -1)
                sign = _sign(factor, extents)
                ends = (first, final) if sign == 0 else (final if (sign > 0) == below_end else first,)
                split += [rest.plus(end.times(factor)) for end in ends] if factor.terms else [rest]
            corners = split
        if len(corners) > _MOST_CORNERS:
            return
        for corner in corners:
            yield corner, below_end


def _sign(factor: IndexForm, extents: list[IndexForm]) -> int:
    """Of a factor: 1 (or zero) or -1 where that is known since no extent is zero or less, else 0."""
    if not factor.terms.keys() - {()}:
        return 1 if factor.constant >= 0 else -1
    return 1 if _is_negative_nowhere(factor, extents) else 0


def _is_negative_nowhere(form: IndexForm, extents: list[IndexForm]) -> bool:
    """Whether the form is an extent, each of which is 1 or more, or 1, and a constant that does not take it below 0."""
    for extent in (IndexForm({(): 1}), *extents):
        more = form.plus(extent, -1)
        if not more.terms.keys() - {()} and more.constant >= -1:
            return True
    return False


_FAILING = (tree.Assert, tree.CallPointer, tree.Launch)
_LEAVING = (tree.Return, tree.Break, tree.Continue, tree.Goto, tree.Label, *_FAILING)


def _may_leave(root: object) -> bool:
    """Whether what follows a node is not certain to be run by all lanes: a jump, or a failure in a function it calls."""
    return any(isinstance(node, _LEAVING) or (isinstance(node, tree.Call) and _may_fail(node.function)) for node in nodes(root))


def _may_fail(function: tree.FunctionSymbol) -> bool:
    """Whether a call may not come back: it fails, or runs what is not known."""
    seen: set[tree.FunctionSymbol] = set()
    waiting = [function]
    while waiting:
        here = waiting.pop()
        if here in seen or here.library:
            continue
        seen.add(here)
        if here.body is None or any(isinstance(node, _FAILING) for node in nodes_of(here)):
            return True
        waiting += [node.function for node in nodes_of(here) if isinstance(node, tree.Call)]
    return False
