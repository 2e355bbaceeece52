"""Stores to one place at the ends of both branches of a varying ``if`` -> one store behind it.

::

    if (x > 0) a[i] = sin(x); else a[i] = -x;
    ->
    float stored;
    if (x > 0) stored = sin(x); else stored = -x;
    a[i] = stored;

Two masked stores become one of all lanes that come to the statement, mostly a plain one. The stores of the first branch are
late then, so what runs in between must not look at memory: only variables of the function whose address nobody has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from voltac.records import replace
from voltac.sema import tree
from voltac.sema.tree_walk import nodes
from voltac.sema.types import VARYING, Pointer, Scalar

_MOST_WAYS = 16
"""Ways through a statement that are looked at. Chosen: each level of a chain of ``else if`` asks anew."""
_LEAVES = (
    tree.Break, tree.Continue, tree.Return, tree.Goto, tree.Label, tree.CaseLabel, tree.Switch, tree.Unmasked,
)  # fmt: skip
"""Ways out of a branch, and into it."""
_COMPUTES = frozenset((
    tree.Block, tree.Declare, tree.Evaluate, tree.If, tree.Constant, tree.ProgramIndex, tree.Load, tree.Convert, tree.Broadcast,
    tree.Splat, tree.Unary, tree.Binary, tree.PointerOffset, tree.Logical, tree.Conditional, tree.Assign, tree.CompoundAssign,
    tree.Increment, tree.Comma, tree.Swizzle, tree.Call, tree.Variable, tree.Element, tree.MemberPlace,
))  # fmt: skip
"""What may stand between two stores that become one, if its variables and calls are as they should be."""
_ADDRESSES = frozenset((
    tree.Constant, tree.ProgramIndex, tree.Load, tree.Convert, tree.Broadcast, tree.Unary, tree.Binary, tree.PointerOffset,
    tree.AddressOf, tree.Variable, tree.Element, tree.MemberPlace, tree.Deref,
))  # fmt: skip
_CHANGES = (tree.Assign, tree.CompoundAssign, tree.Increment)


def with_joined_stores(node: tree.If) -> tree.Block | None:
    """The statement with its last stores behind it; None where they are not the same, or may be seen in between."""
    ways = _ways(node, _MOST_WAYS)
    if ways is None or not all(map(_ends_in_assignment, ways)) or any(isinstance(each, _LEAVES) for each in nodes(node)):
        return None
    runs = [_stores_at_end(way) for way in ways]
    count = 0
    while all(len(run) > count for run in runs) and _join(runs, count, node):
        count += 1
    if count == 0 or not _is_quiet(node, ways, count):
        return None
    places = [store.place for store in runs[0][-count:]]
    stored = [
        tree.VariableSymbol("stored", place.type.with_const(False), "local", node.span, assigned=True) for place in places
    ]
    declared = [tree.Declare(node.span, symbol, None) for symbol in stored]
    stores = [
        tree.Evaluate(run.span, replace(run, value=tree.Load(run.span, symbol.type, tree.variable(symbol, run.span))))
        for run, symbol in zip(runs[0][-count:], stored)
    ]
    return tree.Block(node.span, (*declared, _kept(node, stored), *stores))


def _ways(node: tree.Statement | None, most: int) -> list[tuple[tree.Statement, ...]] | None:
    """The statements at the end of each way through a statement; None if one ends in something else, or there are more."""
    match node:
        case tree.If(otherwise=otherwise) if most > 1:
            first = _ways(node.then, most - 1)
            second = None if first is None else _ways(otherwise, most - len(first))
            return None if first is None or second is None else first + second
        case tree.Block(statements=statements) if statements and isinstance(statements[-1], tree.If | tree.Block):
            return _ways(statements[-1], most)
        case tree.Block(statements=statements):
            return [statements]
        case tree.Evaluate():
            return [(node,)]
    return None


def _ends_in_assignment(statements: tuple[tree.Statement, ...]) -> bool:
    if not statements or not isinstance(statements[-1], tree.Evaluate):
        return False
    value = statements[-1].value
    return isinstance(value, tree.Assign) and not isinstance(value.place, tree.Variable)


def _stores_at_end(statements: tuple[tree.Statement, ...]) -> list[tree.Assign]:
    """To memory, each of a scalar for each lane."""
    run: list[tree.Assign] = []
    for statement in reversed(statements):
        if not isinstance(statement, tree.Evaluate) or not isinstance(statement.value, tree.Assign):
            break
        place = statement.value.place
        if _root(place) is not None or place.type.rate is not VARYING or not isinstance(place.type.type, Scalar):
            break
        run.insert(0, statement.value)
    return run


def _join(runs: list[list[tree.Assign]], count: int, node: tree.If) -> bool:
    """Whether all ways end in a store to one place, ``count`` stores before their last."""
    places = [run[-1 - count].place for run in runs]
    return all(_same(places[0], place) for place in places[1:]) and _stays(places[0], node)


def _same(one: Any, other: Any) -> bool:
    """Whether two trees are alike but for where they stand."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tree.Place | tree.Value):
        names = type(one).__match_args__
        return all(name == "span" or _same(getattr(one, name), getattr(other, name)) for name in names)
    return bool(one is other or one == other)


