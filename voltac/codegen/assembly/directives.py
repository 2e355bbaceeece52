"""Directives that make sections and symbols, and those of data: name → what it does with the text behind it."""

from __future__ import annotations

import re

from voltac.codegen.assembly.data_directives import DATA_DIRECTIVES, Directive, fill_section, listed
from voltac.codegen.assembly.lines import BadStatement, LinePiece, split_at_commas
from voltac.codegen.assembly.state import AssemblyState
from voltac.codegen.encoding import encode

_LARGEST_ALIGNMENT = 1 << 16
"""Bytes, as much as a page of any system."""
_LARGEST_PART = 8192
"""As in GNU as."""
_PART = re.compile(r"\.part\d+$")
_SAYS_SOMETHING = re.compile(r"\.(comment|note|debug|stab|llvm)")
"""Sections for other tools, which no program has in memory."""
_TYPES = frozenset(
    ("function", "func", "object", "notype", "common", "tls_object", "gnu_unique_object", "gnu_indirect_function")
)
_TYPE = re.compile(r"([\w.$]+|\"[^\"]+\")\s*(?:,\s*|\s)[@%#]?(?:STT_)?\"?(\w+)\"?", re.ASCII)
_SYMBOL = re.compile(r"[A-Za-z_.$][\w.$]*|\"[^\"]+\"", re.ASCII)


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
    pieces = listed(rest)
    if not 1 <= len(pieces) <= 2:
        raise rest.wrong("'.org' takes an offset in the section and, if wanted, the byte to fill with: .org 64, 0")
    value = state.value(pieces[0], state.context())
    if value.section not in ("", state.section.name):
        raise pieces[0].wrong(f"'{pieces[0].text}' lies in another section")
    fill = state.known_number(pieces[1], "the byte to fill with") if len(pieces) > 1 else 0
    if value.number < state.section.size:
        raise pieces[0].wrong(f"'.org' goes back to {value.number}, and the section has {state.section.size} bytes")
    fill_section(state, value.number - state.section.size, fill, 1, rest)


def _common(exported: bool) -> Directive:
    """``.comm name, bytes, alignment``: zeros with a label."""

    def directive(state: AssemblyState, rest: LinePiece) -> None:
        pieces = listed(rest)
        if not 2 <= len(pieces) <= 3:
            raise rest.wrong("here stand a name, a number of bytes and, if wanted, the alignment: .lcomm sums, 64, 8")
        numbers = [state.known_number(piece, "a number of bytes") for piece in pieces[1:]]
        before, state.section = state.section, state.section_called(".bss", pieces[0])
        _align(False)(state, pieces[2] if len(pieces) > 2 else LinePiece(str(state.device.word_bytes), rest.begin))
        state.define_label(_symbol(pieces[0]), pieces[0])
        fill_section(state, numbers[0], 0, 1, rest)
        state.section = before
        if exported:
            state.exported.setdefault(_symbol(pieces[0]), state.line)

    return directive


def _named_section(name: str) -> Directive:
    """``.text`` and its like, behind which may stand the number of a part."""

    def directive(state: AssemblyState, rest: LinePiece) -> None:
        state.switch(_part(state, name, rest), rest)

    return directive


def _subsection(state: AssemblyState, rest: LinePiece) -> None:
    """``.subsection number``, of the section at hand."""
    state.switch(_part(state, _PART.sub("", state.section.name), rest), rest)


def _part(state: AssemblyState, name: str, rest: LinePiece) -> str:
    """The name of a numbered part of a section, which is one of its own and lies behind it."""
    number = state.known_number(rest, "the number of a part") if rest.text else 0
    if not 0 <= number <= _LARGEST_PART:
        raise rest.wrong(f"parts of a section have numbers from 0 to {_LARGEST_PART}, not {number}")
    return f"{name}.part{number}" if number else name


def _section(state: AssemblyState, rest: LinePiece) -> None:
    name, *flags = (piece.strip() for piece in rest.text.split(","))
    if not name:
        raise BadStatement("'.section' needs a name, as in '.section .text.scale'")
    section = name.strip('"')
    if state.device.place(section) is None:
        if flags and flags[0].startswith('"'):
            # A name that says nothing, but flags that say where it lies.
            is_loaded, kind = "a" in flags[0] or "x" in flags[0], _kind_of_section(flags)
        elif _SAYS_SOMETHING.match(section):
            is_loaded, kind = False, ".rodata"
        else:
            is_loaded, kind = True, ""
        section = f"{kind}.{section.lstrip('.')}" if kind else section
        if not is_loaded:
            state.not_loaded.add(section)
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
    match = _TYPE.fullmatch(rest.text)
    if match is None or match[2].lower() not in _TYPES:
        raise rest.wrong("'.type' takes a label and @function or @object")


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
    ".subsection": _subsection,
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
        (
            ".list",
            ".nolist",
            ".title",
            ".sbttl",
            ".eject",
            ".psize",
            ".line",
            ".ln",
            ".version",
            ".protected",
            ".internal",
            ".symver",
            ".addrsig",
            ".addrsig_sym",
            ".func",
            ".endfunc",
            ".warning",
            ".print",
        ),
        _nothing,
    ),
    ".type": _type,
    ".size": _size,
    ".set": _set(False),
    ".equ": _set(False),
    ".equiv": _set(True),
    **DATA_DIRECTIVES,
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
