"""Directives that make data, numbers and texts and what fills: name → what it does with the text behind it."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from voltac.codegen.assembly.expressions import half_bits
from voltac.codegen.assembly.lines import BadStatement, LinePiece, split_at_commas
from voltac.codegen.assembly.state import AssemblyState, data_bytes

Directive = Callable[[AssemblyState, LinePiece], None]

_LARGEST = 1 << 30
"""Bytes that one directive may make: more than any device has, and a mistake in the number does not fill the host's memory."""
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"\s*')
_ESCAPES = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12, "\\": 92, '"': 34}
_OCTAL = re.compile(r"[0-7]{1,3}")
_HEXADECIMAL = re.compile(r"x([0-9a-fA-F]+)")
_FLOAT_PREFIX = re.compile(r"(?<![\w.])0[dDfFrRsS](?=[+-]?[\d.])")
_FLOAT_SUFFIX = re.compile(r"(?<=[\d.])[fF]$")
_HALF = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+[eE][+-]?\d+)([eE][+-]?\d+)?h?")
_GROUP = 7
"""Bits of a number in a byte of LEB128, whose highest bit says that there are more."""


def listed(rest: LinePiece) -> list[LinePiece]:
    """The operands, of which none is missing."""
    pieces = split_at_commas(rest)
    for piece in pieces:
        if not piece.text:
            raise piece.wrong("a number is missing")
    return pieces


def _numbers(size: int) -> Directive:
    def directive(state: AssemblyState, rest: LinePiece) -> None:
        for piece in listed(rest):
            state.number(piece, size)

    return directive


def _halves(state: AssemblyState, rest: LinePiece) -> None:
    for piece in listed(rest):
        if _HALF.fullmatch(piece.text):
            state.add(data_bytes(half_bits(piece), 2, piece))
        else:
            state.number(piece, 2)


def _floats(form: str) -> Directive:
    def directive(state: AssemblyState, rest: LinePiece) -> None:
        for piece in listed(rest):
            state.add(_float(form, piece))

    return directive


def _float(form: str, piece: LinePiece) -> bytes:
    text = piece.text
    try:
        value = float.fromhex(text) if "0x" in text.lower() else float(_FLOAT_SUFFIX.sub("", _FLOAT_PREFIX.sub("", text)))
        return struct.pack(form, value)
    except (ValueError, OverflowError):
        raise piece.wrong(f"'{text}' is no number that fits here") from None


def _variable_length(signed: bool) -> Directive:
    """Numbers in LEB128 (DWARF 4, 7.6)."""

    def directive(state: AssemblyState, rest: LinePiece) -> None:
        for piece in listed(rest):
            number = state.known_number(piece, "a number of variable length")
            if number < 0 and not signed:
                raise piece.wrong(f"{number} has a sign: '.sleb128' takes such")
            state.add(leb128(number, signed))

    return directive


def leb128(number: int, signed: bool) -> bytes:
    """The bytes, the lowest bits first; the last one's second highest bit is the sign of a signed number."""
    out = bytearray()
    while True:
        low = number & (1 << _GROUP) - 1
        number >>= _GROUP
        rest = -(low >> _GROUP - 1) if signed else 0
        if number == rest:
            return bytes([*out, low])
        out.append(low | 1 << _GROUP)


def _strings(end: bytes, width: int = 1) -> Directive:
    """Texts, each byte as a number of ``width`` bytes."""

    def directive(state: AssemblyState, rest: LinePiece) -> None:
        for piece in listed(rest):
            state.add(b"".join(byte.to_bytes(width, "little") for byte in _string(piece) + end))

    return directive


def _string(piece: LinePiece) -> bytes:
    """One text, or several with nothing but blanks between them."""
    out = bytearray()
    position = 0
    while position < len(piece.text):
        match = _STRING.match(piece.text, position)
        if match is None:
            raise piece.wrong('here stands a text in quotation marks, as in .asciz "text"')
        out += _unescaped(match[1], piece)
        position = match.end()
    return bytes(out)


