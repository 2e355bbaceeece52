"""A file's text → tokens with all directives obeyed and all macros expanded (language 3).

Lines in which nothing has to be expanded go through the lexer's regular expression and nothing else.
The directives are methods of one class, for all of them change the state in which the lines that follow are read.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from voltac.messages.diagnostics import CompileError, Diagnostics, Ignored
from voltac.messages.message import BUILT_IN, NOWHERE, Note, Span
from voltac.messages.suggestions import suggestion
from voltac.messages.warning_switches import ALL, WARNINGS
from voltac.options import Options
from voltac.records import mutable_record
from voltac.syntax.comments import with_newlines, without_comments
from voltac.syntax.conditions import evaluate, without_defined
from voltac.syntax.expansion import Expander, ExpansionTooLarge
from voltac.syntax.inputs import Inputs
from voltac.syntax.lexer import BLANKS, TOKEN, is_name
from voltac.syntax.literals import BadLiteral, string
from voltac.syntax.logical_lines import LogicalLine
from voltac.syntax.macros import Macro, MacroError, Token, define, lex, same, spelling
from voltac.syntax.predefined import predefined
from voltac.syntax.preprocessed import Preprocessed, quoted, unquoted
from voltac.system.lazy_patterns import lazy_pattern
from voltac.system.shipped_files import shipped_folder

_DIRECTIVE = lazy_pattern(r"\s*#\s*(\w*)(.*)", re.DOTALL | re.ASCII)
_MARKER = lazy_pattern(r'\s*(\d+)(?:\s+"((?:[^"\\]|\\.)*)")?[\s\d]*', re.ASCII)
_DEEPEST_INCLUDE = 200
"""As much as gcc allows; what is deeper includes itself."""


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
    """One run over a file and all that it includes; what it makes is in ``result``."""

    def __init__(self, options: Options, diagnostics: Diagnostics, file: str, inputs: Inputs | None) -> None:
        self.options = options
        self.diagnostics = diagnostics
        self.result = Preprocessed(file, inputs)
        self.macros = self.result.macro_table
        self.counter = 0
        self.depth = 0
        """Of the file at hand: how many ``#include`` led to it."""
        started = time.localtime()
        self.special = {
            "__LINE__": lambda span: str(span.line),
            "__FILE__": lambda span: f'"{quoted(span.file)}"',
            "__DATE__": lambda span: self._timed(f'"{time.strftime("%b", started)} {started.tm_mday:2d} {started.tm_year}"'),
            "__TIME__": lambda span: self._timed(time.strftime('"%H:%M:%S"', started)),
            "__COUNTER__": self._count,
            "__INCLUDE_LEVEL__": lambda span: str(self.depth),
            "__BASE_FILE__": lambda span: f'"{quoted(file)}"',
        }
        self.expander = Expander(self.macros, self.special)
        self.known = {*self.special, "_Pragma"}
        """Names that make a line more than its tokens: those that are macros now, and ``_Pragma``."""
        self.inputs = self.result.inputs
        self.once: set[str] = set()
        self.failed = False
        self.prepared: dict[str, list[str]] = {}

    def _count(self, _: Span) -> str:
        self.counter += 1
        return str(self.counter - 1)

    def _timed(self, text: str) -> str:
        self.inputs.depends_on_time = True
        return text

    # --- diagnostics

    def error(self, code: str, span: Span, text: str) -> None:
        """A mistake; a warning with ``--ignore-preprocessor-errors``."""
        if self.options.ignore_preprocessor_errors:
            self.diagnostics.preprocessor_warning(span, text)
        else:
            self.failed = True
            self.diagnostics.preprocessor_error(code, span, text)

    # --- files

    def predefine(self, rows: dict[str, str]) -> None:
        """Define macros that no file does: name, or name and parameters -> text."""
        place = Span(BUILT_IN, 1, 1, 1, 1)
        for head, body in rows.items():
            if head.isidentifier() and head != "defined":
                macro = Macro(head, None, False, body, place)
            else:
                try:
                    macro = define(f"{head} {body}", place)
                except MacroError as mistake:
                    self.error("macro", NOWHERE, f"macro '{head}' of the command line: {mistake}")
                    continue
            self.macros[macro.name] = macro
            self.known.add(macro.name)

    def prepare(self, text: str, name: str) -> list[str]:
        """The lines of a file without comments; its lines as written are kept for the excerpts of messages."""
        text = with_newlines(text)
        if name not in self.diagnostics.sources:
            self.diagnostics.sources[name] = text.split("\n")
        try:
            return without_comments(text, name)
        except MacroError as mistake:
            self.error("syntax", mistake.span, str(mistake))
            raise _Stop from None

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
            if "\\" in line and line.rstrip(BLANKS)[-1:] == "\\":
                whole = self.logical_line(file, line)
                if whole.text.lstrip(BLANKS)[:1] == "#":
                    self.directive(file, whole)
                elif file.reading:
                    self.expand_line(file, whole.tokens())
                continue
            if "#" in line and line.lstrip(BLANKS)[0] == "#":
                self.directive(file, self.logical_line(file, line))
                continue
            if not file.reading or not line or (line.isspace() and not line.strip(BLANKS)):
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
                self.expand_line(file, LogicalLine(name, number, line, _ONE_LINE).tokens())
        for group in file.groups:
            self.error("conditional", group.place, "this conditional is not closed: #endif is missing")

    @staticmethod
    def logical_line(file: _File, line: str) -> LogicalLine:
        """The line just read, joined with those it continues on."""
        number = file.next + file.shift
        starts = [0]
        parts = []
        length = 0
        while True:
            stripped = line.rstrip(BLANKS)
            if not stripped.endswith("\\") or file.next >= len(file.lines):
                parts.append(stripped.removesuffix("\\") if stripped.endswith("\\") else line)
                break
            parts.append(stripped[:-1])
            length += len(stripped) - 1
            starts.append(length)
            line = file.lines[file.next]
            file.next += 1
        return LogicalLine(file.shown_name, number, "".join(parts), starts)

    def expand_line(self, file: _File, tokens: list[Token]) -> None:
        """Tokens of a line with macros in it -> those of the result."""
        if not tokens:
            return
        place = tokens[0].span

        def more(open_list: bool) -> list[Token] | None:
            return self.following_line(file, open_list)

        try:
            expanded = self.expander.expand(tokens, more)
        except MacroError as mistake:
            self.error("macro", mistake.span, str(mistake))
            if isinstance(mistake, ExpansionTooLarge):
                raise _Stop from None
            return
        if any(token.text == "_Pragma" for token in expanded):
            expanded = self.without_pragmas(file, expanded)
        self.add_expanded(place, expanded)

    def add_expanded(self, place: Span, tokens: list[Token]) -> None:
        """Tokens that the parser gets, at the place of a macro's use."""
        if tokens:
            self.result.texts.extend([token.text for token in tokens])
            self.result.spans.extend([token.span for token in tokens])
            self.result.add_expanded(place, tokens)

    def without_pragmas(self, file: _File, tokens: list[Token]) -> list[Token]:
        """Obey each ``_Pragma("...")``, in the place where it stands; the tokens behind the last one."""
        begin = position = 0
        while position < len(tokens):
            found = tokens[position : position + 4]
            if found[0].text != "_Pragma":
                position += 1
                continue
            if [token.text for token in found[1::2]] != ["(", ")"] or not found[2].text.startswith('"'):
                self.error("bad-pragma", found[0].span, '_Pragma takes a string in parentheses: _Pragma("unroll 4")')
                return []
            self.add_expanded(tokens[begin].span, tokens[begin:position])
            try:
                self.pragma(file, string(found[2].text).strip(BLANKS), found[0].span)
            except BadLiteral as mistake:
                self.error("bad-pragma", found[2].span, str(mistake))
            begin = position = position + 4
        return tokens[begin:]

    def following_line(self, file: _File, open_list: bool) -> list[Token] | None:
        """The tokens of the next line of text, for an argument list that goes on there."""
        if not open_list:
            position = file.next
            while position < len(file.lines) and not file.lines[position].strip(BLANKS):
                position += 1
            if position == len(file.lines) or file.lines[position].lstrip(BLANKS)[0] != "(":
                return None
        while file.next < len(file.lines):
            line = file.lines[file.next]
            file.next += 1
            whole = self.logical_line(file, line)
            if whole.text.lstrip(BLANKS)[:1] == "#":
                self.directive(file, whole)
            elif file.reading and (tokens := whole.tokens()):
                return tokens
        return None

    # --- directives

    def directive(self, file: _File, whole: LogicalLine) -> None:
        """A line that begins with ``#``."""
        match = _DIRECTIVE.fullmatch(whole.text)
        assert match is not None
        name = match[1]
        begin = whole.text.index("#")
        if not self.options.preprocess and not (name in ("pragma", "line") or name.isdigit()):
            self.result.texts.append("#")
            self.result.spans.append(whole.place(begin, begin + 1))
            return
        place = whole.place(begin, max(len(whole.text.rstrip(BLANKS)), begin + 1))
        try:
            if name in _CONDITIONALS:
                self.conditional(file, name, partial(whole.tokens, match.start(2)), place)
            elif file.reading:
                self.other_directive(file, whole, match, place)
        except MacroError as mistake:
            self.error("macro", mistake.span, str(mistake))

    def conditional(self, file: _File, name: str, rest: Callable[[], list[Token]], place: Span) -> None:
        """``#if`` and its like: whether the lines that follow are read. The rest of the line is looked at where it counts."""
        groups = file.groups
        if name in ("else", "endif") and (file.reading or (groups and groups[-1].outer)) and (ignored := rest()):
            self.diagnostics.preprocessor_warning(ignored[0].span, f"text behind #{name} is ignored; put it into a comment")
        if name in ("if", "ifdef", "ifndef"):
            outer = file.reading
            taken = outer and self.holds(file, name, rest(), place)
            groups.append(_Group(place, taken, taken, outer))
            file.reading = taken
            return
        if not groups:
            self.error("conditional", place, f"#{name} without #if")
            return
        group = groups[-1]
        if name == "endif":
            groups.pop()
            file.reading = group.outer
            return
        if group.closed:
            self.error("conditional", place, f"#{name} after #else")
            return
        if name == "else":
            group.closed = True
            group.reading = group.outer and not group.taken
        else:
            wanted = group.outer and not group.taken
            group.reading = wanted and self.holds(file, name[2:], rest(), place)
        group.taken = group.taken or group.reading
        file.reading = group.reading

    def holds(self, file: _File, name: str, tokens: list[Token], place: Span) -> bool:
        """The condition of ``#if``, ``#ifdef``, ``#elif`` and so on."""
        if name != "if":
            if not tokens or not is_name(tokens[0].text):
                self.error("macro", tokens[0].span if tokens else place, f"a macro name has to follow #{name}")
                return False
            if len(tokens) > 1:
                self.diagnostics.preprocessor_warning(tokens[1].span, f"text behind the name of #{name} is ignored")
            return self.is_macro(tokens[0].text) == (name == "ifdef")
        if not tokens:
            self.error("conditional", place, "#if has no condition")
            return False
        try:
            asked = without_defined(self.expander.expand(tokens, keep="defined"), self.is_macro)
            return evaluate(self.without_questions(file, asked), place) != 0
        except MacroError as mistake:
            self.error("conditional", mistake.span, str(mistake))
            return False

    def is_macro(self, name: str) -> bool:
        """What ``defined`` says of a name."""
        return name in self.macros or name in self.special or name in _QUESTIONS

    def without_questions(self, file: _File, tokens: list[Token]) -> list[Token]:
        """The tokens of a condition with ``__has_include`` and its like replaced by 1 or 0."""
        result = []
        position = 0
        while position < len(tokens):
            token = tokens[position]
            position += 1
            if token.text in _QUESTIONS and position < len(tokens) and tokens[position].text == "(":
                end = position
                while end < len(tokens) and tokens[end].text != ")":
                    end += 1
                target = spelling(tokens[position + 1 : end])
                position = end + 1
                found = token.text == _HAS_INCLUDE and self.find_include(file, target[1:-1], target[:1] == '"')
                token = Token(str(int(bool(found))), token.span, token.space)
            result.append(token)
        return result

    def other_directive(self, file: _File, whole: LogicalLine, match: re.Match[str], place: Span) -> None:
        """All but conditions, in lines that are read."""
        name, rest = match[1], match[2].strip(BLANKS)
        behind = match.start(2)
        if name == "define":
            self.define(match[2], place, behind, whole.starts)
        elif name == "undef":
            self.undefine(whole.tokens(behind), place)
        elif name == "include":
            self.include(file, whole.tokens(behind), rest, place)
        elif name == "error":
            self.error("user-error", place, rest or "#error")
        elif name == "warning":
            self.diagnostics.preprocessor_warning(place, rest or "#warning")
        elif name == "pragma":
            self.pragma(file, rest, place)
        elif name == "line" or name.isdigit():
            self.line_marker(file, rest if name == "line" else name + match[2], place, name == "line")
        elif name == "" and not rest:
            return
        elif name not in ("ident", "sccs"):
            known = [*_CONDITIONALS, "define", "undef", "include", "error", "warning", "pragma", "line"]
            here = whole.place(place.column - 1, max(match.end(1), place.column))
            self.error(
                "directive", here, f"unknown preprocessor directive '#{name or rest.split()[0]}'{suggestion(name, known)}"
            )

    def undefine(self, tokens: list[Token], place: Span) -> None:
        """``#undef``."""
        if not tokens or not is_name(tokens[0].text):
            self.error("macro", tokens[0].span if tokens else place, "a macro name has to follow #undef")
            return
        if len(tokens) > 1:
            self.diagnostics.preprocessor_warning(tokens[1].span, "text behind the name of #undef is ignored")
        name = tokens[0].text
        self.macros.pop(name, None)
        if name not in self.special:
            self.known.discard(name)
        self.result.add_definition(place.file, place.line, f"#undef {name}")

    def define(self, rest: str, place: Span, begin: int, starts: list[int]) -> None:
        """``#define``; another definition of the same name is a warning."""
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

    def include(self, file: _File, tokens: list[Token], text: str, place: Span) -> None:
        """``#include``: the file's lines in place of the directive."""
        if tokens:
            place = tokens[0].span.to(tokens[-1].span)
        if text[:1] not in ('"', "<"):
            text = spelling(self.expander.expand(tokens))
        closing = text.find('"', 1) if text[:1] == '"' else text.find(">") if text[:1] == "<" else -1
        if closing < 2:
            self.error("include", place, '#include expects "file" or <file>')
            return
        name = text[1:closing]
        found = self.find_include(file, name, text[0] == '"')
        if not found:
            where = ", ".join(f"'{directory or '.'}'" for directory in self.include_directories(file, text[0] == '"')[:-1])
            looked = f"; looked for in {where}" if where and not os.path.isabs(name) else ""
            self.error("include", place, f"'{name}' file not found{looked}; directories are added with -I")
            return
        if self.once and self.inputs.identity(found) in self.once:
            return
        if file.depth >= _DEEPEST_INCLUDE:
            self.error("include", place, f"#include is nested too deeply: '{name}' includes itself, or a guard is missing")
            raise _Stop
        self.diagnostics.included.setdefault(found, []).append(place)
        lines = self.prepared.get(found)
        if lines is None:
            try:
                lines = self.prepare(self.inputs.read(found).decode(), found)
            except (OSError, UnicodeDecodeError) as mistake:
                reason = "is not UTF-8" if isinstance(mistake, UnicodeDecodeError) else f"cannot be read: {mistake.strerror}"
                self.error("include", place, f"'{name}' {reason}")
                return
            self.prepared[found] = lines
            self.result.dependencies.append(found)
        self.depth = file.depth + 1
        self.read(_File(found, lines, self.depth))
        self.depth = file.depth

    def find_include(self, file: _File, name: str, quoted: bool) -> str:
        """The path of an included file, or ``""``."""
        if os.path.isabs(name):
            return name if self.inputs.is_there(name) else ""
        for directory in self.include_directories(file, quoted):
            path = os.path.join(directory, name)
            if self.inputs.is_there(path):
                return path
        return ""

    def include_directories(self, file: _File, quoted: bool) -> list[str]:
        """Where included files are looked for; the last is the library's own directory."""
        own = [file.directory] if quoted else []
        return [*own, *self.options.include_directories, os.path.join(shipped_folder("stdlib"), "include")]

    def pragma(self, file: _File, text: str, place: Span) -> None:
        """``#pragma``: what is for the parser becomes a token."""
        words = text.split(None, 1)
        if not words:
            return
        word = re.match(r"\w*", words[0])[0]  # type: ignore[index]
        if word == "once":
            if file.depth == 0:
                self.diagnostics.preprocessor_warning(place, "#pragma once in the main file has no effect")
            self.once.add(self.inputs.identity(file.name))
            return
        if word in ("unroll", "nounroll"):
            expanded = spelling(self.expander.expand(lex(text, place)))
            self.result.texts.append(f"#pragma {expanded}")
            self.result.spans.append(place)
        elif ignored := _IGNORE.fullmatch(text):
            self.ignore(file, ignored[1] or "", ignored[2], place)
        else:
            known = suggestion(words[0], ("unroll", "nounroll", "ignore", "once"))
            self.diagnostics.warning("pragma", place, f"unknown pragma '{text}': it has no effect{known}")
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
            self.diagnostics.error("bad-pragma", place, f"unknown argument '{name}' of '#pragma ignore warning'{known}")
        if verb == "begin":
            file.ignoring.append(len(rows))
            rows.append(Ignored(place.line, _LAST_LINE, names))
            return
        # One pragma below the other: both are for the line behind them.
        lines = self.diagnostics.ignored_lines
        lines[place.file, place.line + 1] = names | lines.get((place.file, place.line), frozenset())

    def line_marker(self, file: _File, rest: str, place: Span, named: bool) -> None:
        """``#line``, or the marker by which preprocessors tell of files."""
        match = _MARKER.fullmatch(rest)
        if match is None and named:
            match = _MARKER.fullmatch(spelling(self.expander.expand(lex(rest, place))))
        if match is None:
            self.error("directive", place, "#line expects a line number and, if wanted, a file name in quotes")
            return
        digits = match[1].lstrip("0")
        if len(digits) > len(str(_HIGHEST_LINE)) or int(digits or "0") > _HIGHEST_LINE:
            self.error("directive", place, f"the line number of #line must not be above {_HIGHEST_LINE}")
            return
        # Other preprocessors begin their output with a line 0; messages need a line.
        file.shift = max(1, int(digits or "0")) - file.next - 1
        if match[2] is not None:
            file.shown_name = unquoted(match[2])
            self.show_named_file(file.shown_name)

    def show_named_file(self, name: str) -> None:
        """Excerpts of diagnostics come from the file a marker names, if it can be read."""
        if name in self.diagnostics.sources:
            return
        with suppress(OSError, ValueError):
            self.diagnostics.sources[name] = with_newlines(self.inputs.read(name).decode()).split("\n")


