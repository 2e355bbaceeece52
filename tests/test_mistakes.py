"""One message a mistake: realistic syntax errors, alone and several in a file, with the rest of the file still checked.

A row is a text with ``¦`` where the message has to point, and words of the message that say what to write instead.
"""

import itertools
import random
import re

import pytest

from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("avx2-i32x8"))
Row = tuple[str, str]

STATEMENTS: tuple[Row, ...] = (
    # a ; is missing
    ("int p = 3\n¦q = 4;", "';' missing after '3'"),
    ("q = q + 1\n¦if (q > 1) q = 0;", "';' missing after '1'"),
    ("if (q > 1) { q = 0 ¦}", "';' missing after '0'"),
    ("for (int i = 0; i < n; ++i) q += i\n¦q = 3;", "';' missing after 'i'"),
    ("do { q = q - 1; } while (q > 1)\n¦q = 2;", "';' missing after ')'"),
    ("int p = 3 ¦int o = 4; q = p + o;", "';'"),
    ("return\n¦}\nvoid more(int q) {", "';' missing after 'return'"),
    ("while (q > 0) { q--; break\n¦}", "';' missing after 'break'"),
    # a parenthesis or bracket is missing
    ("q = (q + n¦;", "')'"),
    ("if (q > 1 ¦{ q = 0; } else { q = 2; }", "')'"),
    ("if ¦q > 1) { q = 0; }", "'('"),
    ("if ¦q > 1 { q = 0; }", "expected '('"),
    ("while (q > 1 ¦q = q - 1;", "')'"),
    ("for (int i = 0; i < n; ++i ¦{ q += i; }", "')'"),
    ("for ¦int i = 0; i < n; ++i) { q += i; }", "'('"),
    ("q = abs(q¦;", "')'"),
    ("q = max(q, (n + 1)¦;", "')'"),
    ("q = data[q¦;", "']'"),
    ("q = data[q¦);", "'['"),
    ("q = (q + n)¦);", "there is no '(' for it to close"),
    ("q = data[q]¦];", "there is no '[' for it to close"),
    ("foreach (i = 0 ... n ¦{ data[i] = i; }", "')'"),
    ("foreach (i ¦in 0 ... n) { data[i] = i; }", "first ... last"),
    ("foreach (i = 0¦; i < n; i++) { data[i] = i; }", "first ... last"),
    ("for (int i = 0 ¦... n) { q += i; }", "first ... last"),
    ("switch (q) { case 1 ¦... 3: q = 2; break; }", "one for each"),
    ("float<2> p = ¦float<2>(1, 2); q = p.x;", "in a declaration"),
    ("switch (q ¦{ case 1: q = 2; break; }", "')'"),
    # operands and operators
    ("q = ¦;", "a value is missing"),
    ("q = q + ¦;", "a value is missing"),
    ("q = q * ¦/ n;", "a value is missing"),
    ("q = max(q, ¦);", "a value is missing"),
    ("q = max(¦, q);", "a value is missing"),
    ("q = max(q,¦, n);", "a value is missing"),
    ("q = data[¦];", "a value is missing"),
    ("q = max(q ¦n);", "','"),
    ("q = (q + ¦;", "a value is missing"),
    ("q = max(q, ¦;", "a value is missing"),
    ("q = data[¦;", "a value is missing"),
    ("q = q > 1 ? ¦;", "a value is missing"),
    ("q = q ¦n;", "found identifier 'n'"),
    ("int p[3] = { 1, 2 ¦3 }; q = p[0];", "','"),
    ("q = q > 1 ? 2 ¦;", "':'"),
    ("q = q ?¦: 2;", "middle"),
    ("q = q.¦;", "name"),
    ("if (q =¦< n) q = 1;", "'<='"),
    ("if (q ==¦= n) q = 1;", "'=='"),
    ("if (q <¦> n) q = 1;", "'!='"),
    ("if (q > 1 ¦and n > 1) q = 1;", "'&&'"),
    ("if (q > 1 ¦or n > 1) q = 1;", "'||'"),
    ("if (¦) q = 1;", "a value is missing"),
    ("return + ¦;", "a value is missing"),
    # declarations
    ("int ¦= 5;", "name"),
    ("int p ¦== 5; q = p;", "'='"),
    ("int¦[4] p; p[0] = 1;", "behind its name"),
    ("int p, ¦int o; q = p + o;", "found 'int'"),
    ("int p ¦o; q = 1;", "','"),
    ("¦auto p = 3; q = p;", "write the type"),
    ("¦char p = 3; q = p;", "write 'int8'"),
    ("uniform ¦long p = 3; q = p;", "write 'int64'"),
    ("unsigned ¦short p = 3; q = p;", "write 'int16'"),
    ("¦constexpr int p = 3; q = p;", "write 'const'"),
    ("¦flaot p = 3; q = p;", "did you mean 'float'"),
    ("¦vec3 p; p.x = 3;\np.y = 4;", "unknown type 'vec3'"),
    ("¦Ray * p = 0; p->x = 3;\np->y = 4;", "unknown type 'Ray'"),
    ("¦Box & p = q; p.x = 3;", "unknown type 'Box'"),
    ("¦Node * p; p->x = 3;", "unknown type 'Node'"),
    ("¦Edge * p, * p2; p = p2;", "unknown type 'Edge'"),
    ("¦Cell * uniform p = 0; p->x = 3;", "unknown type 'Cell'"),
    ("const ¦Item * uniform p = 0; p->x = 3;", "unknown type 'Item'"),
    ("int * p = new ¦Disk; p[1] = 3;", "unknown type 'Disk'"),
    ("int * uniform p = uniform new ¦Cone[q]; p[1] = 3;", "unknown type 'Cone'"),
    ("q = (¦Tree)q + 1;", "unknown type 'Tree'"),
    ("q = (¦Leaf)1;", "unknown type 'Leaf'"),
    ("q = max((¦Face *)q, 1);", "unknown type 'Face'"),
    ("q = ((¦Mesh * uniform)data)->x;", "unknown type 'Mesh'"),
    ("q = sizeof(¦Path *);", "unknown type 'Path'"),
    ("¦Walk (*p)(int) = 0; p(3);", "unknown type 'Walk'"),
    ("q * n ¦= 3;", "'=='"),
    ("int task ¦= 3; q = task + 1;", "'task' is a keyword"),
    ("float ¦in = 3; q = in + 1;\nq = in;", "'in' is a keyword"),
    ("int ¦print = 3;\nq = print;", "'print' is a keyword"),
    ("int ¦3p = 3; q = 1;", "begin with a digit"),
    ("const int p[] = { 1, 2, 3¦; q = p[0];", "'}'"),
    ("typedef int T; int T ¦= 3;", "'T' is the name of a type"),
    ("struct S { int a; }; int S¦[3];", "'S' is the name of a type"),
    ("typedef float T; int T ¦= 3;\nT += q;\nq = T;", "'T' is the name of a type"),
    ("typedef float T; foreach (i = 0 ... 2, ¦T = 0 ... n)\ndata[T] = i;", "'T' is the name of a type"),
    ("if (¦int p = 3) q = 2;", "cannot declare"),
    # statements
    ("q = 1; ¦else q = 2;", "there is no 'if'"),
    ("if (q > 1) q = 2; q = 3; ¦else q = 4;", "there is no 'if'"),
    ("if (q > 1) { q = 2; } elif (q > 0) ¦{ q = 3; }", "'else if'"),
    ("if (q > 1) ¦then q = 2;", "'then'"),
    ("for (int i = 0, i ¦< n, ++i) { q += i; }", "found '<'"),
    ("for (int i = 0; i < n¦) { q += i; }", "';'"),
    ("for (int i = 0; i < n; ++i¦; ) { q += i; }", "found ';'"),
    ("for (int i ¦: data) { q += i; }", "found ':'"),
    ("foreach (¦int i = 0 ... n) { data[i] = i; }", "have no type: 'foreach (i = first ... last)'"),
    ("foreach (¦uniform int i = 0 ... n) { data[i] = i; }", "have no type"),
    ("foreach (i = 0 ... n, ¦int j = 0 ... n) { data[i] = j; }", "have no type"),
    ("foreach (i = 0..n¦) { data[i] = i; }", "three dots"),
    ("int p[2] = { 1, 2 }; p = ¦{ 3, 4 }; q = p[0];", "where a variable is declared"),
    ("if (q > 1) q = 2; elif (q > 0) ¦q = 3;", "'else if'"),
    ("¦float4 p; p.x = 3;\np.y = 4;", "write 'float<4>'"),
    ("uniform ¦int2 p; p.x = 3;", "write 'int<2>'"),
    ("struct Point { int x; }; ¦Pont p; p.x = 3;", "did you mean 'Point'"),
    ("foreach (i = 0 .¦. n) { data[i] = i; }", "three dots"),
    ("foreach (i = 0¦; i < n; i++) { data[i] = i; }", "'...'"),
    ("foreach (i ¦in 0 ... n) { data[i] = i; }", "expected '='"),
    ("foreach (i ¦: data) { q = i; }", "expected '='"),
    ("while (q > 1) do { q--; }\n¦q = 2;", "'do' loop ends"),
    ("do { q--; } ¦(q > 1);", "expected 'while'"),
    ("switch (q) { case ¦: q = 2; break; }", "found ':'"),
    ("switch (q) { case 1 ¦q = 2; break; }", "':'"),
    ("switch (q) { default ¦q = 2; break; }", "':'"),
    ("goto ¦; ", "identifier"),
    ("launch ¦<work(q)>;", "old 'launch' syntax"),
    ("delete ¦[] pointer;", "'delete[]'"),
    ("print(¦q);", "string"),
    ('print ¦"q";', "'('"),
    ("done: ¦}\nvoid more(int q) {", "';'"),
    ("¦unmasked q = 2;", "a type is missing"),
    ("if (uniform ¦p = 3) { q = 1; }", "a condition cannot declare"),
    ("q = (uniform¦)n;", "a type is missing after 'uniform'"),
    ("uniform p = 3\n¦q = p;", "';' missing after '3'"),
    ("uniform ¦foo p = 3; q = p;", "unknown type 'foo'"),
    # misspelt keywords
    ("¦retrun q;\n}\nint more(int q) { return q;", "did you mean 'return'"),
    ("¦whlie (q > 1) { q--; }", "did you mean 'while'"),
    ("¦swtich (q) { case 1: q = 2; break; }", "did you mean 'switch'"),
    ("¦fro (int i = 0; i < n; ++i) { q += i; }", "did you mean 'for'"),
    ("¦foraech (i = 0 ... n) { data[i] = i; }", "did you mean 'foreach'"),
    ("¦unifrom int p = 3; q = p;", "did you mean 'uniform'"),
    ("switch (q) { ¦cse 1: q = 2; break; }", "did you mean 'case'"),
    # C++
    ("q = std¦::max(q, n);", "namespaces"),
    ("std:¦:sort(data, n);", "namespaces"),
    ("for (int each ¦: data) { q += each; }", "no loops over elements"),
    ("float<2> pair = (float<2>)¦{ 1, 2 };", "in declarations only"),
    ("q = (int)static_cast<¦float>(q);", "as in C"),
    ("q = ¦int(n);", "cast"),
    ("q = *(¦const uniform int * uniform)data;", "'*((type)value)'"),
    ("q = *(¦int * uniform)data;", "'*((type)value)'"),
    ("q = sizeof ¦int;", "sizeof(type)"),
    ("int ¦&&p = q;", "one '&'"),
    ("try ¦{ q = 1; }", "exceptions"),
    ("q = ¦[](int p) { return p; };", "found '['"),
    ("for (¦auto p : data) { q = p; }", "write the type"),
    ("int inner(int v) ¦{ return v; }", "inside another"),
    # characters
    ("q = 3 ¦$ 4;", "invalid character '$'"),
    ("q = ¦'a';", "single quote"),
    ('print(¦"hello\\n);', "not closed"),
    ("q = “3”;".replace("“3”", "¦“3"), "invalid character"),
    ("q = 0¦x;".replace("0¦x", "¦0x"), "not a"),
    ("q = ¦12px;", "suffix"),
    ("q = ¦5d;", "decimal point"),
)

