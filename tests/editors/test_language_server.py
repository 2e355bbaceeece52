"""``voltac lsp`` as a process, asked by a client of the protocol: what it says of names, types, accesses and mistakes."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from language_client import Editor
from lsprotocol import types

from voltac.sema.library.index import LIBRARY

SOURCE = """\
#define TWICE(x) ((x) * 2)
#define LIMIT 100
// A place in the plane.
struct Point {
    float x;
    uniform int id;
};
typedef struct { float<3> colour; } Pixel;
enum Kind { PLAIN, FANCY = 7 };

// Adds two numbers.
// Nothing else.
static inline float add(float p, float b) { return p + b; }
static inline uniform float add(uniform float p, uniform float b) { return p + b; }
template <typename T> T same(T value) { T copy = value; return copy; }
template <typename T> T uncalled(T value) { T copy = value; return copy; }

export void f(uniform float a[], uniform int index[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float v = a[index[i]];
        Point point;
        point.x = v;
        out[i] = add(point.x, TWICE(v)) + clamp(v, 0.0f, 1.0f) + same(v) + FANCY + LIMIT;
    }
    uniform float sum = add(a[0], 2.0f);
    out[0] = sum + programCount;
}
"""
LINES = SOURCE.split("\n")
number = itertools.count()


def fresh() -> str:
    return f"file{next(number)}.ispc"


def place(text: str, occurrence: int = 0, within: int = 0) -> tuple[int, int]:
    """Line and column of a text in the source."""
    offset = [match.start() for match in re.finditer(re.escape(text), SOURCE)][occurrence] + within
    return SOURCE.count("\n", 0, offset), offset - (SOURCE.rfind("\n", 0, offset) + 1)


@pytest.fixture(scope="module")
def uri(editor: Editor) -> str:
    uri = editor.open("source.ispc", SOURCE)
    # Those of the front end, and all.
    editor.diagnostics(uri, 2)
    return uri


def spot(range: types.Range) -> tuple[int, int, int, int]:
    return range.start.line, range.start.character, range.end.line, range.end.character


# --- messages ---------------------------------------------------------------------------------------------------


def test_a_gather_is_told_where_it_stands(editor: Editor, uri: str) -> None:
    (found,) = editor.diagnostics(uri, 2)
    line, column = place("a[index[i]]")
    assert spot(found.range) == (line, column, line, column + len("a[index[i]]"))
    assert (found.code, found.source, found.severity) == ("perf", "voltac", types.DiagnosticSeverity.Information)
    (related,) = found.related_information or ()
    assert spot(related.location.range) == (line, column + 2, line, column + 10) and related.location.uri == uri


def test_all_mistakes_of_a_file_are_told_with_codes_and_notes(editor: Editor) -> None:
    text = "void f(int a) {}\nint f(int a) { return a; }\nvoid g() {\n    int x = y;\n    x = ;\n    int z = 1 / 0;\n}\n"
    found = editor.diagnostics(editor.open(fresh(), text))
    by_line = {one.range.start.line: one for one in found}
    assert set(by_line) == {1, 3, 4, 5}
    assert by_line[3].code == "undeclared" and spot(by_line[3].range) == (3, 12, 3, 13)
    assert by_line[4].code == "syntax" and by_line[4].severity == types.DiagnosticSeverity.Error
    assert by_line[5].code == "division" and by_line[5].severity == types.DiagnosticSeverity.Warning
    (related,) = by_line[1].related_information or ()
    assert related.location.range.start.line == 0


def test_messages_follow_the_text(editor: Editor) -> None:
    uri = editor.open(fresh(), "int f() { return 1 }\n")
    assert [one.code for one in editor.diagnostics(uri)] == ["syntax"]
    editor.change(uri, "int f() { return 1; }\n")
    assert editor.diagnostics(uri) == []
    editor.close(uri)


def test_notes_stand_in_the_message_for_clients_that_show_no_others(other_editor: Editor) -> None:
    uri = other_editor.open(fresh(), "void f(int a) {}\nint f(int a) { return a; }\n")
    (found,) = other_editor.diagnostics(uri)
    assert found.related_information is None and "\n" in found.message


# --- hover ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "at, said",
    [
        (place("float v", within=6), ["varying float v"]),
        (place("uniform int n", within=12), ["uniform int32 n"]),
        (place("point.x = v", within=0), ["varying struct Point point"]),
        (place("point.x = v", within=6), ["varying float x"]),
        (place("add(point"), ["varying float add(varying float p, varying float b)", "Adds two numbers.\nNothing else."]),
        (place("add(a[0]"), ["uniform float add(uniform float p, uniform float b)"]),
        (place("same(v)"), ["varying float same(varying float value)"]),
        (place("uncalled"), ["template <typename T> T uncalled(T value)"]),
        (place("copy = value; return copy", 1), ["T copy = value"]),
        (place("clamp"), ["varying float clamp(varying float v, ", "within the bounds"]),
        (place("FANCY", 1), ["enum Kind: FANCY = 7"]),
        (place("TWICE", 1), ["#define TWICE(x) ((x) * 2)"]),
        (place("LIMIT", 1), ["#define LIMIT 100"]),
        (place("Point point"), ["struct Point", "A place in the plane."]),
        (place("programCount"), ["const uniform int32 programCount", "How many lanes"]),
        (place("TWICE(v)) + clamp", within=10), ["varying float"]),
        (place("uniform float sum"), ["One value for the whole gang"]),
    ],
)
def test_hover_says_what_a_name_is(editor: Editor, uri: str, at: tuple[int, int], said: list[str]) -> None:
    text = editor.hover(uri, *at)
    assert all(part in text for part in said), text


@pytest.mark.parametrize(
    "at, said",
    [
        (place("a[index[i]]"), "gather"),
        (place("index[i]"), "a vector load; under a mask a masked load"),
        (place("out[i]"), "a vector store; under a mask a masked store"),
        (place("foreach"), "gangs of 8 with all lanes on, then the rest once under a mask"),
    ],
)
def test_hover_says_what_an_access_became(editor: Editor, uri: str, at: tuple[int, int], said: str) -> None:
    text = editor.hover(uri, *at)
    assert said in text and "(avx2-i32x8, -O3)" in text, text


def test_hover_has_nothing_to_say_of_blanks(editor: Editor, uri: str) -> None:
    assert editor.hover(uri, 9, 0) == "" and editor.hover(uri, 500, 3) == ""


# --- definitions and symbols ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "at, to",
    [
        (place("= v;", within=2), place("float v", within=6)),
        (place("... n", within=4), place("uniform int n", within=12)),
        (place("index[i]", within=6), place("foreach (i", within=9)),
        (place("point.x", within=6), place("float x", within=6)),
        (place("add(point"), place("float add(float", within=6)),
        (place("add(a[0]"), place("float add(uniform", within=6)),
        (place("same(v)"), place("same(T")),
        (place("copy = value; return copy", 1, within=21), place("T copy", 1, within=2)),
        (place("FANCY", 1), place("FANCY")),
        (place("TWICE", 1), place("TWICE")),
        (place("Point point"), place("struct Point", within=7)),
    ],
)
def test_a_name_leads_to_its_declaration(editor: Editor, uri: str, at: tuple[int, int], to: tuple[int, int]) -> None:
    found = editor.definition(uri, *at)
    assert found is not None and found.uri == uri
    assert (found.range.start.line, found.range.start.character) == to


def test_a_function_of_the_library_leads_to_its_source(editor: Editor, uri: str) -> None:
    found = editor.definition(uri, *place("clamp"))
    assert found is not None and found.uri == (Path(LIBRARY) / "arithmetic.ispc").as_uri()
    lines = (Path(LIBRARY) / "arithmetic.ispc").read_text().split("\n")
    assert " clamp(" in lines[found.range.start.line]


def test_what_is_declared_nowhere_leads_nowhere(editor: Editor, uri: str) -> None:
    assert editor.definition(uri, *place("programCount")) is None
    assert editor.definition(uri, *place("foreach")) is None


def test_the_outline_is_that_of_the_source(editor: Editor, uri: str) -> None:
    found = editor.symbols(uri)
    assert [one.name for one in found] == [
        *("TWICE", "LIMIT", "Point", "Pixel", "Kind", "add", "add", "same", "uncalled", "f"),
    ]
    by_name = {one.name: one for one in found}
    assert [(one.name, one.kind) for one in by_name["Point"].children or ()] == [
        ("x", types.SymbolKind.Field),
        ("id", types.SymbolKind.Field),
    ]
    assert [one.name for one in by_name["Kind"].children or ()] == ["PLAIN", "FANCY"]
    assert spot(by_name["f"].range) == (*place("export void f"), len(LINES) - 2, 1)
    assert spot(by_name["f"].selection_range)[:2] == place("f(uniform float a")


# --- completion and signatures ----------------------------------------------------------------------------------


def test_completion_has_what_is_visible(editor: Editor, uri: str) -> None:
    line, column = place("out[i] = ")
    found = editor.completions(uri, line, column)
    assert {"v", "point", "i", "a", "n", "add", "same", "Point", "FANCY", "TWICE"} <= found.keys()
    assert {"sum", "copy", "value", "x"}.isdisjoint(found)
    assert found["v"].detail == "varying float v" and found["v"].kind == types.CompletionItemKind.Variable
    assert {"foreach", "uniform", "programIndex", "FLT_MAX"} <= found.keys()
    # What is nearest stands first.
    names = sorted(found, key=lambda name: found[name].sort_text or "")
    assert names.index("v") < names.index("add") < names.index("abs") < names.index("foreach")
    outside = editor.completions(uri, 16, 0)
    assert {"v", "i", "a"}.isdisjoint(outside) and "add" in outside


def test_completion_has_the_library_with_its_documentation(editor: Editor, uri: str) -> None:
    found = editor.completions(uri, *place("out[i] = "))
    item = found["exclusive_scan_add"]
    assert item.kind == types.CompletionItemKind.Function and item.detail == "T exclusive_scan_add(T v)"
    assert isinstance(item.documentation, types.MarkupContent) and "below this one" in item.documentation.value
    assert "sin_float" not in found, "that is for the library's own use"


def test_members_are_completed_while_the_source_is_broken(editor: Editor) -> None:
    text = (
        "struct Inner { float deep; };\n"
        "struct Outer { Inner inner[3]; Outer * uniform next; float<2> pair; };\n"
        "export void f(uniform Outer a[], uniform int n) {\n"
        "    foreach (i = 0 ... n) {\n"
        "        Outer o = a[i];\n"
        "        float q = EXPRESSION\n"
        "    }\n"
        "}\n"
    )
    expected = {
        "o.": {"inner", "next", "pair"},
        "o.ne": {"inner", "next", "pair"},
        "a[i].inner[a[i].next->inner[0].deep].": {"deep"},
        "o.next->next->inner[2].": {"deep"},
        "o.pair.": {"x", "y"},
        "n.": set(),
        "nothing.": set(),
        "1.": set(),
    }
    for expression, members in expected.items():
        uri = editor.open(fresh(), text.replace("EXPRESSION", expression))
        assert editor.diagnostics(uri) != []
        column = len("        float q = ") + len(expression)
        assert editor.completions(uri, 5, column).keys() == members, expression


def test_what_was_known_before_a_mistake_is_still_completed(editor: Editor) -> None:
    good = "struct Point { float x, y; };\nexport void f(uniform float a[]) {\n    Point point;\n    a[0] = 1;\n}\n"
    uri = editor.open(fresh(), good)
    editor.diagnostics(uri)
    editor.change(uri, good.replace("struct Point { float x, y; };", "struct Point { float x, y }").replace("1;", "point."))
    editor.diagnostics(uri)
    assert {"x", "y"} <= editor.completions(uri, 3, 17).keys()


def test_nothing_is_completed_in_comments_strings_and_numbers(editor: Editor) -> None:
    text = '// a co\n/* many\n lin */ int x = 12;\nvoid f() { print("ab %", 1); }\n#inc\n'
    uri = editor.open(fresh(), text)
    editor.diagnostics(uri)
    for line, column in ((0, 7), (1, 5), (2, 3), (2, 17), (3, 20)):
        assert editor.completions(uri, line, column) == {}, (line, column)
    assert "include" in editor.completions(uri, 4, 4) and "foreach" not in editor.completions(uri, 4, 4)
    assert "foreach" in editor.completions(uri, 3, 10)


def test_a_call_shows_the_forms_of_its_function(editor: Editor, uri: str) -> None:
    line, column = place("add(point.x, TWICE", within=13)
    found = editor.signatures(uri, line, column)
    assert found is not None and found.active_parameter == 1
    assert [one.label for one in found.signatures] == [
        "varying float add(varying float p, varying float b)",
        "uniform float add(uniform float p, uniform float b)",
    ]
    assert [one.label for one in found.signatures[0].parameters or ()] == ["varying float p", "varying float b"]
    library = editor.signatures(uri, *place("clamp(v, 0.0f", within=9))
    assert library is not None and library.signatures[0].label == "T clamp(T v, T low, T high)"
    assert library.active_parameter == 1
    assert editor.signatures(uri, *place("float v", within=6)) is None


def test_a_call_that_is_being_written_shows_them_too(editor: Editor) -> None:
    text = "static float mine(float first, uniform int second[]) { return first; }\n"
    text += "void f(float v) {\n    v = mine(max(v, 2), \n}\n"
    uri = editor.open(fresh(), text)
    editor.diagnostics(uri)
    found = editor.signatures(uri, 2, 24)
    assert found is not None and found.active_parameter == 1
    assert found.signatures[0].label == "varying float mine(varying float first, uniform int32 * uniform second)"
    inner = editor.signatures(uri, 2, 20)
    assert inner is not None and inner.signatures[0].label == "T max(T a, T b)" and inner.active_parameter == 1
