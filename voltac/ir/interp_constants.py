"""Constants as LLVM assembly writes them -> values of the IR interpreter (``interp_values.py``)."""

from __future__ import annotations

import re
from collections.abc import Callable

from voltac.ir.interp_operations import bitcast
from voltac.ir.interp_values import (
    ROUND,
    InstructionFault,
    Kind,
    KindTable,
    Value,
    float_of_bits,
    poison,
    to_signed,
    zero,
)
from voltac.ir.parts import parse_operand
from voltac.ir.scan import split_list
from voltac.system.lazy_patterns import lazy_pattern

_ESCAPE = lazy_pattern(rb"\\(\\|[0-9A-Fa-f]{2})")


def constant(kinds: KindTable, kind: Kind, text: str, address_of: Callable[[str], int]) -> Value:
    """The value of a constant as written. ``address_of`` knows globals and functions (with their ``@``)."""
    match text:
        case "zeroinitializer" | "null":
            return zero(kind)
        case "poison" | "undef":
            return poison(kind)
        case "true":
            return 1
        case "false" | "none":
            return 0
    first = text[0]
    if first == "@":
        return address_of(text)
    if kind.shape == "float" and (first in "-+0123456789"):
        return _float_constant(text, kind.bits)
    if first in "-0123456789":
        return int(text) & kind.mask
    if text.startswith('c"'):
        return list(_ESCAPE.sub(_unescaped, text[2:-1].encode("latin-1")))
    if text.startswith("splat ("):
        return [_typed(kinds, text[7:-1], address_of)] * kind.count
    if first in "<[{":
        inside = text[2:-2] if text.startswith("<{") else text[1:-1]
        return [_typed(kinds, item, address_of) for item in split_list(inside)]
    return _expression(kinds, kind, text, address_of)


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found.group(1)
    return code if code == b"\\" else bytes([int(code, 16)])


def _typed(kinds: KindTable, text: str, address_of: Callable[[str], int]) -> Value:
    operand = parse_operand(text)
    return constant(kinds, kinds[operand.type], operand.value, address_of)


def _float_constant(text: str, bits: int) -> float:
    if text.startswith("0xH"):
        return float_of_bits(int(text[3:], 16), 16)
    if text.startswith("0x"):
        return ROUND[bits](float_of_bits(int(text[2:], 16), 64))
    return ROUND[bits](float(text))


_CONSTANT_EXPRESSION = lazy_pattern(r"(\w+)((?: \w+)*) ?\((.*)\)$", re.DOTALL)


def _expression(kinds: KindTable, kind: Kind, text: str, address_of: Callable[[str], int]) -> Value:
    found = _CONSTANT_EXPRESSION.match(text)
    if found is None:
        raise InstructionFault(f"the constant {text} is not understood")
    operation, inside = found.group(1), found.group(3)
    match operation:
        case "getelementptr":
            source, base, *indices = split_list(inside)
            columns = [_spread(_typed(kinds, item, address_of), kind.count or 1) for item in (base, *indices)]
            bits = [kinds[parse_operand(item.removeprefix("inrange ")).type].scalar.bits for item in indices]
            addresses = [
                (address + constant_offset(kinds[source], list(map(to_signed, numbers, bits)))) & kind.scalar.mask
                for address, *numbers in zip(*columns)
            ]
            return addresses if kind.is_vector else addresses[0]
        case "bitcast":
            operand = parse_operand(inside.rpartition(" to ")[0])
            given = kinds[operand.type]
            return bitcast(given, kind)(constant(kinds, given, operand.value, address_of))
        case "ptrtoint" | "inttoptr" | "trunc" | "addrspacecast" | "ptrtoaddr":
            value = _typed(kinds, inside.rpartition(" to ")[0], address_of)
            return [element & kind.scalar.mask for element in value] if kind.is_vector else value & kind.mask
        case "add" | "sub" | "xor":
            left, right = (_typed(kinds, item, address_of) for item in split_list(inside))
            return {"add": left + right, "sub": left - right, "xor": left ^ right}[operation] & kind.mask
    raise InstructionFault(f"the constant {text} is not understood")


def _spread(value: Value, count: int) -> list[Value]:
    return value if type(value) is list else [value] * count


def constant_offset(source: Kind, indices: list[int]) -> int:
    """Bytes from a pointer to what constant getelementptr indices name."""
    offset = indices[0] * source.size
    for index in indices[1:]:
        if source.shape == "struct":
            offset += source.offsets[index]
            source = source.members[index]
        else:
            assert source.element is not None
            offset += index * source.element.size
            source = source.element
    return offset
