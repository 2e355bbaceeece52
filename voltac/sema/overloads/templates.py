"""Function templates (language 10.5): arguments, deduction, instances, specialisations.

An instance is checked anew from the tree as written, in the scope of the file with
the template parameters bound to their arguments: its signature when a call considers
it, its body when a call has chosen it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from voltac.messages.message import NOWHERE, Note, Span
from voltac.sema import tree
from voltac.sema.checker import Checker, Rejected
from voltac.sema.constant_folding import convert
from voltac.sema.declarations import declarators
from voltac.sema.operands import value_of
from voltac.sema.overloads import resolution
from voltac.sema.scopes import ConstantSymbol, FunctionSet, Symbol, TemplateSymbol, TypeSymbol
from voltac.sema.types import (
    BOOL,
    UNBOUND,
    UNIFORM,
    VARYING,
    Array,
    ArrayPattern,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Scalar,
    Type,
    TypeParameter,
    Vector,
    VectorPattern,
)
from voltac.syntax import ast

TemplateArgument = Qual | tree.Constant
Arguments = Sequence[TemplateArgument]
Bindings = dict[str, TemplateArgument]
Key = tuple[Type | Qual | int, ...]

_MOST_INSTANCES = 1000
"""A template that instantiates itself with ever longer types has to end somewhere."""


# --- arguments as written ---------------------------------------------------------------------------------------


def resolve_arguments(checker: Checker, nodes: Sequence[ast.TypeName | ast.Expression]) -> list[TemplateArgument]:
    """Types (varying unless they say otherwise), and constants: integers, bools, enumerators, what is computed of them."""
    found: list[TemplateArgument] = []
    for node in nodes:
        if isinstance(node, ast.TypeName):
            qual = declarators.resolve_type_name(checker, node, VARYING)
            if isinstance(qual.type, (Vector, VectorPattern)):
                checker.reject("template", node.span, f"a vector type such as '{qual}' is not allowed as a template argument")
            found.append(qual)
            continue
        value = value_of(checker, node)
        if not isinstance(value, tree.Constant):
            what = "a variable is neither" if isinstance(value, tree.Load) else "this is neither"
            checker.reject("template", node.span, f"a template argument must be a type or a constant, {what}")
        if isinstance(value.value, float) or not isinstance(value.type.type, (Scalar, Enum)):
            wanted = "a type, an integer, a bool or an enumerator"
            checker.reject("template", node.span, f"a template argument must be {wanted}, not '{value.type}'")
        found.append(value)
    return found


def match_explicit(checker: Checker, template: TemplateSymbol, explicit: Arguments, span: Span) -> Bindings | str:
    """Bind the arguments written out to the first parameters; a text says why they don't fit."""
    parameters = template.declaration.parameters
    if len(explicit) > len(parameters):
        return f"it has {len(parameters)} template parameters, {len(explicit)} arguments are given"
    bindings: Bindings = {}
    for parameter, given in zip(parameters, explicit):
        if parameter.type is None:
            if not isinstance(given, Qual):
                return f"template parameter '{parameter.name}' is a type, a value is given"
            bindings[parameter.name] = given
        else:
            if isinstance(given, Qual):
                return f"template parameter '{parameter.name}' is a value, the type '{given}' is given"
            kind = declarators.resolve_specifiers(checker, parameter.type).qual.type
            value = convert(given.value, given.type.type, kind)
            if value is None or (value != given.value and kind is not BOOL and not isinstance(given.type.type, Enum)):
                return f"template parameter '{parameter.name}' is '{kind}', which does not hold {given.value}"
            bindings[parameter.name] = tree.Constant(span, Qual(kind), value)
    return bindings


# --- deduction --------------------------------------------------------------------------------------------------


def deduce(
    checker: Checker, template: TemplateSymbol, bindings: Bindings, given: Sequence[resolution.Argument]
) -> Bindings | str:
    """Complete the bindings from the arguments of a call."""
    patterns = parameter_patterns(checker, template, bindings)
    least = len(patterns) - sum(one.default is not None for one in _parameters_as_written(template))
    if not least <= len(given) <= len(patterns):
        return f"it takes {len(patterns)} argument{'' if len(patterns) == 1 else 's'}, {len(given)} given"
    explicit = frozenset(bindings)
    found = dict(bindings)
    for number, (pattern, one) in enumerate(zip(patterns, given), 1):
        if one.functions is not None or not _mentions(pattern):
            continue
        if not _match_parameter(pattern, one, found, explicit):
            known = ", ".join(f"{name} is '{value}'" for name, value in found.items() if isinstance(value, Qual))
            wanted = str(pattern).replace("/*unbound*/ ", "")
            where = f", where {known}" if known else ""
            return f"argument {number} of type '{one.qual}' does not fit '{wanted}'{where}"
    for parameter in template.declaration.parameters:
        if parameter.name not in found:
            return f"no argument determines the template parameter '{parameter.name}'; write it out: {template.name}<...>(...)"
    return found


