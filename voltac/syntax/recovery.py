"""Syntax errors: what to say about one, and where to go on, so that one mistake gives one message (reference 4.7).

A mistake is mended in one of four ways, the first that fits: an unknown type is made known and its declaration read again;
a missing ``;`` ``)`` or ``]`` is put in; an ``else`` without ``if`` is dropped; otherwise the statement, declaration or
member is given up and reading goes on behind its ``;``, its closing bracket or its block.
"""

from __future__ import annotations

from typing import Any

from voltac.diagnostics import Diagnostics, Span, suggestion
from voltac.syntax import ast
from voltac.syntax.lexer import Kinds
from voltac.syntax.names import Names
from voltac.syntax.tables import Tables

_MOST_EXPECTED = 4
_MOST_ERRORS = 200
_MOST_ATTEMPTS = 2000
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
_HIDDEN = {"PRAGMA"}
_TYPES_OF_C = {"char": "int8", "short": "int16", "long": "int64", "half": "float16", "unsigned": "unsigned int", "auto": ""}
_LOOP_HEADS = {"for", "cfor", "while", "cwhile", "foreach", "foreach_tiled", "foreach_active", "foreach_unique"}
_HEADS = {"if", "cif", "switch", *_LOOP_HEADS}
_STATEMENT_STARTS = {*_HEADS, "do", "cdo", "return", "break", "continue", "goto", "case", "default", "print", "sync", "delete"}
_DECLARATION_STARTS = {"export", "struct", "enum", "typedef", "template", "task", "extern", "static", "inline", "noinline"}
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = {")": "(", "]": "[", "}": "{"}
_CONTEXTS = ("statement", "member", "external")
"""What can be given up as a whole, innermost first."""


