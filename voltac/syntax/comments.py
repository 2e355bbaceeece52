"""The text of a file → its lines with blanks instead of comments, each character at its column."""

from __future__ import annotations

import re

from voltac.messages.message import Span
from voltac.syntax.lexer import BLANKS, CHARACTER
from voltac.syntax.macros import MacroError
from voltac.system.lazy_patterns import lazy_pattern

_SPLICES = r"(?:\\[ \t]*\n)*"
"""Ends of lines that join them: they may stand between the two characters that begin or end a comment, too."""
_BLOCK = rf"/{_SPLICES}\*.*?\*{_SPLICES}/"
_COMMENT_OR_STRING = lazy_pattern(
    rf"(?P<line>/{_SPLICES}/[^\n\\]*(?:\\(?:[ \t]*\n)?[^\n\\]*)*)|(?P<block>{_BLOCK})"
    r'|"(?:[^"\\\n]|\\.)*"'
    rf"|{CHARACTER}|(?P<open>/{_SPLICES}\*)",
    re.DOTALL,
)
_BLOCK_COMMENT = lazy_pattern(_BLOCK, re.DOTALL)


def with_newlines(text: str) -> str:
    """The text with the line ends of all systems made one, and without the mark that says it is UTF-8."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff")


def without_comments(text: str, file: str) -> list[str]:
    """The lines of a text without comments: each is a blank, or as many ends of lines as it has."""
    if "/" not in text:
        return text.split("\n")
    seen = 0
    """Where the text begins that has not been looked at for what comes before a comment in its line."""
    blank_line = True
    """So far nothing but comments stands in the line, joined by backslashes or by comments, that goes on at ``seen``."""

    def blank(match: re.Match[str]) -> str:
        nonlocal seen, blank_line
        found, kind = match.group(), match.lastgroup
        if kind is None:
            return found
        if kind == "open":
            start = match.start()
            line = text.count("\n", 0, start) + 1
            column = start - text.rfind("\n", 0, start)
            raise MacroError(Span(file, line, column, line, column + 2), "this comment is not closed: '*/' is missing")
        if kind == "line":
            return "\n" * found.count("\n")
        if "\n" not in found:
            return " " * len(found)
        before = text[seen : match.start()]
        begin = _last_line(before)
        blank_line = (blank_line or begin > 0) and not _BLOCK_COMMENT.sub("", before[begin:]).strip(f"{BLANKS}\\\n")
        seen = match.end()
        # What stands before a comment and what stands behind it are in one line, most of all for a directive.
        newline = "\n" if blank_line else "\\\n"
        return " " + newline * found.count("\n") + " " * (len(found) - found.rfind("\n") - 1)

    return _COMMENT_OR_STRING.sub(blank, text).split("\n")


def _last_line(text: str) -> int:
    """Where the last line of the text begins, lines that end in a backslash being joined with the next."""
    end = len(text)
    while (end := text.rfind("\n", 0, end)) >= 0:
        line = text[text.rfind("\n", 0, end) + 1 : end]
        if not line.rstrip(BLANKS).endswith("\\"):
            return end + 1
    return 0
