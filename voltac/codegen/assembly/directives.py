"""Directives that make data, sections and symbols: name → what it does with the text behind it."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from voltac.codegen.assembly.expressions import half_bits
from voltac.codegen.assembly.lines import BadStatement, LinePiece, split_at_commas
from voltac.codegen.assembly.state import AssemblyState, data_bytes
from voltac.codegen.encoding import encode

Directive = Callable[[AssemblyState, LinePiece], None]

_LARGEST = 1 << 30
"""Bytes that one directive may make: more than any device has, and a mistake in the number does not fill the host's memory."""
_LARGEST_ALIGNMENT = 1 << 16
"""Bytes, as much as a page of any system."""
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPES = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12, "\\": 92, '"': 34}
_OCTAL = re.compile(r"[0-7]{1,3}")
_HEXADECIMAL = re.compile(r"x([0-9a-fA-F]+)")
_FLOAT_SUFFIX = re.compile(r"(?<=[\d.])[fF]$")
_HALF = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+[eE][+-]?\d+)([eE][+-]?\d+)?h?")
_SYMBOL = re.compile(r"[A-Za-z_.$][\w.$]*|\"[^\"]+\"", re.ASCII)


def _numbers(size: int) -> Directive:
    def directive(state: AssemblyState, rest: LinePiece) -> None:
        for piece in _listed(rest):
            state.number(piece, size)

    return directive


def _halves(state: AssemblyState, rest: LinePiece) -> None:
    for piece in _listed(rest):
        if _HALF.fullmatch(piece.text):
            state.add(data_bytes(half_bits(piece), 2, piece))
        else:
            state.number(piece, 2)


def _floats(form: str) -> Directive:
    def directive(state: AssemblyState, rest: LinePiece) -> None:
        for piece in _listed(rest):
            try:
                state.add(struct.pack(form, float(_FLOAT_SUFFIX.sub("", piece.text))))
            except (ValueError, OverflowError):
                raise piece.wrong(f"'{piece.text}' is no number that fits here") from None

    return directive


def _listed(rest: LinePiece) -> list[LinePiece]:
    pieces = split_at_commas(rest)
    for piece in pieces:
        if not piece.text:
            raise piece.wrong("a number is missing")
    return pieces


def _strings(end: bytes) -> Directive:
    def directive(state: AssemblyState, rest: LinePiece) -> None:
        for piece in _listed(rest):
            state.add(_string(piece) + end)

    return directive


def _string(piece: LinePiece) -> bytes:
    match = _STRING.fullmatch(piece.text)
    if match is None:
        raise piece.wrong('here stands a text in quotation marks, as in .asciz "text"')
    out = bytearray()
    position, text = 0, match[1]
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


def _space(state: AssemblyState, rest: LinePiece) -> None:
    pieces = _listed(rest)
    if not 1 <= len(pieces) <= 2:
        raise rest.wrong("here stand a number of bytes and, if wanted, the byte to fill them with: .space 8, 0xff")
    size = state.known_number(pieces[0], "the number of bytes")
    fill = state.known_number(pieces[1], "the byte to fill with") if len(pieces) > 1 else 0
    _fill(state, size, fill, 1, rest)


def _repeated(state: AssemblyState, rest: LinePiece) -> None:
    """``.fill count, size, value``."""
    pieces = _listed(rest)
    if not 1 <= len(pieces) <= 3:
        raise rest.wrong("'.fill' takes a count, the bytes of each, and the value: .fill 8, 4, 0")
    numbers = [state.known_number(piece, "an operand of '.fill'") for piece in pieces]
    count, size, value = numbers + [0, 1, 0][len(numbers) :]
    if not 0 <= size <= 8:
        raise rest.wrong(f"'.fill' makes numbers of 0 to 8 bytes, not {size}")
    _fill(state, count, value, size, rest)


def _fill(state: AssemblyState, count: int, value: int, size: int, rest: LinePiece) -> None:
    if not 0 <= count * size <= _LARGEST:
        raise rest.wrong(f"{count * size} bytes: a program has room for 0 to {_LARGEST}")
    if state.section.kind == "zeros":
        if value:
            raise BadStatement(f"section '{state.section.name}' has zeros only")
        state.section.zeros += count * size
    else:
        state.add((value & (1 << 8 * size) - 1).to_bytes(size, "little") * count)


