"""Directives: conditions, includes, lines, pragmas and their mistakes (language 3)."""

from pathlib import Path

import pytest
from sources import OPTIONS, message, messages, preprocessed, tokens

from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.messages.message import Span
from voltac.syntax import preprocess


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("1 + 2 * 3 == 7", True),
        ("(1 ? 2 : 3) == 2 && -1 < 0", True),
        ("-1 > 0u", True),
        ("-1 < 0u", False),
        ("(2 || 1/0) && !(0 && 1/0)", True),
        ("0x7fffffffffffffff + 1u > 0", True),
        ("(1 << 3 | 4 ^ 1) == 13", True),
        ("-7 / 2 == -3 && -7 % 3 == -1", True),
        ("~0ull == 18446744073709551615u", True),
        ("'A' == 65 && '\\n' == 10", True),
        ("010 == 8 && 0x10 == 16 && 0b11 == 3", True),
        ("UNKNOWN", False),
        ("defined X && defined(X) && !defined Y", True),
        ("X == 7", True),
        ("F(3) == 4", True),
        ("defined __LINE__ && defined ISPC", True),
        ("defined(__has_include) && __has_include(<short_vec.isph>) && !__has_include(<nothing.isph>)", True),
        ("defined __has_builtin && defined(__has_attribute) && !__has_builtin(__builtin_expect)", True),
        ('__has_attribute(noinline) || __has_feature(cxx_rtti) || __has_extension(x) || __has_warning("-Wall")', False),
        ("__has_cpp_attribute(gnu::noinline) || __has_c_attribute(x) || __has_declspec_attribute(x)", False),
        ("10 - 4 - 3 == 3", True),
        ("1 ? 0 : 1", False),
        ("0 ? 1 : 0 ? 1 : 2", True),
        ("true && !false", True),
        ("1 == 1 == 1", True),
        ("-8 >> 1 == -4", True),
    ],
)
def test_conditions_have_the_values_of_c(condition: str, value: bool) -> None:
    text = f"#define X 7\n#define F(a) ((a) + 1)\n#if {condition}\nyes\n#else\nno\n#endif"
    assert tokens(text) == ["yes" if value else "no"]


def test_a_header_may_define_the_questions_itself() -> None:
    text = "#ifndef __has_builtin\n#define __has_builtin(x) 0\n#endif\n#undef __has_feature\n#define __has_feature(x) 1\n"
    assert tokens(text + "#if !__has_builtin(a) && __has_feature(b)\nyes\n#endif") == ["yes"]


def test_exactly_one_group_is_read() -> None:
    text = "#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\n#ifdef X\ne\n#elifndef X\nf\n#endif"
    assert tokens(text) == ["b", "f"]


def test_groups_nest_and_skipped_text_is_not_looked_at() -> None:
    text = "#if 0\n' \" @ #bad (\n#if 1\nx\n#else\ny\n#endif\n#elif 1\nz\n#endif"
    assert tokens(text) == ["z"]


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a\n#endif", 2, "#endif without #if"),
        ("#else", 1, "#else without #if"),
        ("x\n#if 1\ny", 2, "#endif is missing"),
        ("#if 1\n#else\n#else\n#endif", 3, "#else after #else"),
        ("#if\n#endif", 1, "no condition"),
        ("#if 1 +\n#endif", 1, "value is missing"),
        ("#if (1\n#endif", 1, "')' is missing"),
        ("#if 1 2\n#endif", 1, "not expected"),
        ("#if 1/0\n#endif", 1, "division by zero"),
        ("#if defined\n#endif", 1, "macro name"),
        ("#if " + "(" * 5000 + "1" + ")" * 5000 + "\n#endif", 1, "nested too deeply"),
        ("#ifdef\n#endif", 1, "macro name"),
        ("x\n#error no good // c", 2, "no good"),
        ('#include "missing.isph"', 1, "'missing.isph' file not found"),
        ("#include", 1, "expects"),
        ("#defin X", 1, "did you mean 'define'?"),
        ("#line x", 1, "line number"),
        ("a /* b", 1, "not closed"),
        ("#undef 3", 1, "macro name"),
    ],
)
def test_mistakes_are_errors_of_the_preprocessor(text: str, line: int, part: str) -> None:
    found = message(text)
    assert (found.kind, found.line) == ("error", line)
    assert part in found.text


