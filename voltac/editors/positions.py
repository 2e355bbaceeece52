"""Places of the compiler → ranges of editors: lines from 0, columns in the units of the client's encoding.

The compiler counts lines and characters from 1. Editors count UTF-16 units (a character beyond the Basic Multilingual Plane
is two), unless both sides agree on something else; see the Language Server Protocol 3.17, Position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from voltac.messages.message import Span
from voltac.syntax.comments import with_newlines

Range = tuple[int, int, int, int]
"""First line, first column, last line, and the column behind the last."""
NO_RANGE: Range = (0, 0, 0, 0)
"""Of messages about no place, at the beginning."""


def lines_of(text: str) -> list[str]:
    """The lines of a document, as the compiler and the protocol divide it: at CR, LF and CR LF, nowhere else."""
    return with_newlines(text).split("\n")


def units(text: str, encoding: str) -> int:
    """How many units a text takes in ``utf-8``, ``utf-16`` or ``utf-32``; a surrogate alone is one of UTF-16."""
    if text.isascii() or encoding == "utf-32":
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def characters(line: str, column: int, encoding: str) -> int:
    """How many characters of a line lie before a column of the client; one beyond the end is the end."""
    if line.isascii() or encoding == "utf-32":
        return min(column, len(line))
    seen = 0
    for number, character in enumerate(line):
        if seen >= column:
            return number
        seen += units(character, encoding)
    return len(line)


class Ranges:
    """Spans → ranges, with the lines of the files they are in."""

    def __init__(self, sources: Mapping[str, Sequence[str]], encoding: str) -> None:
        self._sources, self._encoding = sources, encoding

    def of(self, span: Span) -> Range:
        """The range of a span; of one without a place, or of a line that is not there, the nearest there is."""
        lines = self._sources.get(span.file, ())
        first = self._place(lines, span.line, span.column)
        last = self._place(lines, span.end_line, span.end_column)
        return (*first, *max(first, last))

    def _place(self, lines: Sequence[str], line: int, column: int) -> tuple[int, int]:
        number, characters = max(line - 1, 0), max(column - 1, 0)
        if number >= len(lines):
            # Behind the last line; of a file whose lines are not known, the place in ASCII.
            return (number, characters) if not lines else (len(lines) - 1, units(lines[-1], self._encoding))
        return number, units(lines[number][:characters], self._encoding)


def contains(range: Range, line: int, column: int) -> bool:
    """Whether a position lies in a range, or right behind it, where the cursor is after its last character."""
    return range[:2] <= (line, column) <= range[2:]