DECLARATIONS: tuple[Row, ...] = (
    # names of a declaration with a mistake, in a template
    ("template <int H> int by(int q) { return q; }\ntemplate <int H> int u(int a) { int c = by<2 ¦H>(a); return c; }", "'H'"),
    # the blank that C++ allows in the name of an operator
    (
        "struct V { float x; };\nV operator ¦+(V a, V b) { V r = { a.x + b.x }; return r; }\nV use(V v) { return v + v; }",
        "write 'operator+'",
    ),
    (
        "struct V { float x; };\nbool operator ¦== (V a, V b) { return a.x == b.x; }\nbool use(V v) { return v == v; }",
        "'operator=='",
    ),
    (
        "struct V { int x; };\n#define D(op) inline V operator op(V a, V b) { V r = { a.x op b.x }; return r; }\n"
        "D(¦+)\nD(-)\nV use(V v) { return v - (v + v); }",
        "in a macro, 'operator##op'",
    ),
    ("int one\n¦int two;", "';' missing after 'one"),
    ("struct T { int a; }\n¦int three;\nint use(T t) { return t.a + three; }", "';' missing after the '}' in line 2"),
    ("enum F { F1, F2 }\n\nexport ¦void use(uniform int a[]) { a[0] = F1; }", "';' missing after the '}' in line 2"),
    ("void use(int q) {\n    { q = 1; } }\n    int next = q;\n    ¦while (q > 1) { q--; }\n    return;\n}", "outside of"),
    ("struct T { int a ¦int b; float c; };\nint use(T t) { return t.a + t.b; }", "';'"),
    ("struct T { int a; vec3 b; };".replace("vec3", "¦vec3") + "\nint use(T t) { return t.a; }", "unknown type 'vec3'"),
    (
        "struct T {\n    int a;\n\nstatic int two = 3;\n".replace("static", "¦static")
        + "int use(T t) { return t.a + two; }\nint next(T t) { return t.a; }",
        "is the '{' in line",
    ),
    ("struct T {\n    int a;\n\nint use(T t) ¦{ return t.a; }\nint next(T t) { return t.a; }", "is the '{' in line"),
    ("struct T { int a, ¦float b; };\nint use(T t) { return t.a + t.b; }", "found 'float'"),
    ("struct T { int a; int get() ¦{ return a; } };\nint use(T t) { return t.a; }", "no functions"),
    ("struct T { ¦public: int a; };\nint use(T t) { return t.a; }", "all members are public"),
    ("¦class T { int a; };\nint use() { return 1; }", "'struct'"),
    ("enum F { F1 ¦F2 };\nint use() { return F1 + F2; }", "','"),
    ("enum F { ¦3 };\nint use() { return 1; }", "identifier"),
    ("void use( ¦{ }", "')'"),
    ("void use(int a ¦int b) { int c = a + b; }", "','"),
    ("void use(int a, ¦) { a = 1; }", "found ')'"),
    ("void use(¦x, int y) { y = x; }", "a type is missing"),
    ("void use(int x, ¦y) { y = x; }", "a type is missing"),
    ("void use(int a¦; int b) { a = b; }", "','"),
    ("void use(int a) ¦const { a = 1; }", "parameter list"),
    ("void use(int a)\n    ¦a = 1;\n}", "'{' missing after ')'"),
    ("int use(int a) ¦return a + 1;\nint next(int b) { return use(b); }", "stands in braces"),
    ("void use(uniform int a[]) ¦a[0] = 1;", "stands in braces"),
    ("int use(int a)\n    ¦return a + 1;\nint next(int b) { return use(b); }", "stands in braces"),
    ("void use(int a) { switch (a) { case 1.¦.3: a = 1; break; } }\nint next;", "a 'case' has one value"),
    ("void use(int a) { switch (a) { case 1 .¦. 3: a = 1; break; } }\nint next;", "a 'case' has one value"),
    ("void use(int a) { a = 1;\n\nint next(int b) ¦{ return b; }", "is the '{' in line"),
    ("void use(int a) {\n    if (a > 1) {\n        a = 1;\n}\n\nint next(int b) ¦{ return b; }", "is the '{' in line"),
    (
        "void use(int a) {\n    if (a > 1) {\n        a = 1;\n}\n\nstruct T { int b; };\nstatic int two = 3;\n"
        "int next(T b) ¦{ return b.b + two; }\nint three(T b) { return b.b + two; }",
        "is the '{' in line",
    ),
    (
        "void use(int a) {\n    a = 1;\n\n¦template <typename A> A next(A a) { return a; }\n"
        "int three(int b) { return next(b); }",
        "is the '{' in line",
    ),
    ("void use(int a) ¦if (a > 1) { a = 1; } }\nint next;", "'{' missing"),
    ("#define F(x) (x + )\nvoid use(int a) {\n    a = ¦F(a);\n    a = F(2) + F(3);\n}", "a value is missing"),
    ("void use(int a) { a = 1; } ¦}\nint next;", "there is no '{' for it to close"),
    ("void use(int a) {\n    if (a > 1) { a = 1; } }\n    ¦a = 2;\n    return;\n}", "outside of a function"),
    ("¦x = 3;\nint next() { return x; }", "a type is missing"),
    ("¦return 3;\nint next() { return 1; }", "outside of a function"),
    ("¦if (1) { }\nint next() { return 1; }", "outside of a function"),
    ("¦function use(int a) { return a; }", "begins with the type"),
    ("template <¦class A> A use(A a) { return a; }", "'typename'"),
    ("template <typename A ¦{ }\nint next() { return 1; }", "found '{'"),
    ("¦exprot void use() { }", "did you mean 'export'"),
    ("¦sturct T { int a; };\nint use(T t) { return t.a; }", "did you mean 'struct'"),
    ("¦typdef int bar;\nbar next(bar a) { return a; }", "did you mean 'typedef'"),
    ("¦using namespace std;\nint next() { return 1; }", ""),
    ("¦using Real = const float;\nint next(Real a) { return (int)a; }", "'typedef const float Real;'"),
    (
        "void use() { ¦using Pointer = uniform int * uniform; Pointer p = NULL; }\nint next() { return 1; }",
        "* uniform Pointer;'",
    ),
    ("¦namespace a { namespace b {\nint inner() { return 1; }\n}\n}\nint next() { return inner(); }", "no namespaces"),
    ("template <typename A> ¦struct Pair { A a, b; };\nint next() { return 1; }", "only functions can be templates"),
    ('extern "C" { void first(); ¦void second(); }\nint next() { return 1; }', "in front of each"),
    ("int three = (1 + 2¦;\nint next() { return three; }", "')'"),
    ("int three[2] = { 1, 2 ¦;\nint next() { return three[0]; }", "'}'"),
    ("typedef int (*bar)(¦Foo);\nvoid next(bar a) { a(3); }", "'Foo' is no type"),
    ("struct T { struct F { int a; } ¦sync; };\nint use(T t) { t.sync.a = 3; return t.sync.a; }", "'sync' is a keyword"),
    ("struct T { int a; };\nint use(T t) { t.¦export = 3; t.export = 4; return t.export; }", "'export' is a keyword"),
    ("struct ¦__attribute__((aligned(16))) T { int a; };\nint use(T t) { return t.a; }", "behind its '}'"),
    ("int three ¦__attribute__((aligned(16))) = 3;\nint next() { return three; }", "in front"),
    ("int use(int a) ¦__attribute__((noinline)) { return a; }\nint next() { return use(3); }", "in front"),
    ("template <> int ¦use<int>(int a) { return a; }", "there is no template 'use"),
    ("template <typename T> T use(T a) { return a; }\ntemplate int ¦usee<float>(float a);", "there is no template 'usee'"),
    ("typedef ¦foo (*bar)(int);\nvoid next(bar a) { a(3); }", "unknown type 'foo'"),
    ("typedef int (*bar)(int, ¦;\nvoid next(bar a) { bar b = a; }", ""),
    ("typedef int (* uniform bar)(int, ¦);\nvoid next(bar a) { bar b = a; }", ""),
    ("typedef int bar[3 + ¦;\nvoid next(bar a) { bar b; }", ""),
    ("struct T { ¦foo (*a)(int); int b; };\nint use(T t) { t.a(1); return t.b; }", "unknown type 'foo'"),
    ("struct T { int a; float ¦3b; int c; };\nint use(T t) { t.b = 3; return t.c; }", "begin with a digit"),
    ('extern "C" uniform ¦foo use(uniform int a);\nint next(foo a) { return use(1); }', "unknown type 'foo'"),
    ('extern "C" { ¦foo use(uniform int a); }\nint next(int a) { return use(1); }', "unknown type 'foo'"),
    ("template <typename A> uniform ¦foo use(A a) { return a; }\nint next(int a) { return a; }", "unknown type 'foo'"),
    ("struct T { int a; const uniform ¦b; };\nint use(T t) { return t.a; }", "a type is missing in front"),
    ("¦task use() { }\nint next() { return 1; }", "'task void'"),
    ("¦foo (*use)(int);\nint next() { return use(1); }", "unknown type 'foo'"),
    ("template <typename A ¦void use(A a) { }\nvoid next() { use(1); use<int>(2); }", "'>' missing"),
    ("typedef ¦foo bar;\nbar next(bar a) { return a; }", "unknown type 'foo'"),
    ("¦vec3 use(int a) { return a; }\nvec3 next(vec3 a) { return a; }", "unknown type 'vec3'"),
    ('extern ¦"C++" { int use(int a); }', "linkage"),
    ("static inline (¦int a) { }\nint next() { return 1; }", "found 'int'"),
    ("export void use(uniform int a[] ¦] ) { }\nint next() { return 1; }", "found ']'"),
    ("struct T { int a; };\n¦API T use(T t);\nAPI int next(T t);\nAPI unmasked T one(T t) { return t; }", "not defined"),
    ("static ¦API int use(int a) { return a; }\nextern API int next(int a);", "not defined"),
    ("struct T { int a; T(¦int b) { a = b; } };\nint use(T t) { return t.a; }", "no constructors"),
    ("struct T { int a ¦: 3; int b; };\nint use(T t) { return t.b; }", "no bit-fields"),
    ("struct T { int a ¦= 3; int b; };\nint use(T t) { return t.b; }", "no values of their own"),
    ("struct T { int a; };\nint use() { T t = { ¦.a = 1 }; return t.a; }", "order of the members"),
    ("enum F ¦: uint8 { F1 };\nint next() { return 1; }", "leave the type out"),
    ("enum F { F1 };\nint use() { return ¦F::F1; }", "no scope"),
    ("void use(float * ¦restrict a) { *a = 1; }", "leave it out"),
    ("int use(int a, ¦...) { return a; }", "as many parameters"),
    ("struct T { ¦API float a; API T * b; };\nint use(T t) { return t.a; }", "not defined"),
    ("void use(¦API float * a, API float * b) { *a = *b; }", "not defined"),
    ('¦API extern "C" void use(uniform int n);\nAPI extern uniform int next;', "not defined"),
    ("¦API\ntypedef int bar;\nAPI\nstruct T { int a; };\nAPI enum F { F1 };\nbar use(T t) { return t.a + F1; }", "not defined"),
    ("¦*/ int next() { return 1; }", "'/*' missing"),
)


