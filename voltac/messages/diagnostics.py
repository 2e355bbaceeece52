"""Errors and warnings: where they point, how they are collected and printed.

The layout of a diagnostic is fixed by section 15 of the language::

    file:line:col: Error: text
    <source line>
    <blanks>^^^^

(empty line). Notes follow in the same layout with the label ``Note``.

Stages report to a :class:`Diagnostics` and go on while they can; an error that
makes going on pointless is raised as :class:`CompileError` by its ``fatal``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, NoReturn

from voltac.messages.cell_errors import MOST_LINES, rendered
from voltac.messages.layout import MessageLayout, json_line
from voltac.messages.message import BUILT_IN, Diagnostic, Expanded, Note, Span
from voltac.messages.warning_switches import ALL, OFF_BY_DEFAULT, PERFORMANCE
from voltac.records import field, mutable_record, replace


class CompileError(Exception):
    """The compilation cannot go on; what is wrong stands in ``diagnostics``."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        super().__init__(_cut(diagnostics, MOST_LINES))
        self.diagnostics = diagnostics

    def _render_traceback_(self) -> list[str]:
        """For IPython: source and caret, and none of the compiler's frames."""
        return rendered(self, lambda most, colored: _cut(replace(self.diagnostics, colored=colored), most))


def _cut(diagnostics: Diagnostics, most: int) -> str:
    """Whole messages, as many as fit, the errors first; the first one in any case, as far as it does."""
    lines = diagnostics.render().strip().split("\n")
    if len(lines) > most:
        errors = [item for item in diagnostics.items if item.is_error]
        others = [item for item in diagnostics.items if not item.is_error]
        lines = replace(diagnostics, items=errors + others).render().strip().split("\n")
    if len(lines) <= most:
        return "\n".join(lines)
    end = max((number for number in range(most - 1) if not lines[number]), default=most - 2)
    return "\n".join([*lines[:end], "", f"... and {len(lines) - end} lines more: error.diagnostics.render() has them"])


class InternalError(Exception):
    """A mistake of the compiler, not of the user: names the stage that made it."""

    input_file = ""
    """Where what the stage was given was written to, if it was."""


class Ignored(NamedTuple):
    """Lines of a file in which a pragma silences warnings; the last one is included."""

    first: int
    last: int
    names: frozenset[str]


