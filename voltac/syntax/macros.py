"""Definitions of macros, and the tokens that they are made of."""

from __future__ import annotations

import re
from bisect import bisect_right

from voltac.messages.message import Expanded, Span
from voltac.records import mutable_record
from voltac.syntax.lexer import TOKEN
from voltac.system.lazy_patterns import lazy_pattern


class MacroError(Exception):
    """A mistake in a definition or use of a macro, and where."""

    def __init__(self, span: Span, text: str) -> None:
        super().__init__(text)
        self.span = span


@mutable_record
class Token:
    """A token on its way through the preprocessor."""

    text: str
    span: Span
    space: bool
    """White space stands before it."""
    painted: bool = False
    """Never expanded again; of a ``##``: it is the operator, and did not come in with an argument."""


@mutable_record
class Macro:
    """A definition, of an object or of a function."""

    name: str
    parameters: tuple[str, ...] | None
    """None for an object-like macro."""
    variadic: bool
    """The last parameter takes all remaining arguments."""
    text: str
    """The replacement as written; lexed on first use."""
    span: Span
    """Of the directive."""
    offset: int = 0
    """Where the replacement begins in the directive's line, joined with those it continues on."""
    starts: list[int] | None = None
    """Where each of these lines begins in the joined one; None for macros that no file defines."""
    tokens: list[Token] | None = None

    def replacement(self) -> list[Token]:
        """The tokens of its text, made when it is used first."""
        if self.tokens is None:
            self.tokens = lex(self.text, self.span) if self.starts is None else self._placed(self.starts)
        return self.tokens

    def _placed(self, starts: list[int]) -> list[Token]:
        """The tokens of the replacement, each at its place in the directive."""
        tokens = []
        end = 0
        for match in TOKEN.finditer(self.text):
            offset = self.offset + match.start()
            part = bisect_right(starts, offset) - 1
            line, column = self.span.line + part, offset - starts[part] + 1
            place = Span(self.span.file, line, column, line, column + len(match.group()))
            tokens.append(Token(match.group(), place, match.start() > end))
            end = match.end()
        return tokens

    def definition(self) -> str:
        """``#define`` without the word."""
        shown = ""
        if self.parameters is not None:
            names = list(self.parameters)
            if self.variadic:
                names[-1] = "..." if names[-1] == "__VA_ARGS__" else names[-1] + "..."
            shown = "(" + ",".join(names) + ")"
        return f"{self.name}{shown} {self.text}".rstrip()


def lex(text: str, span: Span) -> list[Token]:
    """Tokens of a text that has one place as a whole."""
    tokens = []
    end = 0
    for match in TOKEN.finditer(text):
        tokens.append(Token(match.group(), span, match.start() > end))
        end = match.end()
    return tokens


def made_by(macro: str, use: Span, place: Span) -> Span:
    """The place of a token that stands in a macro's text at ``place``: that of the use, remembering the macro."""
    span: Expanded = _new(Expanded, use)
    span.origin = (macro, place, use)
    return span


_new = tuple.__new__

_DEFINITION = lazy_pattern(r"\s*([A-Za-z_]\w*)(\(([^)]*)(\)?))?(.*)", re.DOTALL | re.ASCII)
_NAMED_REST = lazy_pattern(r"([A-Za-z_]\w*)\s*\.\.\.", re.ASCII)


def define(text: str, span: Span) -> Macro:
    """The macro of a ``#define`` directive's text."""
    match = _DEFINITION.fullmatch(text)
    if match is None:
        raise MacroError(span, "a macro name has to follow #define" if not text.strip() else "macro names must be identifiers")
    name, brackets, inside, closed, body = match.groups()
    if name == "defined":
        raise MacroError(span, "'defined' cannot be used as a macro name")
    parameters: tuple[str, ...] | None = None
    variadic = False
    if brackets:
        if not closed:
            raise MacroError(span, f"')' is missing in the parameter list of macro '{name}'")
        names = [part.strip() for part in inside.split(",")] if inside.strip() else []
        for position, parameter in enumerate(names):
            rest = _NAMED_REST.fullmatch(parameter)
            if parameter == "..." or rest:
                if position != len(names) - 1:
                    raise MacroError(span, f"'...' has to be the last parameter of macro '{name}'")
                variadic = True
                names[-1] = rest[1] if rest else "__VA_ARGS__"
            elif not parameter.isidentifier():
                wrong = f"'{parameter}' is not a parameter name" if parameter else "a macro parameter has no name"
                raise MacroError(span, wrong)
            elif parameter == "__VA_ARGS__":
                raise MacroError(span, "__VA_ARGS__ is the name of the '...' of a macro; write '...'")
        if len(set(names)) != len(names):
            raise MacroError(span, f"two parameters of macro '{name}' have the same name")
        parameters = tuple(names)
    elif body and not body[0].isspace() and TOKEN.match(body) and body[0] in "\"'$@":
        raise MacroError(span, f"white space is missing after the macro name '{name}'")
    macro = Macro(name, parameters, variadic, body.strip(), span, match.end() - len(body.lstrip()))
    if "#" in body:
        _check_hashes(macro)
    return macro


def _check_hashes(macro: Macro) -> None:
    tokens = macro.replacement()
    if tokens and (tokens[0].text == "##" or tokens[-1].text == "##"):
        raise MacroError(macro.span, "'##' cannot stand at the start or end of a macro")
    if macro.parameters is None:
        return
    for position, token in enumerate(tokens):
        following = tokens[position + 1].text if position + 1 < len(tokens) else ""
        if token.text == "#" and following not in macro.parameters and following != "__VA_OPT__":
            raise MacroError(macro.span, f"'#' has to be followed by a parameter of macro '{macro.name}'")


def same(first: Macro, second: Macro) -> bool:
    """Whether a definition may repeat another."""
    if (first.parameters, first.variadic) != (second.parameters, second.variadic):
        return False
    left = [(token.text, token.space and bool(position)) for position, token in enumerate(first.replacement())]
    right = [(token.text, token.space and bool(position)) for position, token in enumerate(second.replacement())]
    return left == right


def spelling(tokens: list[Token]) -> str:
    """The text of tokens with single blanks where white space stood."""
    return "".join((" " if token.space and position else "") + token.text for position, token in enumerate(tokens))
