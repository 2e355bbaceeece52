"""The value of an ``#if`` condition: macro-expanded tokens → integer, with the rules of C (64 bits, signed or unsigned)."""

from __future__ import annotations

from voltac.syntax.lexer import is_name
from voltac.syntax.literals import BadLiteral, integer, string


class ConditionError(Exception):
    """The condition is no integer constant expression; ``str()`` says why."""


_LEVELS = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_DEEPEST = 100
_Value = tuple[int, bool]
"""A number and whether it is unsigned."""


def _fit(value: int, unsigned: bool) -> _Value:
    value &= (1 << 64) - 1
    return (value if unsigned or value < 1 << 63 else value - (1 << 64)), unsigned


def evaluate(texts: list[str]) -> int:
    """The value of a condition without ``defined``; names that are left count as 0, ``true`` as 1."""
    reader = _Reader(texts)
    value, _ = reader.conditional(True)
    if reader.position < len(texts):
        found = texts[reader.position]
        raise ConditionError("')' without '(' in an #if condition" if found == ")" else _unexpected(found))
    return value


class _Reader:
    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.position = 0
        self.depth = 0

    def peek(self) -> str:
        return self.texts[self.position] if self.position < len(self.texts) else ""

    def conditional(self, evaluated: bool) -> _Value:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ConditionError("#if condition is nested too deeply")
        condition = self.binary(1, evaluated)
        if self.peek() == "?":
            self.position += 1
            then = self.conditional(evaluated and bool(condition[0]))
            if self.peek() != ":":
                raise ConditionError("':' is missing in an #if condition")
            self.position += 1
            otherwise = self.conditional(evaluated and not condition[0])
            condition = _fit(then[0] if condition[0] else otherwise[0], then[1] or otherwise[1])
        self.depth -= 1
        return condition

    def binary(self, level: int, evaluated: bool) -> _Value:
        left = self.unary(evaluated)
        while _LEVELS.get(self.peek(), 0) >= level:
            operator = self.peek()
            self.position += 1
            needed = evaluated and not (operator == "&&" and not left[0]) and not (operator == "||" and left[0])
            right = self.binary(_LEVELS[operator] + 1, needed)
            left = self.combine(operator, left, right, needed)
        return left

    def combine(self, operator: str, left: _Value, right: _Value, evaluated: bool) -> _Value:
        a, b = left[0], right[0]
        if operator == "&&":
            return int(bool(a) and bool(b)), False
        if operator == "||":
            return int(bool(a) or bool(b)), False
        if operator in ("<<", ">>"):
            b = b if -64 < b < 64 else 63
            if b < 0:
                operator, b = "<<" if operator == ">>" else ">>", -b
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
                    raise ConditionError("division by zero in an #if condition")
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
            value = self.conditional(evaluated)
            if self.peek() != ")":
                raise ConditionError("')' is missing in an #if condition")
            self.position += 1
            return value
        if is_name(text):
            if self.peek() == "(":
                raise ConditionError(f"'{text}' is not a function-like macro, it cannot be used with '(' in an #if condition")
            return int(text == "true"), False
        if text[:1].isdigit():
            try:
                number, kind = integer(text)
            except BadLiteral as mistake:
                raise ConditionError(f"{mistake} in an #if condition") from None
            return _fit(number, kind.startswith("u") or number >= 1 << 63)
        if text[:1] == "'" and len(text) > 2:
            try:
                return ord(string(text)), False
            except BadLiteral as mistake:
                raise ConditionError(str(mistake)) from None
        if not text:
            raise ConditionError("a value is missing in an #if condition")
        raise ConditionError(_unexpected(text))


def _unexpected(text: str) -> str:
    return f"'{text}' is not expected here in an #if condition"
