"""Characters that would act on a terminal, or hide from the reader → escapes anybody can see: ``\\x1b``, ``\\u202e``.

Sources, names of files and options come from anywhere; a message about them must not clear the screen, paint itself green,
or show its text in another order than it has.
"""

from __future__ import annotations

import re

_HIDDEN = (
    "\0-\x09\x0b-\x1f\x7f-\x9f"  # control characters but for the end of a line
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # directions of writing, line separators, what has no width
    "\ud800-\udfff"  # bytes of names that are not UTF-8
)
_IN_TEXT, _IN_NAME = f"[{_HIDDEN}]", f"[{_HIDDEN}\n]"
"""Compiled when a text first needs them: that takes longer than the rest of what a cached kernel imports of this."""


def visible(text: str) -> str:
    """A text of several lines."""
    return text if text.isascii() and text.isprintable() else re.sub(_IN_TEXT, _escape, text)


def visible_name(text: str) -> str:
    """A name, or a line of a source: no line ends in it."""
    return text if text.isascii() and text.isprintable() else re.sub(_IN_NAME, _escape, text)


def visible_listing(text: str) -> str:
    """A text of several lines whose tabs stay."""
    return "\t".join(map(visible, text.split("\t")))


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:
        # A byte that was not UTF-8.
        code -= 0xDC00
    known = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
    return known or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}")


def visible_value(value: object, most: int = 60) -> str:
    """A value of Python as it is written, cut where that is long."""
    try:
        text = repr(value)
    except Exception:  # integers of thousands of digits are not written in decimal; a class may have a __repr__ of its own
        text = hex(value) if isinstance(value, int) else named_type(value)
    return visible_name(text if len(text) <= most else text[: most - 3] + "...")


def named_type(value: object) -> str:
    """``a list``, ``an object``, ``a numpy.bool``: numpy has a type of the name, too."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__name__}" if kind.__module__ == "numpy" and kind.__name__ == "bool" else kind.__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def bytes_of(text: str) -> bytes:
    """UTF-8, and the bytes that were not UTF-8 as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
