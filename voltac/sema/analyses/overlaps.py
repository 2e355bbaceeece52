"""Which parameters of an exported function must not share memory when it is called.

Different pointer parameters point to different objects (language 5.5), so that what is read through
one may be read before or after what is written through another. A call with the same array for both
depends on that order, unless one statement of a foreach decides it::

    export void f(uniform float x[], uniform float out[], uniform int n) {
        foreach (i = 0 ... n) {
            float v = x[i];
            if (v > 0)
                out[i] = sqrt(v);
        }
    }

Each element has an iteration of its own, everything that is read of it goes into the one value that
is stored there, or decides whether it is, and nothing of it is used afterwards: no order of reads and
writes that keeps to the data can tell ``f(x, x, n)`` from a call with a copy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from voltac.records import field, mutable_record, record
from voltac.sema import tree
from voltac.sema.analyses.effects import root_of, unchanged_variables, writes
from voltac.sema.analyses.independence import ForeachBody
from voltac.sema.analyses.index_forms import IndexForm
from voltac.sema.tree_walk import nodes, nodes_of
from voltac.sema.types import Pointer


@record
class _Use:
    """Of memory, in a step."""

    step: int
    node: object
    path: tuple[IndexForm, ...] | None


@record
class _Step:
    """What is evaluated at once: an expression, an initial value, or the test of an ``if``; ``tests`` lead there."""

    root: object
    symbol: tree.VariableSymbol | None
    tests: tuple[int, ...]
    """Numbers of steps."""


@mutable_record(eq=False)
class _Body:
    """The steps of a foreach body, one after the other, but for what stands in loops within it."""

    reader: ForeachBody
    steps: list[_Step] = field(default_factory=list)
    uses: dict[tree.VariableSymbol, list[_Use]] = field(default_factory=dict)
    reads: dict[tree.VariableSymbol, list[int]] = field(default_factory=dict)
    """Local variable -> the steps that read it."""


def may_be_the_same(function: tree.FunctionSymbol) -> set[tuple[int, int]]:
    """Pairs of parameters, the first written and the second read, that may be the same array; not one that begins elsewhere."""
    if function.body is None:
        return set()
    every = nodes_of(function)
    loads = Counter(
        node.place.symbol for node in every if isinstance(node, tree.Load) and isinstance(node.place, tree.Variable)
    )
    if any(isinstance(node, tree.Goto | tree.Unmasked) for node in every):
        return set()
    initials = unchanged_variables(function)
    found = set()
    for loop in _loops(function.body):
        body = _Body(ForeachBody(loop, initials))
        _statement(loop.body, (), body)
        # Every use of the parameter is one of these.
        known = [
            (number, symbol)
            for number, symbol in enumerate(function.parameters)
            if loads[symbol] == len(body.uses.get(symbol, ())) > 0
        ]
        for one, written in known:
            for other, read in known:
                if one != other and _is_harmless(written, read, body, loads):
                    found.add((one, other))
    return found


def _loops(statement: tree.Statement) -> Iterator[tree.Foreach]:
    """Those that run once at most."""
    match statement:
        case tree.Block(statements=statements):
            for one in statements:
                yield from _loops(one)
        case tree.If(then=then, otherwise=otherwise):
            yield from _loops(then)
            if otherwise is not None:
                yield from _loops(otherwise)
        case tree.Foreach():
            yield statement


def _statement(statement: tree.Statement, tests: tuple[int, ...], body: _Body) -> None:
    match statement:
        case tree.Block(statements=statements):
            for one in statements:
                _statement(one, tests, body)
        case tree.If(test=test, then=then, otherwise=otherwise):
            inside = (*tests, _step(test, None, tests, body))
            _statement(then, inside, body)
            if otherwise is not None:
                _statement(otherwise, inside, body)
        case tree.Declare(symbol=symbol, initial=initial) if initial is not None:
            _step(initial, symbol, tests, body)
        case tree.Evaluate(value=value):
            _step(value, None, tests, body)


def _step(root: object, symbol: tree.VariableSymbol | None, tests: tuple[int, ...], body: _Body) -> int:
    number = len(body.steps)
    body.steps.append(_Step(root, symbol, tests))
    for node in nodes(root):
        if isinstance(node, tree.Load) and isinstance(node.place, tree.Variable):
            body.reads.setdefault(node.place.symbol, []).append(number)
        elif isinstance(node, tree.Load) or writes(node):
            place = root_of(node.place)
            base = body.reader.base_of(place.pointer) if isinstance(place, tree.Deref) else None
            if base is not None:
                body.uses.setdefault(base[0], []).append(_Use(number, node, body.reader.path_of(node.place)))
    return number


def _is_harmless(
    written: tree.VariableSymbol, read: tree.VariableSymbol, body: _Body, loads: Counter[tree.VariableSymbol]
) -> bool:
    if not _have_same_elements(written, read):
        return False
    stores = [use for use in body.uses[written] if writes(use.node)]
    if len(stores) != 1 or any(writes(use.node) for use in body.uses[read]):
        return False
    store = stores[0]
    step = body.steps[store.step]
    if step.root is not store.node or store.path is None or not any(map(body.reader.tells_iterations_apart, store.path)):
        return False
    if any(use.path != store.path for use in (*body.uses[written], *body.uses[read])):
        return False
    deciding = _deciding(store.step, body, loads)
    return all(use.step in deciding for use in body.uses[read])


def _have_same_elements(one: tree.VariableSymbol, other: tree.VariableSymbol) -> bool:
    left, right = one.type.type, other.type.type
    if not (isinstance(left, Pointer) and isinstance(right, Pointer)):
        return False
    return left.to.type == right.to.type and left.to.rate is right.to.rate


def _deciding(store: int, body: _Body, loads: Counter[tree.VariableSymbol]) -> set[int]:
    """The steps that a store waits for, since it needs their values; what these are read for again does not come later."""
    found = {store, *body.steps[store].tests}
    for number in reversed(range(store)):
        symbol = body.steps[number].symbol
        if symbol is None or symbol not in body.reader.initials:
            continue
        readers = body.reads.get(symbol, [])
        if not found.isdisjoint(readers) and len(readers) == loads[symbol] and max(readers) <= store:
            found.add(number)
    return found
