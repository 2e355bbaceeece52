"""``__attribute__`` and ``__declspec`` (language 7.4): what each means where it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from voltac.messages.suggestions import suggestion
from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.sema.types import Pointer, Qual
from voltac.syntax import ast

_EFFECTS: dict[str, tuple[str, ...]] = {
    "aligned": ("variable", "parameter", "struct"),
    "noescape": ("parameter",),
    "unmangled": ("function",),
    "external_only": ("function",),
    "deprecated": ("function",),
    "memory": ("function",),
    "scratchpad": ("variable",),
}
"""Attribute -> what it means something for."""
_IGNORED = ("cdecl", "address_space")
_QUALIFIERS = {"noinline": "noinline", "always_inline": "inline"}
"""Attributes of C compilers that are words of this language."""


# What the compiler knows of functions of the library: attributes in its own sources, without a meaning in programs.
ACTIVE_LANES = "active_lanes"
"""The body looks at all lanes, but the result does not depend on those that are off (13.7, 13.9)."""
FILLS_LANES = "fills_lanes"
"""Its first argument may be anything yet: a vector that is filled lane by lane."""
SLOW_UNLESS_CONSTANT = "slow_unless_constant"
"""A last argument that is no constant is worth a performance warning."""
BARRIER = "barrier"
"""``barrier(N)``: waits at the barrier its first argument says, for N threads beside those its second one counts."""
BY_CONSTANT = "by_constant"
"""``by_constant(NAME)``: for some constants as arguments there are functions NAME_... (``overloads/by_constant.py``)."""
SHARES_WORK = "shares_work"
"""``shares_work(NAME)``: beside others of the same argument NAME_... is called in its place (``overloads/paired_calls.py``)."""
_OF_LIBRARY = (ACTIVE_LANES, FILLS_LANES, SLOW_UNLESS_CONSTANT, BARRIER, BY_CONSTANT, SHARES_WORK)


def warn_about(checker: Checker, found: Sequence[ast.Attribute], where: str) -> None:
    """About attributes that nobody knows, or that have no effect on a ``variable``, ``function``, ``struct`` ..."""
    for attribute in found:
        name = attribute.name
        if name not in _EFFECTS and name not in _IGNORED:
            text = f"attribute '{name}' is not known and has no effect"
            if name in _QUALIFIERS and where == "function":
                text += f"; write the qualifier '{_QUALIFIERS[name]}'"
            else:
                text += suggestion(name, (*_EFFECTS, *_IGNORED))
            checker.warning("attribute", attribute.span, text)
        elif where not in _EFFECTS.get(name, (where,)):
            text = f"attribute '{name}' has no effect on a {where}"
            if name == "aligned":
                text += "; write it at variables, or after the closing brace of a struct"
            checker.warning("attribute", attribute.span, text)


def alignment(checker: Checker, found: Sequence[ast.Attribute]) -> int:
    """The N of ``aligned(N)``; 0 without one."""
    for attribute in found:
        if attribute.name == "aligned":
            number = attribute.argument
            if not isinstance(number, int) or number <= 0 or number & (number - 1):
                found_instead = "" if number is None else f"; found '{number}'"
                checker.reject(
                    "bad-attribute",
                    attribute.span,
                    f"aligned needs a power of two above zero, as in aligned(32){found_instead}",
                )
            return number
    return 0


def has(found: Sequence[ast.Attribute], name: str) -> bool:
    """Whether an attribute is written, with whatever arguments."""
    return any(attribute.name == name for attribute in found)


def argument_of(function: tree.FunctionSymbol, wanted: str) -> str | None:
    """What is between the brackets of an attribute that a library function has."""
    for attribute in function.attributes:
        name, _, argument = attribute.partition("(")
        if name == wanted:
            return argument.removesuffix(")")
    return None


def barrier_of(function: tree.FunctionSymbol) -> int | None:
    """The N of a library function that is a ``barrier(N)``."""
    number = argument_of(function, BARRIER)
    return None if number is None else int(number)


def apply_to_function(checker: Checker, function: tree.FunctionSymbol, found: Sequence[ast.Attribute]) -> None:
    """Set what the attributes of a function say."""
    warn_about(checker, [attribute for attribute in found if attribute.name != "noescape"], "function")
    for attribute in found:
        match attribute.name:
            case name if name in _OF_LIBRARY and checker.is_library:
                argument = "" if attribute.argument is None else f"({attribute.argument})"
                function.attributes += (f"{name}{argument}",)
            case "external_only":
                if not function.exported:
                    checker.reject(
                        "bad-attribute",
                        attribute.span,
                        f"external_only needs an exported function, '{function.name}' is not exported",
                    )
                function.external_only = True
            case "unmangled":
                if function.exported or function.c_linkage:
                    what = "an exported function" if function.exported else 'an extern "C" function'
                    checker.reject(
                        "bad-attribute",
                        attribute.span,
                        f"{what} such as '{function.name}' cannot be unmangled: its name is plain already",
                    )
                function.mangled = function.name
            case "deprecated":
                text = f":{attribute.argument}" if attribute.argument else ""
                function.attributes += (f"deprecated{text}",)
            case "memory":
                function.attributes += (f"memory({attribute.argument})",)
            case "noescape":
                checker.reject("bad-attribute", attribute.span, "noescape is for pointer parameters, not for functions")


def check_noescape(checker: Checker, qual: Qual, found: Sequence[ast.Attribute]) -> None:
    """Only uniform pointers may be ``noescape``, which is a hint that nothing needs: functions are looked into."""
    for attribute in found:
        if attribute.name == "noescape":
            if not isinstance(qual.type, Pointer):
                checker.reject(
                    "bad-attribute", attribute.span, f"noescape is for pointer parameters, this one is of type '{qual}'"
                )
            if qual.is_varying:
                checker.reject(
                    "bad-attribute", attribute.span, f"noescape cannot be promised for a varying pointer such as '{qual}'"
                )


def apply_declspecs(checker: Checker, function: tree.FunctionSymbol | None, words: Sequence[ast.Word]) -> None:
    """``safe`` and ``costN`` are hints; other words are mistakes."""
    for word in words:
        if word.text == "safe":
            if function is not None:
                function.attributes += ("safe",)
        elif not re.fullmatch(r"cost\d+", word.text):
            checker.reject("bad-attribute", word.span, f"unknown __declspec word '{word.text}'; there are 'safe' and 'costN'")
