"""Overload resolution: the costs (language 6.3), the choice, and messages that say why a candidate does not fit."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.messages.message import Note, Span
from voltac.records import record
from voltac.sema import tree
from voltac.sema.checker import Checker, Operand, Rejected
from voltac.sema.conversions import IMPLICIT, argument_remedy, is_null, obstacle
from voltac.sema.operands import fitting_functions, is_reference, operand_qual
from voltac.sema.scopes import FunctionSet
from voltac.sema.types import (
    UNIFORM,
    VARYING,
    VOID_QUAL,
    Array,
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Scalar,
    same_but_const,
    same_type,
)

_NOT_CONSTANT = 512
"""A conversion of a value costs this many times that of a constant."""


@record
class Argument:
    """What resolution knows of an argument; hashable, so that decisions can be remembered."""

    qual: Qual
    is_reference: bool
    is_constant: bool
    is_null: bool
    functions: FunctionSet | None = None
    pointer: Qual | None = None
    """What an array becomes."""
    is_index: bool = False
    """Computed of a built-in index or count."""

    @property
    def decayed(self) -> Qual:
        """The type with arrays and functions as pointers."""
        return self.pointer or self.qual

    def __str__(self) -> str:
        if self.functions is not None:
            return f"function '{self.functions.name}'"
        return f"{self.qual} &" if self.is_reference else str(self.qual)


_NULL = Qual(Pointer(VOID_QUAL))
_NO_TYPE = Qual(FunctionType(Qual(Pointer(Qual(Scalar("int", 8)))), ()))


def argument(operand: Operand) -> Argument:
    """An operand as overload resolution sees it (6.3)."""
    if isinstance(operand, FunctionSet):
        if len(operand.functions) == 1 and not operand.templates:
            return Argument(Qual(Pointer(Qual(operand.functions[0].type))), False, True, False)
        return Argument(_NO_TYPE, False, True, False, operand)
    constant = type(operand) is tree.Constant
    null = constant and isinstance(operand, tree.Value) and is_null(operand)
    if null and isinstance(operand, tree.Value) and isinstance(operand.type.type, Pointer):
        # A null pointer with a type of its own, from a cast, is no NULL that fits every pointer equally well.
        null = operand.type == _NULL
    pointer = None
    if isinstance(operand, tree.Place) and isinstance(operand.storage.type, Array):
        pointer = Qual(Pointer(operand.storage.type.element), operand.address_rate)
    return Argument(operand_qual(operand), is_reference(operand), constant, null, None, pointer, _is_index(operand))


_MOST_NODES = 16
"""Nodes of an argument that are looked at."""
_INTEGERS = ("int", "uint")


def _is_index(operand: Operand) -> bool:
    """Whether an integer is computed of a built-in index or count: ``taskIndex``, ``2 * taskIndex + 1``."""
    nodes: list[object] = [operand]
    for _ in range(_MOST_NODES):
        if not nodes:
            break
        match nodes.pop():
            case tree.TaskVariable() | tree.ProgramIndex():
                return True
            case tree.Value(_, Qual(Scalar(kind))) as value if kind in _INTEGERS:
                if isinstance(value, tree.Binary):
                    nodes += (value.left, value.right)
                elif isinstance(value, tree.Unary):
                    nodes.append(value.operand)
                elif isinstance(value, tree.Convert | tree.Broadcast):
                    nodes.append(value.value)
                elif isinstance(value, tree.Conditional):
                    nodes += (value.then, value.otherwise)
    return False


def is_widening(source: Scalar, target: Scalar) -> bool:
    """Conversions that keep every value, roughly: signedness does not count."""
    if source.kind == "bool":
        return True
    if target.kind == "bool":
        return False
    if source.is_integer:
        if source.bits <= 16:
            return not target.is_integer or target.bits >= source.bits
        return target.is_integer and target.bits >= source.bits
    return target.kind == "float" and target.bits >= source.bits


def cost(given: Argument, parameter: Qual) -> int | None:
    """The table of section 6.3 of the language in units of k; None if the conversion is impossible."""
    if given.functions is not None:
        target = parameter.type.to.type if isinstance(parameter.type, Pointer) else None
        fitting = fitting_functions(given.functions, target) if isinstance(target, FunctionType) else []
        return int(fitting[0].type != target) if fitting else None
    if isinstance(parameter.type, Reference):
        to = parameter.type.to
        if not same_type(given.qual, to) or (given.qual.const and not to.const and not given.is_constant):
            return None
        if given.is_reference and given.qual == to:
            return 0
        return 4 if to.const and not given.qual.const else 2
    base = 2 if given.is_reference else 0
    source = given.decayed
    if source == parameter:
        return base
    if given.is_null and isinstance(parameter.type, Pointer):
        return 0
    same_rate = source.rate is parameter.rate
    if same_rate and source.type == parameter.type:
        return base + 1
    if not same_rate and not (source.rate is UNIFORM and parameter.rate is VARYING):
        return None
    if source.type == parameter.type:
        return base + 16
    if isinstance(source.type, Scalar) and isinstance(parameter.type, Scalar):
        if is_widening(source.type, parameter.type):
            return base + (8 if same_rate else 128)
        return base + (64 if same_rate else 192)
    if obstacle(source, parameter, IMPLICIT):
        return None
    if (
        isinstance(source.type, Pointer)
        and isinstance(parameter.type, Pointer)
        and same_type(source.type.to, parameter.type.to)
    ):
        return base + (1 if same_rate else 16)
    return base + (64 if same_rate else 192)


def costs(given: Sequence[Argument], function: tree.FunctionSymbol) -> list[int] | None:
    """What each argument costs; None if the function does not accept them."""
    parameters = function.type.parameters
    if len(given) > len(parameters):
        return None
    if len(given) < len(parameters) and (not function.defaults or function.defaults[len(given)] is None):
        return None
    found = []
    for one, parameter in zip(given, parameters):
        units = cost(one, parameter)
        if units is None:
            return None
        found.append(units if one.is_constant else units * _NOT_CONSTANT)
    return found


@record
class Decision:
    """The function chosen, or what to say instead; ``warning`` if the choice is not clear."""

    function: tree.FunctionSymbol | None
    error: str = ""
    warning: str = ""
    notes: tuple[Note, ...] = ()
    """The candidates, each with why it was rejected."""


def choose(name: str, candidates: Sequence[tree.FunctionSymbol], given: Sequence[Argument]) -> Decision:
    """Pick the candidate of the smallest sum of costs."""
    viable: list[tuple[int, tree.FunctionSymbol, list[int]]] = []
    for function in candidates:
        found = costs(given, function)
        if found is not None:
            viable.append((sum(found), function, found))
    if not viable:
        return _no_match(name, candidates, given)
    smallest = min(total for total, _, _ in viable)
    best = [entry for entry in viable if entry[0] == smallest]
    if len(best) > 1:
        plain = [entry for entry in best if not entry[1].weak]
        if first := _of_first_type([entry[1] for entry in best], given):
            text = f"several overloads of '{name}' fit this call equally; that of its first argument's type is called\n"
            return Decision(first, warning=text + passed(given), notes=_listed([entry[1] for entry in best]))
        if len(plain) != 1:
            text = f"the call of '{name}' fits several overloads equally; cast the arguments to the types you mean\n"
            return Decision(None, text + passed(given), notes=_listed([entry[1] for entry in best]))
        best = plain
    _, chosen, own = best[0]
    rivals = [
        function
        for _, function, found in viable
        if function is not chosen and any(other < mine for other, mine in zip(found, own))
    ]
    if rivals:
        text = f"the choice among the overloads of '{name}' is not clear; cast the arguments to the types you mean\n"
        return Decision(chosen, warning=text + passed(given), notes=(_chosen(chosen), *_listed(rivals)))
    return Decision(chosen)


def _of_first_type(best: Sequence[tree.FunctionSymbol], given: Sequence[Argument]) -> tree.FunctionSymbol | None:
    """Of equal library functions, called with a built-in index or count, that for the first argument's type (language 16.1)."""
    if not any(one.is_index for one in given) or not all(function.library for function in best):
        return None
    fitting = [function for function in best if function.type.parameters[0].type == given[0].qual.type]
    return fitting[0] if len(fitting) == 1 else None


