"""Calls of builtins from library source: the patterns of ``builtins/`` matched with the arguments.

A pattern is ``rate type`` or ``rate type * rate`` for a pointer, the rate of the pointee first;
a pointer without a rate of its own is uniform. ``const`` stands between rate and type.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from voltac.messages.message import Note, Span
from voltac.sema import tree
from voltac.sema.builtins import BUILTINS, TILE_PRODUCTS, TILES, BuiltinRow, Callers
from voltac.sema.checker import Checker
from voltac.sema.conversions import convert
from voltac.sema.types import ATOMIC_TYPES, UINT8, UNIFORM, VARYING, VOID, Pointer, Qual, Rate, Scalar, Type
from voltac.syntax import ast


@cache
def parse_pattern(text: str) -> tuple[tuple[str, str], str]:
    """``(rate, type)`` and the rate of the pointer, empty if it is none."""
    plain, star, pointer_rate = text.partition("*")
    words = plain.split()
    return (words[0], words[-1]), (pointer_rate.strip() or "u") if star else ""


def call_builtin(checker: Checker, name: str, arguments: Sequence[tree.Value], span: Span) -> tree.Value:
    """The call of a row of ``builtins/``; a mistake of the library's source is reported like any other."""
    row = BUILTINS[name]
    if len(arguments) != len(row.parameters):
        checker.reject("call", span, f"builtin '{name}' takes {len(row.parameters)} arguments, {len(arguments)} given")
    element = find_element(checker, row, arguments, span)
    rates = [
        argument.type.rate
        for argument, pattern in zip(arguments, row.parameters)
        if "R" in (parse_pattern(pattern)[0][0] if not parse_pattern(pattern)[1] else parse_pattern(pattern)[1])
    ]
    rate = VARYING if VARYING in rates else UNIFORM
    converted = tuple(
        convert(checker, argument, instantiate(pattern, element, rate), f"an argument of '{name}'", span)
        for argument, pattern in zip(arguments, row.parameters)
    )
    for argument, pattern in zip(converted, row.parameters):
        if parse_pattern(pattern)[0][1] == "tile":
            check_tile(checker, argument)
    return tree.Builtin(span, instantiate(row.result, element, rate), name, converted)


def names_builtin(checker: Checker, name: ast.Name) -> bool:
    """Whether a builtin is what the name of a called function means here."""
    row = BUILTINS.get(name.name)
    match row.callers if row is not None else None:
        case Callers.LIBRARY:
            return checker.is_library
        case Callers.AMX_HEADER:
            check_tile_operation(checker, name.name, name.span)
            return True
        case Callers.DEVICE_PROGRAMS if checker.target.is_device:
            check_place_of_mask_write(checker, name.span)
            return True
    return False


def check_tile(checker: Checker, argument: tree.Value) -> None:
    """The number of a tile is part of an instruction: a constant, and there is such a tile."""
    if not isinstance(argument, tree.Constant) or not 0 <= argument.value < TILES:
        checker.reject(
            "call", argument.span, f"a tile is a constant from 0 to {TILES - 1}: its number is part of the instruction"
        )


def check_tile_operation(checker: Checker, name: str, span: Span) -> None:
    """The target has the instruction."""
    available = checker.target.tile_products
    needed = TILE_PRODUCTS.get(name.removeprefix("__amx_"))
    if not available or (needed and needed not in available):
        what = f"AMX for {needed}" if needed else "AMX"
        checker.reject("call", span, f"{checker.target.name} has no {what}; see the targets that amx.isph is for")


def find_element(checker: Checker, row: BuiltinRow, arguments: Sequence[tree.Value], span: Span) -> Scalar | None:
    """The T a call is for, read off the arguments whose pattern mentions it; constants follow the others."""
    if not row.elements:
        return None
    ranked = sorted(zip(arguments, row.parameters), key=lambda pair: isinstance(pair[0], tree.Constant))
    for argument, pattern in ranked:
        (_, kind), pointer = parse_pattern(pattern)
        found: Type = argument.type.type
        if pointer:
            found = found.to.type if isinstance(found, Pointer) else VOID
        if kind == "T" and found in row.elements and isinstance(found, Scalar):
            return found
        if kind == "U(T)" and isinstance(found, Scalar):
            for element in row.elements:
                if element.bits == found.bits:
                    return element
    shown = ", ".join(str(argument.type) for argument in arguments)
    checker.reject("call", span, f"builtin '{row.name}' does not take ({shown})")


def instantiate(pattern: str, element: Scalar | None, joint: Rate) -> Qual:
    """The type that a pattern stands for: ``T`` is ``element``, ``R`` the rate that the arguments have together."""
    (rate, kind), pointer = parse_pattern(pattern)
    rates = {"u": UNIFORM, "v": VARYING, "R": joint}
    type: Type
    if kind == "void":
        type = VOID
    elif kind == "T":
        assert element is not None
        type = element
    elif kind == "tile":
        type = UINT8
    elif kind == "U(T)":
        assert element is not None
        type = Scalar("uint", element.bits)
    else:
        type = ATOMIC_TYPES[kind]
    inner = Qual(type, UNIFORM if type is VOID else rates[rate])
    return Qual(Pointer(inner), rates[pointer]) if pointer else inner


def check_place_of_mask_write(checker: Checker, span: Span) -> None:
    """A program may write the mask only where the compiler does not look after it."""
    for frame in checker.frames:
        if frame.varying or frame.kind not in ("if", "loop", "switch"):
            what = f"'{frame.kind}'" if frame.kind.startswith(("foreach", "unmasked")) else "varying control flow"
            begins = Note(frame.span, "it begins here")
            checker.reject(
                "misplaced", span, f"the mask cannot be written inside {what}, where the compiler looks after it", begins
            )
