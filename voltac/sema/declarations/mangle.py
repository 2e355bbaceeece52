"""Symbol names of functions that are not exported (language 12.5)."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.sema.types import (
    UNIFORM,
    VARYING,
    Array,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Scalar,
    Struct,
    Vector,
    Void,
)

_SCALARS = {
    ("bool", 8): "b", ("int", 8): "t", ("uint", 8): "T", ("int", 16): "s", ("uint", 16): "S", ("int", 32): "i",
    ("uint", 32): "u", ("float", 16): "h", ("float", 32): "f", ("int", 64): "I", ("uint", 64): "U", ("float", 64): "d",
}  # fmt: skip
_RATES = {UNIFORM: "un", VARYING: "vy"}


def _rate(qual: Qual) -> str:
    return _RATES.get(qual.rate) or f"soa_{qual.rate.width}_"


def encode(qual: Qual) -> str:
    """The code of one type."""
    const = "C" if qual.const else ""
    match qual.type:
        case Void():
            return "v"
        case Scalar(kind, bits):
            return const + _rate(qual) + _SCALARS[kind, bits]
        case Enum(name):
            return f"{const}{_rate(qual)}enum_5B_{name}_5D_"
        case Pointer(to):
            return f"{const}{_rate(qual)}_3C_{encode(to)}_3E_"
        case Array(element, count):
            return f"{encode(element)}_5B_{count or ''}_5D_"
        case Vector(element, count):
            return f"{const}{_rate(qual)}{_SCALARS[element.kind, element.bits]}_3C_{count}_3E_"
        case Struct(name):
            return f"s_5B_{'_c_' if qual.const else ''}{_rate(qual)}{name}_5D_"
        case Reference(to):
            return "REF" + encode(to)
        case FunctionType(result, parameters):
            return "".join(map(encode, (result, *parameters)))
    raise TypeError(f"{qual} has no code")


def mangle(name: str, parameters: Sequence[Qual], unmasked: bool = False) -> str:
    """``name___`` and the parameter types; operators are spelled out, since assemblers don't take their characters."""
    plain = "".join(letter if letter.isalnum() or letter == "_" else f"_{ord(letter):02X}_" for letter in name)
    return f"{plain}{'___UM_' if unmasked else '___'}{''.join(map(encode, parameters))}"


def in_library(symbol: str) -> str:
    """The library's own functions: a program may define one of the same name and type."""
    return f"{symbol}.library"


def mangle_instance(name: str, arguments: Sequence[Qual | int], parameters: Sequence[Qual], unmasked: bool = False) -> str:
    """A template instance has the codes of its template arguments in between."""
    codes = "".join(encode(one) if isinstance(one, Qual) else str(int(one)) for one in arguments)
    return mangle(f"{name}___{codes}", parameters, unmasked)