def signature(function: tree.FunctionSymbol) -> str:
    """``float f(varying int32 a)``: result, name, parameters."""
    names = [symbol.name for symbol in function.parameters] or [""] * len(function.type.parameters)
    shown = ", ".join(f"{qual} {name}".rstrip() for qual, name in zip(function.type.parameters, names))
    return f"{function.type.result} {function.name}({shown})"


def passed(given: Sequence[Argument]) -> str:
    """The types of the arguments, as a line of their own."""
    return f"  Passed types: ({', '.join(map(str, given))})"


def _candidate(function: tree.FunctionSymbol, text: str) -> Note:
    return Note(function.span, f"{text}: {signature(function)}", "candidate", excerpt=False)


def _chosen(function: tree.FunctionSymbol) -> Note:
    return _candidate(function, "this one is called")


def _listed(functions: Sequence[tree.FunctionSymbol]) -> tuple[Note, ...]:
    return tuple(_candidate(function, "candidate") for function in functions)


_MOST_LISTED = 8
"""Candidates of one message: chosen, so that the program's own are seen; of library functions there are up to 24."""


def _no_match(name: str, candidates: Sequence[tree.FunctionSymbol], given: Sequence[Argument]) -> Decision:
    """The candidates, each with its reason; those of the right number of parameters first. One reason for all is told once."""
    if len(candidates) == 1:
        function = candidates[0]
        text = f"'{name}' does not accept these arguments: {_why_not(function, given, alone=True)}\n{passed(given)}"
        return Decision(None, text, notes=(_candidate(function, "declared here"),))
    ordered = sorted(candidates, key=lambda function: not _takes(function, len(given)))
    reasons = {_why_not(function, given) for function in candidates}
    if len(reasons) == 1 and not _takes(ordered[0], len(given)):
        text = f"'{name}' does not accept these arguments: {reasons.pop()}\n{passed(given)}"
        return Decision(None, text, notes=_listed(candidates[:1]))
    listed = ordered[:_MOST_LISTED]
    notes = tuple(
        Note(function.span, f"candidate: {signature(function)}: {_why_not(function, given)}", "candidate", excerpt=False)
        for function in listed
    )
    more = f" ({len(listed)} of {len(candidates)} are listed)" if len(listed) < len(candidates) else ""
    return Decision(None, f"no overload of '{name}' accepts these arguments{more}\n{passed(given)}", notes=notes)


