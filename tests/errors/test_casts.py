"""Casts of references and of functions (language 16.1), each rule with a wrong program."""

from .marked import row_test

STRUCTS = """struct V2 { float x, y; };
struct V3 { float x, y, z; };
struct Other { int x; float y; };
struct Swapped { float z; V2 v; };
struct __later;
struct F { const float x; float y; };
struct Aligned { float x; } __attribute__((aligned(64)));
"""

test_references = row_test(
    [
        (
            "16.1 more members",
            "error: V3 has more members than struct V2 ... *(uniform struct V3 * uniform)&",
            f"{STRUCTS}void f(uniform V2 &v) {{ uniform V3 &w = «(uniform V3 &)v»; }}",
        ),
        (
            "16.1 other members",
            "error: struct Other does not begin like struct V3 ... 'x'",
            f"{STRUCTS}void f(uniform V3 &v) {{ uniform Other &w = «(uniform Other &)v»; }}",
        ),
        (
            "16.1 a nested struct is one member",
            "error: struct Swapped does not begin like",
            f"{STRUCTS}void f(uniform V3 &v) {{ uniform Swapped &w = «(uniform Swapped &)v»; }}",
        ),
        (
            "16.1 a first member that is the struct",
            "error: its first member is one ... '.v'",
            f"{STRUCTS}struct Base {{ V2 v; float z; }};\nvoid f(uniform Base &v) {{ uniform V2 &w = «(uniform V2 &)v»; }}",
        ),
        (
            "16.1 const is not lost",
            "error: const would be lost ... (const uniform struct V2 &)",
            f"{STRUCTS}float f(const uniform V3 &v) {{ return («(uniform V2 &)v»).x; }}",
        ),
        (
            "16.1 const of a member is not lost",
            "error: member 'x' is no",
            f"{STRUCTS}float f(uniform F &v) {{ return («(uniform V2 &)v»).x; }}",
        ),
        (
            "16.1 the rate stays",
            "error: it is uniform, not varying",
            f"{STRUCTS}float f(uniform V3 &v) {{ return («(varying V2 &)v»).x; }}",
        ),
        (
            "16.1 nor varying to uniform",
            "error: it is varying, not uniform",
            f"{STRUCTS}float f(V3 &v) {{ return («(uniform V2 &)v»).x; }}",
        ),
        ("16.1 between structs", "error: between structs only", "void f(uniform float &v) { int a = «(uniform int &)v»; }"),
        (
            "16.1 a struct to a number",
            "error: between structs only",
            f"{STRUCTS}void f(uniform V3 &v) {{ int a = «(uniform float &)v»; }}",
        ),
        (
            "16.1 a varying location",
            "error: varying location ... copy it to a variable",
            f"{STRUCTS}float f(uniform V3 v[]) {{ return («(V2 &)v[programIndex]»).x; }}",
        ),
        (
            "16.1 a value",
            "error: needs a place in memory ... copy it to a variable",
            f"{STRUCTS}V3 g();\nfloat f() {{ return («(V2 &)g()»).x; }}",
        ),
        (
            "16.1 a number",
            "error: needs a place in memory",
            "void f() { int a = «(const int &)3»; }",
        ),
        (
            "16.1 a function",
            "error: the function 'g' cannot be cast",
            f"{STRUCTS}void g();\nvoid f() {{ uniform V2 &a = «(uniform V2 &)g»; }}",
        ),
        (
            "16.1 a struct that is not defined",
            "error: struct __later is declared but not defined",
            f"{STRUCTS}void f(uniform V3 &v) {{ uniform __later &a = «(uniform __later &)v»; }}",
        ),
        (
            "16.1 alignment",
            "error: greater alignment",
            f"{STRUCTS}float f(uniform V3 &v) {{ return («(uniform Aligned &)v»).x; }}",
        ),
        (
            "16.1 soa",
            "error: soa",
            f"{STRUCTS}void f(soa<8> V3 &v) {{ soa<8> V2 &w = «(soa<8> V2 &)v»; }}",
        ),
    ]
)

FUNCTIONS = """struct A { int i; };
struct B { int i; };
typedef void (*F)(const A * uniform a, uniform int k);
typedef unmasked void (*U)(const A * uniform a);
"""

test_functions = row_test(
    [
        (
            "16.1 other structs need the address",
            "error: function 'g' has type ... write '&g'",
            f"{FUNCTIONS}void g(B * uniform b, uniform int k);\nvoid f() {{ uniform F p = «(F)g»; }}",
        ),
        (
            "16.1 and a cast",
            "error: function 'g' has type",
            f"{FUNCTIONS}void g(B * uniform b, uniform int k);\nvoid f() {{ uniform F p = «&g»; }}",
        ),
        (
            "16.1 other numbers are no other structs",
            "error: function 'g' has type",
            f"{FUNCTIONS}void g(A * uniform b, uniform float k);\nvoid f() {{ uniform F p = «(F)&g»; }}",
        ),
        (
            "16.1 the mask belongs to the type",
            "error: function 'g' has type",
            f"{FUNCTIONS}void g(const A * uniform b);\nvoid f() {{ uniform U p = «(U)&g»; }}",
        ),
        (
            "16.1 rates of pointers",
            "error: function 'g' has type",
            f"{FUNCTIONS}void g(A * varying b, uniform int k);\nvoid f() {{ uniform F p = «(F)&g»; }}",
        ),
        (
            "16.1 the number of parameters",
            "error: function 'g' has type",
            f"{FUNCTIONS}void g(A * uniform b);\nvoid f() {{ uniform F p = «(F)&g»; }}",
        ),
        (
            "16.1 several overloads with other structs",
            "error: no overload of 'g' has the pointer's type",
            f"{FUNCTIONS}struct C {{ int i; }};\nvoid g(B * uniform b, uniform int k);\nvoid g(C * uniform b, uniform int k);\n"
            "void f() { uniform F p = «(F)&g»; }",
        ),
        (
            "16.1 several overloads that differ in const",
            "error: several overloads of 'g' differ ... in const only",
            "typedef void (*G)(const int * uniform a, int * uniform b);\n"
            "void g(int * uniform a, int * uniform b);\nvoid g(int * uniform a, const int * uniform b);\n"
            "void f() { uniform G p = «g»; }",
        ),
        (
            "16.1 C functions have another convention",
            'error: extern "C"',
            f'{FUNCTIONS}extern "C" void g(uniform B * uniform b);\nvoid f() {{ uniform U p = «(U)&g»; }}',
        ),
    ]
)