@mutable_record(eq=False)
class Diagnostics:
    """Collects what the stages report, prints it in the layout of section 15 of the language."""

    warnings: bool = True
    disabled: frozenset[str] = OFF_BY_DEFAULT
    """Names of warnings that are not given."""
    as_errors: frozenset[str] = frozenset()
    """Names of warnings that count as errors."""
    error_limit: int = -1
    wrap: bool = True
    colored: bool = False
    columns: int = 80
    for_people: bool = False
    """A last line says where errors are explained: the layout that programs read has no place for codes."""
    json: bool = False
    quiet: bool = False
    gathered: list[Diagnostic] | None = None
    """Where messages go instead of being printed, each once: for a document that holds those of the whole run."""
    items: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, list[str]] = field(default_factory=dict)
    """File name -> lines, for the excerpts; filled by the preprocessor."""
    included: dict[str, list[Span]] = field(default_factory=dict)
    """File name -> the directives that include it."""
    within: tuple[Note, ...] = ()
    """The template instances whose body is being checked, innermost first."""
    on_report: Callable[[Diagnostic], None] | None = None
    _seen: set[tuple[str, Span, str]] = field(default_factory=set)
    _of_macros: dict[tuple[str, Span, str], int] = field(default_factory=dict)
    """Messages about the text of a macro -> at how many of its uses."""
    mistaken_lines: set[tuple[str, int]] = field(default_factory=set)
    """(file, line) with a syntax error, filled when parsing is finished: nothing more is said about these."""
    ignored: dict[str, list[Ignored]] = field(default_factory=dict)
    """File name -> what ``#pragma ignore warning begin`` silences in it."""
    ignored_lines: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    """File name and line -> what ``#pragma ignore warning`` silences there."""

    error_number: int = 0
    """How many errors there are, those that were suppressed as repetitions included."""

    @property
    def error_count(self) -> int:
        """Errors so far; with ``--werror`` warnings count."""
        return sum(item.is_error or item.code in self.as_errors for item in self.items)

    def error(self, code: str, span: Span, text: str, *notes: Note) -> None:
        """Report a mistake of the program; checking goes on. ``code`` is its row in ``error_codes.py``."""
        self._add(Diagnostic("Error", span, text, code, notes))

    def fatal(self, code: str, span: Span, text: str) -> NoReturn:
        """Report a mistake after which nothing can be made of the program: :class:`CompileError`."""
        self.error(code, span, text)
        raise CompileError(self)

    def preprocessor_error(self, code: str, span: Span, text: str, *notes: Note) -> None:
        """Preprocessor diagnostics use the lower case label of clang (language 3)."""
        self._add(Diagnostic("error", span, text, code, notes))

    def preprocessor_warning(self, span: Span, text: str, *notes: Note) -> None:
        """With clang's label, switched by ``preprocessor``."""
        if self.gives("preprocessor", span):
            self._add(Diagnostic("warning", span, text, "preprocessor", notes))

    def warning(self, switch: str, span: Span, text: str, *notes: Note) -> None:
        """``switch`` is its row in ``warning_switches.py``; given unless that, or a pragma at the place, is off."""
        if self.gives(switch, span):
            self._add(Diagnostic("Warning", span, text, switch, notes))

    def performance_warning(self, span: Span, text: str, *notes: Note) -> None:
        """Switched by ``perf``."""
        if self.gives(PERFORMANCE, span):
            self._add(Diagnostic("Performance Warning", span, text, PERFORMANCE, notes))

    def gives(self, switch: str, span: Span) -> bool:
        """Whether the warning is given for this place."""
        if not self.warnings or switch in self.disabled:
            return False
        names = self.ignored_lines.get((span.file, span.line), ())
        if switch in names or ALL in names:
            return False
        for lines in self.ignored.get(span.file, ()):
            if lines.first <= span.line <= lines.last and (switch in lines.names or ALL in lines.names):
                return False
        return True

    def raise_if_errors(self) -> None:
        """:class:`CompileError` with all messages if one of them is an error."""
        if self.error_count:
            raise CompileError(self)

    def _add(self, item: Diagnostic) -> None:
        self.error_number += item.is_error
        keys = {(item.kind, item.span, item.text)}
        if self.within:
            # The instances of a template share their mistakes.
            keys.add((item.kind, item.span, "" if item.is_error else item.code))
        if not self._seen.isdisjoint(keys):
            return
        self._seen |= keys
        if isinstance(item.span, Expanded) and item.kind != "Performance Warning":
            # What stands in a macro is wrong at each of its uses.
            mistake = (item.kind, item.span.origin[1], item.text)
            self._of_macros[mistake] = self._of_macros.get(mistake, 0) + 1
            if self._of_macros[mistake] > _MOST_OF_ONE_MACRO:
                return
        if (item.span.file, item.span.line) in self.mistaken_lines:
            return
        chain = (*_expansions(item.span), *self.within, *self._inclusions(item.span.file))
        if chain:
            item = replace(item, chain=chain)
        self.items.append(item)
        if self.on_report is not None:
            self.on_report(item)

    def _inclusions(self, file: str) -> Iterator[Note]:
        """Where a file is included, and where the file that does so is included, up to the main file."""
        seen: set[str] = set()
        while file in self.included and file not in seen:
            seen.add(file)
            if len(seen) > _DEEPEST_CHAIN:
                return
            places = self.included[file]
            for place in places[:_MOST_INCLUSIONS]:
                yield Note(place, f"'{file}' is included here", "include")
            file = places[0].file

    def render(self) -> str:
        """All diagnostics as text for standard error."""
        if self.quiet:
            return ""
        shown: list[str] = []
        told: set[Note] = set()
        errors = 0
        for item in self.items:
            if item.is_error:
                errors += 1
                if 0 <= self.error_limit < errors:
                    continue
            shown.append(self.render_one(item, told))
        if errors and self.for_people and not self.json and self.gathered is None:
            codes = dict.fromkeys(item.code for item in self.items if item.is_error)
            shown.append(f"voltac explain-error {' '.join(codes)}: what that means, with examples\n")
        return "".join(shown)

    def render_one(self, item: Diagnostic, told: set[Note] | None = None) -> str:
        """One diagnostic; of its chain the includes in ``told`` were shown before and are left out."""
        if self.gathered is not None:
            if item not in self.gathered:
                self.gathered.append(item)
            return ""
        if self.json:
            return json_line(item)
        told = set() if told is None else told
        links = tuple(link for link in item.chain if link not in told)
        told.update(link for link in links if link.kind == "include")
        return MessageLayout(self.sources, self.wrap, self.colored, self.columns).text(item, links)


_MOST_INCLUSIONS = 3
_MOST_OF_ONE_MACRO = 3
_DEEPEST_CHAIN = 20
_MOST_EXPANSIONS = 10
"""Notes of one message, so that it fits a screen: places that include a file, messages of one macro at one place of it, files
that include each other, macros within macros."""


def _expansions(span: Span) -> Iterator[Note]:
    """The macros that a place comes out of, innermost first; those without a definition in a file have no note."""
    for _ in range(_MOST_EXPANSIONS):
        if not isinstance(span, Expanded):
            return
        macro, place, span = span.origin
        if place.file != BUILT_IN:
            yield Note(place, f"in the expansion of macro '{macro}'", "macro")
