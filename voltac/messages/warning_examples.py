"""For each warning a program that is warned of, and how it is written instead: what ``voltac explain-error NAME`` shows.

The text and the switch of a warning are its row in ``warning_switches.py``, which every compilation loads.
"""

from __future__ import annotations

from voltac.messages.error_codes import DEVICE, MessageCode
from voltac.messages.warning_switches import WARNINGS


def _warning(name: str, wrong: str = "", right: str = "", options: tuple[str, ...] = ()) -> MessageCode:
    text = WARNINGS[name].text
    return MessageCode(name, f"{text[0].upper()}{text[1:]}.", wrong, right, options)


WARNING_CODES: tuple[MessageCode, ...] = (
    _warning(
        "perf",
        "export void f(uniform float a[], uniform int b[], uniform int n) {\n    foreach (i = 0 ... n) a[b[i]] = 1;\n}",
        "export void f(uniform float a[], uniform int n) {\n    foreach (i = 0 ... n) a[i] = 1;\n}",
    ),
    _warning(
        "ambiguous",
        "float f(int a, int b);\nfloat f(float a, double b);\nfloat g(int x, float y) { return f(x, y); }",
        "float f(int a, int b);\nfloat f(float a, double b);\nfloat g(int x, float y) { return f((float)x, y); }",
    ),
    _warning("assignment", "void f(int x) { if (x = 1) { } }", "void f(int x) { if (x == 1) { } }"),
    _warning("attribute", "__attribute__((fast)) void f() { }", "inline void f() { }"),
    _warning("bounds", "int f() { int a[2] = { 1, 2 }; return a[2]; }", "int f() { int a[2] = { 1, 2 }; return a[1]; }"),
    _warning("cast", "int f(int * p) { return (int)p; }", "int64 f(int * p) { return (int64)p; }"),
    _warning(
        "const",
        "void f(const uniform int * uniform p) { uniform int * uniform q = p; }",
        "void f(const uniform int * uniform p) { const uniform int * uniform q = p; }",
    ),
    _warning("deprecated", "void f() { while (true) { cbreak; } }", "void f() { while (true) { break; } }"),
    _warning("division", "int f(int x) { return x / 0; }", "int f(int x) { return x / 2; }"),
    _warning("empty-body", "void f(int & x) { if (x > 1); x = 1; }", "void f(int & x) { if (x > 1) x = 1; }"),
    _warning("empty-declaration", "int;", "int a;"),
    _warning("export", "export void f() { }\nvoid g() { f(); }", "static void f() { }\nvoid g() { f(); }"),
    _warning("global-layout", "uniform int n = sizeof(int);", "uniform int n = sizeof(uniform int);"),
    _warning("implicit-type", "float a = 5f;", "float a = 5.f;"),
    _warning(
        "lane-conflict",
        "struct S { uniform int a; };\nvoid f(uniform S * varying p, uniform int n) { p->a = n; }",
        "struct S { uniform int a; };\nvoid f(uniform S * uniform p, uniform int n) { p->a = n; }",
    ),
    _warning(
        "local-address",
        "uniform int * uniform f() { uniform int a = 1; return &a; }",
        "uniform int f() { uniform int a = 1; return a; }",
    ),
    _warning("missing-return", "int f(int x) { if (x > 0) return 1; }", "int f(int x) { if (x > 0) return 1; return 0; }"),
    _warning("null", "int f() { return ((int * uniform)NULL)[1]; }", "int f(int * uniform p) { return p[1]; }"),
    _warning(
        "operator",
        "struct S { int a; };\nS operator*(S a) { return a; }",
        "struct S { int a; };\nS operator*(S a, S b) { a.a *= b.a; return a; }",
    ),
    _warning("output"),
    _warning("overflow", "uniform int a = 2147483647 + 1;", "uniform int64 a = 2147483647LL + 1;"),
    _warning("pragma", "#pragma omp parallel\nint a;", "int a;"),
    _warning("preprocessor", "#warning old\nint a;", "int a;"),
    _warning("shadow", "void f(int x) { { int x = 1; } }", "void f(int x) { { int y = 1; } }"),
    _warning("shift", "int f(int x) { return x << -1; }", "int f(int x) { return x >> 1; }"),
    _warning("shift-width", "int f(int x) { return x << 40; }", "int64 f(int64 x) { return x << 40; }"),
    _warning(
        "threads",
        "export void f(uniform float a[], uniform int n) {\n    foreach (i = 1 ... n) a[i] = a[i - 1];\n}",
        "export void f(uniform float a[], uniform float b[], uniform int n) {\n    foreach (i = 1 ... n) a[i] = b[i - 1];\n}",
        DEVICE,
    ),
    _warning(
        "uniform", "int f(uniform int n) { int a = n; return a; }", "int f(uniform int n) { uniform int a = n; return a; }"
    ),
    _warning(
        "uniform-constant",
        "int f() { int a = 3; return a; }",
        "int f() { uniform int a = 3; return a; }",
        ("--wuniform-constant",),
    ),
    _warning(
        "uniform-store",
        "uniform int a;\nvoid f(int x) { if (x > 0) a = 1; }",
        "uniform int a;\nvoid f(int x) { if (any(x > 0)) a = 1; }",
    ),
    _warning("uninitialized", "int f() { int a; return a; }", "int f() { int a = 1; return a; }"),
    _warning("unmasked", "void f() { while (true) { unmasked { break; } } }", "void f() { while (true) { break; } }"),
    _warning("unreachable", "int f() { return 1; return 2; }", "int f() { return 1; }"),
    _warning("unused-value", "void f(int & x) { x == 1; }", "void f(int & x) { x = 1; }"),
)
