"""Loops that step from gang to gang by themselves, which are a ``foreach``.

::

    for (int i = first + programIndex; i < last; i += programCount) body     ->   foreach (i = first ... last) body

Lanes leave such a loop in its last iteration only, so that all are on in those before. It is the same where all lanes come to
it, ``last`` stays as it is, nothing else writes ``i``, and nothing leaves the body but its end and ``continue``.
"""

from __future__ import annotations

from voltac.lower.analyses.own_counters import counted_for
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.types import UNIFORM, VARYING, Scalar

_ARITHMETIC = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^")


def foreach_of(node: tree.Block, width: int) -> tuple[tree.Foreach, tree.Loop] | None:
    """The block of a ``for`` as a ``foreach``, with its loop."""
    found = counted_for(node, VARYING)
    if found is None or found.breaks or not _is_index(found.symbol.type.type):
        return None
    symbol, loop = found.symbol, found.loop
    first, last = _first(found.declared.initial), _last(loop.test, symbol)
    if first is None or last is None or not _is_step(loop.step, symbol, width) or not _is_fixed(last, found.written):
        return None
    # There is no foreach within another.
    if any(isinstance(each, tree.Foreach) for each in found.below):
        return None
    dimension = tree.ForeachDimension(symbol, first, last)
    return tree.Foreach(loop.span, (dimension,), loop.body, False, loop.unroll), loop


def _is_index(type: object) -> bool:
    return type == Scalar("int", 32)


def _first(initial: object) -> tree.Value | None:
    """Of lane 0, uniform."""
    match initial:
        case tree.ProgramIndex():
            return _constant(initial, 0)
        case tree.Binary(operator="+", left=tree.ProgramIndex(), right=other):
            return _uniform(other)
        case tree.Binary(operator="+", left=other, right=tree.ProgramIndex()):
            return _uniform(other)
    return None


def _last(test: tree.Value | None, symbol: tree.VariableSymbol) -> tree.Value | None:
    """The first value behind the range, uniform."""
    match test:
        case tree.Binary(operator="<" | "<=" as operator, left=tree.Load(place=tree.Variable() as place), right=bound):
            last = _uniform(bound)
            if place.symbol is not symbol or last is None or operator == "<":
                return last if place.symbol is symbol else None
            # The loop would not end at the largest number there is.
            return tree.Binary(test.span, last.type, "+", last, _constant(last, 1))
    return None


def _is_step(step: tree.Value | None, symbol: tree.VariableSymbol, width: int) -> bool:
    match step:
        case tree.CompoundAssign(operator="+", place=tree.Variable() as place, value=tree.Constant() as value):
            return place.symbol is symbol and value.value == width
        case tree.Assign(
            place=tree.Variable() as place,
            value=tree.Binary(operator="+", left=tree.Load(place=tree.Variable() as read), right=tree.Constant() as value),
        ):
            return place.symbol is symbol and read.symbol is symbol and value.value == width
    return False


def _uniform(value: tree.Value) -> tree.Value | None:
    """The number that all lanes have."""
    if isinstance(value, tree.Constant) and isinstance(value.value, int) and _is_index(value.type.type):
        return _constant(value, value.value)
    if isinstance(value, tree.Broadcast) and _is_index(value.value.type.type):
        return value.value
    return None


def _constant(at: tree.Value, value: int) -> tree.Constant:
    return tree.Constant(at.span, replace(at.type, rate=UNIFORM), value)


def _is_fixed(value: tree.Value, written: set[tree.VariableSymbol]) -> bool:
    """Whether it is made of numbers and of variables that only the function writes, and not the loop."""
    match value:
        case tree.Constant():
            return True
        case tree.Load(place=tree.Variable(symbol=symbol)):
            return symbol.kind in ("local", "parameter") and not symbol.address_taken and symbol not in written
        case tree.Binary(operator=operator, left=left, right=right):
            return operator in _ARITHMETIC and _is_fixed(left, written) and _is_fixed(right, written)
    return False
