"""Syntax errors: what they say, where, and that one mistake gives one message (language 4.7)."""

import random

import pytest
from sources import OPTIONS, REPOSITORY, message, messages

from voltac.messages.diagnostics import Diagnostics
from voltac.syntax import parse, preprocess
from voltac.syntax.lexer import TOKEN

PROGRAMS = sorted((REPOSITORY / "tests" / "run").rglob("*.ispc"))


def body(text: str) -> str:
    return f"void f() {{\n{text}\n}}\nint g() {{ return 1; }}\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "part"),
    [
        ("int a = 3\nb = 4;", 3, 1, "';' missing after '3' in line 2"),
        ("int a = 3", 3, 1, "found '}'; expected"),
        ("a = (b + c;", 2, 11, "found ';'; expected ',' or ')'"),
        ("a = b[c;", 2, 8, "found ';'; expected"),
        ("f(a, b;", 2, 7, "expected ',' or ')'"),
        ("a = b + ;", 2, 9, "found ';'"),
        ("a b;", 2, 1, "unknown type 'a'"),
        ("for (int i = 0, i < 3; ++i) { a = 1; }", 2, 19, "found '<'"),
        ("if (a { b = 1; } else { c = 2; }", 2, 7, "found '{'"),
        ("if a) { b = 1; }", 2, 4, "found identifier 'a'; expected '('"),
        ("a = 1; else b = 2;", 2, 8, "there is no 'if'"),
        ("uniform int task = 3;", 2, 18, "'task' is a keyword"),
        ("uniform int in;", 2, 13, "'in' is a keyword"),
        ("while (a) do", 3, 1, "found '}'"),
        ("delete [] p;", 2, 8, "delete[]"),
        ("launch <f(x)>;", 2, 8, "old 'launch' syntax"),
        ("*(uniform int * uniform)a = 1;", 2, 11, "'*((type)value)'"),
        ("float * &r = p;", 2, 9, "typedef type * name;"),
        ("p = new int *;", 2, 13, "typedef type * name;"),
        ("foreach (i = 0 .. 3) { a = 1; }", 2, 17, "found '.'"),
        ("foreach (i : 0 ... 3) { a = 1; }", 2, 12, "found ':'; expected '='"),
        ("goto 3;", 2, 6, "found '3'; expected identifier"),
        ("int a[3] = { 1, 2 3 };", 2, 19, "found '3'"),
        ("switch (a) { case: b = 1; }", 2, 18, "found ':'"),
        ("int inner(int v) { return v; }", 2, 18, "inside another"),
        ("uniform char c = 5;", 2, 9, "write 'int8'"),
        ("unsigned long c = 5;", 2, 10, "write 'int64'"),
        ("uniform flaot c = 5;", 2, 9, "did you mean 'float'"),
        ("vec3 v;", 2, 1, "unknown type 'vec3'"),
        ("const vec3 v = w;", 2, 7, "unknown type 'vec3'"),
        ("vec3 *v;", 0, 0, ""),
    ],
)
def test_a_mistake_in_a_function_is_one_message(text: str, line: int, column: int, part: str) -> None:
    if not line:
        assert messages(body(text)) == []  # a product of two names
        return
    found = message(body(text))
    assert (found.kind, found.line, found.column) == ("Error", line, column)
    assert part in found.text


@pytest.mark.parametrize(
    ("text", "line", "column", "part"),
    [
        ("int a\nint b;", 2, 1, "';' missing after 'a' in line 1"),
        ("a = 4;\nint b;", 1, 1, "found identifier 'a'"),
        ("}\nint b;", 1, 1, "found '}'"),
        ("struct S { int a int b; float c; };\nS x;", 1, 18, "found 'int'"),
        ("struct S { int a; vec3 b; };\nS x;", 1, 19, "unknown type 'vec3'"),
        ("struct S { int a; }\nint b;", 0, 0, ""),
        ("enum E { A B };\nint x;", 1, 12, "found identifier 'B'"),
        ("void f(vec3 v, int a) { int x = a; }\nint b;", 1, 8, "unknown type 'vec3'"),
        ("void f(const half v) { v = 1; }\nint b;", 1, 14, "write 'float16'"),
        ("vec3 f(int a) { int x = a; return x; }\nint b;", 1, 1, "unknown type 'vec3'"),
        ("static vec3 a;\nvec3 b;\nvoid f() { vec3 c; }", 1, 8, "unknown type 'vec3'"),
        ("void f(int a int b) { a = 1; }\nint b;", 1, 14, "found 'int'"),
        ("void f(int a, ) { a = 1; }\nint b;", 1, 15, "found ')'"),
        ("void f(int a)\n  a = 1;\n}\nint b;", 2, 3, "'{' missing after ')' in line 1"),
        ("template <int N = 3> void f() { }\nint b;", 1, 17, "found '='; expected ',' or '>'"),
        ("void f() {\n  a = 1;\n", 3, 0, "end of file, the input stops too early; the '{' in line 1 is not closed"),
        ("int a = (1 + 2", 1, 15, "the '(' in line 1 is not closed"),
        ("int", 1, 4, "end of file"),
        ("#define M a b c\nint f() { return M; }\nint b;", 2, 18, "found"),
        ("typedef foo bar;\nbar x;\nvoid f() { bar y; }", 1, 9, "unknown type 'foo'"),
        ("typedef int foo bar2;\nbar2 z;", 1, 17, "found identifier 'bar2'"),
    ],
)
def test_a_mistake_outside_of_functions_is_one_message(text: str, line: int, column: int, part: str) -> None:
    if not line:
        # "struct S { int a; } int b;" names two types, which is not for syntax to say.
        assert messages(text) == []
        return
    found = message(text)
    assert found.kind == "Error"
    assert part in found.text
    assert found.line == (line if column else line - 1)
    assert not column or found.column == column


