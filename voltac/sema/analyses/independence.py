"""A foreach statement → whether its iterations may run at the same time, or what speaks against it.

Iterations are independent if they write memory only, if whatever one of them
writes no other one reads or writes, and if they call nothing whose effects are
seen in order (``print``, atomics, ``new`` ...). Two accesses of one array cannot
meet if an index that both have in common, or one that differs from it by less
than its step, has another value in each iteration (the loop's variables count
as the digits of a number, see :func:`tells_iterations_apart`).

Uniform pointers that are parameters point to different objects (language 5.5);
any other pointer may point anywhere. Where nothing is proved the answer is no.
"""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.records import record
from voltac.sema import tree
from voltac.sema.analyses.effects import (
    effects_of,
    has_effect,
    is_local,
    is_own,
    is_same_pointer,
    root_of,
    root_of_pointer,
    writes,
)
from voltac.sema.analyses.index_forms import IndexForm, IndexReader, Product, constant_form
from voltac.sema.builtins import BUILTINS, Effect
from voltac.sema.tree_walk import children, nodes
from voltac.sema.types import UNIFORM, Pointer


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


class ForeachBody:
    """A foreach body, or the body of a function that it calls, under analysis."""

    def __init__(self, loop: tree.Foreach, initials: dict[tree.VariableSymbol, tree.Value]) -> None:
        self.loop = loop
        self.reader = IndexReader(initials)
        self.reader.named = {}
        self.initials = initials
        kinds = (tree.Declare, tree.ForeachActive, tree.ForeachUnique)
        self.inside: set[tree.VariableSymbol] = {node.symbol for node in nodes(loop.body) if isinstance(node, kinds)}
        self.accesses: list[_Access] = []
        self.unknown_read: Span | None = None
        self.unmasked = False
        self.found: Obstacle | None = None

    def obstacle(self) -> Obstacle | None:
        """Why the iterations cannot run at the same time; None if they can."""
        self._statement(self.loop.body)
        written = {access.base for access in self.accesses if access.writes}
        if written and self.unknown_read is not None:
            self._refuse(self.unknown_read, "it is not known which object this pointer leads to, and others are written")
        for base in sorted(written, key=lambda symbol: symbol.name):
            self._meet([access for access in self.accesses if access.base is base])
        return self.found

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
            self._add(symbol, self.path_of(place), writes, place.span)
            return
        assert isinstance(root, tree.Deref)
        base = self.base_of(root.pointer)
        if base is None:
            if writes:
                self._refuse(place.span, "it is not known which object this pointer leads to")
            self._reads_anything(place.span)
            return
        self._add(base[0], self.path_of(place), writes, place.span)

    def _reads_anything(self, span: Span) -> None:
        if self.unknown_read is None:
            self.unknown_read = span

    def _add(self, base: tree.VariableSymbol, path: tuple[IndexForm, ...] | None, writes: bool, span: Span) -> None:
        if writes and base.scratchpad:
            self._refuse(span, f"'{base.name}' is in the scratchpad of one core, which other cores do not see")
        self.accesses.append(_Access(base, None if self.unmasked else path, writes, span))

    def base_of(self, pointer: tree.Value) -> tuple[tree.VariableSymbol, IndexForm | None] | None:
        """The variable that a pointer is made of, and how many elements it is beyond."""
        match pointer:
            case tree.PointerOffset():
                found = self.base_of(pointer.pointer)
                if found is None:
                    return None
                offset = self.reader.form(pointer.index)
                if found[1] is None or offset is None:
                    return found[0], None
                return found[0], found[1].plus(offset, -1 if pointer.negative else 1)
            case tree.Broadcast():
                return self.base_of(pointer.value)
            case tree.Convert() if is_same_pointer(pointer):
                return self.base_of(pointer.value)
            case tree.Load(place=tree.Variable(symbol=symbol)):
                if symbol.kind == "parameter" and not symbol.assigned and not symbol.address_taken:
                    if isinstance(symbol.type.type, Pointer) and symbol.type.rate is UNIFORM:
                        return symbol, constant_form(0)
                    return None
                initial = self.initials.get(symbol)
                return None if initial is None else self.base_of(initial)
            case tree.AddressOf(place=tree.Element(aggregate=tree.Variable(symbol=symbol), index=index)):
                if symbol.kind in ("global", "static"):
                    return symbol, self.reader.form(index)
        return None

    def path_of(self, place: tree.Place) -> tuple[IndexForm, ...] | None:
        """The indices that lead to a place, the outermost first."""
        match place:
            case tree.Element():
                before = self.path_of(place.aggregate)
                index = self.reader.form(place.index)
                return None if before is None or index is None else (*before, index)
            case tree.MemberPlace():
                before = self.path_of(place.struct)
                # Of other members is no index known to be in common with.
                return None if before is None else (*before, constant_form(place.index))
            case tree.Deref():
                found = self.base_of(place.pointer)
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
            base = self.base_of(root.pointer)
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
            root = root_of_pointer(argument, self.initials)
            if root is None:
                self._reads_anything(span)
            elif isinstance(root, tree.VariableSymbol):
                self._add(root, None, False, span)
            elif isinstance(root, tree.Variable) and not is_local(root):
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
            if self.tells_iterations_apart(forms[0], max(offsets) - min(offsets)):
                return True
            if any(offsets) or forms[0].variables():
                return False
        return False

    def tells_iterations_apart(self, form: IndexForm, spread: int = 0) -> bool:
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
        steps: set[Product] = {()}
        while left:
            place = next((place for place, (_, factor) in enumerate(left) if _steps_over(factor, reach, spread, steps)), None)
            if place is None:
                return False
            dimension, factor = left.pop(place)
            if len(factor.terms) == 1 and factor.variables():
                # It is more than what an iteration before it in the order of steps reaches, so it is no less than 0.
                steps |= {product for product, coefficient in factor.terms.items() if coefficient > 0}
            first, last = self.reader.form(dimension.first), self.reader.form(dimension.last)
            if first is None or last is None:
                return not left
            step = factor if factor.variables() else constant_form(abs(factor.constant))
            reach = last.plus(first, -1).times(step)
        return True


def _steps_over(factor: IndexForm, reach: IndexForm | None, spread: int, steps: set[Product]) -> bool:
    """Does a variable move the index by more than others do together? ``reach`` is of those, None without others.

    Where there are iterations, no product of ``steps`` is less than 0.
    """
    if reach is None:
        return not factor.variables() and abs(factor.constant) > spread
    rest = factor.plus(reach, -1)
    return all(coefficient >= 0 and product in steps for product, coefficient in rest.terms.items())


def _is_offset(node: tree.AddressOf) -> bool:
    """The decay of an array; what is done with the address is looked at where it is used."""
    return isinstance(node.place, tree.Element) and isinstance(node.place.index, tree.Constant)


def why_dependent(loop: tree.Foreach, initials: dict[tree.VariableSymbol, tree.Value]) -> Obstacle | None:
    """What keeps the iterations of a foreach from running at the same time; None if nothing does.

    ``initials`` are the :func:`unchanged_variables` of the function.
    """
    return ForeachBody(loop, initials).obstacle()
