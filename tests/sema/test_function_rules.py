"""Functions, operators, templates, tasks, export (language 10 to 12)."""

from .annotated import assert_reports, options, rule_test

test_qualifiers = rule_test(
    {
        "qualifiers that exclude each other": """
task export void a() { } // error: exclude
inline noinline void b() { } // error: exclude
extern "C" export void c(); // error: exclude
extern "C" task void d(); // error: exclude
export static void e() { }
__vectorcall void g() { } // error: extern
unmasked export void h() { } // warning: unmasked""",
        "parameters": """
void f(void); // error: void
void g(int a = 1, int b); // error: default
uniform int n();
void h(int a = n()); // error: constant
void k(static int a); // error: storage
void l(int);
void m(int, float) { }
int o()[3]; // error: array""",
        "exported functions are called with a warning": """
export void e() { }
void f() { e(); } // warning: exported""",
        "declarators are read from the name outwards": """
int twice(int x) { return 2 * x; }
int (* uniform choose())(int) { return twice; }
int (* uniform pick(uniform int which))(int) { return which ? twice : NULL; }
uniform int (* uniform row(uniform int (* uniform p)[4]))[4] { return p + 1; }
void f(int x) {
    int (* uniform table[2])(int) = { twice, NULL };
    x = table[0](x);
}
void g(int x) {
    int (* uniform h)(int) = choose();
    x = h(x) + (pick(1))(x);
    uniform int a[3][4];
    uniform int (* uniform p)[4] = row(&a[1]);
    (*p)[2] = 1;
    p[0][1] = 2;
    float * uniform * uniform q[3];
}""",
        "a varying function pointer returns varying": """
typedef uniform int (*F)(int);
typedef int (*G)(int);
void f(F p, uniform F q, G g) {
    p(1); // error: uniform result
    q(1);
    g(1);
}""",
        "function pointers take functions of their type": """
typedef float (*F)(float);
float twice(float x) { return 2 * x; }
uniform float once(uniform float x) { return x; }
float over(float x) { return x; }
int over(int x) { return x; }
extern "C" uniform float c(uniform float x);
void f(bool b) {
    uniform F p = twice;
    p = &twice;
    p = once; // error: once
    p = over;
    p = c; // error: c
    F q = b ? twice : over; // error: several
    p = &over;
    p(1.0f);
}""",
    }
)

test_export = rule_test(
    {
        "parameters of exported functions are uniform": """
struct S { int a; };
export void a(int x) { } // error: varying
export void b(uniform int * varying x) { } // error: varying pointer
export void c(uniform S s) { } // error: struct
export void d(uniform float<3> v) { } // error: vector
export void e(soa<8> S * uniform s) { } // error: soa
export void f(varying int * uniform p) { } // warning: varying data
export int g() { return 1; } // error: varying
export uniform float<3> h() { uniform float<3> v; return v; } // error: vector
export void ok(uniform S &s, uniform int data[], uniform float<3> &v, uniform bool flag) { }
export uniform S result() { uniform S s; return s; }""",
        "exported types": """
struct S { int a; };
enum E { A };
typedef int T;
typedef uniform float<3> float3;
export { S, E, float3 };
export { T }; // error: exported""",
    }
)


def test_an_exported_function_may_have_no_version_to_call() -> None:
    source = "export void e() { }\nvoid f() { e(); } // error: no version"
    assert_reports(source, options(internal_export_functions=False))


test_operators = rule_test(
    {
        "operators on structs are functions": """
struct V { float x; };
V operator+(V a, V b) { V c; c.x = a.x + b.x; return c; }
V operator*(float a, V b) { V c; c.x = a * b.x; return c; }
V operator-(V a) { V c; c.x = -a.x; return c; }
bool operator==(V a, V b) { return a.x == b.x; }
V &operator+=(V &a, V b) { a.x += b.x; return a; }
V &operator++(V &a) { a.x += 1; return a; }
V operator++(V &a, int dummy) { V old = a; a.x += 1; return old; }
void f(V a, V b, float s) {
    V c = a + b;
    c = 2.0f * a + -b;
    if (a == b) c = a;
    c += b;
    ++c;
    c++;
    c = a * s; // error: operator
    c = a - b; // error: operator
    --c; // error: counted
    c -= b; // error: operator
}""",
        "unary plus of a struct is the struct unless a function says otherwise": """
struct V { float x; };
struct W { float x; };
V operator+(const V &a, const V &b) { V c; c.x = a.x + b.x; return c; }
W operator+(W a) { W c; c.x = 1; return c; }
bool operator+(const W &a, float b) { return true; }
void f(V v, W w, uniform V u, soa<8> V * uniform s) {
    v = +v + + +v;
    w = +w;
    u = +u;
    bool b = w + 3.0f;
    w + w; // error: operator
    +*s; // error: soa
    u = +v; // error: varying
    -v; // error: negated
}""",
    }
)

