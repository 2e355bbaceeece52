"""Names are types, templates or identifiers by scope (language 4.1)."""

import pytest
from sources import messages, shown, tree

from voltac.syntax import ast


def last_statement(text: str) -> ast.Statement:
    function = tree(text)[-1]
    statement: ast.Statement = function.body.statements[-1]
    return statement


def is_declaration(text: str) -> bool:
    """Whether the last statement of the last function, 'T * x', declares x."""
    return isinstance(last_statement(text), ast.DeclarationStatement)


@pytest.mark.parametrize(
    ("text", "declares"),
    [
        ("typedef int T; void f() { T * x; }", True),
        ("struct T { int a; }; void f() { T * x; }", True),
        ("enum T { A }; void f() { T * x; }", True),
        ("struct T; void f() { T * x; }", True),
        ("void f() { T * x; }", False),
        ("void f() { typedef int T; T * x; }", True),
        ("void f() { { typedef int T; } T * x; }", False),
        ("void f() { if (a) { struct T { int a; }; } T * x; }", False),
        ("void g() { typedef int T; } void f() { T * x; }", False),
        ("template <typename T> void f(T a) { T * x; }", True),
        ("template <typename T> void g(T a) { } void f() { T * x; }", False),
        ("template <typename T> void g(T a); void f() { T * x; }", False),
        ("template <typename T> T g(T a); template <> int g<int>(int a) { return 1; } void f() { T * x; }", False),
        ("template <int T> void f(int a) { T * x; }", False),
        ("typedef int T; void f() { { T a; } T * x; }", True),
        ("struct S { struct T { int a; } b; }; void f() { T * x; }", True),
        ("struct S { enum T { A } b; }; void f() { for (T i = A; ; ) ; T * x; }", True),
        ("typedef int T, *U; void f() { U * x; }", True),
    ],
)
def test_types_are_seen_where_they_are_declared(text: str, declares: bool) -> None:
    assert is_declaration(text) == declares


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("template <typename T> T g(T a); void f() { g<int>(1); }", True),
        ("template <typename T> T g(T a) { return g<T>(a); } void f() { g<int>(1); }", True),
        ("template <typename T> T g(T a); void f() { int g; g < 1; }", False),
        ("template <typename T> T g(T a); void f(int g) { g < 1; }", False),
        ("template <typename T> T g(T a); void f() { foreach (g = 0 ... 3) { g < 1; } { g<int>(2); } }", True),
        ("template <typename T> T g(T a); void f() { foreach_active (g) g < 1; g<int>(2); }", True),
        ("template <typename T> T g(T a); void h(int g) { g < 1; } void f() { g<int>(1); }", True),
        ("template <typename T> T g(T a); void f() { for (int g = 0; g < 3; ++g) ; g<int>(1); }", True),
    ],
)
def test_a_variable_hides_a_template_in_its_scope(text: str, template: bool) -> None:
    statement = last_statement(text)
    if isinstance(statement, ast.Compound):
        statement = statement.statements[-1]
    assert isinstance(statement, ast.ExpressionStatement)
    found = statement.expression
    assert isinstance(found, ast.Call if template else ast.Binary)


def test_a_type_is_known_within_its_own_definition() -> None:
    assert messages("struct P { P * next; }; typedef struct Q { Q *a; } R; R x;") == []


def test_a_type_name_wins_over_a_variable() -> None:
    (_, function) = tree("typedef int T; void f(int T);")
    parameter = function.declarators[0].declarator.parameters[0]
    assert [type(item).__name__ for item in parameter.specifiers.types] == ["AtomicType", "NamedType"]
    assert messages("typedef int T; void f() { int x = T + 1; }") != []


def test_a_cast_needs_a_type() -> None:
    (_, function) = tree("typedef float T; void f() { x = (T)-a; y = (t)-a; }")
    first, second = (statement.expression.value for statement in function.body.statements)
    assert shown(first) == "((T)(-a))"
    assert shown(second) == "(t - a)"
