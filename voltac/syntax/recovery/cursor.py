"""Where a token does not fit: the tokens around it, the parser's stacks, and what could be read from there. Changes nothing."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from voltac.messages.message import Span
from voltac.records import record
from voltac.syntax import ast
from voltac.syntax.lexer import TokenKinds, is_name
from voltac.syntax.names import Names
from voltac.syntax.tables import Tables

_HORIZON = 12
"""Tokens behind an edit that have to fit, if the statement does not end before: more would refuse it for the next mistake."""
_CONTEXTS = ("statement", "for_initial", "member", "external")
"""What can be replaced as a whole, innermost first."""
_LOOP_HEADS = {"for", "cfor", "while", "cwhile", "foreach", "foreach_tiled", "foreach_active", "foreach_unique"}
HEADS = {"if", "cif", "switch", *_LOOP_HEADS}
STATEMENT_STARTS = {
    *HEADS,
    *("do", "cdo", "return", "break", "continue", "goto", "case", "default", "print", "sync", "delete", "else"),
}
DECLARATION_STARTS = {"export", "struct", "enum", "typedef", "template", "task", "extern", "static", "inline", "noinline"}
SPECIFIERS = {"QUALIFIER", "RATE", "CONST", "EXPORT", "STORAGE", "UNMASKED", "EXTERN"}
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {")": "(", "]": "[", "}": "{"}
ENDS = (";", "{", "}")
"""What statements end with, or their heads."""
INVENTED, INVENTED_TYPE = "__missing_name", "__missing_type"
"""What stands in place of a name or type that is missing."""


@record(eq=False)
class Parse:
    """The parser's state: its tables, the tokens of the file, and its stacks. The recovery changes tokens, names and stacks."""

    tables: Tables
    kinds: TokenKinds
    texts: list[str]
    spans: list[Span]
    names: Names
    states: list[int]
    values: list[Any]
    """Of tokens their number, of rules what the builder made."""
    starts: list[int]
    """The first token of each value."""
    given_up: dict[int, ast.Mistake]
    """Token ``MISTAKE`` → what was given up there."""
    unknown_types: list[str]
    """Names that are read as types since they stood where one has to be."""