@pytest.mark.parametrize(
    ("marked", "part"),
    [
        ("#if 1 + ¦x(3)\n#endif", "not a function-like macro"),
        ("#if 7 ¦/ (1 - 1)\n#endif", "division by zero"),
        ("#if 1 +¦ \n#endif", "value is missing"),
        ("#if (1¦\n#endif", "')' is missing"),
        ("#if 1 ? 2¦\n#endif", "':' is missing"),
        ("#if 1 ¦) == 3\n#endif", "')' without '('"),
        ("#if 1 == ¦1.5\n#endif", "not"),
        ('#if ¦"a"\n#endif', "not expected"),
        ("#if 1 == ¦089\n#endif", "octal"),
        ("#if ¦defined 3\n#endif", "macro name"),
        ("#if ¦defined(X\n#endif", "')' is missing"),
        ("#if 1 \\\n  + ¦$\n#endif", "not expected"),
        ("#define F(x) x\n#if ¦F(1\n#endif", "not closed"),
        ("#ifdef ¦3\n#endif", "macro name"),
        ("#undef ¦3", "macro name"),
        ('  #  include ¦"none.isph"', "file not found"),
        ("#include ¦none.isph", "expects"),
        ('#include ¦""', "expects"),
        ("¦#elif 1", "#elif without #if"),
        ("#if 1\n#else\n¦#elif 1\n#endif", "after #else"),
        ("int a; /* x */ ¦/* y\n", "not closed"),
        ("¦#define F(x", "')' is missing"),
        ("#define F(x) x\nint a = ¦F(1;\n\n", "not closed"),
        ("int a = ¦_Pragma(3);", "_Pragma takes a string"),
    ],
)
def test_a_mistake_is_one_message_at_its_place(marked: str, part: str) -> None:
    before, after = marked.split("¦")
    found = message(before + after)
    assert (found.kind, found.line, found.column) == ("error", before.count("\n") + 1, len(before) - before.rfind("\n"))
    assert part in found.text


def test_text_behind_a_directive_is_a_warning() -> None:
    found = messages("#ifndef X junk\n#else junk\n#endif junk\n#undef A B\n#endif\n"[:-7])
    assert [(item.kind, item.line, item.column) for item in found] == [
        ("warning", 1, 11),
        ("warning", 2, 7),
        ("warning", 3, 8),
        ("warning", 4, 10),
    ]


def test_conditions_in_skipped_text_are_not_evaluated() -> None:
    assert tokens("#if 1\na\n#elif 1 / 0 garbage (\n#endif\n#if 0\n#if )(\n#elif 3 $\n#endif\n#endif") == ["a"]


def test_an_operator_makes_pragmas() -> None:
    text = '#define UNROLL(n) _Pragma("unroll " #n)\n#define LOOP(n) UNROLLED(n) for\n#define UNROLLED(n) UNROLL(n)\n'
    assert tokens(text.replace('"unroll " #n', "#n") + "UNROLL(unroll 4) for (;;) ;")[0] == "#pragma unroll 4"
    assert tokens('a; _Pragma ( "nounroll" ) for (;;) ;')[:4] == ["a", ";", "#pragma nounroll", "for"]
    found = message('int a; _Pragma("omp parallel") int b;')
    assert (found.kind, found.line, found.column) == ("Warning", 1, 8)
    assert tokens("#ifdef _Pragma\nno\n#endif") == []


def test_an_error_looks_like_clangs() -> None:
    diagnostics = Diagnostics()
    with pytest.raises(CompileError):
        preprocess("x\n  #error stop\n", "k.ispc", OPTIONS, diagnostics)
    assert diagnostics.render() == "k.ispc:2:3: error: stop\n    2 |   #error stop\n      |   ^~~~~~~~~~~\n"


def test_preprocessor_errors_can_be_ignored() -> None:
    assert tokens("#error stop\nx", ignore_preprocessor_errors=True) == ["x"]


def test_a_warning_does_not_stop() -> None:
    found = message("#warning careful\nint x;")
    assert (found.kind, found.line, found.text) == ("warning", 1, "careful")


