"""What a program may not use on a device that lacks it: errors at their places, before anything is made of it."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.attributes import barrier_of
from voltac.sema.checker import Checker
from voltac.sema.tree_walk import nodes
from voltac.sema.types import Array, Pointer, Qual, Scalar, Struct, Type, Vector

_LACKING: dict[type, str] = {
    tree.Print: "'print' is not possible on {}: the device has no output; store what is to be seen in an array",
    tree.New: "'new' is not possible on {}: the device has no heap; declare an array, or let the caller pass one",
    tree.Delete: "'delete' is not possible on {}: the device has no heap",
}


def check_device_limits(checker: Checker) -> None:
    """Report what the program itself uses; of the library only what the device has is called."""
    target = checker.target
    declared = False
    """A variable of double was reported: what is computed with it needs no message of its own."""

    def refuse(span: Span, text: str) -> None:
        checker.error("device", span, text.format(target.name))

    def refuse_double(span: Span) -> None:
        refuse(span, "{} has no double precision; use 'float'")

    def check_variable(symbol: tree.VariableSymbol) -> None:
        nonlocal declared
        if not target.has_double and _has_double(symbol.type.type):
            declared = True
            refuse_double(symbol.span)

    def check_barrier(node: tree.Call, besides: int) -> None:
        threads = target.device.threads if target.device is not None else None
        if threads is None:
            return
        number, count = (argument.value if isinstance(argument, tree.Constant) else None for argument in node.arguments)
        if number is not None and not 0 <= number < threads.barriers:
            refuse(node.arguments[0].span, f"{{}} has no barrier {number}: programs have 0 to {threads.barriers - 1}")
        most = threads.cores * threads.most
        least = 1 - besides
        if count is not None and not least <= count <= most - 1 + least:
            refuse(
                node.arguments[1].span,
                f"a barrier of {{}} is for 1 to {most} threads: this number is {least} to {most - 1 + least}",
            )

    def check_node(node: object) -> None:
        nonlocal declared
        lacking = _LACKING.get(type(node))
        if lacking is not None and isinstance(node, (tree.Statement, tree.Value)):
            refuse(node.span, lacking)
        elif isinstance(node, tree.Declare):
            check_variable(node.symbol)
        elif isinstance(node, tree.Call):
            besides = barrier_of(node.function)
            if besides is not None:
                check_barrier(node, besides)
        elif isinstance(node, tree.Alloca) and not isinstance(node.size, tree.Constant):
            refuse(node.span, "'alloca' on {} needs a size that is known to the compiler")
        elif not declared and not target.has_double and isinstance(node, tree.Value) and _is_double(node.type):
            declared = True
            refuse_double(node.span)

    for variable in checker.program.globals:
        check_variable(variable)
    for function in checker.program.functions:
        if function.library or function.body is None:
            continue
        for parameter in function.parameters:
            check_variable(parameter)
        if not declared and not target.has_double and _has_double(function.type.result.type):
            declared = True
            refuse_double(function.span)
        for node in nodes(function.body):
            check_node(node)


def _is_double(qual: Qual) -> bool:
    return isinstance(qual.type, Scalar) and (qual.type.kind, qual.type.bits) == ("float", 64)


def _has_double(type: Type, seen: frozenset[str] = frozenset()) -> bool:
    """Whether memory of this type, or what it points to, has numbers of double."""
    match type:
        case Scalar(kind, bits):
            return (kind, bits) == ("float", 64)
        case Pointer(to):
            return _has_double(to.type, seen)
        case Array(element, _):
            return _has_double(element.type, seen)
        case Vector(element, _):
            return _has_double(element, seen)
        case Struct(name, members) if members is not None and name not in seen:
            return any(_has_double(member.qual.type, seen | {name}) for member in members)
    return False
