"""Warnings about what is legal and seldom meant (language 15.2, and those of our own)."""

from dataclasses import replace
from pathlib import Path

import pytest

from voltac.messages.diagnostics import Diagnostics
from voltac.messages.warning_switches import OFF_BY_DEFAULT
from voltac.sema import check
from voltac.syntax import parse, preprocess

from .annotated import options, rule_test

test_missing_returns = rule_test(
    {
        "the end of a function with a result is reached": """
int a(int x) {
    if (x > 0) return 1;
} // warning: missing
int b(uniform int x) {
    while (x > 0) { return 1; }
} // warning: missing
int c(uniform int x) {
    for (;;) { if (x > 0) break; }
} // warning: missing
int d(uniform int x) {
    switch (x) { case 1: return 1; }
} // warning: missing
int e(uniform int x) {
    switch (x) { case 1: break; default: return 1; }
} // warning: missing
int f(int x) {
    unmasked { x = 1; }
} // warning: missing""",
        "every path returns": """
int a(int x) { if (x > 0) return 1; else return 2; }
int b(uniform int x) { for (;;) { if (x > 0) return 1; } }
int c(uniform int x) { while (true) { x++; if (x > 10) return x; } }
int d(uniform int x) { do { return 1; } while (x > 1); }
int e(uniform int x) { switch (x) { case 1: return 1; default: return 2; } }
int f(uniform int x) { switch (x) { case 1: case 2: return 1; default: { return 2; } } }
int g(int x) { if (x > 0) { return 1; } else { if (x < -3) return 2; else return 3; } }
int h(uniform int x) { again: x++; if (x < 10) goto again; return x; }
void i(int x) { if (x > 0) return; }
int j(int x) { { return x; } }
template <typename T> T k(T a) { return a; }
int l(uniform int x) { if (true) { return 1; } }""",
    }
)

test_unreachable_code = rule_test(
    {
        "behind a jump": """
int a(int x) {
    return x;
    x = 1; // warning: never reached
    x = 2;
}
void b(uniform int n) {
    for (uniform int i = 0; i < n; i++) {
        continue;
        n--; // warning: never reached
    }
    while (true) {
        break;
        n--; // warning: never reached
    }
    while (true) { n++; }
    n = 2; // warning: never reached
}
void c(uniform int n) {
    switch (n) {
        n = 3; // warning: never reached
    case 1:
        n = 1;
        break;
        n = 4; // warning: never reached
    default:
        return;
    }
}
void d(uniform int n) {
    goto out;
    n = 1; // warning: never reached
out:
    n = 2;
}
int e(int x) {
    if (x > 0) return 1; else return 2;
    x++; // warning: never reached
    return x;
}""",
        "what looks like it": """
int a(int x) { if (x > 0) return 1; return 2; }
void b(uniform int n) { switch (n) { case 1: return; break; case 2: n = 3; } }
void c(uniform int n) { goto inside; while (n < 3) { inside: n++; } }
int d(int x) { if (x > 0) return 1; else return 2; return 0; }
void e(int x) { if (x > 0) { return; } x = 1; }
void f(uniform int n) { while (n > 0) { if (n == 3) break; n--; } n = 1; }
const uniform bool DEBUG = false;
void g(uniform int n) { if (DEBUG) { n = 1; } else { n = 2; } n = 3; if (!DEBUG) return; n = 4; }
void h(uniform int n) { return; ; { } }""",
    }
)

