"""A missing or extra bracket moves statements to where they cannot stand: that is not reported as well."""

from .marked import reported


def errors(text: str) -> list[tuple[int, str]]:
    return [(item.span.line, item.text) for item in reported(text) if item.kind in ("Error", "error")]


def test_a_loop_that_is_not_closed_has_no_foreach_inside() -> None:
    found = errors(
        """void f(uniform int o[], uniform int n) {
    foreach (i = 0 ... n) {
        o[i] = 1;
    foreach (i = 0 ... n) { o[i] = 2; }
    foreach (j = 0 ... n) { o[j] = 2; }
}
"""
    )
    assert len(found) == 1, found
    assert "not closed" in found[0][1]


def test_labels_behind_an_extra_brace_are_those_of_the_switch() -> None:
    found = errors(
        """static int pop(int v) { return v; }
void f(uniform int o[], int r) {
    while (r > 1) {
        switch (r) {
        case 1: r = pop(r); } break;
        case 2: r = 5; break;
        case 3: if (r > 3) { r = 7; }; break;
        default: break;
        }
        if (r > 5) continue;
        r = 3;
    }
    o[0] = 1;
}
"""
    )
    assert len(found) <= 2, found
    assert not any("case" in text or "switch" in text for _, text in found), found


def test_other_functions_keep_their_mistakes() -> None:
    found = errors("void g() { break; }\n\n\n\nvoid f(uniform int a) { a = (1 + ; }\nvoid h() { case 1: ; }")
    assert sorted(line for line, _ in found) == [1, 5, 6], found


def test_a_mistake_in_a_macro_is_reported_at_three_of_its_uses() -> None:
    uses = "\n".join(f"    BOTH({number});" for number in range(9))
    found = errors(
        f"void two(uniform int a, uniform int b);\n#define BOTH(a) two(a)\nvoid f(uniform int o[]) {{\n{uses}\n    BOTH(o);\n}}"
    )
    assert [line for line, _ in found] == [4, 5, 6, 13], found


def test_a_name_taken_for_a_type_is_a_variable_where_it_is_used_as_one() -> None:
    found = errors(
        """static int f1(int b, int a) {
    r#eturn b << 16 | a;
}
static int f2(int v) { int r = 3; r = v; return r; }
struct Q { float r; };
static float f3(Q q) { return q.r; }
static int f4(int r) { r += 3; int t = r * r; return r + t; }
"""
    )
    assert [line for line, _ in found] == [2], found


def test_an_unknown_type_stays_one_message() -> None:
    found = errors("vec3 f(vec3 a) { vec3 * p = &a; return (vec3)a; }\nvoid g(vec3 v[]) { const vec3 & r = v[0]; }")
    assert [line for line, _ in found] == [1], found


def test_a_lost_return_is_not_missing() -> None:
    items = reported("int f(int a) {\n    return a +;\n}\nint g(int a) { if (a > 0) return 1; }")
    assert [item.span.line for item in items] == [2, 4], [item.text for item in items]


def test_a_mistake_in_a_struct_has_no_consequences_for_the_flow_of_functions() -> None:
    items = reported(
        """struct V { floa" x; float y; };
float first(V v) { return v.x + v.y; }
float second(V v) { float a = v.x; return a; }
void third(uniform float o[], V v) { float b; b = v.x; o[programIndex] = b; }
"""
    )
    assert [item.span.line for item in items] == [1], [(item.span.line, item.text) for item in items]


def test_a_line_of_a_lost_table_has_three_errors_at_most() -> None:
    table = "{ 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 }, { 9, 10 }, { 11, 12 }"
    found = errors(f"void f() {{\n    int before = 1;\n    {table}\n    }};\n}}\nint g() {{ return lost; }}")
    lines = [line for line, _ in found]
    assert lines.count(3) <= 3, found
    assert lines[-1] == 6, found
