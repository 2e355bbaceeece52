"""Types: signs, rates, const, pointers, references, enums, vectors, arrays, structs, soa (language 5)."""

from .annotated import rule_test

test_rate_rules = rule_test(
    {
        "a type is not uniform and varying at once": "void f() { uniform varying int x = 3; } // error: uniform",
        "a typedef that is varying cannot be made uniform": """
typedef varying int V;
void f() {
    uniform V x = 3; // error: already
    V y = 3;
    varying V z = y;
}""",
        "an unbound typedef takes the rate of its use": """
typedef int I;
void f() {
    uniform I u = 1;
    I v = programIndex;
    u = v; // error: uniform
}""",
        "signed does not go with float": "signed float x; // error: signed",
        "signed and unsigned contradict each other": "signed unsigned int x; // error: contradict",
        "unsigned alone is unsigned int, with a warning": """
void f() {
    unsigned x = 3; // warning: int32
    unsigned int * uniform p = 0;
}""",
        "a reference has no rate of its own": "typedef int &R; uniform R x; // error: reference",
        "void has no rate": """
uniform void f(); // error: void
void g(uniform void * uniform p); // error: void
void h(void * uniform p);""",
        "a pointer is not uniform and varying at once": "int * uniform varying p; // error: already",
    }
)

test_const_rules = rule_test(
    {
        "const objects are not assigned": """
void f(const int p, const uniform float * uniform q, uniform float * const uniform r) {
    p = 1; // error: const
    *q = 2; // error: const
    q = 0;
    r = 0; // error: const
    *r = 3;
    p += 1; // error: const
    --p; // error: const
}""",
        "a local const needs a value, a global one does not": """
const int g;
void f() {
    const int x; // error: x
}""",
        "a struct with a const member is not assigned": """
struct S { const int a; int b; };
void f(S s, S t) {
    s = t; // error: a
    s.b = 3;
}""",
        "dropping const from a pointee warns": """
void f(const uniform int * uniform p) {
    uniform int * uniform q = p; // warning: const
}""",
    }
)

test_pointer_rules = rule_test(
    {
        "void pointers have no arithmetic and no pointee": """
void f(void * uniform p) {
    p + 1; // error: void
    p++; // error: void
    *p; // error: void
    p[0]; // error: void
}""",
        "pointers to unknown structs have no arithmetic": """
struct S;
void f(S * uniform p) {
    p + 1; // error: definition
    p->x; // error: not defined
    p[1]; // error: definition
}""",
        "two pointers cannot be added": "void f(int * uniform p) { p + p; } // error: added",
        "pointers are not multiplied": "void f(int * uniform p) { p * 2; } // error: pointer",
        "only pointers are dereferenced": "void f(int x) { *x; } // error: pointers",
        "only places have addresses": "void f(int x) { &(x + 1); } // error: address",
        "unrelated pointers do not convert": """
void f(uniform int * uniform p) {
    uniform float * uniform q = p; // error: cannot convert
    void * uniform v = p;
    uniform int * uniform back = v; // error: cast
    back = (uniform int * uniform)v;
}""",
        "pointer to const does not become void pointer": """
void f(const uniform int * uniform p) {
    void * uniform v = p; // error: const
    const void * uniform c = p;
}""",
        "only the constant zero becomes a pointer": """
void f(uniform int n) {
    uniform int * uniform p = 0;
    p = NULL;
    p = n; // error: cast
    p = 5; // error: cast
}""",
        "a varying pointer does not become uniform": """
void f(uniform int a[]) {
    uniform int * uniform p = &a[programIndex]; // error: uniform
    uniform int * varying q = &a[programIndex];
    q = a;
}""",
        "a pointer fits no narrow integer": """
void f(uniform int * uniform p) {
    uniform int64 wide = (uniform int64)p;
    uniform int narrow = (uniform int)p; // warning: small
    wide = p; // error: cast
}""",
        "void pointers and others are not compared": """
void f(void * uniform v, uniform int * uniform p) { v == p; } // error: compare""",
        "a struct with a uniform member has one of them for all lanes": """
struct S { uniform int a; float b; };
void f(uniform S * varying p) {
    S s = *p; // warning: lowest active lane
    float b = p->b;
    int a = p->a;
    p->a = 3; // warning: uniform member
    p->b = 3;
}""",
    }
)