def test_several_mistakes_are_all_reported() -> None:
    text = """void f() {
  int a = 3
  for (int i = 0; i < 3; ++i) { a = ; b = 1; }
  y = (1 + 2;
  if (x { z = 1; } else { w = 2 3; }
  return 3
}
struct S { int a; b; };
int g() { return 1 +; }
"""
    assert [item.line for item in messages(text)] == [3, 3, 4, 5, 5, 7, 8, 9]


def test_expected_tokens_are_named_when_few() -> None:
    assert message("void f() { goto ; }").text.startswith("syntax error: found ';'; expected identifier; ")
    assert message("enum E { 3 };").text.startswith("syntax error: found '3'; expected identifier; ")
    assert "expected" not in message("void f() { a = ; }").text


def test_numbers_in_the_tree_are_not_taken_for_tokens() -> None:
    """A vector's length is a number on the parser's stack, as are the tokens there."""
    assert [item.line for item in messages("void f() {\n  for (int<100; j++) { }\n}\nint x = ;\n")] == [2, 4]


def test_a_bad_character_does_not_make_a_second_message() -> None:
    assert len(messages("void f() { a = 3 $ 4; b = 1; }")) == 1


def test_an_unclosed_string_does_not_hide_later_mistakes() -> None:
    found = messages('void f() {\n  print("hello\\n);\n  a = 1;\n  b = ;\n}\n')
    assert [item.line for item in found] == [2, 4]


def test_places_follow_line_markers() -> None:
    diagnostics = Diagnostics()
    parse(preprocess('# 10 "kernel.h"\nint a = ;\n', "t.ispc", OPTIONS, diagnostics), OPTIONS, diagnostics)
    assert diagnostics.render().startswith("kernel.h:10:9: Error: syntax error")


def test_a_message_shows_the_place() -> None:
    diagnostics = Diagnostics()
    parse(preprocess("int a = 3 ] 4;\n", "t.ispc", OPTIONS, diagnostics), OPTIONS, diagnostics)
    first = "t.ispc:1:11: Error: syntax error: found ']'; expected ',' or ';'; there is no \n"
    assert diagnostics.render() == first + "       '[' for it to close \nint a = 3 ] 4;\n          ^\n\n"


def test_every_run_test_is_right() -> None:
    assert len(PROGRAMS) > 100
    for program in PROGRAMS:
        text = program.read_text()
        diagnostics = Diagnostics()
        parse(preprocess(text, str(program), OPTIONS, diagnostics), OPTIONS, diagnostics)


def broken(text: str, chance: random.Random) -> str:
    """A program with a token removed, doubled or replaced, or with a stretch cut out."""
    found = list(TOKEN.finditer(text))
    first, second = sorted(chance.sample(found, 2), key=lambda match: match.start())
    return chance.choice(
        [
            text[: first.start()] + text[first.end() :],
            text[: first.start()] + second.group() + " " + text[first.start() :],
            text[: first.start()] + second.group() + text[first.end() :],
            text[: first.start()] + text[second.start() :],
            text[: first.start()],
        ]
    )


def test_broken_programs_end_in_messages() -> None:
    """Never in another exception, and seldom in many messages."""
    chance = random.Random(3)
    texts = [program.read_text() for program in PROGRAMS]
    counts = [len(messages(broken(chance.choice(texts), chance))) for _ in range(400)]
    assert max(counts) < 60
    assert sum(count <= 2 for count in counts) > 0.85 * len(counts)
