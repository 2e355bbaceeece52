"""Stretches of tokens that are given up after a syntax error: where they end, and the names in them."""

from __future__ import annotations

from voltac.diagnostics import Span
from voltac.syntax.lexer import MISTAKE, Kinds
from voltac.syntax.names import Names
from voltac.syntax.tables import Tables

_LOOP_HEADS = {"for", "cfor", "while", "cwhile", "foreach", "foreach_tiled", "foreach_active", "foreach_unique"}
HEADS = {"if", "cif", "switch", *_LOOP_HEADS}
STATEMENT_STARTS = {
    *HEADS,
    *("do", "cdo", "return", "break", "continue", "goto", "case", "default", "print", "sync", "delete", "else"),
}
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {")": "(", "]": "[", "}": "{"}
SPECIFIERS = {"QUALIFIER", "RATE", "CONST", "EXPORT", "STORAGE", "UNMASKED", "EXTERN"}
DECLARATION_STARTS = {"export", "struct", "enum", "typedef", "template", "task", "extern", "static", "inline", "noinline"}


class TokenStretches:
    """The tokens of a file, to be looked at."""

    def __init__(self, tables: Tables, kinds: Kinds, texts: list[str], spans: list[Span], names: Names) -> None:
        self.tables = tables
        self.kinds = kinds
        self.texts = texts
        self.spans = spans
        self.names = names

    def kind_at(self, token: int) -> int:
        return self.kind_of(self.texts[token])

    def kind_of(self, text: str) -> int:
        kind = self.kinds[text]
        return self.names.kinds.get(text, kind) if kind == self.kinds.identifier else kind

    def terminal(self, text: str) -> str:
        kind = self.kinds[text]
        return self.tables.terminals[kind] if kind < self.kinds.bad else ""

    def begins_line(self, token: int) -> bool:
        return not token or self.spans[token].line != self.spans[token - 1].line

    def is_statement(self, begin: int) -> bool:
        """Whether what stands at file scope is a statement, as behind a brace too many."""
        text, following = self.texts[begin], self.texts[begin + 1]
        if self.spans[begin].column == 1 or not begin or self.texts[begin - 1] not in ("}", ";"):
            return False
        if text in STATEMENT_STARTS:
            return True
        return self.begins_line(begin) and self.kind_at(begin) == self.kinds.identifier and following not in ("*", "&")

    def mistake(self, begin: int, end: int, external: bool) -> str:
        """The token for a stretch that is given up; it carries the names that are declared and used in it."""
        declared: dict[str, None] = {}
        used: dict[str, None] = {}
        texts = self.texts
        depth = 0
        for token in range(begin, end):
            text = texts[token]
            depth += (text in ("(", "{")) - (text in (")", "}"))
            if text.startswith(MISTAKE):
                old_declared, old_used = mistaken_names(text)
                declared.update(dict.fromkeys(old_declared))
                used.update(dict.fromkeys(old_used))
                continue
            if not text or self.kinds[text] != self.kinds.identifier:
                continue
            before = texts[token - 1] if token > begin else ""
            kind = self.kind_of(before) if before else -1
            is_type = kind == self.kinds.type_name or self.terminal(before) in {*SPECIFIERS, "ATOMIC", "STRUCT", "ENUM"}
            is_declared = is_type or (before in ("*", "&", ",") and self.terminal(texts[begin]) in {*SPECIFIERS, "ATOMIC"})
            if is_declared or texts[begin] == "enum":
                declared[text] = None
            elif depth == 0 or not external:
                used[text] = None
        return f"{MISTAKE}{' '.join(declared)}|{' '.join(used)}"

    def end_of(self, begin: int, token: int, external: bool) -> tuple[int, bool]:
        """Where what is given up ends; True if that is the end of a head such as ``for (...)``, whose body comes next."""
        texts = self.texts
        opened: list[str] = []
        for text in texts[begin:token]:
            if text in OPENING:
                opened.append(text)
            elif text in CLOSING and opened:
                opened.pop()
        head = texts[begin] in HEADS and not external
        loose = external and self.is_statement(begin)
        column = self.spans[begin].column
        position = token
        starts = DECLARATION_STARTS if external else STATEMENT_STARTS
        while texts[position]:
            text = texts[position]
            inside_block = "{" in opened
            if text == "{" and not inside_block:
                if head:
                    return position, True
                opened = [*opened, "{"] if texts[position - 1] in ("(", ",", "=") else ["{"]
            elif text in OPENING:
                opened.append(text)
            elif text == "}" and not inside_block:
                return (position + 1, False) if external else (position, False)
            elif text in CLOSING:
                while opened and opened.pop() != CLOSING[text]:
                    pass
                if not opened and head and text == ")":
                    return position + 1, True
                if not opened and text == "}" and not loose:
                    return position + 1 + (texts[position + 1] == ";"), False
            elif text == ";" and not inside_block and not (opened and head and texts[begin].startswith(("for", "cfor"))):
                if not loose and not (external and texts[position + 1] == "{"):
                    return position + 1, False
            elif text in starts and not inside_block and position > begin and not (head and opened):
                if self.begins_line(position):
                    return position, False
            elif external and inside_block and text in DECLARATION_STARTS and position > token:
                # A block that was not closed, as the indentation shows.
                if self.begins_line(position) and self.spans[position].column <= column:
                    return position, False
            elif loose and position > token and self.begins_line(position) and self.spans[position].column == 1:
                return position, False
            position += 1
        return position, False

    def is_followed_by_function(self, start: int, column: int) -> bool:
        """Whether another function or the end of the file comes behind the one that begins here, not a closing brace."""
        depth, line, begun = 0, start, False
        for position in range(start, len(self.texts)):
            if self.begins_line(position):
                line = position
            text = self.texts[position]
            if text == "{":
                outermost = self.spans[line].column <= column and self.texts[line] not in STATEMENT_STARTS
                if begun and outermost and self.texts[position - 1] == ")":
                    return True
                depth += 1
                begun = True
            elif text == "}":
                depth -= 1
                if depth < 0:
                    return False
        return True

    def is_outer(self, token: int) -> bool:
        """Whether a token at the start of a line could begin a declaration outside of functions."""
        text = self.texts[token]
        return text not in ("}", "case", "default") and self.texts[token + 1] != ":" and not text.startswith("#")


def mistaken_names(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that the token of a mistake carries, those declared and those used in it; ``}`` for a brace too many."""
    declared, _, used = text.removeprefix(MISTAKE).partition("|")
    return tuple(declared.split()), tuple(used.split())
