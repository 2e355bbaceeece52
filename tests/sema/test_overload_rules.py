"""Overload resolution (language 6.3) and the declarations it works on."""

import pytest

from voltac.sema import tree

from .annotated import assert_reports, program, rule_test

test_choices = rule_test(
    {
        "equal candidates are an error": """
float f(int a, float b);
float f(float a, int b);
void g(int v) {
    f(v, v); // error: equally
    f(v, 1.0f);
}""",
        "a choice that is not cheapest in every argument warns": """
void f(int16 x, int y) {
    min(x, 3); // warning: not clear
    max(y, 3);
    min(y, y);
}""",
        "an array at a varying place is a varying pointer": """
void f(uniform int * uniform p);
void f(uniform int * varying p);
void g(uniform int * uniform p);
void h(uniform int a[3][4], uniform int32 n) {
    f(a[n]);
    f(a[programIndex]);
    g(a[n]);
    g(a[programIndex]); // error: does not fit a uniform one
}""",
        "three equal candidates of the library": "void f() { floor(3); } // error: floor",
        "an impossible conversion drops a candidate": """
void f(int a);
void f(float a);
struct S { int a; };
void g(S s, uniform float u, uniform int8 c, double d) {
    f(s); // error: no overload
    f(u);
    f(2.5d); // error: equally
}""",
        "the number of arguments decides first": """
void f(int a, int b = 3);
void g() {
    f(1);
    f(1, 2);
    f(); // error: 1 to 2
    f(1, 2, 3); // error: 3 given
}""",
        "an argument that is a reference is shown as one": """
struct V { float x; };
void f(uniform V &a, int b);
void f(uniform V a, float b);
void g(uniform V &v, int i, float x) {
    f(v, i);
    f(v, x); // warning: uniform struct v &, varying float
}""",
        "a copy or a reference for a reference, a variable and a reference to const": """
struct V { float x; };
void f(const uniform V a);
void f(const uniform V &a);
void g(uniform V &v, uniform V w, const uniform V &c) {
    f(v);
    f(w);
    f(c);
}""",
        "why a reference does not bind": """
struct V { int x; };
void f(varying V &a);
void g(uniform V &a);
void h(const varying V &a);
void t(uniform V u, V v, const V c, int i) {
    f(u); // error: which is uniform; copy it to a varying variable
    h(u); // error: which is uniform; copy it to a varying variable
    g(v); // error: a varying location
    f(c); // error: which is const
    f(i); // error: does not bind to 'varying int32'
    h(c);
    f(v);
}""",
        "references of both parameters": """
struct V { float x; };
bool operator<(const uniform V &a, uniform V b);
bool operator<(uniform V a, const uniform V &b);
bool g(const uniform V &a, const uniform V &b) {
    return a < b; // error: equally
}""",
        "a task's index or count and an integer": """
int own(uniform int a, uniform int b);
int own(uniform unsigned int a, uniform unsigned int b);
task void f(uniform int n, uniform unsigned int u, unsigned int v) {
    uniform int a = min(n, taskIndex); // warning: its first argument's type
    a = max(n, taskCount); // warning: its first argument's type
    a = min(taskCount1, n + 1); // warning: its first argument's type
    a = min(n, 2 * (taskIndex + 1)); // warning: its first argument's type
    a = min(n, n > 3 ? threadIndex : taskIndex0); // warning: its first argument's type
    a = min(n, u); // error: equally
    int b = min(v, programIndex); // warning: its first argument's type
    b = min(v, (int)v); // error: equally
    own(n, taskIndex); // error: equally
    own(n, u); // error: equally
}""",
        "functions are declared before use": "void f() { later(); } void later() { } // error: later",
        "variables are not called": """
void f(int v, uniform int * uniform p) {
    v(1); // error: function
    p(1); // error: function
}""",
    }
)

