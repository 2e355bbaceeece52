"""Text → tokens: one regular expression for the preprocessor and the parser alike.

The kind of a token, the number of a terminal of the grammar, depends on nothing but its text, so each distinct text is
classified once (:class:`TokenKinds`); whether a name is a type is decided while parsing.
"""

from __future__ import annotations

import functools
import re

from voltac.syntax.tables import Tables, load
from voltac.system.lazy_patterns import lazy_pattern

BLANKS = " \t\f\v\r"
"""What separates the tokens of a line."""

CHARACTER = r"'(?:[^'\\\n]|\\(?:x[0-9a-fA-F]+|[0-7]{1,3}|[^\n]))'"
"""A character constant; only ``#if`` has those."""

OPERATOR_NAME = r"operator(?:<<=|>>=|&&|\|\||\+\+|--|<<|>>|[-+*/%<>=!&|^]=|[-+*/%<>=!&|^~])"

TOKEN = lazy_pattern(
    OPERATOR_NAME + r"|delete\[\]"
    r"|[A-Za-z_]\w*"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|0[xX][0-9a-fA-F]*(?:\.(?!\.\.)[0-9a-fA-F]*)?(?:[pP][+-]?[0-9]+)?\w*"
    r"|(?:[0-9]+(?:\.(?!\.\.)[0-9]*)?|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?\w*"
    r"|\.\.\.|->|\+\+|--|<<=|>>=|&&|\|\||##|<%|%>|<:|:>|[-+*/%<>=!&|^]=|<<|>>"
    r"|@[\w.]*"
    r"|" + CHARACTER + r"|[^\s]",
    re.ASCII,
)
"""Every character that is not blank belongs to some match; what no token starts with is a match of one character."""

PREPROCESSING_NUMBER = lazy_pattern(r"\.?[0-9](?:[eEpPdD][+-]|[\w.])*", re.ASCII)
"""What the operands of ``##`` may join to on the way to a number."""

DIGRAPHS = {"<%": "{", "%>": "}", "<:": "[", ":>": "]"}
MISTAKE, MISSING = "\0mistake", "\0missing"
"""Texts of the tokens that the recovery from syntax errors puts in; no source has a token of more than one NUL."""
DEPRECATED = {"cbreak": "break", "ccontinue": "continue", "creturn": "return"}


def is_name(text: str) -> bool:
    """Whether a token is an identifier or keyword."""
    first = text[:1]
    return first.isalpha() or first == "_"


class TokenKinds(dict[str, int]):
    """Token text → kind, classified on first sight."""

    def __init__(self, tables: Tables) -> None:
        super().__init__()
        number = {name: index for index, name in enumerate(tables.terminals)}
        for name, spellings in tables.spellings.items():
            for spelling in spellings:
                self[spelling] = number[name]
        for text, meaning in (DIGRAPHS | DEPRECATED).items():
            self[text] = self[meaning]
        self.identifier = number["IDENT"]
        self.type_name = number["TYPE_NAME"]
        self.template_name = number["TEMPLATE_NAME"]
        self.integer = number["INTEGER"]
        self.floating = number["FLOAT"]
        self.string = number["STRING"]
        self.pragma = number["PRAGMA"]
        self.intrinsic = number["INTRINSIC"]
        self.end = number["$END"]
        self.mistake = number["MISTAKE"]
        self.missing = number["MISSING"]
        self.bad = len(tables.terminals)
        """The kind of what is no token; the parser reports and skips it."""
        self.deprecated = self.bad + 1
        """The kind of deprecated spellings; the parser warns and goes on with the new one."""
        for text in DEPRECATED:
            self[text] = self.deprecated
        self[""] = self.end

    def __missing__(self, text: str) -> int:
        kind = self[text] = self._classify(text)
        return kind

    def _classify(self, text: str) -> int:
        first = text[0]
        if first.isascii() and (first.isalpha() or first == "_"):
            return self.identifier
        if first.isdigit() or (first == "." and text[1:2].isdigit()):
            return self.floating if _looks_floating(text) else self.integer
        if first == '"' and len(text) > 1:
            return self.string
        if text.startswith("#pragma"):
            return self.pragma
        if first == "\0" and len(text) > 1:
            return self.missing if text == MISSING else self.mistake
        if first == "@" and text.startswith("@llvm."):
            return self.intrinsic
        return self.bad


def _looks_floating(text: str) -> bool:
    if text[:2] in ("0x", "0X"):
        return "." in text or "p" in text or "P" in text
    return bool(_FLOATING.match(text))


_FLOATING = lazy_pattern(r"[0-9]*\.|[0-9]+(?:[eEdD][+-]?[0-9]|f|F|d$|D$)")


@functools.cache
def kinds() -> TokenKinds:
    """Made once a process: it learns spellings as they come."""
    return TokenKinds(load())