_IGNORE = lazy_pattern(r"ignore\s+warning\b\s*(begin\b|end\b)?\s*(?:\(\s*(.*?)\s*\))?")
_LAST_LINE = 1 << 60
"""Behind all lines: until the end of the file."""
_HIGHEST_LINE = (1 << 31) - 1
"""The greatest that C lets ``#line`` say."""
_ONE_LINE = [0]
_HAS_INCLUDE = "__has_include"
_QUESTIONS = frozenset((
    _HAS_INCLUDE, "__has_attribute", "__has_builtin", "__has_c_attribute", "__has_cpp_attribute", "__has_declspec_attribute",
    "__has_extension", "__has_feature", "__has_warning",
))  # fmt: skip
"""What conditions ask of compilers of C, in headers shared with them; the answer is no, but for files."""
_CONDITIONALS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")


def preprocess(text: str, file: str, options: Options, diagnostics: Diagnostics, inputs: Inputs | None = None) -> Preprocessed:
    """Read a file's text; the errors are clang's kind and end the compilation (language 3).

    Compilations that share ``inputs`` see the same files.
    """
    preprocessor = Preprocessor(options, diagnostics, file, inputs)
    result = preprocessor.result
    try:
        if options.preprocess:
            preprocessor.predefine(predefined(options))
        lines = preprocessor.prepare(text, file)
        result.main_lines = diagnostics.sources[file]
        preprocessor.read(_File(file, lines, 0))
    except _Stop:
        pass
    # These hold what holds them, which is let go at once, not when Python looks for such.
    preprocessor.special.clear()
    if preprocessor.failed:
        raise CompileError(diagnostics)
    return result