def test_a_different_definition_is_a_warning_the_same_is_not() -> None:
    assert [found.line for found in messages("#define A 1 + 2\n#define A 1   + 2\n#define A 3\n")] == [3]


def test_include_searches_beside_the_file_then_the_directories(tmp_path: Path) -> None:
    for directory in ("main", "first", "second"):
        (tmp_path / directory).mkdir()
    (tmp_path / "main" / "a.isph").write_text("beside\n")
    (tmp_path / "first" / "a.isph").write_text("first\n")
    (tmp_path / "second" / "a.isph").write_text("second\n")
    (tmp_path / "second" / "b.isph").write_text('#include "c.isph"\nb\n')
    (tmp_path / "second" / "c.isph").write_text("c\n")
    text = '#include "a.isph"\n#include <a.isph>\n#include "b.isph"\n#define H <a.isph>\n#include H\n'
    directories = (str(tmp_path / "first"), str(tmp_path / "second"))
    result = preprocessed(text, str(tmp_path / "main" / "m.ispc"), include_directories=directories)
    assert result.texts == ["beside", "first", "c", "b", "first"]
    names = ["main/m.ispc", "main/a.isph", "first/a.isph", "second/b.isph", "second/c.isph"]
    assert result.dependencies == [str(tmp_path / name) for name in names]


def test_a_file_knows_how_deep_it_is_and_what_includes_it(tmp_path: Path) -> None:
    (tmp_path / "b.isph").write_text("__INCLUDE_LEVEL__\n")
    (tmp_path / "a.isph").write_text('#include "b.isph"\n__INCLUDE_LEVEL__ __BASE_FILE__\n')
    main = str(tmp_path / "main.ispc")
    found = preprocessed('__INCLUDE_LEVEL__\n#include "a.isph"\n__INCLUDE_LEVEL__', main).texts
    assert found == ["0", "2", "1", f'"{main}"', "0"]


def test_tokens_of_an_included_file_have_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.isph").write_text("\n  x\n")
    result = preprocessed('#include "a.isph"\ny\n', str(tmp_path / "m.ispc"))
    assert [(Path(span.file).name, span.line, span.column) for span in result.spans] == [("a.isph", 2, 3), ("m.ispc", 2, 1)]


def test_guards_and_pragma_once_stop_an_include_loop(tmp_path: Path) -> None:
    (tmp_path / "a.isph").write_text('#ifndef A\n#define A\n#include "b.isph"\na\n#endif\n')
    (tmp_path / "b.isph").write_text('#pragma once\n#include "a.isph"\n#include "b.isph"\nb\n')
    assert preprocessed('#include "a.isph"\n#include "b.isph"\n', str(tmp_path / "m.ispc")).texts == ["b", "a"]


def test_an_include_loop_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "a.isph").write_text('#include "a.isph"\n#include "a.isph"\n')
    diagnostics = Diagnostics()
    with pytest.raises(CompileError):
        preprocess('#include "a.isph"\n', str(tmp_path / "m.ispc"), OPTIONS, diagnostics)
    assert len(diagnostics.items) == 1
    assert "nested too deeply" in diagnostics.items[0].text


def test_an_included_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.isph").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CompileError, match="is not UTF-8"):
        preprocessed('#include "a.isph"\n', str(tmp_path / "m.ispc"))


def test_pragma_once_in_the_main_file_is_a_warning() -> None:
    assert message("#pragma once\nint x;").kind == "warning"


def test_line_directives_and_markers_set_positions() -> None:
    result = preprocessed('a\n#line 50\nb\n# 7 "other.h" 1 2\nc\n#define N 9\n#line N "third"\n\nd __LINE__ __FILE__\n')
    places = [(span.file, span.line) for span in result.spans[:4]]
    assert places == [("t.ispc", 1), ("t.ispc", 50), ("other.h", 7), ("third", 10)]
    assert result.texts[4:] == ["10", '"third"']


def test_lines_are_counted_through_continuations_and_comments() -> None:
    result = preprocessed("a \\\n  b \\\n c\n/* x\n y */ d // e \\\n f\n  g\n")
    assert result.texts == ["a", "b", "c", "d", "g"]
    assert [(span.line, span.column) for span in result.spans] == [(1, 1), (2, 3), (3, 2), (5, 7), (7, 3)]


