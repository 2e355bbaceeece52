"""Where a type or a value ends in LLVM assembly text, and splitting lists of them.

Everything works on plain text and positions; nothing is interpreted here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from voltac.system.lazy_patterns import lazy_pattern

VALUE = r'%(?:"[^"]*"|[-\w$.]+)'
"""The name of a value, as a part of patterns."""
VALUES = lazy_pattern(VALUE)

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_INTERESTING = lazy_pattern(r'["()\[\]{}<>]')
_FLAT = lazy_pattern(r'[(\[{<][^"()\[\]{}<>]*[)\]}>]')
_STOP = lazy_pattern(r'[",(\[{<]')
_NAME = lazy_pattern(r'[%@](?:"[^"]*"|[-a-zA-Z$._0-9]+)')
_WORD = lazy_pattern(r"[-+a-zA-Z0-9_.$]+")
_TYPE_WORD = lazy_pattern(r"[a-z_0-9]+")

CONSTANT_WORDS = frozenset(("true", "false", "null", "undef", "poison", "none", "zeroinitializer"))
"""Words that are a value by themselves; other words before a value are attributes."""

EXPRESSION_WORDS = frozenset(
    (
        *("splat", "getelementptr", "ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast", "trunc", "add", "sub"),
        *("mul", "xor", "shl", "blockaddress", "dso_local_equivalent", "no_cfi", "ptrauth", "extractelement", "insertelement"),
        *("shufflevector", "asm"),
    )
)
"""Words that begin a constant written as an expression."""


def renamed(line: str, names: Mapping[str, str]) -> str:
    """A line with other names of values; the same one where it has none of them."""
    if "%" not in line or names.keys().isdisjoint(VALUES.findall(line)):
        return line
    return VALUES.sub(lambda name: names.get(name[0], name[0]), line)


def match_bracket(text: str, position: int) -> int:
    """Position after the bracket that closes the one at ``position``."""
    flat = _FLAT.match(text, position)
    if flat is not None:
        return flat.end()
    depth = 0
    while True:
        found = _INTERESTING.search(text, position)
        if found is None:
            raise ValueError(f"unbalanced brackets in: {text}")
        position = found.end()
        character = found.group()
        if character == '"':
            position = text.index('"', position) + 1
        elif character in _CLOSING:
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return position


def end_of_type(text: str, position: int) -> int:
    """Position after the type that begins at ``position``."""
    first = text[position]
    if first in "<{[":
        return match_bracket(text, position)
    found = _NAME.match(text, position) if first == "%" else _TYPE_WORD.match(text, position)
    if found is None:
        raise ValueError(f"no type at {position} in: {text}")
    end = found.end()
    if text.startswith(" addrspace(", end) or (text.startswith("(", end) and found.group() == "target"):
        return match_bracket(text, text.index("(", end))
    return end


def end_of_value(text: str, position: int) -> int:
    """Position after the value that begins at ``position``."""
    first = text[position]
    if first in "%@":
        found = _NAME.match(text, position)
        if found is None:
            raise ValueError(f"no name at {position} in: {text}")
        return found.end()
    if first in "<{[":
        return match_bracket(text, position)
    if first == "!":
        comma = re.compile(r"[,)\]]").search(text, position)
        if text.startswith("!{", position):
            return match_bracket(text, position + 1)
        opened = re.compile(r"!\w*\(").match(text, position)
        if opened is not None:
            return match_bracket(text, opened.end() - 1)
        return comma.start() if comma else len(text)
    if text.startswith('c"', position):
        return text.index('"', position + 2) + 1
    word = _WORD.match(text, position)
    if word is None:
        raise ValueError(f"no value at {position} in: {text}")
    if word.group() in EXPRESSION_WORDS:
        if word.group() in ("dso_local_equivalent", "no_cfi"):
            return end_of_value(text, word.end() + 1)
        if word.group() == "asm":
            strings = re.compile(r'asm[a-z ]*"[^"]*", "[^"]*"').match(text, position)
            if strings is None:
                raise ValueError(f"malformed asm in: {text}")
            return strings.end()
        return match_bracket(text, text.index("(", word.end()))
    return word.end()


def split_list(text: str) -> list[str]:
    """Split at the commas outside brackets and strings; blanks around the parts are dropped."""
    if not _INTERESTING.search(text):
        return [part.strip() for part in text.split(",")] if text.strip() else []
    parts: list[str] = []
    start = position = 0
    while (found := _STOP.search(text, position)) is not None:
        character, position = found.group(), found.end()
        if character == ",":
            parts.append(text[start : position - 1].strip())
            start = position
        elif character == '"':
            position = text.index('"', position) + 1
        else:
            position = match_bracket(text, position - 1)
    last = text[start:].strip()
    if last or parts:
        parts.append(last)
    return parts
