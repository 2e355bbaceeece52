"""Where the statements of a line begin and end, and the bodies of macros and repetitions, which are statements too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from voltac.codegen.assembly.lines import BadStatement, LinePiece, SourceLine

LABEL = re.compile(r"([A-Za-z_.][\w.$]*|\d+|\"[^\"]+\")\s*:(?!:)", re.ASCII)
WORD = re.compile(r"[^\s(]+")
"""A mnemonic, or the name of a directive or macro."""
BODIES = {".macro": ".endm", ".rept": ".endr", ".rep": ".endr", ".irp": ".endr", ".irpc": ".endr"}
"""What begins a body of statements, and what ends it."""
_STOP, _STOP_OR_BRACE = re.compile("[;#]"), re.compile("[;#{}]")


def named(word: str) -> str:
    """What a word names: directives may be written in capitals."""
    return word.lower() if word.startswith(".") else word


def end_of_statement(text: str, position: int, in_braces: bool) -> int:
    """The offset behind a statement that begins at another; ``in_braces``: whether braces end it."""
    if '"' not in text:
        found = (_STOP_OR_BRACE if in_braces else _STOP).search(text, position)
        return len(text) if found is None else found.start()
    inside = False
    stops = ";#{}" if in_braces else ";#"
    while position < len(text):
        character = text[position]
        if character == '"' and text[position - 1 : position] != "\\":
            inside = not inside
        elif character in stops and not inside:
            return position
        position += 1
    return position


def statements(text: str, in_braces: bool) -> Iterator[LinePiece]:
    """Those of a line, without labels and braces."""
    position = 0
    while position < len(text) and text[position] != "#":
        found = LABEL.match(text, position)
        if found is not None:
            position = found.end()
        elif text[position].isspace() or text[position] == ";" or (in_braces and text[position] in "{}"):
            position += 1
        else:
            end = end_of_statement(text, position, in_braces)
            yield LinePiece(text[position:end], position)
            position = end


def body_of(word: str, lines: Iterable[SourceLine], in_braces: bool) -> tuple[list[SourceLine], SourceLine]:
    """What stands before the statement that ends what ``word`` begins, and the rest of that one's line.

    BadStatement where nothing ends it.
    """
    body: list[SourceLine] = []
    depth: list[str] = [BODIES[word]]
    for line in lines:
        for piece in statements(line.text, in_braces):
            first = WORD.match(piece.text)
            name = named(first[0]) if first is not None else ""
            if name in BODIES:
                depth.append(BODIES[name])
            elif name == depth[-1] or (name == ".endmacro" and depth[-1] == ".endm"):
                depth.pop()
                if not depth:
                    body.append(line.part(0, piece.begin))
                    return [one for one in body if one.text.strip()], line.part(piece.end)
        body.append(line)
    raise BadStatement(f"'{BODIES[word]}' is missing: nothing ends this '{word}'")
