"""The forms that most instructions have, each taken apart by one pattern; None for every other one, which ``parts.py`` scans.

``rest`` is an instruction behind its operation and flags, without metadata.
"""

from __future__ import annotations

from voltac.ir.scan import EXPRESSION_WORDS
from voltac.system.lazy_patterns import lazy_pattern

PAIR = lazy_pattern(r"((?:<\d+ x \w+>|\w+)) ([%@][-\w$.]+|-?[\w.]+|splat \(\w+ [-\w.]+\))(?=[,)\]]|$| to )")
"""A type and a value."""
_CALL = lazy_pattern(r"(<\d+ x \w+>|\w+) (@[-\w$.]+)\(")
_LOAD = lazy_pattern(r"(<\d+ x \w+>|\w+), ptr ([%@][-\w$.]+), align (\d+)$")
_SHUFFLE = lazy_pattern(r"(<\d+ x (\w+)>) ([%@][-\w$.]+|\w+), (<\d+ x \w+>) ([%@][-\w$.]+|\w+), <(\d+) x i32> (<[^<>]*>|\w+)$")


def pairs(text: str, position: int, end: str) -> list[tuple[str, str]] | None:
    """A list of types and values, up to the character that ends it; ``align 4`` is one of them."""
    found: list[tuple[str, str]] = []
    while (simple := PAIR.match(text, position)) is not None:
        kind, value = simple.groups()
        if value in EXPRESSION_WORDS or value == "addrspace":
            return None
        found.append((kind, value))
        position = simple.end()
        if not text.startswith(", ", position):
            return found if text[position : position + 1] == end else None
        position += 2
    return None


def call(rest: str) -> tuple[str, str, list[tuple[str, str]]] | None:
    """Type, function and arguments."""
    simple = _CALL.match(rest)
    arguments = pairs(rest, simple.end(), ")") if simple is not None else None
    return (simple[1], simple[2], arguments) if simple is not None and arguments is not None else None


def load(rest: str) -> tuple[str, ...] | None:
    """Type, pointer and alignment."""
    simple = _LOAD.match(rest)
    return simple.groups() if simple is not None else None


def shuffle(rest: str) -> tuple[str, ...] | None:
    """Type and element of the first vector, the vector, type of the second one, that, lanes of the result, and the mask."""
    simple = _SHUFFLE.match(rest)
    return simple.groups() if simple is not None else None
