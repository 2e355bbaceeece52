"""The text of a file → its lines with blanks instead of comments, each character at its column."""

from __future__ import annotations

import re

from voltac.diagnostics import Span
from voltac.syntax.lexer import BLANKS, CHARACTER
from voltac.syntax.macros import MacroError

_COMMENT_OR_STRING = re.compile(
    r"//[^\n\\]*(?:\\\n?[^\n\\]*)*" r"|/\*.*?\*/" r'|"(?:[^"\\\n]|\\.)*"' r"|" + CHARACTER + r"|/\*",
    re.DOTALL,
)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPLICED_START = re.compile(r"/((?:\\[ \t]*\n)+)([/*])")
_SPLICED_END = re.compile(r"\*((?:\\[ \t]*\n)+)/")
"""The two characters that begin or end a comment, with the end of a line between."""


def with_newlines(text: str) -> str:
    """The text with the line ends of all systems made one, and without the mark that says it is UTF-8."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff")


def without_comments(text: str, file: str) -> list[str]:
    if "/" not in text:
        return text.split("\n")
    if "\\" in text:
        text = _SPLICED_END.sub(r"\1*/", _SPLICED_START.sub(r"/\2\1", text))
    comment_end = 0

    def blank(match: re.Match[str]) -> str:
        nonlocal comment_end
        found = match.group()
        if found[0] != "/":
            return found
        if found == "/*":
            start = match.start()
            line = text.count("\n", 0, start) + 1
            column = start - text.rfind("\n", 0, start)
            raise MacroError(Span(file, line, column, line, column + 2), "this comment is not closed: '*/' is missing")
        if found[1] == "/":
            return "\n" * found.count("\n")
        if "\n" not in found:
            return " " * len(found)
        begin = max(text.rfind("\n", 0, match.start()) + 1, comment_end)
        directive = _COMMENT.sub("", text[begin : match.start()]).lstrip(BLANKS).startswith("#")
        comment_end = match.end()
        # A directive goes on behind a comment.
        newline = "\\\n" if directive else "\n"
        return " " + newline * found.count("\n") + " " * (len(found) - found.rfind("\n") - 1)

    return _COMMENT_OR_STRING.sub(blank, text).split("\n")
