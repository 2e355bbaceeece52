"""A foreach statement → whether its iterations may run at the same time, or what speaks against it.

Iterations are independent if they write memory only, if whatever one of them
writes no other one reads or writes, and if they call nothing whose effects are
seen in order (``print``, atomics, ``new`` ...). Two accesses of one array cannot
meet if an index that both have in common, or one that differs from it by less
than its step, has another value in each iteration (the loop's variables count
as the digits of a number, see :func:`_tells_iterations_apart`).

Uniform pointers that are parameters point to different objects (language 5.5);
any other pointer may point anywhere. Where nothing is proved the answer is no.
"""

from __future__ import annotations

from typing import TypeGuard

from voltac.messages.message import Span
from voltac.records import field, mutable_record, record
from voltac.sema import tree
from voltac.sema.analyses.index_forms import IndexForm, IndexReader, constant_form
from voltac.sema.builtins import BUILTINS, Effect
from voltac.sema.tree_walk import children
from voltac.sema.types import UNIFORM, Pointer

_IN_ORDER = (
    tree.Print, tree.Assert, tree.Launch, tree.Sync, tree.New, tree.Delete, tree.Alloca, tree.CallPointer, tree.Intrinsic,
    tree.TaskVariable,
)  # fmt: skip
_WRITES = (tree.Assign, tree.CompoundAssign, tree.Increment)


@record
class Obstacle:
    """Why iterations, or copies of a kernel, cannot run at the same time."""

    span: Span
    reason: str


@record
class _Access:
    """Of memory: the variable that leads there, and the indices on the way; None where they are not known."""

    base: tree.VariableSymbol
    indices: tuple[IndexForm, ...] | None
    writes: bool
    span: Span


def has_effect(node: object) -> bool:
    """Does a single node do something whose order is seen, what it writes to a ``place`` aside?"""
    if isinstance(node, tree.Builtin):
        return BUILTINS[node.name].effect not in (Effect.NONE, Effect.HINT)
    return isinstance(node, _IN_ORDER)


def writes(node: object) -> TypeGuard[tree.Assign | tree.CompoundAssign | tree.Increment]:
    """Does a node write its ``place``?"""
    return isinstance(node, _WRITES)