def _parameters_as_written(template: TemplateSymbol) -> tuple[ast.Parameter, ...]:
    declarator: ast.Declarator = template.declaration.declarator
    while not isinstance(declarator, ast.FunctionDeclarator):
        if isinstance(declarator, ast.NameDeclarator):
            return ()
        declarator = declarator.inner
    return declarator.parameters


def parameter_patterns(checker: Checker, template: TemplateSymbol, bindings: Bindings) -> tuple[Qual, ...]:
    """The parameter types with what is not bound yet as :class:`TypeParameter`."""
    open_parameters: Bindings = {}
    for parameter in template.declaration.parameters:
        if parameter.name not in bindings:
            open_parameters[parameter.name] = Qual(TypeParameter(parameter.name), UNBOUND)
    with _Bound(checker, bindings | open_parameters):
        return declarators.parameter_quals(checker, _parameters_as_written(template))


def _mentions(pattern: Qual) -> bool:
    match pattern.type:
        case TypeParameter() | VectorPattern():
            return True
        case Pointer(to) | Reference(to):
            return _mentions(to)
        case ArrayPattern():
            return True
        case Array(element):
            return _mentions(element)
        case FunctionType(result, parameters):
            return any(map(_mentions, (result, *parameters)))
    return False


def _match_parameter(pattern: Qual, given: resolution.Argument, found: Bindings, explicit: frozenset[str]) -> bool:
    if isinstance(pattern.type, Reference):
        return _match(pattern.type.to, given.qual.with_const(False), found, explicit, top=True)
    return _match(pattern, given.decayed.with_const(False), found, explicit, top=True)


def _match(pattern: Qual, given: Qual, found: Bindings, explicit: frozenset[str], top: bool) -> bool:
    """Match one type; ``top`` is the argument itself, where rates are converted rather than equal."""
    kind = pattern.type
    if isinstance(kind, TypeParameter):
        return _bind_type(kind.name, pattern, given, found, explicit, top)
    if isinstance(kind, VectorPattern):
        if not isinstance(given.type, Vector):
            return False
        if isinstance(kind.count, str) and not _bind_value(kind.count, given.type.count, found):
            return False
        if isinstance(kind.count, int) and kind.count != given.type.count:
            return False
        if isinstance(kind.element, TypeParameter):
            element = Qual(kind.element, pattern.rate)
            return _bind_type(kind.element.name, element, Qual(given.type.element, given.rate), found, explicit, top)
        return kind.element == given.type.element
    if isinstance(kind, ArrayPattern):
        if not isinstance(given.type, Array) or given.type.count is None:
            return False
        if kind.count and not _bind_value(kind.count, given.type.count, found):
            return False
        return _match(kind.element, given.type.element, found, explicit, top=False)
    match kind, given.type:
        case Pointer(to), Pointer(other):
            return _match(to, other, found, explicit, top=False)
        case Array(element), Array(other_element):
            return _match(element, other_element, found, explicit, top=False)
        case FunctionType(result, parameters), FunctionType(other_result, other_parameters):
            pairs = zip((result, *parameters), (other_result, *other_parameters))
            return len(parameters) == len(other_parameters) and all(
                _match(one, other, found, explicit, top=False) for one, other in pairs
            )
    return True


def _bind_value(name: str, value: int, found: Bindings) -> bool:
    known = found.get(name)
    if isinstance(known, tree.Constant):
        return known.value == value
    if known is not None:
        return False
    found[name] = tree.Constant(NOWHERE, Qual(Scalar("int", 32)), value)
    return True


def _bind_type(name: str, pattern: Qual, given: Qual, found: Bindings, explicit: frozenset[str], top: bool) -> bool:
    """The table of deduction, and what happens when a parameter is deduced twice."""
    plain = given.with_const(False)
    if pattern.rate is UNIFORM:
        if given.rate is not UNIFORM:
            return False
        deduced = plain.with_rate(VARYING)
    elif pattern.rate is VARYING:
        deduced = plain.with_rate(UNIFORM)
    else:
        deduced = plain if top else (given if not pattern.const else plain)
    known = found.get(name)
    if known is None:
        found[name] = deduced
        return True
    if not isinstance(known, Qual):
        return False
    if name in explicit:
        return True
    if known == deduced:
        return True
    if known.type == deduced.type and known.rate is UNIFORM and deduced.rate is VARYING:
        found[name] = deduced
        return True
    # Once the parameter is varying, a uniform argument is converted to it.
    return top and known.rate is VARYING and (deduced.rate is UNIFORM or pattern.rate is UNIFORM)


# --- instances --------------------------------------------------------------------------------------------------


