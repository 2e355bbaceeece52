"""The codes of errors, one row each: what ``voltac explain-error`` says. Those of warnings are in ``warning_examples.py``.

One file, since it is one table. Nothing of it is needed to compile: the code itself stands where the mistake is reported.
"""

from __future__ import annotations

from voltac.records import record


@record
class MessageCode:
    """A class of mistakes, or what is warned of."""

    code: str
    text: str
    """What is wrong, and the remedy."""
    wrong: str = ""
    right: str = ""
    """Whole files, of which the wrong one has this mistake only; empty where the mistake is not one of a source."""
    options: tuple[str, ...] = ()
    """Words of the command line with which the examples are compiled; ``{device}`` is one of the devices."""


DEVICE = ("--target={device}",)

ERROR_CODES: tuple[MessageCode, ...] = (
    # --- the text
    MessageCode(
        "syntax",
        "The text does not follow the grammar. The message names what was found, and what could stand there.",
        "void f(uniform int a[]) {\n    a[0] = 1\n}",
        "void f(uniform int a[]) {\n    a[0] = 1;\n}",
    ),
    MessageCode(
        "literal",
        "A number or string that cannot be written so: too large, a digit that its base has not, an unknown escape.",
        "int a = 089;",
        "int a = 89;",
    ),
    MessageCode(
        "nesting",
        "Something is nested more deeply than the compiler follows. Name the parts.",
        f"int a = {'(' * 3000}1{')' * 3000};",
        "int a = (1);",
    ),
    MessageCode(
        "bad-pragma",
        "A pragma that is known, with something it does not take or at a place where it says nothing.",
        "#pragma ignore warning(everything)\nint a;",
        "#pragma ignore warning(all)\nint a;",
    ),
    MessageCode(
        "directive",
        "A line that begins with '#' and is no directive, or one that lacks what belongs to it.",
        "#inlcude <math.h>",
        "#define N 4\nint a[N];",
    ),
    MessageCode("user-error", "The source says '#error': its author wants it compiled otherwise.", "#error no", "int a;"),
    MessageCode(
        "include",
        "A file that is included is not found, cannot be read, or includes itself. Folders are added with -I.",
        '#include "nowhere.isph"',
        "#define N 4",
    ),
    MessageCode(
        "conditional",
        "'#if' and what belongs to it: one that is not closed, an '#else' too many, a condition with no value.",
        "#if 1\nint a;",
        "#if 1\nint a;\n#endif",
    ),
    MessageCode(
        "macro",
        "A macro whose definition or use is wrong: its parameters, the number of its arguments, '#' and '##'.",
        "#define TWICE(x) ((x) + (x))\nint a = TWICE(1, 2);",
        "#define TWICE(x) ((x) + (x))\nint a = TWICE(1);",
    ),
    # --- names
    MessageCode(
        "undeclared",
        "A name that has no declaration in front of its use, or is out of its block. Names that are spelt alike are suggested.",
        "int f(int x) { return y; }",
        "int f(int x) { return x; }",
    ),
    MessageCode(
        "redeclared",
        "A name is declared twice in one block, or in ways that disagree.",
        "int f(int x) { int y = x; int y = 2; return y; }",
        "int f(int x) { int y = x; int z = 2; return y + z; }",
    ),
    MessageCode(
        "wrong-kind",
        "A name stands for something else than what is needed: an enum where a struct is, a function where a value is.",
        "enum E { A };\nvoid f(struct E * uniform p) { }",
        "enum E { A };\nvoid f(enum E * uniform p) { }",
    ),
    MessageCode(
        "no-member",
        "A struct, short vector or pointer has no such member; behind a pointer stands '->', behind a value '.'.",
        "struct S { int a; };\nint f(S s) { return s.b; }",
        "struct S { int a; };\nint f(S s) { return s.a; }",
    ),
    # --- types and declarations
    MessageCode(
        "incomplete-type",
        "A struct is used of which only the name is declared, not what it holds. Define it in front, or use a pointer.",
        "struct S;\nvoid f() { S s; }",
        "struct S { int a; };\nvoid f() { S s; s.a = 1; }",
    ),
    MessageCode(
        "specifiers",
        "Words of a declaration that contradict each other, or do not belong to what is declared.",
        "uniform varying int x;",
        "uniform int x;",
    ),
    MessageCode(
        "impossible-type",
        "There is no such type: an array of references, a variable of void, a function that returns an array.",
        "void f() { void x; }",
        "void f() { int x = 1; }",
    ),
    MessageCode(
        "array-size",
        "The size of an array or short vector is no positive constant, is missing, or does not fit.",
        "void f(uniform int n) { int a[n]; }",
        "void f() { int a[4] = { 0, 1, 2, 3 }; }",
    ),
    MessageCode(
        "initializer",
        "An initial value does not fit what it is for: too many values, one where a list is needed, none for a const.",
        "uniform int a[2] = { 1, 2, 3 };",
        "uniform int a[3] = { 1, 2, 3 };",
    ),
    MessageCode(
        "not-constant",
        "A value that has to be known when the program is compiled is not.",
        "uniform int n;\nenum E { A = n };",
        "enum E { A = 3 };",
    ),
    MessageCode(
        "default-value",
        "Default values of parameters are single constants, and stand at the last ones.",
        "int f(int a = 1, int b) { return a + b; }",
        "int f(int a, int b = 1) { return a + b; }",
    ),
    MessageCode(
        "bad-attribute",
        "An attribute that does not fit the function or parameter at which it stands.",
        "void f(__attribute__((noescape)) uniform int n) { }",
        "void f(__attribute__((noescape)) uniform int * uniform p) { }",
    ),
    MessageCode(
        "linkage",
        'What C cannot have, or what only C has: two functions of one name, words of an extern "C" function at another one.',
        "export void f(uniform int a) { }\nexport void f(uniform float a) { }",
        "export void f(uniform int a) { }\nexport void g(uniform float a) { }",
    ),
    MessageCode(
        "exported",
        "An exported function is called once for the whole gang: its parameters and result are uniform, and known to C.",
        "export void f(float x) { }",
        "export void f(uniform float x) { }",
    ),
    # --- values
    MessageCode(
        "conversion",
        "A value does not become the type that is wanted: a varying value a uniform one, a number a pointer. A reduction "
        "such as reduce_add() makes one value of all lanes'.",
        "void f(float x) { uniform float y = x; }",
        "void f(float x) { uniform float y = reduce_add(x); }",
    ),
    MessageCode(
        "impossible-cast",
        "Not even a cast makes the one type the other.",
        "struct S { int a; };\nint f(S s) { return (int)s; }",
        "struct S { int a; };\nint f(S s) { return s.a; }",
    ),
    MessageCode(
        "operand",
        "An operator, index or condition has something of a type that it does not take.",
        "float f(float x) { return x % 2.0f; }",
        "float f(float x) { return fmod(x, 2.0f); }",
    ),
    MessageCode(
        "dereference",
        "Only pointers lead to values, and only those of which the type is known.",
        "int f(void * uniform p) { return *p; }",
        "int f(int * uniform p) { return *p; }",
    ),
    MessageCode(
        "no-address",
        "Only what lies in memory has an address: variables, elements, members.",
        "void f(int x) { varying int * uniform p = &(x + 1); }",
        "void f(int x) { int y = x + 1; varying int * uniform p = &y; }",
    ),
    MessageCode(
        "reference-binding",
        "A reference is bound to a place of its own type; what differs from lane to lane is copied to a variable first.",
        "void f(uniform float x) { uniform int &r = x; }",
        "void f(uniform float x) { uniform float &r = x; }",
    ),
    MessageCode(
        "not-assignable",
        "What is assigned to is const, an array, a function, or no place in memory.",
        "void f(const uniform int p) { p = 1; }",
        "void f(uniform int p) { p = 1; }",
    ),
    MessageCode(
        "allocation",
        "'new', 'delete' or alloca() of something that cannot be allocated or given back so.",
        "void f(uniform int n) { delete n; }",
        "void f(uniform int n) { uniform int * uniform p = uniform new int[n]; delete[] p; }",
    ),
    MessageCode(
        "no-size",
        "What is asked for its size has none.",
        "uniform int n = sizeof(void);",
        "uniform int n = sizeof(uniform int);",
    ),
    # --- calls
    MessageCode(
        "no-overload",
        "No function of the name takes these arguments, or several do equally well. The notes name each, and why not.",
        "float f(float x, float y) { return x + y; }\nfloat g(float x) { return f(x); }",
        "float f(float x, float y) { return x + y; }\nfloat g(float x) { return f(x, x); }",
    ),
    MessageCode(
        "call",
        "What is called is no function, or is given arguments that it does not take.",
        "int f(int x) { return x(1); }",
        "int g(int x) { return x; }\nint f(int x) { return g(x); }",
    ),
    MessageCode(
        "task",
        "Tasks are started with 'launch', other functions are called; a task has no result.",
        "task void t() { }\nvoid f() { t(); }",
        "task void t() { }\nvoid f() { launch t(); }",
    ),
    MessageCode(
        "template",
        "A template whose declaration, arguments or specialisation do not fit.",
        "template <typename T> T f(T x) { return x; }\ntemplate int f(int x);",
        "template <typename T> T f(T x) { return x; }\ntemplate int f<int>(int x);",
    ),
    MessageCode(
        "print-arguments",
        "print() takes an argument for each '%' of its text, each a value that can be printed.",
        'void f(int x) { print("% %\\n", x); }',
        'void f(int x) { print("%\\n", x); }',
    ),
    # --- statements
    MessageCode(
        "misplaced",
        "A statement that cannot stand where it does: 'break' outside of loops, 'return' or 'foreach' within 'foreach'.",
        "void f() { break; }",
        "void f() { while (true) break; }",
    ),
    MessageCode(
        "return-value",
        "A result where there is none, or none where there is one.",
        "int f() { return; }",
        "int f() { return 1; }",
    ),
    MessageCode(
        "switch-case",
        "A switch over something else than integers, or a case that is no constant of its own.",
        "void f(int x) { switch (x) { case 1: break; case 1: break; } }",
        "void f(int x) { switch (x) { case 1: break; case 2: break; } }",
    ),
    MessageCode(
        "foreach-values",
        "'foreach_unique' runs once for each of the values that lanes have: numbers, enums or pointers that vary.",
        "void f(uniform int n) { foreach_unique (v in n) { } }",
        "void f(int n) { foreach_unique (v in n) { } }",
    ),
    # --- devices and programs as a whole
    MessageCode(
        "device",
        "The program needs what the device has not.",
        "export void f(uniform double a[]) { a[0] = 1; }",
        "export void f(uniform float a[]) { a[0] = 1; }",
        DEVICE,
    ),
    MessageCode(
        "link",
        "Something is used that is defined nowhere, or a part of the program does not fit the device's memory.",
        'extern "C" void g(uniform int n);\nexport void f(uniform int n) { g(n); }',
        "void g(uniform int n) { }\nexport void f(uniform int n) { g(n); }",
        DEVICE,
    ),
    # --- not of a source
    MessageCode("assembly", "Assembly language of a device that its assembler does not take."),
    MessageCode("file", "A file cannot be read or written, or is not what it should be."),
    MessageCode(
        "budget",
        "A function has more gathers, scatters, masked accesses, divergent loops or spills than the file of --budget says. Make"
        " the code at the place cheaper; or, if it is worth that, remove the file, and the next build writes a new one.",
    ),
    MessageCode("command-line", "The command line is not understood. 'voltac --help' lists what there is."),
    MessageCode("run", "The program was compiled, and failed when it ran: an access outside of memory, a failing assertion."),
    MessageCode("memory", "The machine has not enough memory for the compilation."),
    MessageCode("internal", "A mistake of the compiler. The message names a file that shows it; please report it."),
)
