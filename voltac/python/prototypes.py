"""Plain functions of Python as C functions: types in letters, as they are kept in the cache, and what ctypes makes of them."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from voltac.messages.visible import visible_value

_TYPES: dict[str, Any] = {
    "v": None,
    "?": ctypes.c_bool,
    "p": ctypes.c_void_p,
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
    "i1": ctypes.c_int8,
    "i2": ctypes.c_int16,
    "i4": ctypes.c_int32,
    "i8": ctypes.c_int64,
    "u1": ctypes.c_uint8,
    "u2": ctypes.c_uint16,
    "u4": ctypes.c_uint32,
    "u8": ctypes.c_uint64,
}
"""Letter -> type: no value, bool, an address as an int or None, floats and integers with their bytes."""
KNOWN = frozenset(_TYPES)


def c_function(function: Callable[..., Any], letters: Sequence[str]) -> Any:
    """A function of ctypes that calls one of Python; ``letters`` are its result's and those of its parameters.

    A result that is no number of the type is an exception of the function.
    """
    return _kind(tuple(letters))(_with_whole_result(function, letters[0]))


@cache
def _kind(letters: tuple[str, ...]) -> Any:
    return ctypes.CFUNCTYPE(*(_TYPES[letter] for letter in letters))


def _with_whole_result(function: Callable[..., Any], letter: str) -> Callable[..., Any]:
    """ctypes would cut off the bits of an integer that its type lacks, and takes none of numpy."""
    if letter[0] not in "iu":
        return function
    bits, type_ = 8 * int(letter[1]), _TYPES[letter]

    def call(*arguments: Any) -> int:
        result = function(*arguments)
        try:
            number = operator.index(result)
        except TypeError:
            raise TypeError(f"a function that a kernel calls must return an integer, not {visible_value(result)}") from None
        if type_(number).value != number:
            name = f"{'u' if letter[0] == 'u' else ''}int{bits}"
            raise ValueError(f"a function that a kernel calls returned {number}, which is beyond {name}")
        return number

    return call


def as_c_functions(functions: Mapping[str, object], prototypes: Mapping[str, tuple[str, Sequence[str]]]) -> dict[str, object]:
    """What a program is given, each plain function of Python as one of ctypes; those that it does not call are left out.

    ``prototypes`` have the text and the letters of each C function that is called; TypeError where these are none.
    """
    found: dict[str, object] = {}
    for name, function in functions.items():
        if not is_plain(function):
            found[name] = function
        elif name in prototypes:
            text, letters = prototypes[name]
            if not letters:
                expected = f"functions[{visible_value(name)}] must be a function of ctypes or an address"
                raise TypeError(f"{expected}, since it passes values that no number stands for: {text}")
            assert callable(function)
            found[name] = c_function(function, letters)
    return found


def is_plain(function: object) -> bool:
    """Whether something is called in Python's way, and is no function of ctypes already."""
    return callable(function) and not isinstance(function, FUNCTIONS)


FUNCTIONS: tuple[type[Any], ...] = (ctypes._CFuncPtr,)  # type: ignore[attr-defined]
"""What counts as a C function: made by ``ctypes.CFUNCTYPE`` or taken from a library."""
