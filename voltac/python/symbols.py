"""The names by which generated entry points and the loading side know each other."""

from __future__ import annotations

ARRAY_TYPE = "voltac.ndarray"
"""Symbol of the type object of numpy's arrays."""

PLAIN_TYPES = "voltac.plain"
"""Symbol of a table of type objects, those of numbers that are converted without running anybody's code; null ends it."""

RAISED, RAISE = "voltac.raised", "voltac.raise"
"""Symbols of the number that says whether exceptions of callbacks wait, and of the function that raises one."""
NOTE = "voltac.note"
"""Symbol of the function that keeps an exception until the kernel has ended."""


def call_symbol(name: str) -> str:
    """The function in CPython's vectorcall convention."""
    return f"voltac.call.{name}"


def code_symbol(name: str) -> str:
    """What is guarded, within the entry points."""
    return f"voltac.code.{name}"


def raw_symbol(name: str) -> str:
    """The function that takes its arguments out of slots of eight bytes."""
    return f"voltac.raw.{name}"


def arguments_symbol(name: str) -> str:
    """The Python object that handles the calls that are not simple."""
    return f"voltac.arguments.{name}"


def shape_symbol(name: str, position: int) -> str:
    """The shape of the objects that a parameter leads to."""
    return f"voltac.shape.{name}.{position}"


def accepted_symbol(name: str) -> str:
    """A table with a pointer for each parameter: the dtype object that was last found to fit, or null."""
    return f"voltac.accepted.{name}"


def names_symbol(name: str) -> str:
    """The table of :mod:`voltac.python.entry_names`."""
    return f"voltac.names.{name}"


def guarded_symbol(name: str) -> str:
    """What a kernel calls in place of a C function of Python."""
    return f"voltac.guarded.{name}"


def given_symbol(name: str) -> str:
    """Where the address of that function stands."""
    return f"voltac.given.{name}"