test_values_read_before_any = rule_test(
    {
        "on every path, or in the first iteration": """
float a(float y) {
    float x;
    return x + y; // warning: before it has a value
}
int b(uniform int n, uniform int p[]) {
    int sum;
    for (uniform int i = 0; i < n; i++)
        sum += p[i]; // warning: before it has a value
    return sum;
}
int d(int n) {
    int x;
    if (n > 2)
        n = x; // warning: before it has a value
    return n;
}
void e() {
    int i;
    i++; // warning: before it has a value
    uniform int * uniform p;
    *p = 1; // warning: before it has a value
}
int f(int n) {
    int x;
    x = x + 1; // warning: before it has a value
    int y;
    return n > 3 ? y : 1; // warning: before it has a value
}
void g(int n) {
    int x;
    while (x < n) // warning: before it has a value
        x = 3;
    uniform bool flag;
    if (flag) // warning: before it has a value
        n = 1;
}
void h(uniform int n) {
    int x;
    if (n == 0)
        return;
    print("%", x); // warning: before it has a value
    x = 2;
}""",
        "which may have been written before": """
int set(int & r);
int fa(int c) { int x; if (c > 0) x = 1; else x = 2; return x; }
int fb(int c) { int x; if (c > 0) x = 1; return x; }
int fc(uniform int n) { int x; for (uniform int i = 0; i < n; i++) { if (i > 0) n += (uniform int)i; x = 1; } return x; }
int fd(uniform int n) {
    int last;
    int sum = 0;
    for (uniform int i = 0; i < n; i++) { if (i > 0) sum += last; last = i; }
    return sum;
}
int fe() { int x; set(x); return x; }
int ff() { int x; varying int * uniform p = &x; *p = 3; return x; }
int fg(uniform int n) { int x; switch (n) { case 1: x = 1; break; default: x = 2; } return x; }
int fh(uniform int n) { int x; goto there; back: return x; there: x = 2; goto back; }
int fi() { int x; foreach (j = 0 ... 10) { x = j; } return x; }
int fj(uniform int n) { int x; do { x = n; n--; } while (n > 0); return x; }
float fk(float v) { float x; x = insert(x, 0, 2.0f); return x + v; }
int fl(int v) { int x, y; x = y = v; return x + y; }
struct S { int a; };
int fm() { S s; s.a = 1; return s.a; }
int fn() { int a[3]; a[0] = 1; return a[0]; }
int fo(int c) { int x; bool ok = c > 0 && (x = c) > 3; return ok ? x : 0; }
int fp(int c) { int x; unmasked { x = 1; } return x + c; }
int fq(uniform int n) { int x; while (n > 0) { n--; if (n == 5) { x = 1; continue; } break; } return x; }
int fr() { static int x; return x; }""",
    }
)

test_stores_for_all_lanes = rule_test(
    {
        "under varying control flow": """
void a(float v, uniform float p[], uniform int & r, uniform int * uniform q) {
    uniform int c = 0;
    if (v > 1)
        c = 1; // warning: 'c' is uniform
    else
        c += 2; // warning: 'c' is uniform
    while (v > 1) {
        v -= 1;
        c++; // warning: 'c' is uniform
    }
    if (v > 3) p[0] = 1; // warning: this place is uniform
    cif (v > 3) *q = 1; // warning: this place is uniform
    if (v > 3) r = 1; // warning: uniform
    uniform int n[2];
    for (int i = 0; i < v; i++)
        if (c > 3) n[1] = 2; // warning: 'n' is uniform
    switch ((int)v) { case 1: c = 3; } // warning: 'c' is uniform
    foreach (j = 0 ... 10)
        if (j > 3) c = 4; // warning: 'c' is uniform
}""",
        "which is meant": """
void a(float v, uniform int p[], uniform int n) {
    uniform int c = 0;
    if (n > 2) c = 1;
    if (any(v > 2)) c = 1;
    if (v > 1) { uniform int d = 0; d++; c += reduce_add((int)v); c += packed_store_active(&p[c], (int)v); }
    if (programIndex == 0) p[0] = 3;
    foreach (i = 0 ... n) { c++; p[c] = 2; }
    if (v > 2) { foreach_active (i) { c++; } unmasked { c = 4; } }
    foreach_unique (u in (int)v) { c = u; }
    for (uniform int i = 0; i < v; i++) { }
    while (n > 0) { n--; if (v > 3) break; c++; }
    v = 2;
    if (v > 2) v = 3;
}""",
    }
)

