"""Expressions group as the table of section 2.7 of the language says."""

import pytest
from sources import expression, message, shown, statements

from voltac.syntax import ast


@pytest.mark.parametrize(
    ("text", "structure"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("a * b + c", "((a * b) + c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b % c * d", "(((a / b) % c) * d)"),
        ("a + b << c - d", "((a + b) << (c - d))"),
        ("a << b < c >> d", "((a << b) < (c >> d))"),
        ("a < b == c >= d", "((a < b) == (c >= d))"),
        ("a == b & c != d", "((a == b) & (c != d))"),
        ("a & b ^ c & d", "((a & b) ^ (c & d))"),
        ("a ^ b | c ^ d", "((a ^ b) | (c ^ d))"),
        ("a | b && c | d", "((a | b) && (c | d))"),
        ("a && b || c && d", "((a && b) || (c && d))"),
        ("a || b && c | d ^ e & f == g < h << i + j * k", "(a || (b && (c | (d ^ (e & (f == (g < (h << (i + (j * k))))))))))"),
        ("a * b + c << d < e == f & g ^ h | i && j || k", "((((((((((a * b) + c) << d) < e) == f) & g) ^ h) | i) && j) || k)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
        ("a || b ? c, d : e || f", "((a || b) ? (c , d) : (e || f))"),
        ("a = b = c", "(a = (b = c))"),
        ("a = b ? c : d", "(a = (b ? c : d))"),
        ("a += b -= c *= d", "(a += (b -= (c *= d)))"),
        ("a <<= b >>= c &= d |= e ^= f /= g %= h", "(a <<= (b >>= (c &= (d |= (e ^= (f /= (g %= h)))))))"),
        ("a, b = c, d", "((a , (b = c)) , d)"),
        ("-a * b", "((-a) * b)"),
        ("!a && ~b", "((!a) && (~b))"),
        ("- - a", "(-(-a))"),
        ("-a++", "(-(a++))"),
        ("*p++", "(*(p++))"),
        ("++*p", "(++(*p))"),
        ("&a[i].b", "(&a[i].b)"),
        ("*p * *q", "((*p) * (*q))"),
        ("a & &b", "(a & (&b))"),
        ("a - -b", "(a - (-b))"),
        ("a->b.c[d](e, f)", "a->b.c[d](e, f)"),
        ("f(a)[b].c++", "(f(a)[b].c++)"),
        ("f(a, b = c)", "f(a, (b = c))"),
        ("(f)(a)", "f(a)"),
        ("(f(1))(2)", "f(1)(2)"),
        ("(float)a / b", "(((float)a) / b)"),
        ("(float)(a / b)", "((float)(a / b))"),
        ("(int)-a", "((int32)(-a))"),
        ("(int)(float)a++", "((int32)((float)(a++)))"),
        ("-(int)a", "(-((int32)a))"),
        ("sizeof a + b", "((sizeof a) + b)"),
        ("sizeof(int) * 2", "(sizeof(int32) * 2)"),
        ("sizeof(uniform float * uniform)", "sizeof(uniform pointer to uniform float)"),
        ("sizeof -a", "(sizeof (-a))"),
        ("a.int8x", "a.int8x"),
        ("a < b > c", "((a < b) > c)"),
        ("operator+(a, b)", "operator+(a, b)"),
        ("operator<<(a, b)", "operator<<(a, b)"),
    ],
)
def test_structure(text: str, structure: str) -> None:
    assert shown(expression(text)) == structure


@pytest.mark.parametrize(
    ("text", "type_name"),
    [
        ("(uniform unsigned int8)a", "uniform unsigned int8"),
        ("(float<3>)a", "float<3>"),
        ("(const float * const * uniform)a", "uniform pointer to const pointer to const float"),
        ("(float (*)[4])a", "pointer to array [4] of float"),
        ("(float *[4])a", "array [4] of pointer to float"),
        ("(void (*)(int, float x[]))a", "pointer to function (int32, x: array [] of float) returning void"),
        ("(soa<8> S * uniform)a", "uniform pointer to soa<8> S"),
        ("(struct S *)a", "pointer to struct S"),
        ("(int &)a", "reference to int32"),
    ],
)
def test_type_names(text: str, type_name: str) -> None:
    (_, statement) = statements(f"struct S {{ int a; }}; {text};")
    assert shown(statement.expression) == f"(({type_name})a)"


def test_new_stands_just_above_assignment() -> None:
    assignment = expression("p = uniform new uniform float[n + 1]")
    new = assignment.value
    assert isinstance(new, ast.New)
    assert (new.rate, new.initial, shown(new.count)) == ("uniform", None, "(n + 1)")
    assert [word.text for word in new.type.specifiers.qualifiers] == ["uniform"]
    (argument,) = expression("f(new int(3))").arguments
    assert (argument.rate, [shown(item) for item in argument.initial], argument.count) == ("", ["3"], None)
    assert expression("varying new int").rate == "varying"
    assert message("void f() { a = b + new int; }").kind == "Error"


def test_initializers_of_new_may_be_lists() -> None:
    (_, statement) = statements("struct P { int a; int b[2]; }; p = new P(1, {2, 3});")
    first, second = statement.expression.value.initial
    assert shown(first) == "1"
    assert isinstance(second, ast.InitializerList)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("launch f(a, b)", []),
        ("launch[n] f(a, b)", ["n"]),
        ("launch[1, 2] f(a, b)", ["1", "2"]),
        ("launch[1, 2, 3] f(a, b)", ["1", "2", "3"]),
        ("launch[2][1] f(a, b)", ["1", "2"]),
        ("launch[3][2][1] f(a, b)", ["1", "2", "3"]),
    ],
)
def test_launch_counts_are_in_one_order(text: str, counts: list[str]) -> None:
    launch = expression(text)
    assert isinstance(launch, ast.Launch)
    assert [shown(count) for count in launch.counts] == counts
    assert shown(launch.function) == "f"
    assert [shown(argument) for argument in launch.arguments] == ["a", "b"]


def test_rare_calls() -> None:
    intrinsic = expression("@llvm.sqrt.v8f32(a)")
    assert (intrinsic.name, len(intrinsic.arguments)) == ("@llvm.sqrt.v8f32", 1)
    sycl = expression("invoke_sycl(f, a, b)")
    assert (shown(sycl.function), len(sycl.arguments)) == ("f", 2)
    assert shown(expression("alloca(n * 4)").size) == "(n * 4)"


def test_members_may_be_named_like_types_and_templates() -> None:
    (_, statement) = statements("typedef int T; a.T + b->T;")
    assert shown(statement.expression) == "(a.T + b->T)"


def test_spans_cover_the_text_of_an_expression() -> None:
    whole = expression("(a + b) * f(c)[1]")
    text = "void f() { (a + b) * f(c)[1]; }"
    assert text[whole.span.column - 1 : whole.span.end_column - 1] == "(a + b) * f(c)[1]"
    left, right = whole.left, whole.right
    assert text[left.span.column - 1 : left.span.end_column - 1] == "a + b"
    assert text[right.span.column - 1 : right.span.end_column - 1] == "f(c)[1]"


@pytest.mark.parametrize(
    "text", ["f(1)(2)", "a ?: b", "x = int(a)", "(int){1}", "a ==", "sizeof", "a b", "a..b", "p->3", "x = = y"]
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    assert message(f"void f() {{ {text}; }}").kind == "Error"