def program(*parts: str) -> tuple[str, list[tuple[int, int]]]:
    """The text of a file of parts, and the places marked in it."""
    text = "\n".join(parts)
    places = []
    while "¦" in text:
        before, text = text.split("¦", 1)
        places.append((before.count("\n") + 1, len(before) - before.rfind("\n")))
        text = before + text
    return text, places


def in_function(row: Row, number: int = 0) -> str:
    body = row[0].replace("more", f"more{number}").replace("\n", "\n    ").replace("    void", "void")
    return f"void body{number}(int q, int n, uniform int data[]) {{\n    {body}\n    q = 7;\n}}"


def at_file_scope(row: Row, number: int = 0) -> str:
    return re.sub(r"\b(use|next|one|two|three|T|F|F1|F2|bar)\b", rf"\g<1>_{number}", row[0])


def errors(text: str) -> list[tuple[int, int, str]]:
    diagnostics = Diagnostics()
    with pytest.raises(CompileError):
        compile_source(text, "t.ispc", OPTIONS, diagnostics, end="check")
    found = [item for item in diagnostics.items if item.kind in ("Error", "error")]
    return [(item.span.line, item.span.column, item.text) for item in found]


TYPE_ERROR = "int last(int a) { return ¦never_declared; }"


@pytest.mark.parametrize("row", STATEMENTS, ids=[row[0] for row in STATEMENTS])
def test_a_mistake_in_a_function_is_one_message_and_the_rest_is_checked(row: Row) -> None:
    text, places = program("float before(float a) { return a; }", in_function(row), TYPE_ERROR)
    found = errors(text)
    assert [(line, column) for line, column, _ in found] == places, found
    assert row[1] in found[0][2]
    assert "never_declared" in found[1][2]


