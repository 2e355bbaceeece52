"""What the builders of declarations, statements and expressions share: the tokens, their spans, the names."""

from __future__ import annotations

from typing import TypeVar, cast

from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import Expanded, Span
from voltac.syntax import ast, literals
from voltac.syntax.names import Names

_T = TypeVar("_T")


def _expanded(maker: Span, first: Span, last: Span) -> Span:
    """From one token to another, of which some came out of a macro."""
    span = Expanded(first[0], first[1], first[2], last[3], last[4])
    span.origin = cast(Expanded, maker).origin
    return span


class TreeBuilder:
    """Makes the value of each grammar rule: a method per rule, called with the numbers of the first and last token of the
    text it covers and the values of its parts. The value of a token is its number."""

    def __init__(self, texts: list[str], spans: list[Span], names: Names, diagnostics: Diagnostics) -> None:
        self.texts = texts
        self.spans = spans
        self.names = names
        self.given_up: dict[int, ast.Mistake] = {}
        """Token -> what the recovery from a syntax error has put there."""
        self.diagnostics = diagnostics

    def span(self, start: int, end: int) -> Span:
        """The text from one token to another; within a macro's text if its beginning is."""
        first = self.spans[start]
        if start == end:
            return first
        last = self.spans[end]
        if type(first) is Expanded or type(self.spans[start + 1]) is Expanded:
            return _expanded(first if type(first) is Expanded else self.spans[start + 1], first, last)
        return Span(first[0], first[1], first[2], last[3], last[4])

    def first(self, start: int, end: int, *values: _T) -> list[_T]:
        """The start of the list that a repetition makes."""
        return [values[-1]]

    def more(self, start: int, end: int, before: list[_T], value: _T) -> list[_T]:
        """A repetition goes on."""
        before.append(value)
        return before

    def mistake(self, start: int, end: int, token: int) -> ast.Mistake:
        """What the recovery from a syntax error has put in place of a statement, member or declaration."""
        mistake = self.given_up[token]
        for name in mistake.declared:
            self.names.add_variable(name)
        return mistake

    def missing(self, start: int, end: int, token: int) -> ast.Mistake:
        """An operand that is not there, put in by the recovery."""
        return ast.Mistake(self.spans[token])

    def strings(self, start: int, end: int, tokens: list[int]) -> str:
        """Adjacent string literals are one."""
        return "".join(self.string_value(token) for token in tokens)

    def string_value(self, token: int) -> str:
        """A string literal without its quotes; one that is none is reported, and read as empty."""
        try:
            return literals.string(self.texts[token])
        except literals.BadLiteral as mistake:
            self.diagnostics.error("literal", self.spans[token], str(mistake))
            return ""

    def integer_value(self, token: int) -> int:
        """A number that the grammar asks for; one that is none is reported, and read as 1."""
        try:
            return literals.integer(self.texts[token])[0]
        except literals.BadLiteral as mistake:
            self.diagnostics.error("literal", self.spans[token], str(mistake))
            return 1
