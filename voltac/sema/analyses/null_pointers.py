"""Which pointers a function may be given that lead nowhere: those it compares with NULL, and those it never follows.

A pointer is looked at wherever its value goes: into local variables, and into the
parameters of the functions and tasks it is passed to. Where it goes into memory, or to
a function that is not known, somebody may follow it. C functions look after it themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from voltac.records import field, mutable_record
from voltac.sema import tree
from voltac.sema.tree_walk import nodes, nodes_of
from voltac.sema.types import Pointer, Scalar

Symbols = frozenset[tree.VariableSymbol]


@mutable_record(eq=False)
class _Uses:
    """What is done with the pointers in variables, in all functions that were looked at."""

    goes_to: dict[tree.VariableSymbol, set[tree.VariableSymbol]] = field(default_factory=dict)
    followed: set[tree.VariableSymbol] = field(default_factory=set)
    tested: set[tree.VariableSymbol] = field(default_factory=set)
    as_integers: set[tree.VariableSymbol] = field(default_factory=set)
    integers_become_pointers: bool = False
    seen: set[tree.FunctionSymbol] = field(default_factory=set)


def may_be_null(function: tree.FunctionSymbol) -> tuple[bool, ...]:
    """Of each parameter, whether the function may be called with a null pointer."""
    uses = _Uses()
    waiting = [function]
    while waiting:
        here = waiting.pop()
        if here.body is not None and here not in uses.seen:
            uses.seen.add(here)
            waiting += _look_at(here, uses)
    if uses.integers_become_pointers:
        uses.followed |= uses.as_integers
    return tuple(_may_be_null(parameter, uses) for parameter in function.parameters)


def _may_be_null(parameter: tree.VariableSymbol, uses: _Uses) -> bool:
    found = {parameter}
    waiting = [parameter]
    while waiting:
        more = uses.goes_to.get(waiting.pop(), set()) - found
        found |= more
        waiting += more
    return not found.isdisjoint(uses.tested) or found.isdisjoint(uses.followed)


def _look_at(here: tree.FunctionSymbol, uses: _Uses) -> Iterator[tree.FunctionSymbol]:
    """Note what a function does; gives the functions it passes pointers to."""
    every = nodes_of(here)
    not_followed = {id(place) for node in every if isinstance(node, tree.AddressOf) for place in _path(node.place)}
    for node in every:
        match node:
            case tree.Declare(symbol=symbol, initial=initial):
                _goes(initial, symbol, uses)
            case tree.ForeachUnique(symbol=symbol, value=value):
                _goes(value, symbol, uses)
            case tree.Assign(place=tree.Variable(symbol=symbol), value=value) if symbol.kind in ("local", "parameter"):
                _goes(value, symbol, uses)
            case tree.Assign(value=value):
                uses.followed |= _sources(value)
            case tree.Deref(pointer=pointer) if id(node) not in not_followed:
                uses.followed |= _sources(pointer)
            case tree.AddressOf(place=tree.Variable(symbol=symbol)):
                # Whoever has the variable's address can follow what is in it.
                uses.followed.add(symbol)
            case tree.Call(function=function, arguments=arguments):
                if function.body is None and not function.c_linkage:
                    uses.followed |= _all_sources(arguments)
                for parameter, argument in zip(function.parameters, arguments):
                    _goes(argument, parameter, uses)
                yield function
            case tree.Launch(function=function, arguments=arguments):
                if isinstance(function, tree.FunctionSymbol):
                    for parameter, argument in zip(function.parameters, arguments):
                        _goes(argument, parameter, uses)
                    yield function
                else:
                    uses.followed |= _all_sources((function, *arguments))
            case tree.CallPointer(pointer=pointer, arguments=arguments):
                uses.followed |= _all_sources((pointer, *arguments))
            case tree.Builtin(arguments=arguments) | tree.Intrinsic(arguments=arguments):
                uses.followed |= _all_sources(arguments)
            case tree.Binary(operator="==" | "!=", left=left, right=right):
                for side, other in ((left, right), (right, left)):
                    if _is_null(other):
                        uses.tested |= _sources(side)
            case tree.Convert(value=value) if isinstance(node.type.type, Scalar):
                (uses.tested if node.type.type.kind == "bool" else uses.as_integers).update(_sources(value))
            case tree.Convert(value=value) if isinstance(node.type.type, Pointer) and isinstance(value.type.type, Scalar):
                uses.integers_become_pointers = uses.integers_become_pointers or not _is_null(value)


def _goes(value: object, symbol: tree.VariableSymbol, uses: _Uses) -> None:
    if isinstance(value, tree.Value):
        for source in _sources(value):
            uses.goes_to.setdefault(source, set()).add(symbol)
    elif value is not None:
        # Into an array or a struct.
        uses.followed |= _all_sources(node for node in nodes(value) if isinstance(node, tree.Value))


def _path(place: tree.Place) -> Iterator[tree.Place]:
    """A place and those it is part of, which are not read to find its address."""
    while True:
        yield place
        match place:
            case tree.Element(aggregate=whole) | tree.MemberPlace(struct=whole):
                place = whole
            case _:
                return


def _all_sources(values: Iterable[object]) -> Symbols:
    return frozenset(symbol for value in values if isinstance(value, tree.Value) for symbol in _sources(value))


def _sources(value: tree.Value) -> Symbols:
    """The variables whose pointers a pointer may have been made of."""
    if not isinstance(value.type.type, Pointer):
        return frozenset()
    match value:
        case tree.Load(place=tree.Variable(symbol=symbol)):
            return frozenset((symbol,))
        case tree.Load() | tree.Constant():
            return frozenset()
        case tree.AddressOf(place=place):
            *_, outermost = _path(place)
            return _sources(outermost.pointer) if isinstance(outermost, tree.Deref) else frozenset()
        case tree.Assign(value=assigned) | tree.Convert(value=assigned) | tree.Broadcast(value=assigned):
            return _sources(assigned)
        case tree.CompoundAssign(place=tree.Variable(symbol=symbol)) | tree.Increment(place=tree.Variable(symbol=symbol)):
            return frozenset((symbol,))
        case tree.PointerOffset(pointer=pointer):
            return _sources(pointer)
        case tree.Comma(second=second):
            return _sources(second)
        case tree.Conditional(then=then, otherwise=otherwise):
            return _sources(then) | _sources(otherwise)
    # Of a function's result nothing is known but what it was given.
    return _all_sources(node for node in nodes(value) if node is not value and isinstance(node, tree.Load))


def _is_null(value: tree.Value) -> bool:
    while isinstance(value, tree.Convert | tree.Broadcast):
        value = value.value
    return isinstance(value, tree.Constant) and value.value == 0
