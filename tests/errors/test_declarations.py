"""Rules of section 7 of the language that say a program is wrong, each with a wrong program."""

from .marked import row_test

S = "struct S { int a; };\n"

test_storage = row_test(
    [
        (
            "7.1 static needs a constant",
            "error: static variable 'a'",
            "void f(uniform int n) { static uniform int a = «n»; }",
        ),
        ("7.1 extern initialised", "error: 'a'", "extern uniform int «a = 3»;"),
        ("7.1 C linkage", "error: functions", 'extern "C" uniform int «a»;'),
        ("7.1 storage classes", "error: 'static' ... 'extern'", "static «extern» int a;"),
        ("7.1 declared here", "error: 'a'", "void f() { int a = 1; float «a» = 2; }"),
        ("7.1 hides", "warning: 'a'", "int a;\nvoid f() { int «a» = 1; }"),
        ("7.1 parameter hides a function", "warning: 'g'", "void g();\nvoid f(«int g») { }"),
        ("7.1 name of a function", "error: function", "void g();\nint «g»;"),
        ("7.1 name of a library function", "error: function", "int «sqrt»;"),
        ("7.1 definitions disagree", "error: 'a' ... line 1", "int a;\nfloat «a»;"),
        ("7.1 defined twice", "error: 'a' ... line 1", "int a = 1;\nint «a» = 2;"),
        ("7.1 in its own initializer", "error: 'a'", "void f() { int a = «a»; }"),
        ("16.1 later declarators", "error: 'a' ... one declaration", "void f() { int a = 1, b = «a»; }"),
        ("16.1 earlier enumerators", "error: 'a' ... write its value, 3", "enum E { z = 2, a, b = «a» };"),
        ("4.5 prototype in a block", "error: local declaration", "void f() { int «g»(int); }"),
        ("4.3 void parameter", "error: ()", "void f(«void»);"),
        ("4.1 more than one type", "error: more than one type", "typedef int T;\nfloat «T» x;"),
        ("4.1 a type of the language by its short name", "error: 'uint' is a type ... delete", "typedef unsigned int «uint»;"),
        ("4.1 a type of the language is defined", "error: 'uint8' is a type ... delete", "typedef unsigned int8 «uint8»;"),
    ]
)

test_initializers = row_test(
    [
        ("7.2 global needs a constant", "error: global variable 'b'", "uniform int a;\nuniform int b = «a»;"),
        ("7.2 size depends on the target", "warning: target", "uniform int n = «sizeof(int)»;"),
        ("7.2 too many values for an array", "error: at most 2, 3", "int a[2] = «{ 1, 2, 3 }»;"),
        ("7.2 too many values for a struct", "error: at most 1, 2", S + "S s = «{ 1, 2 }»;"),
        ("7.2 too many values for a vector", "error: at most 2, 3", "float<2> v = «{ 1, 2, 3 }»;"),
        ("7.2 lane values", "error: 2 ... 8", "int a = «{ 1, 2 }»;"),
        ("7.2 several values for a scalar", "error: uniform int32", "uniform int a = «{ 1, 2 }»;"),
        ("7.2 array from a scalar", "error: braces", "int a[2] = «3»;"),
        (
            "7.2 array from an array",
            "error: braces",
            "void f() { int a[2], b[2] = «a»; }".replace("int a[2], b[2]", "int a[2]; int b[2]"),
        ),
        ("7.2 struct from a scalar", "error: struct S", S + "S s = «3»;"),
    ]
)

test_words = row_test(
    [
        ("7.3 export", "error: 'export'", "«export int» g;"),
        ("7.3 inline", "error: 'inline'", "void f() { «inline int» a = 1; }"),
        ("7.4 alignment", "error: power of two", "__attribute__((«aligned(48)»)) int a;"),
        ("7.4 alignment zero", "error: power of two", "__attribute__((«aligned(0)»)) int a;"),
        ("7.4 alignment missing", "error: power of two", "__attribute__((«aligned»)) int a;"),
        ("7.4 in front of a struct", "warning: struct", "__attribute__((«aligned(32)»)) struct T;"),
        (
            "7.4 noescape on a varying pointer",
            "error: varying",
            "void f(__attribute__((«noescape»)) uniform int * varying p);",
        ),
        ("7.4 noescape on a number", "error: pointer", "void f(__attribute__((«noescape»)) int p);"),
        ("7.4 unmangled export", "error: 'f'", "__attribute__((«unmangled»)) export void f() { }"),
        ("7.4 unmangled C function", "error: 'f'", '__attribute__((«unmangled»)) extern "C" void f();'),
        ("7.4 external_only", "error: exported", "__attribute__((«external_only»)) void f() { }"),
        (
            "7.4 deprecated",
            "warning: 'g' is deprecated: use h",
            '__attribute__((deprecated("use h"))) void g() { }\nvoid f() { «g()»; }',
        ),
        ("7.4 unknown attribute", "warning: 'shiny'", "__attribute__((«shiny»)) void f() { }"),
        (
            "7.4 unknown attribute of a variable",
            "warning: 'alignd' is not known ... 'aligned'",
            "__attribute__((«alignd(16)»)) uniform float g[4];",
        ),
        ("7.4 unknown attribute of a local variable", "warning: 'shiny'", "void f() { __attribute__((«shiny»)) int a = 1; }"),
        (
            "7.4 unknown attribute of a parameter",
            "warning: 'noescap' is not known ... 'noescape'",
            "void f(__attribute__((«noescap»)) uniform float * uniform p) { }",
        ),
        ("7.4 unknown attribute of a struct", "warning: 'packed'", "struct S { int a; } __attribute__((«packed»));"),
        ("7.4 unknown attribute of a typedef", "warning: 'shiny'", "typedef __attribute__((«shiny»)) int T;"),
        ("7.4 unknown attribute in front of a struct", "warning: 'shiny'", "__attribute__((«shiny»)) struct S { int a; };"),
        ("7.4 unknown attribute of a C function", "warning: 'shiny'", 'extern "C" __attribute__((«shiny»)) void f();'),
        (
            "7.4 unknown attribute of a template",
            "warning: 'shiny'",
            "template <typename T> __attribute__((«shiny»)) T f(T a) { return a; }\nvoid g() { f(1); f(2.0f); }",
        ),
        ("7.4 second unknown attribute", "warning: 'shiny'", "__attribute__((aligned(16), «shiny»)) uniform int a;"),
        ("7.4 attribute that is a qualifier", "warning: 'inline'", "__attribute__((«always_inline»)) void f() { }"),
        ("7.4 unmangled variable", "warning: a variable", "__attribute__((«unmangled»)) int a;"),
        ("7.4 unknown declspec", "error: 'fast'", "__declspec(«fast») void f() { }"),
    ]
)
