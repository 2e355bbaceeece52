"""Short loops that count with constants -> their bodies one after the other.

LLVM would unroll them too, but only behind the passes that look at addresses::

    for (uniform int k = 0; k < 3; k++) v[k] = a[3 * i + k];

is three gathers with constant offsets here: they share their loads, and the local
array becomes registers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping

from voltac.lower.function_context import FunctionContext
from voltac.lower.memory.variables import set_value
from voltac.sema import tree
from voltac.sema.tree_walk import nodes
from voltac.sema.types import UNIFORM, Pointer, Qual, Scalar

_MOST_ITERATIONS = 16
_MOST_COPIES = 32
"""Of the innermost of nested loops."""
_MOST_NODES = 300
"""Of all copies together."""
_MOST_NODES_OF_DIGITS = 2400
"""The same where the body takes the counter apart, as loops over the corners of a cell do (``k & 1``, ``k >> 1 & 1``):
with constants what corners have in common is computed once. Noise of eight corners takes 0.65 of the time on AVX2."""
_MOST_NODES_OF_STRUCTS, _MOST_COPIES_OF_STRUCTS = 640, 64
"""The same where lanes go along structs of their own that are no longer than a register, ``a[8 * i + k]``: with constants all
copies share one transposition. On AVX2 numbers of eight hexadecimal digits take 0.3 of the time, counts of the different ones
of eight numbers, in a triangular nest, 0.2. The limits were chosen: both fit."""
_MOST_NODES_OF_LANES = 640
"""The same of a foreach_active: with constant lane numbers nothing is left of finding the lanes."""

_COMPUTED: dict[str, Callable[[int, int], int]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "!=": operator.ne, "==": operator.eq,
    "+": operator.add, "-": operator.sub, "*": operator.mul,
}  # fmt: skip
_COMPUTED_OF_NATURALS: dict[str, Callable[[int, int], int]] = {
    "/": operator.floordiv, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
_MOST_BITS = 64
"""Of an integer."""
_NEVER_COPIED = (
    *(tree.Break, tree.Continue, tree.Return, tree.Goto, tree.Label, tree.CaseLabel),
    *(tree.Launch, tree.Foreach),
)

_SHUFFLES = frozenset(("__shuffle", "__shuffle_two"))
_MOVES = frozenset(("broadcast", "rotate", "shift", "shuffle"))
"""Builtins, and functions of the library, by which lanes take from others."""


def lower_unrolled(c: FunctionContext, node: tree.Block) -> bool:
    """Lower a block of a counter's declaration and its loop as copies of the body; false if it is none of these."""
    if len(node.statements) != 2 or c.options.level < 2 or not c.options.loop_unrolling:
        return False
    first, loop = node.statements
    if not isinstance(first, tree.Declare) or not isinstance(loop, tree.Loop) or not c.build.reachable:
        return False
    values = _values_of_counter(c, first, loop) if _is_counted(loop) or _moves_lanes(loop.body) else None
    if values is None or (not values and c.probe is not None):
        # An instrumented build tells of what is never executed, too.
        return False
    copies = max(1, len(values))
    if copies * c.control.unrolled > _MOST_COPIES_OF_STRUCTS:
        return False
    along_structs = _goes_along_structs(c, loop.body, first.symbol, len(values))
    if copies * c.control.unrolled > _MOST_COPIES and not along_structs:
        return False
    most = _MOST_NODES_OF_STRUCTS if along_structs else _MOST_NODES
    if _takes_apart(loop.body, first.symbol):
        most = _MOST_NODES_OF_DIGITS
    if not _may_be_copied(loop.body, first.symbol, most // copies):
        return False
    c.passed(first, loop)
    with c.within(unrolled=c.control.unrolled * copies):
        for value in values:
            set_value(c, first.symbol, c.value(tree.Constant(first.span, first.symbol.type.with_const(False), value)))
            c.statement(loop.body)
    # Behind the loop the counter is out of scope; a copy of the loop elsewhere has values of its own.
    c.variables.values.pop(first.symbol, None)
    return True


def lanes_may_be_copied(c: FunctionContext, node: tree.ForeachActive) -> bool:
    """Whether the body of a foreach_active is short enough to be written once for each lane."""
    if c.options.level < 2 or not c.options.loop_unrolling or c.width * c.control.unrolled > _MOST_COPIES:
        return False
    return _may_be_copied(node.body, node.symbol, _MOST_NODES_OF_LANES // c.width)


def _is_counted(loop: tree.Loop) -> bool:
    """Whether a loop counts by addition."""
    step = loop.step
    return isinstance(step, tree.Increment) or (isinstance(step, tree.CompoundAssign) and step.operator in ("+", "-"))


def _moves_lanes(body: tree.Statement) -> bool:
    """Whether lanes take from others, which is one shuffle where it is known from which.

    Other loops that double or halve are searches, of which several gangs are done at once as long as they are loops.
    """
    return any(
        node.name in _SHUFFLES if isinstance(node, tree.Builtin) else node.function.library and node.function.name in _MOVES
        for node in nodes(body)
        if isinstance(node, (tree.Builtin, tree.Call))
    )


def _takes_apart(body: tree.Statement, counter: tree.VariableSymbol) -> bool:
    """Whether some of the counter's bits are asked for, by a constant."""
    for node in nodes(body):
        match node:
            case tree.Binary(_, _, "&" | ">>" | "/" | "%", tree.Load(_, _, tree.Variable(_, _, _, symbol)), tree.Constant()):
                if symbol is counter:
                    return True
    return False


def _goes_along_structs(c: FunctionContext, body: tree.Statement, counter: tree.VariableSymbol, count: int) -> bool:
    """Whether all that lanes index by numbers of their own are structs of theirs, no shorter than there are iterations, and the
    counter goes along one. Tables that lanes look up gain nothing: with them checksums of 16 bytes took 1.3 times as long."""
    found = False
    for node in nodes(body):
        if not c.options.target.is_x86 or (isinstance(node, tree.Call) and not node.function.library):
            return False
        match node:
            case tree.PointerOffset(_, Qual(kind), _, index) if not index.type.is_uniform:
                parts = list(_summands(index, c.variables.first))
                lengths = [length for each in parts if (length := _length_of_struct(each))]
                bits = kind.to.type.bits if isinstance(kind, Pointer) and isinstance(kind.to.type, Scalar) else 0
                if not bits or len(lengths) != 1 or not count <= lengths[0] <= c.options.target.vector_bits // bits:
                    return False
                found |= any(_is_variable(each, counter) for each in parts)
    return found


def _summands(node: tree.Value, first: Mapping[tree.VariableSymbol, tree.Value]) -> Iterator[tree.Value]:
    """What an index is the sum of, before conversions; those of ``first`` stand for variables, once."""
    match node:
        case tree.Convert(_, Qual(Scalar("int" | "uint", _)), of) | tree.Broadcast(_, _, of):
            yield from _summands(of, first)
        case tree.Binary(_, _, "+", left, right):
            yield from _summands(left, first)
            yield from _summands(right, first)
        case tree.Load(_, _, tree.Variable(_, _, _, symbol)) if symbol in first:
            yield from _summands(first[symbol], {})
        case _:
            yield node


def _length_of_struct(node: tree.Value) -> int:
    """The constant of a product with what varies; 0 for others."""
    match node:
        case tree.Binary(_, Qual() as kind, "*", left, right) if not kind.is_uniform:
            for each in (*_summands(left, {}), *_summands(right, {})):
                if isinstance(each, tree.Constant):
                    return int(each.value)
    return 0


def _is_variable(node: tree.Value, symbol: tree.VariableSymbol) -> bool:
    match node:
        case tree.Load(_, _, tree.Variable(_, _, _, loaded)):
            return loaded is symbol
    return False


def _values_of_counter(c: FunctionContext, first: tree.Declare, loop: tree.Loop) -> list[int] | None:
    """What the counter is in each iteration; None if that is not known or too much."""
    symbol = first.symbol
    if symbol.type.rate is not UNIFORM or symbol.address_taken or not isinstance(symbol.type.type, Scalar):
        return None
    if not symbol.type.type.is_integer or loop.test is None or loop.step is None:
        return None
    if not loop.test_first or loop.coherent or loop.unroll == 0 or (loop.unroll or 0) > 1:
        return None
    value, values = _known(c, first.initial, symbol, 0), list[int]()
    while value is not None and len(values) <= _MOST_ITERATIONS:
        holds = _known(c, loop.test, symbol, value)
        if not holds:
            return None if holds is None else values
        values.append(value)
        value = _stepped(c, loop.step, symbol, value)
    return None


def _known(c: FunctionContext, node: object, counter: tree.VariableSymbol, count: int) -> int | None:
    """A number made of constants, the loop's counter and those of unrolled loops around; none that its type does not hold."""
    value: int | None = None
    match node:
        case tree.Constant(_, Qual(Scalar("int" | "uint" | "bool", _)), number):
            value = int(number)
        case tree.Load(_, _, tree.Variable(_, Qual(Scalar("int" | "uint", _)), _, symbol)):
            if symbol is counter:
                value = count
            elif symbol in c.variables.values:
                text = c.variables.values[symbol].name
                value = int(text) if text.lstrip("-").isdigit() else None
        case tree.Convert(_, Qual(Scalar("bool", _)), of):
            value = _known(c, of, counter, count)
            value = value if value is None else int(value != 0)
        case tree.Convert(_, Qual(Scalar("int" | "uint", _)), of):
            value = _known(c, of, counter, count)
        case tree.Binary(_, _, sign, left, right):
            value = _computed(sign, _known(c, left, counter, count), _known(c, right, counter, count))
    return value if isinstance(node, tree.Value) and _holds(node.type, value) else None


def _computed(sign: str, one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return None
    if sign in _COMPUTED:
        return int(_COMPUTED[sign](one, other))
    if sign not in _COMPUTED_OF_NATURALS or one < 0 or other < 0 or (sign == "/" and not other):
        return None
    return None if sign == "<<" and other >= _MOST_BITS else _COMPUTED_OF_NATURALS[sign](one, other)


def _holds(kind: Qual, value: int | None) -> bool:
    """Whether a type of integers or truth values has the number: what wraps around is left to the machine."""
    match kind.type:
        case Scalar("int", bits):
            return value is not None and -(1 << bits - 1) <= value < 1 << bits - 1
        case Scalar("uint", bits):
            return value is not None and 0 <= value < 1 << bits
        case Scalar("bool", _):
            return value in (0, 1)
    return False


def _stepped(c: FunctionContext, node: tree.Value, counter: tree.VariableSymbol, count: int) -> int | None:
    """What the counter is after a step."""
    value: int | None = None
    match node:
        case tree.Increment(_, _, tree.Variable(_, _, _, counted), sign, _) if counted is counter:
            value = count + (1 if sign == "++" else -1)
        case tree.CompoundAssign(_, _, sign, tree.Variable(_, _, _, counted), by) if counted is counter:
            value = _computed(sign, count, _known(c, by, counter, count))
        case tree.Assign(_, _, tree.Variable(_, _, _, counted), to) if counted is counter:
            value = _known(c, to, counter, count)
    return value if _holds(counter.type, value) else None


def _may_be_copied(body: tree.Statement, counter: tree.VariableSymbol, most: int) -> bool:
    """Short, without jumps, and the counter only read."""
    for count, node in enumerate(nodes(body), 1):
        if count > most or isinstance(node, _NEVER_COPIED):
            return False
        match node:
            case tree.Assign(_, _, tree.Variable(_, _, _, symbol), _) if symbol is counter:
                return False
            case tree.CompoundAssign(_, _, _, tree.Variable(_, _, _, symbol), _) if symbol is counter:
                return False
            case tree.Increment(_, _, tree.Variable(_, _, _, symbol), _, _) if symbol is counter:
                return False
    return True
