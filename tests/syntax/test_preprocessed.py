"""The result of preprocessing: predefined macros, text for -E, -dM, -dD, spans, comments."""

from pathlib import Path

import pytest
from sources import OPTIONS, REPOSITORY, message, preprocessed, tokens

from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import Expanded
from voltac.syntax import preprocess
from voltac.syntax.predefined import LLVM_VERSION
from voltac.target_info import find_target


def value(name: str, target: str = "avx2-i32x8") -> str:
    return " ".join(tokens(name, target=find_target(target)))


def test_predefined_macros_describe_the_compiler() -> None:
    names = "ISPC VOLTA ISPC_MAJOR_VERSION ISPC_MINOR_VERSION ISPC_POINTER_SIZE PI PREFETCH_DATASIZE_DEFAULT"
    assert value(names) == "1 1 1 32 64 3.1415926535 4"


@pytest.mark.parametrize(
    ("target", "width", "element", "mask", "macro"),
    [
        ("sse4-i32x4", "4", "4", "32", "SSE4"),
        ("avx2-i32x16", "16", "4", "32", "AVX2"),
        ("avx512skx-x16", "16", "4", "1", "AVX512SKX"),
        ("sse4-i8x16", "16", "1", "8", "SSE4"),
        ("avx2vnni-i32x8", "8", "4", "32", "AVX2VNNI"),
        ("sse2-i32x4", "4", "4", "32", "SSE2"),
        ("sse4.1-i16x8", "8", "2", "16", "SSE4"),
        ("avx1-i64x4", "4", "8", "64", "AVX"),
        ("avx512icl-x4", "4", "4", "1", "AVX512ICL"),
        ("avx512spr-x64", "64", "4", "1", "AVX512SPR"),
        ("avx512gnr-x8", "8", "4", "1", "AVX512GNR"),
        ("avx10.2dmr-x16", "16", "4", "1", "AVX10_2DMR"),
        ("avx10.2nvl-x64", "64", "4", "1", "AVX10_2NVL"),
        ("generic-i32x8", "8", "4", "32", "SSE2"),
        ("generic-i1x16", "16", "4", "1", "SSE2"),
        ("neon-i32x8", "8", "4", "32", "NEON"),
    ],
)
def test_predefined_macros_describe_the_target(target: str, width: str, element: str, mask: str, macro: str) -> None:
    assert value("TARGET_WIDTH TARGET_ELEMENT_WIDTH ISPC_MASK_BITS", target) == f"{width} {element} {mask}"
    result = preprocessed("", target=find_target(target)).macros_text
    assert [line for line in result.split("\n") if "ISPC_TARGET_" in line and "HAS" not in line] == [
        f"#define ISPC_TARGET_{macro} 1"
    ]


def test_half_macros_follow_the_target() -> None:
    names = ("ISPC_TARGET_HAS_HALF", "ISPC_TARGET_HAS_RAND", "ISPC_TARGET_HAS_FP16_SUPPORT")
    present = {
        target: [name in preprocessed("", target=find_target(target)).macro_table for name in names]
        for target in ("sse4-i32x4", "avx2-i32x8", "avx512spr-x16")
    }
    assert present == {
        "sse4-i32x4": [False, False, False],
        "avx2-i32x8": [True, True, False],
        "avx512spr-x16": [True, True, True],
    }


def test_the_version_of_llvm_is_that_of_llvmlite() -> None:
    binding = pytest.importorskip("llvmlite.binding")
    assert tuple(binding.llvm_version_info[:2]) == LLVM_VERSION


def test_macros_of_the_command_line_win_over_the_limits() -> None:
    assert tokens("A B INT8_MAX", defines=(("A", "1"), ("B", ""), ("INT8_MAX", "5"))) == ["1", "5"]


def test_macros_of_the_command_line_may_have_parameters() -> None:
    assert tokens("F(3)", defines=(("F(x)", "x + x"),)) == ["3", "+", "3"]
    assert "of the command line" in message("x", defines=(("defined", "1"),)).text
    for wrong in ("3", "F("):
        with pytest.raises(ValueError, match="cannot be the name of a macro"):
            tokens("x", defines=((wrong, "1"),))


