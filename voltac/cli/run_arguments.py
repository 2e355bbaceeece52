"""Arguments of ``voltac run`` from words, and results as text.

A word is a number, or for an array ``zeros:64``, ``range:64``, ``random:64``, ``1,2,3`` or ``file.npy``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from voltac.cli.option_table import UsageError
from voltac.sema import tree
from voltac.sema.type_layout import Layout
from voltac.sema.types import VARYING, Array, Enum, Pointer, Qual, Scalar, Struct, Vector, Void, member_qual

GENERATED_ELEMENTS = 64
_SEED = 1
_MOST_DIGITS = 20
"""Of a number of elements: what has more is too large anyway."""

_FILLS: dict[str, Callable[[int, np.dtype[Any]], npt.NDArray[Any]]] = {
    "zeros": lambda count, dtype: np.zeros(count, dtype),
    "range": lambda count, dtype: _numbers(np.arange(_leaves(count, dtype)), count, dtype),
    "random": lambda count, dtype: _numbers(_random(_leaves(count, dtype)), count, dtype, most=min(count, 100)),
}
"""How a generated array is filled. Random floats are from 0 to 1, integers from 0 to 99 and below the number of elements:
they may be indices into arrays of the same length."""


def argument_of(symbol: tree.VariableSymbol, word: str, layout: Layout) -> Any:
    """The value of one word for a parameter."""
    qual = symbol.type
    if not isinstance(qual.type, Pointer):
        return number_of(symbol, word)
    dtype = element_dtype(qual.type.to, layout)
    return from_file(word, dtype, symbol.name) if word.endswith(".npy") else filled(word, dtype, symbol.name)


def filled(word: str, dtype: np.dtype[Any], parameter: str, room: tuple[int, str] | None = None) -> npt.NDArray[Any]:
    """The array that a word like ``range:64`` or ``1,2`` means; ``room`` is how many bytes there are for it, and where."""
    if "," in word:
        return _listed(word, dtype, parameter)
    kind, colon, count = word.partition(":")
    if colon and kind in _FILLS and count.isdecimal():
        size = dtype.itemsize * int(count[:_MOST_DIGITS])
        most, where = room or (os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "this machine")
        try:
            if size <= most:
                return _FILLS[kind](int(count), dtype)
        except MemoryError:
            pass
        raise UsageError(
            f"argument '{word}' for parameter '{parameter}' takes {size} bytes; {where} has {most} bytes of memory:"
            " give fewer elements"
        )
    forms = ", ".join(f"{fill}:64" for fill in _FILLS)
    raise UsageError(f"argument '{word}' for parameter '{parameter}' is no array; give {forms}, 1,2,3 or a file.npy")


def _listed(word: str, dtype: np.dtype[Any], parameter: str) -> npt.NDArray[Any]:
    """Elements with commas between them, or behind the only one."""
    scalar = _scalar_dtype(dtype)
    read: Callable[[str], Any] = float if scalar.kind == "f" else lambda text: int(text, 0)
    try:
        values = np.array([read(text) for text in word.removesuffix(",").split(",")], scalar)
    except (ValueError, OverflowError):
        raise UsageError(f"argument '{word}' for parameter '{parameter}' is no list of {scalar} numbers") from None
    leaves = _leaves(1, dtype)
    if len(values) % leaves:
        raise UsageError(f"argument '{word}' for parameter '{parameter}': an element of it has {leaves} numbers")
    return values.view(dtype.base) if dtype.names else values.reshape(-1, *dtype.shape)


def generated(symbol: tree.VariableSymbol, layout: Layout) -> Any:
    """A value for a parameter that none was given for: counts fit the arrays, and pointers in them are null."""
    match symbol.type.type:
        case Pointer(to):
            fill = "zeros" if _holds_pointers(to) else "random"
            return _FILLS[fill](GENERATED_ELEMENTS, element_dtype(to, layout))
        case Scalar("float", _):
            return 0.5
        case Scalar("bool", _):
            return True
        case Scalar(_, bits):
            return GENERATED_ELEMENTS if bits > 8 else 1
    return 0


def _holds_pointers(qual: Qual) -> bool:
    match qual.type:
        case Pointer():
            return True
        case Struct(members=parts):
            return any(_holds_pointers(member_qual(qual, index)) for index in range(len(parts or ())))
        case Array(element, _):
            return _holds_pointers(element)
    return False


def element_dtype(qual: Qual, layout: Layout) -> np.dtype[Any]:
    """The numpy dtype of what a pointer points to; structs and varying data become structured dtypes."""
    match qual.type:
        case Void():
            return np.dtype(np.uint8)
        case Struct(members=parts):
            quals = [member_qual(qual, index) for index in range(len(parts or ()))]
            return np.dtype({
                "names": [part.name for part in parts or ()],
                "formats": [element_dtype(part, layout) for part in quals],
                "offsets": list(layout.offsets(qual)),
                "itemsize": layout.size(qual),
            })  # fmt: skip
        case Array(element, count):
            return np.dtype((element_dtype(element, layout), count or 0))
        case Vector(of, _):
            one = element_dtype(Qual(of), layout)
            return np.dtype((one, layout.size(qual) // one.itemsize))
        case Scalar("bool", _):
            one = np.dtype(np.bool_)
        case Scalar(kind, bits):
            one = np.dtype(f"{kind[0]}{bits // 8}")
        case Enum():
            one = np.dtype(np.uint32)
        case _:
            one = np.dtype(np.uint64)
    return np.dtype((one, layout.width)) if qual.rate == VARYING else one


def printed(value: Any) -> str:
    """A result for the reader: short arrays whole, long ones by their ends."""
    if not isinstance(value, np.ndarray):
        return str(value)
    return np.array2string(value, threshold=256, edgeitems=8, max_line_width=120, separator=" ")


def number_of(symbol: tree.VariableSymbol, word: str) -> int | float | bool:
    """The value of a word for a parameter that is no array."""
    kind = symbol.type.type
    try:
        if isinstance(kind, Scalar) and kind.kind == "float":
            return float(word)
        if isinstance(kind, Scalar) and kind.kind == "bool":
            return {"true": True, "false": False, "1": True, "0": False}[word]
        number = int(word, 0)
    except (ValueError, KeyError):
        raise UsageError(f"argument '{word}' is no value for parameter '{symbol.name}' of type {symbol.type}") from None
    sign, bits = (kind.kind, kind.bits) if isinstance(kind, Scalar) else ("uint", 32)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if sign == "int" else (0, (1 << bits) - 1)
    if not low <= number <= high:
        raise UsageError(f"argument '{word}' for parameter '{symbol.name}' is no {kind}: these are from {low} to {high}")
    return number


def from_file(path: str, dtype: np.dtype[Any], parameter: str) -> npt.NDArray[Any]:
    """The array in a file of numpy's."""
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise UsageError(f"cannot read the array file {path} for parameter '{parameter}': {error.strerror or error}") from None
    except Exception as error:  # numpy evaluates the header: whatever is wrong with it comes out
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise UsageError(f"cannot read the array file {path} for parameter '{parameter}': {reason}") from None
    if not isinstance(array, np.ndarray):
        raise UsageError(f"{path} holds several arrays; parameter '{parameter}' needs a file of one, as numpy.save writes it")
    scalar = dtype.base
    if array.dtype != scalar:
        raise UsageError(f"{path} holds {array.dtype}, but parameter '{parameter}' needs {scalar}")
    return np.ascontiguousarray(array)


def _scalar_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    while dtype.subdtype is not None or dtype.names:
        dtype = dtype.base if dtype.subdtype is not None else dtype[0]
    return dtype


def _leaves(count: int, dtype: np.dtype[Any]) -> int:
    return count * dtype.itemsize // _scalar_dtype(dtype).itemsize


def _random(count: int) -> npt.NDArray[Any]:
    return np.random.default_rng(_SEED).random(count)


def _numbers(values: npt.NDArray[Any], count: int, dtype: np.dtype[Any], most: int = 1) -> npt.NDArray[Any]:
    """Numbers as elements of a dtype; structs are filled as if all their scalars were of the first one's type.

    Where that is an integer, ``values`` are multiplied by ``most``.
    """
    scalar = _scalar_dtype(dtype)
    if scalar.kind in "iu":
        values = values * most
    return values.astype(scalar).view(dtype.base) if dtype.names else values.astype(scalar).reshape(count, *dtype.shape)
