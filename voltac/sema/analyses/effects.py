"""What a node, and a call of a function, do beyond finding a value: what they write, read, and do in an order that is seen."""

from __future__ import annotations

from typing import TypeGuard

from voltac.records import field, mutable_record
from voltac.sema import tree
from voltac.sema.builtins import BUILTINS, Effect
from voltac.sema.tree_walk import nodes_of, nodes_reached
from voltac.sema.types import Pointer

_IN_ORDER = (
    tree.Print, tree.Assert, tree.Launch, tree.Sync, tree.New, tree.Delete, tree.Alloca, tree.CallPointer, tree.Intrinsic,
    tree.TaskVariable,
)  # fmt: skip
_WRITES = (tree.Assign, tree.CompoundAssign, tree.Increment)


def has_effect(node: object) -> bool:
    """Does a single node do something whose order is seen, what it writes to a ``place`` aside?"""
    if isinstance(node, tree.Builtin):
        return BUILTINS[node.name].effect not in (Effect.NONE, Effect.HINT)
    return isinstance(node, _IN_ORDER)


def writes(node: object) -> TypeGuard[tree.Assign | tree.CompoundAssign | tree.Increment]:
    """Does a node write its ``place``?"""
    return isinstance(node, _WRITES)


def root_of(place: tree.Place) -> tree.Place:
    """The object that a place is a part of."""
    while isinstance(place, tree.Element | tree.MemberPlace):
        place = place.aggregate if isinstance(place, tree.Element) else place.struct
    return place


def is_same_pointer(value: tree.Convert) -> bool:
    """A conversion that is about const only."""
    to, given = value.type.type, value.value.type.type
    if not (isinstance(to, Pointer) and isinstance(given, Pointer)):
        return False
    return to.to.type == given.to.type and to.to.rate is given.to.rate


def is_own(argument: tree.Value, variables: set[tree.VariableSymbol] | None) -> bool:
    """Is it the address of one of the variables, or of a fresh object? ``None`` stands for all variables of functions."""
    while isinstance(argument, tree.Convert) and is_same_pointer(argument):
        argument = argument.value
    if not isinstance(argument, tree.AddressOf):
        return False
    root = root_of(argument.place)
    if isinstance(root, tree.Variable):
        return root.symbol.kind in ("local", "parameter") if variables is None else root.symbol in variables
    return isinstance(root, tree.Temporary)


@mutable_record(eq=False)
class Effects:
    """What a function does beyond computing its result."""

    obstacle: str = ""
    """In words, what keeps calls of it from running at the same time."""
    parameters_written: set[tree.VariableSymbol] = field(default_factory=set)
    """It writes what these point to, and nothing else."""
    parameters_read: set[tree.VariableSymbol] = field(default_factory=set)
    reads_elsewhere: bool = False
    """Through pointers that are neither parameters nor lead to globals that are known."""
    globals_read: set[tree.VariableSymbol] = field(default_factory=set)

    @property
    def reads_memory(self) -> bool:
        """Whether it reads anything besides its own variables."""
        return self.reads_elsewhere or bool(self.parameters_read or self.globals_read)

    def read_through(self, pointer: tree.Value, initials: dict[tree.VariableSymbol, tree.Value]) -> None:
        """It reads what a pointer leads to."""
        root = root_of_pointer(pointer, initials)
        if root is None:
            self.reads_elsewhere = True
        elif isinstance(root, tree.VariableSymbol):
            self.parameters_read.add(root)
        elif not is_local(root) and not root.storage.const:
            assert isinstance(root, tree.Variable)
            self.globals_read.add(root.symbol)

    def write_through(self, pointer: tree.Value, initials: dict[tree.VariableSymbol, tree.Value]) -> None:
        """It writes what a pointer leads to."""
        root = root_of_pointer(pointer, initials)
        if isinstance(root, tree.VariableSymbol):
            self.parameters_written.add(root)
        elif root is None or not is_local(root):
            self.obstacle = "writes memory"


def effects_of(function: tree.FunctionSymbol) -> Effects:
    """What calling a function does to memory, the functions it calls included."""
    return _collected(function, {})


_Known = dict[tree.FunctionSymbol, Effects | None]
"""Functions that were looked at; None for one that is being looked at."""


def _collected(function: tree.FunctionSymbol, known: _Known) -> Effects:
    known[function] = None
    effects = known[function] = _collect(function, known)
    return effects


