"""Literals have the values and types of sections 2.4 to 2.6 of the language."""

import math

import pytest
from sources import expression, message, messages, statements

from voltac.syntax import ast


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("0", 0, ""),
        ("42", 42, ""),
        ("0xff", 255, ""),
        ("0XFfU", 255, "uint32"),
        ("0b101", 5, ""),
        ("017", 15, ""),
        ("2147483648", 2147483648, ""),
        ("18446744073709551615", 18446744073709551615, ""),
        ("3k", 3072, ""),
        ("2M", 2 << 20, ""),
        ("3Gu", 3 << 30, "uint32"),
        ("5l", 5, "int32"),
        ("5L", 5, "int32"),
        ("5ll", 5, "int64"),
        ("5lL", 5, "int64"),
        ("5ull", 5, "uint64"),
        ("5LLU", 5, "uint64"),
        ("5ul", 5, "uint32"),
        ("5u", 5, "uint32"),
        ("4294967296u", 4294967296, "uint64"),
        ("4294967297l", 1, "int32"),
        ("0x80000000l", -2147483648, "int32"),
        ("0xffffffffffffffffll", -1, "int64"),
        ("1kll", 1024, "int64"),
    ],
)
def test_integers(text: str, value: int, kind: str) -> None:
    literal = expression(text)
    assert isinstance(literal, ast.IntegerLiteral)
    assert (literal.value, literal.type, literal.before_dots) == (value, kind, False)


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("1.5", 1.5, "float"),
        ("1.", 1.0, "float"),
        (".25", 0.25, "float"),
        ("1.5f", 1.5, "float"),
        ("1.5F", 1.5, "float"),
        ("1.5d", 1.5, "double"),
        ("3.D", 3.0, "double"),
        ("1.5f16", 1.5, "float16"),
        ("1.5F16", 1.5, "float16"),
        ("1e3", 1000.0, "float"),
        ("1E-2d", 0.01, "double"),
        ("2.5e+1f", 25.0, "float"),
        ("1.5d+2", 150.0, "double"),
        ("15D-1", 1.5, "double"),
        ("0x1p4", 16.0, "float"),
        ("0x1.8p1", 3.0, "float"),
        ("0x1.8p-1d", 0.75, "double"),
        ("0x0.8P0f16", 0.5, "float16"),
        ("0x1p-1023d", 2.0**-1023, "double"),
        ("0x1p-1024d", 0.0, "double"),
        ("0x1p1024", math.inf, "float"),
        ("1e400", math.inf, "float"),
        ("0.1", 0.1, "float"),
    ],
)
def test_floats(text: str, value: float, kind: str) -> None:
    literal = expression(text)
    assert isinstance(literal, ast.FloatLiteral)
    assert (literal.value, literal.type) == (value, kind)


def test_a_float_without_a_point_is_a_warning() -> None:
    found = message("float x = 5f;")
    assert (found.kind, found.column) == ("Warning", 11)
    assert "decimal point" in found.text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("1uk", "'uk' is not a suffix"),
        ("12abc", "'abc' is not a suffix"),
        ("089", "'8' is not an octal digit"),
        ("019u", "'9' is not an octal digit"),
        ("5d", "needs a decimal point"),
        ("5f16", "needs a decimal point"),
        ("1.5x", "'x' is not a suffix"),
        ("1.5e", "has no digits: write '1.5e0'"),
        ("0x1.8", "hexadecimal floating point"),
        ("0x2p3", "hexadecimal floating point"),
        ("0B1", "'B1' is not a suffix"),
        ("0x", "not a"),
        ("99999999999999999999", "does not fit"),
        ("1e5u", "'u' is not a suffix"),
    ],
)
def test_bad_numbers(text: str, part: str) -> None:
    found = message(f"int x = {text};")
    assert (found.kind, found.line, found.column) == ("Error", 1, 9)
    assert part in found.text


def test_a_number_before_dots_is_an_integer() -> None:
    (loop,) = statements("foreach (i = 0...9, j = 1 ... 5) ;")
    assert [(d.first.value, d.first.before_dots) for d in loop.dimensions] == [(0, True), (1, False)]


def test_strings_are_joined_and_their_escapes_replaced() -> None:
    (statement,) = statements(r'print("a" "b\n" "\\\"\'\?\a\b\f\r\t\v\101\x42\0" "c");')
    assert statement.format == "ab\n\\\"'?\a\b\f\r\t\vAB\0c"


def test_bytes_from_escapes_are_bytes() -> None:
    (statement,) = statements(r'print("\xff\377é");')
    assert statement.format.encode("utf-8", "surrogateescape") == b"\xff\xff\xc3\xa9"


def test_an_unknown_escape_is_named() -> None:
    found = message(r'void f() { print("a\q"); }')
    assert (found.line, found.column) == (1, 18)
    assert r"'\q'" in found.text


def test_words_for_values() -> None:
    assert [expression(text).value for text in ("true", "false")] == [True, False]
    assert isinstance(expression("NULL"), ast.NullLiteral)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("int x = 3 $ ;", "invalid character '$' (0x24)"),
        ("int x = 3 é;", "0xc3 0xa9"),
        ("int x = '3';", "single quote"),
        ("int x = ' ;", "single quote"),
        ("int x = @foo;", "'@'"),
        ('void f() { print("a); }', "string is not closed"),
    ],
)
def test_what_is_no_token_is_reported_at_its_place(text: str, part: str) -> None:
    found = messages(text)[0]
    assert found.kind == "Error"
    assert part in found.text


def test_digraphs_are_brackets() -> None:
    (statement,) = statements("<% a<:3:> = 1; %>")
    assert isinstance(statement, ast.Compound)
    (assignment,) = statement.statements
    assert isinstance(assignment, ast.ExpressionStatement) and isinstance(assignment.expression, ast.Assignment)
    assert isinstance(assignment.expression.target, ast.Index)


def test_old_spellings_warn_and_work() -> None:
    found = messages("void f() {\n for (;;) {\n cbreak;\n ccontinue;\n }\n creturn;\n}")
    assert [(item.kind, item.line) for item in found] == [("Warning", 3), ("Warning", 4), ("Warning", 6)]
    assert ["'break'" in found[0].text, "'continue'" in found[1].text, "'return'" in found[2].text] == [True] * 3
