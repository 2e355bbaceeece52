"""What a branch costs if it is run without asking whether any lane needs it, and whether that is safe.

Safe means: with an empty mask nothing happens that could be seen. No calls, no
stores to uniform places, no plain loads that could fault, no loops. The weights
are instructions, roughly; what is unsafe weighs more than any limit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from voltac.sema import tree
from voltac.sema.builtins import BUILTINS, UNSAFE
from voltac.sema.tree_walk import nodes
from voltac.sema.types import UNIFORM, VARYING, Qual, Scalar, Struct, Vector

OPERAND_LIMIT = 16
"""An operand of ``&&``, ``||`` or ``?:`` that weighs no more is evaluated whether or not it is needed: one gather is."""
REST_LIMIT = 40
"""What may follow an escape without a test for lanes that are left: the test of the loop comes soon anyway."""
_GATHER, _MASKED_STORE, _SCATTER, _DIVISION = 8, 4, 12, 6
"""Instructions, roughly: of eight lanes that are taken one by one, of a blend around a store, of a division as its
throughput. Chosen, not measured."""


class Costs:
    """The costs of a module's nodes, each found once: in a nest or a chain every level asks for all that is below it."""

    def __init__(self, branch_limit: int) -> None:
        self.branch_limit = branch_limit
        """An ``if`` whose branches together weigh no more is predicated."""
        self._known: dict[int, tuple[object, int]] = {}
        """By the identity of the node, which is kept, so that no other has it."""
        self._functions: dict[tree.FunctionSymbol, int] = {}

    def of(self, node: object) -> int:
        """The weight of a node with all in it; what cannot run under an empty mask is beyond every limit."""
        known = self._known.get(id(node))
        if known is None:
            rule = _RULES.get(type(node))
            known = self._known[id(node)] = node, UNSAFE if rule is None else rule(self, node)
        return known[1]

    def of_function(self, function: tree.FunctionSymbol, body: tree.Block) -> int:
        """The body of a library function."""
        known = self._functions.get(function)
        if known is None:
            self._functions[function] = UNSAFE  # recursion is unsafe
            known = self._functions[function] = _body(self, body)
        return known

    def is_cheap_and_safe(self, node: tree.Value) -> bool:
        """May an operand of ``&&``, ``||`` or ``?:`` be evaluated whether or not it is needed?"""
        return self.of(node) <= OPERAND_LIMIT

    def is_cheap_and_changes_nothing(self, node: tree.Value) -> bool:
        """May an operand behind a uniform test be evaluated whatever the test says? No mask keeps it from storing."""
        return self.is_cheap_and_safe(node) and not _stores(node)


def _stores(node: object) -> bool:
    return any(isinstance(one, _STORING) for one in nodes(node))


_STORING = (tree.Assign, tree.CompoundAssign, tree.Increment)


def _sum(costs: Costs, *nodes: object) -> int:
    total = 0
    for node in nodes:
        total += costs.of(node)
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


def _place_load(costs: Costs, place: tree.Place) -> int:
    if place.address_rate is VARYING:
        return _address(costs, place) + _GATHER * _size(place.storage)
    return _address(costs, place) + _size(place.storage) if _never_faults(costs, place) else UNSAFE


def _never_faults(costs: Costs, place: tree.Place) -> bool:
    """Variables, their members and their elements at constant indices are always readable."""
    match place:
        case tree.Variable():
            return True
        case tree.Element(_, _, _, aggregate, tree.Constant()):
            return _never_faults(costs, aggregate)
        case tree.MemberPlace(_, _, _, struct, _):
            return _never_faults(costs, struct)
        case tree.Temporary(_, _, _, value):
            return costs.of(value) < UNSAFE
    return False


def _address(costs: Costs, place: tree.Place) -> int:
    match place:
        case tree.Variable():
            return 0
        case tree.Deref(_, _, _, pointer):
            return costs.of(pointer)
        case tree.Element(_, _, _, aggregate, index):
            return _sum(costs, index) + _address(costs, aggregate)
        case tree.MemberPlace(_, _, _, struct, _):
            return _address(costs, struct)
        case tree.Temporary(_, _, _, value):
            return costs.of(value)
    return UNSAFE


def _place_store(costs: Costs, place: tree.Place) -> int:
    if place.address_rate is VARYING:
        return _address(costs, place) + _SCATTER * _size(place.storage)
    if place.storage.rate is not VARYING:
        return UNSAFE
    match place:
        case tree.Variable(_, _, _, symbol) if symbol.kind in ("local", "parameter"):
            return _size(place.storage)
    return _address(costs, place) + _MASKED_STORE * _size(place.storage) if _never_faults(costs, place) else UNSAFE