test_templates = rule_test(
    {
        "deduction": """
template <typename T> T same(T a, T b) { return a; }
template <typename T> T none() { T x; return x; } // warning: before it has a value
template <typename T> void u(uniform T x) { }
template <int N> int scale(int v) { return v * N; }
void f(int i, float x, uniform int n) {
    same(i, i);
    same(i, x); // error: same
    same(i, 1.5f);
    same(n, i);
    none(); // error: none
    none<int>();
    u(n);
    u(i); // error: u
    scale<3>(i);
    scale<n>(i); // error: constant
    scale<float>(i); // error: scale
    same<int, int>(i, i); // error: same
}""",
        "bodies are checked for what does not depend on types": """
template <typename T> T f(T a) { return a + missing; } // error: missing""",
        "bodies are checked when they are used": """
struct S { int a; };
template <typename T> T half(T a) { return a / 2; } // error: number
void f(S s, int i) {
    half(i);
    half(s);
}""",
        "declared is not defined": """
template <typename T> T f(T a);
void g(int i) { f(i); } // error: defined
template <typename T> T f(T a) { return a; }
void h(int i) { f(i); }""",
        "specialisations": """
template <typename T> int code(T v) { return 1; }
template <> int code<float>(float v) { return 2; }
template <> int code<float>(float v) { return 3; } // error: exists
void f(float x, int16 y, double z) { code(x); code(y); }
template <> int code<int16>(int16 v) { return 4; } // error: exists
template <> int code<int8>(int8 v); // error: no definition
template int code<int>(int v);
template int code<int64>(float v); // error: code""",
        "what a template cannot be": """
template <typename T> task void f(T a) { } // error: task
template <typename T> export void g(T a) { } // error: export
template <float F> void h(int a) { } // error: float""",
        "ordinary functions win": """
int f(int x) { return x; }
template <typename T> T f(T x) { return x; }
void g(int i, float x) {
    f(i);
    f(x);
    f<int>(i);
}""",
        "value parameters size things": """
template <typename T, int N> T total(uniform T v[]) {
    T s = 0;
    T copy[N];
    for (uniform int j = 0; j < N; ++j) { switch (j) { case N: break; } s += v[j]; }
    return s;
}
template <int N> float<N> first(float<N> v) { return v; }
void f(uniform float a[], float<3> v) {
    total<float, 4>(a);
    first(v);
    first<3>(v);
}""",
    }
)

test_tasks = rule_test(
    {
        "tasks are launched, functions called": """
task void t(uniform int n) { }
task int r() { return 1; } // error: void
void f(uniform int n) { }
void g(uniform int n, int v) {
    launch t(n);
    launch[4] t(n);
    launch[4, 5, 6] t(n);
    launch[4][5] t(n);
    t(n); // error: launch
    launch f(n); // error: task
    launch n(1); // error: task
    launch[v] t(n); // error: uniform
    launch t(v); // error: t
    launch t(); // error: t
    sync;
}""",
    }
)

test_pointers_to_special_functions = rule_test(
    {
        "pointers to tasks are launched": """
typedef task void (*Work)(uniform int n);
task void t(uniform int n) { }
void f(uniform int n) {
    uniform Work w = t;
    launch[3] w(n);
    w(n); // error: launch
    Work v = t;
    launch v(n); // error: uniform
}""",
        "unmasked is part of the type": """
typedef unmasked int (*U)(int);
typedef int (*M)(int);
unmasked int u(int x) { return x; }
int m(int x) { return x; }
void f() {
    uniform U a = u;
    uniform M b = m;
    a = m; // error: type
    b = u; // error: type
    inline int (*c)(int); // error: functions
}""",
        "invoke_sycl calls SYCL functions": """
extern "SYCL" uniform int s(uniform int x);
uniform int p(uniform int x);
void f() {
    uniform int a = invoke_sycl(s, 3);
    invoke_sycl(p, 3); // error: SYCL
}""",
        "dereferencing a function pointer to call it is refused": """
void f(uniform int (* uniform g)(uniform int)) {
    g(1);
    (*g)(1); // error: fp(x)
}""",
        "C functions named like the library's have its result": """
extern "C" uniform int sqrt(uniform float x); // error: result
extern "C" uniform float fabs(uniform float x);""",
    }
)
