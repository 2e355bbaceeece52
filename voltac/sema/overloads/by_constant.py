"""Calls of library functions of two arguments with a constant: ``pow(a, 3)`` -> ``power_to_3(a)``.

A function with ``by_constant(power)`` has others beside it, for constants that make its result simple: ``power_to_3(a)``,
``power_to_minus_0_5(a)``; ``power_to_whole(a, n)``, ``power_to_minus_whole(a, n)`` for whole numbers n; and ``power_of_10(b)``
where the first argument is a constant. What is a constant the language says, so that results are the same at every
optimisation level.
"""

from __future__ import annotations

from voltac.sema import tree
from voltac.sema.attributes import BY_CONSTANT, argument_of
from voltac.sema.checker import Checker
from voltac.sema.scopes import FunctionSet
from voltac.sema.types import UINT32, Qual

_LEAST, _MOST = 3, 64
"""Whole numbers with a function: below them each has its own, and above them few programs have one; it takes seven digits."""


def call_by_constant(
    checker: Checker, function: tree.FunctionSymbol, arguments: list[tree.Value]
) -> tuple[tree.FunctionSymbol, list[tree.Value]]:
    """What is called in place of a function, and with what."""
    prefix = argument_of(function, BY_CONSTANT) if function.attributes else None
    # The libraries of devices say less about their errors than a few products have.
    if prefix is None or checker.target.is_device:
        return function, arguments
    first, last = arguments
    if type(last) is tree.Constant:
        own = beside(checker, function, f"{prefix}_to_{_word(last.value)}")
        if own is not None:
            return own, [first]
        size = abs(last.value)
        whole = beside(checker, function, f"{prefix}_to_{'minus_' if last.value < 0 else ''}whole")
        if whole is not None and size in range(_LEAST, _MOST + 1):
            return whole, [first, tree.Constant(last.span, Qual(UINT32), int(size))]
    if type(first) is tree.Constant:
        own = beside(checker, function, f"{prefix}_of_{_word(first.value)}")
        if own is not None:
            return own, [last]
    return function, arguments


def _word(value: float) -> str:
    """A number as names have it."""
    return f"{'minus_' if value < 0 else ''}{abs(value):g}".replace(".", "_")


def beside(checker: Checker, function: tree.FunctionSymbol, name: str) -> tree.FunctionSymbol | None:
    """The function of the library that has this name and the same first parameter."""
    found = checker.find_part_of_library(name)
    if not isinstance(found, FunctionSet):
        return None
    for one in found.functions:
        if one.type.parameters[0] == function.type.parameters[0]:
            return one
    return None