test_variables_that_vary_for_nothing = rule_test(
    {
        "and make control flow vary": """
void a(uniform int n, uniform float p[], float v) {
    for (int i = 0; i < 10; i++) // warning: 'uniform int32 i'
        v += 1;
    int half = n / 2; // warning: 'uniform int32 half'
    if (half > 3) v = 1;
    int m = half + 1; // warning: 'uniform int32 m'
    const int limit = 4; // warning: 'uniform int32 limit'
    int k = 0; // warning: 'uniform int32 k'
    while (k < limit + m) k++;
    foreach (i = 0 ... n)
        for (int j = 0; j < n; j++) // warning: 'uniform int32 j'
            p[i] += j;
    float first = p[n]; // warning: 'uniform float first'
    float scale = 1.0f / n; // warning: 'uniform float scale'
    v *= scale;
    for (int j = 0; j < n; j++) { if (v > j) break; } // warning: 'uniform int32 j'
    const float half_pi = 1.57f;
    v += half_pi;
    switch ((int)first) { case 1: v = 3; }
}""",
        "but they do": """
int get(int & r);
void b(uniform int n, uniform float p[], float v) {
    for (int j = 0; j < v; j++) v -= p[j];
    for (int j = 0, k = 3; j < n && v < 3; j++, k += 2) v += k;
    foreach (i = 0 ... n) { for (int j = 0; p[i] < 3; j++) p[i] += j; }
}
void a(uniform int n, float v) {
    for (int i = programIndex; i < n; i += programCount) v += i;
    int k = 0;
    if (v > 1) k = 2;
    if (k > 1) v = 1;
    varying int said = 3;
    if (said > 2) v = 1;
    int i;
    for (i = 0; i < 10; i++) { if (v > 3) break; }
    if (i == 10) v = 2;
    int r = 1;
    get(r);
    if (r > 1) v = 1;
    int c = 0;
    while (v > 1) { v -= 1; c++; }
    if (c > 3) v = 1;
    int s = 3;
    foreach (j = 0 ... n) s = 4;
    if (s > 3) v = 1;
    int unused = 3;
    v += unused;
    int x = 1;
    x = (int)v;
    if (x > 1) v = 1;
}""",
    },
    disabled=OFF_BY_DEFAULT,
)

test_constants = rule_test(
    {
        "shift amounts": """
void f(int x, uniform int8 b, int64 l) {
    x << -1; // warning: negative
    x << 32; // warning: not below the 32 bits
    x >>= 40; // warning: not below
    b << 8; // warning: not below the 8 bits
    l << 40;
    x << 31;
}""",
        "a bool has one bit": """
void f(int x, uniform bool u, bool<2> v, int &r) {
    r = (x > 3) << 4; // warning: has one bit
    r |= (x > 3) << x; // warning: has one bit
    r = u << 1; // warning: write '(int)
    r = (x > 3) >> 1; // warning: has one bit
    r = (v << 2).x; // warning: has one bit
    r = (x > 3) << 0;
    r = (int)(x > 3) << 4;
    r = x << (x > 3);
    bool b = x > 3;
    b <<= 1; // warning: has one bit
}""",
        "overflow": """
void f(int x) {
    x = 2147483647 + 1; // warning: overflows
    x = 100000 * 100000; // warning: overflows
    x = -2147483647 - 2; // warning: overflows
    unsigned int u = 0xffffffff + 1;
}""",
        "indices outside of arrays and vectors": """
void f(uniform float<3> v) {
    int a[4];
    a[4] = 1; // warning: index 4
    a[-1] = 1; // warning: index -1
    a[3] = 1;
    v[3] = 1; // warning: index 3
}""",
        "division": """
void f(int x) {
    x / 0; // warning: zero
    x % 0; // warning: zero
    x /= 0; // warning: zero
}""",
    }
)


@pytest.mark.parametrize("switched", ["uniform-constant"])
def test_a_warning_that_is_off_by_default_can_be_switched_on(switched: str) -> None:
    source = "float f(float v) {\n    float k = 3;\n    return v * k;\n}\n"

    def reported(disabled: frozenset[str]) -> list[int]:
        diagnostics = Diagnostics(disabled=disabled)
        check(parse(preprocess(source, "t.ispc", options(), diagnostics), options(), diagnostics), options(), diagnostics)
        return [item.span.line for item in diagnostics.items if item.code == switched]

    assert reported(Diagnostics().disabled) == []
    assert reported(frozenset()) == [2]


def test_wrapping_signed_integers_do_not_overflow() -> None:
    diagnostics = Diagnostics()
    of = replace(options(), wrap_signed=True)
    source = "void f(int x) { x = 2147483647 + 1; }\n"
    check(parse(preprocess(source, "t.ispc", of, diagnostics), of, diagnostics), of, diagnostics)
    assert diagnostics.items == []


RUN_TESTS = sorted((Path(__file__).resolve().parent.parent / "run").rglob("*.ispc"))


