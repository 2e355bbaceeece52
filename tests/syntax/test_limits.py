"""Extreme inputs are handled in linear time, and nesting that is too deep is one error."""

import gc
import time
from collections.abc import Iterator

import pytest
from sources import OPTIONS, message, messages, shown, tree

from voltac.messages.diagnostics import Diagnostics
from voltac.syntax import ast, parse, preprocess

LIMIT = 1000


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    """As in the driver: the trees of these files are large, and collecting them over and over takes most of the time."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    "text",
    [
        "int x = " + "(" * 10_000 + "1" + ")" * 10_000 + ";",
        "int x = " + "(" * 10_000,
        "int x = " + "- " * 10_000 + "1;",
        "int x = " + "!" * 10_000 + "1;",
        "int x = " + "a = " * 10_000 + "1;",
        "int x = " + "a ? b : " * 10_000 + "1;",
        "int x = " + "a[" * 10_000 + "1" + "]" * 10_000 + ";",
        "int x = " + "(int)" * 10_000 + "1;",
        "int x = " + "a + (" * 10_000 + "1" + ")" * 10_000 + ";",
        "void f() " + "{" * 10_000 + "}" * 10_000,
        "void f() {" + "if (a) " * 10_000 + ";}",
        "void f() {" + "if (a) ; else " * 10_000 + ";}",
        "void f() {" + "while (a) " * 10_000 + ";}",
        "int " + "*" * 20_000 + "p;",
        "int " + "(" * 10_000 + "p" + ")" * 10_000 + ";",
        "int x" + "[1]" * 20_000 + ";",
        "int x = " + "{" * 10_000 + "}" * 10_000 + ";",
        "struct { " * 10_000,
    ],
)
def test_deep_nesting_is_one_error(text: str) -> None:
    started = time.perf_counter()
    found = message(text)
    assert time.perf_counter() - started < 2
    assert found.kind == "Error"
    assert "nested too deeply" in found.text


def test_nesting_below_the_limit_is_legal() -> None:
    depth = LIMIT - 10
    assert messages("int x = " + "(" * depth + "1" + ")" * depth + ";") == []
    assert messages("void f() " + "{" * depth + "}" * depth) == []
    assert messages("void f() {" + "if (a) x; else " * depth + ";}") == []
    assert messages("int x = " + "a ? b : " * depth + "1;") == []
    assert messages("int x = " + "- " * depth + "1;") == []


def test_long_chains_are_no_nesting() -> None:
    (declaration,) = tree("int x = a" + " + a" * 20_000 + ";")
    node = declaration.declarators[0].initializer
    for _ in range(20_000):
        assert isinstance(node, ast.Binary)
        node = node.left
    assert shown(node) == "a"
    assert messages("void f() { x = a" + ".b" * 5000 + "; y = a" + "[1]" * 5000 + "; z = a" + ", a" * 5000 + "; }") == []
    assert messages("int x[] = { " + "1, " * 50_000 + "};") == []
    assert messages("void f() {" + "x = 1;" * 50_000 + "}") == []


def timed(text: str) -> float:
    diagnostics = Diagnostics()
    started = time.perf_counter()
    parse(preprocess(text, "t.ispc", OPTIONS, diagnostics), OPTIONS, diagnostics)
    return time.perf_counter() - started


LINES = """static float f{0}(float a, uniform float b[], int n) {{
    float s = 0; // a sum
    for (int i = 0; i < n; ++i) {{
        s += b[i] * a + (i & 3 ? 1.5f : -a) * (float)(n - i);
    }}
    return s;
}}
"""


def test_a_long_file_takes_time_in_proportion() -> None:
    small = min(timed("".join(LINES.format(number) for number in range(300))) for _ in range(3))
    large = timed("".join(LINES.format(number) for number in range(3000)))
    assert large < 30 * small
    assert 21_000 / large > 1_000, "lines a second, on a busy machine"


def test_a_line_of_a_megabyte_is_fine() -> None:
    assert timed("uniform int x[] = { " + "123, " * 210_000 + "};") < 20
    found = message("int x = 3 4; //" + "x" * 1_000_000)
    assert (found.line, found.column) == (1, 11)
    assert "found identifier 'aaa" in message("int x = 3 " + "a" * 1_000_000 + ";").text


def test_many_bad_characters_end_early() -> None:
    assert 100 <= len(messages("$;\n" * 50_000)) <= 1000


def test_many_unknown_types_end_early() -> None:
    started = time.perf_counter()
    assert 100 <= len(messages("".join(f"type{number} x{number};\n" for number in range(5_000)))) <= 1000
    assert time.perf_counter() - started < 30


def test_mistakes_in_a_long_file_take_no_more_time() -> None:
    started = time.perf_counter()
    found = messages("void f() {\n" + "x = ;\n" * 10_000 + "}")
    assert time.perf_counter() - started < 10
    assert 100 <= len(found) <= 1000
