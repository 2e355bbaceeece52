"""Assembly text with ``#define``, ``#include`` and ``#if`` → its lines, macros expanded.

The C preprocessor as it is applied to files ``.S``: what follows ``#`` and is no
directive is a comment. Definitions, expansion and conditions are those of
``voltac/syntax``; here lines stay lines, with their blanks, for the assembler.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from voltac.codegen.assembly.lines import SourceLine
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.messages.message import BUILT_IN, Expanded, Span
from voltac.messages.suggestions import suggestion
from voltac.records import mutable_record
from voltac.syntax.comments import with_newlines, without_comments
from voltac.syntax.conditions import ConditionError, evaluate, without_defined
from voltac.syntax.expansion import Expander
from voltac.syntax.lexer import BLANKS, TOKEN, is_name
from voltac.syntax.logical_lines import LogicalLine
from voltac.syntax.macros import Macro, MacroError, Token, define, spelling
from voltac.system.files import read_regular_file

_DIRECTIVE = re.compile(r"\s*#\s*(\w*)(.*)", re.DOTALL | re.ASCII)
_CONDITIONS = frozenset(("if", "ifdef", "ifndef", "elif", "else", "endif"))
_OTHERS = frozenset(("define", "undef", "include", "error", "warning", "pragma", "line"))
_DEEPEST = 200
"""Files that include each other: as many as gcc allows."""

Reader = Callable[[str], str | None]
"""A path → the text of the file, None if there is none."""


def read_file(path: str) -> str | None:
    """The text of a plain file."""
    try:
        return read_regular_file(path).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


def preprocessed_lines(
    text: str,
    file: str,
    diagnostics: Diagnostics,
    predefined: Mapping[str, str],
    include_directories: Sequence[str] = (),
    known_headers: frozenset[str] = frozenset(),
    read: Reader = read_file,
) -> list[SourceLine]:
    """The lines that the assembler gets.

    ``predefined``: name → text, or name with parameters → text. ``known_headers``: base names of files whose
    definitions are among these, so that including them adds nothing. Raises CompileError where going on makes no sense.
    """
    run = _Preprocessor(diagnostics, include_directories, known_headers, read)
    place = Span(BUILT_IN, 1, 1, 1, 1)
    for head, body in predefined.items():
        macro = define(f"{head} {body}", place)
        run.macros[macro.name] = macro
    run.file(text, file, 0)
    return run.made


@mutable_record(eq=False)
class _Group:
    """An ``#if`` that is open."""

    place: Span
    outer: bool
    taken: bool
    reading: bool
    closed: bool = False


class _Preprocessor:
    def __init__(self, diagnostics: Diagnostics, directories: Sequence[str], known: frozenset[str], read: Reader) -> None:
        self.diagnostics = diagnostics
        self.directories = directories
        self.known_headers = known
        self.read = read
        self.macros: dict[str, Macro] = {}
        special = {"__LINE__": lambda span: str(span.line), "__FILE__": lambda span: f'"{span.file}"'}
        self.special = special
        self.expander = Expander(self.macros, special, joins_anything=True)
        self.once: set[str] = set()
        self.made: list[SourceLine] = []

    def error(self, code: str, span: Span, text: str) -> None:
        self.diagnostics.preprocessor_error(code, span, text)

    def file(self, text: str, name: str, depth: int) -> None:
        """All lines of a file."""
        text = with_newlines(text)
        self.diagnostics.sources.setdefault(name, text.split("\n"))
        try:
            lines = without_comments(text, name)
        except MacroError as mistake:
            self.error("syntax", mistake.span, str(mistake))
            raise CompileError(self.diagnostics) from None
        _File(self, lines, name, depth).run()


