"""Extreme texts through the whole compiler: they compile, or are one clear error; in bounded time and memory."""

import gc
import time
from pathlib import Path

import pytest

from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("avx2-i32x8"), level=0)
DESCRIBED = Options(target=find_target("avx2-i32x8"), level=0, debug_info=True)
HEAD = "export void f(uniform int a[], uniform int n) { "
SECONDS = 8.0
"""Of processor time: 5 as for every bad input (at most 4.3 measured), and room where two hardware threads share a core."""

RIGHT = {
    "parentheses": HEAD + "a[0] = " + "(" * 900 + "n" + ")" * 900 + "; }",
    "braces": HEAD + "{" * 900 + "a[0] = 1;" + "}" * 900 + "}",
    "uniform ifs": HEAD + "if (n > 1) " * 900 + "a[0] = 1; }",
    "varying ifs": HEAD + "int v = programIndex + n;" + "if (v > 1) " * 200 + "v++; a[programIndex] = v; }",
    "else if": HEAD + "".join(f"if (n == {i}) a[{i}] = {i}; else " for i in range(300)) + "a[0] = 1; }",
    "a long sum": HEAD + "a[0] = n" + " + n" * 5_000 + "; }",
    "calls": "int g(int x) { return x; } " + HEAD + "a[programIndex] = " + "g(" * 200 + "n" + ")" * 200 + "; }",
    "assignments": HEAD + "int b = 0; " + "b = " * 900 + "1; a[programIndex] = b; }",
    "indices": HEAD + "a[0] = " + "a[" * 900 + "0" + "]" * 900 + "; }",
    "structs in structs": "struct S0 { int a; };\n"
    + "".join(f"struct S{i} {{ S{i - 1} a; }};\n" for i in range(1, 300))
    + "export void f(uniform int a[]) { uniform S299 s; a[0] = s"
    + ".a" * 300
    + "; }",
    "a long line": HEAD + "a[0] = 1; " * 2_000 + "}",
    "a long initializer": "static uniform int x[] = {" + "1, " * 10_000 + "}; " + HEAD + "a[0] = x[n]; }",
    "a long name": HEAD + "int " + "b" * 1_000_000 + " = 3; a[0] = 1; }",
    "long names that differ at their ends": HEAD
    + "".join(f"int {'b' * 5_000}{i} = {i} + n; " for i in range(9))
    + "a[0] = n; }",
    "long labels": HEAD
    + "".join(f"if (n > {i}) goto {'b' * 5_000}{i}; " for i in range(9))
    + "".join(f"{'b' * 5_000}{i}: a[0] += {i}; " for i in range(9))
    + "}",
    "a long string": HEAD + 'print("' + "x" * 200_000 + '"); }',
    "a long float": HEAD + "a[0] = 0." + "1" * 1_000_000 + "; }",
    "a long exponent": HEAD + "a[0] = (int)(1e" + "9" * 100_000 + " + 0x1p-" + "9" * 100_000 + "); }",
    "many macro arguments": "#define M(...) __VA_ARGS__\nstatic uniform int b[] = { M("
    + "1, " * 20_000
    + "1) }; "
    + HEAD
    + "}",
    "many conditionals": "#if 1\n" * 10_000 + HEAD + "}\n" + "#endif\n" * 10_000,
    "a macro in a macro": "#define D(x) x\n" + HEAD + "D(" * 140 + "a[0] = 1;" + ")" * 140 + "}",
    "line ends of Windows": HEAD + "\r\na[0] = 1;\r\n#define X \\\r\n 3\r\na[1] = X; }\r\n",
    "line ends of old systems": HEAD + "\ra[0] = 1; // c\ra[1] = 2; }\r",
    "a byte order mark": "\ufeff" + HEAD + "a[0] = 1; }",
    "text of all languages": "// héllo 世\n/* 😀 */" + HEAD + 'print("hé 世 😀\\n"); }',
    "zero bytes in a comment": "// \0 \n/* \0 */ " + HEAD + "}",
    "form feeds": "\f\v" + HEAD + "\fa[0] = 1;\v}\n\f#define X 1\n",
    "no newline at the end": HEAD + "a[0] = 1; } // c",
    "a backslash at the end": HEAD + "a[0] = 1; } \\",
    "a backslash behind every character": "\\\n".join(HEAD + "a[0] = 1; }"),
    "nothing but backslashes": "\\\n" * 100_000,
    "nothing but newlines": "\n" * 100_000,
    "an array of terabytes that is not used": "static uniform int8 b[1000000][1000000]; " + HEAD + "a[0] = 1; }",
}

