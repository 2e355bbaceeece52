"""What the generated entry points read of CPython's and numpy's objects, and whether this interpreter has it there.

The offsets are those of CPython 3.11 and newer on 64-bit machines and of numpy 2.
They are not taken on trust: :func:`direct_access` compares what lies at them with
what the interpreter says of the same objects. Where anything differs (PyPy, a
free-threaded or debug build), kernels are called through :mod:`voltac.python.arguments`
alone, which needs none of it.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from voltac.system.once import once

TYPE = 8
"""``ob_type`` of any object."""
FLOAT_VALUE = 16
"""``ob_fval`` of a float."""
TUPLE_SIZE, TUPLE_ITEMS = object.__basicsize__, tuple.__basicsize__
"""``ob_size`` and ``ob_item`` of a tuple."""
DATA, DIMENSION_COUNT, DIMENSIONS, DESCRIPTOR, FLAGS = 16, 24, 32, 56, 64
"""Members of an ndarray."""
DESCRIPTOR_KIND = 24
"""In a dtype: eight bytes kind, type, byte order, unused, type number (four bytes)."""
DESCRIPTOR_SIZE = 40
"""In a dtype: the bytes of an element."""

C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
"""Flags of an ndarray, as numpy's headers number them."""

DESCRIPTOR_MASK = 0xFFFFFFFF00FF0000
"""Of those eight bytes, byte order and type number."""


def _counts_in_none() -> bool:
    before = sys.getrefcount(None)
    held = [None] * _MANY
    # Other threads take and drop a few meanwhile.
    return abs(sys.getrefcount(None) - before - len(held)) < _MANY // 2


_MANY = 10_000
COUNT_IN_NONE = _counts_in_none()
"""None is an object like any other: whoever returns it counts the reference. Since Python 3.12 it lives for ever."""


def descriptor_word(dtype: np.dtype[Any]) -> int:
    """What the masked bytes are in a dtype of native byte order."""
    return dtype.num << 32 | ord("|" if dtype.itemsize == 1 else "=") << 16


@once
def direct_access() -> bool:
    """Whether the entry points may read objects directly."""
    return (
        sys.implementation.name == "cpython"
        and ctypes.sizeof(ctypes.c_void_p) == 8
        and sys.byteorder == "little"
        and _has_global_lock()
        and object.__basicsize__ == TYPE + 8
        and not hasattr(sys, "gettotalrefcount")
        and _arrays_agree()
        and _numbers_agree()
        and _tuples_agree()
    )


@once
def plain_types() -> ctypes.Array[ctypes.c_void_p]:
    """The types of numbers that are converted without running anybody's code; a null pointer ends them.

    Classes derived from them may have conversions of their own; of int and float the code knows by itself.
    """
    integers = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
    types = (int, bool, np.float64, np.float32, np.float16, *integers)
    return (ctypes.c_void_p * (len(types) + 1))(*map(id, types))


def _has_global_lock() -> bool:
    """Whether no other thread changes an object while an entry point reads it."""
    # Builds without the lock lay objects out in another way even when it is switched on in them.
    running: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)
    return running() and "t" not in getattr(sys, "abiflags", "")


def _arrays_agree() -> bool:
    read_only = np.zeros((2, 3, 4), np.int16)
    read_only.flags.writeable = False
    arrays: list[np.ndarray[Any, np.dtype[Any]]] = [
        np.zeros((3, 5), np.float32),
        np.zeros((4, 6), np.float64)[:, ::2],
        read_only,
        np.zeros(3, ">i4"),
        np.zeros(8, np.int8),
        np.zeros((), np.uint64),
        np.zeros(9, np.int8)[1:].view(np.float64),
        np.zeros(2, np.complex128),  # of which the size is not the alignment
    ]
    return all(_array_agrees(array) for array in arrays)


def _array_agrees(array: np.ndarray[Any, np.dtype[Any]]) -> bool:
    here = id(array)
    flags = array.flags
    descriptor = _pointer(here + DESCRIPTOR)
    if _pointer(here + TYPE) != id(np.ndarray) or descriptor != id(array.dtype):
        return False
    word = ctypes.c_uint64.from_address(descriptor + DESCRIPTOR_KIND).value & DESCRIPTOR_MASK
    stated = ctypes.c_int.from_address(here + FLAGS).value
    count = ctypes.c_int.from_address(here + DIMENSION_COUNT).value
    dimensions = _pointer(here + DIMENSIONS)
    return (
        ctypes.c_ssize_t.from_address(descriptor + DESCRIPTOR_SIZE).value == array.dtype.itemsize
        and _pointer(here + DATA) == array.__array_interface__["data"][0]
        and count == array.ndim
        and [ctypes.c_ssize_t.from_address(dimensions + 8 * axis).value for axis in range(count)] == list(array.shape)
        and (word == descriptor_word(array.dtype)) == array.dtype.isnative
        and bool(stated & C_CONTIGUOUS) == flags.c_contiguous
        and bool(stated & ALIGNED) == flags.aligned
        and bool(stated & WRITEABLE) == flags.writeable
    )


def _numbers_agree() -> bool:
    numbers = [0.5, -3.0e300]
    return all(
        ctypes.c_double.from_address(id(number) + FLOAT_VALUE).value == number and _pointer(id(number) + TYPE) == id(float)
        for number in numbers
    )


def _tuples_agree() -> bool:
    items = ("a", None, 5)
    here = id(items)
    return ctypes.c_ssize_t.from_address(here + TUPLE_SIZE).value == len(items) and all(
        _pointer(here + TUPLE_ITEMS + 8 * number) == id(item) for number, item in enumerate(items)
    )


def _pointer(address: int) -> int:
    return ctypes.c_void_p.from_address(address).value or 0
