"""What a branch costs if it is run without asking whether any lane needs it, and whether that is safe.

Safe means: with an empty mask nothing happens that could be seen. No calls, no
stores to uniform places, no plain loads that could fault, no loops. The weights
are instructions, roughly; what is unsafe weighs more than any limit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from voltac.sema import tree
from voltac.sema.builtins import BUILTINS, UNSAFE
from voltac.sema.tree_walk import children
from voltac.sema.types import UNIFORM, VARYING, Qual, Scalar, Struct, Vector

BRANCH_LIMIT = 10
"""An ``if`` whose branches together weigh no more is predicated."""
OPERAND_LIMIT = 16
"""An operand of ``&&``, ``||`` or ``?:`` that weighs no more is evaluated whether or not it is needed: one gather is."""
REST_LIMIT = 40
"""What may follow an escape without a test for lanes that are left: the test of the loop comes soon anyway."""
_GATHER, _MASKED_STORE, _SCATTER, _DIVISION = 8, 4, 12, 6
"""Instructions, roughly: of eight lanes that are taken one by one, of a blend around a store, of a division as its
throughput. Chosen, not measured."""


def is_cheap_and_safe(node: tree.Value) -> bool:
    """May an operand of ``&&``, ``||`` or ``?:`` be evaluated whether or not it is needed?"""
    return cost(node) <= OPERAND_LIMIT


def is_cheap_and_changes_nothing(node: tree.Value) -> bool:
    """May an operand behind a uniform test be evaluated whatever the test says? No mask keeps it from storing."""
    return is_cheap_and_safe(node) and not _stores(node)


def _stores(node: object) -> bool:
    return isinstance(node, _STORING) or any(map(_stores, children(node)))


_STORING = (tree.Assign, tree.CompoundAssign, tree.Increment)


def cost(node: object) -> int:
    known = _KNOWN.get(id(node))
    if known is None:
        rule = _RULES.get(type(node))
        known = _KNOWN[id(node)] = node, UNSAFE if rule is None else rule(node)
    return known[1]


_KNOWN: dict[int, tuple[object, int]] = {}
"""Node, by its identity, and cost: in a nest or a chain every level asks for all that is below it."""


def forget() -> None:
    """The trees of which costs are known are not needed any more."""
    _KNOWN.clear()


def _sum(*nodes: object) -> int:
    total = 0
    for node in nodes:
        total += cost(node)
        if total >= UNSAFE:
            return UNSAFE
    return total


def _size(qual: Qual) -> int:
    """Machine operations for one operation on the type."""
    match qual.type:
        case Vector(_, count):
            return count
        case Struct():
            return UNSAFE
    return 1


def _place_load(place: tree.Place) -> int:
    if place.address_rate is VARYING:
        return _address(place) + _GATHER * _size(place.storage)
    return _address(place) + _size(place.storage) if _never_faults(place) else UNSAFE


def _never_faults(place: tree.Place) -> bool:
    """Variables, their members and their elements at constant indices are always readable."""
    match place:
        case tree.Variable():
            return True
        case tree.Element(_, _, _, aggregate, tree.Constant()):
            return _never_faults(aggregate)
        case tree.MemberPlace(_, _, _, struct, _):
            return _never_faults(struct)
        case tree.Temporary(_, _, _, value):
            return cost(value) < UNSAFE
    return False


def _address(place: tree.Place) -> int:
    match place:
        case tree.Variable():
            return 0
        case tree.Deref(_, _, _, pointer):
            return cost(pointer)
        case tree.Element(_, _, _, aggregate, index):
            return _sum(index) + _address(aggregate)
        case tree.MemberPlace(_, _, _, struct, _):
            return _address(struct)
        case tree.Temporary(_, _, _, value):
            return cost(value)
    return UNSAFE


def _place_store(place: tree.Place) -> int:
    if place.address_rate is VARYING:
        return _address(place) + _SCATTER * _size(place.storage)
    if place.storage.rate is not VARYING:
        return UNSAFE
    match place:
        case tree.Variable(_, _, _, symbol) if symbol.kind in ("local", "parameter"):
            return _size(place.storage)
    return _address(place) + _MASKED_STORE * _size(place.storage) if _never_faults(place) else UNSAFE


def _binary(node: tree.Binary) -> int:
    operands = _sum(node.left, node.right)
    if node.operator not in ("/", "%"):
        return operands + _size(node.type)
    scalar = node.left.type.type.element if isinstance(node.left.type.type, Vector) else node.left.type.type
    is_float = isinstance(scalar, Scalar) and scalar.kind == "float"
    if not is_float and node.left.type.rate is UNIFORM and not isinstance(node.right, tree.Constant):
        return UNSAFE
    return operands + _DIVISION * _size(node.type)


def _call(node: tree.Call) -> int:
    """A call of a library function is as safe as its body."""
    function = node.function
    if not function.library or function.body is None or function.no_inline:
        return UNSAFE
    known = _FUNCTIONS.get(function)
    if known is None:
        _FUNCTIONS[function] = UNSAFE  # recursion is unsafe
        known = _FUNCTIONS[function] = _body(function.body)
    return _sum(*node.arguments) + known


def _body(body: tree.Block) -> int:
    """The weight of a function body: a return at its end is no escape."""
    statements = body.statements
    if statements and isinstance(statements[-1], tree.Return):
        last = statements[-1]
        return _statements(statements[:-1]) + (cost(last.value) if last.value is not None else 0)
    return _statements(statements)


_FUNCTIONS: WeakKeyDictionary[tree.FunctionSymbol, int] = WeakKeyDictionary()


def _statements(statements: tuple[tree.Statement, ...]) -> int:
    total = 0
    for number, statement in enumerate(statements):
        if number + 1 < len(statements) and isinstance(statement, tree.Break | tree.Continue | tree.Return):
            return UNSAFE
        total += cost(statement)
        if total >= UNSAFE:
            return UNSAFE
    return total


def _if(node: tree.If) -> int:
    if node.test.type.rate is not VARYING:
        return UNSAFE
    branches = _sum(node.then) + (0 if node.otherwise is None else cost(node.otherwise))
    return UNSAFE if branches > BRANCH_LIMIT else cost(node.test) + branches + 1


def _return(node: tree.Return) -> int:
    if node.value is None:
        return 1
    return cost(node.value) + 1 if node.value.type.rate is VARYING else UNSAFE


def _initial(initial: tree.Initializer | None) -> int:
    match initial:
        case None:
            return 0
        case tree.Aggregate() | tree.LaneList():
            return UNSAFE
    return cost(initial)


_RULES: dict[type, Callable[[Any], int]] = {
    tree.Constant: lambda node: 0,
    tree.ProgramIndex: lambda node: 0,
    tree.ActiveMask: lambda node: 1,
    tree.TaskVariable: lambda node: 0,
    tree.FunctionAddress: lambda node: 0,
    tree.Load: lambda node: UNSAFE if isinstance(node.type.type, Struct) else _place_load(node.place),
    tree.AddressOf: lambda node: _address(node.place),
    tree.Convert: lambda node: cost(node.value) + _size(node.type),
    tree.Broadcast: lambda node: cost(node.value) + _size(node.type),
    tree.Splat: lambda node: cost(node.value) + 1,
    tree.Swizzle: lambda node: cost(node.value) + 1,
    tree.Unary: lambda node: cost(node.operand) + _size(node.type),
    tree.Binary: _binary,
    tree.PointerOffset: lambda node: _sum(node.pointer, node.index) + 1,
    tree.PointerDifference: lambda node: _sum(node.left, node.right) + 2,
    tree.Logical: lambda node: _sum(node.left, node.right) + 1,
    tree.Conditional: lambda node: _sum(node.test, node.then, node.otherwise) + _size(node.type),
    tree.Comma: lambda node: _sum(node.first, node.second),
    tree.Assign: lambda node: cost(node.value) + _place_store(node.place),
    tree.CompoundAssign: lambda node: cost(node.value) + _place_load(node.place) + _place_store(node.place),
    tree.Increment: lambda node: _place_load(node.place) + _place_store(node.place),
    tree.Call: _call,
    tree.Builtin: lambda node: BUILTINS[node.name].cost + _sum(*node.arguments),
    tree.Block: lambda node: _statements(node.statements),
    tree.Evaluate: lambda node: cost(node.value),
    tree.Declare: lambda node: UNSAFE if node.symbol.kind == "static" else _initial(node.initial) + 1,
    tree.If: _if,
    tree.Break: lambda node: 1,
    tree.Continue: lambda node: 1,
    tree.Return: _return,
}