def _stays(place: tree.Place, node: tree.If) -> bool:
    """Whether the address is one of variables that the statement does not change."""
    changed = {_root(each.place) for each in nodes(node) if isinstance(each, _CHANGES)}
    changed |= {each.symbol for each in nodes(node) if isinstance(each, tree.Declare)}
    return all(
        type(each) in _ADDRESSES
        and (not isinstance(each, tree.Variable) or (_is_own(each.symbol) and each.symbol not in changed))
        and (not isinstance(each, tree.Load) or _root(each.place) is not None)
        for each in nodes(place)
    )


def _is_quiet(node: tree.If, ways: list[tuple[tree.Statement, ...]], count: int) -> bool:
    """Whether what runs behind the first of the stores to be moved looks at no memory and changes none."""
    last = {id(statement) for way in ways for statement in way[-count:]}
    first = {id(statement) for statement in ways[0]} - last
    return all(_computes(each) for each in _between(node, first, last))


def _between(node: Any, first: set[int], last: set[int]) -> Iterator[Any]:
    """The nodes of the statement but for its first way up to the stores there, and for where these store."""
    if id(node) in first:
        return
    if id(node) in last:
        yield from nodes(node.value.value)
        return
    match node:
        case tree.Block(statements=statements):
            for statement in statements:
                yield from _between(statement, first, last)
        case tree.If(otherwise=otherwise):
            yield from nodes(node.test)
            yield from _between(node.then, first, last)
            if otherwise is not None:
                yield from _between(otherwise, first, last)
        case _:
            yield from nodes(node)


def _computes(node: Any) -> bool:
    if type(node) not in _COMPUTES:
        return False
    match node:
        case tree.Variable(symbol=symbol):
            return _is_own(symbol)
        case tree.Load(place=place) | tree.Assign(place=place) | tree.CompoundAssign(place=place) | tree.Increment(place=place):
            return _root(place) is not None
        case tree.Declare(symbol=symbol):
            return symbol.kind != "static" and not symbol.address_taken
        case tree.Call(function=function, arguments=arguments):
            return function.library and not any(isinstance(one.type.type, Pointer) for one in arguments)
    return True


def _root(place: tree.Place) -> tree.VariableSymbol | None:
    """The variable of the function that the place is a part of, of which there are no other names."""
    while isinstance(place, tree.Element | tree.MemberPlace):
        place = place.aggregate if isinstance(place, tree.Element) else place.struct
    return place.symbol if isinstance(place, tree.Variable) and _is_own(place.symbol) else None


def _is_own(symbol: tree.VariableSymbol) -> bool:
    return symbol.kind in ("local", "parameter") and not symbol.address_taken


def _kept(node: Any, stored: list[tree.VariableSymbol]) -> Any:
    """The statement with variables in place of what its ways store to in the end."""
    match node:
        case tree.If(otherwise=otherwise):
            return replace(node, then=_kept(node.then, stored), otherwise=_kept(otherwise, stored))
        case tree.Block(statements=statements) if isinstance(statements[-1], tree.If | tree.Block):
            return replace(node, statements=(*statements[:-1], _kept(statements[-1], stored)))
        case tree.Block(statements=statements):
            count = len(statements) - len(stored)
            kept = [_kept(one, [symbol]) for one, symbol in zip(statements[count:], stored)]
            return replace(node, statements=(*statements[:count], *kept))
    assign = node.value
    place = tree.variable(stored[0], assign.place.span)
    return replace(node, value=replace(assign, type=stored[0].type, place=place))
