"""Lines of a source → pieces with the kind of each: keyword, rate, type, number, string, comment, directive, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from voltac.syntax import tables
from voltac.syntax.lexer import TOKEN, is_name

Piece = tuple[str, str]
"""Text and kind."""

_COMMENT_OR_TOKEN = re.compile(rf"//.*|/\*.*?(?:\*/|$)|{TOKEN.pattern}|\s+", re.ASCII)
_DIRECTIVE = re.compile(r"\s*#\s*\w+")


def coloured(lines: Sequence[str]) -> list[list[Piece]]:
    """The pieces of each line; joined they are the line."""
    found, in_comment = [], False
    for line in lines:
        pieces: list[Piece] = []
        start = 0
        if in_comment:
            end = line.find("*/")
            start = len(line) if end < 0 else end + 2
            in_comment = end < 0
            pieces.append((line[:start], "comment"))
        elif directive := _DIRECTIVE.match(line):
            start = directive.end()
            pieces.append((directive[0], "directive"))
        for text, kind in _pieces(line[start:]):
            in_comment = kind == "comment" and text.startswith("/*") and not text.endswith("*/", 2)
            pieces.append((text, kind))
        found.append([piece for piece in pieces if piece[0]])
    return found


def _pieces(text: str) -> Iterator[Piece]:
    kinds = _words()
    for match in _COMMENT_OR_TOKEN.finditer(text):
        token = match[0]
        if token.startswith(("//", "/*")):
            yield token, "comment"
        elif is_name(token):
            yield token, kinds.get(token, "")
        elif token[0].isdigit() or (token[0] == "." and token[1:2].isdigit()):
            yield token, "number"
        else:
            yield token, "string" if token[0] in "\"'" and len(token) > 1 else ""


@cache
def _words() -> dict[str, str]:
    """The words of the language, from the table of its grammar."""
    spellings = tables.load().spellings
    words = {word: "keyword" for group in spellings.values() for word in group if is_name(word)}
    words |= dict.fromkeys(spellings["ATOMIC"], "type")
    words |= dict.fromkeys((*spellings["RATE"], "soa", "unmasked"), "rate")
    return words | dict.fromkeys((*spellings["BOOLEAN"], "NULL"), "number")
