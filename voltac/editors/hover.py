"""What is said of a place: its declaration with type and rate, documentation, and what the access there became."""

from __future__ import annotations

import re

from voltac.editors.documents import OpenDocument
from voltac.editors.positions import Range, contains, lines_of
from voltac.editors.words import LIBRARY, Word, words

_WORD = re.compile(r"[A-Za-z_]\w*")


def hover(document: OpenDocument, line: int, column: int, character: int) -> tuple[str, Range] | None:
    """Markdown and the range it is about; None where there is nothing to say.

    ``column`` is in the units of the client, ``character`` says how many characters are before it.
    """
    parts: list[str] = []
    named = document.names.at(line, column)
    range: Range | None = None
    if named is not None:
        range, entry = named
        word = words().get(entry.name) if entry.kind in ("library", "built-in") else None
        form = word.forms[0] if word is not None and entry.kind == "built-in" else entry.detail
        parts.append(_code(form))
        text = word.text if word is not None else entry.documentation
        parts += [text] if text else []
    elif (known := _word_at(document, line, character)) is not None:
        word, begin, end = known
        parts += [*map(_code, word.forms), word.text]
        range = (line, column - (character - begin), line, column + (end - character))
    else:
        around = [one for one in document.names.types if contains(one[0], line, column)]
        innermost = min(around, key=lambda one: (one[0][2] - one[0][0], one[0][3] - one[0][1]), default=None)
        if innermost is not None:
            range, type = innermost
            parts.append(_code(type))
    outcomes = [one for one in document.outcomes if contains(one.range, line, column)]
    if outcomes:
        parts.append("\n".join(f"* {one.text}" for one in outcomes) + f"\n\n({document.heading})")
        range = range or outcomes[0].range
    return ("\n\n".join(parts), range) if parts and range is not None else None


def _code(text: str) -> str:
    return f"```ispc\n{text}\n```"


def _word_at(document: OpenDocument, line: int, column: int) -> tuple[Word, int, int] | None:
    """A word of the language at a position in characters."""
    lines = lines_of(document.text)
    for match in _WORD.finditer(lines[line] if line < len(lines) else ""):
        if match.start() <= column <= match.end():
            word = words().get(match[0])
            return (word, match.start(), match.end()) if word is not None and word.heading != LIBRARY else None
    return None
