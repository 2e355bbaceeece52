"""Macro expansion (reference section 3). The long examples and their results are those of the C standard, 6.10.3.5."""

import shutil
import subprocess

import pytest
from sources import message, tokens

from voltac.syntax.lexer import TOKEN

STANDARD = r"""
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
"""


def words(text: str) -> list[str]:
    return TOKEN.findall(text)


def test_rescanning_follows_the_example_of_the_standard() -> None:
    text = STANDARD + "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n (f)^m(m);\n"
    expected = (
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1); f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);"
    )
    assert tokens(text) == words(expected)


def test_pasting_takes_empty_arguments() -> None:
    text = STANDARD + "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };"
    assert tokens(text) == words('int i[] = { 1, 23, 4, 5, }; char c[2][6] = { "hello", "" };')


def test_stringizing_and_pasting_together() -> None:
    text = r"""
#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
 x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') == 0) str(: @\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
"""
    expected = r"""printf("x" "1" "= %d, x" "2" "= %s", x1, x2);
fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n", s);
"vers2.h" "hello"; "hello" ", world" """
    assert tokens(text) == words(expected)


def test_a_pasted_paste_operator_is_none() -> None:
    text = """
#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
join(x, y)
"""
    assert tokens(text) == ['"x ## y"']


def test_three_operands_of_paste() -> None:
    text = "#define t(x,y,z) x ## y ## z\n{ t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };"
    assert tokens(text) == words("{ 123, 45, 67, 89, 10, 11, 12, };")


def test_variadic_macros() -> None:
    text = r"""
#define debug(...) fprintf(stderr, __VA_ARGS__)
#define showlist(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test)?puts(#test):\
 printf(__VA_ARGS__))
debug("Flag");
debug("X = %d\n", x);
showlist(The first, second, and third items.);
report(x>y, "x is %d but y is %d", x, y);
"""
    expected = r"""fprintf(stderr, "Flag"); fprintf(stderr, "X = %d\n", x);
puts("The first, second, and third items."); ((x>y)?puts("x>y"): printf("x is %d but y is %d", x, y));"""
    assert tokens(text) == words(expected)


def test_the_comma_before_omitted_arguments_goes() -> None:
    text = (
        "#define f(a, ...) g(a , ## __VA_ARGS__)\n#define n(args...) k(0, ## args)\nf(1) f(1,2) f(1,2,3) f(1,) n() n(1) n(1,2)"
    )
    assert tokens(text) == words("g(1) g(1,2) g(1,2,3) g(1,) k(0) k(0,1) k(0,1,2)")


def test_va_opt() -> None:
    text = """
#define F(...) f(0 __VA_OPT__(,) __VA_ARGS__)
#define G(X, ...) f(0, X __VA_OPT__(,) __VA_ARGS__)
#define SDEF(sname, ...) S sname __VA_OPT__(= { __VA_ARGS__ })
#define EMP
#define H2(X, Y, ...) __VA_OPT__(X ## Y,) __VA_ARGS__
#define H3(X, ...) #__VA_OPT__(X##X X##X)
F(a, b, c) F() F(EMP) G(a, b, c) G(a, ) G(a) SDEF(foo); SDEF(bar, 1, 2); H2(a,b,c,d) H3(, 0)
"""
    expected = 'f(0, a, b, c) f(0) f(0) f(0, a, b, c) f(0, a) f(0, a) S foo; S bar = { 1, 2 }; ab, c, d ""'
    assert tokens(text) == words(expected)


def test_a_macro_is_not_expanded_in_itself() -> None:
    assert tokens("#define foo foo a bar\n#define bar foo b\nfoo bar") == words("foo a foo b foo a bar b")
    assert tokens("#define NIL(x) x\n#define G_0(a) NIL(G_1)(a)\n#define G_1(a) NIL(a)\nG_0(42)") == ["42"]


def test_a_function_like_name_without_arguments_is_a_name() -> None:
    assert tokens("#define F(a) (a)\nF ; F\n(3) F\nx F") == words("F ; (3) F x F")


