"""Expressions of assembly text → numbers and addresses.

Operators and their precedence are those of GNU as: ``* / % << >>``, then ``| & ^``,
then ``+ -``, comparisons, ``&&``, ``||``; a comparison that holds is -1. Numbers have
no limit. An address is a section and a distance from its beginning: two addresses of a
section have a difference, the rest of arithmetic takes numbers only.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from voltac.codegen.assembly.lines import LinePiece
from voltac.records import record

_TOKEN = re.compile(
    r"\s*(?:(?P<half>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?h\b)|(?P<near>\d+[fb]\b(?!\.))"
    r"|(?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)(?![\w.])"
    r"|(?P<name>[A-Za-z_.][\w.$]*|\"[^\"]*\")|(?P<character>'(?:\\.|[^\\])'?)"
    r"|(?P<operator><<|>>|<=|>=|==|!=|<>|&&|\|\||[-+*/%|&^~!<>()]))",
    re.ASCII,
)
_LEVELS = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<>": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "+": 4, "-": 4,
    "|": 5, "&": 5, "^": 5, "*": 6, "/": 6, "%": 6, "<<": 6, ">>": 6,
}  # fmt: skip
_DEEPEST = 100
"""Parentheses and signs within each other: some of Python's calls each, of which there are 1000."""
_LARGEST_SHIFT = 1024
"""Bits: beyond any number of a program, and a mistake does not fill the host's memory."""
_SIGN_OF_HALF = 0x8000
"""A minus before a number of half precision changes its sign, and the bits are those of such a number again."""
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0}


@record
class AssemblyValue:
    """A number, or an address: ``number`` bytes from the beginning of a section, or from a symbol that is not known here."""

    number: int
    section: str = ""
    """Empty: a number."""
    symbol: str = ""
    """A label that the address was written with; the only base there is where ``section`` is ``UNKNOWN``."""
    addend: int = 0
    """Bytes from that label."""


UNKNOWN = "?"
"""The section of symbols that another file defines."""


class UnknownSymbol(Exception):
    """A name that has no value yet."""

    def __init__(self, name: str, piece: LinePiece) -> None:
        super().__init__(name)
        self.name = name
        self.piece = piece


Lookup = Callable[[str, LinePiece], AssemblyValue]
"""The value of a name, ``1f`` and ``.`` among them; raises :class:`UnknownSymbol`."""


def evaluate_expression(piece: LinePiece, lookup: Lookup) -> AssemblyValue:
    """The value; :class:`~voltac.codegen.assembly.lines.BadStatement` where it has none, :class:`UnknownSymbol` if not yet."""
    reader = _Reader(piece, lookup)
    value = reader.binary(1)
    if reader.kind:
        raise reader.token.wrong(f"'{reader.token.text}' is not expected here: the expression ends before it")
    return value


class _Reader:
    def __init__(self, piece: LinePiece, lookup: Lookup) -> None:
        self.piece = piece
        self.lookup = lookup
        self.position = 0
        self.depth = 0
        self.kind: str | None = None
        self.token = piece
        self.advance()

    def advance(self) -> None:
        text = self.piece.text
        match = _TOKEN.match(text, self.position)
        if match is None:
            rest = LinePiece(text[self.position :], self.piece.begin + self.position)
            if rest.text:
                word = re.match(r"[$\\]?[\w.:]+|.", rest.text)
                assert word is not None
                found = LinePiece(word[0], rest.begin)
                if found.text.startswith("\\"):
                    raise found.wrong(
                        f"'{found.text}' is no parameter of a macro here; a name goes on behind one as in \\name\\()_end"
                    )
                raise found.wrong(f"'{found.text}' is no number, label or operator")
            self.kind, self.token, self.position = None, LinePiece("", self.piece.end), len(text)
            return
        self.kind = match.lastgroup
        assert self.kind is not None
        self.token = LinePiece(match[self.kind], self.piece.begin + match.start(self.kind))
        self.position = match.end()

    def binary(self, level: int) -> AssemblyValue:
        left = self.unary()
        while self.kind == "operator" and (found := _LEVELS.get(self.token.text, 0)) >= level:
            operator = self.token
            self.advance()
            right = self.binary(found + 1)
            left = combined(operator, left, right)
        return left

    def unary(self) -> AssemblyValue:
        self.depth += 1
        try:
            if self.depth > _DEEPEST:
                raise self.token.wrong("the expression is nested too deeply")
            return self._unary()
        finally:
            self.depth -= 1

    def _unary(self) -> AssemblyValue:
        kind, token = self.kind, self.token
        text = token.text
        if kind is None:
            raise token.wrong("a number or label is missing here")
        self.advance()
        if kind == "operator" and text == "(":
            value = self.binary(1)
            if self.token.text != ")":
                raise token.wrong("this parenthesis is not closed")
            self.advance()
            return value
        if kind == "operator" and text in "-+~!":
            of_half = self.kind == "half"
            value = self.unary()
            if text == "+":
                return value
            if text == "-" and of_half:
                return AssemblyValue(value.number ^ _SIGN_OF_HALF)
            number = _number(value, token)
            return AssemblyValue({"-": -number, "~": ~number, "!": int(not number)}[text])
        if kind == "operator":
            raise token.wrong(f"a number or label is expected before '{text}'")
        if kind == "number":
            return AssemblyValue(_integer(token))
        if kind == "half":
            return AssemblyValue(half_bits(token))
        if kind == "character":
            return AssemblyValue(_character(token))
        return self.lookup(text[1:-1] if text.startswith('"') else text, token)


