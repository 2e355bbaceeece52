"""Calls: from a set of functions and operands to a :class:`tree.Call` with every argument converted."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.attributes import SHARES_WORK, SLOW_UNLESS_CONSTANT, argument_of
from voltac.sema.checker import Checker, Operand, Rejected, declared_here
from voltac.sema.conversions import convert
from voltac.sema.operands import address_of, convert_operand, temporary, to_value
from voltac.sema.overloads import resolution, templates
from voltac.sema.overloads.by_constant import call_by_constant
from voltac.sema.scopes import FunctionSet, Poisoned
from voltac.sema.types import UNIFORM, VARYING, FunctionType, Pointer, Qual, Reference, Struct, Void, same_type


def call_set(
    checker: Checker,
    functions: FunctionSet,
    operands: Sequence[Operand],
    span: Span,
    explicit: templates.Arguments | None = None,
) -> Operand:
    """Resolve a call by name. ``explicit`` are template arguments that were written out."""
    function = choose_function(checker, functions, operands, span, explicit)
    if function.task:
        text = f"task '{function.name}' has to be started with launch, it cannot be called"
        checker.reject("task", span, text, declared_here(function, "is declared here"))
    return build_call(checker, function, operands, span)


def choose_function(
    checker: Checker,
    functions: FunctionSet,
    operands: Sequence[Operand],
    span: Span,
    explicit: templates.Arguments | None = None,
) -> tree.FunctionSymbol:
    """The overload or template instance for a call (6.3, 10.5); if none or several fit, an error lists the candidates."""
    given = [resolution.argument(operand) for operand in operands]
    if not functions.templates and explicit is None:
        return resolution.resolve(checker, functions, given, span)
    candidates = [] if explicit is not None else list(functions.functions)
    candidates += templates.candidates(checker, functions, given, explicit, span)
    if explicit is not None and not functions.templates:
        checker.reject("template", span, f"'{functions.name}' is no template, so it takes no template arguments")
    if not candidates and functions.mistaken:
        raise Rejected
    if not candidates:
        text = f"no overload of '{functions.name}' accepts these arguments"
        if len(functions.failures) == 1:
            text = f"template '{functions.name}' does not accept these arguments: {functions.failures[0][1]}"
        checker.reject("no-overload", span, f"{text}\n{resolution.passed(given)}", *templates.failures(functions))
    decision = resolution.choose(functions.name, candidates, given)
    chosen = resolution.accept(checker, functions, decision, span, () if decision.function else templates.failures(functions))
    return templates.demand(checker, chosen, span)


def build_call(checker: Checker, function: tree.FunctionSymbol, operands: Sequence[Operand], span: Span) -> Operand:
    """The call of a function that was chosen."""
    _warn_about_use(checker, function, span)
    arguments = convert_arguments(checker, function.name, function.type, operands, span, function.defaults)
    if function.library:
        function, arguments = call_by_constant(checker, function, arguments)
        checker.demand_body(function)
        if function.attributes and checker.function is not None and argument_of(function, SHARES_WORK) is not None:
            checker.function.sharing.add(function.name)
    if SLOW_UNLESS_CONSTANT in function.attributes and type(arguments[-1]) is not tree.Constant:
        checker.performance_warning(span, f"{function.name} by an amount that is not constant is slow")
    return call_result(tree.Call(span, result_qual(function.type), function, tuple(arguments)), function.type)


def result_qual(function: FunctionType) -> Qual:
    """The type of a call node: a reference is a pointer."""
    result = function.result
    if isinstance(result.type, Reference):
        return Qual(Pointer(result.type.to))
    return result.with_const(False)


def call_result(call: tree.Call | tree.CallPointer, function: FunctionType) -> Operand:
    """What a call yields: a value, or the place that a returned reference leads to."""
    if isinstance(function.result.type, Reference):
        return tree.deref(call, call.span, of_reference=True)
    return call


def convert_arguments(
    checker: Checker,
    name: str,
    function: FunctionType,
    operands: Sequence[Operand],
    span: Span,
    defaults: Sequence[tree.Value | None] = (),
) -> list[tree.Value]:
    """``span`` is the call: operands that are functions have no place of their own."""
    arguments = []
    for number, (operand, parameter) in enumerate(zip(operands, function.parameters), 1):
        place = f"argument {number} of '{name}'"
        here = span if isinstance(operand, FunctionSet) else operand.span
        if isinstance(parameter.type, Reference):
            arguments.append(reference_argument(checker, operand, parameter.type.to, place, here))
        else:
            arguments.append(convert_operand(checker, operand, parameter, place, here))
    for default in defaults[len(operands) :]:
        assert default is not None
        arguments.append(default)
    return arguments


def reference_argument(checker: Checker, operand: Operand, target: Qual, place: str, span: Span) -> tree.Value:
    """The address of the argument; a value is put into a temporary."""
    if isinstance(operand, FunctionSet):
        checker.reject("reference-binding", span, f"{place}: a function cannot be bound to '{target} &'")
    if isinstance(operand, tree.Value):
        value = convert(checker, operand, target, place)
        return address_of(temporary(value), operand.span)
    if operand.address_rate is VARYING:
        checker.reject(
            "reference-binding",
            operand.span,
            f"{place}: a varying location cannot be passed for the reference '{target} &'; copy it to a variable",
        )
    if not same_type(operand.storage, target):
        checker.reject(
            "reference-binding", operand.span, f"{place}: a reference '{target} &' does not bind to '{operand.storage}'"
        )
    pointer = address_of(operand, operand.span)
    wanted = Qual(Pointer(target))
    return pointer if pointer.type == wanted else tree.Convert(operand.span, wanted, pointer)


def _warn_about_use(checker: Checker, function: tree.FunctionSymbol, span: Span) -> None:
    if function.exported:
        if function.external_only or not checker.options.internal_export_functions:
            text = f"exported function '{function.name}' has no version that can be called here; call one that is not exported"
            checker.reject("call", span, text, declared_here(function, "is declared here"))
        checker.warning(
            "export",
            span,
            f"exported function '{function.name}' is called from the program itself, which a later language level may refuse; "
            "call a function that is not exported, or mark it external_only and use --no-internal-export-functions to find "
            "such calls",
        )
    for attribute in function.attributes:
        if attribute == "deprecated" or attribute.startswith("deprecated:"):
            text = attribute.partition(":")[2]
            checker.warning(
                "deprecated",
                span,
                f"function '{function.name}' is deprecated" + (f": {text}" if text else ""),
                declared_here(function, "is declared here"),
            )


def call_pointer(checker: Checker, operand: Operand, operands: Sequence[Operand], span: Span) -> Operand:
    """A call through a function pointer."""
    pointer = to_value(checker, operand, span)
    kind = pointer.type.type
    if not isinstance(kind, Pointer) or not isinstance(kind.to.type, FunctionType):
        checker.reject(
            "call", span, f"only functions and function pointers can be called, a value of type '{pointer.type}' is no function"
        )
    function = kind.to.type
    if function.task:
        checker.reject("task", span, "a task has to be started with launch, it cannot be called")
    if len(operands) != len(function.parameters):
        checker.reject(
            "call", span, f"the function pointed to takes {len(function.parameters)} arguments, {len(operands)} given"
        )
    result = result_qual(function)
    if pointer.type.rate is VARYING and not isinstance(result.type, Void) and result.rate is UNIFORM:
        checker.reject("call", 
            span, f"a varying function pointer with a uniform result cannot be called: its type is '{pointer.type}'; "
            "the functions called may disagree"
        )  # fmt: skip
    arguments = convert_arguments(checker, "the function pointer", function, operands, span)
    return call_result(tree.CallPointer(span, result, pointer, tuple(arguments)), function)


def call_operator(checker: Checker, symbol: str, operands: Sequence[Operand], span: Span) -> Operand | None:
    """The call of an overloaded operator if an operand is a struct; None leaves the built-in meaning.

    Assignment and unary plus are built in for structs, the others are not: where a program defines them, one has to fit.
    """
    for operand in operands:
        if isinstance(operand, tree.Value):
            kind = operand.type.type
        elif isinstance(operand, tree.Place):
            kind = operand.storage.type
            if type(kind) is Struct and operand.storage.rate.kind == "soa" and symbol != "=":
                checker.reject("operand", span, f"operator '{symbol}' is not available for '{operand.storage}'; copy it first")
        else:
            continue
        if type(kind) is Struct:
            break
    else:
        return None
    functions = checker.scopes.find("operator" + symbol)
    if type(functions) is Poisoned:
        raise Rejected
    if type(functions) is not FunctionSet:
        return None
    given = [resolution.argument(operand) for operand in operands]
    candidates = list(functions.functions)
    if functions.templates:
        candidates += templates.candidates(checker, functions, given, None, span)
    built_in = symbol == "=" or (symbol == "+" and len(operands) == 1)
    if built_in and not any(resolution.costs(given, function) for function in candidates):
        return None
    chosen = resolution.accept(checker, functions, resolution.choose(functions.name, candidates, given), span)
    return build_call(checker, templates.demand(checker, chosen, span), operands, span)
