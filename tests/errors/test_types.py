"""Rules of sections 2, 3.2 and 5 of the language that say a program is wrong, each with a wrong program."""

from .marked import row_test

S = "struct S { int a; };\n"

test_lexical_rules = row_test(
    [
        ("2.3 old spelling", "warning: 'break'", "void f() { while (true) { «cbreak»; } }"),
        ("2.3 old spelling of continue", "warning: 'continue'", "void f(uniform int n) { while (n > 0) { «ccontinue»; } }"),
        ("2.3 old spelling of return", "warning: 'return'", "void f() { «creturn»; }"),
        ("2.4 digit that is not octal", "error: octal", "int a = «089»;"),
        ("2.5 float literal lacks a decimal point", "warning: point", "float a = «5f»;"),
        ("2.5 double literal lacks a decimal point", "error: point", "double a = «5d»;"),
        ("2.5 half literal lacks a decimal point", "error: point", "float16 a = «5f16»;"),
        ("2.6 single quote", "error: single quote ... 'c', 99", "int a = «'c'»;"),
        ("2.6 unknown escape", "error: \\q", 'void f() { print(«"\\q"»); }'),
        ("2.7 invalid character", "error: 0x60", "int a = 1; «`»"),
        ("2.1 comment not closed", "error: not closed", "int a;\n«/*» no end"),
    ]
)

test_pragmas = row_test(
    [
        ("3.2 no loop follows", "error: no loop", "void f() {\n«#pragma unroll 4»\nint a = 1; }"),
        ("3.2 count has to be positive", "error: positive", "void f() {\n«#pragma unroll 0»\nwhile (true) { } }"),
        ("3.2 parenthesis missing", "error: parenthesis", "void f() {\n«#pragma unroll (4»\nwhile (true) { } }"),
        (
            "3.2 more than one unroll pragma",
            "error: more than one",
            "void f() {\n«#pragma unroll 4»\n#pragma unroll 2\nwhile (true) { } }",
        ),
        ("3.2 unknown argument of ignore", "error: 'some'", "«#pragma ignore warning(some)»\nint a;"),
        ("3.2 pragma not known", "warning: no effect", "«#pragma omp parallel»\nint a;"),
    ]
)

test_signs_and_rates = row_test(
    [
        ("5.2 unsigned without type", "warning: int32", "void f() { «unsigned» x = 3; }"),
        ("5.2 sign of a float", "error: float", "«signed float» x;"),
        ("5.2 signed and unsigned", "error: contradict", "signed «unsigned» int x;"),
        ("5.3 already varying", "error: varying int32", "typedef varying int V;\n«uniform» V x = 3;"),
        ("5.3 uniform and varying", "error: uniform", "uniform «varying» int x;"),
        ("5.3 void has no rate", "error: void", "«uniform» void f();"),
        ("5.3 a reference has no rate", "error: reference", "typedef int &R;\nvoid f(«uniform» R x);"),
    ]
)

test_const = row_test(
    [
        ("5.4 target is const", "error: const uniform int32", "void f(const uniform int p) { «p» = 1; }"),
        ("5.4 const lacks its value", "error: 'x'", "void f() { const int «x»; }"),
        ("5.4 const member", "error: 'a'", "struct S { const int a; };\nvoid f(S s, S t) { «s» = t; }"),
    ]
)

test_pointers = row_test(
    [
        ("5.5 arithmetic on void pointers", "error: void", "void f(void * uniform p) { «p + 1»; }"),
        ("5.5 arithmetic needs the definition", "error: struct S", "struct S;\nvoid f(S * uniform p) { «p + 1»; }"),
        (
            "5.5 two pointers cannot be added",
            "error: uniform int32 * uniform",
            "void f(int * uniform p) { «p + p»; }",
        ),
        ("5.5 other operators", "error: '*'", "void f(int * uniform p) { «p * 2»; }"),
        ("5.5 void pointer dereferenced", "error: void", "void f(void * uniform p) { «*p»; }"),
        ("5.5 only pointers", "error: varying int32", "void f(int p) { «*p»; }"),
        (
            "5.5 one uniform member for all lanes",
            "warning: 'a' ... struct S",
            "struct S { uniform int a; };\nvoid f(uniform S * varying p) { S s = «*p»; }",
        ),
        ("5.5 no address", "error: address", "void f(int x) { int * p = «&(x + 1)»; }"),
    ]
)