def _binary(costs: Costs, node: tree.Binary) -> int:
    operands = _sum(costs, node.left, node.right)
    if node.operator not in ("/", "%"):
        return operands + _size(node.type)
    scalar = node.left.type.type.element if isinstance(node.left.type.type, Vector) else node.left.type.type
    is_float = isinstance(scalar, Scalar) and scalar.kind == "float"
    if not is_float and node.left.type.rate is UNIFORM and not isinstance(node.right, tree.Constant):
        return UNSAFE
    return operands + _DIVISION * _size(node.type)


def _call(costs: Costs, node: tree.Call) -> int:
    """A call of a library function is as safe as its body."""
    function = node.function
    if not function.library or function.body is None or function.no_inline:
        return UNSAFE
    return _sum(costs, *node.arguments) + costs.of_function(function, function.body)


def _body(costs: Costs, body: tree.Block) -> int:
    """The weight of a function body: a return at its end is no escape."""
    statements = body.statements
    if statements and isinstance(statements[-1], tree.Return):
        last = statements[-1]
        return _statements(costs, statements[:-1]) + (costs.of(last.value) if last.value is not None else 0)
    return _statements(costs, statements)


def _statements(costs: Costs, statements: tuple[tree.Statement, ...]) -> int:
    total = 0
    for number, statement in enumerate(statements):
        if number + 1 < len(statements) and isinstance(statement, tree.Break | tree.Continue | tree.Return):
            return UNSAFE
        total += costs.of(statement)
        if total >= UNSAFE:
            return UNSAFE
    return total


def _if(costs: Costs, node: tree.If) -> int:
    if node.test.type.rate is not VARYING:
        return UNSAFE
    branches = _sum(costs, node.then) + (0 if node.otherwise is None else costs.of(node.otherwise))
    return UNSAFE if branches > costs.branch_limit else costs.of(node.test) + branches + 1


def _return(costs: Costs, node: tree.Return) -> int:
    if node.value is None:
        return 1
    return costs.of(node.value) + 1 if node.value.type.rate is VARYING else UNSAFE


def _initial(costs: Costs, initial: tree.Initializer | None) -> int:
    match initial:
        case None:
            return 0
        case tree.Aggregate() | tree.LaneList():
            return UNSAFE
    return costs.of(initial)


_RULES: dict[type, Callable[[Costs, Any], int]] = {
    tree.Constant: lambda costs, node: 0,
    tree.ProgramIndex: lambda costs, node: 0,
    tree.ActiveMask: lambda costs, node: 1,
    tree.TaskVariable: lambda costs, node: 0,
    tree.FunctionAddress: lambda costs, node: 0,
    tree.Load: lambda costs, node: UNSAFE if isinstance(node.type.type, Struct) else _place_load(costs, node.place),
    tree.AddressOf: lambda costs, node: _address(costs, node.place),
    tree.Convert: lambda costs, node: costs.of(node.value) + _size(node.type),
    tree.Broadcast: lambda costs, node: costs.of(node.value) + _size(node.type),
    tree.Splat: lambda costs, node: costs.of(node.value) + 1,
    tree.Swizzle: lambda costs, node: costs.of(node.value) + 1,
    tree.Unary: lambda costs, node: costs.of(node.operand) + _size(node.type),
    tree.Binary: _binary,
    tree.PointerOffset: lambda costs, node: _sum(costs, node.pointer, node.index) + 1,
    tree.PointerDifference: lambda costs, node: _sum(costs, node.left, node.right) + 2,
    tree.Logical: lambda costs, node: _sum(costs, node.left, node.right) + 1,
    tree.Conditional: lambda costs, node: _sum(costs, node.test, node.then, node.otherwise) + _size(node.type),
    tree.Comma: lambda costs, node: _sum(costs, node.first, node.second),
    tree.Assign: lambda costs, node: costs.of(node.value) + _place_store(costs, node.place),
    tree.CompoundAssign: lambda costs, node: (
        costs.of(node.value) + _place_load(costs, node.place) + _place_store(costs, node.place)
    ),
    tree.Increment: lambda costs, node: _place_load(costs, node.place) + _place_store(costs, node.place),
    tree.Call: _call,
    tree.Builtin: lambda costs, node: BUILTINS[node.name].cost + _sum(costs, *node.arguments),
    tree.Block: lambda costs, node: _statements(costs, node.statements),
    tree.Evaluate: lambda costs, node: costs.of(node.value),
    tree.Declare: lambda costs, node: UNSAFE if node.symbol.kind == "static" else _initial(costs, node.initial) + 1,
    tree.If: _if,
    tree.Break: lambda costs, node: 1,
    tree.Continue: lambda costs, node: 1,
    tree.Return: _return,
}