class SyntaxErrors:
    """Reports the syntax errors of one file and repairs the parser's stacks and tokens after each."""

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
        self.tables = tables
        self.kinds = kinds
        self.texts = texts
        self.spans = spans
        self.names = names
        self.diagnostics = diagnostics
        self.states = states
        self.values = values
        self.starts = starts
        self.contexts = [tables.nonterminals.index(name) for name in _CONTEXTS]
        self.count = 0
        self.attempts = 0
        self.silent_at = -1
        """No error is reported at this token: it stands where reading was taken up again, or behind a bad character."""

    # --- what to say

    def kind_at(self, token: int) -> int:
        kind = self.kinds[self.texts[token]]
        return self.names.kinds.get(self.texts[token], kind) if kind == self.kinds.identifier else kind

    def terminal(self, text: str) -> str:
        kind = self.kinds[text]
        return self.tables.terminals[kind] if kind < self.kinds.bad else ""

    def accepts(self, kind: int) -> bool:
        """Whether a token of the kind could stand here."""
        tables = self.tables
        states = list(self.states)
        while True:
            always = tables.default[states[-1]]
            action = -1 - always if always >= 0 else tables.actions[states[-1]].get(kind)
            if action is None:
                return states[-1] == tables.end and kind == self.kinds.end
            if action >= 0:
                return True
            rule = tables.rules[-1 - action]
            if rule.length:
                del states[-rule.length :]
            states.append(tables.gotos[states[-1]][rule.left])

    def accepts_text(self, text: str) -> bool:
        return self.accepts(self.kinds[text])

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
            return f"{_SHOWN_NAMES[self.tables.terminals[kind]]} '{_short(text)}'"
        return f"'{_short(text)}'"

    def describe(self, token: int) -> str:
        text = self.texts[token]
        previous = self.texts[token - 1] if token else ""
        if text.startswith("#pragma") or previous.startswith("#pragma"):
            pragma = text if text.startswith("#pragma") else previous
            return f"no loop follows '{' '.join(pragma.split()[:2])}'"
        if previous == "launch" and text == "<":
            return "syntax error: this is the old 'launch' syntax; drop the angle brackets: 'launch f(x);'"
        if previous == "delete" and text == "[":
            return "syntax error: write 'delete[]', without a blank"
        message = f"syntax error: found {self.found(token)}"
        if not text:
            message += ", the input stops too early"
            unclosed = self.unclosed_bracket()
            if unclosed >= 0:
                message += f": the '{self.texts[unclosed]}' in line {self.spans[unclosed].line} is not closed"
        expected = self.expected()
        if 0 < len(expected) <= _MOST_EXPECTED:
            listed = [", ".join(expected[:-1]), expected[-1]] if len(expected) > 1 else expected
            message += f"; expected {' or '.join(listed)}"
        if text == "{" and self.values and isinstance(self.values[-1], ast.FunctionDeclarator):
            message += "; a function cannot be defined inside another one"
            unclosed = self.unclosed_bracket()
            if unclosed >= 0:
                message += f", is the '{{' in line {self.spans[unclosed].line} not closed?"
        if text == "else":
            message += "; there is no 'if' for it to belong to"
        elif self.missing_semicolon(token):
            missing = "{" if self.missing_body(token) else ";"
            message += f"; is a '{missing}' missing after '{_short(previous)}' in line {self.spans[token - 1].line}?"
        elif text and text[0].isalpha() and self.kinds[text] != self.kinds.identifier and self.accepts(self.kinds.identifier):
            message += f"; '{text}' is a keyword, it cannot be used as a name"
        elif text in ("=", ",", ";", "[", "(", ")") and self.terminal(previous) in _SPECIFIERS:
            message += f"; '{previous}' is a keyword, it cannot be used as a name"
        return message

    def unclosed_bracket(self) -> int:
        """The innermost bracket that is open, or -1."""
        depth = 0
        for value in reversed(self.values):
            text = self.texts[value] if isinstance(value, int) else ""
            if text in _CLOSING:
                depth += 1
            elif text in _OPENING:
                if depth == 0:
                    return int(value)
                depth -= 1
        return -1

    def missing_semicolon(self, token: int) -> bool:
        if not token or self.texts[token] == ";" or not self.accepts_text(";") or self.context_start() < 0:
            return False
        return self.texts[token] == "}" or self.spans[token].line != self.spans[token - 1].line

    def missing_body(self, token: int) -> bool:
        """Whether an indented line follows a function's head: then it is '{' that is missing."""
        if not self.values or not isinstance(self.values[-1], ast.FunctionDeclarator) or not self.accepts_text("{"):
            return False
        start = self.context_start()
        return start >= 0 and self.spans[token].column > self.spans[start].column

    # --- where to go on

    def recover(self, token: int) -> int:
        """Report the error at a token, mend it, and give the token to go on with; -1 to give up."""
        self.attempts += 1
        if self.attempts > _MOST_ATTEMPTS:
            return -1
        silent = token == self.silent_at
        unknown = self.unknown_type(token)
        if unknown >= 0:
            self.report_unknown_type(unknown)
            if self.count >= _MOST_ERRORS:
                return -1
            return token if unknown == token else self.give_up()
        if not silent:
            self.diagnostics.error(self.spans[token], self.describe(token))
            self.count += 1
        if not self.texts[token] or self.count >= _MOST_ERRORS:
            return -1
        self.silent_at = token
        if self.missing_semicolon(token) and not silent:
            return self.insert(token, "{" if self.missing_body(token) else ";")
        if self.texts[token] in (";", "{"):
            for closing in (")", "]"):
                if self.accepts_text(closing) and self.unclosed_bracket() >= 0:
                    self.silent_at = token + 1
                    return self.insert(token, closing)
        if self.texts[token] == "else" and not silent:
            return token + 1
        return self.skip(token)

    def insert(self, token: int, text: str) -> int:
        self.texts.insert(token, text)
        self.spans.insert(token, self.spans[token - 1])
        return token

    def unknown_type(self, token: int) -> int:
        """The token that is an identifier where a type has to be, if that is what is wrong; else -1."""
        kinds, texts = self.kinds, self.texts
        kind = self.kind_at(token)
        known = texts[token] in self.names.variables
        if kind == kinds.identifier and not known and self.accepts(kinds.type_name) and not self.accepts(kind):
            following = texts[token + 1]
            before = texts[token - 1] if token else ""
            if self.kinds[following] == kinds.identifier or following in ("*", "&"):
                return token
            if following in (",", ")") and before in ("(", ",", "const", "uniform", "varying"):
                return token
        if token and (kind in (kinds.identifier, kinds.type_name) or texts[token] in ("*", "&")):
            previous = token - 1
            if self.kind_at(previous) != kinds.identifier or self.spans[previous].line != self.spans[token].line:
                return -1
            if texts[previous] in self.names.variables:
                return -1
            first = previous
            while first > 0 and self.terminal(texts[first - 1]) in _SPECIFIERS:
                first -= 1
            if first == self.context_start() or (first > 0 and texts[first - 1] in ("(", ",")):
                return previous
        return -1

    def report_unknown_type(self, token: int) -> None:
        name = self.texts[token]
        if name in _TYPES_OF_C:
            instead = f"; write '{_TYPES_OF_C[name]}'" if _TYPES_OF_C[name] else ""
            message = f"there is no type '{name}' in this language{instead}"
        else:
            known = [*self.names.types(), *self.tables.spellings["ATOMIC"]]
            message = f"unknown type '{_short(name)}'{suggestion(name, known)}"
        self.diagnostics.error(self.spans[token], message)
        self.count += 1
        self.names.add_everywhere(name)

    def context(self) -> int:
        """The position in the stacks of the innermost state where something can be given up."""
        for position in range(len(self.states) - 1, -1, -1):
            gotos = self.tables.gotos[self.states[position]]
            if any(number in gotos for number in self.contexts):
                return position
        return 0

    def context_start(self) -> int:
        """The first token of what would be given up, or -1 if nothing of it has been read."""
        position = self.context()
        return self.starts[position] if position < len(self.starts) else -1

    def give_up(self) -> int:
        """Take what has been read of the innermost statement, member or declaration off the stacks; its first token."""
        position = self.context()
        start = self.starts[position] if position < len(self.starts) else -1
        del self.states[position + 1 :], self.values[position:], self.starts[position:]
        if start >= 0:
            self.names.close_from(start)
        return start

    def skip(self, token: int) -> int:
        """Give up the present statement, member or declaration: where reading goes on behind it."""
        start = self.give_up()
        begin = token if start < 0 else start
        gotos = self.tables.gotos[self.states[-1]]
        context = next(number for number in self.contexts if number in gotos)
        external = context == self.contexts[-1]
        if begin < token:
            self.note_typedef(begin, token)
        end, behind_head = self.end_of(begin, token, external)
        if end == token and begin == token and self.texts[token] and not behind_head:
            if self.texts[token] != "}" or external:
                end += 1
        if not behind_head:
            span = self.spans[begin]
            nothing: Any = {
                "statement": ast.ExpressionStatement(span, None),
                "member": ast.Declaration(span, ast.Specifiers(span, (), (), ()), ()),
                "external": None,
            }[self.tables.nonterminals[context]]
            self.states.append(gotos[context])
            self.values.append(nothing)
            self.starts.append(begin)
        self.silent_at = end if self.texts[end - 1] != ";" else -1
        return end

    def end_of(self, begin: int, token: int, external: bool) -> tuple[int, bool]:
        """Where what is given up ends; True if that is the end of a head such as ``for (...)``, whose body comes next."""
        texts = self.texts
        opened: list[str] = []
        for text in texts[begin:token]:
            if text in _OPENING:
                opened.append(text)
            elif text in _CLOSING and opened:
                opened.pop()
        head = texts[begin] in _HEADS and not external
        position = token
        starts = _DECLARATION_STARTS if external else _STATEMENT_STARTS
        while texts[position]:
            text = texts[position]
            inside_block = "{" in opened
            if text == "{" and not inside_block:
                if head:
                    return position, True
                opened = ["{"]
            elif text in _OPENING:
                opened.append(text)
            elif text == "}" and not inside_block:
                return (position + 1, False) if external else (position, False)
            elif text in _CLOSING:
                while opened and opened.pop() != _CLOSING[text]:
                    pass
                if not opened and head and text == ")":
                    return position + 1, True
                if not opened and text == "}":
                    return position + 1 + (texts[position + 1] == ";"), False
            elif text == ";" and not inside_block and not (opened and head and texts[begin] in ("for", "cfor")):
                return position + 1, False
            elif text in starts and not inside_block and position > begin and not (head and opened):
                if self.spans[position].line != self.spans[position - 1].line:
                    return position, False
            position += 1
        return position, False

    def note_typedef(self, begin: int, token: int) -> None:
        """A type name whose declaration is wrong is known nevertheless."""
        if self.texts[begin] != "typedef":
            return
        end = token
        while self.texts[end] not in (";", ""):
            end += 1
        if self.kinds[self.texts[end - 1]] == self.kinds.identifier:
            self.names.add_everywhere(self.texts[end - 1])

    # --- what is no token, and depth

    def bad_token(self, token: int) -> int:
        """Report what is no token and take it out; the token to go on with, or -1 to give up."""
        self.count += 1
        if self.count > _MOST_ERRORS:
            return -1
        text, span = self.texts[token], self.spans[token]
        self.silent_at = token
        if text[0] == '"':
            self.diagnostics.error(span, "this string is not closed: '\"' is missing at its end")
            end = token
            while self.texts[end] and self.spans[end].line == span.line:
                end += 1
            del self.texts[token:end], self.spans[token:end]
            return token
        if text[0] == "'":
            message = "the single quote is not a valid character: there are no character constants"
        elif text[0] == "@":
            message = "'@' is only valid at the start of the name of an LLVM intrinsic, '@llvm.name'"
        elif text == "##" or text[0] == "#":
            message = "'#' is not a valid character (0x23) outside of preprocessor directives"
        else:
            shown = text if text.isprintable() else "?"
            message = f"invalid character '{shown}' ({' '.join(f'0x{byte:02x}' for byte in text.encode('utf-8', 'replace'))})"
        self.diagnostics.error(span, message)
        del self.texts[token], self.spans[token]
        return token

    def nesting(self) -> tuple[int, int]:
        """How many brackets and how many operators wait for their end."""
        brackets = operators = 0
        for value in self.values:
            if not isinstance(value, int):
                continue
            text = self.texts[value]
            if text in _OPENING:
                brackets += 1
            elif text in _CLOSING:
                brackets -= 1
            elif not text[0].isalpha() and text != ":":
                operators += 1
        return brackets, operators


_SPECIFIERS = {"QUALIFIER", "RATE", "CONST", "EXPORT", "STORAGE", "UNMASKED", "EXTERN"}


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
