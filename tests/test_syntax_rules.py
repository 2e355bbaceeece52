"""Each rule of sections 2 to 4 of the language that says a text is wrong: the wrong text, one message, its place.

``¦`` marks the place. Rules of the preprocessor are in ``syntax/test_directives.py``, most literals in ``test_literals.py``.
"""

import pytest

from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("avx2-i32x8"))

ERRORS: tuple[tuple[str, str, str], ...] = (
    # section, text, words of the message
    ("2.1 a comment that is not closed", "int a; ¦/* b", "not closed"),
    ("2.1 comments do not nest", "/* a /* b */ ¦c */ int d;", ""),
    ("2.2 names begin with a letter", "int ¦9a;", "begin with a digit"),
    *(
        ("2.3 there is no such type", f"void f() {{ ¦{word} a; }}", word)
        for word in ("char", "short", "long", "volatile", "register", "union", "auto", "class")
    ),
    *(
        (f"2.3 '{word}' is reserved", f"void f() {{ int ¦{word}; }}", f"'{word}' is a keyword")
        for word in ("in", "print", "sync", "foreach", "launch", "NULL", "true", "typename", "delete", "sizeof", "__assert")
    ),
    ("2.3 'task' is reserved", "void f() { ¦int task; }", "for functions only"),
    ("2.3 'soa' is reserved", "void f() { int soa¦; }", "found ';'"),
    ("2.3 'delete' and '[' are apart", "void f() { uniform int * uniform p; delete ¦[] p; }", "'delete[]'"),
    (
        "2.3 'operator' is an identifier before a blank",
        "struct S { int a; };\nS operator ¦+(S a, S b) { return a; }",
        "found '+'",
    ),
    ("2.4 a multiplier precedes the type", "int a = ¦1uk;", "'uk' is not a suffix"),
    ("2.4 octal digits", "int a = ¦018;", "'8' is not an octal digit"),
    ("2.4 binary numbers begin with 0b", "int a = ¦0B1;", "suffix"),
    ("2.4 a constant of more than 64 bits", "int a = ¦99999999999999999999;", "does not fit"),
    ("2.5 a double has a point", "double a = ¦5d;", "'5.d'"),
    ("2.5 a half has a point", "float16 a = ¦5f16;", "'5.f16'"),
    ("2.5 a hexadecimal float has an exponent", "float a = ¦0x1.8;", "hexadecimal"),
    ("2.5 it begins with 0 or 1", "float a = ¦0x2p3;", "hexadecimal"),
    ("2.6 a string ends in its line", 'void f() { print(¦"a\n"); }', "not closed"),
    ("2.6 there is no string type", 'void f() { int a = ¦"b"; }', "found '\"b\"'"),
    ("2.6 there are no character literals", "void f() { int a = ¦'b'; }", "single quote"),
    ("2.6 unknown escapes", r'void f() { print(¦"\q"); }', r"'\q'"),
    ("2.7 '@' begins an intrinsic", "void f() { ¦@foo(1); }", "'@'"),
    *(("2.7 no such character", f"int a = 3 ¦{sign} 4;", f"(0x{ord(sign):02x})") for sign in "$`\\"),
    ("2.7 'new' is no operand", "void f() { int a; a = 1 + ¦new int; }", "found 'new'"),
    ("2.7 an assignment is no operand", "void f() { int a, b; a + b ¦= 3; }", "found '='"),
    ("3.2 a pragma before no loop", "void f() {\n¦#pragma unroll 4\nint a; }", "no loop follows"),
    ("3.2 a pragma before a block", "void f() {\n¦#pragma unroll\n{ } }", "no loop follows"),
    ("3.2 a pragma outside of functions", "¦#pragma unroll 4\nint a;", "no loop follows"),
    ("3.2 a count of 0", "void f() {\n¦#pragma unroll 0\nfor (;;) ; }", "positive"),
    ("3.2 a parenthesis is missing", "void f() {\n¦#pragma unroll (4\nfor (;;) ; }", "parenthesis"),
    ("3.2 two pragmas", "void f() {\n¦#pragma unroll 4\n#pragma nounroll\nfor (;;) ; }", "more than one"),
    ("3.2 an unknown argument", "¦#pragma ignore warning(some)\nint a;", "'some'"),
    ("4.1 a type name is no parameter", "typedef int T;\nvoid f(int ¦T);", "more than one type"),
    ("4.1 a type name is no variable", "struct T { int a; };\nvoid f() { int ¦T; }", "more than one type"),
    ("4.1 a template name is no value", "template <typename T> T g(T a);\nvoid f() { int a = g ¦+ 1; }", "found '+'"),
    ("4.2 one declaration in a linkage block", 'extern "C" { int f(); ¦int g(); }', "expected '}'"),
    ("4.2 two linkages", 'extern ¦"D" { int f(); }', "linkage"),
    ("4.2 a type to export", "export { ¦};", "found '}'"),
    ("4.3 (void) is no empty list", "int f(¦void) { return 1; }", "void"),
    ("4.3 enums are not empty", "enum E { ¦};", "expected identifier"),
    ("4.3 no bit-fields", "struct S { int a ¦: 3; };", "found ':'"),
    ("4.3 no methods", "struct S { int f() ¦{ return 1; } };", "no functions"),
    ("4.3 no variadic functions", "void f(int a, ¦...) { }", "found '...'"),
    ("4.3 no designated initializers", "struct S { int a; };\nvoid f() { S s = { ¦.a = 1 }; }", "found '.'"),
    ("4.3 no old definitions", "int f(¦a) int a; { return a; }", "found identifier 'a'"),
    ("4.3 'signed' behind a type of a member", "struct S { int ¦unsigned a; };", "found 'unsigned'"),
    ("4.3 a member has a name", "struct S { int ¦; };", "name"),
    ("4.3 no initial values of members", "struct S { int a ¦= 3; };", "found '='"),
    ("4.3 attributes have two parentheses", "__attribute__(¦noinline) int f();", "expected '('"),
    (
        "4.4 the first '>' ends template arguments",
        "template <int N> int g() { return N; }\nint f() { return g<2 > ¦1>(); }",
        "found '1'",
    ),
    ("4.4 no default arguments", "template <typename T ¦= int> T g(T a) { return a; }", "found '='"),
    ("4.4 no struct templates", "template <typename T> ¦struct S { T a; };", "only functions can be templates"),
    ("4.4 a template has parameters", "template <¦T> T g(T a) { return a; }", ""),
    ("4.5 a label has a statement", "void f() { done: ¦}", "found '}'"),
    ("4.5 a condition is no declaration", "void f() { if (¦int a = 3) ; }", "found 'int'"),
    ("4.5 'cdo' ends in 'while'", "void f() { cdo { } ¦cwhile (true); }", "expected 'while'"),
    ("4.5 no prototypes in functions", "void f() { int ¦g(int a); }", "local declaration"),
    ("4.5 no functions in functions", "void f() { int g(int a) ¦{ return a; } }", "inside another"),
    ("4.5 'unmasked' is not empty", "void f() { unmasked ¦{ } }", "empty"),
    ("4.5 'foreach' has no type", "void f() { foreach (¦int i = 0 ... 3) ; }", "found 'int'"),
    ("4.5 'foreach_active' has one name", "void f() { foreach_active (i¦, j) ; }", "expected ')'"),
    ("4.5 'foreach_unique' has 'in'", "void f() { foreach_unique (i ¦: programIndex) ; }", "expected 'in'"),
    ("4.5 'goto' has a name", "void f() { goto ¦1; }", "identifier"),
    ("4.5 'break' has no level", "void f() { for (;;) break ¦2; }", "expected ';'"),
    ("4.5 'print' begins with its text", "void f() { print(¦1); }", "string"),
    ("4.5 'else' has an 'if'", "void f() { ; ¦else ; }", "no 'if'"),
    ("4.5 two 'else'", "void f() { if (true) ; else ; ¦else ; }", "no 'if'"),
    ("4.6 no functional casts", "void f() { int a = ¦int(1.5); }", "cast"),
    ("4.6 no compound literals", "struct S { int a; };\nvoid f() { S s = (S)¦{ 1 }; }", "found '{'"),
    ("4.6 no statement expressions", "void f() { int a = (¦{ 1; }); }", "found '{'"),
    ("4.6 '?:' has a middle", "void f() { int a = 1 ?¦: 2; }", "middle"),
    ("4.6 the old launch", "task void t() { }\nvoid f() { launch ¦< t() >; }", "angle brackets"),
    ("4.6 a launch of four dimensions", "task void t() { }\nvoid f() { launch[1, 2, 3¦, 4] t(); }", "expected ']'"),
    ("4.6 a result is not called", "int g(int a) { return a; }\nvoid f() { g(1)¦(2); }", "found '('"),
    ("4.6 'sizeof' of a type in parentheses", "void f() { int a = sizeof ¦int; }", "sizeof(type)"),
    ("4.6 a member has a name", "struct S { int a; };\nvoid f() { S s; s¦.1; }", "found"),
    ("4.7 few possible tokens are listed", "void f() { goto ¦; }", "expected identifier"),
    ("4.7 tokens are in single quotes", "void f() { while ¦true) ; }", "found 'true'; expected '('"),
    ("4.7 the end of the file", "void f() { int a = 1;¦", "found end of file, the input stops too early"),
)


