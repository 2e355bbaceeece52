"""Rules of sections 10, 11 and 12 of the language that say a program is wrong, each with a wrong program."""

from .marked import row_test

S = "struct S { int a; };\n"

test_qualifiers = row_test(
    [
        ("10.1 inline and noinline", "error: 'inline' ... 'f'", "inline noinline void «f»() { }"),
        ("10.1 unmasked export", "warning: 'f'", "unmasked export void «f»() { }"),
        ("10.1 task with a result", "error: result", "task int «f»() { return 1; }"),
        ("10.1 invoke_sycl", 'error: extern "SYCL"', "uniform int g(uniform int x);\nvoid f() { «invoke_sycl(g, 3)»; }"),
        ("10.1 vectorcall without extern", "error: 'f'", "__vectorcall void «f»() { }"),
        ("10.1 vectorcall on this system", "error: system", '__vectorcall extern "C" void «f»();'),
        ("10.1 task and export", "error: 'task' ... 'export'", "task export void «f»() { }"),
        ("10.1 C and export", "error: 'export'", 'extern "C" export void «f»();'),
        ("10.1 C and task", "error: 'task'", 'extern "C" task void «f»();'),
        ("10.1 exported function called", "warning: external_only", "export void g() { }\nvoid f() { «g()»; }"),
        (
            "10.1 no version to call",
            "error: 'g'",
            "__attribute__((external_only)) export void g() { }\nvoid f() { «g()»; }",
        ),
    ]
)

test_no_internal_versions = row_test(
    [("10.1 no version to call", "error: 'g'", "export void g() { }\nvoid f() { «g()»; }")],
    internal_export_functions=False,
)

test_defaults = row_test(
    [
        ("10.2 not constant", "error: 'a'", "int n();\nvoid f(int a = «n()»);"),
        ("10.2 lacks a default", "error: 'b'", "void f(int a = 1, «int b»);"),
    ]
)

test_operators = row_test(
    [
        (
            "10.4 no such operator",
            "error: '-' ... struct V",
            "struct V { float x; };\nV operator+(V a, V b) { return a; }\nvoid f(V a) { «a - a»; }",
        )
    ]
)

test_templates = row_test(
    [
        ("10.5 default of a parameter", "error: default", "template <typename T «=» int> void f(T a) { }"),
        ("10.5 parameter of another type", "error: float", "template <«float F»> void f(int a) { }"),
        ("10.5 a varying parameter", "error: 'N' ... lanes", "template <«varying» int N> void f(int a) { }"),
        ("10.5 storage of a parameter", "error: 'N' ... 'static'", "template <«static» int N> void f(int a) { }"),
        ("10.5 an enum of its own", "error: enum ... 'N' ... in front", "template <«enum E { A, B }» N> void f(int a) { }"),
        ("10.5 a word of functions", "error: 'N' ... 'task'", "template <«task» int N> void f(int a) { }"),
        ("10.4 operator without struct", "warning: 'operator+' ... struct", "int «operator+»(int a, int b) { return a; }"),
        ("10.4 operands of an operator", "warning: 1 parameter, 2", S + "S «operator!»(S a, S b) { return a; }"),
        ("10.4 stepped by value", "warning: 'operator++' ... reference", S + "S «operator++»(S a) { return a; }"),
        ("10.4 assigned by value", "warning: 'operator+=' ... reference", S + "void «operator+=»(S a, S b) { }"),
        ("10.4 other postfix operand", "warning: int", S + "S «operator--»(S &a, float b) { return a; }"),
        ("10.5 two of one name", "error: 'N' ... one name", "template <int N, «int N»> void f() { }"),
        (
            "10.5 argument is a variable",
            "error: variable",
            "template <int N> void g() { }\nvoid f(uniform int n) { g<«n»>(); }",
        ),
        (
            "10.5 computed of a variable",
            "error: constant",
            "template <int N> void g() { }\nvoid f(uniform int n) { g<«n + 1»>(); }",
        ),
        ("10.5 a float", "error: integer ... float", "template <int N> void g() { }\nvoid f() { g<«1.5f * 2»>(); }"),
        (
            "10.5 a value that the type does not hold",
            "error: 'g' ... unsigned int8 ... 256",
            "template <uint8 N> void g() { }\nvoid f() { «g<255 + 1>()»; }",
        ),
        (
            "10.5 endless values",
            "error: 'g' ... instances",
            "«template <int N> void g() { g<N + 1>(); }»\nvoid f() { g<1>(); }",
        ),
        (
            "10.5 deduction fails",
            "error: 'g' ... argument 2 ... T is 'varying int32'",
            "template <typename T> void g(T a, T b) { }\nvoid f(int i, float x) { «g(i, x)»; }",
        ),
        (
            "10.5 not deducible",
            "error: 'T'",
            "template <typename T> T g() { T a = 0; return a; }\nvoid f() { «g()»; }",
        ),
        (
            "10.5 number of arguments",
            "error: 'g'",
            "template <typename T> void g(T a) { }\nvoid f(int i) { «g<int, int>(i)»; }",
        ),
        (
            "10.5 defined before the call",
            "error: defined",
            "template <typename T> void g(T a);\nvoid f(int i) { «g(i)»; }\ntemplate <typename T> void g(T a) { }",
        ),
        (
            "10.5 no template to instantiate",
            "error: instantiate",
            "int g(int a) { return a; }\ntemplate <typename T> void h(T a) { }\ntemplate int «h<int>»(float);",
        ),
        (
            "10.5 no template to specialise",
            "error: specialise",
            "template <typename T> void h(T a) { }\ntemplate <> void «h<int>»(float a) { }",
        ),
        (
            "10.5 arguments spelled out",
            "error: spelled out",
            "template <typename T> void h(T a) { }\ntemplate <> void «h»(float a) { }",
        ),
        (
            "10.5 exists already",
            "error: exists",
            "template <typename T> void h(T a) { }\ntemplate <> void h<int>(int a) { }\ntemplate <> void «h<int>»(int a) { }",
        ),
        ("10.5 no definition", "error: definition", "template <typename T> void h(T a) { }\ntemplate <> void «h<int>»(int a);"),
        ("10.5 task", "error: 'task'", "template <typename T> «task» void h(T a) { }"),
        ("10.5 export", "error: 'export'", "template <typename T> «export» void h(T a) { }"),
        ("10.5 linkage", "error: extern", 'template <typename T> «extern "C"» void h(T a) { }'),
        (
            "10.5 storage class differs",
            "error: storage class",
            "template <typename T> void h(T a) { }\ntemplate <> static void «h<int>»(int a) { }",
        ),
        (
            "10.5 unmasked differs",
            "error: unmasked",
            "template <typename T> void h(T a) { }\ntemplate <> unmasked void «h<int>»(int a) { }",
        ),
        ("10.5 unknown name", "error: 'nothing'", "template <typename T> T h(T a) { return «nothing»; }"),
    ]
)

