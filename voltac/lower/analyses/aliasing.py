"""Which pointer parameters of a function may be called ``noalias``, and which are only read.

The compiler may assume that different pointer parameters point to different objects
(language 5.5), and no more: a parameter may point to a global, or to what a
pointer in memory points to. LLVM's ``noalias`` excludes these too, where one of the
accesses is a store. So a parameter is ``noalias`` if

* no memory is written but through parameters, unless nothing is accessed through this one, which is kept nowhere, and
* where the parameter is written through itself, none is read but through parameters.

What each function reads and writes, and through which of its parameters, is found in
one walk over its body, and used for its callers.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from voltac.records import field, mutable_record
from voltac.sema import tree
from voltac.sema.builtins import BUILTINS
from voltac.sema.tree_walk import nodes_of
from voltac.sema.types import Pointer

Roots = frozenset[tree.VariableSymbol | None]
"""Parameters that a pointer may be counted from; None is all memory that other functions know of."""

_NOWHERE: Roots = frozenset()
_ELSEWHERE: Roots = frozenset((None,))


@mutable_record
class MemoryEffects:
    """What a function reads and writes: parameters, and None for memory elsewhere."""

    read: set[tree.VariableSymbol | None] = field(default_factory=set)
    written: set[tree.VariableSymbol | None] = field(default_factory=set)
    kept: set[tree.VariableSymbol | None] = field(default_factory=set)
    """Those whose pointers go to memory, into numbers, or back to the caller: somebody may find them there."""

    def may_be_written(self, parameter: tree.VariableSymbol) -> bool:
        """Whether memory that the parameter leads to may be written: through it, or by whoever finds it where it is kept."""
        return parameter in self.written or parameter in self.kept

    def is_written(self, parameter: tree.VariableSymbol) -> bool:
        """Whether a call may write the memory that the parameter leads to."""
        return parameter in self.written or (parameter in self.kept and None in self.written)

    def is_touched(self, parameter: tree.VariableSymbol) -> bool:
        """Whether a call may read or write the memory that the parameter leads to."""
        return parameter in self.read or parameter in self.kept or parameter in self.written

    def may_be_noalias(self, parameter: tree.VariableSymbol) -> bool:
        """The rule at the head of this module, for one pointer parameter."""
        if None in self.written and (parameter in self.read or parameter in self.written or parameter in self.kept):
            return False
        return not (None in self.read and parameter in self.written)


_KNOWN: WeakKeyDictionary[tree.FunctionSymbol, MemoryEffects] = WeakKeyDictionary()
"""By the object: what is known of a function goes when its symbol does."""


def memory_effects(symbol: tree.FunctionSymbol) -> MemoryEffects:
    """Found once a function; of one whose body is not known, and within a recursion, anything is assumed."""
    known = _KNOWN.get(symbol)
    if known is not None:
        return known
    # What an unknown function does, and one that calls itself.
    everything = {None, *symbol.parameters}
    _KNOWN[symbol] = MemoryEffects(set(everything), set(everything), set(everything))
    if symbol.body is not None:
        effects = _KNOWN[symbol] = _Walk(symbol).effects
        if symbol.library:
            # It makes pointers of numbers, but none to what it was not given.
            for places in (effects.read, effects.written, effects.kept):
                if None in places:
                    places |= everything
                    places.discard(None)
    elif "memory(none)" in symbol.attributes:
        _KNOWN[symbol] = MemoryEffects()
    elif "memory(read)" in symbol.attributes:
        _KNOWN[symbol] = MemoryEffects(everything)
    return _KNOWN[symbol]


class _Walk:
    """One function: its pointers first, then what is done through them."""

    def __init__(self, symbol: tree.FunctionSymbol) -> None:
        self.effects = MemoryEffects()
        self._given: dict[tree.VariableSymbol, list[tree.Value]] = {}
        self._roots: dict[tree.VariableSymbol, Roots] = {}
        noted = [node for node in nodes_of(symbol) if type(node) in _NOTED]
        for node in noted:
            if type(node) in _GIVING:
                self._note_pointer(node)
        for node in noted:
            self._note_access(node)

    # --- where pointers come from

    def _note_pointer(self, node: object) -> None:
        match node:
            case tree.Declare(_, symbol, tree.Value() as value) if isinstance(symbol.type.type, Pointer):
                self._given.setdefault(symbol, []).append(value)
            case tree.Declare(_, symbol, tree.LaneList(elements=values)) if isinstance(symbol.type.type, Pointer):
                self._given.setdefault(symbol, []).extend(values)
            case tree.Assign(place=tree.Variable(symbol=symbol), value=value) if isinstance(symbol.type.type, Pointer):
                self._given.setdefault(symbol, []).append(value)
            case tree.ForeachUnique(_, symbol, value) if isinstance(symbol.type.type, Pointer):
                self._given.setdefault(symbol, []).append(value)

    def _roots_of_variable(self, symbol: tree.VariableSymbol) -> Roots:
        known = self._roots.get(symbol)
        if known is not None:
            return known
        own: Roots = frozenset((symbol,)) if symbol.kind == "parameter" else _NOWHERE
        if symbol.kind not in ("parameter", "local") or symbol.address_taken:
            own |= _ELSEWHERE
        self._roots[symbol] = own  # for one that is made of itself
        for value in self._given.get(symbol, ()):
            own |= self._roots_of(value)
        self._roots[symbol] = own
        return own

    def _roots_of(self, value: tree.Value) -> Roots:
        match value:
            case tree.PointerOffset(pointer=pointer):
                return self._roots_of(pointer)
            case tree.Convert(value=inner) | tree.Broadcast(value=inner):
                if isinstance(inner.type.type, Pointer):
                    return self._roots_of(inner)
                return _NOWHERE if isinstance(inner, tree.Constant) else _ELSEWHERE
            case tree.Load(place=tree.Variable(symbol=symbol)):
                return self._roots_of_variable(symbol)
            case tree.AddressOf(place=place):
                return self._roots_of_place(place)
            case tree.Conditional(then=then, otherwise=otherwise):
                return self._roots_of(then) | self._roots_of(otherwise)
            case tree.Assign(value=inner) | tree.Comma(second=inner):
                return self._roots_of(inner)
            case tree.CompoundAssign(place=tree.Variable(symbol=symbol)) | tree.Increment(place=tree.Variable(symbol=symbol)):
                return self._roots_of_variable(symbol)
            case tree.Call(function=function, arguments=arguments) if function.library:
                return self._roots_of_all(arguments)
            case tree.Builtin(arguments=arguments):
                return self._roots_of_all(arguments)
            case tree.Constant() | tree.New() | tree.Alloca() | tree.FunctionAddress():
                return _NOWHERE
        return _ELSEWHERE

    def _roots_of_all(self, values: Iterable[tree.Value]) -> Roots:
        found = _NOWHERE
        for value in values:
            if isinstance(value.type.type, Pointer):
                found |= self._roots_of(value)
        return found

    def _roots_of_place(self, place: tree.Place) -> Roots:
        while True:
            match place:
                case tree.Deref(pointer=pointer):
                    return self._roots_of(pointer)
                case tree.Element(aggregate=inner) | tree.MemberPlace(struct=inner):
                    place = inner
                case tree.Variable(symbol=symbol):
                    own = symbol.kind in ("local", "parameter") or symbol.type.const
                    return _NOWHERE if own or (symbol.kind == "static" and not symbol.address_taken) else _ELSEWHERE
                case _:
                    return _NOWHERE

    # --- what is done through them

    def _note_access(self, node: object) -> None:
        match node:
            case tree.Load(place=place):
                self.effects.read |= self._roots_of_place(place)
            case tree.Assign(place=place, value=value):
                self.effects.written |= self._roots_of_place(place)
                if not isinstance(place, tree.Variable) or not _is_followed(place.symbol):
                    self._keep(value)
            case tree.CompoundAssign(place=place) | tree.Increment(place=place):
                self._touch(self._roots_of_place(place))
            case tree.Call(function=function, arguments=arguments):
                self._note_call(memory_effects(function), function, arguments)
            case tree.Launch(function=tree.FunctionSymbol() as function, arguments=arguments):
                self._note_call(memory_effects(function), function, arguments)
                self._touch(_ELSEWHERE)
            case tree.CallPointer(arguments=arguments) | tree.Launch(arguments=arguments):
                self._touch(_ELSEWHERE | self._roots_of_all(arguments))
            case tree.Sync():
                self._touch(_ELSEWHERE)
            case tree.Builtin(name=name, arguments=arguments):
                for number, value in enumerate(arguments):
                    if isinstance(value.type.type, Pointer):
                        roots = self._roots_of(value)
                        self.effects.read |= roots
                        if not BUILTINS[name].reads_only(number):
                            self.effects.written |= roots
            case tree.Intrinsic(arguments=arguments):
                self._touch(self._roots_of_all(arguments))
            case tree.Delete(pointer=pointer):
                self._touch(self._roots_of(pointer))
            case tree.Declare(symbol=symbol, initial=initial):
                if not _is_followed(symbol):
                    self._keep(initial)
            case tree.New(initial=value) | tree.Return(value=value):
                self._keep(value)
            case tree.Convert(value=value) if not isinstance(node.type.type, Pointer):
                self._keep(value)
            case tree.AddressOf(place=tree.Variable(symbol=symbol)) if isinstance(symbol.type.type, Pointer):
                self.effects.kept |= self._roots_of_variable(symbol)

    def _note_call(self, effects: MemoryEffects, function: tree.FunctionSymbol, arguments: tuple[tree.Value, ...]) -> None:
        for parameter, value in zip(function.parameters, arguments):
            if isinstance(value.type.type, Pointer):
                if parameter in effects.read:
                    self.effects.read |= self._roots_of(value)
                if parameter in effects.written:
                    self.effects.written |= self._roots_of(value)
                if parameter in effects.kept:
                    self._keep(value)
        self.effects.read |= _ELSEWHERE & effects.read
        self.effects.written |= _ELSEWHERE & effects.written

    def _keep(self, value: tree.Initializer | None) -> None:
        match value:
            case tree.Value():
                if isinstance(value.type.type, Pointer):
                    self.effects.kept |= self._roots_of(value)
            case tree.Aggregate(elements=elements) | tree.LaneList(elements=elements):
                for element in elements:
                    self._keep(element)

    def _touch(self, roots: Roots) -> None:
        self.effects.read |= roots
        self.effects.written |= roots


def _is_followed(symbol: tree.VariableSymbol) -> bool:
    """Whether :class:`_Walk` knows what pointers a variable gets."""
    return symbol.kind in ("local", "parameter") and isinstance(symbol.type.type, Pointer) and not symbol.address_taken


_GIVING = frozenset((tree.Declare, tree.Assign, tree.ForeachUnique))
_NOTED = _GIVING | {
    tree.Load, tree.CompoundAssign, tree.Increment, tree.Call, tree.CallPointer, tree.Launch, tree.Sync, tree.Builtin,
    tree.Intrinsic, tree.Delete, tree.New, tree.Return, tree.Convert, tree.AddressOf,
}  # fmt: skip