test_references = row_test(
    [
        ("5.6 not initialised", "error: 'r'", "void f() { float &«r»; }"),
        (
            "5.6 types do not match",
            "error: uniform float ... varying float ... 'r'",
            "void f(uniform float u) { float &r = «u»; }",
        ),
        ("5.6 varying location", "error: varying", "void f(uniform float a[]) { uniform float &r = «a[programIndex]»; }"),
        (
            "5.6 varying location as argument",
            "error: argument 1 ... varying location",
            "void g(uniform float &r);\nvoid f(uniform float * varying a) { «g(*a)»; }",
        ),
        ("5.6 no address", "error: address", "void f(float a) { float &r = «a + 1»; }"),
        ("5.6 reference to a reference", "error: references", "typedef float &R;\nvoid f(float v) { R «&r» = v; }"),
        ("5.6 array of references", "error: arrays", "typedef float &R;\nvoid f() { R «a[3]»; }"),
    ]
)

test_enums = row_test(
    [
        ("5.7 value not constant", "error: constant", "void f(uniform int n) { enum E { A = «n» }; }"),
        ("5.7 integer to enum", "error: assignment ... int32 ... enum E", "enum E { A };\nvoid f(uniform E e) { e = «3»; }"),
        (
            "5.7 two unrelated enums",
            "error: initializer ... enum E ... enum F",
            "enum E { A };\nenum F { B };\nuniform E e = «B»;",
        ),
        ("5.7 no such enum", "error: 'Colr' ... 'Color'", "enum Color { RED };\n«enum Colr» c;"),
        ("5.7 step of an enum by an integer", "error: enum", "enum E { A };\nvoid f(uniform E e) { e += «1»; }"),
    ]
)

test_vectors = row_test(
    [
        ("5.8 atomic element", "error: atomic", S + "«S<3>» v;"),
        ("5.8 no elements", "error: at least one", "«float<0>» v;"),
        ("5.8 index outside", "warning: 3 ... 3", "void f(float<3> v) { «v[3]» = 1; }"),
        ("5.8 swizzle assigned", "error: assignable", "void f(float<3> v) { «v.xy» = 1; }"),
        ("5.8 no such element", "error: 'q'", "void f(float<3> v) { «v.q» = 1; }"),
        ("5.8 element beyond the length", "error: float<2>", "void f(float<2> v) { «v.z» = 1; }"),
        ("5.8 swizzle beyond the length", "error: 'z'", "void f(float<2> v) { «v.xz»; }"),
        (
            "5.8 lengths differ",
            "error: initializer ... float<3> ... float<2>",
            "void f(float<3> v) { float<2> w = «v»; }",
        ),
        ("5.8 bool vector tested", "error: bool<3> ... if", "void f(float<3> v) { if («v < 1») v = 1; }"),
        ("5.8 vector type not allowed", "error: float<3>", "void f() { float<3> * p = new «float<3>»; }"),
        (
            "5.8 vector as template argument",
            "error: float<3>",
            "template <typename T> void g() { }\nvoid f() { g<«float<3>» >(); }",
        ),
    ]
)

test_arrays = row_test(
    [
        ("5.9 size not constant", "error: constant", "void f(uniform int n) { int a[«n»]; }"),
        ("5.9 size no integer", "error: integer", "int a[«2.5»];"),
        ("5.9 size negative", "error: negative", "int a[«-2»];"),
        ("5.9 local without size", "error: local array", "void f() { int «a»[]; }"),
        ("5.9 global without size", "error: global array", "int «a»[];"),
        ("5.9 local too large", "error: stack ... bytes", "void f(int i) { uniform int «a»[40000][40000]; a[i][0] = 1; }"),
        ("5.9 global too large", "error: memory ... bytes", "struct S { int a[0x7fffffff]; };\nS «a»[1024][1024];"),
        ("5.9 inner dimension", "error: dimension ... 'a[][4]'", "void f(int «a[3]»[]);"),
        ("5.9 arrays assigned", "error: varying int32[3]", "void f() { int a[3], b[3]; «a» = b; }"),
        (
            "5.9 array to unrelated pointer",
            "error: int8",
            "void f() { uniform int8 b[4]; uniform int * uniform p = «(uniform int * uniform)b»; }",
        ),
    ]
)

