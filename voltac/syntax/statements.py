"""Builds the tree of statements (language 4.5); pragmas are read here as well."""

from __future__ import annotations

import re
from functools import partial

from voltac.syntax import ast, literals
from voltac.syntax.declarations import DeclarationBuilder
from voltac.system.lazy_patterns import lazy_pattern

_LOOPS = (ast.For, ast.While, ast.DoWhile, ast.Foreach, ast.ForeachActive, ast.ForeachUnique)
_PRAGMA = lazy_pattern(r"#pragma (unroll|nounroll)\s*(\(?)\s*(\w*)\s*(\)?)\s*(.*)", re.ASCII | re.DOTALL)


class StatementBuilder(DeclarationBuilder):
    """Rules for statements, and with those it derives from for the whole language."""

    def open_scope(self, start: int, end: int) -> None:
        """At the brace that opens a block."""
        self.names.open(end)  # the brace; the first statement begins at the token behind it

    def compound(self, start: int, end: int, opened: None, statements: list[ast.Statement] | None = None) -> ast.Compound:
        """``{ statements }``, whose scope ends here."""
        self.names.close()
        return ast.Compound(self.span(start, end), tuple(statements or ()))

    def expression_statement(self, start: int, end: int, expression: ast.Expression | None) -> ast.ExpressionStatement:
        """``expression;`` or ``;``."""
        return ast.ExpressionStatement(self.span(start, end), expression)

    def declaration_statement(self, start: int, end: int, declaration: ast.Declaration) -> ast.DeclarationStatement:
        """A declaration among statements."""
        return ast.DeclarationStatement(declaration.span, declaration)

    def labelled(self, start: int, end: int, name: int, statement: ast.Statement) -> ast.Labelled:
        """``name: statement``."""
        return ast.Labelled(self.span(start, end), self.texts[name], statement)

    def case(self, start: int, end: int, value: ast.Expression, statement: ast.Statement) -> ast.Case:
        """``case value: statement``."""
        return ast.Case(self.span(start, end), value, statement)

    def default(self, start: int, end: int, statement: ast.Statement) -> ast.Default:
        """``default: statement``."""
        return ast.Default(self.span(start, end), statement)

    def if_else(
        self,
        start: int,
        end: int,
        word: int,
        condition: ast.Expression,
        then: ast.Statement,
        otherwise: ast.Statement | None,
    ) -> ast.If:
        """``if`` or ``cif``."""
        return ast.If(self.span(start, end), condition, then, otherwise, self.texts[word] == "cif")

    def switch(self, start: int, end: int, value: ast.Expression, body: ast.Statement) -> ast.Switch:
        """``switch (value) body``."""
        return ast.Switch(self.span(start, end), value, body)

    # --- loops

    def while_loop(self, start: int, end: int, word: int, condition: ast.Expression, body: ast.Statement) -> ast.While:
        """``while`` or ``cwhile``."""
        return ast.While(self.span(start, end), condition, body, self.texts[word] == "cwhile")

    def do_loop(
        self, start: int, end: int, word: int, body: ast.Statement, second: int, condition: ast.Expression
    ) -> ast.DoWhile:
        """``do`` or ``cdo``."""
        return ast.DoWhile(self.span(start, end), body, condition, self.texts[word] == "cdo")

    def for_open(self, start: int, end: int, word: int) -> str:
        """Opens the scope of a loop's variables; the word says which loop it is."""
        self.names.open(start)
        return self.texts[word]

    foreach_open = for_open

    def foreach_active_open(self, start: int, end: int) -> None:
        """Opens the scope of the loop's variable."""
        self.names.open(start)

    foreach_unique_open = foreach_active_open

    def for_expression(self, start: int, end: int, expression: ast.Expression | None) -> ast.ExpressionStatement | None:
        """The first part of a ``for``, where it declares nothing."""
        return None if expression is None else ast.ExpressionStatement(self.span(start, end), expression)

    def for_loop(
        self,
        start: int,
        end: int,
        word: str,
        initial: ast.Statement | None,
        condition: ast.Expression | None,
        step: ast.Expression | None,
        body: ast.Statement,
    ) -> ast.For:
        """``for`` or ``cfor``, whose scope ends here."""
        self.names.close()
        return ast.For(self.span(start, end), initial, condition, step, body, word == "cfor")

    def dimension(self, start: int, end: int, name: str, first: ast.Expression, last: ast.Expression) -> ast.Dimension:
        """``name = first ... last``."""
        return ast.Dimension(self.span(start, end), name, first, last)

    def loop_name(self, start: int, end: int, token: int) -> str:
        """Declares the variable that a foreach counts."""
        self.names.add_variable(self.texts[token])
        return self.texts[token]

    def foreach(
        self, start: int, end: int, word: str, dimensions: tuple[ast.Dimension, ...], body: ast.Statement
    ) -> ast.Foreach:
        """``foreach`` or ``foreach_tiled``, whose scope ends here."""
        self.names.close()
        return ast.Foreach(self.span(start, end), dimensions, body, word == "foreach_tiled")

    def dimensions(
        self, start: int, end: int, first: ast.Dimension, rest: list[ast.Dimension] | None = None
    ) -> tuple[ast.Dimension, ...]:
        """One or more, the slowest first."""
        return (first, *(rest or ()))

    def foreach_active(self, start: int, end: int, opened: None, name: str, body: ast.Statement) -> ast.ForeachActive:
        """``foreach_active (name) body``."""
        self.names.close()
        return ast.ForeachActive(self.span(start, end), name, body)

    def foreach_unique(
        self, start: int, end: int, opened: None, name: str, values: ast.Expression, body: ast.Statement
    ) -> ast.ForeachUnique:
        """``foreach_unique (name in values) body``."""
        self.names.close()
        return ast.ForeachUnique(self.span(start, end), name, values, body)

    # --- jumps and the rest

    def goto(self, start: int, end: int, name: int) -> ast.Goto:
        """``goto name;``."""
        return ast.Goto(self.span(start, end), self.texts[name])

    def break_(self, start: int, end: int) -> ast.Break:
        """``break;``."""
        return ast.Break(self.span(start, end))

    def continue_(self, start: int, end: int) -> ast.Continue:
        """``continue;``."""
        return ast.Continue(self.span(start, end))

    def return_(self, start: int, end: int, value: ast.Expression | None) -> ast.Return:
        """``return value;``."""
        return ast.Return(self.span(start, end), value)

    def print_(self, start: int, end: int, text: str, arguments: tuple[ast.Expression, ...] | None) -> ast.Print:
        """``print(text, arguments);``."""
        return ast.Print(self.span(start, end), text, arguments or ())

    def assert_(self, start: int, end: int, text: str, condition: ast.Expression) -> ast.Assert:
        """``__assert(text, condition);``, what the macro ``assert`` stands for."""
        return ast.Assert(self.span(start, end), text, condition)

    def sync(self, start: int, end: int) -> ast.Sync:
        """``sync;``."""
        return ast.Sync(self.span(start, end))

    def delete(self, start: int, end: int, word: int, pointer: ast.Expression) -> ast.Delete:
        """``delete pointer;``, with brackets or without."""
        return ast.Delete(self.span(start, end), pointer)

    def unmasked(self, start: int, end: int, body: ast.Compound) -> ast.Unmasked:
        """``unmasked { ... }``; an empty one is an error."""
        if not body.statements:
            self.diagnostics.error("syntax", body.span, "syntax error: an 'unmasked' block cannot be empty")
        return ast.Unmasked(self.span(start, end), body)

    def pragma(self, start: int, end: int, token: int, statement: ast.Statement) -> ast.Statement:
        """A pragma on a loop; what is wrong with it is reported, and the loop stays without."""
        match = _PRAGMA.fullmatch(self.texts[token])
        assert match is not None
        kind, opening, number, closing, rest = match.groups()
        place = self.spans[token]
        error = partial(self.diagnostics.error, "bad-pragma")
        if isinstance(statement, ast.Pragma):
            error(place, "more than one unroll pragma on a loop")
            return statement
        if not isinstance(statement, _LOOPS):
            error(place, f"no loop follows '#pragma {kind}'")
            return statement
        if opening and not closing:
            error(place, f"the closing parenthesis of '#pragma {kind}' is missing")
            return statement
        count: int | None = None
        if kind == "unroll" and (number or opening):
            try:
                count = literals.integer(number)[0]
            except literals.BadLiteral:
                error(place, f"the unroll count has to be a positive integer, not '{number}'")
                return statement
            if count == 0:
                error(place, "the unroll count has to be positive")
                return statement
        elif number or rest:
            self.diagnostics.warning("pragma", place, f"'#pragma {kind}' takes no argument; the rest of the line is ignored")
        return ast.Pragma(self.span(start, end), kind, count, statement)
