"""Diagnostics → text in the layout of section 15 of the language, or JSON of one object a line."""

from __future__ import annotations

from typing import Any

from voltac.messages.message import Diagnostic, Note, Span
from voltac.messages.visible import visible, visible_name
from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern

_LONGEST_EXCERPT = 500
_MOST_LINES = 3
_WIDTH = 80
_DEEPEST_INDENT = 8
"""Characters of a line of the source, for generated lines have no end; lines of a place; the layout of language 15."""


@record
class MessageLayout:
    """How messages are printed, and where the source lines for the excerpts are."""

    sources: dict[str, list[str]]
    wrap: bool = True
    colored: bool = False
    columns: int = _WIDTH
    """Where lines are wrapped; the width of the terminal if messages go to one."""

    def text(self, item: Diagnostic, links: tuple[Note, ...]) -> str:
        """A diagnostic with its notes; ``links`` of its chain are shown too."""
        if item.kind in ("error", "warning"):
            shown = self._head(item.span, item.kind) + visible(item.text) + "\n" + self._excerpt_of_clang(item.span)
        else:
            shown = self._block(item.span, item.kind, item.text)
        for note in (*item.notes, *links):
            shown += self._block(note.span, "Note", note.text, note.excerpt)
        return shown

    def _head(self, span: Span, kind: str) -> str:
        place = f"{visible_name(span.file)}:{span.line}:{span.column}: " if span.line else ""
        label = kind
        if self.colored:
            tint = {"error": "31", "note": "36"}.get(kind.lower(), "35")
            label = f"\033[1;{tint}m{kind}\033[0m"
        return place + label + ": "

    def _block(self, span: Span, kind: str, text: str, excerpt: bool = True) -> str:
        head = self._head(span, kind)
        text = head + visible(text)
        if self.wrap:
            # A long place does not count: the message begins behind it, not below it.
            long = _shown_length(head) - len(kind) - 2 > self.columns // 3
            text = _wrap(text, min(_DEEPEST_INDENT, len(kind) + 2), self.columns, _shown_length(head) if long else 0)
        return text + "\n" + (self._excerpt(span) if excerpt else "") + "\n"

    def _excerpt_of_clang(self, span: Span) -> str:
        """The source line behind its number, and a line with the caret (language 3)."""
        lines = self.sources.get(span.file)
        if lines is None or not 1 <= span.line <= len(lines):
            return ""
        line = lines[span.line - 1]
        shown = f"{span.line:5} | {_shorten(_shown(line))}\n"
        begin, end = _columns(line, span)
        if begin < _LONGEST_EXCERPT - 1:
            shown += " " * 5 + " | " + " " * begin + "^" + "~" * (min(end, _LONGEST_EXCERPT - 1) - begin - 1) + "\n"
        return shown

    def _excerpt(self, span: Span) -> str:
        lines = self.sources.get(span.file)
        if lines is None or not 1 <= span.line <= len(lines):
            return ""
        last = min(span.end_line, span.line + _MOST_LINES - 1, len(lines))
        shown = [_shorten(_shown(lines[number - 1])) for number in range(span.line, last + 1)]
        begin, end = _columns(lines[span.line - 1], span)
        if begin < _LONGEST_EXCERPT - 1:
            shown.append(" " * begin + "^" * min(end - begin, _LONGEST_EXCERPT))
        return "\n".join(shown) + "\n"


def _shown(line: str) -> str:
    """A source line as it is printed: control characters take several columns."""
    return visible_name(line.replace("\t", " "))


def _columns(line: str, span: Span) -> tuple[int, int]:
    """Where a place begins and ends in its first line as that is printed, counted from 0; at least one column."""
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    begin = len(_shown(line[: span.column - 1])) + max(0, span.column - 1 - len(line))
    return begin, max(begin + 1, len(_shown(line[:end])))


def _shorten(line: str) -> str:
    return line if len(line) <= _LONGEST_EXCERPT else line[:_LONGEST_EXCERPT] + " ..."


_COLOUR = lazy_pattern("\033\\[[\\d;]*m")


def _shown_length(text: str) -> int:
    """Columns that a text takes: what switches colours takes none."""
    return len(_COLOUR.sub("", text)) if "\033" in text else len(text)


def _wrap(text: str, indent: int, columns: int, uncounted: int) -> str:
    """Wrap each line of the text at ``columns``; every word is followed by one blank (language 15).

    Of the first line the first ``uncounted`` characters don't count.
    """
    out: list[str] = []
    for number, line in enumerate(text.split("\n")):
        current = "" if number == 0 else line[: len(line) - len(line.lstrip())]
        for word in line.split():
            if current.strip() and _shown_length(current) + _shown_length(word) > columns + (0 if out else uncounted):
                out.append(current)
                current = " " * indent
            current += word + " "
        out.append(current)
    return "\n".join(out)


# --- JSON -------------------------------------------------------------------------------------------------------


def json_line(item: Diagnostic) -> str:
    """One object: kind, place, message, notes, chain, and the option that switches the diagnostic off."""
    from json import dumps  # late: slow to import, and seldom needed

    row: dict[str, Any] = {"kind": item.kind.lower(), "code": item.code, **_place(item.span), "message": visible(item.text)}
    row["notes"] = [{"kind": note.kind, **_place(note.span), "message": visible(note.text)} for note in item.notes]
    row["chain"] = [{"kind": link.kind, **_place(link.span), "message": visible(link.text)} for link in item.chain]
    row["option"] = None if item.is_error else f"--wno-{item.code}"
    return dumps(row) + "\n"


def _place(span: Span) -> dict[str, Any]:
    """All null for a message about no source text."""
    if not span.line:
        return {"file": visible_name(span.file) or None, "line": None, "column": None, "end": None}
    end = {"line": span.end_line, "column": span.end_column}
    return {"file": visible_name(span.file), "line": span.line, "column": span.column, "end": end}
