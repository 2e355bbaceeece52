"""What is said about a syntax error: the token found, those that could stand there, and what to write instead.

Reads the parser's stacks and tokens and changes nothing; :mod:`voltac.syntax.recovery` does that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voltac.diagnostics import Diagnostics, Span
from voltac.records import record
from voltac.suggestions import suggestion
from voltac.syntax import ast
from voltac.syntax.hints import FOREIGN_WORDS, STATEMENT_WORDS, hint
from voltac.syntax.lexer import MISSING, Kinds, is_name
from voltac.syntax.names import Names
from voltac.syntax.tables import Tables
from voltac.syntax.token_stretches import CLOSING, OPENING, SPECIFIERS, STATEMENT_STARTS, TokenStretches

_MOST_EXPECTED = 4
"""A longer list tells nobody what is missing."""
_SHOWN_NAMES = {
    "IDENT": "identifier",
    "TYPE_NAME": "type name",
    "TEMPLATE_NAME": "template name",
    "INTEGER": "int32 constant",
    "FLOAT": "float constant",
    "STRING": "string",
    "INTRINSIC": "intrinsic",
    "$END": "end of file",
}
_HIDDEN = {"PRAGMA", "MISTAKE", "MISSING"}
_CONDITIONAL = ("if", "cif", "while", "cwhile", "switch")
_CONTEXTS = ("statement", "for_initial", "member", "external")
"""What can be replaced as a whole, innermost first."""
INVENTED, INVENTED_TYPE = "__missing_name", "__missing_type"
"""What stands in place of a name or type that is missing."""


@record
class Mend:
    """A token put in, taken out or changed."""

    removed: int
    """Number of tokens taken out at the error."""
    text: str
    """What stands there instead, if anything; blanks separate tokens."""

    def advice(self, token: str) -> str:
        if self.removed == 2:
            return f"should it be '{self.text}'?"
        if not self.text:
            return f"is '{short(token)}' one too many?"
        if self.text == MISSING:
            return "a value is missing here"
        if self.text == INVENTED:
            return "a name is missing here"
        if self.text == INVENTED_TYPE:
            return f"'{short(token)}' is no type that is known, or a type is missing in front of it"
        if self.text.startswith("while"):
            return "a 'do' loop ends with 'while (condition);'"
        if self.removed:
            return f"write '{self.text}' instead of '{short(token)}'"
        return f"is '{self.text}' missing here?"


class ErrorMessages(TokenStretches):
    """The parser in the state in which a token does not fit."""

    def __init__(
        self,
        tables: Tables,
        kinds: Kinds,
        texts: list[str],
        spans: list[Span],
        names: Names,
        diagnostics: Diagnostics,
        states: list[int],
        values: list[Any],
        starts: list[int],
    ) -> None:
        super().__init__(tables, kinds, texts, spans, names)
        self.diagnostics = diagnostics
        self.states = states
        self.values = values
        self.starts = starts
        self.contexts = {tables.nonterminals.index(name): name for name in _CONTEXTS}

    # --- what could stand where

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
        return bool(self.read([kind]))

    def accepts_text(self, text: str) -> bool:
        return self.accepts(self.kinds[text])

    def named_like_a_type(self, token: int) -> int:
        """The type's name that a variable or function is declared with where the error is, or -1."""
        text = self.texts[token]
        if token > 1 and text in ("=", ",", ";", "[", "(", ")") and self.kind_at(token - 1) == self.kinds.type_name:
            if self.accepts(self.kinds.identifier) and (text != "[" or self.begins_type(self.texts[token - 2])):
                return token - 1
        if token > 2 and self.texts[token - 1] == "(" and self.kind_at(token - 2) == self.kinds.type_name:
            if self.begins_type(self.texts[token - 3]) and (text == ")" or self.begins_type(text)):
                return token - 2
        if token and self.kind_at(token) == self.kinds.type_name and self.texts[token - 1] in ("(", ","):
            if self.texts[token + 1] in ("=", ")", "in") and self.texts[max(0, self.context_start())].startswith("foreach"):
                return token
        return -1

    # --- what to say

    def expected(self) -> list[str]:
        """How the tokens are written that could stand here."""
        shown = []
        for kind in sorted(self.tables.actions[self.states[-1]]):
            name = self.tables.terminals[kind]
            if name in _HIDDEN or not self.accepts(kind):
                continue
            if name in _SHOWN_NAMES:
                shown.append(_SHOWN_NAMES[name])
            else:
                shown += [f"'{spelling}'" for spelling in self.tables.spellings[name]]
        return shown

    def found(self, token: int) -> str:
        text = self.texts[token]
        if not text:
            return "end of file"
        kind = self.kind_at(token)
        if kind in (self.kinds.identifier, self.kinds.type_name, self.kinds.template_name):
            return f"{_SHOWN_NAMES[self.tables.terminals[kind]]} '{short(text)}'"
        return f"'{short(text)}'"

    def describe(self, token: int, mend: Mend | None) -> str:
        text = self.texts[token]
        previous = self.texts[token - 1] if token else ""
        if text.startswith("#pragma") or previous.startswith("#pragma"):
            pragma = text if text.startswith("#pragma") else previous
            return f"no loop follows '{' '.join(pragma.split()[:2])}'"
        message = f"syntax error: found {self.found(token)}"
        if not text:
            message += ", the input stops too early"
        expected = self.expected()
        if 0 < len(expected) <= _MOST_EXPECTED:
            listed = [", ".join(expected[:-1]), expected[-1]] if len(expected) > 1 else expected
            message += f"; expected {' or '.join(listed)}"
        doubled = mend is not None and mend.removed == 1 and not mend.text and previous == text and text not in CLOSING
        advice = mend.advice(text) if doubled and mend is not None else self.advice(token, mend)
        return f"{message}; {advice}" if advice else message

    def advice(self, token: int, mend: Mend | None) -> str:
        """What to write instead, as far as that can be told."""
        text = self.texts[token]
        previous = self.texts[token - 1] if token else ""
        following = self.texts[token + 1] if text else ""
        unclosed = self.unclosed_bracket()
        if self.unclosed_struct(token) >= 0:
            return f"is the '{{' in line {self.spans[unclosed].line} not closed?"
        if text == "{" and previous == ")" and self.context_name() == "member":
            return "a struct has no functions; define it outside, with the struct as a parameter"
        if self.is_nested_function(token) or (text == "template" and self.context_name() == "statement"):
            where = f", is the '{{' in line {self.spans[unclosed].line} not closed?" if unclosed >= 0 else ""
            return f"a function cannot be defined inside another one{where}"
        if not text:
            return f"the '{self.texts[unclosed]}' in line {self.spans[unclosed].line} is not closed" if unclosed >= 0 else ""
        if text == "else":
            return "there is no 'if' for it to belong to"
        if text == "=" and self.accepts_text(">") and not self.accepts_text("<"):
            return "a template parameter cannot have a default"
        if text in CLOSING and (unclosed < 0 or self.texts[unclosed] != CLOSING[text]):
            if unclosed >= 0 and (text == "}" or self.texts[unclosed] != "{"):
                place = self.spans[unclosed]
                return f"the '{self.texts[unclosed]}' in line {place.line}, column {place.column} is not closed"
            return f"there is no '{CLOSING[text]}' for it to close"
        if self.missing_semicolon(token):
            missing = "{" if self.missing_body(token) else ";"
            return f"is a '{missing}' missing after '{short(previous)}' in line {self.spans[token - 1].line}?"
        bracket = token - 1
        while self.texts[bracket] in ("uniform", "varying"):
            bracket -= 1
        operator = self.texts[bracket - 1] if bracket > 0 else ""
        if self.texts[bracket] == "(" and operator in ("*", "&", "++", "--") and self.begins_type(text):
            return f"the operand of '{operator}' cannot be a cast; write '{operator}((type)value)'"
        named = self.named_like_a_type(token)
        if named >= 0:
            return f"'{short(self.texts[named])}' is the name of a type, and nothing else can be called so"
        known = hint((previous, text, following), self.sort, self.adjacent(token))
        if known:
            return known
        start = self.context_start()
        if start >= 0 and self.texts[start] in STATEMENT_WORDS:
            return STATEMENT_WORDS[self.texts[start]]
        if start >= 0 and text == "{" and self.texts[start] in FOREIGN_WORDS:
            return FOREIGN_WORDS[self.texts[start]][0]
        if text[0].isdigit() and self.accepts(self.kinds.identifier):
            return "a name cannot begin with a digit"
        declares = self.begins_type(text) or text == "enum" or (bracket < token - 1 and is_name(text))
        if self.texts[bracket] == "(" and operator in _CONDITIONAL and declares:
            return "a condition cannot declare a variable; declare it in front"
        if self.kind_at(token) == self.kinds.identifier and self.accepts(self.kinds.template_name):
            if not self.accepts(self.kinds.identifier):
                return f"there is no template '{short(text)}'{suggestion(text, self.names.templates())}"
        if is_name(text) and self.kinds[text] != self.kinds.identifier and self.accepts(self.kinds.identifier):
            return f"'{text}' is a keyword, it cannot be used as a name"
        if text in ("=", ",", ";", "[", "(", ")", "*", "&", ">") and self.terminal(previous) in SPECIFIERS:
            if self.in_front_of_specifiers(token) in ("(", "new", "<", "{", ";"):
                return f"a type is missing after '{previous}'"
            return f"'{previous}' is a keyword, it cannot be used as a name"
        if self.context_name() == "external" and self.context_start() < 0:
            if text in STATEMENT_STARTS or self.is_statement(token):
                closed = f"; is the '}}' in line {self.spans[token - 1].line} one too many?" if previous == "}" else ""
                return f"a statement cannot stand outside of a function{closed}"
            if self.kind_at(token) == self.kinds.identifier and following in ("=", ";", "[", ",", "("):
                return f"a type is missing in front of '{short(text)}'"
        return mend.advice(text) if mend is not None else ""

    def unclosed_struct(self, token: int) -> int:
        """Where a declaration begins that stands in a struct by mistake, as the indentation shows; else -1."""
        brace = self.unclosed_bracket()
        if brace < 0 or self.context_name() != "member" or self.texts[token] == "}":
            return -1
        start = self.context_start() if self.context_start() >= 0 else token
        line = brace
        while not self.begins_line(line):
            line -= 1
        outside = self.begins_line(start) and self.spans[start].column <= self.spans[line].column
        return start if outside and self.spans[start].line > self.spans[brace].line else -1

    def is_nested_function(self, token: int) -> bool:
        """Whether the body of a function begins inside another one."""
        return self.texts[token] == "{" and bool(self.values) and isinstance(self.values[-1], ast.FunctionDeclarator)

    def in_front_of_specifiers(self, token: int) -> str:
        """What stands in front of the words that end at a token, as of a cast or member without a type."""
        first = token - 1
        while first >= 0 and self.terminal(self.texts[first]) in SPECIFIERS:
            first -= 1
        return self.texts[first] if first >= 0 else ""

    def adjacent(self, token: int) -> bool:
        """Whether no blank stands between a token and one of its neighbours."""
        here = self.spans[token]
        before = token > 0 and self.spans[token - 1][3:] == here[1:3]
        return before or (bool(self.texts[token]) and self.spans[token + 1][1:3] == here[3:])

    def begins_type(self, text: str) -> bool:
        return self.sort(text) == "a type" or self.terminal(text) in SPECIFIERS or self.terminal(text) == "STRUCT"

    def sort(self, text: str) -> str:
        """Whether a token is a name or a type, for :func:`hint`."""
        if not text:
            return ""
        kind = self.kind_of(text)
        if kind == self.kinds.identifier or kind == self.kinds.template_name:
            return "a name"
        return "a type" if kind == self.kinds.type_name or self.terminal(text) == "ATOMIC" else ""

    def unclosed_bracket(self) -> int:
        """The innermost bracket that is open, or -1."""
        depth = 0
        for token in reversed(self.stacked_tokens()):
            text = self.texts[token]
            if text in CLOSING:
                depth += 1
            elif text in OPENING:
                if depth == 0:
                    return token
                depth -= 1
        return -1

    def stacked_tokens(self) -> list[int]:
        """The tokens on the stacks that wait for the end of their rule. A token's value is its number, where it starts."""
        return [start for value, start in zip(self.values, self.starts) if type(value) is int and value == start]

    def missing_semicolon(self, token: int) -> bool:
        if not token or self.texts[token] == ";" or not self.accepts_text(";") or self.context_start() < 0:
            return False
        return self.texts[token] == "}" or self.begins_line(token)

    def missing_body(self, token: int) -> bool:
        """Whether an indented line follows a function's head: then it is '{' that is missing."""
        if not self.values or not isinstance(self.values[-1], ast.FunctionDeclarator) or not self.accepts_text("{"):
            return False
        start = self.context_start()
        return start >= 0 and self.spans[token].column > self.spans[start].column

    # --- what the error stands in

    def context(self) -> int:
        """The position in the stacks of the innermost state where something can be replaced as a whole."""
        for position in range(len(self.states) - 1, -1, -1):
            gotos = self.tables.gotos[self.states[position]]
            finished = self.states[position + 1] if position + 1 < len(self.states) else -1
            # A statement that is finished, such as the body of a 'do', is not what the error is in.
            if any(number in gotos and gotos[number] != finished for number in self.contexts):
                return position
        return 0

    def context_name(self) -> str:
        gotos = self.tables.gotos[self.states[self.context()]]
        return next(name for number, name in self.contexts.items() if number in gotos)

    def context_start(self) -> int:
        """The first token of what would be replaced, or -1 if nothing of it has been read."""
        position = self.context()
        return self.starts[position] if position < len(self.starts) else -1

    def nesting(self) -> tuple[int, int]:
        """How many brackets and how many operators wait for their end."""
        brackets = operators = 0
        for token in self.stacked_tokens():
            text = self.texts[token]
            if text in OPENING:
                brackets += 1
            elif text in CLOSING:
                brackets -= 1
            elif not text[0].isalpha() and text != ":":
                operators += 1
        return brackets, operators


def short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