class _File:
    """A file being read."""

    def __init__(self, whole: _Preprocessor, lines: list[str], name: str, depth: int) -> None:
        self.whole = whole
        self.lines = lines
        self.name = name
        self.depth = depth
        self.next = 0
        self.groups: list[_Group] = []

    @property
    def reading(self) -> bool:
        return not self.groups or self.groups[-1].reading

    def run(self) -> None:
        macros = self.whole.macros
        while (line := self.logical_line()) is not None:
            if line.text.lstrip(BLANKS).startswith("#") and self.directive(line):
                continue
            if not self.reading or not line.text.strip():
                continue
            if line.text.lstrip(BLANKS).startswith("#"):
                continue
            found = TOKEN.findall(line.text)
            if macros.keys().isdisjoint(found) and self.whole.special.keys().isdisjoint(found):
                self.whole.made.append(self.plain(line))
                continue
            try:
                expanded = self.whole.expander.expand(line.tokens(), self.following)
            except MacroError as mistake:
                self.whole.error("macro", mistake.span, str(mistake))
                continue
            if expanded:
                self.whole.made.append(joined(expanded))
        for group in self.groups:
            self.whole.error("conditional", group.place, "this conditional is not closed: #endif is missing")

    def logical_line(self) -> LogicalLine | None:
        """The next line, joined with those that it continues on."""
        if self.next >= len(self.lines):
            return None
        number = self.next + 1
        parts, starts, length = [], [0], 0
        while True:
            line = self.lines[self.next]
            self.next += 1
            stripped = line.rstrip(BLANKS)
            if not stripped.endswith("\\") or self.next >= len(self.lines):
                parts.append(line)
                return LogicalLine(self.name, number, "".join(parts), starts)
            parts.append(stripped[:-1])
            length += len(stripped) - 1
            starts.append(length)

    def plain(self, line: LogicalLine) -> SourceLine:
        """A line in which nothing is expanded."""
        marks = [(start, line.place(start, start + 1), False) for start in line.starts]
        return SourceLine(line.text, marks)

    def following(self, open_list: bool) -> list[Token] | None:
        """The tokens of the next line, where the list of a macro's arguments goes on."""
        if not open_list:
            position = self.next
            while position < len(self.lines) and not self.lines[position].strip():
                position += 1
            if position == len(self.lines) or not self.lines[position].lstrip(BLANKS).startswith("("):
                return None
        while (line := self.logical_line()) is not None:
            if line.text.lstrip(BLANKS).startswith("#"):
                self.directive(line)
            elif self.reading and (tokens := line.tokens()):
                return tokens
        return None

    # --- directives -------------------------------------------------------------------------------------------------

    def directive(self, line: LogicalLine) -> bool:
        """Whether a line with ``#`` is one; the others are comments."""
        match = _DIRECTIVE.fullmatch(line.text)
        assert match is not None
        name = match[1]
        begin = line.text.index("#")
        place = line.place(begin, len(line.text.rstrip()))
        try:
            if name in _CONDITIONS:
                self.condition(name, line.tokens(match.start(2)), place)
            elif name in _OTHERS:
                if self.reading:
                    self.other(name, match[2], line, match.start(2), place)
            else:
                return False
        except MacroError as mistake:
            code = "conditional" if name in _CONDITIONS else "include" if name == "include" else "macro"
            self.whole.error(code, mistake.span, str(mistake))
        return True

    def condition(self, name: str, rest: list[Token], place: Span) -> None:
        if name in ("if", "ifdef", "ifndef"):
            outer = self.reading
            holds = outer and self.holds(name, rest, place)
            self.groups.append(_Group(place, outer, holds, holds))
            return
        if not self.groups:
            raise MacroError(place, f"#{name} without #if")
        group = self.groups[-1]
        if name == "endif":
            self.groups.pop()
            return
        if group.closed:
            raise MacroError(place, f"#{name} after #else")
        group.closed = name == "else"
        wanted = group.outer and not group.taken
        group.reading = wanted and (group.closed or self.holds("if", rest, place))
        group.taken = group.taken or group.reading

    def holds(self, name: str, tokens: list[Token], place: Span) -> bool:
        macros = self.whole.macros
        if name != "if":
            if not tokens or not is_name(tokens[0].text):
                raise MacroError(place, f"a macro name has to follow #{name}")
            return (tokens[0].text in macros) == (name == "ifdef")
        if not tokens:
            raise ConditionError(place, "#if has no condition")
        expanded = self.whole.expander.expand(tokens, keep="defined")
        return evaluate(without_defined(expanded, self.whole.macros.__contains__), place) != 0

    def other(self, name: str, rest: str, line: LogicalLine, begin: int, place: Span) -> None:
        whole = self.whole
        if name == "define":
            macro = define(rest, place)
            macro.offset += begin
            macro.starts = line.starts
            whole.macros[macro.name] = macro
        elif name == "undef":
            tokens = line.tokens(begin)
            if not tokens or not is_name(tokens[0].text):
                raise MacroError(place, "a macro name has to follow #undef")
            whole.macros.pop(tokens[0].text, None)
        elif name == "include":
            self.include(line.tokens(begin), rest.strip(), place)
        elif name == "error":
            whole.error("user-error", place, rest.strip() or "#error")
        elif name == "warning":
            whole.diagnostics.preprocessor_warning(place, rest.strip() or "#warning")
        elif name == "pragma" and rest.split()[:1] == ["once"]:
            whole.once.add(self.name)

    def include(self, tokens: list[Token], text: str, place: Span) -> None:
        whole = self.whole
        if tokens:
            place = tokens[0].span.to(tokens[-1].span)
        if text[:1] not in ('"', "<"):
            text = spelling(whole.expander.expand(tokens))
        closing = text.find('"', 1) if text[:1] == '"' else text.find(">") if text[:1] == "<" else -1
        if closing < 2:
            raise MacroError(place, '#include expects "file" or <file>')
        name = text[1:closing]
        directories = [os.path.dirname(self.name), *whole.directories]
        for directory in directories:
            path = os.path.join(directory, name)
            if path in whole.once:
                return
            content = whole.read(path)
            if content is not None:
                if self.depth >= _DEEPEST:
                    raise MacroError(place, f"'{name}' is included {_DEEPEST} files deep: it includes itself")
                whole.diagnostics.included.setdefault(path, []).append(place)
                whole.file(content, path, self.depth + 1)
                return
        if os.path.basename(name) not in whole.known_headers:
            known = suggestion(os.path.basename(name), whole.known_headers)
            looked = ", ".join(f"'{directory or '.'}'" for directory in directories)
            raise MacroError(place, f"'{name}' file not found{known}; looked for in {looked}; directories are added with -I")


def joined(tokens: Sequence[Token]) -> SourceLine:
    """A line of tokens, each at its place; those out of a macro all stand where it is used."""
    out: list[str] = []
    marks: list[tuple[int, Span, bool]] = []
    length = 0
    for position, token in enumerate(tokens):
        blank = " " if token.space and position else ""
        marks.append((length, token.span, isinstance(token.span, Expanded)))
        out.append(blank + token.text)
        if blank:
            marks[-1] = (length + 1, token.span, marks[-1][2])
        length += len(blank) + len(token.text)
    return SourceLine("".join(out), marks)
