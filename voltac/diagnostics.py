"""Errors and warnings: where they point, how they are collected and printed.

The layout of a diagnostic is fixed by reference section 15::

    file:line:col: Error: text
    <source line>
    <blanks>^^^^

Stages report to a :class:`Diagnostics` and go on while they can; an error that
makes going on pointless is raised as :class:`CompileError` by its ``fatal``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, NoReturn

from voltac.records import field, mutable_record, record


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


NOWHERE = Span("", 0, 0, 0, 0)
"""The place of messages about no source text, such as a missing file."""


class CompileError(Exception):
    """The compilation cannot go on; what is wrong stands in ``diagnostics``."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        super().__init__(diagnostics.render().strip())
        self.diagnostics = diagnostics


class InternalError(Exception):
    """A mistake of the compiler, not of the user: names the stage that made it."""


@record
class Diagnostic:
    kind: str
    """``Error``, ``Warning`` or ``Performance Warning``; preprocessor ones are lower case ``error`` / ``warning``."""
    span: Span
    text: str


@mutable_record(eq=False)
class Diagnostics:
    """Collects what the stages report, prints it in the layout of section 15."""

    warnings: bool = True
    performance_warnings: bool = True
    warnings_are_errors: bool = False
    error_limit: int = -1
    wrap: bool = True
    colored: bool = False
    quiet: bool = False
    items: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, list[str]] = field(default_factory=dict)
    """File name -> lines, for the excerpts; filled by the preprocessor."""
    on_report: Callable[[Diagnostic], None] | None = None
    _seen: set[tuple[str, Span, str]] = field(default_factory=set)
    ignored_lines: dict[tuple[str, int], str] = field(default_factory=dict)
    """(file, line) -> ``all`` or ``perf``: silenced by ``#pragma ignore warning``."""

    @property
    def error_count(self) -> int:
        kinds = ("Error", "error")
        errors = sum(item.kind in kinds for item in self.items)
        return errors + (len(self.items) - errors if self.warnings_are_errors else 0)

    def error(self, span: Span, text: str) -> None:
        self._add(Diagnostic("Error", span, text))

    def fatal(self, span: Span, text: str) -> NoReturn:
        self.error(span, text)
        raise CompileError(self)

    def preprocessor_error(self, span: Span, text: str) -> None:
        """Preprocessor diagnostics use the lower case label of clang (section 3)."""
        self._add(Diagnostic("error", span, text))

    def preprocessor_warning(self, span: Span, text: str) -> None:
        if self.warnings:
            self._add(Diagnostic("warning", span, text))

    def warning(self, span: Span, text: str) -> None:
        if self.warnings and self.ignored_lines.get((span.file, span.line)) != "all":
            self._add(Diagnostic("Warning", span, text))

    def performance_warning(self, span: Span, text: str) -> None:
        if self.warnings and self.performance_warnings and (span.file, span.line) not in self.ignored_lines:
            self._add(Diagnostic("Performance Warning", span, text))

    def raise_if_errors(self) -> None:
        if self.error_count:
            raise CompileError(self)

    def _add(self, item: Diagnostic) -> None:
        key = (item.kind, item.span, item.text)
        if key in self._seen:
            return
        self._seen.add(key)
        self.items.append(item)
        if self.on_report is not None:
            self.on_report(item)

    def render(self) -> str:
        """All diagnostics as text for standard error."""
        if self.quiet:
            return ""
        shown: list[str] = []
        errors = 0
        for item in self.items:
            if item.kind in ("Error", "error"):
                errors += 1
                if 0 <= self.error_limit < errors:
                    continue
            shown.append(self.render_one(item))
        return "".join(shown)

    def render_one(self, item: Diagnostic) -> str:
        span = item.span
        place = f"{span.file}:{span.line}:{span.column}: " if span.line else ""
        label = item.kind
        if self.colored:
            tint = "31" if label.lower() == "error" else "35"
            label = f"\033[1;{tint}m{label}\033[0m"
        indent = min(8, len(item.kind) + 2)
        text = place + label + ": " + item.text
        if item.kind in ("error", "warning"):
            return text + "\n" + self._excerpt_of_clang(span)
        if self.wrap:
            columns = _terminal_columns() if self.colored else 80
            # A long place does not count: the message begins behind it, not below it.
            text = _wrap(text, indent, columns, len(place + label) + 2 if len(place) > columns // 3 else 0)
        return text + "\n" + self._excerpt(span) + "\n"

    def _excerpt_of_clang(self, span: Span) -> str:
        """The source line behind its number, and a line with the caret (section 3)."""
        lines = self.sources.get(span.file)
        if lines is None or not 1 <= span.line <= len(lines):
            return ""
        line = lines[span.line - 1].replace("\t", " ")
        shown = f"{span.line:5} | {_shorten(line)}\n"
        if span.column < _LONGEST_EXCERPT:
            end = span.end_column if span.end_line == span.line else len(line) + 1
            marked = "^" + "~" * (min(end, len(line) + 1, _LONGEST_EXCERPT) - span.column - 1)
            shown += " " * 5 + " | " + " " * (span.column - 1) + marked + "\n"
        return shown

    def _excerpt(self, span: Span) -> str:
        lines = self.sources.get(span.file)
        if lines is None or not 1 <= span.line <= len(lines):
            return ""
        last = min(span.end_line, span.line + 2, len(lines))
        shown = [_shorten(lines[number - 1].replace("\t", " ")) for number in range(span.line, last + 1)]
        first = lines[span.line - 1]
        end = span.end_column if span.end_line == span.line else len(first) + 1
        carets = max(1, min(end, len(first) + 1) - span.column)
        if span.column < _LONGEST_EXCERPT:
            shown.insert(1 if len(shown) == 1 else len(shown), " " * (span.column - 1) + "^" * min(carets, _LONGEST_EXCERPT))
        return "\n".join(shown) + "\n"


_LONGEST_EXCERPT = 500


def _shorten(line: str) -> str:
    return line if len(line) <= _LONGEST_EXCERPT else line[:_LONGEST_EXCERPT] + " ..."


def _terminal_columns() -> int:
    from shutil import get_terminal_size  # slow to import, and seldom needed

    return get_terminal_size((80, 24)).columns


def _wrap(text: str, indent: int, columns: int, uncounted: int) -> str:
    """Wrap each line of the text at ``columns``; every word is followed by one blank (section 15).

    Of the first line the first ``uncounted`` characters don't count.
    """
    out: list[str] = []
    for number, line in enumerate(text.split("\n")):
        current = "" if number == 0 else line[: len(line) - len(line.lstrip())]
        for word in line.split():
            if current.strip() and len(current) + len(word) > columns + (0 if out else uncounted):
                out.append(current)
                current = " " * indent
            current += word + " "
        out.append(current)
    return "\n".join(out)


def suggestion(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` for names of small edit distance, else an empty string."""
    from difflib import get_close_matches  # slow to import, and needed after mistakes only

    close = get_close_matches(name, sorted(set(known)), n=3, cutoff=0.7)
    if not close:
        return ""
    return "; did you mean " + " or ".join(f"'{match}'" for match in close) + "?"