test_declarations = rule_test(
    {
        "overloads differ in their parameters": """
int f(float x);
float f(float x); // error: overload
float f(uniform float x);
int f(float x);""",
        "a body is given once": """
int f(float x) { return 1; }
int f(float x) { return 2; } // error: twice
int f(uniform float x) { return 3; }""",
        "C functions and others share a name": """
extern "C" uniform int f(uniform int x);
void f(uniform float x);
extern "C" uniform int f(uniform int x);
extern "C" uniform int f(const uniform int x);
extern "C" void f(uniform double x); // error: another one of c
uniform int f(uniform int x); // error: disagree
static int f(const int x) { return f(3); }
int g(int x) { return f(x); }
extern "C" uniform int g(uniform int x);
extern "C" { uniform int h(uniform int x); }
template <typename T> T h(T x, T y) { return h(1) + y; }
void use(int x) {
    int a = f(x) + g(x);
    uniform int b = f(3) + g(3) + h(3) + h(3, 4);
}
export void e(uniform int x) { }
extern "C" void e(uniform float x); // error: overloaded""",
        "one function of a name is not mangled": """
__attribute__((unmangled)) void f(int x);
void f(uniform int x);
__attribute__((unmangled)) void f(float x) { } // error: symbol 'f'
extern "C" void g(uniform int x);
__attribute__((unmangled)) void g(float x) { } // error: symbol 'g'""",
        "pointers do not lead to the C function of a name": """
typedef unmasked uniform float (*U)(uniform float);
typedef float (*V)(float);
extern "C" uniform float f(uniform float x);
float f(float x) { return x; }
void g() {
    uniform V v = f;
    uniform U u = f; // error: another convention
}""",
        "const does not keep a program's function from replacing the library's": """
int clamp(int v, const int low, const int high) { return v; }
uniform float rcp(const uniform float x) { return x; }
float sqrt(float &x) { return x; }
void f(const int a, int b, uniform float u, float x) {
    clamp(a, b, 3);
    clamp(b, a, a);
    rcp(u);
    sqrt(x);
}""",
        "exported functions are not overloaded": """
export void f(uniform int x) { }
void f(uniform float x) { } // error: overloaded""",
        "a program replaces and extends the library": """
float sqrt(float x) { return x; }
struct S { int a; };
int sqrt(S s) { return s.a; }
void f(float x, S s, uniform float u) {
    sqrt(x);
    sqrt(s);
    sqrt(u);
}""",
    }
)

CHOSEN = {
    # the table of costs: declarations; the call in g; the parameter types of the function chosen
    "the same type before a conversion": ("float v", "f(int a) f(float a)", "f(v)", "varying float"),
    "uniform before varying for uniform": ("uniform int u", "f(int a) f(uniform int a)", "f(u)", "uniform int32"),
    "widening before another conversion": ("int8 c", "f(int16 a) f(float16 a, int b) f(bool a)", "f(c)", "varying int16"),
    "widening before becoming varying": ("uniform int16 c", "f(uniform int64 a) f(int16 a)", "f(c)", "uniform int64"),
    "float widens to double": ("float x", "f(double a) f(int a)", "f(x)", "varying double"),
    "int32 widens to integers only": ("int x", "f(float a) f(int64 a)", "f(x)", "varying int64"),
    "a reference costs more than a value": ("float x", "f(float &a, int b) f(float a, int b)", "f(x, x)", "varying float"),
    "constants convert cheaply": ("int v", "f(int a, uniform int b) f(float a, float b)", "f(v, 1)", "varying int32"),
    "null goes to any pointer": ("int v", "f(uniform int * uniform p) f(float16 x)", "f(NULL)", "uniform int32 * uniform"),
    "a null pointer that was cast has its type": (
        "int v",
        "f(const void * varying p) f(const void * uniform p)",
        "f((const void * uniform)NULL)",
        "const void * uniform",
    ),
    "a null pointer that was cast has its rate": (
        "int v",
        "f(const void * varying p) f(const void * uniform p)",
        "f((void * varying)NULL)",
        "const void * varying",
    ),
}


@pytest.mark.parametrize("claim", list(CHOSEN))
def test_chosen(claim: str) -> None:
    variable, candidates, call, expected = CHOSEN[claim]
    declarations = "".join(f"int {one.strip()});\n" for one in candidates.split(")") if one.strip())
    found = program(f"{declarations}void g({variable}) {{ {call}; }}")
    body = next(one for one in found.functions if one.name == "g").body
    assert body is not None
    statement = body.statements[0]
    assert isinstance(statement, tree.Evaluate) and isinstance(statement.value, tree.Call)
    assert str(statement.value.function.type.parameters[0]) == expected


def test_candidates_are_listed_with_reasons() -> None:
    declarations = "struct S { int a; };\nvoid f(int x);\nvoid f(uniform int * uniform x);\n"
    assert_reports(declarations + "void g(S s) { f(s); } // error: argument 1")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("min(n, taskIndex)", "uniform int32"),
        ("min(taskIndex, n)", "uniform unsigned int32"),
        ("max(n, taskCount + 1)", "uniform int32"),
        ("min(v, programIndex)", "varying unsigned int32"),
        ("min(programIndex, v)", "varying int32"),
    ],
)
def test_the_version_of_the_first_argument_is_called_with_an_index(call: str, expected: str) -> None:
    found = program(f"task void g(uniform int n, unsigned int v) {{ {call}; }}")
    body = next(one for one in found.functions if one.name == "g").body
    assert body is not None
    statement = body.statements[0]
    assert isinstance(statement, tree.Evaluate) and isinstance(statement.value, tree.Call)
    assert str(statement.value.function.type.parameters[0]) == expected
