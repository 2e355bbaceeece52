"""Statements and control flow (language 9)."""

from .annotated import rule_test

test_jumps = rule_test(
    {
        "break and continue need a loop": """
void f(uniform int n) {
    break; // error: break
    continue; // error: continue
    while (n > 0) { break; }
    switch (n) { case 1: break; }
    switch (n) { case 1: continue; } // error: continue
    for (;;) { switch (n) { case 1: continue; } } // error: switch
    for (;;) { switch (n) { case 1: for (;;) { continue; } } }
}""",
        "nothing leaves a foreach": """
void f(uniform int n) {
    foreach (i = 0 ... n) { break; } // error: break
    foreach (i = 0 ... n) { return; } // error: return
    foreach (i = 0 ... n) { goto out; } // error: goto
    foreach (i = 0 ... n) { for (;;) { break; } continue; }
    foreach_active (l) { break; } // error: break
    foreach_active (l) { return; } // error: return
    foreach_active (l) { continue; }
    foreach_unique (v in programIndex) { break; } // error: break
    foreach_tiled (i = 0 ... n, j = 0 ... n) { return; } // error: return
out:
    ;
}""",
        "foreach is not nested": """
void g(uniform int n) { foreach (i = 0 ... n) { } }
void f(uniform int n) {
    foreach (i = 0 ... n) {
        foreach (j = 0 ... n) g(n); // error: foreach
        for (uniform int k = 0; k < 3; ++k) {
            foreach_tiled (j = 0 ... n) g(n); // error: foreach
        }
        unmasked { foreach (j = 0 ... n) g(n); } // error: foreach
        foreach (j = 0 ... n) { }
        g(n);
    }
    foreach_active (l) { foreach (j = 0 ... n) g(n); }
    foreach (i = 0 ... n, i = 0 ... n) { } // error: i
}""",
        "results": """
int f(int v) {
    if (v > 1) return; // error: return
    return v;
}
void g() { return 5; } // error: void
struct S { int a; };
int h(S s) { return s; } // error: return
int k() { } // warning: missing""",
        "goto needs uniform control flow and a label": """
void f(uniform int n, int v) {
    goto nowhere; // error: nowhere
    if (n > 1) goto end;
    if (v > 1) goto end; // error: varying
    while (v < 3) { goto end; } // error: varying
    switch (v) { case 1: goto end; } // error: varying
    goto ennd; // error: 'end'
end:
    n = 1;
end: // error: twice
    n = 2;
}""",
        "unmasked blocks are not left quietly": """
void f(uniform int n) {
    while (n > 1) { unmasked { break; } } // warning: unmasked
    while (n > 0) { unmasked { continue; } } // warning: unmasked
    unmasked { return; } // warning: unmasked
}""",
    }
)

test_switch = rule_test(
    {
        "case values are constant, different, and fit": """
enum E { A, B };
const uniform int c = 3;
void f(uniform int n, E e, float x) {
    switch (n) {
    case n: // error: constant
    case c: // error: constant
    case 2.5: // error: integer
    case 1:
    case 2 - 1: // error: twice
    case 8589934592: // error: 32 bits
    case A:
    case B: // error: twice
    default:
        n = 1;
    default: // error: default
        n = 2;
    }
    switch (e) { case A: break; case B: break; }
    switch (x) { case 1: break; }
}""",
        "labels need a switch": """
void f() {
    case 1: ; // error: case
    default: ; // error: default
    switch (programCount) { foreach (i = 0 ... 9) { case 1: ; } } // error: case
}""",
        "values are integers": """
struct S { int a; };
void f(S s, uniform int * uniform p) {
    switch (s) { case 1: break; } // error: switch
    switch (p) { case 1: break; } // error: switch
}""",
    }
)

test_loops = rule_test(
    {
        "conditions are bools of any kind": """
struct S { int a; };
void f(S s, float x, uniform int * uniform p) {
    if (x) x = 1;
    if (p) x = 1;
    if (s) x = 1; // error: condition
    while (s) x = 1; // error: while
    do { x = 1; } while (s); // error: do
    for (; s; ) x = 1; // error: for
    x = s ? 1 : 2; // error: condition
    s && x; // error: condition
}""",
        "loop variables of foreach are const": """
void f(uniform int n) {
    foreach (i = 0 ... n) { i = 3; } // error: const
    foreach_active (l) { l = 3; } // error: const
    foreach_unique (v in programIndex) { ++v; } // error: const
}""",
        "foreach_unique wants varying scalars": """
struct S { int a; };
void f(uniform int n, S s, float x, int * p) {
    foreach_unique (v in n) { } // error: varying
    foreach_unique (v in s) { } // error: iterate
    foreach_unique (v in x) { uniform float y = v; }
    foreach_unique (q in p) { uniform int * uniform y = q; }
}""",
        "unroll stands before a loop": """
void f(uniform int n, int v) {
#pragma unroll 4
    for (uniform int i = 0; i < n; ++i) { }
#pragma unroll
    while (v < 3) ++v; // performance: unrolling
#pragma nounroll
    do { ++n; } while (n < 3);
}""",
    }
)

test_output = rule_test(
    {
        "print counts its arguments": """
void f(int v) {
    print("% %", v); // error: fewer
    print("%", v, v); // error: more
    print("%%", v, v);
    print("none");
}""",
        "some types are not printed": """
struct S { int a; };
void f(S s, float<3> v) {
    int a[3];
    print("%", s); // error: printed
    print("%", v); // error: printed
    print("%", a); // error: printed
    print("%", &a[0]);
    print("%", v.x);
}""",
        "asserts test bools": """
struct S { int a; };
void f(S s, int v) {
    assert(v > 3);
    assert(s); // error: assert
}""",
    }
)