class _Body:
    """A foreach body, or the body of a function that it calls, under analysis."""

    def __init__(self, loop: tree.Foreach, initials: dict[tree.VariableSymbol, tree.Value]) -> None:
        self.loop = loop
        self.reader = IndexReader(initials)
        self.initials = initials
        self.inside: set[tree.VariableSymbol] = set()
        self.accesses: list[_Access] = []
        self.unknown_read: Span | None = None
        self.unmasked = False
        self.found: Obstacle | None = None

    def obstacle(self) -> Obstacle | None:
        self._declared(self.loop.body)
        self._statement(self.loop.body)
        written = {access.base for access in self.accesses if access.writes}
        if written and self.unknown_read is not None:
            self._refuse(self.unknown_read, "it is not known which object this pointer leads to, and others are written")
        for base in sorted(written, key=lambda symbol: symbol.name):
            self._meet([access for access in self.accesses if access.base is base])
        return self.found

    def _declared(self, root: tree.Statement) -> None:
        waiting: list[object] = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, (tree.Declare, tree.ForeachActive | tree.ForeachUnique)):
                self.inside.add(node.symbol)
            waiting += children(node)

    def _refuse(self, span: Span, reason: str) -> None:
        if self.found is None:
            self.found = Obstacle(span, reason)

    def _statement(self, root: object) -> None:
        """Every node below, places with what is done to them."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, tree.Unmasked):
                # Lanes beyond the end of the range run, with indices that belong to other iterations.
                self.unmasked = True
                self._statement(node.body)
                self.unmasked = False
                continue
            if has_effect(node):
                self._refuse(node.span, "what it does here is seen in the order of the iterations")  # type: ignore[attr-defined]
                return
            if isinstance(node, tree.Call):
                self._call(node)
            elif isinstance(node, tree.Builtin) and BUILTINS[node.name].effect is not Effect.HINT:
                self._reads_through(node.arguments, node.span)
            elif writes(node):
                self._place(node.place, True)
                if not isinstance(node, tree.Assign):
                    self._place(node.place, False)
            elif isinstance(node, tree.Load):
                self._place(node.place, False)
            elif isinstance(node, tree.AddressOf) and not _is_offset(node):
                self._address(node)
            waiting += children(node)

    def _place(self, place: tree.Place, writes: bool) -> None:
        root = root_of(place)
        if isinstance(root, tree.Temporary):
            return
        if isinstance(root, tree.Variable):
            symbol = root.symbol
            if symbol in self.inside:
                return
            if symbol.kind in ("local", "parameter"):
                if writes:
                    self._refuse(place.span, f"'{symbol.name}', which is declared outside, is changed")
                return
            self._add(symbol, self._path(place), writes, place.span)
            return
        assert isinstance(root, tree.Deref)
        base = self._pointer_base(root.pointer)
        if base is None:
            if writes:
                self._refuse(place.span, "it is not known which object this pointer leads to")
            self._reads_anything(place.span)
            return
        self._add(base[0], self._path(place), writes, place.span)

    def _reads_anything(self, span: Span) -> None:
        if self.unknown_read is None:
            self.unknown_read = span

    def _add(self, base: tree.VariableSymbol, path: tuple[IndexForm, ...] | None, writes: bool, span: Span) -> None:
        if writes and base.scratchpad:
            self._refuse(span, f"'{base.name}' is in the scratchpad of one core, which other cores do not see")
        self.accesses.append(_Access(base, None if self.unmasked else path, writes, span))

    def _pointer_base(self, pointer: tree.Value) -> tuple[tree.VariableSymbol, IndexForm | None] | None:
        """The variable that a pointer is made of, and how many elements it is beyond."""
        match pointer:
            case tree.PointerOffset():
                found = self._pointer_base(pointer.pointer)
                if found is None:
                    return None
                offset = self.reader.form(pointer.index)
                if found[1] is None or offset is None:
                    return found[0], None
                return found[0], found[1].plus(offset, -1 if pointer.negative else 1)
            case tree.Broadcast():
                return self._pointer_base(pointer.value)
            case tree.Convert() if _is_same_pointer(pointer):
                return self._pointer_base(pointer.value)
            case tree.Load(place=tree.Variable(symbol=symbol)):
                if symbol.kind == "parameter" and not symbol.assigned and not symbol.address_taken:
                    if isinstance(symbol.type.type, Pointer) and symbol.type.rate is UNIFORM:
                        return symbol, constant_form(0)
                    return None
                initial = self.initials.get(symbol)
                return None if initial is None else self._pointer_base(initial)
            case tree.AddressOf(place=tree.Element(aggregate=tree.Variable(symbol=symbol), index=index)):
                if symbol.kind in ("global", "static"):
                    return symbol, self.reader.form(index)
        return None

    def _path(self, place: tree.Place) -> tuple[IndexForm, ...] | None:
        """The indices that lead to a place, the outermost first."""
        match place:
            case tree.Element():
                before = self._path(place.aggregate)
                index = self.reader.form(place.index)
                return None if before is None or index is None else (*before, index)
            case tree.MemberPlace():
                before = self._path(place.struct)
                # Of other members is no index known to be in common with.
                return None if before is None else (*before, constant_form(place.index))
            case tree.Deref():
                found = self._pointer_base(place.pointer)
                return None if found is None or found[1] is None else (found[1],)
            case tree.Variable():
                return ()
        return None

    def _address(self, node: tree.AddressOf) -> None:
        """The address of something goes somewhere: what is done there is not followed."""
        root = root_of(node.place)
        if (isinstance(root, tree.Variable) and root.symbol in self.inside) or isinstance(root, tree.Temporary):
            return
        if isinstance(root, tree.Variable) and root.symbol.kind in ("local", "parameter"):
            # A function that is called may read it; one that writes is refused where it is called.
            return
        if isinstance(root, tree.Variable):
            self._add(root.symbol, None, False, node.span)
        else:
            assert isinstance(root, tree.Deref)
            base = self._pointer_base(root.pointer)
            if base is None:
                self._reads_anything(node.span)
            else:
                self._add(base[0], None, False, node.span)

    def _call(self, node: tree.Call) -> None:
        effects = effects_of(node.function)
        if effects.obstacle:
            self._refuse(node.span, f"'{node.function.name}' {effects.obstacle}")
            return
        for parameter, argument in zip(node.function.parameters, node.arguments):
            if parameter in effects.parameters_written and not is_own(argument, self.inside):
                self._refuse(argument.span, f"'{node.function.name}' may write what this argument points to")
            if parameter in effects.parameters_read:
                self._reads_through((argument,), node.span)
        if effects.reads_elsewhere:
            self._reads_anything(node.span)
        for symbol in effects.globals_read:
            self._add(symbol, None, False, node.span)

    def _reads_through(self, arguments: tuple[tree.Value, ...], span: Span) -> None:
        """What pointers lead to that are handed on."""
        for argument in arguments:
            if not isinstance(argument.type.type, Pointer) or is_own(argument, None):
                continue
            root = _root_of_pointer(argument, self.initials)
            if root is None:
                self._reads_anything(span)
            elif isinstance(root, tree.VariableSymbol):
                self._add(root, None, False, span)
            elif isinstance(root, tree.Variable) and not _is_local(root):
                self._add(root.symbol, None, False, span)

    def _meet(self, accesses: list[_Access]) -> None:
        """Refuses if accesses of one object, some of which write, may meet in different iterations."""
        span = next(access.span for access in accesses if access.writes)
        if not self._have_parts(accesses):
            name = accesses[0].base.name
            self._refuse(span, f"'{name}' is written, and it is not known that each iteration has its own part of it")

    def _have_parts(self, accesses: list[_Access]) -> bool:
        paths = [access.indices for access in accesses if access.indices is not None]
        if len(paths) < len(accesses):
            return False
        for forms in zip(*paths):
            distances = [form.plus(forms[0], -1) for form in forms]
            if any(distance.variables() for distance in distances):
                return False
            offsets = [distance.constant for distance in distances]
            if self._tells_iterations_apart(forms[0], max(offsets) - min(offsets)):
                return True
            if any(offsets) or forms[0].variables():
                return False
        return False

    def _tells_iterations_apart(self, form: IndexForm, spread: int) -> bool:
        """Has the form values more than ``spread`` apart in any two iterations?

        The variable with the constant step s moves it by s; the next one has to move it by at least s
        times the number of values of the first; and so on: ``y * width + x`` with x in 0 ... width.
        """
        moving = {id(dimension.symbol) for dimension in self.loop.dimensions}
        for variable in form.variables() - moving:
            symbol = self.reader.symbols[variable]
            known = symbol.kind in ("local", "parameter") or not symbol.assigned
            if symbol in self.inside or symbol.type.rate is not UNIFORM or not known:
                return False
        left: list[tuple[tree.ForeachDimension, IndexForm]] = []
        for dimension in self.loop.dimensions:
            factor = form.of_variable(id(dimension.symbol))
            if factor is None or not factor.terms:
                return False
            left.append((dimension, factor))
        left.sort(key=lambda item: abs(item[1].constant))
        reach: IndexForm | None = None
        while left:
            place = next((place for place, (_, factor) in enumerate(left) if _steps_over(factor, reach, spread)), None)
            if place is None:
                return False
            dimension, factor = left.pop(place)
            first, last = self.reader.form(dimension.first), self.reader.form(dimension.last)
            if first is None or last is None:
                return not left
            step = factor if factor.variables() else constant_form(abs(factor.constant))
            reach = last.plus(first, -1).times(step)
        return True


def _steps_over(factor: IndexForm, reach: IndexForm | None, spread: int) -> bool:
    """Does a variable move the index by more than others do together? ``reach`` is of those, None without others."""
    if reach is None:
        return not factor.variables() and abs(factor.constant) > spread
    rest = factor.plus(reach, -1)
    return not rest.variables() and rest.constant >= 0


def _is_same_pointer(value: tree.Convert) -> bool:
    """A conversion that is about const only."""
    to, given = value.type.type, value.value.type.type
    if not (isinstance(to, Pointer) and isinstance(given, Pointer)):
        return False
    return to.to.type == given.to.type and to.to.rate is given.to.rate


def _is_offset(node: tree.AddressOf) -> bool:
    """The decay of an array; what is done with the address is looked at where it is used."""
    return isinstance(node.place, tree.Element) and isinstance(node.place.index, tree.Constant)


def root_of(place: tree.Place) -> tree.Place:
    """The object that a place is a part of."""
    while isinstance(place, tree.Element | tree.MemberPlace):
        place = place.aggregate if isinstance(place, tree.Element) else place.struct
    return place


def is_own(argument: tree.Value, variables: set[tree.VariableSymbol] | None) -> bool:
    """Is it the address of one of the variables, or of a fresh object? ``None`` stands for all variables of functions."""
    while isinstance(argument, tree.Convert) and _is_same_pointer(argument):
        argument = argument.value
    if not isinstance(argument, tree.AddressOf):
        return False
    root = root_of(argument.place)
    if isinstance(root, tree.Variable):
        return root.symbol.kind in ("local", "parameter") if variables is None else root.symbol in variables
    return isinstance(root, tree.Temporary)


# --- functions ----------------------------------------------------------------------------------------------------


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
        root = _root_of_pointer(pointer, initials)
        if root is None:
            self.reads_elsewhere = True
        elif isinstance(root, tree.VariableSymbol):
            self.parameters_read.add(root)
        elif not _is_local(root) and not root.storage.const:
            assert isinstance(root, tree.Variable)
            self.globals_read.add(root.symbol)

    def write_through(self, pointer: tree.Value, initials: dict[tree.VariableSymbol, tree.Value]) -> None:
        """It writes what a pointer leads to."""
        root = _root_of_pointer(pointer, initials)
        if isinstance(root, tree.VariableSymbol):
            self.parameters_written.add(root)
        elif root is None or not _is_local(root):
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
    seen = {function}
    waiting: list[object] = [function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Builtin):
            if BUILTINS[node.name].effect in (Effect.ORDERED, Effect.THREADS):
                return True
        elif node is None or (has_effect(node) and not isinstance(node, tree.TaskVariable | tree.Launch | tree.Sync)):
            return True
        if isinstance(node, tree.Call | tree.Launch):
            if not isinstance(node.function, tree.FunctionSymbol):
                return True
            if node.function not in seen:
                seen.add(node.function)
                waiting.append(node.function.body)
        waiting += children(node)
    return False


def _collect(function: tree.FunctionSymbol, known: _Known) -> Effects:
    effects = Effects()
    if function.body is None:
        effects.obstacle = "is defined elsewhere"
        return effects
    waiting: list[object] = [function.body]
    initials = unchanged_variables(function.body)
    while waiting and not effects.obstacle:
        node = waiting.pop()
        if has_effect(node):
            effects.obstacle = "does something that is seen in the order of the calls"
        elif writes(node):
            root = root_of(node.place)
            if isinstance(root, tree.Deref):
                effects.write_through(root.pointer, initials)
            elif not _is_local(root):
                effects.obstacle = "writes memory"
        elif isinstance(node, tree.Load):
            root = root_of(node.place)
            if isinstance(root, tree.Deref):
                effects.read_through(root.pointer, initials)
            elif isinstance(root, tree.Variable) and not _is_local(root) and not root.symbol.type.const:
                effects.globals_read.add(root.symbol)
        elif isinstance(node, tree.Builtin) and BUILTINS[node.name].effect is not Effect.HINT:
            for argument in node.arguments:
                if isinstance(argument.type.type, Pointer):
                    effects.read_through(argument, initials)
        elif isinstance(node, tree.Call):
            _collect_call(node, effects, known, initials)
        waiting += children(node)
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


def _is_local(root: tree.Place) -> bool:
    return isinstance(root, tree.Temporary) or (isinstance(root, tree.Variable) and root.symbol.kind in ("local", "parameter"))


def _root_of_pointer(
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


def unchanged_variables(body: tree.Statement) -> dict[tree.VariableSymbol, tree.Value]:
    """The variables of a function that keep the value they are declared with."""
    found: dict[tree.VariableSymbol, tree.Value] = {}
    waiting: list[object] = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Declare) and isinstance(node.initial, tree.Value):
            if not node.symbol.assigned and not node.symbol.address_taken:
                found[node.symbol] = node.initial
        waiting += children(node)
    return found


def why_dependent(loop: tree.Foreach, initials: dict[tree.VariableSymbol, tree.Value]) -> Obstacle | None:
    """What keeps the iterations of a foreach from running at the same time; None if nothing does.

    ``initials`` are the :func:`unchanged_variables` of the function.
    """
    return _Body(loop, initials).obstacle()