@pytest.mark.parametrize("row", DECLARATIONS, ids=[row[0] for row in DECLARATIONS])
def test_a_mistake_outside_of_functions_is_one_message_and_the_rest_is_checked(row: Row) -> None:
    text, places = program("float before(float a) { return a; }", at_file_scope(row), TYPE_ERROR)
    found = errors(text)
    assert [(line, column) for line, column, _ in found] == places, found
    assert row[1] in found[0][2]
    assert "never_declared" in found[1][2]


def test_three_mistakes_in_a_file_are_three_messages() -> None:
    """Any three rows; of one unknown type, which is told once, only one; none follows those that leave a bracket open."""
    chance = random.Random(5)
    rows = [(in_function, row) for row in STATEMENTS] + [(at_file_scope, row) for row in DECLARATIONS]
    for _ in range(150):
        chosen = chance.sample(rows, 3)
        if sum("'foo'" in row[1] for _, row in chosen) > 1:
            continue
        parts = [make(row, number) for number, (make, row) in enumerate(chosen)]
        text, places = program("float before(float a) { return a; }", *parts, TYPE_ERROR)
        found = errors(text)
        assert sorted((line, column) for line, column, _ in found) == places, (text, found)
        assert "never_declared" in found[-1][2]


@pytest.mark.parametrize("pair", list(itertools.permutations(STATEMENTS, 2))[::97], ids=str)
def test_two_mistakes_in_a_function_are_two_messages(pair: tuple[Row, Row]) -> None:
    first, second = pair
    text, places = program(
        "float before(float a) { return a; }",
        in_function((first[0] + "\n" + re.sub(r"\bp\b", "other", second[0]), "")),
        TYPE_ERROR,
    )
    found = errors(text)
    assert len(found) == len(places), (text, found)


@pytest.mark.parametrize("lines", range(2, 9))
def test_a_file_that_is_cut_is_one_message_at_its_end(lines: int) -> None:
    whole = (
        "int one() { return 1; }\nint two(int q) {\n  for (int i = 0;\n  i < q; ++i) {\n"
        "    q += i;\n    if (q > 1)\n      q = (2\n    + 3"
    )
    text = TYPE_ERROR.replace("¦", "") + "\n" + "\n".join(whole.split("\n")[:lines])
    found = errors(text)
    assert len(found) == 2, found
    assert "the input stops too early" in found[0][2]
    assert found[0][0] == lines + 1
    assert "never_declared" in found[1][2]