test_reference_rules = rule_test(
    {
        "references are bound when declared": """
void f(float a) {
    float &r; // error: reference
    float &s = a;
    s = 3;
}""",
        "references bind to places of exactly their type": """
void f(float a, uniform float u, int i) {
    float &r = u; // error: match
    uniform float &s = a; // error: match
    float &t = i; // error: match
    float &v = a + 1; // error: address
    float &w = 3; // error: address
}""",
        "references do not bind to varying places": """
void g(float &r);
void h(uniform float &r);
void f(uniform float a[], float v) {
    h(a[programIndex]); // error: h
    uniform float &r = a[programIndex]; // error: varying
    h(a[0]);
    g(v);
}""",
        "const references take values of exactly their type": """
void g(const float &r);
void f(float v, uniform float u) {
    g(v + 1);
    g(u); // error: g
}""",
        "there are no references to references or arrays of them": """
typedef float &R;
void f(float v) {
    R &r = v; // error: references
    R a[3]; // error: arrays
}""",
        "references to arrays": """
void f() {
    uniform int a[3][2];
    uniform int (&r)[3][2] = a;
    r[1][1] = 5;
    uniform int (&s)[2][2] = a; // error: match
}""",
    }
)

test_enum_rules = rule_test(
    {
        "enums convert to numbers, not back": """
enum E { A, B = 7, C };
enum F { X };
void f() {
    uniform int i = B;
    uniform float x = C;
    uniform E e = 3; // error: enum
    e = X; // error: enum
    e = (uniform E)3;
    e += 1; // error: enum
    ++e;
    bool b = e == X;
}""",
        "values of enumerators are constant": """
void f(uniform int n) {
    enum E { A = n }; // error: constant
}""",
        "an enumerator does not see those before it": "enum E { A = 1, B = A + 1 }; // error: A",
        "unknown enums are reported": "enum Colour { RED }; enum Color c; // error: colour",
        "enums are not printed": """
enum E { A };
void f() { print("%", A); } // error: printed""",
    }
)

test_vector_rules = rule_test(
    {
        "vectors have atomic elements": """
struct S { int a; };
S<3> v; // error: atomic""",
        "a vector has an element": "float<0> v; // error: at least",
        "letters beyond the length": """
void f(float<2> v) {
    v.z = 3; // error: beyond
    v.xz; // error: beyond
    v.q; // error: q
    v.xq; // error: q
    v.y = 3;
    v.yx;
    v.uv;
    v.rg;
}""",
        "swizzles are not assigned": "void f(float<2> v) { v.xy = v; } // error: assignable",
        "lengths have to agree": """
void f(float<2> a, float<3> b) {
    a + b; // error: lengths
    a = b; // error: lengths
    a += b; // error: lengths
    int<2> c = a;
    a = 3;
    a = a * 2;
}""",
        "bool vectors are no conditions": """
void f(float<2> a) {
    if (a < 3) a = 0; // error: vector
    a = a < 3 ? a : 0;
    while (a < 3) a = 0; // error: vector
}""",
        "vectors are not allocated": "void f() { float<2> * p = new float<2>; } // error: vector",
        "constant indices are checked": """
void f(float<3> v, float w[4]) {
    float a[4];
    v[3]; // warning: outside
    a[4] = 1; // warning: outside
    a[-1] = 1; // warning: outside
    v[2];
    w[7];
}""",
    }
)

test_array_rules = rule_test(
    {
        "sizes are constant integers": """
const uniform int N = 4;
enum E { COUNT = 3 };
uniform int a[N], b[COUNT], c[N * 2 + COUNT];
void f(uniform int n) {
    const uniform int local = 3;
    int d[n]; // error: constant
    int e[local]; // error: constant
    int g[2.5]; // error: integer
    int h[-1]; // error: negative
    int k[N];
}""",
        "arrays need a size": """
int a[]; // error: global array
extern int b[]; // error: global array
int c[] = { 1, 2, 3 };
void f() {
    int d[]; // error: local array
    int e[0]; // error: local array
    int g[][2] = { { 1, 2 }, { 3, 4 } };
}""",
        "inner dimensions of parameters have a size": """
void f(int a[][3]);
void g(int a[3][]); // error: dimension""",
        "arrays are not assigned": """
void f() {
    int a[3], b[3];
    a = b; // error: array
    int c[3] = a; // error: braces
}""",
        "arrays decay to pointers to their element": """
void g(uniform int * uniform p);
void h(uniform int p[][4]);
void f() {
    uniform int a[4], b[3][4];
    g(a);
    g(b); // error: g
    h(b);
    h(a); // error: h
    uniform int8 bytes[4];
    uniform int * uniform p = (uniform int * uniform)bytes; // error: array
    p = (uniform int * uniform)&bytes[0];
}""",
        "only arrays, pointers and vectors are indexed": "void f(int x) { x[0]; } // error: indexed",
    }
)