def _takes(function: tree.FunctionSymbol, count: int) -> bool:
    parameters = function.type.parameters
    return len(parameters) - sum(default is not None for default in function.defaults) <= count <= len(parameters)


def _why_not(function: tree.FunctionSymbol, given: Sequence[Argument], alone: bool = False) -> str:
    """Of a function that is ``alone`` also what to do about it: of several it would be said again and again."""
    parameters = function.type.parameters
    least = len(parameters) - sum(default is not None for default in function.defaults)
    if not least <= len(given) <= len(parameters):
        wanted = str(least) if least == len(parameters) else f"{least} to {len(parameters)}"
        return f"it takes {wanted} argument{'' if wanted == '1' else 's'}, {len(given)} given"
    for number, (one, parameter) in enumerate(zip(given, parameters), 1):
        if cost(one, parameter) is None:
            if one.functions is not None:
                return f"argument {number}: no overload of '{one.functions.name}' has the type '{parameter}'"
            if isinstance(parameter.type, Reference):
                return f"argument {number}: a reference '{parameter}' does not bind to{_why_not_bound(one, parameter.type.to)}"
            reason = obstacle(one.decayed, parameter, IMPLICIT)
            remedy = argument_remedy(reason) if alone else ""
            return f"argument {number}: '{one.decayed}' does not convert to '{parameter}': {reason}{remedy}"
    return "it does not fit"


def _why_not_bound(given: Argument, to: Qual) -> str:
    """What an argument is that a reference does not bind to, and what to do about it."""
    if not same_but_const(given.qual.type, to.type):
        return f" '{given.qual}'"
    if to.rate is UNIFORM and given.qual.rate is VARYING:
        return f" a varying location of type '{given.qual}'"
    if to.rate is VARYING and given.qual.rate is UNIFORM:
        return f" '{given.qual}', which is uniform; copy it to a varying variable"
    return f" '{given.qual}'" + (", which is const" if given.qual.const and not to.const else "")


def resolve(checker: Checker, functions: FunctionSet, given: Sequence[Argument], span: Span) -> tree.FunctionSymbol:
    """The ordinary function to call; templates are added by the caller."""
    decision = functions.resolved.get(tuple(given))
    if not isinstance(decision, Decision):
        decision = choose(functions.name, functions.functions, given)
        functions.resolved[tuple(given)] = decision
    return accept(checker, functions, decision, span)


def accept(
    checker: Checker, functions: FunctionSet, decision: Decision, span: Span, more: Sequence[Note] = ()
) -> tree.FunctionSymbol:
    """Report what a decision says, and hand out its function; ``more`` are the templates that did not fit."""
    if decision.function is None and functions.mistaken:
        raise Rejected
    if decision.function is None:
        checker.reject("no-overload", span, decision.error, *decision.notes, *more)
    if decision.warning:
        checker.warning("ambiguous", span, decision.warning, *decision.notes)
    return decision.function