def _align(power: bool, fill_bytes: int = 1) -> Directive:
    def directive(state: AssemblyState, rest: LinePiece) -> None:
        pieces = split_at_commas(rest)
        if not 1 <= len(pieces) <= 3:
            raise BadStatement(
                "'.align' takes a number of bytes, if wanted what to fill with, and the most to fill: .align 8, 0, 4"
            )
        number = state.known_number(pieces[0], "an alignment")
        alignment = 1 << number if power and 0 <= number <= _LARGEST_ALIGNMENT.bit_length() else number
        if alignment <= 0 or alignment & alignment - 1 or alignment > _LARGEST_ALIGNMENT:
            raise pieces[0].wrong(f"an alignment is a power of two up to {_LARGEST_ALIGNMENT} bytes, not {alignment}")
        fill = state.known_number(pieces[1], "the byte to fill with") if len(pieces) > 1 and pieces[1].text else None
        if len(pieces) > 2 and -state.section.size % alignment > state.known_number(pieces[2], "the most bytes to fill"):
            return
        align_section(state, alignment, fill, fill_bytes)

    return directive


def align_section(state: AssemblyState, alignment: int, fill: int | None = None, fill_bytes: int = 1) -> None:
    """Go on at a multiple of so many bytes; instructions that do nothing fill a gap in code.

    ``fill`` is a number of ``fill_bytes``, the first of which may be cut off.
    """
    section = state.section
    section.alignment = max(section.alignment, alignment)
    missing = -section.size % alignment
    if section.kind == "zeros":
        section.zeros += missing
        return
    step = state.device.word_bytes
    nothing = state.device.instructions.by_mnemonic.get("nop")
    if fill is None and section.kind == "text" and nothing and not missing % step and not section.size % step:
        section.content += encode(nothing[0], [], state.device).to_bytes(step, "little") * (missing // step)
    else:
        unit = ((fill or 0) & (1 << 8 * fill_bytes) - 1).to_bytes(fill_bytes, "little")
        section.content += bytes(missing % fill_bytes) + unit * (missing // fill_bytes)


def _place(state: AssemblyState, rest: LinePiece) -> None:
    """``.org offset, fill`` in the section."""
    pieces = _listed(rest)
    if not 1 <= len(pieces) <= 2:
        raise rest.wrong("'.org' takes an offset in the section and, if wanted, the byte to fill with: .org 64, 0")
    value = state.value(pieces[0], state.context())
    if value.section not in ("", state.section.name):
        raise pieces[0].wrong(f"'{pieces[0].text}' lies in another section")
    fill = state.known_number(pieces[1], "the byte to fill with") if len(pieces) > 1 else 0
    if value.number < state.section.size:
        raise pieces[0].wrong(f"'.org' goes back to {value.number}, and the section has {state.section.size} bytes")
    _fill(state, value.number - state.section.size, fill, 1, rest)


def _common(exported: bool) -> Directive:
    """``.comm name, bytes, alignment``: zeros with a label."""

    def directive(state: AssemblyState, rest: LinePiece) -> None:
        pieces = _listed(rest)
        if not 2 <= len(pieces) <= 3:
            raise rest.wrong("here stand a name, a number of bytes and, if wanted, the alignment: .lcomm sums, 64, 8")
        numbers = [state.known_number(piece, "a number of bytes") for piece in pieces[1:]]
        before, state.section = state.section, state.section_called(".bss", pieces[0])
        _align(False)(state, pieces[2] if len(pieces) > 2 else LinePiece(str(state.device.word_bytes), rest.begin))
        state.define_label(_symbol(pieces[0]), pieces[0])
        _fill(state, numbers[0], 0, 1, rest)
        state.section = before
        if exported:
            state.exported.setdefault(_symbol(pieces[0]), state.line)

    return directive


def _named_section(name: str) -> Directive:
    def directive(state: AssemblyState, rest: LinePiece) -> None:
        # GNU as numbers parts of a section; a single one is enough.
        state.switch(name, rest)

    return directive


def _section(state: AssemblyState, rest: LinePiece) -> None:
    name, *flags = (piece.strip() for piece in rest.text.split(","))
    if not name:
        raise BadStatement("'.section' needs a name, as in '.section .text.scale'")
    section = name.strip('"')
    if flags and flags[0].startswith('"') and state.device.place(section) is None:
        # A name that says nothing, but flags that say where it lies.
        section = f"{_kind_of_section(flags)}.{section.lstrip('.')}"
    state.switch(section, LinePiece(name, rest.begin))


def _kind_of_section(flags: list[str]) -> str:
    """What the names of sections begin with that are executable, zeros only, written to, or only read."""
    if "x" in flags[0]:
        return ".text"
    if len(flags) > 1 and flags[1].lstrip("@%") == "nobits":
        return ".bss"
    return ".data" if "w" in flags[0] else ".rodata"


def _push(state: AssemblyState, rest: LinePiece) -> None:
    state.pushed.append(state.section)
    _section(state, rest)


def _pop(state: AssemblyState, rest: LinePiece) -> None:
    if not state.pushed:
        raise BadStatement("'.popsection' without '.pushsection'")
    state.previous, state.section = state.section, state.pushed.pop()


def _previous(state: AssemblyState, rest: LinePiece) -> None:
    if state.previous is None:
        raise BadStatement("there is no section before this one")
    state.previous, state.section = state.section, state.previous


def _global(state: AssemblyState, rest: LinePiece) -> None:
    pieces = split_at_commas(rest)
    if not pieces:
        raise BadStatement("'.globl' needs the name of a label")
    for piece in pieces:
        state.exported.setdefault(_symbol(piece), state.line)


def _symbol(piece: LinePiece) -> str:
    if not _SYMBOL.fullmatch(piece.text):
        raise piece.wrong(f"'{piece.text}' is no name of a label")
    return piece.text.strip('"')


def _type(state: AssemblyState, rest: LinePiece) -> None:
    pieces = split_at_commas(rest)
    if len(pieces) != 2 or pieces[1].text.lstrip("@%#") not in ("function", "object", "notype"):
        raise rest.wrong("'.type' takes a label and @function or @object")
    _symbol(pieces[0])


def _size(state: AssemblyState, rest: LinePiece) -> None:
    pieces = split_at_commas(rest)
    if len(pieces) != 2:
        raise rest.wrong("'.size' takes a label and a number of bytes: .size f, . - f")
    state.sizes[_symbol(pieces[0])] = (pieces[1], state.line, state.context())


def _set(once: bool) -> Directive:
    def directive(state: AssemblyState, rest: LinePiece) -> None:
        pieces = split_at_commas(rest)
        if len(pieces) != 2 or not _SYMBOL.fullmatch(pieces[0].text) or not pieces[1].text:
            raise rest.wrong("here stand a name and its value: .set count, 4")
        state.assign(pieces[0], pieces[1], once)

    return directive


def _nothing(state: AssemblyState, rest: LinePiece) -> None:
    """What says something to other tools."""


DIRECTIVES: dict[str, Directive] = {
    ".text": _named_section(".text"),
    ".data": _named_section(".data"),
    ".rodata": _named_section(".rodata"),
    ".bss": _named_section(".bss"),
    ".section": _section,
    ".pushsection": _push,
    ".popsection": _pop,
    ".previous": _previous,
    ".globl": _global,
    ".global": _global,
    ".weak": _global,
    ".local": _nothing,
    ".hidden": _nothing,
    ".extern": _nothing,
    ".file": _nothing,
    ".ident": _nothing,
    ".loc": _nothing,
    **dict.fromkeys(
        (".list", ".nolist", ".title", ".sbttl", ".eject", ".psize", ".line", ".ln", ".version", ".protected", ".internal"),
        _nothing,
    ),
    **dict.fromkeys(
        [
            f".cfi_{name}"
            for name in (
                "startproc",
                "endproc",
                "sections",
                "def_cfa",
                "def_cfa_offset",
                "def_cfa_register",
                "adjust_cfa_offset",
                "offset",
                "rel_offset",
                "restore",
                "register",
                "same_value",
                "undefined",
                "remember_state",
                "restore_state",
                "return_column",
            )
        ],
        _nothing,
    ),
    ".type": _type,
    ".size": _size,
    ".set": _set(False),
    ".equ": _set(False),
    ".equiv": _set(True),
    ".byte": _numbers(1),
    ".half": _halves,
    ".short": _halves,
    ".hword": _halves,
    ".2byte": _numbers(2),
    ".word": _numbers(4),
    ".long": _numbers(4),
    ".int": _numbers(4),
    ".4byte": _numbers(4),
    ".quad": _numbers(8),
    ".8byte": _numbers(8),
    ".float": _floats("<f"),
    ".single": _floats("<f"),
    ".double": _floats("<d"),
    ".ascii": _strings(b""),
    ".asciz": _strings(b"\0"),
    ".string": _strings(b"\0"),
    ".space": _space,
    ".skip": _space,
    ".zero": _space,
    ".fill": _repeated,
    ".align": _align(False),
    ".balign": _align(False),
    ".p2align": _align(True),
    ".balignw": _align(False, 2),
    ".balignl": _align(False, 4),
    ".p2alignw": _align(True, 2),
    ".p2alignl": _align(True, 4),
    ".org": _place,
    ".comm": _common(True),
    ".lcomm": _common(False),
}
"""Numbers are little-endian; ``.align`` takes bytes, ``.p2align`` a power of two."""