def combined(operator: LinePiece, left: AssemblyValue, right: AssemblyValue) -> AssemblyValue:
    """The value of ``left operator right``."""
    sign = operator.text
    if left.section and sign in ("+", "-") and not right.section:
        by = right.number if sign == "+" else -right.number
        return AssemblyValue(left.number + by, left.section, left.symbol, left.addend + by)
    if right.section and sign == "+" and not left.section:
        return AssemblyValue(right.number + left.number, right.section, right.symbol, right.addend + left.number)
    if left.section and left.section == right.section != UNKNOWN and (sign == "-" or _LEVELS[sign] == 3):
        return AssemblyValue(_computed(operator, left.number, right.number))
    return AssemblyValue(_computed(operator, _number(left, operator), _number(right, operator)))


def _number(value: AssemblyValue, operator: LinePiece) -> int:
    if value.section:
        raise operator.wrong(
            f"'{operator.text}' takes numbers; {value.symbol or 'this'} is an address, of which only a distance to another one"
            " in its section is known before linking"
        )
    return value.number


def _computed(operator: LinePiece, left: int, right: int) -> int:
    sign = operator.text
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" | "%":
            if right == 0:
                raise operator.wrong("division by zero")
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if sign == "/" else left - quotient * right
        case "<<" | ">>":
            if not 0 <= right <= _LARGEST_SHIFT:
                raise operator.wrong(f"a shift by {right}")
            return left << right if sign == "<<" else left >> right
        case "|":
            return left | right
        case "&":
            return left & right
        case "^":
            return left ^ right
        case "&&":
            return int(bool(left) and bool(right))
        case "||":
            return int(bool(left) or bool(right))
    holds = {"==": left == right, "!=": left != right, "<>": left != right, "<": left < right, "<=": left <= right,
             ">": left > right, ">=": left >= right}  # fmt: skip
    return -int(holds[sign])


def _integer(token: LinePiece) -> int:
    text = token.text
    if len(text) > 1 and text.isdigit() and text[0] == "0":
        if not set(text) <= set("01234567"):
            raise token.wrong(f"'{text}' begins with 0 and so is octal, which has the digits 0 to 7")
        return int(text, 8)
    try:
        return int(text, 0)
    except ValueError:
        # More digits than Python converts.
        raise token.wrong("the number is too large for any operand") from None


def _character(token: LinePiece) -> int:
    text = token.text[1:].removesuffix("'") or "'"
    if text[0] != "\\":
        return ord(text[0])
    return _ESCAPES.get(text[1:], ord(text[-1]))


def half_bits(token: LinePiece) -> int:
    """The bits of a number of half precision that is written ``1.5h``."""
    try:
        return int.from_bytes(struct.pack("<e", float(token.text.rstrip("h"))), "little")
    except OverflowError:
        raise token.wrong(f"{token.text} is too large for half precision") from None