@pytest.mark.parametrize(("text", "part"), [row[1:] for row in ERRORS], ids=[row[0] for row in ERRORS])
def test_a_wrong_text_is_one_error_at_its_place(text: str, part: str) -> None:
    before, after = text.split("¦")
    diagnostics = Diagnostics()
    with pytest.raises(CompileError):
        compile_source(before + after, "t.ispc", OPTIONS, diagnostics, end="check")
    found = [item for item in diagnostics.items if item.kind in ("Error", "error")]
    places = [(item.span.line, item.span.column) for item in found]
    assert places == [(before.count("\n") + 1, len(before) - before.rfind("\n"))], diagnostics.render()
    assert part in found[0].text


WARNINGS = (
    ("2.3 old spellings", "void f() { for (;;) ¦cbreak; }", "'break'"),
    ("2.5 a float has a point", "float a = ¦5f;", "'5.f'"),
    ("3 '#pragma once' in the main file", "¦#pragma once\nint a;", "main file"),
    ("3.2 unknown pragmas", "¦#pragma omp simd\nint a;", "omp"),
)


@pytest.mark.parametrize(("text", "part"), [row[1:] for row in WARNINGS], ids=[row[0] for row in WARNINGS])
def test_a_doubtful_text_is_one_warning_at_its_place(text: str, part: str) -> None:
    before, after = text.split("¦")
    diagnostics = Diagnostics()
    compile_source(before + after, "t.ispc", OPTIONS, diagnostics, end="check")
    assert [(item.kind.lower(), item.span.line, item.span.column) for item in diagnostics.items] == [
        ("warning", before.count("\n") + 1, len(before) - before.rfind("\n"))
    ], diagnostics.render()
    assert part in diagnostics.items[0].text
