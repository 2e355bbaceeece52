"""What a check of a checked run found (``voltac/lower/checks``) → the exception and its words."""

from __future__ import annotations

import ctypes
import struct

from voltac.lower.checks.failed_check import SEPARATOR
from voltac.lower.control_flow.failure_exits import NOT_FINITE, OUTSIDE, RACE, UNWRITTEN
from voltac.messages.visible import visible_name
from voltac.python.failure_texts import message_of, named_lanes


def failed_check(kind: int, text: bytes, lanes: int, first: int, second: int, third: int, caller: int) -> Exception:
    """IndexError, FloatingPointError or RuntimeError; ``caller`` is the address of the place where the library was called."""
    place, *parts = text.decode("utf-8", "surrogateescape").split(SEPARATOR)
    if not place and caller:
        place = ctypes.string_at(caller).decode("utf-8", "surrogateescape")
    place = message_of(place.encode("utf-8", "surrogateescape")) + " " if place else ""
    lane = _first_lane(lanes)
    match kind:
        case _ if kind == OUTSIDE:
            return IndexError(place + _outside(lane, parts, _signed(first), second, third))
        case _ if kind == RACE:
            return RuntimeError(f"{place}several lanes write different values to one element{named_lanes(lanes)}")
        case _ if kind == UNWRITTEN:
            return RuntimeError(f"{place}reads '{visible_name(parts[0])}' before it is written{named_lanes(lanes)}")
    assert kind == NOT_FINITE
    return FloatingPointError(f"{place}{_number(third)} is born{lane}: {parts[0].format(_number(first), _number(second))}")


def _first_lane(lanes: int) -> str:
    return f" in lane {(lanes & -lanes).bit_length() - 1}" if lanes else ""


def _outside(lane: str, parts: list[str], offset: int, size: int, wanted: int) -> str:
    """``offset``, ``size`` and ``wanted`` in bytes: where the access begins, of the array, of the access."""
    verb, name, unit = parts[0], visible_name(parts[1]), int(parts[2])
    if not wanted:
        return f"{verb} through {f'{name}, ' if name else ''}a null pointer{lane}"
    index, count = offset // unit, size // unit
    elements = "1 element" if count == 1 else f"{count} elements"
    several = f"{wanted // unit} elements from " if wanted > unit else ""
    if name:
        return f"{verb} {several}{name}[{index}]{lane}{' on' if several else ''}, and {name} has {elements}"
    return f"{verb} {several or 'element '}{index}{lane} of an array that has {elements}"


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _number(bits: int) -> str:
    return f"{struct.unpack('d', struct.pack('Q', bits))[0]:.9g}"
