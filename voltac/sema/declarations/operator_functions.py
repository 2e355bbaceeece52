"""Functions named ``operator+`` ...: a warning for those whose parameters do not fit (language 10.4)."""

from __future__ import annotations

from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.sema.types import INT32, Qual, Reference, Struct

_PREFIX = "operator"
_UNARY = ("!", "~")
_STEPS = ("++", "--")
_COMPARISONS = ("==", "!=", "<=", ">=")


def warn_about_operator(checker: Checker, symbol: tree.FunctionSymbol) -> None:
    """An operator needs a struct among its operands, and as many parameters as it has operands."""
    reason = _misfit(symbol.name.removeprefix(_PREFIX), symbol.type.parameters)
    if reason:
        checker.warning("operator", symbol.span, f"the parameters of '{symbol.name}' do not fit the operator: {reason}")


def is_operator(name: str) -> bool:
    """Whether a function's name is ``operator`` with a symbol."""
    return name.startswith(_PREFIX) and not name.replace("_", "a").isalnum()


def _misfit(symbol: str, parameters: tuple[Qual, ...]) -> str:
    fitting = (1,) if symbol in _UNARY else (1, 2) if symbol in ("+", "-", *_STEPS) else (2,)
    if len(parameters) not in fitting:
        wanted = " or ".join(map(str, fitting))
        return f"it takes {wanted} parameter{'s' if fitting[-1] > 1 else ''}, {len(parameters)} are given"
    if not any(isinstance(_referenced(one).type, Struct) for one in parameters):
        return "none of its parameters is a struct"
    writes = symbol in _STEPS or (symbol.endswith("=") and symbol not in _COMPARISONS)
    if writes and not isinstance(parameters[0].type, Reference):
        return "its first parameter, which it writes, is no reference"
    if symbol in _STEPS and len(parameters) == 2 and parameters[1].type != INT32:
        return f"the second parameter of 'x{symbol}' is an int, which tells it from '{symbol}x'"
    return ""


def _referenced(parameter: Qual) -> Qual:
    return parameter.type.to if isinstance(parameter.type, Reference) else parameter
