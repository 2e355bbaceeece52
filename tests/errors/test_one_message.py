"""A mistake has no consequences: what depends on it is not reported as well."""

import pytest

from .marked import reported

PROGRAMS: dict[str, str] = {
    "typedef of wrong type": """
typedef float<0> T;
T x;
void f(T a) { T b = a; }""",
    "typedef twice": """
typedef int T;
typedef float T;
T x;""",
    "struct with wrong member": """
struct S { float<0> a; int b; };
void f(S s) { s.a = 1; s.b = 2; }""",
    "struct redefinition": """
struct S { int a; };
struct S { int b; };
void f(S s) { s.b = 1; }""",
    "enum wrong value": """
int n;
enum E { A = n, B };
void f(E e) { e = B; uniform int x = A; }""",
    "function wrong param": """
void f(void x, int b) { b = 1; }
void g() { f(1, 2); }""",
    "function wrong result": """
task int f(int a) { return a; }
void g() { int x = f(1); }""",
    "global wrong initial": """
int g();
uniform int a = g();
void f() { uniform int b = a; }""",
    "const wrong initial": """
int g();
const uniform int N = g();
int a[N];
void f() { a[0] = 1; }""",
    "undeclared twice": """
void f() { x = 1; x = 2; x++; }""",
    "undeclared function twice": """
void f() { foo(1); foo(2); }""",
    "bad loop var": """
void f(uniform int n) { for (uniform int i = q; i < n; i++) { i += 1; } }""",
    "bad foreach": """
void f(uniform int n, uniform float a[]) { foreach (i = 0 ... m) { a[i] = 1; } }""",
    "bad operand chain": """
struct S { int a; };
void f(S s) { int x = s + 1 + 2 + s; x = 1; }""",
    "bad call arg": """
void g(int a);
void f() { g(zzz); g(zzz + 1); }""",
    "template bad": """
template <typename T> T f(T a) { return a.b + a.c; }
void g() { f(1); }""",
    "bad return": """
struct S { int a; };
int f(S s) { return s; }
void g(S s) { int x = f(s); }""",
    "bad array size": """
void f(uniform int n) { int a[n]; a[0] = 1; int b = a[1]; }""",
    "bad member then use": """
struct S { int a; };
void f(S s) { int x = s.zz; x = s.zz + 1; }""",
    "redecl local diff type": """
void f() { int a = 1; float a = 2; a = 3; }""",
    "param dup": """
void f(int a, float a) { a = 1; }""",
    "dup function": """
void f(int a) { a = 1; }
void f(int a) { a = 2; }
void g() { f(1); }""",
    "result differs": """
int f(int a);
float f(int a) { return a; }
void g() { f(1); }""",
    "export bad": """
export void f(int x) { x = 1; }""",
    "export result": """
export int f() { return 1; }""",
    "void var": """
void f() { void x; x = 1; }""",
    "incomplete": """
struct S;
S s;
void f() { s.a = 1; }""",
    "soa": """
struct U { uniform int a; };
soa<8> U u[3];
void f() { u[0].a = 1; }""",
    "reference": """
void f() { float &r; r = 1; }""",
    "two words": """
inline noinline void f() { }
void g() { f(); }""",
    "enum twice": """
enum E { A };
enum E { B };
void f() { uniform E e = B; }""",
    "unknown type in struct": """
struct S { Foo a; int b; };
void f(S s) { s.a = 1; s.b = 2; }""",
    "unknown type param": """
void f(Foo a, int b) { b = a; }
void g() { f(1, 2); }""",
    "switch bad": """
struct S { int a; };
void f(S s) { switch (s) { case 1: break; case 2: break; } }""",
    "case dup": """
void f(uniform int n) { switch (n) { case 1: n = 2; case 1: n = 3; break; default: ; } }""",
    "launch": """
void g() {}
void f() { launch g(); sync; }""",
    "new": """
void f() { Foo * p = new Foo(1); delete p; }""",
    "op": """
struct V { float x; };
V operator+(V a, Foo b) { return a; }
void f(V a) { a + a; }""",
    "default": """
void f(int a = zz, int b = 1) { }
void g() { f(); f(1); }""",
    "overload with a wrong parameter as a pointer": """
int f(int a) { return a; }
int f(Foo a) { return 1; }
typedef float (*F)(float);
void g() { F h = f; }""",
    "overload with a wrong parameter": """
int f(int a) { return a; }
int f(int b, Foo a) { return 1; }
int f(Foo a);
struct S { int x; };
void g(S s) { f(1, 2); f(s); f(3); }""",
    "template with a wrong parameter": """
template <typename T, int N> T f(T<N> x, Foo y) { return x[0]; }
void g() { int<3> v; int x = f(v, 1); f<float, 3>(v, 2); }
template <> int f<int, 3>(int<3> x, int y) { return 1; }
template int f<float, 3>(float<3> x, int y);""",
    "template with a wrong template parameter": """
template <typename T, float N> T f(T x) { return x; }
void g() { f(1); f<int, 3>(2); }""",
    "template with a wrong body": """
template <typename T> T f(T x) { return x * absent; }
template float f<float>(float x);
void g() { int x = f(1); x = f(2.0f); x = f<int8>(3); }""",
    "array of struct with a wrong member": """
struct A { int x[n]; };
struct B { A a; float b; };
uniform B table[3] = { { { {1} }, 2 } };
void g(B b) { b.a.x[1] = 3; table[0].b = 3; uniform int m = sizeof(B); B c = { {{1, 2}}, 3 }; }""",
    "pointer to a function with a wrong parameter": """
typedef int (*F)(Foo * uniform);
struct S { F f; int x; };
void g(F f, S s) { f(1); F h = f; s.f(1); s.x = 2; }""",
    "local typedef and struct": """
void f() { typedef Foo T; T x = 1; struct L { Foo a; int b; }; L l; l.b = 2; l.a = 3; }""",
    "missing return w/ error": """
int f(int v) { if (v > zz) return 1; }""",
    "uninit + err": """
int f() { int x; x = zz; return x; }""",
}


@pytest.mark.parametrize("claim", list(PROGRAMS))
def test_one_mistake_is_one_message(claim: str) -> None:
    items = [item for item in reported(PROGRAMS[claim]) if item.kind != "Performance Warning"]
    assert len(items) == 1, [(item.span.line, item.text) for item in items]


def test_separate_mistakes_are_all_reported() -> None:
    lines = {
        "void f(int v) {": None,
        "    v = missing;": "'missing'",
        "    v.x = 1;": "has no members",
        "    if (absent) v = 1;": "'absent'",
        "    while (v > nowhere) break;": "'nowhere'",
        "    return 1;": "has no result",
        "}": None,
        "int g() { return lost; }": "'lost'",
        "float<0> h;": "at least one",
        "struct S { void a; int b; };": "void",
        "uniform int k = programIndex;": "cannot convert",
    }
    found = {item.span.line: item.text for item in reported("\n".join(lines))}
    assert sorted(found) == [number for number, words in enumerate(lines.values(), 1) if words is not None]
    for number, words in enumerate(lines.values(), 1):
        assert words is None or words in found[number]
