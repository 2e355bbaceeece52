"""Declarations, initial values, attributes (language 7)."""

from .annotated import rule_test

test_storage = rule_test(
    {
        "functions only": """
void f() {
    inline int a = 1; // error: functions
    task int b = 1; // error: functions
}
export int g; // error: functions""",
        "static variables begin with constants": """
void f(uniform int n) {
    static uniform int a = n; // error: constant
    static uniform int b = 3 * 4;
    static int c = programIndex;
}""",
        "extern variables have no initial value": """
extern uniform int a = 3; // error: extern
extern uniform int b;
uniform int b = 3;
extern uniform int b;""",
        "C linkage is for functions": 'extern "C" uniform int a; // error: functions',
        "storage classes conflict": "static extern int a; // error: conflicting",
        "prototypes stand at file scope": """
void f() {
    int g(int); // error: local declaration
    extern uniform int h;
}
uniform int h;""",
        "global definitions agree": """
uniform int a;
uniform float a; // error: disagree
uniform int b = 1;
uniform int b = 2; // error: twice
uniform int c;
uniform int c = 2;""",
        "a variable does not have the name of a function": """
void f();
uniform int f; // error: function
uniform int sqrt; // error: function""",
        "void variables": "void f() { void x; } // error: void",
        "typedefs have no value": "typedef int T = 3; // error: initial value",
    }
)

test_scopes = rule_test(
    {
        "a name is declared once in a scope": """
void f(int p) {
    int a = 1;
    float a = 2; // error: a
    { int a = 3; } // warning: hides
    int p = 3; // warning: hides
    for (uniform int i = 0; i < 3; ++i) { int i = 3; } // warning: hides
}""",
        "parameters have different names": "void f(int a, float a) { } // error: a",
        "hiding warns": """
uniform int global;
void helper() { }
void f(int global, int helper) { // warning: hides // warning: hides
    int programCount = 3;
}""",
        "names end with their block": """
void f() {
    { int a = 1; }
    a = 2; // error: a
    for (uniform int i = 0; i < 3; ++i) { }
    i = 3; // error: i
}""",
        "the braces of unmasked open no scope": """
void f() {
    unmasked { int a = 1; }
    a = 2;
}""",
        "a wrong declaration makes no second mistake": """
void f() {
    uniform int a[programIndex]; // error: constant
    a[0] = 1;
    int b = unknown; // error: unknown
    b = 2;
}""",
    }
)

test_initial_values = rule_test(
    {
        "globals begin with constants": """
uniform int g();
uniform int a = g(); // error: constant
const uniform int b = 4, c = 5;
uniform int d = b * c + sizeof(uniform int);
int e = programIndex * 2;
uniform int other;
uniform int * uniform p = &other;
uniform int table[3] = { 1, b, 3 };
uniform int * uniform q = &table[1];
uniform int k = other; // error: constant
float h = (float)programCount;""",
        "too many values": """
struct S { int a, b; };
void f() {
    int a[2] = { 1, 2, 3 }; // error: at most 2, 3
    S s = { 1, 2, 3 }; // error: initializer
    float<2> v = { 1, 2, 3 }; // error: initializer
    uniform int u = { 1, 2 }; // error: single
    uniform int w = { 1 };
    int x[3] = { 1 };
    S t = { 1 };
}""",
        "nested values need nested braces": """
struct S { int a[2]; int b; };
void f() {
    S s = { 1, 2, 3 }; // error: initializer
    S t = { { 1, 2 }, 3 };
    int a[2][2] = { 1, 2, 3, 4 }; // error: initializer
    int b[2][2] = { { 1, 2 }, { 3 } };
    S u = 3; // error: cannot convert
    int c[2] = 3; // error: braces
}""",
        "lanes are given one by one, or all at once": """
void f() {
    int a = { 1, 2, 3, 4, 5, 6, 7, 8 };
    int b = { 1 };
    int c = { 1, 2 }; // error: 8 lanes
}""",
    }
)

test_attributes = rule_test(
    {
        "alignments are powers of two": """
__attribute__((aligned(64))) uniform int a;
__attribute__((aligned(48))) uniform int b; // error: power of two
__attribute__((aligned(0))) uniform int c; // error: power of two
struct S { int a; } __attribute__((aligned(32)));
__attribute__((aligned(32))) struct T; // warning: struct""",
        "noescape is for uniform pointers": """
void f(__attribute__((noescape)) uniform int * uniform p);
void g(__attribute__((noescape)) uniform int * varying p); // error: varying
void h(__attribute__((noescape)) int p); // error: pointer""",
        "symbols of exported functions are plain anyway": """
__attribute__((unmangled)) void f() { }
__attribute__((unmangled)) export void g() { } // error: plain
__attribute__((external_only)) export void h() { }
__attribute__((external_only)) void k() { } // error: exported""",
        "deprecated functions warn where they are called": """
__attribute__((deprecated)) void f() { }
__attribute__((deprecated("use h"))) void g() { }
void k() {
    f(); // warning: deprecated
    g(); // warning: use h
}""",
        "unknown words": """
__attribute__((sparkling)) void f() { } // warning: sparkling
__declspec(safe) void g() { }
__declspec(cost12) void h() { }
__declspec(fast) void k() { } // error: fast""",
    }
)