def _wrong_about(paths: list[Path]) -> list[tuple[str, int, str]]:
    """Warnings that would be wrong: the programs have results that do not depend on undefined values."""
    found = []
    for path in paths:
        source = path.read_text()
        diagnostics = Diagnostics()
        prepared = preprocess(source, str(path), options(), diagnostics)
        check(parse(prepared, options(), diagnostics), options(), diagnostics, str(path))
        wrong = ("uninitialized", "missing-return")
        found += [(path.name, item.span.line, item.text) for item in diagnostics.items if item.code in wrong]
    return found


def test_run_tests_read_no_value_before_it_is_there() -> None:
    assert _wrong_about(RUN_TESTS[::5]) == []


@pytest.mark.long
def test_no_run_test_reads_a_value_before_it_is_there() -> None:
    assert _wrong_about(RUN_TESTS) == []


test_addresses_of_what_ends_with_the_function = rule_test(
    {
        "returned": """
struct S { uniform int a[2]; };
uniform int * uniform of_variable() { uniform int x = 3; return &x; } // warning: 'x' ends with the function
uniform int * uniform of_array() { uniform int x[4]; return x; } // warning: 'x' ends with the function
uniform int * uniform of_member(uniform S s) { return &s.a[1]; } // warning: 's' ends with the function
uniform int * uniform of_some(uniform int i) { uniform int x[4]; return x + i; } // warning: 'x' ends with the function
uniform int * varying by_lanes() { uniform int x[64]; return &x[programIndex]; } // warning: 'x' ends with the function
uniform int & reference() { uniform int x = 1; return x; } // warning: 'x' ends with the function
""",
        "what stays": """
uniform int global[4];
struct S { uniform int a[2]; };
uniform int * uniform of_global() { return global; }
uniform int * uniform of_static() { static uniform int x = 0; return &x; }
uniform int * uniform of_parameter(uniform int p[]) { return &p[1]; }
uniform int * uniform of_reference(uniform S & s) { return &s.a[1]; }
uniform int & reference(uniform S & s) { return s.a[0]; }
uniform int * uniform handed_on(uniform int * uniform p) { uniform int * uniform x = p; return x; }
uniform int value() { uniform int x[4]; x[1] = 2; return x[1]; }
""",
    }
)


test_assignments_as_conditions = rule_test(
    {
        "one sign for two": """
void f(uniform int a, uniform int b) {
    if (a = b) a = 1; // warning: '=='
    while (a = 0) ; // warning: '=='
    do { a--; } while (a = b - a); // warning: '=='
    for (; b = a; ) ; // warning: '=='
}""",
        "meant": """
void f(uniform int a, uniform int b) {
    if ((a = b)) a = 1;
    while ((a = b - a) != 0) ;
    if (a == b) a += 1;
}""",
    }
)


test_statements_without_effect = rule_test(
    {
        "comparisons and sums": """
struct S { int a; };
void f(int a, int & b, uniform int p[], S & s) {
    b == a; // warning: write '='
    b + 1; // warning: nothing is done
    p[0] == 3; // warning: write '='
    if (a > 1)
        s.a - a; // warning: nothing is done
    -a; // warning: nothing is done
    p + 1; // warning: nothing is done
}""",
        "what does something": """
struct S { int a; };
#define NOTHING(x) (x) == 0
int operator+(S & s, int a) { s.a += a; return a; }
void f(int a, int & b, S & s, uniform int p[]) {
    s + a;
    NOTHING(a);
    (void)(a + 1);
    a > 1 && b == 2;
    b++;
    p[0];
    a;
    0;
}""",
        "a semicolon too many": """
void f(int a, int & b, uniform int n) {
    if (a > 1); // warning: the ';' is all that this 'if' controls
        b = 1;
    cif ((a > 1)); b = 1; // warning: the ';' is all
    while (n < 3); // warning: the ';' is the whole body
    {
        n++;
    }
    for (uniform int i = 0; i < n; ++i); { b++; } // warning: the ';' is the whole body
}""",
        "an empty body that is meant": """
#define CHECK(x)
void f(int a, int & b, uniform int n) {
    if (a > 1) ; else b = 1;
    if (a > 1) CHECK(a);
    if (a > 1) { }
    if (a > 1)
        ;
    while (n++ < 3);
    for (; n < 10; n++);
    do { n++; } while (n < 20);
    { b = n; }
}""",
    },
    disabled=OFF_BY_DEFAULT | {"uniform"},
)
