"""Conversions, operators and their operands (language 6.1, 6.2, 8)."""

from .annotated import rule_test

test_places = rule_test(
    {
        "varying does not fit uniform, and the place is named": """
struct P { uniform int m; };
uniform int g(int v) {
    uniform int u = v; // error: initializer
    u = v; // error: assignment
    u += v; // error: '+='
    uniform int a[2] = { v, 1 }; // error: initializer
    P p;
    p.m = v; // error: assignment
    foreach (i = v ... 10) { } // error: first bound
    foreach (i = 0 ... v) { } // error: last bound
    uniform int * uniform q = uniform new uniform int[v]; // error: uniform
    return v; // error: return
}
void launched();
task void t() {}
void h(int v) {
    launch[v] t(); // error: launch
}""",
        "void converts to nothing": """
void t();
void f(int x) {
    x = t(); // error: void
    x + t(); // error: number
    if (t()) x = 1; // error: condition
    x = (int)t(); // error: void
    (void)x;
}""",
    }
)

test_operands = rule_test(
    {
        "bool has no arithmetic": """
void f(bool a, bool b, int i) {
    a + b; // error: bool
    a * i; // error: bool
    i - b; // error: bool
    -a; // error: negated
    a & b;
    a | b;
    a ^ b;
    a < b;
    a << 1; // warning: one bit
    a += true;
    a /= true; // error: bool
    a %= true; // error: bool
}""",
        "remainders and bits are for integers": """
void f(float x, int i) {
    x % 2.0; // error: %
    i % x; // error: %
    x & i; // error: neither
    x << 1; // error: first
    i << x; // error: second
    ~x; // error: integer
    ~true; // error: integer
    x |= 1; // error: bit operator
    x %= 2; // error: %
    i <<= 2;
}""",
        "what cannot be compared": """
struct S { int a; };
void g();
void f(S s, uniform int * uniform p, float x) {
    s < s; // error: operator
    p < x; // error: compare
    p < p;
    x < 1;
    p == 0;
}""",
        "logic on vectors": """
struct S { int a; };
void f(S s, float<2> v, float<3> w, uniform int * uniform p) {
    v && v;
    v || 1;
    p && v;
    s && v; // error: condition
    v && w; // error: lengths
}""",
        "what can be stepped": """
struct S { int a; };
void f(bool b, S s, int i, void * uniform v) {
    b++; // error: counted
    s++; // error: counted
    (i + 1)++; // error: assignable
    3++; // error: assignable
    v++; // error: void
    ++i;
    i--;
}""",
        "assignment needs a place": """
int g();
void f(int a, int b, bool c) {
    (a + b) = 1; // error: assignable
    g() = 1; // error: assignable
    3 = a; // error: assignable
    (c ? a : b) = 1; // error: assignable
    (a) = 1;
    programIndex = 2; // error: assignable
}""",
        "pointers have two compound assignments": """
void f(uniform int * uniform p, int v) {
    p += 2;
    p -= 1;
    p *= 2; // error: pointers
    p += v; // error: varying
}""",
        "selection needs a common type": """
struct S { int a; };
void f(S s, S t, int i, uniform int * uniform p, uniform float * uniform q, bool c) {
    i = c ? s : i; // error: common
    c ? p : q; // error: common
    p = true ? p : NULL;
    s = c ? s : t;
    c ? p : i; // error: common
}""",
        "constant division by zero warns": """
void f(int i, float x) {
    i / 0; // warning: zero
    i % 0; // warning: zero
    x / 0;
    1 / 0; // warning: zero
}""",
        "constant overflow warns": """
void f() {
    int a = 2147483647 + 1; // warning: overflows
    unsigned int b = 4294967295 + 1;
    int c = 65536 * 65536; // warning: overflows
    int d = 1 << -1; // warning: negative
}""",
        "slow operations are reported": """
void f(int a, int b, unsigned int u, float x) {
    a / b; // performance: division
    a % b; // performance: remainder
    a >> b; // performance: right shift
    x = u; // performance: unsigned
    u = x; // performance: unsigned
    a / 4;
}""",
    }
)

test_casts = rule_test(
    {
        "casts do not drop lanes": """
void f(int v, uniform int u) {
    uniform int a = (uniform int)v; // error: uniform
    int b = (varying int)u;
    float c = (float)v;
    uniform float d = (float)u;
}""",
        "casts between unrelated things": """
struct S { int a; };
void f(S s, float x, uniform int * uniform p) {
    (float)s; // error: cast
    (S)x; // error: cast
    (uniform float)p; // error: pointers
    (uniform int * uniform)x; // error: pointers
    (uniform float * uniform)p;
    (uniform int64)p;
    (uniform int * uniform)1234;
}""",
        "an unqualified cast of a uniform argument warns": """
void g(float x);
void f(uniform int u, int v) {
    g((float)u); // warning: uniform float
    g((uniform float)u);
    g((float)v);
}""",
    }
)

test_names = rule_test(
    {
        "unknown names come with suggestions": """
void f(int counter) {
    countre = 1; // error: counter
    completely_else = 1; // error: completely_else
}""",
        "a name is not visible in its own declaration": """
void f() {
    int a = a; // error: a
    int b = 1, c = b; // error: b
}""",
        "task variables exist in tasks only": """
task void t() { uniform int i = taskIndex + taskCount2 + threadIndex; }
void f() { uniform int i = taskIndex; } // error: tasks""",
        "intrinsics need an option": "void f(float x) { @llvm.sqrt(x); } // error: --enable-llvm-intrinsics",
    }
)

test_memory = rule_test(
    {
        "what is deleted is a pointer": """
void f(int i, int * p, uniform int * uniform q) {
    delete i; // error: pointer
    delete p;
    delete[] q;
    uniform int row[3];
    delete[] row; // error: pointer
}""",
        "alloca takes a uniform size": """
void f(int v, uniform int u) {
    void * uniform p = alloca(u);
    void * uniform q = alloca(v); // error: uniform
}""",
        "initial values of new": """
struct P { int a, b; };
void f(int n) {
    P * p = new P(1, 2);
    P * q = new P(1, 2, 3); // error: initializer
    P * first = new P(1);
    uniform P original = {1, 2};
    P * copy = new P(original);
    P * nested = new P({1, 2}); // error: single value
    int * r = new int[n];
    int * s = new int(5);
    uniform float * uniform t = uniform new uniform float[8];
}""",
    }
)
