"""What the interpreter computes with: numpy representations of the language's values.

=============================  ==============================================
uniform scalar, enum, pointer  a numpy scalar of exactly the type's dtype
varying scalar, enum, pointer  an array of shape (W,)
short vector of N              (N,) or (N, W)
slice pointer                  block address and slot: (2,) or (2, W) of uint64
struct, array                  a tuple of the members' or elements' values
void                           None
=============================  ==============================================
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from voltac.sema.types import (
    VARYING,
    Array,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Scalar,
    Struct,
    Type,
    Vector,
    Void,
    member_qual,
)

from .memory import UNDEFINED_BYTE

Value = Any
"""One of the representations above."""
Mask = npt.NDArray[np.bool_]
"""A set of lanes: W booleans."""

ADDRESS = np.dtype(np.uint64)

_KINDS: dict[str, str] = {"int": "i", "uint": "u", "float": "f"}


@cache
def dtype_of(type: Type) -> np.dtype[Any]:
    """The dtype of one lane of a scalar, enum or pointer."""
    match type:
        case Scalar("bool", _):
            return np.dtype(np.bool_)
        case Scalar(kind, bits):
            return np.dtype(f"{_KINDS[kind]}{bits // 8}")
        case Enum():
            return np.dtype(np.uint32)
        case Pointer() | Reference() | FunctionType():
            return ADDRESS
    raise TypeError(f"{type} is no scalar type")


def is_slice(type: Type) -> bool:
    """Is this a pointer to soa data?"""
    return isinstance(type, Pointer) and type.to.rate.kind == "soa"


def members(qual: Qual) -> list[Qual]:
    """The types of the parts of a struct or array, as an object of type ``qual`` has them."""
    match qual.type:
        case Struct(members=parts):
            return [member_qual(qual, index) for index in range(len(parts or ()))]
        case Array(element, count):
            return [element] * (count or 0)
    raise TypeError(f"{qual} has no parts")


def constant(number: int | float | bool, qual: Qual, width: int) -> Value:
    """A number as a value of type ``qual``, the same in all lanes and elements."""
    match qual.type:
        case Void():
            return None
        case Struct() | Array():
            return tuple(constant(number, part, width) for part in members(qual))
    shape: tuple[int, ...] = (width,) if qual.rate == VARYING else ()
    element: Type = qual.type
    if isinstance(element, Vector):
        shape, element = (element.count, *shape), element.element
    elif is_slice(element):
        shape = (2, *shape)
    dtype = dtype_of(element)
    return np.full(shape, np.array(number).astype(dtype), dtype)[()]


def undefined(type: Type, width: int) -> Value:
    """What a load yields in lanes that do not take part: W elements that look like nothing sensible."""
    dtype = dtype_of(type)
    if dtype == np.bool_:
        return np.zeros(width, dtype)
    return np.full(width * dtype.itemsize, UNDEFINED_BYTE, np.uint8).view(dtype)


def broadcast(value: Value, source: Qual, target: Qual, width: int) -> Value:
    """A uniform value as a varying one; parts that have a rate of their own stay as they are."""
    if isinstance(source.type, Struct | Array):
        return tuple(broadcast(*part, width) for part in zip(value, members(source), members(target), strict=True))
    if source.rate == target.rate:
        return value
    return np.repeat(np.asarray(value)[..., np.newaxis], width, axis=-1)


def merge(lanes: Mask | np.bool_, new: Value, old: Value, qual: Qual) -> Value:
    """``new`` in ``lanes``, ``old`` elsewhere; uniform parts are ``new``."""
    if isinstance(qual.type, Void):
        return None
    if isinstance(qual.type, Struct | Array):
        return tuple(merge(lanes, *part) for part in zip(new, old, members(qual), strict=True))
    return np.where(lanes, new, old) if qual.rate == VARYING else new


def shared_members(value: Value, qual: Qual, active: Mask) -> Value:
    """What each lane read of a struct as a value: a member that is uniform in it is that of the lowest active lane."""
    if isinstance(qual.type, Struct | Array):
        return tuple(shared_members(*part, active) for part in zip(value, members(qual), strict=True))
    return value if qual.rate == VARYING else value[..., int(active.argmax())]


def lanes_holding(values: npt.NDArray[Any], active: Mask) -> list[tuple[Any, Mask]]:
    """Distinct values among the active lanes in the order of first occurrence, each with the lanes holding it.

    A NaN equals nothing, itself included: each NaN lane is a group of its own.
    """
    groups: list[tuple[Any, Mask]] = []
    left = active.copy()
    while left.any():
        first = int(np.argmax(left))
        same = left & (values == values[first])
        same[first] = True
        groups.append((values[first], same))
        left &= ~same
    return groups
