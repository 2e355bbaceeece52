"""Types and constants of LLVM assembly -> what the IR interpreter computes with.

====================  =======================================================
type                  value
====================  =======================================================
``iN``, ``ptr``       an int from 0 up to, but not including, two to its bits
``half`` ... double   a Python float, rounded to the type
vector, array,        a list of the elements' values
struct
poison of a scalar    None: poison is tracked element by element
====================  =======================================================

Values are never changed after they are made. Undef is taken for poison, the
stronger of the two, so a program that passes does not depend on either.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from ctypes import c_float
from dataclasses import dataclass
from typing import Any

from voltac.ir.types import DataLayout, array_parts, integer_bits, vector_parts

Value = Any
"""See the table above."""

_FLOAT_BITS = {"half": 16, "float": 32, "double": 64}
_FLOAT_CODES = {16: "e", 32: "f", 64: "d"}
_INTEGER_CODES = {8: "B", 16: "H", 32: "I", 64: "Q"}


class InstructionFault(Exception):
    """What the interpreted program did wrong; the machine adds where."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A type, taken apart. ``bits`` and ``mask`` are those of a scalar."""

    text: str
    shape: str
    """``int``, ``float``, ``ptr``, ``vector``, ``array``, ``struct`` or ``void``."""
    size: int
    """Bytes from one array element to the next."""
    alignment: int
    bits: int = 0
    count: int = 0
    element: Kind | None = None
    members: tuple[Kind, ...] = ()
    offsets: tuple[int, ...] = ()

    @property
    def mask(self) -> int:
        """All bits of a number."""
        return (1 << self.bits) - 1

    @property
    def is_vector(self) -> bool:
        """A list of scalars."""
        return self.shape == "vector"

    @property
    def scalar(self) -> Kind:
        """Of a vector its element, else the type itself."""
        return self.element if self.shape == "vector" and self.element is not None else self

    @property
    def stored_bytes(self) -> int:
        """Bytes a store writes."""
        match self.shape:
            case "int":
                return (self.bits + 7) // 8
            case "vector":
                return (self.count * self.scalar.bits + 7) // 8
        return self.size


class KindTable:
    """The types of one module by their text."""

    def __init__(self, layout: DataLayout) -> None:
        self.layout = layout
        self._known: dict[str, Kind] = {}

    def __getitem__(self, text: str) -> Kind:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._make(text)
        return found

    def _make(self, text: str) -> Kind:
        body = self.layout.resolve(text)
        if body == "void":
            return Kind(text, "void", 0, 1)
        size, alignment = self.layout.size(body), self.layout.alignment(body)
        if body == "ptr":
            return Kind(text, "ptr", size, alignment, bits=self.layout.pointer_bytes * 8)
        if body in _FLOAT_BITS:
            return Kind(text, "float", size, alignment, bits=_FLOAT_BITS[body])
        if vector := vector_parts(body):
            return Kind(text, "vector", size, alignment, count=vector[0], element=self[vector[1]])
        if array := array_parts(body):
            return Kind(text, "array", size, alignment, count=array[0], element=self[array[1]])
        if body[0] in "{<":
            members = tuple(self[member] for member in self.layout.members(body)[0])
            offsets = tuple(self.layout.member_offset(body, number) for number in range(len(members)))
            return Kind(text, "struct", size, alignment, count=len(members), members=members, offsets=offsets)
        if bits := integer_bits(body):
            return Kind(text, "int", size, alignment, bits=bits)
        raise InstructionFault(f"the type {text} has no values here")


def parts_of(kind: Kind) -> list[Kind]:
    """The types of an aggregate's elements."""
    if kind.shape == "struct":
        return list(kind.members)
    assert kind.element is not None
    return [kind.element] * kind.count


def uniform_value(kind: Kind, integer: Value, floating: Value) -> Value:
    """A value all of whose scalars are the same."""
    if kind.shape in ("vector", "array", "struct"):
        return [uniform_value(part, integer, floating) for part in parts_of(kind)]
    return floating if kind.shape == "float" else integer


def poison(kind: Kind) -> Value:
    """A value of a kind whose every part is poison."""
    return uniform_value(kind, None, None)


def zero(kind: Kind) -> Value:
    """A value of a kind whose every part is zero."""
    return uniform_value(kind, 0, 0.0)


def has_poison(value: Value) -> bool:
    """Whether any part is poison."""
    return any(map(has_poison, value)) if type(value) is list else value is None


# --- rounding and bits ------------------------------------------------------------------------------------------


