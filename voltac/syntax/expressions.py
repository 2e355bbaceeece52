"""Builds the tree of expressions (language 4.6)."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.syntax import ast, literals
from voltac.syntax.builder import TreeBuilder

PRECEDENCE = {
    operator: level
    for level, row in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"),
    )
    for operator in row.split()
}
"""Binary operators by how tightly they bind; all are left associative."""


class _Chain:
    """Operands with operators between them, combined as far as the precedences settle it."""

    __slots__ = ("operands", "operators")

    def __init__(self, operand: ast.Expression, span: Span) -> None:
        self.operands: list[tuple[ast.Expression, Span]] = [(operand, span)]
        self.operators: list[str] = []

    def add(self, operator: str, operand: ast.Expression, span: Span) -> None:
        self.combine(PRECEDENCE[operator])
        self.operators.append(operator)
        self.operands.append((operand, span))

    def combine(self, level: int) -> None:
        """Apply the operators at the end that bind at least as tightly as the level."""
        operators, operands = self.operators, self.operands
        while operators and PRECEDENCE[operators[-1]] >= level:
            right, right_span = operands.pop()
            left, left_span = operands[-1]
            span = left_span.to(right_span)
            operands[-1] = ast.Binary(span, operators.pop(), left, right), span


class ExpressionBuilder(TreeBuilder):
    # --- leaves

    """Rules for expressions, each a method of its name; how they look stands in ``grammar.lark``."""

    def name(self, start: int, end: int, token: int) -> ast.Name:
        """A name that is no type."""
        return ast.Name(self.spans[token], self.texts[token])

    def integer(self, start: int, end: int, token: int) -> ast.IntegerLiteral:
        """A literal that is none is reported, and read as 1."""
        try:
            value, kind = literals.integer(self.texts[token])
        except literals.BadLiteral as mistake:
            self.diagnostics.error("literal", self.spans[token], str(mistake))
            value, kind = 1, "int32"
        span = self.spans[token]
        before_dots = self.texts[token + 1] == "..." and self.spans[token + 1][2] == span[4]
        return ast.IntegerLiteral(span, value, kind, before_dots)

    def floating(self, start: int, end: int, token: int) -> ast.FloatLiteral:
        """A literal that is none is reported, and read as 1."""
        try:
            value, kind, warning = literals.floating(self.texts[token])
        except literals.BadLiteral as mistake:
            self.diagnostics.error("literal", self.spans[token], str(mistake))
            value, kind, warning = 1.0, "float", ""
        if warning:
            self.diagnostics.warning("implicit-type", self.spans[token], warning)
        return ast.FloatLiteral(self.spans[token], value, kind)

    def boolean(self, start: int, end: int, token: int) -> ast.BoolLiteral:
        """``true`` or ``false``."""
        return ast.BoolLiteral(self.spans[token], self.texts[token] == "true")

    def null(self, start: int, end: int) -> ast.NullLiteral:
        """``NULL``."""
        return ast.NullLiteral(self.spans[start])

    # --- operators

    def chain(self, start: int, end: int, left: ast.Expression | _Chain, operator: int, right: ast.Expression) -> _Chain:
        """One more binary operator with its right operand."""
        chain = left if isinstance(left, _Chain) else _Chain(left, self.span(start, operator - 1))
        chain.add(self.texts[operator], right, self.span(operator + 1, end))
        return chain

    def chain_end(self, start: int, end: int, chain: _Chain) -> ast.Expression:
        """No operator follows: the operands are combined by what binds tighter."""
        chain.combine(0)
        return chain.operands[0][0]

    def comma(self, start: int, end: int, left: ast.Expression, right: ast.Expression) -> ast.Binary:
        """``left, right``."""
        return ast.Binary(self.span(start, end), ",", left, right)

    def assign(self, start: int, end: int, target: ast.Expression, value: ast.Expression) -> ast.Assignment:
        """``target = value``."""
        return ast.Assignment(self.span(start, end), "=", target, value)

    def assign_compound(
        self, start: int, end: int, target: ast.Expression, operator: int, value: ast.Expression
    ) -> ast.Assignment:
        """``target += value`` and its like."""
        return ast.Assignment(self.span(start, end), self.texts[operator], target, value)

    def selection(
        self, start: int, end: int, condition: ast.Expression, then: ast.Expression, otherwise: ast.Expression
    ) -> ast.Conditional:
        """``condition ? then : otherwise``."""
        return ast.Conditional(self.span(start, end), condition, then, otherwise)

    def prefix(self, start: int, end: int, operator: int, operand: ast.Expression) -> ast.Unary:
        """An operator in front of its operand."""
        return ast.Unary(self.span(start, end), self.texts[operator], operand)

    def postfix_operator(self, start: int, end: int, operand: ast.Expression, operator: int) -> ast.Postfix:
        """``++`` or ``--`` behind its operand."""
        return ast.Postfix(self.span(start, end), self.texts[operator], operand)

    def cast(self, start: int, end: int, type_name: ast.TypeName, operand: ast.Expression) -> ast.Cast:
        """``(type) operand``."""
        return ast.Cast(self.span(start, end), type_name, operand)

    def size_of(self, start: int, end: int, operand: ast.TypeName | ast.Expression) -> ast.SizeOf:
        """``sizeof`` of a type or of an expression."""
        return ast.SizeOf(self.span(start, end), operand)

    def alloca(self, start: int, end: int, size: ast.Expression) -> ast.Alloca:
        """``__alloca(size)``, what the macro ``alloca`` stands for."""
        return ast.Alloca(self.span(start, end), size)

    # --- access and calls

    def index(self, start: int, end: int, base: ast.Expression, index: ast.Expression) -> ast.Index:
        """``base[index]``."""
        return ast.Index(self.span(start, end), base, index)

    def member_access(self, start: int, end: int, base: ast.Expression, operator: int, name: int) -> ast.Member:
        """``base.name`` or ``base->name``."""
        return ast.Member(self.span(start, end), base, self.texts[name], self.texts[operator] == "->")

    def arguments(
        self, start: int, end: int, first: ast.Expression, rest: list[ast.Expression] | None = None
    ) -> tuple[ast.Expression, ...]:
        """One or more, with commas between."""
        return (first, *rest) if rest else (first,)

    def call(self, start: int, end: int, function: ast.Expression, arguments: tuple[ast.Expression, ...] | None) -> ast.Call:
        """``function(arguments)``."""
        return ast.Call(self.span(start, end), function, arguments or ())

    def template_call(
        self, start: int, end: int, function: ast.NameDeclarator, arguments: tuple[ast.Expression, ...] | None
    ) -> ast.Call:
        """``name<arguments>(...)``, or a call of a template whose arguments are deduced."""
        name: ast.Expression = ast.Name(function.span, function.name)
        if function.template_arguments is not None:
            name = ast.TemplateName(function.span, function.name, function.template_arguments)
        return ast.Call(self.span(start, end), name, arguments or ())

    def intrinsic_call(
        self, start: int, end: int, name: int, arguments: tuple[ast.Expression, ...] | None
    ) -> ast.IntrinsicCall:
        """``@llvm.name(arguments)``."""
        return ast.IntrinsicCall(self.span(start, end), self.texts[name], arguments or ())

    def invoke_sycl(
        self, start: int, end: int, function: ast.Expression, arguments: tuple[ast.Expression, ...] | None
    ) -> ast.InvokeSycl:
        """``invoke_sycl(function, arguments)``."""
        return ast.InvokeSycl(self.span(start, end), function, arguments or ())

    def launch_one(
        self, start: int, end: int, function: ast.Expression, arguments: tuple[ast.Expression, ...] | None
    ) -> ast.Launch:
        """``launch function(arguments)``: one task."""
        return ast.Launch(self.span(start, end), (), function, arguments or ())

    def launch(
        self,
        start: int,
        end: int,
        first: ast.Expression,
        second: ast.Expression | None,
        third: ast.Expression | None,
        function: ast.Expression,
        arguments: tuple[ast.Expression, ...] | None,
    ) -> ast.Launch:
        """``launch[n0, n1, n2] function(arguments)``."""
        counts = tuple(count for count in (first, second, third) if count is not None)
        return ast.Launch(self.span(start, end), counts, function, arguments or ())

    def launch_nested(
        self,
        start: int,
        end: int,
        first: ast.Expression,
        second: ast.Expression,
        third: ast.Expression | None,
        function: ast.Expression,
        arguments: tuple[ast.Expression, ...] | None,
    ) -> ast.Launch:
        """The order of C: the slowest dimension stands first."""
        counts = tuple(count for count in (third, second, first) if count is not None)
        return ast.Launch(self.span(start, end), counts, function, arguments or ())

    # --- new

    def _new(
        self,
        start: int,
        end: int,
        rate: int | None,
        specifiers: ast.Specifiers,
        initial: tuple[ast.Initializer, ...] | None,
        count: ast.Expression | None,
    ) -> ast.New:
        type_name = ast.TypeName(specifiers.span, specifiers, ast.NameDeclarator(specifiers.span, ""))
        return ast.New(self.span(start, end), "" if rate is None else self.texts[rate], type_name, initial, count)

    def new(self, start: int, end: int, rate: int | None, word: int, specifiers: ast.Specifiers) -> ast.New:
        """``new type``."""
        return self._new(start, end, rate, specifiers, None, None)

    def new_initialized(
        self,
        start: int,
        end: int,
        rate: int | None,
        word: int,
        specifiers: ast.Specifiers,
        first: ast.Initializer,
        rest: list[ast.Initializer] | None = None,
    ) -> ast.New:
        """``new type(initial)``."""
        return self._new(start, end, rate, specifiers, (first, *(rest or ())), None)

    def new_array(
        self, start: int, end: int, rate: int | None, word: int, specifiers: ast.Specifiers, count: ast.Expression
    ) -> ast.New:
        """``new type[count]``."""
        return self._new(start, end, rate, specifiers, None, count)

    def initializer_list(
        self, start: int, end: int, first: ast.Initializer, rest: list[ast.Initializer] | None = None
    ) -> ast.InitializerList:
        """``{a, b}``."""
        return ast.InitializerList(self.span(start, end), (first, *(rest or ())))
