"""Physical lines that a backslash joins → one line whose tokens know their places in the file."""

from __future__ import annotations

from bisect import bisect_right

from voltac.messages.message import Span
from voltac.syntax.lexer import TOKEN
from voltac.syntax.macros import Token


class LogicalLine:
    """``starts``: the offset in the joined text at which each physical line begins."""

    __slots__ = ("file", "number", "starts", "text")

    def __init__(self, file: str, number: int, text: str, starts: list[int]) -> None:
        self.file = file
        self.number = number
        self.text = text
        self.starts = starts

    def place(self, begin: int, end: int) -> Span:
        """The place of the characters from one offset to the other."""
        starts = self.starts
        if len(starts) == 1:
            return Span(self.file, self.number, begin + 1, self.number, end + 1)
        first = bisect_right(starts, begin) - 1
        last = max(first, bisect_right(starts, end - 1) - 1)
        return Span(self.file, self.number + first, begin - starts[first] + 1, self.number + last, end - starts[last] + 1)

    def tokens(self, begin: int = 0) -> list[Token]:
        """The tokens from an offset on."""
        tokens = []
        end = begin
        for match in TOKEN.finditer(self.text, begin):
            start = match.start()
            tokens.append(Token(match.group(), self.place(start, match.end()), start > end or start == begin))
            end = match.end()
        return tokens
