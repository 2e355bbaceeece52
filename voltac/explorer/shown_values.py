"""Objects of an interpreted program as texts: a struct or an array as its scalars, each one text or one for each lane."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from voltac.interpreter.machine import Location, ProgramState
from voltac.interpreter.memory import UNDEFINED_BYTE
from voltac.messages.message import NOWHERE
from voltac.records import replace
from voltac.sema.types import BOOL, UINT8, Array, Enum, Pointer, Scalar, Struct, Type, Vector

MOST_PARTS = 16
"""Of an array only the first elements are shown: a table with more rows is not read."""
_LEAST_BYTES = 4
"""Of fewer bytes a number that was stored may look like one that never was."""

AddressText = Callable[[int], str]


def scalars(machine: ProgramState, name: str, location: Location) -> Iterator[tuple[str, Location]]:
    """The scalars that an object consists of, with their names."""
    storage = location.storage
    match storage.type:
        case Struct(members=members):
            for member, part in zip(members or (), machine.parts(location), strict=True):
                yield from scalars(machine, f"{name}.{member.name}", part)
        case Array(element, count):
            # Of soa structs a block holds several.
            is_soa = element.rate.kind == "soa" and isinstance(element.type, Struct)
            yield from _elements(machine, name, location, (count or 0) * (element.rate.width if is_soa else 1))
        case Vector(count=count):
            yield from _elements(machine, name, location, count)
        case _ if storage.rate.kind == "soa" and location.slot is None:
            for slot in range(min(storage.rate.width, MOST_PARTS)):
                yield f"{name}[{slot}]", machine.part(location, slot)
        case _:
            yield name, location


def _elements(machine: ProgramState, name: str, location: Location, count: int) -> Iterator[tuple[str, Location]]:
    for index in range(min(count, MOST_PARTS)):
        yield from scalars(machine, f"{name}[{index}]", machine.element(location, np.int64(index)))


def stored(machine: ProgramState, location: Location) -> Any:
    """The value of a scalar in every lane, a bool as its byte: one that was never written is neither 0 nor 1."""
    storage = location.storage
    if storage.type == BOOL:
        location = Location(replace(storage, type=UINT8), location.address, location.slot)
    return machine.load(location, machine.all_on, NOWHERE)


def texts(kind: Type, value: Any, address_text: AddressText) -> list[str | None]:
    """One text or one for each lane; None where nothing was ever written."""
    if isinstance(kind, Pointer) and kind.to.rate.kind == "soa":
        blocks, slots = (np.atleast_1d(half) for half in value)
        return [f"{address_text(int(block))} slot {slot}" for block, slot in zip(blocks, slots, strict=True)]
    return [_text(kind, element, address_text) for element in np.atleast_1d(value)]


def _text(kind: Type, element: Any, address_text: AddressText) -> str | None:
    if (kind == BOOL or element.itemsize >= _LEAST_BYTES) and set(element.tobytes()) == {UNDEFINED_BYTE}:
        return None
    match kind:
        case Scalar("bool", _):
            return "true" if element else "false"
        case Enum(values=values):
            return next((name for name, number in values.items() if number == element), str(element))
        case Pointer():
            return address_text(int(element))
    return number_text(element)


def number_text(number: Any) -> str:
    """The shortest digits that mean this number in its type."""
    return str(number).removesuffix(".0")


def element_text(element: Any) -> str:
    """An element of an array of the caller's: of a struct its members, of a vector its elements."""
    names = element.dtype.names
    if names:
        return ", ".join(f"{name} {element_text(element[name])}" for name in names)
    if isinstance(element, np.ndarray):
        return " ".join(element_text(one) for one in element)
    return "true" if element is np.True_ else "false" if element is np.False_ else number_text(element)