def test_date_and_time_are_strings() -> None:
    date, time = tokens("__DATE__ __TIME__")
    assert len(date) == len('"Nov 21 2026"')
    assert len(time) == len('"12:00:00"')


def test_the_text_has_line_markers_and_lexes_to_the_same_tokens(tmp_path: Path) -> None:
    (tmp_path / "a.isph").write_text("int a;\n")
    text = '#define F(x) (x+x)\nint x = F(3);\n#include "a.isph"\nint y; // c\n\n\n\n\n\n\n\n\n\n\n\nint - -z;\n'
    result = preprocessed(text, str(tmp_path / "m.ispc"))
    again = preprocessed(result.text, "other.ispc", preprocess=False)
    assert again.texts == result.texts
    assert [(span.file, span.line) for span in again.spans] == [(span.file, span.line) for span in result.spans]


def test_expanded_tokens_never_run_together() -> None:
    text = "#define M -\n#define P +\n-M +P x M- 1.M.5 M>\n#define E e\n1 E M M"
    assert preprocessed(preprocessed(text).text, preprocess=False).texts == tokens(text)


def test_definitions_as_text() -> None:
    text = "#define A 1\n#define F(x, ...) x + __VA_ARGS__\n#undef ISPC\nint x = A;\n"
    result = preprocessed(text)
    assert "#define A 1\n#define F(x,...) x + __VA_ARGS__\n#undef ISPC\nint x = 1;\n" in result.text_with_definitions
    assert "#define F(x,...) x + __VA_ARGS__\n" in result.macros_text
    assert "#define ISPC 1\n" not in result.macros_text
    assert "#define" not in result.text


def test_a_token_from_a_macro_has_the_place_of_its_use() -> None:
    result = preprocessed("#define ADD(a) (a + 1)\n  x = ADD(y);\n")
    places = {text: (span.line, span.column) for text, span in zip(result.texts, result.spans)}
    assert places["+"] == places["("] == (2, 7)
    assert places["y"] == (2, 11)


def test_lines_are_kept_for_excerpts() -> None:
    diagnostics = Diagnostics()
    preprocess("int a; // one\n\tint b;\n", "t.ispc", OPTIONS, diagnostics)
    assert diagnostics.sources["t.ispc"][:2] == ["int a; // one", "\tint b;"]


def test_comments_above_a_line_are_found() -> None:
    text = (
        "// not this\n\n// Adds.\n//  - twice\nint f;\n/* One\n * two.\n */\nint g;\n\nint h;\n"
        "/** short */\nint i;\nint j; /* no */\nint k;"
    )
    result = preprocessed(text)
    found = {line: result.comment_above(line) for line in (5, 9, 11, 13, 15, 1)}
    assert found == {5: "Adds.\n - twice", 9: "One\ntwo.", 11: "", 13: "short", 15: "", 1: ""}


def test_the_text_of_every_program_compiles_again_with_the_same_lines() -> None:
    """And with the same columns, but for lines that a macro made longer or shorter."""
    programs = sorted((REPOSITORY / "tests" / "run").rglob("*.ispc"))
    for program in programs:
        result = preprocessed(program.read_text(), str(program))
        again = preprocessed(result.text, "again.ispc", preprocess=False)
        assert again.texts == result.texts
        assert [span[:2] for span in again.spans] == [span[:2] for span in result.spans], program
        changed = {span[:2] for span in result.spans if isinstance(span, Expanded)}
        for here, there in zip(again.spans, result.spans):
            assert here.column == there.column or there[:2] in changed, program


def test_expanded_tokens_keep_their_lines_and_columns_where_there_is_room() -> None:
    text = "#define Z 0\n#define ADD(a, b) a + b\nint x = ADD(Z,\n   y)\n     + q; int r = Z;\n"
    result = preprocessed(text)
    again = preprocessed(result.text, preprocess=False)
    places = {text: (span.line, span.column) for text, span in zip(again.texts, again.spans)}
    assert (places["y"], places["q"], places["r"]) == ((4, 4), (5, 8), (5, 15))