def test_an_argument_list_may_go_on_over_lines_and_directives() -> None:
    assert tokens("#define A(x, y) [x|y]\nA(1,\n2 3\n#define Y 4\n + Y) z") == words("[1|2 3 + 4] z")


def test_strings_and_parentheses_protect_commas() -> None:
    assert tokens('#define A(x) [x]\nA((1,2)) A("),(")') == words('[(1,2)] ["),("]')


def test_a_range_expands_behind_a_number() -> None:
    assert tokens("#define N 3\n0...N") == ["0", "...", "3"]


def test_assert_and_alloca_are_macros() -> None:
    assert tokens("assert(a < b);") == words('__assert("a < b", a < b);')
    assert tokens("assert(a < b);", disable_assertions=True) == [";"]
    assert tokens("alloca(8)") == words("__alloca(8)")


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("#define P(a, b) a\nP(3)", 2, "1 argument, it takes 2"),
        ("#define P(a) a\n\nP(3, 4)", 3, "2 arguments, it takes 1"),
        ("#define P(a, ...) a\nP()\nP(", 3, "not closed"),
        ("#define 3 4", 1, "identifiers"),
        ("#define", 1, "macro name"),
        ("#define F(a, a) a", 1, "same name"),
        ("#define F(a b", 1, "')' is missing"),
        ("#define F(..., a) a", 1, "last"),
        ("#define F(a) #b", 1, "parameter"),
        ("#define X ## a", 1, "start or end"),
        ("#define C(a, b) a ## b\nC(+, /)", 2, "does not make a token"),
        ("#define defined 3", 1, "defined"),
        ("#define A(x) x x\n" + "A(" * 200 + "1" + ")" * 200, 2, "nested too deeply"),
    ],
)
def test_mistakes_with_macros(text: str, line: int, part: str) -> None:
    found = message(text)
    assert (found.kind, found.line) == ("error", line)
    assert part in found.text


def test_exponential_expansion_ends_in_one_error() -> None:
    definitions = "".join(f"#define A{n} A{n - 1} A{n - 1} A{n - 1} A{n - 1}\n" for n in range(1, 30))
    assert "too large" in message(f"#define A0 x\n{definitions}A29").text


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc judges here")
@pytest.mark.parametrize(
    "text",
    [
        "#define f(x) x f\nf(1)(2)(3)\n#define g(x) g x\ng(1)(2)\n",
        "#define h(x) i\n#define i h\nh(1)(2)(3)(4)\n",
        "#define id(x) x\nid(id)(1) id(id(id))(1) id (\n2\n)\n",
        "#define add(a,b) a+b\n#define s(x) # x\ns(add(1,   2)) s( a  b ) s() add(-1,-add(+1,2))\n",
        "#define CAT(a,b) a##b\n#define XCAT(a,b) CAT(a,b)\nCAT(XCA,T)(1,2) XCAT(XCAT(1,2),3) XCAT(a, __LINE__)\n"
        "CAT(<,<=) CAT(.5,e3)\n",
        "#define LPAREN (\n#define RPAREN )\n#define F(x, y) x + y\n#define E(...) __VA_ARGS__\n"
        "E(F, LPAREN, 1, RPAREN) E(F LPAREN 1, 2 RPAREN)\n",
        '/* a */ # /* b */ define /* c */ X /* d\n e */ 1 /* f */\nX "/* no */" // x \\\n still\nz\n',
        "#define EMPTY\n-EMPTY- + + +EMPTY x EMPTY(y)\n",
        "#define a() b\n#define b() c\na()()()\n#define L __LINE__\nL\n#line 100\nL L __LINE__\n",
    ],
)
def test_expansion_is_that_of_gcc(text: str) -> None:
    done = subprocess.run(["gcc", "-E", "-P", "-x", "c", "-"], input=text, capture_output=True, text=True, check=True)
    assert tokens(text) == words(done.stdout)
