"""Rules of sections 6 and 8 of the language that say a program is wrong, each with a wrong program."""

from dataclasses import replace

from voltac.target_info import find_target

from .marked import OPTIONS, assert_row, row_test

S = "struct S { int a; };\n"

test_operands = row_test(
    [
        ("6.1 bool has no arithmetic", "error: bool", "void f(bool b, int i) { «b» + i; }"),
        ("6.1 negated bool", "error: negated ... bool", "void f(bool b) { «-b»; }"),
        ("6.1 remainder of floats", "error: '%'", "void f(float x, int i) { «x» % i; }"),
        ("6.1 first operand of bits", "error: first", "void f(float x, int i) { «x» & i; }"),
        ("6.1 second operand of bits", "error: second", "void f(float x, int i) { i | «x»; }"),
        ("6.1 second operand of a shift", "error: second", "void f(float x, int i) { i << «x»; }"),
        ("6.1 cannot be compared", "error: 'varying struct S'", S + "void f(S s, int i) { «s < i»; }"),
        (
            "6.1 pointers compared with numbers",
            "error: compare",
            "void f(uniform int * uniform p, int i) { «p < i»; }",
        ),
        ("6.1 a power", "error: pointers ... 'varying int32' ... write 'pow(x, y)'", "void f(float x, int i) { x = x *«*i»; }"),
        ("6.1 a power of a literal", "error: 'uniform int32' ... 'pow(x, y)'", "void f(float x) { x = x * «*2»; }"),
        ("6.1 a star too many", "error: only pointers ... leave out the '*'", "void f(float x, int i) { x = x + «*i»; }"),
        ("6.1 '^' as a power", "error: '^' ... 'pow(x, y)'", "void f(float x) { x = «x»^2; }"),
        ("6.1 complement", "error: '~' ... varying float", "void f(float x) { «~x»; }"),
        ("6.1 negated", "error: negated ... struct S", S + "void f(S s) { «-s»; }"),
        ("6.1 counted", "error: counted ... struct S", S + "void f(S s) { «s++»; }"),
        ("6.1 step of a value", "error: assignable ... '++'", "void f(int a) { «(a + 1)++»; }"),
        ("6.1 step of a constant", "error: const ... varying int32", "void f() { «programIndex++»; }"),
        ("6.1 step of a void pointer", "error: void", "void f(void * uniform p) { «p++»; }"),
        ("6.1 division by zero", "warning: division ... zero", "void f(int a) { a = «a / 0»; }"),
        ("6.1 remainder by zero", "warning: remainder ... zero", "void f(int a) { a = «a % 0»; }"),
    ]
)

test_conversions = row_test(
    [
        (
            "6.2 allocation in each lane",
            "error: 'uniform new'",
            "void f(uniform int n) { uniform int * uniform p = «new int[n]»; }",
        ),
        (
            "6.2 rows of an array",
            "error: unrelated ... '[0]'",
            "void g(uniform float x[4]);\nvoid f() { uniform float y[2][4]; «g(y)»; }",
        ),
        ("6.3 no such function of C", "error: 'log10' is not declared; write", "void f(float x) { x = «log10»(x); }"),
        (
            "6.2 float to pointer",
            "error: a number is no pointer ... '&'",
            "void f(uniform float x) { uniform float * uniform p = «x»; }",
        ),
        (
            "6.2 assignment",
            "error: assignment ... varying int32 ... uniform int32",
            "void f(uniform int u, int v) { u = «v»; }",
        ),
        ("6.2 compound assignment", "error: '+='", "void f(uniform int u, int v) { u += «v»; }"),
        ("6.2 initializer", "error: initializer of 'u'", "void f(int v) { uniform int u = «v»; }"),
        ("6.2 returned value", "error: return", "uniform int f(int v) { return «v»; }"),
        ("6.2 condition", "error: condition of while", S + "void f(S s) { while («s») { } }"),
        ("6.2 first bound", "error: first bound of 'i' in foreach", "void f(int v) { foreach (i = «v» ... 9) { } }"),
        ("6.2 last bound", "error: last bound of 'i' in foreach", "void f(int v) { foreach (i = 0 ... «v») { } }"),
        (
            "6.2 number of tasks",
            "error: number of tasks",
            "task void t() { }\nvoid f(int v) { launch[«v»] t(); }",
        ),
        (
            "6.2 argument",
            "error: argument 1 ... make the parameter varying",
            "void g(uniform int u);\nvoid f(int v) { «g(v)»; }",
        ),
        ("6.2 switch", "error: switch", S + "void f(S s) { switch («s») { case 1: ; } }"),
        ("6.2 integer to pointer", "error: cast", "void f(uniform int n) { uniform int * uniform p = «n»; }"),
        (
            "6.2 pointer to integer",
            "error: cast",
            "void f(uniform int * uniform p) { uniform int64 n = «p»; }",
        ),
        (
            "6.2 integer too small",
            "warning: uniform int32 ... small",
            "void f(uniform int * uniform p) { uniform int n = «(uniform int)p»; }",
        ),
        (
            "6.2 const pointee to void pointer",
            "error: const uniform int32 * uniform",
            "void f(const uniform int * uniform p) { void * uniform v = «p»; }",
        ),
        (
            "6.2 void pointer to another",
            "error: cast",
            "void f(void * uniform v) { uniform int * uniform p = «v»; }",
        ),
        (
            "6.2 pointers to data of another rate",
            "error: points to varying data ... write 'varying float *'",
            "void f(float a[]) { float * uniform p = «a»; }",
        ),
        (
            "6.2 unrelated pointers",
            "error: initializer ... uniform int32 * uniform ... uniform float * uniform",
            "void f(uniform int * uniform p) { uniform float * uniform q = «p»; }",
        ),
        (
            "6.2 const is lost",
            "warning: initializer ... const uniform int32",
            "void f(const uniform int * uniform p) { uniform int * uniform q = «p»; }",
        ),
        ("6.2 void", "error: void", "void g();\nvoid f(int x) { x = «g()»; }"),
        ("6.2 slow conversion", "performance: int32", "void f(unsigned int u, float x) { x = «u»; }"),
    ]
)

