"""What the language server asks of a worker: about the names of a document, and what its lines became.

Answers hold ranges as the client counts them, so that the server need not know the lines of other files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import chdir

from voltac.driver import compile_job, explanation_of
from voltac.editors.names import KnownNames, names_of
from voltac.editors.positions import NO_RANGE, Range, Ranges, lines_of
from voltac.messages.diagnostics import CompileError, Diagnostics, InternalError
from voltac.messages.message import Diagnostic, Note, Span
from voltac.messages.visible import visible, visible_name
from voltac.options import Options
from voltac.pipeline import Compilation, InputError, Watch
from voltac.records import field, mutable_record, record, replace
from voltac.sema.watched import Findings
from voltac.syntax.inputs import Inputs

Settings = Callable[[list[str]], tuple[Options, Diagnostics]]
"""Words of a command line → options and where messages go; ValueError. Of a module, since it goes to other processes."""


@record
class Document:
    """What is asked about."""

    path: str
    text: str
    folder: str
    """What names of files in the options are relative to; empty: where the server runs."""
    words: tuple[str, ...]
    encoding: str
    buffers: Mapping[str, str]
    """Texts of open documents by their path without links: what is unsaved is included as it is."""


@record
class Message:
    """A diagnostic of a document."""

    range: Range
    severity: str
    """``error``, ``warning`` or ``information``."""
    code: str
    text: str
    related: tuple[tuple[str, Range, str], ...] = ()
    """File, place and text of each note."""


@record
class PlaceOutcome:
    """What became of a place: the fact, in words."""

    range: Range
    text: str


@mutable_record(eq=False)
class Answer:
    """What there is to say about a text."""

    messages: list[Message] = field(default_factory=list)
    names: KnownNames = field(default_factory=KnownNames)
    outcomes: list[PlaceOutcome] = field(default_factory=list)
    heading: str = ""
    """What was compiled, for which target: of the outcomes."""
    files: tuple[str, ...] = ()
    """Those that were read, without links."""
    is_compiled: bool = False
    """There were no errors."""


class _Buffers(Inputs):
    """Files as they are in the editor, or else on disk."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__()
        self._texts = texts

    def read(self, path: str) -> bytes:
        text = self._texts.get(os.path.realpath(path))
        return super().read(path) if text is None else text.encode("utf-8", "surrogatepass")

    def is_there(self, path: str) -> bool:
        return os.path.realpath(path) in self._texts or super().is_there(path)


def ask_for_names(settings: Settings, document: Document) -> Answer:
    """Messages of the front end, and what the names are: at every stop while typing, so nothing is compiled."""
    findings = Findings()
    job, answer = _compiled(settings, document, Watch(findings=findings), "check", False)
    if job is not None:
        answer.names = names_of(job, findings, _ranges(job, document))
    return answer


def ask_for_outcomes(settings: Settings, document: Document) -> Answer:
    """All messages, and what became of the accesses and statements; the program has no errors."""
    job, answer = _compiled(settings, document, Watch(), "", True)
    if job is not None and answer.is_compiled:
        ranges, found = _ranges(job, document), explanation_of(job)
        answer.heading = f"{found.target}, -O{found.level}"
        for fact in found.facts:
            if fact.file == document.path:
                text = f"{fact.text}: {fact.remark}" if fact.remark else fact.text
                span = Span(fact.file, fact.line, fact.column, fact.line, fact.end_column)
                answer.outcomes.append(PlaceOutcome(ranges.of(span), visible_name(text)))
    return answer


def _compiled(settings: Settings, document: Document, watch: Watch, end: str, whole: bool) -> tuple[Compilation | None, Answer]:
    """The compilation as far as it came, and its messages."""
    if not document.text.strip():
        return None, Answer(is_compiled=False)
    with chdir(document.folder or "."):
        try:
            options, diagnostics = settings(list(document.words))
        except (ValueError, InputError) as error:
            return None, Answer([Message(NO_RANGE, "error", "command-line", visible_name(str(error)))])
        job = Compilation(document.path, replace(options, whole_program=whole), diagnostics, watch, _Buffers(document.buffers))
        answer = Answer()
        try:
            compile_job(document.text, job, end=end)
            answer.is_compiled = True
        except CompileError:
            pass
        except (InputError, InternalError, MemoryError) as error:
            text = visible_name(str(error) or "the compilation needs too much memory")
            answer.messages.append(Message(NO_RANGE, "error", "internal", text))
        answer.files = tuple(os.path.realpath(path) for path in job.dependencies)
        ranges = _ranges(job, document)
        answer.messages += [_message(item, document.path, ranges) for item in diagnostics.items]
        return job, answer


def _ranges(job: Compilation, document: Document) -> Ranges:
    # Where the preprocessor gave up the lines are those of the document all the same.
    return Ranges({document.path: lines_of(document.text), **job.diagnostics.sources}, document.encoding)


def _message(item: Diagnostic, path: str, ranges: Ranges) -> Message:
    """A diagnostic at its place; one of an included file at the directive that includes it."""
    notes = [*item.notes, *item.chain]
    span, text = item.span, visible(item.text)
    if span.line and span.file != path:
        directive = next((note.span for note in item.chain if note.kind == "include" and note.span.file == path), None)
        text = f"in {visible_name(os.path.basename(span.file))}, line {span.line}: {text}"
        notes.insert(0, Note(span, visible(item.text)))
        span = directive or Span(path, 1, 1, 1, 1)
    elif not span.line:
        span = Span(path, 1, 1, 1, 1)
    severity = "error" if item.is_error else "information" if item.kind == "Performance Warning" else "warning"
    related = tuple((note.span.file, ranges.of(note.span), visible(note.text)) for note in notes if _is_in_a_file(note.span))
    return Message(ranges.of(span), severity, item.code, text, related)


def _is_in_a_file(span: Span) -> bool:
    """Neither nowhere nor in what is built in."""
    return span.line > 0 and not span.file.startswith("<")
