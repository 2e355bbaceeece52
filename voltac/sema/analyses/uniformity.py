"""Stores and conditions of a function → warnings about rates: uniform stores under masks, variables that vary for nothing.

A local declared without ``uniform`` or ``varying`` varies. It could be uniform if every value it
gets is uniform, supposed that such variables are, and no store to it is under control flow that
varies even then: the largest set of variables for which this holds is found by leaving out, from
all of them, what contradicts until nothing does.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.messages.message import Note, Span
from voltac.sema import tree
from voltac.sema.checked_function import FOREACH_KINDS, Candidate, CheckedFunction, EnclosingStatement, Store
from voltac.sema.checker import Checker
from voltac.sema.operands import root_variable
from voltac.sema.types import UNIFORM, VARYING, Enum, Pointer, Qual, Scalar

_MOST_FRAMES = 50
"""Statements around a store, and jumps out of a statement, that are told apart."""


def note_declaration(checker: Checker, symbol: tree.VariableSymbol, initial: tree.Initializer | None, implicit: bool) -> None:
    """A local was declared; ``implicit``: without a rate."""
    function = checker.function
    if function is None or checker.is_library:
        return
    depth = len(function.frames)
    if depth:
        function.depths[symbol] = depth
    if implicit and isinstance(symbol.type.type, (Scalar, Enum)) and not symbol.is_reference:
        if initial is None or isinstance(initial, tree.Value):
            stores = [] if initial is None else [Store(initial, ())]
            loop = function.frames[-1] if depth and function.frames[-1].declares else None
            function.candidates[symbol] = Candidate(symbol, depth, stores, loop)


def note_store(checker: Checker, place: tree.Place, value: tree.Value | None, span: Span) -> None:
    """Something was assigned or stepped."""
    function = checker.function
    if function is None or checker.is_library:
        return
    root = root_variable(place)
    if place.address_rate is UNIFORM and place.storage.rate is UNIFORM:
        if function.frames:
            _warn_uniform_store(checker, function, value, root, span)
        return
    if type(place) is tree.Variable:
        candidate = function.candidates.get(place.symbol)
        if candidate is not None:
            if len(function.frames) - candidate.depth > _MOST_FRAMES:
                del function.candidates[place.symbol]
                return
            candidate.stores.append(Store(value, tuple(function.frames[candidate.depth :])))


# --- uniform stores ---------------------------------------------------------------------------------------------


def _warn_uniform_store(
    checker: Checker, function: CheckedFunction, value: tree.Value | None, root: tree.VariableSymbol | None, span: Span
) -> None:
    """A store that happens once if any lane takes the path, to something that outlives the path."""
    depth = function.depths.get(root, 0) if root is not None else 0
    around: EnclosingStatement | None = None
    for frame in function.frames[depth:]:
        if frame.kind in FOREACH_KINDS or frame.kind == "unmasked":
            around = None
        elif frame.varying and around is None:
            around = frame
    if around is None or any(map(_picks_a_lane, function.frames)) or _joins_lanes(value):
        return
    what = f"'{root.name}' is uniform: it changes" if root is not None else "this place is uniform: it is stored to"
    remedy = "make it varying, or test 'any(...)' to say that this is meant"
    checker.warning(
        "uniform-store",
        span,
        f"{what} for all lanes as soon as one lane takes this path; {remedy}",
        None if around.test is None else Note(around.test.span, f"this varying {around.kind} decides which lanes take it"),
    )


def _picks_a_lane(frame: EnclosingStatement) -> bool:
    """``if (programIndex == 0)``: that one lane does it for all is meant."""
    if frame.picks_a_lane is None:
        frame.picks_a_lane = any(type(node) is tree.ProgramIndex for node in _values(frame.test))
    return frame.picks_a_lane


def _joins_lanes(value: tree.Value | None) -> bool:
    """A value made of those of the active lanes, as sums and counts are, is stored once on purpose."""
    for node in _values(value):
        if isinstance(node, tree.Call):
            if any(_is_of_lanes(one.type) for one in node.arguments) or (node.function.library and not node.arguments):
                return True
    return False


def _is_of_lanes(qual: Qual) -> bool:
    return qual.rate is VARYING or (isinstance(qual.type, Pointer) and qual.type.to.rate is VARYING)


# --- variables that vary for nothing ----------------------------------------------------------------------------


def warn_about_rates(checker: Checker, function: CheckedFunction) -> None:
    """At the end of a body without mistakes."""
    if not function.candidates or "uniform" in checker.diagnostics.disabled:
        return
    could = _could_be_uniform(function.candidates)
    told: set[tree.VariableSymbol] = set()
    for frame in function.tests if could else ():
        assert frame.test is not None
        if not _is_uniform(frame.test, could):
            continue
        for symbol in _variables(frame.test):
            if symbol in could and symbol not in told:
                told.add(symbol)
                makes = f"and makes the {frame.kind} in line {frame.test.span.line} varying"
                what = f"varies only because 'uniform' is not written, {makes}"
                _warn(checker, "uniform", symbol, what, Note(frame.test.span, "this condition would be uniform"))
    for symbol, candidate in could.items():
        if symbol not in told:
            constant = len(candidate.stores) == 1 and isinstance(candidate.stores[0].value, tree.Constant)
            what = "varies only because 'uniform' is not written: every value it gets is uniform"
            _warn(checker, "uniform-constant" if constant else "uniform", symbol, what)


def _warn(checker: Checker, switch: str, symbol: tree.VariableSymbol, what: str, *notes: Note) -> None:
    remedy = f"declare it 'uniform {symbol.type.type} {symbol.name}'"
    checker.warning(switch, symbol.span, f"'{symbol.name}' {what}; {remedy}", *notes)


def _could_be_uniform(candidates: dict[tree.VariableSymbol, Candidate]) -> dict[tree.VariableSymbol, Candidate]:
    could = {symbol: one for symbol, one in candidates.items() if one.stores and not symbol.address_taken}
    for _ in range(_MOST_ROUNDS):
        before = len(could)
        for symbol, one in list(could.items()):
            left = one.loop is not None and _varies(one.loop, could)
            if left or not all(_fits(store, could) for store in one.stores):
                del could[symbol]
        if len(could) == before:
            return could
    return {}


_MOST_ROUNDS = 20
"""Each but the last removes a variable. If so many do not end it, nothing is said: it is only a hint."""
_Could = dict[tree.VariableSymbol, Candidate]


def _fits(store: Store, could: _Could) -> bool:
    if store.value is not None and not _is_uniform(store.value, could):
        return False
    return not any(_diverges(frame, could) for frame in store.frames)


def _diverges(frame: EnclosingStatement, could: _Could) -> bool:
    """Whether some lanes may be off inside, though all were on before."""
    if frame.kind in FOREACH_KINDS or len(frame.exits) > _MOST_FRAMES or _varies(frame, could):
        return True
    return any(_varies(one, could) for exit in frame.exits for one in exit)


def _varies(frame: EnclosingStatement, could: _Could) -> bool:
    return frame.varying and (frame.test is None or not _is_uniform(frame.test, could))


def _is_uniform(node: tree.Value, could: _Could) -> bool:
    """Whether a value would be uniform if the variables were."""
    if node.type.rate is UNIFORM:
        return True
    match node:
        case tree.Constant() | tree.Broadcast():
            return True
        case tree.Load(place=place):
            return _is_uniform_place(place, could)
        case tree.Convert(value=value) | tree.Splat(value=value) | tree.Unary(operand=value) | tree.Swizzle(value=value):
            return _is_uniform(value, could)
        case tree.Binary(left=left, right=right) | tree.Logical(left=left, right=right):
            return _is_uniform(left, could) and _is_uniform(right, could)
        case tree.PointerOffset(pointer=left, index=right):
            return _is_uniform(left, could) and _is_uniform(right, could)
        case tree.Conditional(test=test, then=then, otherwise=otherwise):
            return all(_is_uniform(one, could) for one in (test, then, otherwise))
    return False


def _is_uniform_place(place: tree.Place, could: _Could) -> bool:
    match place:
        case tree.Variable(symbol=symbol):
            return symbol in could or place.storage.rate is UNIFORM
        case tree.Element(aggregate=aggregate, index=index):
            return place.storage.rate is UNIFORM and _is_uniform_place(aggregate, could) and _is_uniform(index, could)
        case tree.MemberPlace(struct=struct):
            return place.storage.rate is UNIFORM and _is_uniform_place(struct, could)
        case tree.Deref(pointer=pointer):
            return place.storage.rate is UNIFORM and _is_uniform(pointer, could)
    return False


def _variables(root: tree.Value) -> Iterator[tree.VariableSymbol]:
    for node in _values(root):
        if type(node) is tree.Variable:
            yield node.symbol


def _values(root: object) -> Iterator[tree.Value | tree.Place]:
    pending: list[object] = [root]
    while pending:
        here = pending.pop()
        if isinstance(here, (tree.Value, tree.Place)):
            yield here
            pending.extend([getattr(here, name) for name in type(here).__match_args__])
        elif type(here) is tuple:
            pending.extend(here)


def note_exit(frame: EnclosingStatement, between: list[EnclosingStatement]) -> None:
    """A break or continue out of a statement, from inside those between."""
    if len(frame.exits) <= _MOST_FRAMES and any(one.varying for one in between):
        frame.exits.append(tuple(between[:_MOST_FRAMES]))


def note_test(checker: Checker, frame: EnclosingStatement, test: tree.Value | None) -> None:
    """The condition of a statement is known."""
    frame.test = test
    frame.varying = test is not None and test.type.rate is VARYING
    if frame.varying and checker.function is not None:
        checker.function.tests.append(frame)
