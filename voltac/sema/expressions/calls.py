"""Call expressions: by name, through pointers, of templates, builtins and intrinsics; launch."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.checker import Checker, Operand, Rejected, expression
from voltac.sema.conversions import convert
from voltac.sema.expressions.builtin_calls import call_builtin, names_builtin
from voltac.sema.expressions.intrinsic_types import checked_arguments, intrinsic_result
from voltac.sema.operands import to_value, value_of
from voltac.sema.overloads import templates
from voltac.sema.overloads.call_building import build_call, call_pointer, call_set, choose_function, convert_arguments
from voltac.sema.scopes import FunctionSet
from voltac.sema.types import (
    INT32,
    UNIFORM,
    VARYING,
    VOID_QUAL,
    FunctionType,
    Pointer,
    Qual,
    Scalar,
)
from voltac.syntax import ast


@expression(ast.Call)
def check_call(checker: Checker, node: ast.Call) -> Operand:
    """``f(...)``: by name, of a template, a builtin, or through a pointer."""
    function = node.function
    if isinstance(function, ast.TemplateName):
        return call_template(checker, function, check_arguments(checker, node.arguments), node.span)
    if isinstance(function, ast.Name) and names_builtin(checker, function):
        return call_builtin(checker, function.name, [value_of(checker, one) for one in node.arguments], node.span)
    called = checker.expression(function)
    operands = check_arguments(checker, node.arguments)
    if isinstance(called, FunctionSet):
        return call_set(checker, called, operands, node.span)
    if isinstance(called, tree.Deref) and isinstance(called.storage.type, FunctionType):
        checker.reject("call", node.span, "a function pointer is called by its name alone: write fp(x) instead of (*fp)(x)")
    return call_pointer(checker, called, operands, node.span)


def check_arguments(checker: Checker, nodes: Sequence[ast.Expression]) -> list[Operand]:
    """The operands of a call, from left to right."""
    operands = []
    for node in nodes:
        operand = checker.expression(node)
        if isinstance(node, ast.Cast):
            warn_uniform_cast(checker, node, operand)
        operands.append(operand)
    return operands


def warn_uniform_cast(checker: Checker, node: ast.Cast, operand: Operand) -> None:
    """``f((float)u)`` picks the overload for uniform values, which may surprise (language 8.8)."""
    if not isinstance(operand, tree.Value) or operand.type.rate is not UNIFORM or not isinstance(operand.type.type, Scalar):
        return
    words = {word.text for word in node.type.specifiers.qualifiers}
    if "uniform" in words or "varying" in words:
        return
    if isinstance(node.type.specifiers.types[0] if node.type.specifiers.types else None, ast.NamedType):
        return
    kind = operand.type.type
    checker.warning(
        "cast", node.span, f"the cast stays uniform, since its operand is; write '(uniform {kind})' or '(varying {kind})'"
    )


def call_template(checker: Checker, name: ast.TemplateName, operands: list[Operand], span: Span) -> Operand:
    """``f<...>(...)``: arguments that are not written are deduced (10.5)."""
    found = checker.look_up(name.name, name.span)
    if isinstance(found, FunctionSet) and found.mistaken and not found.templates:
        raise Rejected
    if not isinstance(found, FunctionSet) or not found.templates:
        checker.reject("template", name.span, f"'{name.name}' is no function template")
    explicit = templates.resolve_arguments(checker, name.arguments)
    return call_set(checker, found, operands, span, explicit)


@expression(ast.IntrinsicCall)
def check_intrinsic(checker: Checker, node: ast.IntrinsicCall) -> tree.Value:
    """``@llvm.name(...)`` (8.10)."""
    if not checker.options.llvm_intrinsics and not checker.is_library:
        checker.reject(
            "call", node.span, f"intrinsics such as '{node.name}' are switched off; give the option --enable-llvm-intrinsics"
        )
    given = tuple(value_of(checker, one) for one in node.arguments)
    arguments = checked_arguments(checker, node.name, given, node.span)
    return tree.Intrinsic(node.span, intrinsic_result(checker, node.name, arguments, node.span), node.name, arguments)


@expression(ast.InvokeSycl)
def check_invoke_sycl(checker: Checker, node: ast.InvokeSycl) -> Operand:
    """``invoke_sycl(f, ...)``: of an ``extern "SYCL"`` function only."""
    called = checker.expression(node.function)
    operands = check_arguments(checker, node.arguments)
    if isinstance(called, FunctionSet):
        function = choose_function(checker, called, operands, node.span)
        if "sycl" in function.attributes:
            return build_call(checker, function, operands, node.span)
    checker.reject("call", node.span, 'invoke_sycl needs an extern "SYCL" function')


# --- launch -----------------------------------------------------------------------------------------------------


@expression(ast.Launch)
def check_launch(checker: Checker, node: ast.Launch) -> Operand:
    """Counts that are not written are 1."""
    counts = []
    for one in node.counts:
        counts.append(convert(checker, value_of(checker, one), Qual(INT32), "number of tasks of the launch", one.span))
    while len(counts) < 3:
        counts.append(tree.Constant(node.span, Qual(INT32), 1))
    if isinstance(node.function, ast.TemplateName):
        checker.reject("task", node.function.span, f"template '{node.function.name}' is no task, only tasks can be launched")
    called = checker.expression(node.function)
    operands = check_arguments(checker, node.arguments)
    if isinstance(called, FunctionSet):
        function: tree.FunctionSymbol | tree.Value = choose_function(checker, called, operands, node.span)
        assert isinstance(function, tree.FunctionSymbol)
        if not function.task:
            checker.reject("task", node.span, f"only tasks can be launched; '{function.name}' lacks the task qualifier")
        arguments = convert_arguments(checker, function.name, function.type, operands, node.span, function.defaults)
    else:
        function = to_value(checker, called, node.function.span)
        arguments = _through_pointer(checker, function, operands, node)
    assert checker.function is not None
    checker.function.symbol.launches = True
    return tree.Launch(node.span, VOID_QUAL, function, (counts[0], counts[1], counts[2]), tuple(arguments))


def _through_pointer(checker: Checker, pointer: tree.Value, operands: list[Operand], node: ast.Launch) -> list[tree.Value]:
    kind = pointer.type.type
    if not isinstance(kind, Pointer) or not isinstance(kind.to.type, FunctionType) or pointer.type.rate is VARYING:
        checker.reject("task", node.span, f"launch needs a task or a uniform pointer to one, not '{pointer.type}'")
    function = kind.to.type
    if not function.task:
        checker.reject("task", node.span, f"only tasks can be launched; the pointer is of type '{pointer.type}'")
    if len(operands) != len(function.parameters):
        checker.reject("task", node.span, f"the task takes {len(function.parameters)} arguments, {len(operands)} given")
    return convert_arguments(checker, "the task", function, operands, node.span)
