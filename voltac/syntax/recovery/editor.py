"""How tokens, names and the parser's stacks are changed to go on behind a mistake."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voltac.messages.message import Span
from voltac.syntax import ast
from voltac.syntax.lexer import MISTAKE
from voltac.syntax.recovery.cursor import ENDS, Cursor, Parse

SETTLED = 3
"""Tokens that have to be read without an error behind an edit before another one is reported."""


def span_of(spans: list[Span], begin: int, end: int) -> Span:
    """The place of some tokens; of none, that of the token in front."""
    if begin == end:
        return spans[begin - 1] if begin else spans[begin]
    first, last = spans[begin], spans[end - 1]
    return first.to(last) if first.file == last.file else first


class Editor:
    """Changes the state of the parser, and knows where an error is a consequence of that."""

    def __init__(self, parse: Parse) -> None:
        self.parse = parse
        self.cursor = Cursor(parse, 0)
        """Where the error is; true until the first change."""
        self.mistaken_lines: set[tuple[str, int]] = set()
        self._mended_at = 0
        self._quiet_until = -1

    def rewind(self) -> int:
        """Take what has been read of the innermost statement, member or declaration off the stacks; its first token, or -1."""
        position = self.cursor.context
        start = self.parse.starts[position] if position < len(self.parse.starts) else -1
        self.cut(position)
        if start >= 0:
            self.parse.names.close_from(start)
        return start

    def cut(self, position: int) -> None:
        """Take the values from a position on off the stacks."""
        del self.parse.states[position + 1 :], self.parse.values[position:], self.parse.starts[position:]

    def replace(
        self, begin: int, end: int, texts: Sequence[str], mistake: ast.Mistake | None = None, settled: int = SETTLED
    ) -> int:
        """Put other tokens in place of some, with what was given up if ``MISTAKE`` is among them; the first one."""
        place = span_of(self.parse.spans, begin, end)
        for token in (begin, end - 1) if begin < end else ():
            self.note_line(token)
        self.put(begin, end, texts, place)
        if MISTAKE in texts:
            self.parse.given_up[begin + list(texts).index(MISTAKE)] = mistake or ast.Mistake(place)
        self.be_quiet(begin + len(texts), settled - 1)
        return begin

    def put(self, begin: int, end: int, texts: Sequence[str], place: Span) -> None:
        """Texts in the place of tokens, all at one place of the source."""
        self.parse.texts[begin:end] = texts
        self.parse.spans[begin:end] = [place] * len(texts)
        moved = [(token, self.parse.given_up.pop(token)) for token in list(self.parse.given_up) if token >= begin]
        longer = len(texts) - (end - begin)
        self.parse.given_up.update((token + longer, mistake) for token, mistake in moved if token >= end)

    # --- consequences

    def be_quiet(self, begin: int, count: int) -> None:
        """Nothing is reported in so many tokens, unless a statement ends between: reading was taken up again there."""
        self._mended_at = begin
        self._quiet_until = begin + count

    def is_quiet(self, token: int) -> bool:
        """Whether an error at this token is a consequence of what was put there."""
        if token >= self._quiet_until:
            return False
        return not any(text in ENDS for text in self.parse.texts[self._mended_at : token])

    def note_line(self, token: int) -> None:
        """Later stages do not warn in the line of a token."""
        self.mistaken_lines.add((self.parse.spans[token].file, self.parse.spans[token].line))

    def add_unknown_type(self, name: str) -> None:
        """Read a name as a type from here on."""
        self.parse.names.add_everywhere(name)
        self.parse.unknown_types.append(name)


Repair = Callable[[Editor], int]
"""Changes tokens, names and stacks so that reading can go on; gives the token to go on with, or -1 to give up the file."""


def edit(begin: int, end: int, texts: Sequence[str], reread: bool = False, settled: int = SETTLED) -> Repair:
    """Put other tokens in place of some; then the statement is read again from its start, or on from the first of them."""

    def run(editor: Editor) -> int:
        first = editor.rewind() if reread else begin
        editor.replace(begin, end, texts, settled=settled)
        return first

    return run
