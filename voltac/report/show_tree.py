"""A tree of either kind, as written or typed → indented text, one node a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from voltac.messages.message import Span
from voltac.sema.tree import FunctionSymbol, Program, VariableSymbol
from voltac.sema.types import Enum, Qual, Rate, Struct, Type


def show_tree(node: Any) -> str:
    """The text; places are given as line:column."""
    return "\n".join(_program(node) if isinstance(node, Program) else _lines("", node, 0)) + "\n"


def _program(program: Program) -> Iterator[str]:
    for symbol in program.globals:
        yield f"{symbol.kind} {symbol.name}: {symbol.type}"
        if symbol.initial is not None:
            yield from _lines("initial", symbol.initial, 1)
    for function in program.functions:
        parameters = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in function.parameters)
        words = [word for word in ("exported", "static", "inline", "unmasked", "task") if getattr(function, word)]
        yield " ".join([*words, f"function {function.name}({parameters}) -> {function.type.result}"])
        if function.body is not None:
            yield from _lines("", function.body, 1)


def _lines(label: str, value: Any, depth: int) -> Iterator[str]:
    start = "  " * depth + (f"{label}: " if label else "")
    if _is_leaf(value):
        yield start + _leaf(value)
    elif isinstance(value, list | tuple):
        yield f"{start}[{len(value)}]"
        for item in value:
            yield from _lines("", item, depth + 1)
    else:
        inside = [(item.name, getattr(value, item.name)) for item in fields(value)]
        leaves = [f"{name}={_leaf(item)}" for name, item in inside if _is_leaf(item) and not isinstance(item, Span)]
        place = next((f" {item.line}:{item.column}" for _, item in inside if isinstance(item, Span)), "")
        yield start + " ".join([type(value).__name__ + place, *leaves])
        for name, item in inside:
            if not _is_leaf(item):
                yield from _lines(name, item, depth + 1)


def _is_leaf(value: Any) -> bool:
    if isinstance(value, list | tuple) and not isinstance(value, Span):
        return not value or all(isinstance(item, str | int | float) for item in value)
    return not is_dataclass(value) or isinstance(value, Span | Qual | Rate | FunctionSymbol | VariableSymbol | Type)


def _leaf(value: Any) -> str:
    match value:
        case FunctionSymbol() | VariableSymbol() | Enum() | Struct():
            return str(value.name)
        case Qual() | Rate():
            return f"({value})"
        case str():
            return repr(value)
    return str(value)
