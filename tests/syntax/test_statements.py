"""Statements are built as section 4.5 of the language says."""

import pytest
from sources import message, messages, shown, statements, tree

from voltac.syntax import ast


def test_every_else_belongs_to_the_nearest_if() -> None:
    (outer,) = statements("if (a) if (b) x; else y;")
    assert outer.otherwise is None
    assert shown(outer.then.otherwise.expression) == "y"


def test_coherent_forms_are_marked() -> None:
    found = statements("if (a) ; cif (a) ; while (a) ; cwhile (a) ; for (;;) ; cfor (;;) ; do ; while (a); cdo ; while (a);")
    assert [statement.coherent for statement in found] == [False, True] * 4


def test_parts_of_for_may_be_missing() -> None:
    empty, full, declared = statements("for (;;) ; for (i = 0; i < 3; ++i) ; for (int i = 0, j = 1; ; i++) ;")
    assert (empty.initial, empty.condition, empty.step) == (None, None, None)
    assert [shown(full.initial.expression), shown(full.condition), shown(full.step)] == ["(i = 0)", "(i < 3)", "(++i)"]
    assert isinstance(declared.initial, ast.DeclarationStatement)
    assert len(declared.initial.declaration.declarators) == 2


def test_foreach_has_dimensions() -> None:
    one, tiled = statements("foreach (i = a ... b + 1) ; foreach_tiled (z = 0 ... 2, y = 0...n, x = c ? 1 : 2 ... 3) ;")
    assert (one.tiled, tiled.tiled) == (False, True)
    assert [(d.name, shown(d.first), shown(d.last)) for d in one.dimensions] == [("i", "a", "(b + 1)")]
    assert [(d.name, shown(d.first), shown(d.last)) for d in tiled.dimensions] == [
        ("z", "0", "2"),
        ("y", "0", "n"),
        ("x", "(c ? 1 : 2)", "3"),
    ]


def test_other_loops() -> None:
    active, unique = statements("foreach_active (lane) x; foreach_unique (v in a + b, c) y;")
    assert active.name == "lane"
    assert (unique.name, shown(unique.values)) == ("v", "((a + b) , c)")


def test_switch_and_labels() -> None:
    switch, again, jump = statements("switch (a) { case 1: case 2 + 3: x; default: y; break; } again: z; goto again;")
    first, default, _ = switch.body.statements
    assert (shown(first.value), shown(first.statement.value)) == ("1", "(2 + 3)")
    assert shown(default.statement.expression) == "y"
    assert (again.name, jump.name) == ("again", "again")


def test_jumps() -> None:
    found = statements("break; continue; return; return a + b;")
    assert [type(statement).__name__ for statement in found] == ["Break", "Continue", "Return", "Return"]
    assert (found[2].value, shown(found[3].value)) == (None, "(a + b)")


def test_the_rest() -> None:
    names = [
        type(statement).__name__
        for statement in statements(
            'print("x"); print("% %", a, b); assert(a > 0); sync; delete p; delete[] p; unmasked { x; } ; { } int a; '
        )
    ]
    expected = "Print Print Assert Sync Delete Delete Unmasked ExpressionStatement Compound DeclarationStatement"
    assert names == expected.split()


def test_an_empty_unmasked_block_is_an_error() -> None:
    assert "empty" in message("void f() { unmasked { } }").text


@pytest.mark.parametrize(
    ("pragma", "kind", "count"),
    [("unroll", "unroll", None), ("unroll 4", "unroll", 4), ("unroll (8)", "unroll", 8), ("nounroll", "nounroll", None)],
)
@pytest.mark.parametrize("loop", ["for (;;) ;", "while (a) ;", "do ; while (a);", "foreach (i = 0 ... 3) ;", "cfor (;;) ;"])
def test_unroll_pragmas_stand_before_loops(pragma: str, kind: str, count: int | None, loop: str) -> None:
    (function,) = tree(f"void f() {{\n#pragma {pragma}\n{loop}\n}}")
    (statement,) = function.body.statements
    assert isinstance(statement, ast.Pragma)
    assert (statement.kind, statement.count) == (kind, count)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("#pragma unroll 4\nx = 3;", 2, "no loop follows"),
        ("#pragma unroll\n}", 3, "no loop follows"),
        ("#pragma unroll 0\nfor (;;) ;", 2, "positive"),
        ("#pragma unroll (4\nfor (;;) ;", 2, "closing parenthesis"),
        ("#pragma unroll 4\n#pragma unroll 2\nfor (;;) ;", 2, "more than one"),
        ("#pragma unroll four\nfor (;;) ;", 2, "positive integer"),
    ],
)
def test_mistakes_with_pragmas(text: str, line: int, part: str) -> None:
    found = messages(f"void f() {{\n{text}\n}}")
    assert found[0].line == line
    assert part in found[0].text


def test_a_pragma_outside_of_functions_has_no_loop() -> None:
    assert "no loop follows" in message("#pragma unroll\nint x;").text


@pytest.mark.parametrize(
    "text",
    [
        "done: }",
        "if (int a = 3) ;",
        "cdo ; cwhile (a);",
        "case 1 x;",
        "for (;) ;",
        "foreach (i) ;",
        "print(a);",
        "goto 3;",
        'print("C" 3);',
    ],
)
def test_what_is_no_statement_is_refused(text: str) -> None:
    assert next(item.kind for item in messages(f"void f() {{ {text} }}")) == "Error"


def test_strings_named_like_linkages_are_strings() -> None:
    assert statements('print("C");')[0].format == "C"
