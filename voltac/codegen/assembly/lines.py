"""A line of assembly text whose characters know their places, also when a macro made it."""

from __future__ import annotations

import re
from bisect import bisect_right

from voltac.messages.message import Note, Span


class SourceLine:
    """``marks``: from each offset on the characters stand at a place; ``fixed`` ones all at that of what they replace."""

    __slots__ = ("_offsets", "chain", "marks", "text")

    def __init__(self, text: str, marks: list[tuple[int, Span, bool]], chain: tuple[Note, ...] = ()) -> None:
        self.text = text
        self.marks = marks
        self.chain = chain
        """The macros that the line comes out of, innermost first."""
        self._offsets = [offset for offset, _, _ in marks]

    @classmethod
    def plain(cls, text: str, file: str, number: int) -> SourceLine:
        """A line as it stands in a file."""
        return cls(text, [(0, Span(file, number, 1, number, 1), False)])

    def span(self, begin: int, end: int) -> Span:
        """The place of the characters from one offset to the other."""
        which = max(0, bisect_right(self._offsets, begin) - 1)
        offset, place, fixed = self.marks[which]
        if fixed:
            return place
        limit = self._offsets[which + 1] if which + 1 < len(self._offsets) else max(end, begin + 1)
        column = place.column + begin - offset
        return Span(place.file, place.line, column, place.line, column + max(1, min(end, limit) - begin))

    def part(self, begin: int, end: int | None = None) -> SourceLine:
        """What stands from one offset to the other, at the same offsets."""
        return SourceLine(" " * begin + self.text[begin:end], self.marks, self.chain)

    def whole(self) -> Span:
        """The place of what stands on the line."""
        begin = len(self.text) - len(self.text.lstrip())
        return self.span(begin, len(self.text.rstrip()))


class BadStatement(Exception):
    """What is wrong with a stretch of the line."""

    def __init__(self, text: str, begin: int = -1, end: int = -1) -> None:
        super().__init__(text)
        self.begin = begin
        """Offset in the line; -1: the whole line."""
        self.end = end


class LinePiece:
    """A stretch of a line: ``text`` without the blanks around it, from offset ``begin`` on."""

    __slots__ = ("begin", "text")

    def __init__(self, text: str, begin: int) -> None:
        stripped = text.lstrip()
        self.begin = begin + len(text) - len(stripped)
        self.text = stripped.rstrip()

    @property
    def end(self) -> int:
        """Offset behind its last character."""
        return self.begin + len(self.text)

    def wrong(self, text: str) -> BadStatement:
        """The mistake that this piece is."""
        return BadStatement(text, self.begin, self.end)


_OPEN, _CLOSED = "([", ")]"
_NESTED = re.compile(r'["(\[)\]]')


def split_at_commas(piece: LinePiece) -> list[LinePiece]:
    """Operands: what stands between the commas that are in no parentheses and no string."""
    text = piece.text
    if not text:
        return []
    found = []
    start = depth = 0
    if _NESTED.search(text) is None:
        for part in text.split(","):
            found.append(LinePiece(part, piece.begin + start))
            start += len(part) + 1
        return found
    inside = False
    for position, character in enumerate(text):
        if character == '"' and text[position - 1 : position] != "\\":
            inside = not inside
        elif inside:
            continue
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSED:
            depth -= 1
        elif character == "," and depth <= 0:
            found.append(LinePiece(text[start:position], piece.begin + start))
            start = position + 1
    return [*found, LinePiece(text[start:], piece.begin + start)]