def _unescaped(text: str, piece: LinePiece) -> bytes:
    out = bytearray()
    position = 0
    while position < len(text):
        if text[position] != "\\":
            out += text[position].encode("utf-8")
            position += 1
            continue
        position += 1
        octal = _OCTAL.match(text, position)
        if octal is not None:
            out.append(int(octal[0], 8) & 0xFF)
            position = octal.end()
            continue
        hexadecimal = _HEXADECIMAL.match(text, position)
        if hexadecimal is not None:
            out.append(int(hexadecimal[1], 16) & 0xFF)
            position = hexadecimal.end()
            continue
        if text[position] not in _ESCAPES:
            known = ", ".join("\\" + key for key in _ESCAPES)
            raise piece.wrong(
                f"unknown escape '\\{text[position]}'; there are {known}, up to three octal digits, \\x with hexadecimal ones"
            )
        out.append(_ESCAPES[text[position]])
        position += 1
    return bytes(out)


def _space(size: int) -> Directive:
    """``.space count, fill``, of so many numbers of ``size`` bytes."""

    def directive(state: AssemblyState, rest: LinePiece) -> None:
        pieces = listed(rest)
        if not 1 <= len(pieces) <= 2:
            raise rest.wrong("here stand how many and, if wanted, the number to fill them with: .space 8, 0xff")
        count = state.known_number(pieces[0], "the number of bytes")
        value = state.known_number(pieces[1], "the number to fill with") if len(pieces) > 1 else 0
        fill_section(state, count, value, size, rest)

    return directive


def _repeated(state: AssemblyState, rest: LinePiece) -> None:
    """``.fill count, size, value``."""
    pieces = listed(rest)
    if not 1 <= len(pieces) <= 3:
        raise rest.wrong("'.fill' takes a count, the bytes of each, and the value: .fill 8, 4, 0")
    numbers = [state.known_number(piece, "an operand of '.fill'") for piece in pieces]
    count, size, value = numbers + [0, 1, 0][len(numbers) :]
    if not 0 <= size <= 8:
        raise rest.wrong(f"'.fill' makes numbers of 0 to 8 bytes, not {size}")
    fill_section(state, count, value, size, rest)


def fill_section(state: AssemblyState, count: int, value: int, size: int, rest: LinePiece) -> None:
    """So many numbers of ``size`` bytes with one value; BadStatement where ``rest`` asks for more than there can be."""
    if not 0 <= count * size <= _LARGEST:
        raise rest.wrong(f"{count * size} bytes: a program has room for 0 to {_LARGEST}")
    if state.section.kind == "zeros":
        if value:
            raise BadStatement(f"section '{state.section.name}' has zeros only")
        state.section.zeros += count * size
    else:
        state.add((value & (1 << 8 * size) - 1).to_bytes(size, "little") * count)


_SIZES = {"b": 1, "w": 2, "l": 4}
"""Bytes of ``.dc.w`` and its like."""

DATA_DIRECTIVES: dict[str, Directive] = {
    **dict.fromkeys((".byte", ".1byte"), _numbers(1)),
    **dict.fromkeys((".half", ".short", ".hword", ".value", ".float16"), _halves),
    ".2byte": _numbers(2),
    **dict.fromkeys((".word", ".long", ".int", ".4byte"), _numbers(4)),
    **dict.fromkeys((".quad", ".8byte"), _numbers(8)),
    ".octa": _numbers(16),
    **dict.fromkeys((".float", ".single", ".dc.s"), _floats("<f")),
    **dict.fromkeys((".double", ".dc.d"), _floats("<d")),
    **{f".dc.{letter}": _numbers(size) for letter, size in _SIZES.items()},
    **{f".{name}.{letter}": _space(size) for letter, size in _SIZES.items() for name in ("ds", "dcb")},
    ".dc": _numbers(2),
    ".dc.a": _numbers(4),
    **dict.fromkeys((".ds", ".dcb"), _space(2)),
    ".uleb128": _variable_length(False),
    ".sleb128": _variable_length(True),
    ".ascii": _strings(b""),
    **dict.fromkeys((".asciz", ".string", ".string8"), _strings(b"\0")),
    ".string16": _strings(b"\0", 2),
    ".string32": _strings(b"\0", 4),
    **dict.fromkeys((".space", ".skip", ".zero"), _space(1)),
    ".fill": _repeated,
}
"""Numbers are little-endian; ``.dc`` and its like without a letter take two bytes."""