def test_pragmas_that_mean_something_survive() -> None:
    assert tokens("#define N 4\n#pragma unroll N\n#pragma nounroll\n#pragma\n") == ["#pragma unroll 4", "#pragma nounroll"]


def test_an_unknown_pragma_is_a_warning() -> None:
    found = message("int x;\n#pragma omp parallel\n")
    assert (found.kind, found.line) == ("Warning", 2)
    assert "no effect" in found.text


def silenced(text: str, switch: str) -> list[int]:
    """The lines on which the pragmas of a text silence a warning."""
    diagnostics = Diagnostics()
    preprocess(text, "t.ispc", OPTIONS, diagnostics)
    lines = range(1, text.count("\n") + 3)
    return [line for line in lines if not diagnostics.gives(switch, Span("t.ispc", line, 1, line, 2))]


def test_ignored_warnings_are_those_of_the_next_line() -> None:
    text = "#pragma ignore warning\na\n#pragma ignore warning(perf)\nb\n#pragma ignore warning( all )\n"
    assert silenced(text, "shadow") == [2, 6]
    assert silenced(text, "perf") == [2, 4, 6]


def test_warnings_are_ignored_by_name() -> None:
    text = "#pragma ignore warning(shadow, bounds)\na\n#pragma ignore warning(shadow)\n#pragma ignore warning(perf)\nb\n"
    assert silenced(text, "shadow") == [2, 4, 5]
    assert silenced(text, "bounds") == [2]
    assert silenced(text, "perf") == [5]


def test_regions_of_ignored_warnings_nest_and_end_with_the_file() -> None:
    begin, end = "#pragma ignore warning begin", "#pragma ignore warning end\n"
    text = f"a\n{begin}(shadow)\nb\n{begin}\nc\n{end}d\n{end}e\n{begin}(bounds)\nf\n"
    assert silenced(text, "shadow") == [2, 3, 4, 5, 6, 7, 8]
    assert silenced(text, "overflow") == [4, 5, 6]
    assert silenced(text, "bounds") == [4, 5, 6, 10, 11, 12, 13]
    assert "has no '#pragma ignore warning begin'" in message(end).text


def test_an_unknown_warning_in_a_pragma_is_an_error_that_names_the_known() -> None:
    assert "unknown argument 'most'" in message("#pragma ignore warning(most)\n").text
    assert "did you mean 'shadow'" in message("#pragma ignore warning(shadw)\n").text
    assert message("#pragma ignore warning(most)\n").kind == "Error"


def test_without_the_preprocessor_only_markers_are_obeyed() -> None:
    result = preprocessed('# 5 "a.h"\nN\n', preprocess=False)
    assert result.texts == ["N"]
    assert (result.spans[0].file, result.spans[0].line) == ("a.h", 5)
    assert "0x23" in messages("#define N 3\n", preprocess=False)[0].text


def test_null_directives_are_nothing() -> None:
    assert tokens("#\n # \nx") == ["x"]


def test_line_ends_of_windows_are_line_ends() -> None:
    assert tokens("#define A \\\r\n 1\r\nA\r\n// c\r\nb") == ["1", "b"]


def test_lines_are_counted_behind_comments_in_directives() -> None:
    macro = "#define M(x) x /* a \\\n b */ \\\n + 1 // c \\\n d\n/* e\n f */ y\n"
    assert [span.line for span in preprocessed(f"{macro}z /* g\n */ M(\n2)").spans] == [6, 7, 9, 8, 8]
    assert message(f"{macro}#error here").line == 7
    text = "#if /* a\n b */ 1 /* c \\\n */ \\\n\n#error here\n#endif"
    assert message(text).line == 5


def test_comments_are_blanks_in_preprocessed_text() -> None:
    text = "#define M(x) #x 1 /* a \\\n b */ \\\n + 1 // c\nM(a/* d\n */b) e /* f\n*/ g\n"
    result = preprocessed(text)
    lines = [" ".join(line.split()) for line in result.text.splitlines()]
    assert lines == ['# 1 "t.ispc"', "", "", "", '"a b" 1 + 1', "e", "g"]
    assert "#define M(x) #x 1 + 1" in (" ".join(line.split()) for line in result.macros_text.splitlines())
