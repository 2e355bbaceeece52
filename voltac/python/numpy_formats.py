"""Formats of the signatures ↔ numpy dtypes: making them, comparing them, and saying in words what an array is."""

from __future__ import annotations

from typing import Any

import numpy as np

from voltac.messages.visible import named_type, visible_value
from voltac.python.signatures import Format

Dtype = np.dtype[Any]


def dtype_of(format_: Format) -> Dtype:
    """The dtype that lies in memory as the kernel expects it."""
    if isinstance(format_, str):
        return np.dtype(format_)
    return np.dtype(
        {
            "names": format_["names"],
            "formats": [_member(element, shape) for element, shape in format_["formats"]],
            "offsets": format_["offsets"],
            "itemsize": format_["itemsize"],
        }
    )


def _member(element: Format, shape: list[int]) -> Any:
    return (dtype_of(element), tuple(shape)) if shape else dtype_of(element)


def same_layout(given: Dtype, expected: Dtype) -> bool:
    """Whether both mean the same bytes: equal names, places and types of members, native byte order."""
    if given.itemsize != expected.itemsize:
        return False
    if given.subdtype or expected.subdtype:
        return given.shape == expected.shape and same_layout(given.base, expected.base)
    if given.names is None or expected.names is None:
        return given.names is expected.names and given.isnative and given.kind == expected.kind
    if given.names != expected.names:
        return False
    assert given.fields is not None and expected.fields is not None
    return all(
        given.fields[name][1] == expected.fields[name][1] and same_layout(given.fields[name][0], expected.fields[name][0])
        for name in expected.names
    )


def only_element(dtype: Dtype) -> tuple[Dtype, int] | None:
    """For a struct of nothing but equal numbers without gaps: their dtype and how many there are."""
    if dtype.subdtype:
        inner = only_element(dtype.base)
        return None if inner is None else (inner[0], inner[1] * (dtype.itemsize // dtype.base.itemsize))
    if dtype.names is None:
        return dtype, 1
    assert dtype.fields is not None
    members = [only_element(dtype.fields[name][0]) for name in dtype.names]
    first = members[0] if members else None
    if first is None or any(member is None or member[0] != first[0] for member in members):
        return None
    count = sum(member[1] for member in members if member is not None)
    return (first[0], count) if count * first[0].itemsize == dtype.itemsize else None


def named(dtype: Dtype) -> str:
    """A dtype as one would write it after ``dtype=``."""
    if dtype.names is None:
        return dtype.name if dtype.isnative else f"{dtype.name} in the other byte order ('{dtype.str}')"
    return f"np.dtype({_spelled(dtype)})"


def _spelled(dtype: Dtype) -> str:
    if dtype.subdtype:
        return f"({_spelled(dtype.base)}, {dtype.shape})"
    if dtype.names is None:
        return repr(dtype.str.lstrip("<=|"))
    assert dtype.fields is not None
    members = [dtype.fields[name] for name in dtype.names]
    packed = np.dtype([(name, member[0]) for name, member in zip(dtype.names, members)])
    if packed.itemsize == dtype.itemsize and [packed.fields[name][1] for name in dtype.names] == [m[1] for m in members]:  # type: ignore[index]
        return "[" + ", ".join(f"({name!r}, {_spelled(member[0])})" for name, member in zip(dtype.names, members)) + "]"
    return (
        f"{{'names': {list(dtype.names)}, 'formats': [{', '.join(_spelled(member[0]) for member in members)}], "
        f"'offsets': {[member[1] for member in members]}, 'itemsize': {dtype.itemsize}}}"
    )


def described(value: object) -> str:
    """What an argument is, for messages."""
    if isinstance(value, np.ndarray):
        kind = "" if type(value) is np.ndarray else f" ({type(value).__name__})"
        return f"an array{kind} of {named(value.dtype)} with shape {value.shape}"
    if value is None:
        return "None"
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return f"{type(value).__name__} {visible_value(value, 40)}"
    return named_type(value)
