"""A file's text → tokens with all directives obeyed and all macros expanded (reference section 3).

Lines in which nothing has to be expanded go through the lexer's regular expression and nothing else.
"""

from __future__ import annotations

import os
import re
import time
from bisect import bisect_right

from voltac.diagnostics import BUILT_IN, NOWHERE, CompileError, Diagnostics, Ignored, Note, Span, suggestion
from voltac.options import Options
from voltac.paths import STANDARD_LIBRARY
from voltac.records import mutable_record
from voltac.syntax.conditions import ConditionError, evaluate
from voltac.syntax.lexer import COMMENT_OR_STRING, TOKEN, is_name
from voltac.syntax.macros import Expander, Macro, MacroError, Token, define, lex, same, spelling
from voltac.syntax.preprocessed import Preprocessed, quoted
from voltac.warning_switches import ALL, WARNINGS

_DIRECTIVE = re.compile(r"\s*#\s*(\w*)(.*)", re.DOTALL | re.ASCII)
_MARKER = re.compile(r'\s*(\d+)(?:\s+"((?:[^"\\]|\\.)*)")?[\s\d]*', re.ASCII)
_DEEPEST_INCLUDE = 200


@mutable_record
class _Group:
    """An ``#if`` that is open."""

    place: Span
    reading: bool
    """Its present group is read."""
    taken: bool
    """Some group of it has been read."""
    outer: bool
    """The text around it is read."""
    closed: bool = False
    """``#else`` has been seen."""


class _File:
    """A file being read: its lines without comments, and the place of the next one."""

    def __init__(self, name: str, lines: list[str], depth: int) -> None:
        self.name = name
        self.directory = os.path.dirname(name)
        self.lines = lines
        self.next = 0
        self.depth = depth
        self.shift = 0
        """What ``#line`` added to the line numbers."""
        self.shown_name = name
        self.groups: list[_Group] = []
        self.ignoring: list[int] = []
        """The ``#pragma ignore warning begin`` that are open, as positions in the list of diagnostics."""
        self.reading = True


class _Stop(Exception):
    """An error after which going on is pointless."""