def has_ordered_effects(function: tree.FunctionSymbol) -> bool:
    """Does a task, or what it calls, do something that threads of a device cannot do at the same time? Writing is fine."""
    for node in nodes_reached(function, launches=True):
        if node is None or (isinstance(node, tree.Launch) and not isinstance(node.function, tree.FunctionSymbol)):
            return True
        if isinstance(node, tree.Builtin):
            if BUILTINS[node.name].effect in (Effect.ORDERED, Effect.THREADS):
                return True
        elif has_effect(node) and not isinstance(node, tree.TaskVariable | tree.Launch | tree.Sync):
            return True
    return False


def _collect(function: tree.FunctionSymbol, known: _Known) -> Effects:
    effects = Effects()
    if function.body is None:
        effects.obstacle = "is defined elsewhere"
        return effects
    initials = unchanged_variables(function)
    for node in nodes_of(function):
        if effects.obstacle:
            break
        if has_effect(node):
            effects.obstacle = "does something that is seen in the order of the calls"
        elif writes(node):
            root = root_of(node.place)
            if isinstance(root, tree.Deref):
                effects.write_through(root.pointer, initials)
            elif not is_local(root):
                effects.obstacle = "writes memory"
        elif isinstance(node, tree.Load):
            root = root_of(node.place)
            if isinstance(root, tree.Deref):
                effects.read_through(root.pointer, initials)
            elif isinstance(root, tree.Variable) and not is_local(root) and not root.symbol.type.const:
                effects.globals_read.add(root.symbol)
        elif isinstance(node, tree.Builtin) and BUILTINS[node.name].effect is not Effect.HINT:
            for argument in node.arguments:
                if isinstance(argument.type.type, Pointer):
                    effects.read_through(argument, initials)
        elif isinstance(node, tree.Call):
            _collect_call(node, effects, known, initials)
    return effects


def _collect_call(node: tree.Call, effects: Effects, known: _Known, initials: dict[tree.VariableSymbol, tree.Value]) -> None:
    given = [each for each in node.arguments if isinstance(each.type.type, Pointer) and not is_own(each, None)]
    inner = known[node.function] if node.function in known else _collected(node.function, known)
    if inner is None:
        # It calls itself. All is known of it once its body has been looked at, but for what these arguments lead to.
        if given:
            effects.obstacle = "calls itself with pointers"
        return
    effects.obstacle = effects.obstacle or inner.obstacle
    effects.reads_elsewhere = effects.reads_elsewhere or inner.reads_elsewhere
    effects.globals_read |= inner.globals_read
    for parameter, argument in zip(node.function.parameters, node.arguments):
        if parameter in inner.parameters_read:
            effects.read_through(argument, initials)
        if parameter in inner.parameters_written:
            effects.write_through(argument, initials)


def is_local(root: tree.Place) -> bool:
    """Whether a place is in a variable of the function itself."""
    return isinstance(root, tree.Temporary) or (isinstance(root, tree.Variable) and root.symbol.kind in ("local", "parameter"))


def root_of_pointer(
    pointer: tree.Value, initials: dict[tree.VariableSymbol, tree.Value]
) -> tree.VariableSymbol | tree.Place | None:
    """The parameter that leads there, or the variable or temporary in which that is; None if it is not known."""
    while True:
        match pointer:
            case tree.PointerOffset():
                pointer = pointer.pointer
            case tree.Broadcast() | tree.Convert() if isinstance(pointer.value.type.type, Pointer):
                pointer = pointer.value
            case tree.AddressOf():
                root = root_of(pointer.place)
                if not isinstance(root, tree.Deref):
                    return root
                pointer = root.pointer
            case tree.Load(place=tree.Variable(symbol=symbol)) if symbol in initials:
                pointer = initials[symbol]
            case tree.Load(place=tree.Variable(symbol=symbol)):
                known = symbol.kind == "parameter" and not symbol.assigned and not symbol.address_taken
                return symbol if known else None
            case _:
                return None


def unchanged_variables(function: tree.FunctionSymbol) -> dict[tree.VariableSymbol, tree.Value]:
    """The variables of a function that keep the value they are declared with."""
    found: dict[tree.VariableSymbol, tree.Value] = {}
    for node in nodes_of(function):
        if isinstance(node, tree.Declare) and isinstance(node.initial, tree.Value):
            if not node.symbol.assigned and not node.symbol.address_taken:
                found[node.symbol] = node.initial
    return found
