"""An access of the typed tree → which part of its address keeps the lanes from lying side by side, and why.

The shape of an index is found from its expression, through local variables to what they were
given: the same for all lanes, a multiple of the lane number, such a multiple with a factor that
is not known, or nothing regular.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from voltac.messages.message import Span
from voltac.records import field, mutable_record, record, replace
from voltac.sema import tree
from voltac.sema.tree_walk import nodes
from voltac.sema.type_layout import Layout
from voltac.sema.types import UNIFORM, VARYING, Pointer, Qual, Scalar, Struct

_DEEPEST = 40
_MOST_STEPS = 2000
"""Parts below a value, and parts in all: the report stays fast, however large a formula is. What is deeper counts as regular,
what is more as different in each lane."""


@record
class LaneShape:
    """How a value differs from lane to lane."""

    factor: int | None = 0
    """Difference of neighbouring lanes; None where it is not known."""
    node: tree.Value | None = None
    """The sub-expression that makes it irregular, or None."""
    why: str = ""
    remedy: str = ""
    given: Span | None = None
    """Where the variable named by ``node`` gets its irregular value."""
    rank: int = 0
    """How much it explains: 0 regular, 1 a stride that is not known, 2 possibly wrapping, 3 irregular."""


_SAME = LaneShape()
_REMEDIES = {
    "memory": "if lanes often agree, foreach_unique reads each value once; sorted indices keep the lanes close",
    "call": "if lanes often agree, foreach_unique reads each value once",
    "parameter": "make it uniform if all lanes have one value, or pass the uniform part and add programIndex here",
    "stride": "let the last dimension of the foreach run along consecutive elements, or transpose the array",
    "product": "",
    "division": "two nested loops, or a foreach of two dimensions, do without the division",
    "unsigned": "int, whose overflow is undefined, keeps the lanes consecutive",
    "changed": "count with a uniform variable and add programIndex where the element is taken",
    "chosen": "choose between two loaded values rather than between two addresses",
    "number": "count in integers",
    "uneven": "a loop for each stretch in which it does keeps the lanes side by side",
    "pointer": "a uniform pointer with a varying index is resolved better",
}


@mutable_record(eq=False)
class Values:
    """What the variables of a function are given."""

    declared: dict[tree.VariableSymbol, list[tree.Value | None]] = field(default_factory=dict)
    """Variable -> initial and assigned values; None for anything else that happens to it."""
    loops: dict[tree.VariableSymbol, int | None] = field(default_factory=dict)
    """Indices of foreach -> the step from lane to lane: 1 for the last, 0 for the others, None where lanes are tiles."""


class Irregular:
    """Explains accesses of one program."""

    def __init__(self, layout: Layout, values: Values) -> None:
        self.layout = layout
        self.values = values
        self._open: set[tree.VariableSymbol] = set()
        self._steps = 0
        """Values looked at for one address: those of variables that get their values from each other are endlessly many."""

    # --- places

    def place(self, place: tree.Place) -> LaneShape:
        """The shape of an address, in bytes."""
        match place:
            case tree.Element(aggregate=aggregate, index=index):
                return _sum(self.place(aggregate), self._scaled(self.value(index), self._size(place.storage)))
            case tree.MemberPlace(struct=struct):
                return self.place(struct)
            case tree.Deref(pointer=pointer):
                return self.value(pointer)
        return _SAME

    def _size(self, storage: Qual) -> int:
        try:
            return self.layout.size(storage)
        except ValueError:
            return 1

    @staticmethod
    def _scaled(shape: LaneShape, factor: int) -> LaneShape:
        return shape if shape.factor is None else replace(shape, factor=shape.factor * factor)

    # --- values

    def value(self, node: tree.Value, depth: int = 0) -> LaneShape:
        """The shape of a value over the lanes; the first part that is irregular is what the report names."""
        if node.type.rate is UNIFORM or depth > _DEEPEST:
            return _SAME
        self._steps = self._steps + 1 if depth or self._open else 0
        if self._steps > _MOST_STEPS:
            return _irregular(node, "is different in each lane", "product")
        match node:
            case tree.Constant() | tree.Broadcast():
                return _SAME
            case tree.ProgramIndex():
                return LaneShape(1)
            case tree.Load(place=tree.Variable(symbol=symbol)):
                return self._variable(node, symbol, depth)
            case tree.Load():
                return _irregular(node, "is loaded from memory", "memory")
            case tree.Convert(value=value):
                return self._converted(node, value, depth)
            case tree.Unary(operator="-", operand=operand):
                return self._scaled(self.value(operand, depth + 1), -1)
            case tree.Binary():
                return self._binary(node, depth)
            case tree.PointerOffset(pointer=pointer, index=index, negative=negative):
                assert isinstance(node.type.type, Pointer)
                size = self._size(node.type.type.to) * (-1 if negative else 1)
                return _sum(self.value(pointer, depth + 1), self._scaled(self.value(index, depth + 1), size))
            case tree.AddressOf(place=place):
                return self.place(place)
            case tree.Comma(second=second):
                return self.value(second, depth + 1)
            case tree.Call(function=function):
                return _irregular(node, f"is the result of '{function.name}'", "call")
            case tree.CallPointer() | tree.Builtin() | tree.Intrinsic():
                return _irregular(node, "is the result of a call", "call")
            case tree.Conditional() | tree.Logical():
                return _irregular(node, "is chosen lane by lane", "chosen")
            case tree.Assign() | tree.CompoundAssign() | tree.Increment():
                return _irregular(node, "changes here lane by lane", "changed")
        return _irregular(node, "is different in each lane", "product")

    def is_same(self, node: tree.Value, depth: int = 0) -> bool:
        """Whether all lanes are known to have one value."""
        shape = self.value(node, depth + 1)
        return shape.factor == 0 and not shape.rank

    def _converted(self, node: tree.Value, value: tree.Value, depth: int) -> LaneShape:
        source, target = value.type.type, node.type.type
        if isinstance(source, Scalar) and source.kind == "float":
            if self.is_same(value, depth):
                return _SAME
            return _irregular(node, "is a floating-point number made an integer", "number")
        if isinstance(source, Scalar) and isinstance(target, Scalar) and target.is_integer and target.bits < source.bits:
            return _irregular(node, f"is cut to {target.bits} bits and may wrap around", "unsigned", rank=2)
        return self.value(value, depth + 1)

    def _binary(self, node: tree.Binary, depth: int) -> LaneShape:
        left, right = self.value(node.left, depth + 1), self.value(node.right, depth + 1)
        worst = max(left, right, key=lambda shape: shape.rank)
        if worst.rank >= 2:
            return worst
        if not worst.rank and left.factor == right.factor == 0:
            return _SAME
        kind = node.type.type
        match node.operator:
            case "+" | "-":
                sign = 1 if node.operator == "+" else -1
                found = _sum(left, self._scaled(right, sign))
                if isinstance(kind, Scalar) and kind.kind == "uint" and kind.bits == 32 and found.factor and not found.rank:
                    return replace(
                        _irregular(node, "is unsigned and may wrap around between two lanes", "unsigned", rank=2),
                        factor=found.factor,
                    )
                return found
            case "*":
                for shape, other, step in ((left, node.right, right), (right, node.left, left)):
                    if _is_same(other) or (step.factor == 0 and not step.rank):
                        constant = _constant(other)
                        if constant is not None:
                            return self._scaled(shape, constant)
                        return _irregular(node, "steps by a factor that is known at run time only", "stride", rank=1)
                return _irregular(node, "is the product of two varying values", "product")
            case "<<" if (constant := _constant(node.right)) is not None and 0 <= constant < 64:
                return self._scaled(left, 1 << constant)
            case "/" | "%" | ">>" | "&" if _constant(node.right) is not None or _constant(node.left) is not None:
                return _irregular(node, "does not grow evenly from lane to lane", "uneven", rank=1)
            case "/" | "%" if _is_same(node.right):
                return _irregular(node, "is divided by what is known at run time only", "division")
        return _irregular(node, f"is the result of '{node.operator}' on varying values", "product")

    def _variable(self, node: tree.Value, symbol: tree.VariableSymbol, depth: int) -> LaneShape:
        if symbol in self.values.loops:
            return LaneShape(self.values.loops[symbol])
        if symbol.kind == "parameter":
            return _irregular(node, "is a parameter: nothing is known of its lanes here", "parameter")
        given = self.values.declared.get(symbol)
        if given is None or symbol.address_taken or symbol in self._open:
            return _SAME if symbol in self._open else _irregular(node, "is different in each lane", "product")
        self._open.add(symbol)
        try:
            shapes = [(value, self.value(value, depth + 1) if value is not None else _SAME) for value in given]
        finally:
            self._open.discard(symbol)
        worst = max((shape for _, shape in shapes), key=lambda shape: shape.rank, default=_SAME)
        if worst.rank and worst.node is not None:
            return replace(worst, node=node, why=f"gets a value that {worst.why}", given=worst.given or worst.node.span)
        if len(given) > 1:
            return LaneShape(None, node, "changes in a loop or branch that only some lanes take", _REMEDIES["changed"], rank=1)
        return worst


def _irregular(node: tree.Value, why: str, remedy: str, rank: int = 3) -> LaneShape:
    return LaneShape(None, node, why, _REMEDIES[remedy], rank=rank)


def _sum(left: LaneShape, right: LaneShape) -> LaneShape:
    worst = left if left.rank >= right.rank else right
    if worst.rank:
        return worst
    if left.factor is None or right.factor is None:
        return LaneShape(None)
    return LaneShape(left.factor + right.factor)


def _is_same(node: tree.Value) -> bool:
    return node.type.rate is UNIFORM or isinstance(node, (tree.Constant, tree.Broadcast))


def _constant(node: tree.Value) -> int | None:
    inner = node.value if isinstance(node, (tree.Broadcast, tree.Convert)) else node
    return int(inner.value) if isinstance(inner, tree.Constant) and not isinstance(inner.value, float) else None


# --- all accesses of a program ----------------------------------------------------------------------------------


@record
class LaneAccess:
    """A place that lanes access each for itself."""

    place: tree.Place
    stored: tree.Value | None
    """What is stored there, None for a load; a step stores its own old value."""
    values: Values


def accesses(program: tree.Program, lines: set[tuple[str, int]]) -> dict[tuple[str, int, int], list[LaneAccess]]:
    """File, line and column of its first character -> accesses of the functions in which the lines are, outer ones first."""
    found: dict[tuple[str, int, int], list[LaneAccess]] = {}
    wanted = {file: sorted(line for other, line in lines if other == file) for file, _ in lines}
    for function in program.functions:
        if function.library or function.body is None:
            continue
        first, last = function.body.span.line, function.body.span.end_line
        known = wanted.get(function.body.span.file, [])
        if bisect_left(known, first) == bisect_right(known, last):
            continue
        values = Values()
        for node in nodes(function.body):
            for place, stored in _touched(node):
                if place.address_rate is VARYING:
                    found.setdefault(place.span[:3], []).append(LaneAccess(place, stored, values))
            _learn(node, values)
    return found


def _touched(node: Any) -> Iterator[tuple[tree.Place, tree.Value | None]]:
    match node:
        case tree.Load(place=place):
            yield place, None
        case tree.Assign(place=place, value=value):
            yield place, value
        case tree.CompoundAssign(place=place) | tree.Increment(place=place):
            yield place, None
            yield place, node


def _learn(node: Any, values: Values) -> None:
    given = values.declared
    match node:
        case tree.Declare(symbol=symbol, initial=initial):
            if initial is not None:
                given.setdefault(symbol, []).append(initial if isinstance(initial, tree.Value) else None)
        case tree.Assign(place=tree.Variable(symbol=symbol), value=value):
            given.setdefault(symbol, []).append(value)
        case tree.CompoundAssign(place=tree.Variable(symbol=symbol), value=value, operator=operator):
            given.setdefault(symbol, []).append(value if operator in ("+", "-") else node)
        case tree.Increment(place=tree.Variable(symbol=symbol)):
            given.setdefault(symbol, []).append(None)
        case tree.Foreach(dimensions=dimensions, tiled=tiled):
            last = dimensions[-1]
            values.loops.update({one.symbol: None if tiled else int(one is last) for one in dimensions})


def has_members(place: tree.Place) -> bool:
    """Whether the place lies in a struct."""
    return (
        isinstance(place, tree.MemberPlace)
        or (isinstance(place, tree.Element) and has_members(place.aggregate))
        or isinstance(place.storage.type, Struct)
    )