class Preprocessor:
    def __init__(self, options: Options, diagnostics: Diagnostics, file: str) -> None:
        self.options = options
        self.diagnostics = diagnostics
        self.result = Preprocessed(file)
        self.macros = self.result.macro_table
        self.counter = 0
        started = time.localtime()
        self.special = {
            "__LINE__": lambda span: str(span.line),
            "__FILE__": lambda span: f'"{quoted(span.file)}"',
            "__DATE__": lambda span: f'"{time.strftime("%b", started)} {started.tm_mday:2d} {started.tm_year}"',
            "__TIME__": lambda span: time.strftime('"%H:%M:%S"', started),
            "__COUNTER__": self._count,
        }
        self.expander = Expander(self.macros, self.special)
        self.known = set(self.special)
        """Names that are macros now."""
        self.once: set[str] = set()
        self.failed = False
        self.prepared: dict[str, list[str]] = {}

    def _count(self, _: Span) -> str:
        self.counter += 1
        return str(self.counter - 1)

    # --- diagnostics

    def error(self, span: Span, text: str) -> None:
        if self.options.ignore_preprocessor_errors:
            self.diagnostics.preprocessor_warning(span, text)
        else:
            self.failed = True
            self.diagnostics.preprocessor_error(span, text)

    # --- files

    def predefine(self, rows: dict[str, str]) -> None:
        place = Span(BUILT_IN, 1, 1, 1, 1)
        for head, body in rows.items():
            if head.isidentifier() and head != "defined":
                macro = Macro(head, None, False, body, place)
            else:
                try:
                    macro = define(f"{head} {body}", place)
                except MacroError as mistake:
                    self.error(NOWHERE, f"macro '{head}' of the command line: {mistake}")
                    continue
            self.macros[macro.name] = macro
            self.known.add(macro.name)

    def prepare(self, text: str, name: str) -> list[str]:
        """The lines of a file with blanks instead of comments, each character at its column."""
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = text.removeprefix("\ufeff")
        if name not in self.diagnostics.sources:
            self.diagnostics.sources[name] = text.split("\n")
        if "/" not in text:
            return text.split("\n")

        def blank(match: re.Match[str]) -> str:
            found = match.group()
            if found[0] != "/":
                return found
            if found == "/*":
                start = match.start()
                line = text.count("\n", 0, start) + 1
                column = start - text.rfind("\n", 0, start)
                self.error(Span(name, line, column, line, column + 2), "this comment is not closed: '*/' is missing")
                raise _Stop
            if found[1] == "/":
                return "\n" * found.count("\n")
            if "\n" not in found:
                return " " * len(found)
            begin = text.rfind("\n", 0, match.start()) + 1
            directive = text[begin : match.start()].lstrip().startswith("#")
            newline = "\\\n" if directive else "\n"
            return " " + newline * found.count("\n") + " " * (len(found) - found.rfind("\n") - 1)

        return COMMENT_OR_STRING.sub(blank, text).split("\n")

    def read(self, file: _File) -> None:
        """Process a file to its end."""
        result = self.result
        texts, spans = result.texts, result.spans
        lines = file.lines
        finditer = TOKEN.finditer
        new = tuple.__new__
        count = len(lines)
        while file.next < count:
            line = lines[file.next]
            file.next += 1
            if "#" in line and line.lstrip()[0] == "#":
                self.directive(file, line)
                continue
            if not file.reading or not line or line.isspace():
                continue
            if line[-1] == "\\" or (line[-1].isspace() and line.rstrip()[-1] == "\\"):
                self.continued(file, line)
                continue
            number = file.next + file.shift
            name = file.shown_name
            matches = list(finditer(line))
            found = [match.group() for match in matches]
            if self.known.isdisjoint(found):
                texts += found
                spans += [new(Span, (name, number, match.start() + 1, number, match.end() + 1)) for match in matches]
                result.add_piece(name, number, line)
            else:
                self.expand_line(file, self.line_tokens(file, line, number))
        for group in file.groups:
            self.error(group.place, "this conditional is not closed: #endif is missing")

    def logical_line(self, file: _File, line: str) -> tuple[str, list[int]]:
        """A line joined with those it continues on, and the offset at which each of them begins."""
        starts = [0]
        parts = []
        length = 0
        while True:
            stripped = line.rstrip()
            if not stripped.endswith("\\") or file.next >= len(file.lines):
                parts.append(stripped.removesuffix("\\") if stripped.endswith("\\") else line)
                break
            parts.append(stripped[:-1])
            length += len(stripped) - 1
            starts.append(length)
            line = file.lines[file.next]
            file.next += 1
        return "".join(parts), starts

    def continued(self, file: _File, line: str) -> None:
        first = file.next + file.shift
        text, starts = self.logical_line(file, line)
        tokens = []
        for token in self.line_tokens(file, text, first):
            offset = token.span.column - 1
            part = bisect_right(starts, offset) - 1
            column = offset - starts[part] + 1
            place = Span(token.span.file, first + part, column, first + part, column + len(token.text))
            tokens.append(Token(token.text, place, token.space))
        self.expand_line(file, tokens)

    @staticmethod
    def line_tokens(file: _File, line: str, number: int) -> list[Token]:
        tokens = []
        name = file.shown_name
        end = 0
        for match in TOKEN.finditer(line):
            start = match.start()
            span = Span(name, number, start + 1, number, match.end() + 1)
            tokens.append(Token(match.group(), span, start > end or start == 0))
            end = match.end()
        return tokens

    def expand_line(self, file: _File, tokens: list[Token]) -> None:
        if not tokens:
            return
        place = tokens[0].span

        def more(open_list: bool) -> list[Token] | None:
            return self.following_line(file, open_list)

        try:
            expanded = self.expander.expand(tokens, more)
        except MacroError as mistake:
            self.error(mistake.span, str(mistake))
            return
        self.result.texts.extend([token.text for token in expanded])
        self.result.spans.extend([token.span for token in expanded])
        self.result.add_expanded(place, expanded)

    def following_line(self, file: _File, open_list: bool) -> list[Token] | None:
        """The tokens of the next line of text, for an argument list that goes on there."""
        if not open_list:
            position = file.next
            while position < len(file.lines) and not file.lines[position].strip():
                position += 1
            if position == len(file.lines) or file.lines[position].lstrip()[0] != "(":
                return None
        while file.next < len(file.lines):
            line = file.lines[file.next]
            file.next += 1
            if line.lstrip()[:1] == "#":
                self.directive(file, line)
            elif file.reading and line.strip():
                number = file.next + file.shift
                return self.line_tokens(file, self.logical_line(file, line)[0], number)
        return None

    # --- directives

    def directive(self, file: _File, line: str) -> None:
        number = file.next + file.shift
        starts = [0]
        if line.rstrip()[-1] == "\\":
            line, starts = self.logical_line(file, line)
        match = _DIRECTIVE.fullmatch(line)
        assert match is not None
        name, rest = match.groups()
        if not self.options.preprocess and not (name in ("pragma", "line") or name.isdigit()):
            self.result.texts.append("#")
            self.result.spans.append(Span(file.shown_name, number, line.index("#") + 1, number, line.index("#") + 2))
            return
        column = line.index("#") + 1
        end = len(line.rstrip()) + 1
        place = Span(file.shown_name, number, column, number, max(end, column + 1))
        try:
            if name in _CONDITIONALS:
                self.conditional(file, name, rest, place)
            elif file.reading:
                self.other_directive(file, name, rest, place, match.start(1) + 1, (match.start(2), starts))
        except MacroError as mistake:
            self.error(mistake.span, str(mistake))

    def conditional(self, file: _File, name: str, rest: str, place: Span) -> None:
        groups = file.groups
        if name in ("if", "ifdef", "ifndef"):
            outer = file.reading
            taken = outer and self.holds(file, name, rest, place)
            groups.append(_Group(place, taken, taken, outer))
            file.reading = taken
            return
        if not groups:
            self.error(place, f"#{name} without #if")
            return
        group = groups[-1]
        if name == "endif":
            groups.pop()
            file.reading = group.outer
            return
        if group.closed:
            self.error(place, f"#{name} after #else")
            return
        if name == "else":
            group.closed = True
            group.reading = group.outer and not group.taken
        else:
            wanted = group.outer and not group.taken
            group.reading = wanted and self.holds(file, name[2:], rest, place)
        group.taken = group.taken or group.reading
        file.reading = group.reading

    def holds(self, file: _File, name: str, rest: str, place: Span) -> bool:
        tokens = lex(rest, place)
        if name != "if":
            if not tokens or not is_name(tokens[0].text):
                self.error(place, f"a macro name has to follow #{name}")
                return False
            return (tokens[0].text in self.known) == (name == "ifdef")
        if not tokens:
            self.error(place, "#if has no condition")
            return False
        try:
            expanded = self.expander.expand(self.without_defined(file, tokens))
            return evaluate([token.text for token in expanded]) != 0
        except ConditionError as mistake:
            self.error(place, str(mistake))
            return False

    def without_defined(self, file: _File, tokens: list[Token]) -> list[Token]:
        """The tokens of a condition with ``defined`` and ``__has_include`` replaced by 1 or 0."""
        result = []
        position = 0
        while position < len(tokens):
            token = tokens[position]
            position += 1
            if token.text == "defined":
                bracket = position < len(tokens) and tokens[position].text == "("
                position += bracket
                name = tokens[position].text if position < len(tokens) else ""
                position += 1
                if not is_name(name):
                    raise ConditionError("a macro name has to follow 'defined'")
                if bracket:
                    if position >= len(tokens) or tokens[position].text != ")":
                        raise ConditionError("')' is missing after 'defined'")
                    position += 1
                token = Token(str(int(name in self.known)), token.span, token.space)
            elif token.text == "__has_include" and position < len(tokens) and tokens[position].text == "(":
                end = position
                while end < len(tokens) and tokens[end].text != ")":
                    end += 1
                target = spelling(tokens[position + 1 : end])
                position = end + 1
                found = self.find_include(file, target[1:-1], target[:1] == '"')
                token = Token(str(int(bool(found))), token.span, token.space)
            result.append(token)
        return result

    def other_directive(
        self, file: _File, name: str, rest: str, place: Span, column: int, offsets: tuple[int, list[int]]
    ) -> None:
        """``offsets``: where the rest begins in the joined line, and where each line of it does."""
        if name == "define":
            self.define(rest, place, *offsets)
        elif name == "undef":
            macro_name = rest.strip()
            if not is_name(macro_name):
                self.error(place, "a macro name has to follow #undef")
            self.macros.pop(macro_name, None)
            self.known.discard(macro_name)
            self.result.add_definition(place.file, place.line, f"#undef {macro_name}")
        elif name == "include":
            self.include(file, rest, place)
        elif name == "error":
            self.error(place, rest.strip() or "#error")
        elif name == "warning":
            self.diagnostics.preprocessor_warning(place, rest.strip() or "#warning")
        elif name == "pragma":
            self.pragma(file, rest.strip(), place)
        elif name == "line" or name.isdigit():
            self.line_marker(file, rest if name == "line" else name + rest, place, name == "line")
        elif name == "" and not rest.strip():
            return
        elif name not in ("ident", "sccs"):
            shown = name or rest.split()[0]
            known = [*_CONDITIONALS, "define", "undef", "include", "error", "warning", "pragma", "line"]
            here = Span(place.file, place.line, place.column, place.line, max(column + len(name), place.column + 1))
            self.error(here, f"unknown preprocessor directive '#{shown}'{suggestion(name, known)}")

    def define(self, rest: str, place: Span, begin: int, starts: list[int]) -> None:
        macro = define(rest, place)
        macro.offset += begin
        macro.starts = starts
        old = self.macros.get(macro.name)
        if (old is not None and not same(old, macro)) or macro.name in self.special:
            earlier = old.span if old is not None else NOWHERE
            notes = (
                [Note(earlier, f"macro '{macro.name}' is first defined here")]
                if earlier.line and earlier.file != BUILT_IN
                else []
            )
            self.diagnostics.preprocessor_warning(place, f"macro '{macro.name}' is defined anew, differently", *notes)
        self.macros[macro.name] = macro
        self.known.add(macro.name)
        self.result.add_definition(place.file, place.line, f"#define {macro.definition()}")

    def include(self, file: _File, rest: str, place: Span) -> None:
        text = rest.strip()
        if text[:1] not in ('"', "<"):
            text = spelling(self.expander.expand(lex(text, place)))
        closing = text.find('"', 1) if text[:1] == '"' else text.find(">") if text[:1] == "<" else -1
        if closing < 2:
            self.error(place, '#include expects "file" or <file>')
            return
        name = text[1:closing]
        found = self.find_include(file, name, text[0] == '"')
        if not found:
            self.error(place, f"'{name}' file not found")
            return
        if os.path.realpath(found) in self.once:
            return
        if file.depth >= _DEEPEST_INCLUDE:
            self.error(place, f"#include is nested too deeply: '{name}' includes itself, or a guard is missing")
            raise _Stop
        self.diagnostics.included.setdefault(found, []).append(place)
        lines = self.prepared.get(found)
        if lines is None:
            try:
                with open(found, encoding="utf-8") as stream:
                    lines = self.prepare(stream.read(), found)
            except (OSError, UnicodeDecodeError) as mistake:
                reason = "is not UTF-8" if isinstance(mistake, UnicodeDecodeError) else f"cannot be read: {mistake.strerror}"
                self.error(place, f"'{name}' {reason}")
                return
            self.prepared[found] = lines
            self.result.dependencies.append(found)
        self.read(_File(found, lines, file.depth + 1))

    def find_include(self, file: _File, name: str, quoted: bool) -> str:
        """The path of an included file, or ``""``."""
        if os.path.isabs(name):
            return name if os.path.isfile(name) else ""
        directories = [*self.options.include_directories, str(STANDARD_LIBRARY / "include")]
        if quoted:
            directories.insert(0, file.directory)
        for directory in directories:
            path = os.path.join(directory, name)
            if os.path.isfile(path):
                return path
        return ""

    def pragma(self, file: _File, text: str, place: Span) -> None:
        words = text.split(None, 1)
        if not words:
            return
        word = re.match(r"\w*", words[0])[0]  # type: ignore[index]
        if word == "once":
            if file.depth == 0:
                self.diagnostics.preprocessor_warning(place, "#pragma once in the main file has no effect")
            self.once.add(os.path.realpath(file.name))
            return
        if word in ("unroll", "nounroll"):
            expanded = spelling(self.expander.expand(lex(text, place)))
            self.result.texts.append(f"#pragma {expanded}")
            self.result.spans.append(place)
        elif ignored := _IGNORE.fullmatch(text):
            self.ignore(file, ignored[1] or "", ignored[2], place)
        else:
            self.diagnostics.warning("pragma", place, f"unknown pragma '{text}': it has no effect")
        self.result.add_piece(place.file, place.line, f"#pragma {text}")

    def ignore(self, file: _File, verb: str, words: str | None, place: Span) -> None:
        """``#pragma ignore warning``: for the next line, or from ``begin`` to ``end`` or the end of the file."""
        rows = self.diagnostics.ignored.setdefault(place.file, [])
        if verb == "end":
            if not file.ignoring:
                self.diagnostics.warning("pragma", place, "'#pragma ignore warning end' has no '#pragma ignore warning begin'")
                return
            position = file.ignoring.pop()
            rows[position] = rows[position]._replace(last=place.line)
            return
        names = frozenset([ALL] if words is None else [word.strip() for word in words.split(",")])
        for name in sorted(names - WARNINGS.keys() - {ALL}):
            known = suggestion(name, [*WARNINGS, ALL]) or "; 'all', 'perf' and the names that 'voltac --help' lists are known"
            self.diagnostics.error(place, f"unknown argument '{name}' of '#pragma ignore warning'{known}")
        if verb == "begin":
            file.ignoring.append(len(rows))
            rows.append(Ignored(place.line, _LAST_LINE, names))
            return
        if rows and rows[-1].first == rows[-1].last == place.line:
            # One pragma below the other: both are for the line behind them.
            names |= rows[-1].names
        rows.append(Ignored(place.line + 1, place.line + 1, names))

    def line_marker(self, file: _File, rest: str, place: Span, named: bool) -> None:
        match = _MARKER.fullmatch(rest)
        if match is None and named:
            match = _MARKER.fullmatch(spelling(self.expander.expand(lex(rest, place))))
        if match is None:
            self.error(place, "#line expects a line number and, if wanted, a file name in quotes")
            return
        file.shift = int(match[1]) - file.next - 1
        if match[2] is not None:
            file.shown_name = match[2].replace('\\"', '"').replace("\\\\", "\\")
            self.show_named_file(file.shown_name)

    def show_named_file(self, name: str) -> None:
        """Excerpts of diagnostics come from the file a marker names, if it can be read."""
        if name in self.diagnostics.sources:
            return
        try:
            with open(name, encoding="utf-8") as stream:
                self.diagnostics.sources[name] = stream.read().split("\n")
        except (OSError, UnicodeDecodeError, ValueError):
            return


_IGNORE = re.compile(r"ignore\s+warning\b\s*(begin\b|end\b)?\s*(?:\(\s*(.*?)\s*\))?")
_LAST_LINE = 1 << 60
_CONDITIONALS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")


def preprocess(text: str, file: str, options: Options, diagnostics: Diagnostics) -> Preprocessed:
    """Read a file's text; the errors are clang's kind and end the compilation (reference section 3)."""
    from voltac.syntax.predefined import predefined

    preprocessor = Preprocessor(options, diagnostics, file)
    result = preprocessor.result
    try:
        if options.preprocess:
            preprocessor.predefine(predefined(options))
        lines = preprocessor.prepare(text, file)
        result.main_lines = diagnostics.sources[file]
        preprocessor.read(_File(file, lines, 0))
    except _Stop:
        pass
    if preprocessor.failed:
        raise CompileError(diagnostics)
    return result