class _Bound:
    """The file's names with template parameters bound, and none of the local ones of the call."""

    def __init__(self, checker: Checker, bindings: Bindings, chain: tuple[Note, ...] | None = None) -> None:
        """``chain`` tells messages how the compiler came here."""
        self.checker = checker
        self.bindings = bindings
        self.chain = chain

    def __enter__(self) -> None:
        self.outer_chain = self.checker.diagnostics.within
        if self.chain is not None:
            self.checker.diagnostics.within = self.chain
        self.before = self.checker.scopes
        self.checker.scopes = self.before.globals_only()
        self.checker.scopes.push()
        for name, value in self.bindings.items():
            self.checker.scopes.declare(name, _symbol(name, value))

    def __exit__(self, *problem: object) -> None:
        self.checker.scopes.pop()
        self.checker.scopes = self.before
        self.checker.diagnostics.within = self.outer_chain


def _symbol(name: str, value: TemplateArgument) -> Symbol:
    if isinstance(value, Qual):
        return TypeSymbol(name, value, NOWHERE, from_template=True)
    assert not isinstance(value.value, float)
    return ConstantSymbol(name, value.type, value.value, value.span)


def key_of(template: TemplateSymbol, bindings: Bindings) -> Key:
    """What tells the instances of a template apart: its arguments, in order."""
    values = (bindings[parameter.name] for parameter in template.declaration.parameters)
    return tuple(value if isinstance(value, Qual) else int(value.value) for value in values)


def candidates(
    checker: Checker, functions: FunctionSet, given: Sequence[resolution.Argument], explicit: Arguments | None, span: Span
) -> list[tree.FunctionSymbol]:
    """The instances that calls with these arguments may mean; why others don't fit is kept for the message."""
    found = []
    reasons: list[tuple[TemplateSymbol, str]] = []
    for template in functions.templates:
        bindings = match_explicit(checker, template, explicit or (), span)
        if not isinstance(bindings, str):
            bindings = deduce(checker, template, bindings, given)
        if isinstance(bindings, str):
            reasons.append((template, bindings))
        elif template.declaration.body is None and key_of(template, bindings) not in template.instances:
            reasons.append((template, "it is declared but not defined before this call"))
        else:
            found.append(instance(checker, template, bindings, span))
    functions.failures = reasons
    return found


def failures(functions: FunctionSet) -> list[Note]:
    """Why each template did not fit the call considered last."""
    notes = []
    for template, reason in functions.failures:
        names = ", ".join(parameter.name for parameter in template.declaration.parameters)
        text = f"candidate: template {template.name}<{names}>: {reason}"
        notes.append(Note(template_place(template), text, "candidate", excerpt=False))
    return notes


def template_place(template: TemplateSymbol) -> Span:
    """Where the name of a template stands in its declaration."""
    declarator: ast.Declarator = template.declaration.declarator
    while not isinstance(declarator, ast.NameDeclarator):
        declarator = declarator.inner
    return declarator.span


def instance(checker: Checker, template: TemplateSymbol, bindings: Bindings, span: Span) -> tree.FunctionSymbol:
    """The function of a template for these arguments: its signature. ``span`` is what asks for it."""
    key = key_of(template, bindings)
    known = template.instances.get(key)
    if known is None:
        if len(template.instances) >= _MOST_INSTANCES:
            checker.reject(
                "template", template.declaration.span, f"template '{template.name}' has more than {_MOST_INSTANCES} instances"
            )
        with _Bound(checker, bindings, _link(checker, template, bindings, span)):
            known = checker.make_instance(template, bindings)
        template.instances[key] = known
    return known


_LONGEST_CHAIN = 8
"""Instances shown of a template that uses itself again and again."""


def _link(checker: Checker, template: TemplateSymbol, bindings: Bindings, span: Span) -> tuple[Note, ...]:
    """The chain of instances for messages about an instance that is asked for here."""
    values = (bindings[parameter.name] for parameter in template.declaration.parameters)
    shown = ", ".join(str(value) if isinstance(value, Qual) else str(value.value) for value in values)
    note = Note(span, f"in the instance '{template.name}<{shown}>' of the template, asked for here", "template")
    return (note, *checker.diagnostics.within[: _LONGEST_CHAIN - 1])


def demand(checker: Checker, function: tree.FunctionSymbol, span: Span) -> tree.FunctionSymbol:
    """A call has chosen the function: the body of a template instance is checked after the function at hand."""
    request = checker.instance_bodies.pop(function, None)
    if request is not None:
        checker.pending.append(request(span))
    return function


def body_checker(
    checker: Checker, template: TemplateSymbol, bindings: Bindings, action: Callable[[], None]
) -> Callable[[Span], Callable[[], None]]:
    """What is to be done in the scope of an instance once it is asked for; it is given the place that asks."""

    def request(span: Span) -> Callable[[], None]:
        chain = _link(checker, template, bindings, span)

        def check() -> None:
            with suppress(Rejected), _Bound(checker, bindings, chain):
                action()

        return check

    return request


def instance_parameters(checker: Checker, template: TemplateSymbol, bindings: Bindings) -> tuple[Qual, ...]:
    """The parameter types of an instance."""
    with _Bound(checker, bindings):
        return declarators.parameter_quals(checker, _parameters_as_written(template))
