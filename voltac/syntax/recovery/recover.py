"""Reports the syntax errors of one file and repairs the parser's state after each."""

from __future__ import annotations

from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import Expanded, Span
from voltac.syntax.lexer import MISSING
from voltac.syntax.recovery.characters import CHARACTERS
from voltac.syntax.recovery.cursor import ENDS, Cursor, Parse
from voltac.syntax.recovery.editor import SETTLED, Editor
from voltac.syntax.recovery.edits import first_edit
from voltac.syntax.recovery.given_up import give_up
from voltac.syntax.recovery.guess import Finding, Guess, Tried
from voltac.syntax.recovery.table import GUESSES
from voltac.syntax.recovery.unclosed_blocks import close_at_end

_MOST_ERRORS = 200
"""Of one file: nobody reads more."""
_MOST_OF_A_LINE = 3
"""More errors in one line are mostly consequences of the first ones."""
_MOST_ATTEMPTS = 2000
"""Errors that are looked at, reported or not: they end, whatever a repair makes of the text."""


class Recovery:
    """What is remembered from one syntax error of a file to the next."""

    def __init__(self, parse: Parse, diagnostics: Diagnostics) -> None:
        self.parse = parse
        self.diagnostics = diagnostics
        self.editor = Editor(parse)
        self.count = 0
        self.attempts = 0
        self.end_told = False
        """Whether the message about the end of the file would be one too many."""
        self.told_macros: set[tuple[str, Span]] = set()
        """Macros and the place in their text where an error was reported, once for all uses."""
        self.misused: set[str] = set()
        """Keywords that were used as names, reported once."""
        self.of_lines: dict[tuple[str, int], int] = {}
        """File and line -> how many errors it has."""

    def recover(self, token: int) -> int:
        """Report the error at a token, repair it, and give the token to go on with; -1 to give up."""
        self.attempts += 1
        if self.attempts > _MOST_ATTEMPTS or self.count >= _MOST_ERRORS:
            return -1
        cursor = self.editor.cursor = Cursor(self.parse, token)
        quiet = self.editor.is_quiet(token) or self.is_misused(cursor) or self.is_told(token)
        guess, mistake = self.guess(cursor, quiet)
        place = mistake.place if mistake.place >= 0 else token
        if guess.tried is Tried.CORRECTION:
            quiet = not guess.message or self.editor.is_quiet(place) or (mistake.macro >= 0 and self.is_told(mistake.macro))
            self.note_told(mistake.macro)
        elif not quiet:
            self.note_told(token)
        if not quiet and (cursor.text or not self.end_told):
            self.report(place, guess.text(cursor, mistake))
            if guess.tried is not Tried.CORRECTION:
                self.note_misused(cursor)
        # The message names the brace that is open; that it still is at the end is the same mistake.
        self.end_told = (
            self.end_told or not cursor.text or (not quiet and cursor.text == "{" and cursor.is_behind_function_head)
        )
        repair = mistake.repair
        if repair is None:
            repair = close_at_end(cursor) if not cursor.text else (not quiet and first_edit(cursor)) or give_up(cursor)
        return repair(self.editor)

    def guess(self, cursor: Cursor, quiet: bool) -> tuple[Guess, Finding]:
        """The first guess that fits, and what it found; the last one always fits."""
        for guess in GUESSES:
            if quiet and guess.tried is Tried.REPORTED:
                continue
            mistake = guess.apply(cursor)
            if mistake is not None:
                return guess, mistake
        raise AssertionError

    def report(self, token: int, message: str) -> None:
        """A message, unless its line has had its share of them; later stages do not warn in the line."""
        span = self.parse.spans[token]
        line = (span.file, span.line)
        self.of_lines[line] = self.of_lines.get(line, 0) + 1
        if self.of_lines[line] <= _MOST_OF_A_LINE:
            self.diagnostics.error("syntax", span, message)
        self.count += 1
        self.editor.note_line(token)
        if token and self.parse.texts[token - 1] not in ENDS:
            self.editor.note_line(token - 1)

    # --- consequences

    def is_misused(self, cursor: Cursor) -> bool:
        """Whether the word here, or the one before, was the mistake already."""
        return cursor.text in self.misused or cursor.previous in self.misused

    def note_misused(self, cursor: Cursor) -> None:
        """Remember a keyword that was used as a name: it will be used so again."""
        text, previous = cursor.text, cursor.previous
        named = cursor.is_type(previous) or cursor.is_specifier(previous) or previous in ("*", "&", ",", "}")
        if cursor.is_keyword(text) and previous in (".", "->"):
            self.misused.add(text)
        elif cursor.is_keyword(text) and named and cursor.accepts_name and cursor.terminal(text) != "ATOMIC":
            if cursor.following in ("=", ",", ";", "[", "(", ")"):
                self.misused.add(text)
        elif text in ("=", ",", ";", "[", ")") and cursor.is_specifier(previous):
            self.misused.add(previous)

    def is_told(self, token: int) -> bool:
        """Whether the token comes out of the text of a macro, and an error there was reported at an earlier use."""
        span = self.parse.spans[token]
        return isinstance(span, Expanded) and span.origin[:2] in self.told_macros

    def note_told(self, token: int) -> None:
        """No more messages about the text of the macro that a token comes out of."""
        span = self.parse.spans[token] if token >= 0 else None
        if isinstance(span, Expanded):
            self.told_macros.add(span.origin[:2])

    # --- what is no token

    def bad_token(self, token: int) -> int:
        """Report what is no token and take it out; the token to go on with, or -1 to give up."""
        self.count += 1
        if self.count > _MOST_ERRORS:
            return -1
        cursor, editor = Cursor(self.parse, token), self.editor
        texts, spans = cursor.texts, cursor.spans
        row = next(row for row in CHARACTERS if row.fits(cursor.text))
        if not editor.is_quiet(token):
            self.diagnostics.error("syntax", spans[token], row.text(cursor.text))
        editor.note_line(token)
        end = token + 1
        if cursor.text[0] == '"':
            while texts[end] and spans[end].line == spans[token].line:
                end += 1
            while end > token + 1 and texts[end - 1] in (")", "]", "}", ";"):
                end -= 1
        operand = [MISSING] if cursor.accepts(cursor.kinds.missing) else ['""'] if cursor.accepts(cursor.kinds.string) else []
        editor.put(token, end, operand, spans[token])
        editor.be_quiet(token + len(operand), SETTLED - 1)
        return token
