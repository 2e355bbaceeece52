"""Values of LLVM text: pairs of a type and a name or a constant, and how constants and names are spelled."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple


class IR(NamedTuple):
    """A value: its LLVM type and its name or constant text."""

    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.type} {self.name}"


NOTHING = IR("void", "")
"""What an expression without a value yields."""
NULL = IR("ptr", "null")


def integer(type: str, value: int) -> IR:
    """A constant; ``type`` is for instance ``i32``."""
    return IR(type, str(value))


def boolean(value: bool) -> IR:
    """An i1."""
    return IR("i1", "true" if value else "false")


def zero(type: str) -> IR:
    """All bits zero, of any type."""
    return IR(type, "null" if type == "ptr" else "0" if type[0] == "i" else "zeroinitializer")


def poison(type: str) -> IR:
    """For lanes and members that are written later, or not looked at."""
    return IR(type, "poison")


def vector_type(width: int, element: str) -> str:
    """``<8 x float>`` of 8 and ``float``."""
    return f"<{width} x {element}>"


def floating(type: str, value: float) -> IR:
    """A floating-point constant, exactly: LLVM writes float constants with the bits of the equal double."""
    if type == "half":
        return IR(type, f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}")
    return IR(type, f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}")


def splat_constant(width: int, constant: IR) -> IR:
    """The same constant in all lanes."""
    if constant.name in ("zeroinitializer", "poison", "undef"):
        return IR(vector_type(width, constant.type), constant.name)
    return IR(vector_type(width, constant.type), f"splat ({constant})")


def same_elements(type: str, number: int) -> IR:
    """A number in each element of an integer or a vector."""
    lane = type.removesuffix(">").rpartition(" ")[2]
    return integer(lane, number) if type[0] != "<" else splat_constant(lanes_of(type), integer(lane, number))


def vector_constant(elements: Sequence[IR]) -> IR:
    """All of one type, and constants."""
    return IR(vector_type(len(elements), elements[0].type), f"<{', '.join(map(str, elements))}>")


def element_type(vector: str) -> str:
    """``float`` of ``<8 x float>``."""
    return vector[vector.index(" x ") + 3 : -1]


def lanes_of(type: str) -> int:
    """8 of ``<8 x float>``; 0 of what is no vector."""
    return int(type[1:].partition(" ")[0]) if type[0] == "<" else 0


def is_constant(value: IR) -> bool:
    """True for constants that may be spelled inside ``splat`` and initialisers."""
    return value.name[0] not in "%"


NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-")


def global_name(name: str) -> str:
    """``@name``, quoted where LLVM wants quotes."""
    return f"@{name}" if NAME_CHARACTERS.issuperset(name) and not name[0].isdigit() else f'@"{name}"'
