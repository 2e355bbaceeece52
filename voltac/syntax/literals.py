"""The text of a literal → its value and type (language 2.4 to 2.6)."""

from __future__ import annotations

import re

from voltac.system.lazy_patterns import lazy_pattern

_INTEGER = lazy_pattern(r"(0[xX][0-9a-fA-F]+|0b[01]+|[0-9]+)([kMG]?)([uU][lL]{0,2}|[lL]{1,2}[uU]?)?", re.ASCII)
_SCALE = {"": 1, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_FLOAT = lazy_pattern(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_FORTRAN = lazy_pattern(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+))[dD]([+-]?[0-9]+)", re.ASCII)
_HEX_FLOAT = lazy_pattern(r"0[xX][01](?:\.[0-9a-fA-F]*)?[pP][+-]?[0-9]+", re.ASCII)
_FLOAT_TYPES = {"": "float", "f": "float", "F": "float", "d": "double", "D": "double", "f16": "float16", "F16": "float16"}
_SIMPLE_ESCAPES = {
    "\\": "\\", '"': '"', "'": "'", "?": "?", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_ESCAPE = lazy_pattern(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|(.))", re.DOTALL)


class BadLiteral(ValueError):
    """The literal is wrong; ``str()`` says how."""


def integer(text: str) -> tuple[int, str]:
    """Value and fixed type; the type is ``""`` where value and target decide."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        raise BadLiteral(_bad_number(text, "integer"))
    digits, scale, suffix = match.groups()
    if digits[:2] in ("0x", "0X"):
        value = int(digits[2:], 16)
    elif digits[:2] == "0b":
        value = int(digits[2:], 2)
    elif digits[0] == "0" and len(digits) > 1:
        wrong = next((digit for digit in digits if digit in "89"), "")
        if wrong:
            decimal = digits.lstrip("0")
            raise BadLiteral(f"'{wrong}' is not an octal digit: a number that starts with 0 is octal; write '{decimal}'")
        value = int(digits, 8)
    else:
        value = int(digits) if len(digits) < 40 else 1 << 64
    value *= _SCALE[scale]
    suffix = (suffix or "").lower()
    if value >= 1 << 64:
        raise BadLiteral(f"the constant '{short(text)}' does not fit into 64 bits")
    unsigned = "u" in suffix
    longs = suffix.count("l")
    if longs == 2:
        return (value, "uint64") if unsigned else (_wrap(value, 64), "int64")
    if longs == 1:
        return (value & 0xFFFFFFFF, "uint32") if unsigned else (_wrap(value, 32), "int32")
    if unsigned:
        return value, "uint32" if value <= 0xFFFFFFFF else "uint64"
    return value, ""


def floating(text: str) -> tuple[float, str, str]:
    """Value, type and, where the text is doubtful, a warning."""
    for pattern in (_HEX_FLOAT, _FORTRAN, _FLOAT):
        match = pattern.match(text)
        if match is None:
            continue
        suffix = text[match.end() :]
        if pattern is _FORTRAN:
            if suffix:
                break
            return float(f"{match[1]}e{match[2]}"), "double", ""
        if suffix not in _FLOAT_TYPES:
            break
        if pattern is _HEX_FLOAT:
            return _from_hex(match[0]), _FLOAT_TYPES[suffix], ""
        if match[0].isdigit():
            kind = _FLOAT_TYPES[suffix]
            if kind != "float":
                raise BadLiteral(f"a {kind} constant needs a decimal point: write '{match[0]}.{suffix}'")
            return float(match[0]), kind, f"this float constant has no decimal point; write '{match[0]}.{suffix}'"
        return float(match[0]), _FLOAT_TYPES[suffix], ""
    raise BadLiteral(_bad_number(text, "floating point"))


def string(text: str) -> str:
    """The characters between the quotes; bytes above 127 given as escapes become surrogates (``surrogateescape``)."""
    body = text[1:-1]
    return _ESCAPE.sub(_escaped, body) if "\\" in body else body


def _escaped(match: re.Match[str]) -> str:
    hexadecimal, octal, simple = match.groups()
    if simple is not None:
        found = _SIMPLE_ESCAPES.get(simple)
        if found is None:
            raise BadLiteral(f"unknown escape sequence '\\{simple}'; write '\\\\{simple}' for a backslash")
        return found
    value = (int(hexadecimal, 16) if hexadecimal else int(octal, 8)) & 0xFF
    return chr(value) if value < 128 else chr(0xDC00 + value)


def _from_hex(text: str) -> float:
    """The value; below an exponent of -1023 it is 0, as in the compatible compiler, which divides by 2 to that power."""
    digits, exponent = re.split("[pP]", text)
    sign, size = exponent[:1] == "-", exponent.lstrip("+-0") or "0"
    power = int(size) if len(size) < 6 else 100_000
    if sign and power > 1023:
        return 0.0
    try:
        return float.fromhex(f"{digits}p{-power if sign else power}")
    except OverflowError:
        return float("inf")


def _wrap(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def short(text: str) -> str:
    """A token as it is shown: long ones are cut."""
    return text if len(text) <= 40 else text[:37] + "..."


def _bad_number(text: str, what: str) -> str:
    good = re.match(r"0[xX][0-9a-fA-F]+|0b[01]+|[0-9]*\.?[0-9]+(?:[eEdD][+-]?[0-9]+)?|[0-9]+", text, re.ASCII)
    if text[:2] in ("0x", "0X") and what == "floating point":
        return f"'{short(text)}' is not a hexadecimal floating point constant: those look like '0x1.8p3'"
    if re.match(r"[0-9]*\.?[0-9]*[eE]$", text, re.ASCII):
        return f"the exponent of '{short(text)}' has no digits: write '{short(text)}0'"
    if good and good.end() < len(text):
        return f"'{short(text[good.end() :])}' is not a suffix of a number in '{short(text)}'"
    return f"'{short(text)}' is not a valid {what} constant"
