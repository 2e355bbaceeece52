"""Macro expansion (language 3), by hand after the rules of C (6.10.5 of C23); where gcc is there, it is asked too."""

import itertools
import shutil
import subprocess

import pytest
from sources import message, tokens

from voltac.syntax.lexer import TOKEN

NAMES = r"""
#define depth 1
#define nest(a) <depth nest(a)>
#undef depth
#define depth 2
#define call nest
#define item item.first
#define begin call(!
#define two depth, item
#define on(what) what(two)
#define itself(a) a
#define text(a) #a
#define late(a) text(a)
#define join(left, right) left ## right
#define joined(left, right) join(left, right)
"""


def words(text: str) -> list[str]:
    return TOKEN.findall(text)


def test_names_mean_what_they_mean_where_they_stand_and_not_themselves_again() -> None:
    text = NAMES + "nest(item) call(nest(depth)) begin depth) on(itself) itself(itself)(depth) (nest)(3) on;"
    assert tokens(text) == words(
        "<2 nest(item.first)> <2 nest(<2 nest(2)>)> <2 nest(!2)> 2, item.first itself(2) (nest)(3) on;"
    )


def test_arguments_are_expanded_unless_pasted_or_made_text() -> None:
    text = NAMES + "joined(it, em) join(dep, th) join(depth, 1) joined(depth, 1) text(depth) late(depth)"
    assert tokens(text) == words('item.first 2 depth1 21 "depth" "2"')


def test_pasting_takes_empty_arguments() -> None:
    text = NAMES + "join(5,6) [join(7,)] join(,8) {join(,)} text() late(join(,)) text(  one   two )"
    assert tokens(text) == words('56 [7] 8 {} "" "" "one two"')


def test_stringizing_and_pasting_together() -> None:
    text = r"""
#define show(a, b) print("% and %: " #a ", " #b, v ## a, \
    v ## b)
#define release(n) kernels_ ## n
#define UPDOWN "both ways"
#define DOWN DOWN "!"
show(3, high);
text(compare("tab\t", '"', "\\") != 1) text(@ \n)
late(release(2).isph) text(release(2).isph)
join(UP, DOWN);
joined(UP, DOWN);
"""
    expected = r"""print("% and %: " "3" ", " "high", v3, vhigh);
"compare(\"tab\\t\", '\"', \"\\\\\") != 1" "@ \n"
"kernels_2.isph" "release(2).isph"
"both ways"; "both ways" "!"; """
    assert tokens(NAMES + text) == words(expected)


def test_a_pasted_paste_operator_is_none() -> None:
    text = "#define marks # ## #\n#define row(a) late([a marks a marks])\nrow(left)"
    assert tokens(NAMES + text) == ['"[left ## left ##]"']


def test_three_operands_of_paste() -> None:
    operands = list(itertools.product(("", "a", "b7"), repeat=3))
    text = "#define three(p,q,r) p ## q ## r\n" + "".join(f"three({','.join(each)});" for each in operands)
    assert tokens(text) == words("".join(f"{''.join(each)};" for each in operands))


def test_variadic_macros() -> None:
    text = r"""
#define log(...) write(0, __VA_ARGS__)
#define heading(...) log(#__VA_ARGS__)
#define unless(test, ...) ((test) ? 0 : \
    log(#test, __VA_ARGS__))
log(7);
log("%\n", a, (b, c));
heading(x,  y and (z, w));
unless(a<b, "% is %", a, b);
"""
    expected = r"""write(0, 7); write(0, "%\n", a, (b, c)); write(0, "x, y and (z, w)");
((a<b) ? 0 : write(0, "a<b", "% is %", a, b));"""
    assert tokens(text) == words(expected)


def test_the_comma_before_omitted_arguments_goes() -> None:
    text = (
        "#define f(a, ...) g(a , ## __VA_ARGS__)\n#define n(args...) k(0, ## args)\nf(1) f(1,2) f(1,2,3) f(1,) n() n(1) n(1,2)"
    )
    assert tokens(text) == words("g(1) g(1,2) g(1,2,3) g(1,) k(0) k(0,1) k(0,1,2)")


def test_va_opt() -> None:
    text = """
#define none
#define all(...) all(first __VA_OPT__(,) __VA_ARGS__)
#define some(a, ...) some(a __VA_OPT__(: __VA_ARGS__))
#define table(name, ...) int name __VA_OPT__([] = { __VA_ARGS__, 0 })
#define pasted(a, b, ...) __VA_OPT__(a ## b .) __VA_ARGS__
#define quoted(a, ...) #__VA_OPT__(a ## 1, __VA_ARGS__)
all() all(none) all(x) all(x, y) some(1) some(1,) some(1, 2, 3)
table(empty); table(full, 4, 5); pasted(u, v) pasted(u, v, w, x) quoted(k) quoted(k, l)
"""
    expected = """all(first) all(first) all(first, x) all(first, x, y) some(1) some(1) some(1 : 2, 3)
int empty; int full[] = { 4, 5, 0 }; uv . w, x "" "k1, l" """
    assert tokens(text) == words(expected)


def test_a_macro_is_not_expanded_in_itself() -> None:
    assert tokens("#define near near > far\n#define far < near\nnear; far") == words("near > < near; < near > far")
    assert tokens("#define go(a) a\n#define there(a) go(back)(a)\n#define back(a) {go(a)}\nthere(8)") == ["{", "8", "}"]


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


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the oracle")
@pytest.mark.parametrize(
    "text",
    [
        "#define f(x) x f\nf(1)(2)(3)\n#define g(x) g x\ng(1)(2)\n",
        "#define h(x) i\n#define i h\nh(1)(2)(3)(4)\n",
        "#define id(x) x\nid(id)(1) id(id(id))(1) id (\n2\n)\n",
        "#define add(a,b) a+b\n#define s(x) # x\ns(add(1,   2)) s( a  b ) s() add(-1,-add(+1,2))\n",
        "#define CAT(a,b) a##b\n#define XCAT(a,b) CAT(a,b)\nCAT(XCA,T)(1,2) XCAT(XCAT(1,2),3) XCAT(a, __LINE__)\n"
        "CAT(<,<=) CAT(.5,e3)\n",
        "#define from (\n#define to )\n#define sum(x, y) x + y\n#define all(...) __VA_ARGS__\n"
        "all(sum, from, 1, to) all(sum from 1, 2 to) all(sum) from 3, 4 to all(all(sum) from 5, 6 to)\n",
        '/* a */ # /* b */ define /* c */ X /* d\n e */ 1 /* f */\nX "/* no */" // x \\\n still\nz\n',
        "#define EMPTY\n-EMPTY- + + +EMPTY x EMPTY(y)\n",
        "#define a() b\n#define b() c\na()()()\n#define L __LINE__\nL\n#line 100\nL L __LINE__\n",
    ],
)
def test_expansion_is_that_of_gcc(text: str) -> None:
    done = subprocess.run(["gcc", "-E", "-P", "-x", "c", "-"], input=text, capture_output=True, text=True, check=True)
    assert tokens(text) == words(done.stdout)
