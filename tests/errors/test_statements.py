"""Rules of section 9 of the language that say a program is wrong, each with a wrong program."""

from .marked import row_test

S = "struct S { int a; };\n"

test_jumps = row_test(
    [
        ("9.3 break", "error: break", "void f() { «break;» }"),
        ("9.3 continue", "error: continue", "void f() { «continue;» }"),
        (
            "9.3 continue in a switch",
            "error: switch",
            "void f(uniform int n) { while (n > 1) switch (n) { case 1: «continue;» } }",
        ),
        ("9.3 break in foreach", "error: foreach ... 'continue' ... 'for'", "void f() { foreach (i = 0 ... 9) { «break;» } }"),
        ("9.3 return in foreach", "error: foreach", "void f() { foreach (i = 0 ... 9) { «return;» } }"),
        ("9.3 return in foreach_tiled", "error: foreach", "void f() { foreach_tiled (i = 0 ... 9) { «return;» } }"),
        ("9.3 return in foreach_active", "error: foreach_active", "void f() { foreach_active (i) { «return;» } }"),
        ("9.3 return in foreach_unique", "error: foreach_unique", "void f(int v) { foreach_unique (i in v) { «return;» } }"),
        ("9.3 result missing", "error: varying int32", "int f(int v) { if (v > 1) «return;» return v; }"),
        ("9.3 result of a void function", "error: uniform int32", "void f() { «return 1;» }"),
        ("9.9 return in unmasked", "warning: unmasked", "void f() { unmasked { «return;» } }"),
        ("9.9 break in unmasked", "warning: unmasked", "void f(uniform int n) { while (n > 1) { unmasked { «break;» } } }"),
    ]
)

test_switch = row_test(
    [
        ("9.4 value not constant", "error: constant", "void f(uniform int n) { switch (n) { case «n»: ; } }"),
        ("16.1 const variable", "error: 'c'", "const uniform int c = 1;\nvoid f(uniform int n) { switch (n) { case «c»: ; } }"),
        ("9.4 does not fit 32 bits", "error: 32 bits", "void f(uniform int n) { switch (n) { case «8589934592»: ; } }"),
        ("9.4 used twice", "error: 3", "void f(uniform int n) { switch (n) { case 3: ; case «2 + 1»: ; } }"),
        ("9.4 second default", "error: default", "void f(uniform int n) { switch (n) { default: ; «default»: ; } }"),
        ("9.4 case without switch", "error: 'case'", "void f() { «case» 1: ; }"),
        ("9.4 default without switch", "error: 'default'", "void f() { «default»: ; }"),
    ]
)

test_foreach = row_test(
    [
        (
            "9.5 nested",
            "error: foreach",
            "void g();\nvoid f() { foreach (i = 0 ... 9) { «foreach» (j = 0 ... 9) { g(); } } }",
        ),
        (
            "9.5 nested in unmasked",
            "error: foreach",
            "void g();\nvoid f() { foreach (i = 0 ... 9) { unmasked { «foreach_tiled» (j = 0 ... 9) { g(); } } } }",
        ),
        ("9.5 goto", "error: foreach", "void f() { foreach (i = 0 ... 9) { «goto out;» } out: ; }"),
        ("9.5 name used twice", "error: 'i'", "void f() { foreach (i = 0 ... 9, «i = 0 ... 9») { } }"),
        ("9.5 index assigned", "error: const", "void f() { foreach (i = 0 ... 9) { «i» = 1; } }"),
        ("9.7 not varying", "error: uniform int32", "void f(uniform int n) { foreach_unique (i in «n») { } }"),
        ("9.7 not iterable", "error: struct S", S + "void f(S s) { foreach_unique (i in «s») { } }"),
    ]
)

test_goto = row_test(
    [
        ("9.8 under a varying if", "error: varying", "void f(int v) { if (v > 1) «goto out;» out: ; }"),
        ("9.8 under a varying loop", "error: varying", "void f(int v) { while (v > 1) { «goto out;» } out: ; }"),
        ("9.8 unknown label", "error: 'finsh' ... 'finish'", "void f() { «goto finsh;» finish: ; }"),
        ("9.8 label twice", "error: 'out'", "void f(uniform int n) { if (n > 1) goto out; out: n = 1; «out»: ; }"),
    ]
)

test_warnings = row_test(
    [
        ("16 missing return", "warning: result", "int f(int v) { if (v > 1) return 1; «}»"),
        ("unreachable", "warning: never reached", "int f(int v) { return v; «v = 1;» }"),
        ("uninitialised", "warning: 'x'", "int f() { int x; return «x»; }"),
        ("uniform store", "warning: 'u'", "void f(int v) { uniform int u = 0; if (v > 1) «u = 1»; }"),
        ("could be uniform", "warning: 'i'", "void f(int v) { for (int «i» = 0; i < 9; i++) v += i; }"),
    ]
)
