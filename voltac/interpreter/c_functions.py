"""C functions that an interpreted program calls: found in this process and the mathematics library, called by ctypes.

Pointers are handed over as the real addresses of the bytes that stand for the program's objects, so C reads and
writes the same memory; a pointer that comes back must point into one of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import Any

from voltac.sema import tree
from voltac.sema.types import VARYING, Enum, Pointer, Qual, Scalar, Void

from .memory import ProgramMemory
from .values import Value

_LIBRARIES = (None, "libm.so.6")
_NUMBERS: dict[tuple[str, int], Any] = {
    ("bool", 8): ctypes.c_bool,
    ("int", 8): ctypes.c_int8,
    ("int", 16): ctypes.c_int16,
    ("int", 32): ctypes.c_int32,
    ("int", 64): ctypes.c_int64,
    ("uint", 8): ctypes.c_uint8,
    ("uint", 16): ctypes.c_uint16,
    ("uint", 32): ctypes.c_uint32,
    ("uint", 64): ctypes.c_uint64,
    ("float", 32): ctypes.c_float,
    ("float", 64): ctypes.c_double,
}


def find_c_function(function: tree.FunctionSymbol, memory: ProgramMemory) -> Callable[..., Value] | None:
    """The function of that name, or None if there is none or a type has no counterpart in C."""
    found = next(filter(None, (_look_up(library, function.name) for library in _LIBRARIES)), None)
    quals = [function.type.result, *function.type.parameters]
    if found is None or any(_c_type(qual) is _UNKNOWN for qual in quals):
        return None
    found.restype, *found.argtypes = (_c_type(qual) for qual in quals)

    def call(*arguments: Value) -> Any:
        result = found(*_passed(arguments, function.type.parameters, memory))
        if isinstance(function.type.result.type, Pointer):
            return memory.address_of_bytes(result or 0)
        return result

    return call


_UNKNOWN = object()


def _c_type(qual: Qual) -> Any:
    if qual.rate is VARYING:
        return _UNKNOWN
    match qual.type:
        case Void():
            return None
        case Pointer():
            return ctypes.c_void_p
        case Enum():
            return ctypes.c_uint32
        case Scalar(kind, bits):
            return _NUMBERS.get((kind, bits), _UNKNOWN)
    return _UNKNOWN


def _look_up(library: str | None, name: str) -> Any:
    try:
        return getattr(ctypes.CDLL(library), name)
    except (OSError, AttributeError):
        return None


def _passed(arguments: Iterable[Value], quals: Iterable[Qual], memory: ProgramMemory) -> list[Any]:
    passed: list[Any] = []
    for argument, qual in zip(arguments, quals, strict=True):
        if not isinstance(qual.type, Pointer):
            passed.append(argument.item())
        elif not argument:
            passed.append(None)
        else:
            passed.append(memory.view(int(argument), 0).ctypes.data)
    return passed
