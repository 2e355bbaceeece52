"""One message: the place in a source that it is about, its text, and the notes that belong to it."""

from __future__ import annotations

from typing import NamedTuple

from voltac.records import record


class Span(NamedTuple):
    """A stretch of source: 1-based, the end column is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, end: Span) -> Span:
        """From the start of this span to the end of another."""
        return Span(self.file, self.line, self.column, end.end_line, end.end_column)

    def first(self, length: int) -> Span:
        """Its first characters: the word that begins a statement."""
        return Span(self.file, self.line, self.column, self.line, self.column + length)


class Expanded(Span):
    """The place of a token that came out of a macro: that of the macro's use in the source."""

    origin: tuple[str, Span, Span]
    """The macro's name, the place of the token in its definition, and its use: expanded too if that stands in a macro."""


BUILT_IN = "<built-in>"
"""The file of macros that no file defines."""

NOWHERE = Span("", 0, 0, 0, 0)
"""The place of messages about no source text, such as a missing file."""


@record
class Note:
    """What belongs to a diagnostic and has a place of its own."""

    span: Span
    text: str
    kind: str = "note"
    """``note`` or ``candidate``; in a chain ``include``, ``macro`` or ``template``."""
    excerpt: bool = True
    """The source line is shown below."""


@record
class Diagnostic:
    """One message with all that is shown of it."""

    kind: str
    """``Error``, ``Warning`` or ``Performance Warning``; preprocessor ones are lower case ``error`` / ``warning``."""
    span: Span
    text: str
    code: str
    """What users look up: a row of ``error_codes.py``; of a warning that of ``warning_switches.py``, which switches it."""
    notes: tuple[Note, ...] = ()
    chain: tuple[Note, ...] = ()
    """How the compiler came to the place: macro uses, template instances, includes, innermost first."""

    @property
    def is_error(self) -> bool:
        """Neither a warning nor a performance warning."""
        return self.kind in ("Error", "error")
