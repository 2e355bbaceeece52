"""What the preprocessor makes of a file: its tokens, and the same as text for ``-E``, ``-dM`` and ``-dD``."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.messages.visible import bytes_of, visible_name
from voltac.syntax.inputs import Inputs
from voltac.syntax.lexer import TOKEN
from voltac.syntax.macros import Macro, Token
from voltac.system.lazy_patterns import lazy_pattern

_MISSING_LINES_SHOWN_AS_BLANK = 8
"""More become a line marker in the output of ``-E``."""
_FARTHEST_COLUMN = 1000
"""Where a token stands farther out, the blanks in front of it are not kept: each could multiply the output."""


class Preprocessed:
    """What the preprocessor makes of a file."""

    def __init__(self, file: str, inputs: Inputs | None = None) -> None:
        self.file = file
        self.texts: list[str] = []
        """The text of each token; a pragma that means something to the parser is one token, ``#pragma ...``."""
        self.spans: list[Span] = []
        self.dependencies: list[str] = [file]
        """Every file read, the main one first."""
        self.inputs = Inputs() if inputs is None else inputs
        self.macro_table: dict[str, Macro] = {}
        self.main_lines: list[str] = []
        self._pieces: list[tuple[str, int, str | list[Token]]] = []
        """File, line and text of each line that is left; expanded ones are made text when asked for."""
        self._definitions: list[tuple[int, str]] = []

    @property
    def text(self) -> str:
        """The result as text, with line markers (``-E``)."""
        return self._render(False)

    @property
    def text_with_definitions(self) -> str:
        """The result as text with the ``#define`` and ``#undef`` lines left in it (``-dD``)."""
        return self._render(True)

    @property
    def macros_text(self) -> str:
        """A ``#define`` line for each macro that is defined at the end (``-dM``)."""
        return "".join(f"#define {macro.definition()}\n" for macro in self.macro_table.values())

    def comment_above(self, line: int) -> str:
        """The text of the comment that ends right above a line of the main file, without its marks."""
        return comment_above(self.main_lines, line)

    def add_piece(self, file: str, number: int, text: str) -> None:
        """The text of a line as it stands in the source."""
        self._pieces.append((file, number, text))

    def add_expanded(self, place: Span, tokens: list[Token]) -> None:
        """What a line became that uses macros."""
        self._pieces.append((place.file, place.line, tokens))

    def add_definition(self, file: str, number: int, text: str) -> None:
        """A ``#define`` or ``#undef``, which only ``text_with_definitions`` shows."""
        self._definitions.append((len(self._pieces), text))
        self._pieces.append((file, number, ""))

    def _render(self, definitions: bool) -> str:
        directives = dict(self._definitions) if definitions else {}
        parts = [f'# 1 "{quoted(self.file)}"\n']
        file, line = self.file, 1
        for index, (piece_file, number, text) in enumerate(self._pieces):
            shown = directives.get(index, text)
            if not shown:
                continue
            if isinstance(shown, list):
                shown = placed(shown)
            if piece_file != file or not line <= number <= line + _MISSING_LINES_SHOWN_AS_BLANK:
                parts.append(f'# {number} "{quoted(piece_file)}"\n')
            else:
                parts.append("\n" * (number - line))
            parts.append(shown.rstrip() + "\n")
            file, line = piece_file, number + 1 + shown.count("\n")
        # A text is UTF-8; other bytes come from macros of the command line, in strings.
        return _NOT_UTF_8.sub(lambda match: f"\\{ord(match[0]) - 0xDC00:03o}", "".join(parts))


def comment_above(lines: list[str], line: int) -> str:
    """The text of the comment that ends right above a line (1-based), without its marks; ``""`` where there is none."""
    index = line - 2
    if not 0 <= index < len(lines):
        return ""
    last = lines[index].strip()
    found: list[str] = []
    if last.startswith("//"):
        while index >= 0 and lines[index].strip().startswith("//"):
            found.append(lines[index].strip().lstrip("/").removeprefix("!").removeprefix(" ").rstrip())
            index -= 1
    elif last.endswith("*/"):
        while index >= 0:
            text = lines[index].strip()
            begins = text.startswith("/*")
            if not begins and "/*" in text:
                return ""
            text = text.removesuffix("*/").rstrip()
            text = text[2:].lstrip("*!") if begins else text.removeprefix("*")
            found.append(text.removeprefix(" ").rstrip())
            if begins:
                break
            index -= 1
    return "\n".join(reversed(found)).strip("\n")


def quoted(text: str) -> str:
    """What a string literal has between its quotes; a name may have any bytes in it."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char == visible_name(char) else "".join(f"\\{b:03o}" for b in bytes_of(char)) for char in text)


def unquoted(text: str) -> str:
    """The name that stands between quotes."""
    content = _ESCAPE.sub(lambda match: bytes((int(match[1], 8) & 255,)) if match[1] else match[2], bytes_of(text))
    return content.decode("utf-8", "surrogateescape")


_NOT_UTF_8 = lazy_pattern("[\udc80-\udcff]")
_ESCAPE = lazy_pattern(rb'\\(?:([0-7]{1,3})|(["\\]))')


def placed(tokens: list[Token]) -> str:
    """The text of expanded tokens, each in its line, and at its column where what stands before it leaves room.

    A blank stands wherever two of them could be read as one.
    """
    line = tokens[0].span.line
    lines: list[str] = []
    parts: list[str] = []
    column = 1
    last = ""
    for token in tokens:
        text, span = token.text, token.span
        if span.line > line and span.file == tokens[0].span.file:
            lines.append("".join(parts))
            lines += [""] * (span.line - line - 1)
            line, parts, column, last = span.line, [], 1, ""
        gap = int(bool(parts) and (token.space or _run_together(last, text)))
        if span.line == line and span.column > column + gap and span.column <= _FARTHEST_COLUMN:
            gap = span.column - column
        parts.append(" " * gap + text)
        column += gap + len(text)
        last = text
    lines.append("".join(parts))
    return "\n".join(lines)


def _run_together(left: str, right: str) -> bool:
    """Whether the first token of the joined texts would be another than the left one."""
    match = TOKEN.match(left + right)
    return match is None or match.end() > len(left)