test_struct_rules = rule_test(
    {
        "members have to exist": """
struct S { int alpha; };
void f(S s, uniform S * uniform p, int i) {
    s.alpah; // error: alpha
    p.alpha; // error: ->
    s->alpha; // error: '.'
    i.x; // error: members
    p->alpha;
}""",
        "member names are different": "struct S { int a; float a; }; // error: a",
        "structs of other names are unrelated": """
struct S { int a; };
struct T { int a; };
void f(S s, T t) {
    s = t; // error: struct
    s = (S)t; // error: struct
}""",
        "varying structs do not become uniform": """
struct S { int a; };
void f(uniform S u, S v) {
    v = u;
    u = v; // error: uniform
}""",
        "structs have no operators": """
struct S { int a; };
void f(S s) {
    s + s; // error: operator
    s == s; // error: operator
    -s; // error: struct
    !s; // error: struct
    s += s; // error: operator
}""",
        "incomplete structs are only pointed to": """
struct S;
struct T { S s; }; // error: incomplete
S x; // error: incomplete
void f(S s); // error: incomplete
void g(S * uniform s);
void h(uniform S &s);""",
        "struct sizes need a definition": "struct S; uniform int n = sizeof(S); // error: size",
        "members are no functions, voids or unsized arrays": """
struct A { void a; }; // error: void
struct B { int a[]; }; // error: no other member
struct C { int f(int); }; // error: function""",
        "only the last member may be an array without a size, in its first dimension": """
struct A { int n; float v[]; };
struct B { int n; float v[0]; };
struct C { int n, v[][2]; };
struct D { int n; float v[]; int m; }; // error: last member
struct E { int n; float v[0], w; }; // error: last member
struct F { int n; float v[2][]; }; // error: first dimension
struct G { A a; B b[2]; varying int v[0]; };
uniform A array[0]; // error: size
void f(uniform A * uniform a, uniform B b) {
    a->v[100] = b.v[3];
    b.n = sizeof(b.v);
    int local[0]; // error: size
    uniform A c = { 1, { 2 } }; // error: too many
    uniform A d = { 1 };
    uniform int n = sizeof(int[0]); // error: size
}""",
        "a sign before a typedef": """
typedef int I;
typedef uniform int64 U;
typedef const uint8 C;
typedef float F;
typedef int<3> V;
enum E { A };
void f(unsigned I a, unsigned U b) {
    uniform uint64 same = b;
    unsigned C c = 200;
    c = 3; // error: const
    signed C d; // error: contradict
    unsigned F e; // error: integer types
    unsigned V g; // error: integer types
    unsigned E h; // error: integer types
    uniform uint32 n = sizeof(unsigned I);
}""",
        "a struct with uniform members is read and written at varying places": """
struct S { uniform int u; float f; };
struct T { float g; S s; };
void f(uniform S * uniform p, uniform T * varying q, uniform T u, int i) {
    S s = p[i]; // warning: lowest active lane
    T t = *q; // warning: 's.u'
    p[i] = s; // warning: one value stays
    *q = u; // warning: one value stays
    *p = p[2];
}""",
        "a struct is defined once": """
struct S { int a; };
struct S { int b; }; // error: twice""",
        "members see the struct they are in": """
struct Node { Node * next; struct Node * other; int v; };
void f(uniform Node * uniform n) { n->next->next->v = 3; }""",
        "members of a struct that was declared before it was defined are reached through a variable": """
struct Node;
struct List { Node * uniform first; uniform Node * uniform few[2]; };
struct Node { int v; Node * uniform next; };
void f(uniform Node * uniform n, uniform List * uniform list, uniform List l) {
    n->next->v = 3; // error: variable
    n = n->next->next; // error: variable
    list->first->v = 3; // error: variable
    l.few[1]->v = 3; // error: variable
    l.first[2].v = 3; // error: variable
    (*l.first).v = 3; // error: variable
    uniform Node * uniform second = n->next;
    second->v = list->first == NULL;
    *list->first = *second;
    (n + 1)->v = 4;
}""",
    }
)

test_soa_rules = rule_test(
    {
        "soa is for structs of unbound members": """
struct A { float a; };
struct U { uniform float a; };
struct R { float &a; };
soa<8> A ok[3];
soa<8> int i; // error: structs
soa<8> U u; // error: uniform
soa<8> R r; // error: reference
soa<6> A six; // error: power of two
uniform soa<8> A both; // error: exclude
soa<4> A narrow[2]; // performance: narrower""",
        "operators are not for soa objects": """
struct V { float x; };
uniform V operator+(uniform V a, uniform V b) { return a; }
void f(uniform V v) {
    soa<8> V x[3];
    x[1] + v; // error: soa<8>
    uniform V y = x[1];
    y + v;
}""",
        "slice pointers keep their slot": """
struct A { float a; };
void f() {
    soa<8> A x[3];
    soa<8> A * uniform p = &x[1];
    uniform A * uniform q = p; // error: slice
    void * uniform v = p; // error: slot
    void * uniform w = (void * uniform)p; // error: slot
    uniform A u = x[1];
    A y = x[programIndex];
    *p = u;
    p[2].a = u.a;
}""",
    }
)