test_structs = row_test(
    [
        (
            "5.10 different structs",
            "error: assignment ... struct S ... struct T",
            S + "struct T { int a; };\nvoid f(S s, T t) { s = «t»; }",
        ),
        ("5.10 no operator", "error: '+'", S + "void f(S s) { «s + s»; }"),
        ("5.10 no such member", "error: 'b' ... struct S", S + "void f(S s) { «s.b» = 1; }"),
        ("5.10 member of a pointer", "error: '->'", S + "void f(S * uniform p) { «p.a» = 1; }"),
        ("5.10 not a pointer", "error: '.'", S + "void f(S s) { «s->a» = 1; }"),
        ("5.10 no such member", "error: no member 'q'; it has a, b", "struct P { int a, b; };\nvoid f(P s) { «s.q» = 1; }"),
        ("5.10 no members", "error: varying int32", "void f(int s) { «s.a» = 1; }"),
        ("5.10 member twice", "error: 'a'", "struct S { int a; float «a»; };"),
        ("5.10 parameter of incomplete type", "error: 'p' ... struct S", "struct S;\nvoid f(«S p»);"),
        ("5.10 variable of incomplete type", "error: 'v' ... struct S", "struct S;\nS «v»;"),
        ("5.10 member of incomplete type", "error: struct T contains ... Member 's'", "struct S;\nstruct T { S «s»; };"),
        ("5.10 declared but not defined", "error: struct S", "struct S;\nvoid f(S * uniform p) { «p->a» = 1; }"),
    ]
)

test_soa = row_test(
    [
        ("5.11 only structs", "error: int32", "«soa<8> int» i;"),
        ("5.11 bad width", "error: 6", S + "«soa<6> S» s;"),
        ("5.11 fixed rate", "error: 'a' ... uniform", "struct U { uniform int a; };\n«soa<8> U» u;"),
        ("5.11 with a rate", "error: uniform", S + "«uniform soa<8> S» s;"),
        (
            "5.11 slice to plain pointer",
            "error: soa<8> struct S * ... initializer ... soa<8>",
            S + "void f() { soa<8> S x[2]; uniform S * uniform q = «&x[1]»; }",
        ),
        (
            "5.11 slice to void pointer",
            "error: slot",
            S + "void f() { soa<8> S x[2]; void * uniform q = «(void * uniform)&x[1]»; }",
        ),
        (
            "5.11 operator on soa",
            "error: soa<8>",
            S + "uniform S operator+(uniform S a, uniform S b) { return a; }\n"
            "void f(uniform S s) { soa<8> S x[2]; «x[1] + s»; }",
        ),
        ("16.1 too few values for a scalar of soa data", "error: too few ... 4 ... 3", S + "soa<4> S s = { «{ 1, 2, 3 }» };"),
        ("16.1 too many values for a scalar of soa data", "error: too many ... 2, 3", S + "soa<2> S s = { «{ 1, 2, 3 }» };"),
        ("16.1 too few members of soa data", "error: too few ... 2, 1", "struct D { int a, b; }; soa<2> D d = «{ { 1, 2 } }»;"),
        ("16.1 too few blocks", "error: too few ... 2, 1", S + "void f() { soa<4> S s[2] = «{ { { 1, 2, 3, 4 } } }»; }"),
        ("16.1 too many blocks", "error: too many ... 1, 2", S + "soa<2> S s[1] = «{ { { 1, 2 } }, { { 3, 4 } } }»;"),
        ("16.1 one value for a block", "error: list of values in braces", S + "soa<2> S s[1] = { { «3» } };"),
        ("5.11 index beyond the blocks", "warning: 16 elements", S + "void f() { soa<8> S x[2]; uniform S u = «x[16]»; }"),
        ("5.11 narrow soa", "performance: 4", S + "«soa<4> S» s[2];"),
    ]
)

test_function_pointers = row_test(
    [
        (
            "5.12 no overload has the type",
            "error: 'g'",
            "typedef void (*F)(float);\nvoid g(int a);\nvoid g(int8 a);\nvoid f() { uniform F p = «g»; }",
        ),
        (
            "5.12 function does not have the type",
            "error: void(varying int32",
            "typedef void (*F)(float);\nvoid g(int a);\nvoid f() { uniform F p = «g»; }",
        ),
        (
            "5.12 tasks",
            "error: 'task void()' ... 'void()'",
            "typedef void (*F)();\ntask void g();\nvoid f() { uniform F p = «g»; }",
        ),
        (
            "5.12 functions of C",
            'error: extern "C"',
            'typedef void (*F)();\nextern "C" void g();\nvoid f() { uniform F p = «g»; }',
        ),
        (
            "5.12 uniform result of a varying pointer",
            "error: uniform result",
            "typedef uniform int (*F)(int);\nvoid f(F p) { «p(1)»; }",
        ),
    ]
)