class Cursor:
    """A place in the tokens at which the parser cannot go on, for as long as neither the stacks nor the tokens change."""

    def __init__(self, parse: Parse, token: int) -> None:
        self.tables = parse.tables
        self.kinds = parse.kinds
        self.texts = parse.texts
        self.spans = parse.spans
        self.names = parse.names
        self.states = parse.states
        self.values = parse.values
        self.starts = parse.starts
        self.given_up = parse.given_up
        self.unknown_types = parse.unknown_types
        self.token = token
        """The number of the token that does not fit; the last one of a file is empty."""
        self.text = self.texts[token]
        self.previous = self.texts[token - 1] if token else ""
        self.following = self.texts[token + 1] if self.text else ""

    # --- what a token is

    def kind_at(self, token: int) -> int:
        """Of the token with this number."""
        return self.kind_of(self.texts[token])

    def kind_of(self, text: str) -> int:
        """What the parser takes a text for here: a name may be a type or a template."""
        kind = self.kinds[text]
        return self.names.kinds.get(text, kind) if kind == self.kinds.identifier else kind

    def terminal(self, text: str) -> str:
        """Its name in the grammar; empty for what is no token."""
        kind = self.kinds[text]
        return self.tables.terminals[kind] if kind < self.kinds.bad else ""

    def is_specifier(self, text: str) -> bool:
        """A word that a declaration may begin with, types excepted."""
        return self.terminal(text) in SPECIFIERS

    def is_keyword(self, text: str) -> bool:
        """A word that cannot be a name."""
        return is_name(text) and self.kinds[text] != self.kinds.identifier

    def is_plain(self, text: str) -> bool:
        """Whether a token is an identifier that is no type's or template's name."""
        return self.kind_of(text) == self.kinds.identifier

    def is_value(self, text: str) -> bool:
        """Whether a token is a name, and none of a type."""
        return bool(text) and self.kind_of(text) in (self.kinds.identifier, self.kinds.template_name)

    def is_type(self, text: str) -> bool:
        """A word or name that is a type here."""
        return bool(text) and (self.kind_of(text) == self.kinds.type_name or self.terminal(text) == "ATOMIC")

    def begins_type(self, text: str) -> bool:
        """Whether a declaration may begin with it."""
        return self.is_type(text) or self.is_specifier(text) or self.terminal(text) == "STRUCT"

    # --- lines

    def begins_line(self, token: int) -> bool:
        """The first token of its line."""
        return not token or self.spans[token].line != self.spans[token - 1].line

    def line_start(self, token: int) -> int:
        """The first token of a token's line."""
        while not self.begins_line(token):
            token -= 1
        return token

    def is_outside(self, token: int, opener: int) -> bool:
        """Whether a token begins a line that is not indented more than another token."""
        return self.begins_line(token) and self.spans[token].column <= self.spans[opener].column

    @property
    def touches(self) -> bool:
        """Whether no blank stands between the token and one of its neighbours."""
        here = self.spans[self.token]
        before = self.token > 0 and self.spans[self.token - 1][3:] == here[1:3]
        return before or (bool(self.text) and self.spans[self.token + 1][1:3] == here[3:])

    # --- what can be read

    def read(self, kinds: Sequence[int], begin: int = -1) -> int:
        """How many tokens of these kinds could be read from here on, or from a position in the stacks."""
        tables = self.tables
        states = list(self.states if begin < 0 else self.states[: begin + 1])
        for number, kind in enumerate(kinds):
            while True:
                always = tables.default[states[-1]]
                action = -1 - always if always >= 0 else tables.actions[states[-1]].get(kind)
                if action is None:
                    return number + 1 if states[-1] == tables.end and kind == self.kinds.end else number
                if action >= 0:
                    states.append(action)
                    break
                rule = tables.rules[-1 - action]
                if rule.length:
                    del states[-rule.length :]
                states.append(tables.gotos[states[-1]][rule.left])
        return len(kinds)

    def accepts(self, kind: int) -> bool:
        """Whether a token of this kind can stand here."""
        return bool(self.read([kind]))

    def accepts_text(self, text: str) -> bool:
        """Whether this text can."""
        return self.accepts(self.kinds[text])

    @functools.cached_property
    def accepts_name(self) -> bool:
        """Whether a name that is no type can."""
        return self.accepts(self.kinds.identifier)

    @functools.cached_property
    def accepts_type(self) -> bool:
        """Whether a type's name can."""
        return self.accepts(self.kinds.type_name)

    def fits(self, removed: int, texts: Sequence[str]) -> bool:
        """Whether the statement can be read on with other texts in place of some tokens from this one on."""
        kinds = [self.kinds.type_name if text == INVENTED_TYPE else self.kinds[text] for text in texts]
        kinds += self.kinds_ahead[removed:]
        return self.read(kinds) == len(kinds)

    @functools.cached_property
    def kinds_ahead(self) -> list[int]:
        """The kinds of the tokens from this one on that an edit has to fit: up to the end of the statement."""
        end = self.token
        while self.texts[end] and end < self.token + _HORIZON:
            end += 1
            if end > self.token + 1 and self.texts[end - 1] in ENDS:
                break
        end += not self.texts[end]
        return [self.kind_at(token) for token in range(self.token, end)]

    # --- brackets that are open

    def stacked_tokens(self) -> Iterator[int]:
        """The tokens on the stacks that wait for the end of their rule, the last one first. A token's value is its number,
        where it starts."""
        return (
            start for value, start in zip(reversed(self.values), reversed(self.starts)) if type(value) is int and value == start
        )

    @functools.cached_property
    def unclosed_bracket(self) -> int:
        """The innermost bracket that is open, or -1."""
        depth = 0
        for token in self.stacked_tokens():
            text = self.texts[token]
            if text in CLOSING:
                depth += 1
            elif text in OPENING:
                if depth == 0:
                    return token
                depth -= 1
        return -1

    # --- what the error stands in

    @functools.cached_property
    def context(self) -> int:
        """The position in the stacks of the innermost state where something can be replaced as a whole."""
        for position in range(len(self.states) - 1, -1, -1):
            gotos = self.tables.gotos[self.states[position]]
            finished = self.states[position + 1] if position + 1 < len(self.states) else -1
            # A statement that is finished, such as the body of a 'do', is not what the error is in.
            if any(number in gotos and gotos[number] != finished for number in self._contexts):
                return position
        return 0

    @functools.cached_property
    def _contexts(self) -> list[int]:
        return [self.tables.nonterminals.index(name) for name in _CONTEXTS]

    @functools.cached_property
    def context_name(self) -> str:
        """``statement``, ``for_initial`` (behind ``for (``), ``member`` of a struct, or ``external``."""
        gotos = self.tables.gotos[self.states[self.context]]
        return next(name for name, number in zip(_CONTEXTS, self._contexts) if number in gotos)

    @functools.cached_property
    def context_start(self) -> int:
        """The first token of what would be replaced, or -1 if nothing of it has been read."""
        return self.starts[self.context] if self.context < len(self.starts) else -1

    @property
    def first_word(self) -> str:
        """The text of that token, or none."""
        return self.texts[self.context_start] if self.context_start >= 0 else ""

    @property
    def is_behind_function_head(self) -> bool:
        """Where a body, or a semicolon, is to come."""
        return bool(self.values) and isinstance(self.values[-1], ast.FunctionDeclarator)

    @property
    def function_start(self) -> int:
        """The first token of the function whose body is being read, or -1."""
        return next((start for start, value in zip(self.starts, self.values) if _is_function_head(value)), -1)

    def is_loose_statement(self, begin: int) -> bool:
        """Whether what stands at file scope is a statement, as behind a brace too many."""
        text, following = self.texts[begin], self.texts[begin + 1]
        if self.spans[begin].column == 1 or not begin or self.texts[begin - 1] not in ("}", ";"):
            return False
        if text in STATEMENT_STARTS:
            return True
        return self.begins_line(begin) and self.kind_at(begin) == self.kinds.identifier and following not in ("*", "&")


def _is_function_head(value: Any) -> bool:
    return hasattr(value, "declarator") and hasattr(value, "parameters")
