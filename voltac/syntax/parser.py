"""Tokens → tree: runs the LALR(1) tables of ``grammar.lark`` over a preprocessed file.

The grammar is LALR(1) only with names classified as types and templates, so tokens are looked up in :class:`Names` at the
moment they are needed; a state that can only reduce does so before that (see ``Tables.default``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.messages.message import Span
from voltac.options import Options
from voltac.records import replace
from voltac.syntax import ast
from voltac.syntax.lexer import DEPRECATED, DIGRAPHS, kinds
from voltac.syntax.names import Names
from voltac.syntax.preprocessed import Preprocessed
from voltac.syntax.statements import StatementBuilder
from voltac.syntax.tables import Production, load

if TYPE_CHECKING:
    from voltac.syntax.recovery import Recovery

_FIRST_DEPTH_CHECK = 500
_DEEPEST_NESTING = 1000
_DEEPEST_STACK = 8000
"""States of the parser before its depth is looked at; levels of nesting, for which ``deep_stack`` has room in all stages; and
states, where what is nested has neither brackets nor operators."""


_Picked = Callable[[list[Any]], Iterable[Any]]
_Reduction = tuple[int, int, Callable[..., Any] | None, _Picked]


@functools.cache
def _reductions() -> list[_Reduction]:
    """Of each rule: left side, length, what makes its value (nothing, where that is passed on), and of what on the stack."""
    return [
        (rule.left, rule.length, None if rule.passes_on else getattr(StatementBuilder, rule.method), _picked(rule))
        for rule in load().rules
    ]


def _picked(rule: Production) -> _Picked:
    """Takes the values that a rule picks off the end of the stack: without a loop, unless one of them is absent."""
    places = [pick - rule.length if pick >= 0 else None for pick in rule.picks]
    if None in places:
        return lambda values: [None if place is None else values[place] for place in places]
    if len(places) > 1:
        return itemgetter(*places)
    first = places[0] if places else None
    # A list of one, or of none.
    return itemgetter(slice(0, 0) if first is None else slice(first, first + 1 or None))


class Parser:
    """One run of the tables over the tokens of one file."""

    def __init__(
        self, texts: list[str], spans: list[Span], diagnostics: Diagnostics, types: Iterable[str], templates: Iterable[str]
    ) -> None:
        self.tables = load()
        self.kinds = kinds()
        self.diagnostics = diagnostics
        self.names = Names(types, templates)
        last = spans[-1] if spans else Span("", 1, 1, 1, 1)
        self.texts = [*texts, ""]
        self.spans = [*spans, Span(last.file, last.end_line, last.end_column, last.end_line, last.end_column)]
        self.builder = StatementBuilder(self.texts, self.spans, self.names, diagnostics)
        self.states = [0]
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.unknown_types: list[str] = []

    @functools.cached_property
    def recovery(self) -> Recovery:
        """Made at the first mistake: a file without any imports nothing of it."""
        # late: see above
        from voltac.syntax.recovery import Parse, Recovery

        # It looks for brackets by their text.
        self.texts[:] = [DIGRAPHS.get(text, text) for text in self.texts]
        state = Parse(
            self.tables, self.kinds, self.texts, self.spans, self.names, self.states, self.values, self.starts,
            self.builder.given_up, self.unknown_types,
        )  # fmt: skip
        return Recovery(state, self.diagnostics)

    def parse(self) -> ast.TranslationUnit | None:
        """The tree, or None where the text is too wrong to make one; the errors are reported."""
        tables, texts = self.tables, self.texts
        actions, gotos, default = tables.actions, tables.gotos, tables.default
        reductions, builder = _reductions(), self.builder
        states, values, starts = self.states, self.values, self.starts
        of_text = self.kinds
        identifier, bad = of_text.identifier, of_text.bad
        visible = self.names.kinds
        depth_check = _FIRST_DEPTH_CHECK
        token = 0
        kind = -1
        state = 0
        while True:
            rule = default[state]
            if rule < 0:
                if kind < 0:
                    kind = of_text[texts[token]]
                    if kind == identifier:
                        kind = visible.get(texts[token], identifier)
                    elif kind >= bad:
                        if kind == bad:
                            token = self.recovery.bad_token(token)
                            if token < 0:
                                return None
                            kind = -1
                            continue
                        kind = self.old_spelling(token)
                action = actions[state].get(kind)
                if action is None:
                    if state == tables.end:
                        unit = values[-1]
                        assert isinstance(unit, ast.TranslationUnit)
                        return self.finished(unit)
                    token = self.recovery.recover(token)
                    if token < 0:
                        return None
                    kind = -1
                    state = states[-1]
                    continue
                if action >= 0:
                    states.append(action)
                    values.append(token)
                    starts.append(token)
                    state = action
                    token += 1
                    kind = -1
                    if len(states) > depth_check:
                        depth_check = self.check_depth(token)
                        if depth_check < 0:
                            return None
                    continue
                rule = -1 - action
            left, length, method, picked = reductions[rule]
            if length:
                if method is not None:
                    value = method(builder, starts[-length], token - 1, *picked(values))
                else:
                    (value,) = picked(values)
                if length > 1:
                    cut = 1 - length
                    del states[cut:], values[cut:], starts[cut:]
                values[-1] = value
                state = gotos[states[-2]][left]
                states[-1] = state
            else:
                assert method is not None
                values.append(method(builder, token, token - 1))
                starts.append(token)
                state = gotos[states[-1]][left]
                states.append(state)

    def finished(self, unit: ast.TranslationUnit) -> ast.TranslationUnit:
        """The tree with the names that were used as types and are none; no later message is about lines with mistakes."""
        if "recovery" not in self.__dict__:
            return unit
        self.diagnostics.mistaken_lines = self.recovery.editor.mistaken_lines
        return replace(unit, unknown_types=tuple(self.unknown_types))

    def old_spelling(self, token: int) -> int:
        """Warns of a spelling that is deprecated; the kind of the one in its place."""
        old = self.texts[token]
        new = DEPRECATED[old]
        self.diagnostics.warning("deprecated", self.spans[token], f"'{old}' is an old spelling; write '{new}'")
        return self.kinds[new]

    def check_depth(self, token: int) -> int:
        """Report nesting that later stages could not follow; else the depth of the stack at which to look again."""
        deepest = max(self.nesting())
        if deepest > _DEEPEST_NESTING or len(self.states) > _DEEPEST_STACK:
            self.diagnostics.error(
                "nesting", self.spans[token - 1], f"this is nested too deeply: the limit is {_DEEPEST_NESTING} levels"
            )
            return -1
        return len(self.states) + max(1, _DEEPEST_NESTING - deepest)

    def nesting(self) -> tuple[int, int]:
        """How many brackets and how many operators wait for their end."""
        brackets = operators = 0
        for value, start in zip(self.values, self.starts):
            if type(value) is not int or value != start:  # a rule's value, not a token
                continue
            text = DIGRAPHS.get(self.texts[start], self.texts[start])
            if text in ("(", "[", "{"):
                brackets += 1
            elif text in (")", "]", "}"):
                brackets -= 1
            elif not text[0].isalpha() and text != ":":
                operators += 1
        return brackets, operators


def parse(
    source: Preprocessed,
    options: Options,
    diagnostics: Diagnostics,
    types: Iterable[str] = (),
    templates: Iterable[str] = (),
) -> ast.TranslationUnit:
    """The tree of a preprocessed file; ``types`` and ``templates`` are names it may use without declaring them.

    Syntax errors are reported and leave ``ast.Mistake`` nodes in the tree, so that the rest can be checked; a text that is
    too wrong for that raises CompileError.
    """
    unit = Parser(source.texts, source.spans, diagnostics, types, templates).parse()
    if unit is None:
        raise CompileError(diagnostics)
    return unit
