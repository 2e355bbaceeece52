"""Texts in quotes of LLVM's assembly language: any bytes, those that are not plain ASCII escaped."""

from __future__ import annotations

from voltac.messages.visible import bytes_of
from voltac.system.lazy_patterns import lazy_pattern

_ESCAPE = lazy_pattern(rb"\\([0-9A-Fa-f]{2})")


def escaped(content: bytes) -> str:
    """What stands between the quotes."""
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in content)


def quoted(text: str) -> str:
    """A text with its quotes."""
    return f'"{escaped(bytes_of(text))}"'


def unescaped(text: str) -> str:
    """The text that stands between quotes."""
    content = _ESCAPE.sub(lambda match: bytes((int(match[1], 16),)), bytes_of(text))
    return content.decode("utf-8", "surrogateescape")