def round_half(value: float) -> float:
    """To the nearest float16, ties to even; too large ones are infinite."""
    try:
        return float(struct.unpack("<e", struct.pack("<e", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def round_single(value: float) -> float:
    """To the nearest float32, ties to even."""
    return c_float(value).value


def round_double(value: float) -> float:
    """Python's floats are float64 already."""
    return value


ROUND: dict[int, Callable[[float], float]] = {16: round_half, 32: round_single, 64: round_double}
"""Bits of a floating-point type -> rounding of a double to it, to nearest even."""


def square_root(a: float) -> float:
    """NaN of negative numbers, where Python raises."""
    return math.nan if a != a or a < 0 else math.sqrt(a)


def to_signed(value: int, bits: int) -> int:
    """The signed number whose low bits these are."""
    return value - (1 << bits) if value >> (bits - 1) else value


class PatternNaN(float):
    """A NaN of 16 or 32 bits that Python's floats of 64 bits cannot hold: integers travel as floats through shuffles."""

    pattern: int
    bits: int

    def __new__(cls, pattern: int, bits: int) -> PatternNaN:
        """A NaN of Python's with the sign of the pattern."""
        made = super().__new__(cls, math.copysign(math.nan, -(pattern >> bits - 1) or 1))
        made.pattern, made.bits = pattern, bits
        return made


def float_bits(value: float, bits: int) -> int:
    """The bits of a float; a NaN that was made of bits has its own."""
    # Converted to another type it is a NaN like others.
    if value != value and type(value) is PatternNaN and value.bits == bits:
        return value.pattern
    return int.from_bytes(struct.pack("<" + _FLOAT_CODES[bits], value), "little")


def float_of_bits(pattern: int, bits: int) -> float:
    """The float of these bits; a NaN remembers them."""
    value = float(struct.unpack("<" + _FLOAT_CODES[bits], pattern.to_bytes(bits // 8, "little"))[0])
    return PatternNaN(pattern, bits) if value != value and float_bits(value, bits) != pattern else value


def integer_to_float(value: int, bits: int) -> float:
    """Rounded once: the double in between is rounded to odd, which loses no tie."""
    size = abs(value).bit_length()
    if size > 53:
        low = size - 53
        magnitude = abs(value)
        if bits == 64:
            return float(value)
        kept = (magnitude >> low << low) | ((magnitude & ((1 << low) - 1) != 0) << low)
        value = kept if value > 0 else -kept
    return ROUND[bits](float(value))


# --- bit patterns of whole values -------------------------------------------------------------------------------


def to_bits(kind: Kind, value: Value) -> tuple[int, int]:
    """A scalar or vector as an integer, first element lowest, and a mask of its poisoned bits."""
    scalar = kind.scalar
    elements = value if kind.is_vector else [value]
    total = poisoned = 0
    for number, element in enumerate(elements):
        shift = number * scalar.bits
        if element is None:
            poisoned |= scalar.mask << shift
        else:
            total |= (float_bits(element, scalar.bits) if scalar.shape == "float" else element) << shift
    return total, poisoned


def from_bits(kind: Kind, total: int, poisoned: int) -> Value:
    """The inverse of :func:`to_bits`; an element with any poisoned bit is poison."""
    scalar = kind.scalar
    elements: list[Value] = []
    for number in range(kind.count if kind.is_vector else 1):
        shift = number * scalar.bits
        if poisoned >> shift & scalar.mask:
            elements.append(None)
        else:
            pattern = total >> shift & scalar.mask
            elements.append(float_of_bits(pattern, scalar.bits) if scalar.shape == "float" else pattern)
    return elements if kind.is_vector else elements[0]


# --- memory form ------------------------------------------------------------------------------------------------
# ``defined`` has a byte for each byte of the data: 0 where nothing, or poison, was stored. A scalar none of whose bytes
# is defined is poison; of one that has some, the others are arbitrary (LLVM widens loads over padding).

_ARBITRARY = 0xA5
"""Neither 0 nor all ones: who uses it by mistake gets a result that is seen to be wrong."""


def _code(kind: Kind) -> str | None:
    scalar = kind.scalar
    return _FLOAT_CODES[scalar.bits] if scalar.shape == "float" else _INTEGER_CODES.get(scalar.bits)


def decode(kind: Kind, data: memoryview, defined: bytearray, at: int) -> Value:
    """The value of a type that lies at an offset."""
    if kind.shape in ("array", "struct"):
        offsets = kind.offsets or [number * part.size for number, part in enumerate(parts_of(kind))]
        return [decode(part, data, defined, at + offset) for part, offset in zip(parts_of(kind), offsets)]
    end = at + kind.stored_bytes
    code = _code(kind)
    if defined.find(0, at, end) < 0 and code is not None:
        values = struct.unpack_from(f"<{kind.count if kind.is_vector else 1}{code}", data, at)
        if code in "ef" and any(value != value for value in values):
            return from_bits(kind, int.from_bytes(data[at:end], "little"), 0)
        return list(values) if kind.is_vector else values[0]
    if code is not None and kind.is_vector:
        step = kind.scalar.size
        return [decode(kind.scalar, data, defined, at + number * step) for number in range(kind.count)]
    missing = [number for number in range(at, end) if not defined[number]]
    if len(missing) == end - at:
        return poison(kind)
    content = bytearray(data[at:end])
    for number in missing:
        content[number - at] = _ARBITRARY
    return from_bits(kind, int.from_bytes(content, "little"), 0)


def encode(kind: Kind, value: Value, data: memoryview, defined: bytearray, at: int) -> None:
    """Put a value at an offset; poisoned elements become bytes that are not defined."""
    if kind.shape in ("array", "struct"):
        offsets = kind.offsets or [number * part.size for number, part in enumerate(parts_of(kind))]
        for part, offset, element in zip(parts_of(kind), offsets, value):
            encode(part, element, data, defined, at + offset)
        return
    size = kind.stored_bytes
    code = _code(kind)
    if code is not None and kind.is_vector and None in value:
        step = kind.scalar.size
        for number, element in enumerate(value):
            encode(kind.scalar, element, data, defined, at + number * step)
        return
    if value is None:
        defined[at : at + size] = bytes(size)
        return
    defined[at : at + size] = b"\1" * size
    if code is not None:
        values = value if kind.is_vector else [value]
        if code not in "ef" or all(each == each for each in values):
            struct.pack_into(f"<{len(values)}{code}", data, at, *values)
            return
    total, poisoned = to_bits(kind, value)
    data[at : at + size] = total.to_bytes(size, "little")
    for number in range(size):
        if poisoned >> 8 * number & 0xFF:
            defined[at + number] = 0