WRONG = {
    # text with the place of the error marked -> words of the message
    "parentheses": (HEAD + "a[0] = " + "(" * 10_000 + "n" + ")" * 10_000 + "; }", "nested too deeply"),
    "braces": (HEAD + "{" * 10_000 + "a[0] = 1;" + "}" * 10_000 + "}", "nested too deeply"),
    "ifs": (HEAD + "if (n > 1) " * 10_000 + "a[0] = 1; }", "nested too deeply"),
    "loops": (HEAD + "while (n > 1) " * 100 + "¦" + "while (n > 1) " * 200 + "n++; }", "the limit is 100"),
    "an integer of a million digits": (HEAD + "a[0] = ¦" + "1" * 1_000_000 + "; }", "does not fit"),
    "a hexadecimal one": (HEAD + "a[0] = ¦0x" + "1" * 1_000_000 + "; }", "does not fit"),
    "an octal one": (HEAD + "a[0] = ¦0" + "1" * 1_000_000 + "; }", "does not fit"),
    "macros that double": (
        "#define A0 x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 64)) + "¦A63\n",
        "too large",
    ),
    "arguments that double": ("#define D(x) x x\n" + HEAD + "D(" * 40 + "a[0] = 1;" + ")" * 40 + "}", "too large"),
    "strings that double": ("#define S(x) #x #x\n#define T(x) S(x)\n" + HEAD + "T(" * 60 + "a" + ")" * 60 + "}", "characters"),
    "names that double": ("#define P(x) x##x\n#define Q(x) P(x)\n" + HEAD + "Q(" * 60 + "a" + ")" * 60 + "}", "characters"),
    "macro uses in macro uses": ("#define D(x) x\n" + HEAD + "D(" * 1_000 + "1" + ")" * 1_000 + "}", "nested too deeply"),
    "a condition of parentheses": ("#if " + "(" * 10_000 + "1" + ")" * 10_000 + "\n#endif\n", "nested too deeply"),
    "a condition of selections": ("#if " + "1 ? 1 : " * 10_000 + "1\n#endif\n", "nested too deeply"),
    "a zero byte": ("int a;¦\0int b;", "(0x00)"),
    "a byte order mark inside": (HEAD + "¦\ufeffa[0] = 1; }", "0xef 0xbb 0xbf"),
    "a name with an accent": (HEAD + "int h¦é = 3; }", "'é' (0xc3 0xa9)"),
    "a blank that does not break": (HEAD + "¦\u00a0 a[0] = 1; }", "0xc2 0xa0"),
    "such a blank before a directive": ("¦\u00a0#define X 1\n", "0xc2 0xa0"),
    "a line separator": (HEAD + "a[0]¦\u2028= 1; }", "0xe2 0x80 0xa8"),
    "a backslash": (HEAD + "a[0] = ¦\\ 1; }", "invalid character '\\'"),
    "functions never closed": ("void f() ¦{".replace("¦", "") * 10_000, "inside another"),
    "parentheses alone": ("¦" + ")" * 100_000, "there is no '('"),
    "structs never closed": ("struct S { " * 900, "stops too early"),
    "a soa width out of this world": ("struct S { int a; }; ¦soa<1000000> S x[3];", "power of two"),
}


def compiled(text: str, file: str = "t.ispc", options: Options = OPTIONS) -> list[tuple[int, int, str]]:
    """The errors of a text, which took no more processor time than allowed."""
    diagnostics = Diagnostics()
    started = time.process_time()
    gc.disable()  # as the command line does; here it would look through what all other tests have left
    try:
        compile_source(text, file, options, diagnostics).optimized.object_code()
    except CompileError:
        assert diagnostics.error_count
    finally:
        gc.enable()
    assert time.process_time() - started < SECONDS
    diagnostics.render()
    errors = [item for item in diagnostics.items if item.kind in ("Error", "error")]
    return [(item.span.line, item.span.column, item.text) for item in errors]


@pytest.mark.parametrize("options", [OPTIONS, DESCRIBED], ids=["plain", "described"])
@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT.keys())
def test_an_extreme_program_that_is_right_compiles(text: str, options: Options) -> None:
    assert compiled(text, options=options) == []


@pytest.mark.parametrize(("marked", "part"), WRONG.values(), ids=WRONG.keys())
def test_an_extreme_program_that_is_wrong_is_one_error(marked: str, part: str) -> None:
    before, mark, after = marked.partition("¦")
    ((line, column, text),) = compiled(before + after)
    assert part in text
    if mark:
        assert (line, column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))


def test_macros_of_many_lines_end_in_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voltac.syntax.expansion._LARGEST_TOTAL", 20_000)
    macros = "#define A0 x;\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 11))
    ((_, _, text),) = compiled(macros + HEAD + "A10\n" * 1000 + "}")
    assert "more than 20000 tokens" in text


def test_a_hundred_levels_of_includes_work_and_a_loop_is_one_error(tmp_path: Path) -> None:
    for level in range(100):
        below = f'#include "i{level + 1}.isph"\n' if level < 99 else ""
        (tmp_path / f"i{level}.isph").write_text(f"#pragma once\n{below}static inline int g{level}(int x) {{ return x; }}\n")
    main = str(tmp_path / "main.ispc")
    assert compiled('#include "i0.isph"\n' + HEAD + "a[programIndex] = g99(g0(n)); }", main) == []
    (tmp_path / "loop.isph").write_text('#include "loop.isph"\n')
    ((_, _, text),) = compiled('#include "loop.isph"\n', main)
    assert "nested too deeply" in text


def test_an_error_a_hundred_includes_deep_has_its_own_place(tmp_path: Path) -> None:
    for level in range(100):
        below = f'#include "i{level + 1}.isph"\n' if level < 99 else "int x = ;\n"
        (tmp_path / f"i{level}.isph").write_text(below)
    ((line, column, text),) = compiled('#include "i0.isph"\n', str(tmp_path / "main.ispc"))
    assert (line, column) == (1, 9)
    assert "a value is missing" in text
