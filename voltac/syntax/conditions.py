"""The value of an ``#if`` condition: macro-expanded tokens → integer, with the rules of C (64 bits, signed or unsigned)."""

from __future__ import annotations

from collections.abc import Callable

from voltac.messages.message import Span
from voltac.syntax.lexer import is_name
from voltac.syntax.literals import BadLiteral, integer, string
from voltac.syntax.macros import MacroError, Token


class ConditionError(MacroError):
    """The condition is no integer constant expression; ``str()`` says why."""


_LEVELS = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_DEEPEST = 100
"""Conditions within parentheses: some of Python's calls each, of which there are 1000."""
_Value = tuple[int, bool]
"""A number and whether it is unsigned."""


def _fit(value: int, unsigned: bool) -> _Value:
    value &= (1 << 64) - 1
    return (value if unsigned or value < 1 << 63 else value - (1 << 64)), unsigned


def without_defined(tokens: list[Token], is_macro: Callable[[str], bool]) -> list[Token]:
    """The tokens of a condition with ``defined NAME`` and ``defined(NAME)`` replaced by 1 or 0."""
    result = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token.text == "defined":
            bracket = position < len(tokens) and tokens[position].text == "("
            position += bracket
            name = tokens[position].text if position < len(tokens) else ""
            position += 1
            if not is_name(name):
                raise ConditionError(token.span, "a macro name has to follow 'defined', as in defined(NAME)")
            if bracket:
                if position >= len(tokens) or tokens[position].text != ")":
                    raise ConditionError(token.span, "')' is missing after 'defined'")
                position += 1
            token = Token(str(int(is_macro(name))), token.span, token.space)
        result.append(token)
    return result


def evaluate(tokens: list[Token], place: Span) -> int:
    """The value of a condition without ``defined``; names that are left count as 0, ``true`` as 1.

    ``place`` is that of the condition as a whole, for what is missing at its end.
    """
    reader = _Reader(tokens, place)
    value, _ = reader.comma(True)
    if reader.position < len(tokens):
        found = reader.peek()
        raise reader.mistake("')' without '(' in an #if condition" if found == ")" else _unexpected(found))
    return value


class _Reader:
    def __init__(self, tokens: list[Token], place: Span) -> None:
        self.tokens = tokens
        self.place = place
        self.position = 0
        self.depth = 0
        self.operator = place
        """The place of the operator that is applied."""

    def peek(self) -> str:
        return self.tokens[self.position].text if self.position < len(self.tokens) else ""

    def mistake(self, text: str, back: int = 0) -> ConditionError:
        """The error at the next token, or one before."""
        position = self.position - back
        if position < len(self.tokens):
            return ConditionError(self.tokens[position].span, text)
        end = self.place
        return ConditionError(Span(end.file, end.end_line, end.end_column, end.end_line, end.end_column + 1), text)

    def comma(self, evaluated: bool) -> _Value:
        value = self.conditional(evaluated)
        while self.peek() == ",":
            self.position += 1
            value = self.conditional(evaluated)
        return value

    def conditional(self, evaluated: bool) -> _Value:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.mistake("#if condition is nested too deeply")
        condition = self.binary(1, evaluated)
        if self.peek() == "?":
            self.position += 1
            then = self.comma(evaluated and bool(condition[0]))
            if self.peek() != ":":
                raise self.mistake("':' is missing in an #if condition")
            self.position += 1
            otherwise = self.conditional(evaluated and not condition[0])
            condition = _fit(then[0] if condition[0] else otherwise[0], then[1] or otherwise[1])
        self.depth -= 1
        return condition

    def binary(self, level: int, evaluated: bool) -> _Value:
        left = self.unary(evaluated)
        while _LEVELS.get(self.peek(), 0) >= level:
            operator = self.peek()
            place = self.tokens[self.position].span
            self.position += 1
            needed = evaluated and not (operator == "&&" and not left[0]) and not (operator == "||" and left[0])
            right = self.binary(_LEVELS[operator] + 1, needed)
            self.operator = place
            left = self.combine(operator, left, right, needed)
        return left

    def combine(self, operator: str, left: _Value, right: _Value, evaluated: bool) -> _Value:
        a, b = left[0], right[0]
        if operator == "&&":
            return int(bool(a) and bool(b)), False
        if operator == "||":
            return int(bool(a) or bool(b)), False
        if operator in ("<<", ">>"):
            if b < 0 and not right[1]:
                operator, b = "<<" if operator == ">>" else ">>", -b
            b = min(b, 64)
            return _fit(a << b if operator == "<<" else a >> b, left[1])
        unsigned = left[1] or right[1]
        if unsigned:
            a, b = a & (1 << 64) - 1, b & (1 << 64) - 1
        compared = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}
        if operator in compared:
            return int(compared[operator]), False
        if operator in "/%":
            if b == 0:
                if evaluated:
                    raise ConditionError(self.operator, "division by zero in an #if condition")
                return 0, unsigned
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return _fit(quotient if operator == "/" else a - quotient * b, unsigned)
        results = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
        return _fit(results[operator], unsigned)

    def unary(self, evaluated: bool) -> _Value:
        operators = []
        while self.peek() in ("+", "-", "~", "!"):
            operators.append(self.peek())
            self.position += 1
        value = self.primary(evaluated)
        for operator in reversed(operators):
            if operator == "!":
                value = int(not value[0]), False
            elif operator != "+":
                value = _fit(-value[0] if operator == "-" else ~value[0], value[1])
        return value

    def primary(self, evaluated: bool) -> _Value:
        text = self.peek()
        self.position += 1
        if text == "(":
            value = self.comma(evaluated)
            if self.peek() != ")":
                raise self.mistake("')' is missing in an #if condition")
            self.position += 1
            return value
        if is_name(text):
            if self.peek() == "(":
                raise self.mistake(f"'{text}' is not a function-like macro, it cannot be used with '(' in an #if condition", 1)
            return int(text == "true"), False
        if text[:1].isdigit():
            try:
                number, kind = integer(text)
            except BadLiteral as mistake:
                raise self.mistake(f"{mistake} in an #if condition", 1) from None
            return _fit(number, kind.startswith("u") or number >= 1 << 63)
        if text[:1] == "'" and len(text) > 2:
            try:
                (byte, *_) = string(text).encode("utf-8", "surrogateescape")
            except BadLiteral as mistake:
                raise self.mistake(str(mistake), 1) from None
            return byte - 256 * (byte > 127), False
        if not text:
            raise self.mistake("a value is missing in an #if condition", 1)
        raise self.mistake(_unexpected(text), 1)


def _unexpected(text: str) -> str:
    return f"'{text}' is not expected here in an #if condition"