test_overloads = row_test(
    [
        (
            "6.3 several overloads",
            "error: 'f' ... equally ... candidate",
            "void f(int a, float b);\nvoid f(float a, int b);\nvoid g(int v) { «f(v, v)»; }",
        ),
        ("6.3 choice not clear", "warning: not clear", "void f(int16 x) { «min(x, 3)»; }"),
        (
            "6.3 no overload",
            "error: 'f' ... Passed types ... argument 1",
            S + "void f(int a);\nvoid f(float a);\nvoid g(S s) { «f(s)»; }",
        ),
        ("6.3 not overloaded", "error: 'f' ... Passed types", "void f(int a);\nvoid g() { «f()»; }"),
        ("6.3 not declared", "error: 'later'", "void f() { «later»(); }"),
        ("6.3 three equal candidates", "error: 'floor'", "void f() { «floor(3)»; }"),
        (
            "6.3 other result",
            "error: 'f' ... varying int32 ... varying float ... line 1",
            "int f(int x);\nfloat «f»(int x);",
        ),
        ("6.3 defined twice", "error: 'f' ... twice", "void f(int x) { }\nvoid «f»(int x) { }"),
        (
            "16.1 two C functions",
            "error: 'f'",
            'extern "C" void f(uniform int x);\nextern "C" void «f»(uniform float x);',
        ),
        ("6.3 exported function overloaded", "error: 'f'", "export void f(uniform int x) { }\nvoid «f»(uniform float x);"),
    ]
)

test_assignments = row_test(
    [
        ("8.2 selection assigned", "error: assignable", "void f(int a, int b, bool c) { («c ? a : b») = 1; }"),
        ("8.3 left side", "error: assignable", "void f(int a) { («a + 1») = 2; }"),
        ("8.3 enumerators", "error: const ... enum E", "enum E { A }; void f() { «A» = 2; }"),
        ("8.3 functions", "error: function 'f'", "void f() { «f» = 2; }"),
        ("8.3 sum of pointers", "error: pointer ... added", "void f(uniform int * uniform p) { «p += p»; }"),
        ("8.3 pointers", "error: '*='", "void f(uniform int * uniform p) { «p *= 2»; }"),
        ("8.3 bits of floats", "error: '|='", "void f(float x) { «x |= 1»; }"),
        ("8.3 structs", "error: '+=' ... struct S", S + "void f(S s) { «s += s»; }"),
        ("8.6 cannot be indexed", "error: varying int32", "void f(int x) { «x[0]» = 1; }"),
        ("8.6 what is indexed comes first", "error: 'uniform int32' ... indexed", "void f(int * uniform p) { «1[p]» = 1; }"),
    ]
)

test_others = row_test(
    [
        ("8.7 size unknown", "error: struct S", "struct S;\nuniform int n = «sizeof(S)»;"),
        ("8.8 cast stays uniform", "warning: (uniform float)", "void g(float x);\nvoid f(uniform int u) { g(«(float)u»); }"),
        (
            "8.8 cast not possible",
            "error: varying int32 ... uniform int32",
            "void f(int v) { uniform int u = «(uniform int)v»; }",
        ),
        (
            "8.9 varying count",
            "error: uniform",
            "void f(int v) { uniform int * uniform p = uniform new uniform int[«v»]; }",
        ),
        ("8.9 only pointers are deleted", "error: varying int32", "void f(int i) { delete «i»; }"),
        ("8.9 alloca", "error: uniform", "void f(int v) { void * uniform p = «alloca»(v); }"),
        ("8.10 intrinsics", "error: --enable-llvm-intrinsics", "void f(float x) { «@llvm.sqrt.f32(x)»; }"),
        ("13.12 cannot be printed", "error: struct S", S + 'void f(S s) { print("%", «s»); }'),
        ("13.12 enums", "error: enum E", 'enum E { A };\nvoid f() { print("%", «A»); }'),
    ]
)

test_performance = row_test(
    [
        ("15.1 division", "performance: division", "void f(int a, int b) { a = «a / b»; }"),
        ("15.1 remainder", "performance: remainder", "void f(int a, int b) { a = «a % b»; }"),
        ("15.1 right shift", "performance: right shift", "void f(int a, int b) { a = «a >> b»; }"),
        ("15.1 shift", "performance: shift", "void f(int a, uniform int n) { a = «shift(a, n)»; }"),
    ]
)

test_constants = row_test(
    [
        ("15.2 index outside", "warning: 4 ... 4", "void f() { int a[4]; «a[4]» = 1; }"),
        ("15.2 overflow", "warning: uniform int32", "void f(int x) { x = «2147483647 + 1»; }"),
        ("15.2 negative shift", "warning: negative ... int32", "void f(int x) { x = «x << -1»; }"),
        (
            "15.2 uniform member",
            "warning: 'a'",
            "struct S { uniform int a; };\nvoid f(uniform S * varying p) { «p->a» = 1; }",
        ),
    ]
)


def test_sizes_that_depend_on_the_target() -> None:
    row = ("7.2 size in a global initializer", "warning: several targets", "uniform int n = «sizeof(int)»;")
    assert_row(row, replace(OPTIONS, target=find_target("sse4-i32x4")))