test_tasks = row_test(
    [
        ("11 not a task", "error: 'g'", "void g() { }\nvoid f() { «launch g()»; }"),
        ("11 call of a task", "error: launch", "task void t() { }\nvoid f() { «t()»; }"),
        ("11 not a function", "error: launch", "void f(uniform int n) { «launch n(1)»; }"),
        ("11 task variables", "error: tasks", "void f() { uniform int i = «taskIndex»; }"),
    ]
)

test_exports = row_test(
    [
        ("12.2 varying parameter", "error: varying ... 'x'", "export void f(«int x») { }"),
        ("12.2 varying pointer", "error: varying pointer", "export void f(«uniform int * varying x») { }"),
        (
            "12.2 pointer to varying",
            "warning: varying ... 'x'".replace("varying ... 'x'", "'x'"),
            "export void f(«varying int * uniform x») { }",
        ),
        ("12.2 struct by value", "error: reference", S + "export void f(«uniform S x») { }"),
        ("12.2 vector", "error: vector", "export void f(«uniform float<3> x») { }"),
        ("12.2 soa", "error: soa", S + "export void f(«soa<8> S * uniform x») { }"),
        ("12.2 varying result", "error: varying", "export int «f»() { return 1; }"),
        ("12.3 exported type", "error: int32", "typedef int T;\nexport { «T» };"),
    ]
)

test_exported_once = row_test(
    [
        (
            "12.2 the bound that comes of it is the same mistake",
            "error: varying parameter",
            "export void f(uniform int a[], «int n») { foreach (i = 0 ... n) a[i] = n; }",
        ),
        (
            "12.2 a pointer, and how to write it",
            "error: write '* uniform a' or 'a[]'",
            "export void f(«uniform float * a») { uniform float x = a[0]; a[1] = x; }",
        ),
    ]
)

test_defined_later = row_test(
    [
        (
            "6.3 declared before use",
            "error: 'g' is not declared yet",
            "int f(int a) { return «g»(a); }\nint g(int a) { return a; }",
        ),
        (
            "7.1 variable declared before use",
            "error: 'a' is not declared yet: move its declaration in front",
            "void f() { «a» = 1; }\nuniform int a;",
        ),
        ("6.3 not at all", "error: 'g' is not declared", "int f(int a) { return «g»(a); }\nint h(int a) { return a; }"),
    ]
)

test_names_of_other_languages = row_test(
    [
        ("nullptr", "error: 'nullptr' ... 'NULL'", "void f() { int * uniform p = «nullptr»; }"),
        ("malloc", "error: 'malloc' ... 'new'", "void f() { int * uniform p = «malloc»(4); }"),
        ("M_PI", "error: 'M_PI' ... 'PI'", "float f() { return «M_PI»; }"),
        ("this", "error: 'this' ... parameter", "float f() { return «this»->x; }"),
    ]
)

test_numbers_of_arguments = row_test(
    [
        ("6.3 of no overload", "error: 'min' ... takes 2 arguments, 3 given", "int f(int a) { return «min(a, 2, 3)»; }"),
        ("6.3 of a library function", "error: 'pow' ... takes 2 arguments, 1 given", "float f(float a) { return «pow(a)»; }"),
        ("6.3 many candidates", "error: (8 of 11 are listed)", "float f(uniform float a[]) { return «reduce_add(a)»; }"),
    ]
)
