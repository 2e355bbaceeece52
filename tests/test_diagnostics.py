"""The layout of diagnostics (language 15), bullet by bullet, and their notes, chains and switches."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import NOWHERE, Note, Span
from voltac.messages.warning_switches import AS_ERRORS, OFF_BY_DEFAULT, SWITCHES
from voltac.options import Options
from voltac.sema import check
from voltac.syntax import parse, preprocess
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("avx2-i32x8"))


def at(line: int, column: int, end: int, file: str = "f.ispc") -> Span:
    return Span(file, line, column, line, end)


def shown(text: str, span: Span = NOWHERE, source: str = "", **how: object) -> str:
    diagnostics = Diagnostics(sources={"f.ispc": source.split("\n")}, **how)  # type: ignore[arg-type]
    diagnostics.error("syntax", span, text)
    return diagnostics.render()


def checked(source: str, file: str = "f.ispc", **how: object) -> Diagnostics:
    diagnostics = Diagnostics(**how)  # type: ignore[arg-type]
    check(parse(preprocess(source, file, OPTIONS, diagnostics), OPTIONS, diagnostics), OPTIONS, diagnostics, file)
    return diagnostics


# --- the layout -------------------------------------------------------------------------------------------------


def test_a_message_is_place_kind_text_then_source_carets_and_an_empty_line() -> None:
    assert shown("no such name", at(2, 5, 8), "int a;\n    foo = 1;") == (
        "f.ispc:2:5: Error: no such name \n    foo = 1;\n    ^^^\n\n"
    )


def test_a_message_without_position_is_kind_and_text() -> None:
    assert shown("file not found: x") == "Error: file not found: x \n\n"


def test_the_kinds_are_error_warning_and_performance_warning() -> None:
    diagnostics = Diagnostics()
    diagnostics.error("syntax", NOWHERE, "a")
    diagnostics.warning("shadow", NOWHERE, "b")
    diagnostics.performance_warning(NOWHERE, "c")
    assert diagnostics.render() == "Error: a \n\nWarning: b \n\nPerformance Warning: c \n\n"


WORDS = " ".join(["word"] * 30)


@pytest.mark.parametrize(("kind", "indent"), [("Error", 7), ("Warning", 8), ("Performance Warning", 8)])
def test_messages_wrap_at_80_columns_and_go_on_below_the_text(kind: str, indent: int) -> None:
    diagnostics = Diagnostics()
    report: Any = {
        "Error": lambda span, text: diagnostics.error("syntax", span, text),
        "Warning": lambda span, text: diagnostics.warning("shadow", span, text),
        "Performance Warning": diagnostics.performance_warning,
    }[kind]
    report(at(1, 1, 2), WORDS)
    lines = diagnostics.render().rstrip("\n").split("\n")
    assert len(lines) == 3
    assert lines[0].startswith(f"f.ispc:1:1: {kind}: word word ")
    for line in lines:
        assert line.endswith("word ")
        assert len(line) <= 81
    for line in lines[1:]:
        assert line.startswith(" " * indent + "word")
    assert " ".join(diagnostics.render().split()) == f"f.ispc:1:1: {kind}: {WORDS}"


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 132])
def test_colours_do_not_change_where_lines_end(columns: int) -> None:
    for length in range(1, columns):
        place = at(1, 1, 2, "f" * length)
        coloured = shown(WORDS, place, columns=columns, colored=True)
        assert "\033[" in coloured
        assert re.sub(r"\033\[[0-9;]*m", "", coloured) == shown(WORDS, place, columns=columns)


def test_wrapping_can_be_switched_off() -> None:
    assert shown(WORDS, at(1, 1, 2), wrap=False).split("\n")[0].rstrip() == f"f.ispc:1:1: Error: {WORDS}"


def test_line_breaks_in_a_message_are_kept() -> None:
    assert shown("one\n  two\n  three") == "Error: one \n  two \n  three \n\n"


def test_tabs_are_shown_as_blanks_so_that_carets_fit() -> None:
    assert shown("x", at(1, 3, 6), "\t\tfoo\tbar").split("\n")[1:3] == ["  foo bar", "  ^^^"]


def test_at_most_three_lines_of_source_are_shown() -> None:
    source = "if (a)\n  b;\nelse\n  c;\n"
    lines = shown("x", Span("f.ispc", 1, 1, 4, 5), source).split("\n")
    assert lines[1:] == ["if (a)", "  b;", "else", "^^^^^^", "", ""]
    assert shown("x", Span("f.ispc", 1, 5, 2, 5), source).split("\n")[1:] == ["if (a)", "  b;", "    ^^", "", ""]


def test_carets_reach_at_least_one_column_and_not_beyond_the_line() -> None:
    assert shown("x", at(1, 3, 3), "ab;").split("\n")[2] == "  ^"
    assert shown("x", at(1, 2, 90), "ab;").split("\n")[2] == " ^^"
    assert shown("x", at(1, 4, 5), "ab;").split("\n")[2] == "   ^"


def test_without_the_file_there_is_no_excerpt() -> None:
    assert shown("x", Span("other.ispc", 3, 4, 3, 5)) == "other.ispc:3:4: Error: x \n\n"
    assert shown("x", at(7, 1, 2), "one line") == "f.ispc:7:1: Error: x \n\n"


def test_an_identical_message_is_printed_once() -> None:
    diagnostics = Diagnostics()
    for text in ("a", "b", "a"):
        diagnostics.error("syntax", at(1, 1, 2), text)
    diagnostics.error("syntax", at(1, 2, 3), "a")
    assert [(item.span.column, item.text) for item in diagnostics.items] == [(1, "a"), (1, "b"), (2, "a")]


def test_messages_for_a_terminal_are_coloured_and_as_wide_as_it(tmp_path: Path) -> None:
    source = tmp_path / "f.ispc"
    source.write_text("export void f() { some_quite_long_name_that_is_not_declared = another_one_of_these_long_names; }\n")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
    command = [sys.executable, "-m", "voltac", "f.ispc", "--target=sse4", "-o", "f.o"]
    done = subprocess.run(command, cwd=tmp_path, stderr=theirs, timeout=60)
    os.close(theirs)
    text = os.read(ours, 100_000).decode().replace("\r\n", "\n")
    os.close(ours)
    assert done.returncode == 2
    assert "\033[1;31mError\033[0m: " in text
    assert text.endswith("voltac explain-error undeclared: what that means, with examples\n")
    message = text.split("\nexport")[0]
    assert len(message.split("\n")) > 1
    assert all(len(line.replace("\033[1;31m", "").replace("\033[0m", "")) <= 60 for line in message.split("\n")[1:])


def test_the_error_limit_hides_further_errors_but_counts_them() -> None:
    diagnostics = Diagnostics(error_limit=1)
    diagnostics.error("syntax", NOWHERE, "a")
    diagnostics.error("syntax", NOWHERE, "b")
    diagnostics.warning("shadow", NOWHERE, "c")
    assert diagnostics.render() == "Error: a \n\nWarning: c \n\n"
    assert diagnostics.error_count == 2


# --- notes and chains -------------------------------------------------------------------------------------------


def test_a_note_has_the_layout_of_a_message() -> None:
    diagnostics = Diagnostics(sources={"f.ispc": ["int a;", "int a;"]})
    diagnostics.error("syntax", at(2, 5, 6), "twice", Note(at(1, 5, 6), "first here"))
    assert diagnostics.render() == (
        "f.ispc:2:5: Error: twice \nint a;\n    ^\n\nf.ispc:1:5: Note: first here \nint a;\n    ^\n\n"
    )


@pytest.mark.parametrize(
    ("source", "line", "note"),
    [
        ("void f() {\n  int a;\n  int a;\n}", 3, 2),
        ("void f(int a,\n  int a) { }", 2, 1),
        ("struct S { int a; };\nstruct S { int b; };", 2, 1),
        ("enum E { A };\nenum E { B };", 2, 1),
        ("enum E { A };\nenum F { A };", 2, 1),
        ("int f() { return 1; }\nint f() { return 2; }", 2, 1),
        ("int f(int);\nfloat f(int);", 2, 1),
        ('extern "C" void f();\nextern "C" void f(uniform int);', 2, 1),
        ("int g;\nfloat g;", 2, 1),
        ("int g = 1;\nint g = 2;", 2, 1),
        ("void f() { }\nint f;", 2, 1),
        ("typedef int T;\ntypedef float T;", 2, 1),
        ("int a;\nvoid f() { int a; }", 2, 1),
        ("void f(uniform int i) { switch (i) { case 1:\n  case 1: ; } }", 2, 1),
        ("void f(uniform int i) { switch (i) { default:\n  default: ; } }", 2, 1),
        ("void f() { a: ;\n  a: ; }", 2, 1),
        ("template <typename T> void f(T a) { }\ntemplate <typename T> void f(T a) { }", 2, 1),
        ("task void t() { }\nvoid f() { t(); }", 2, 1),
        ("void f(\n  int v) { uniform int u;\n  u = v; }", 3, 2),
        ("uniform int f(int v) {\n  return v; }", 2, 1),
        ("const int c = 1;\nvoid f() { c = 2; }", 2, 1),
        ("void f() { foreach (i = 0 ... 9)\n  return; }", 2, 1),
        ("void f() { foreach (i = 0 ... 9)\n  break; }", 2, 1),
        ("void g();\nvoid f() { foreach (i = 0 ... 9)\n  foreach (j = 0 ... 9) g(); }", 3, 2),
        ("void f(int v) { if (v > 1)\n  goto a; a: ; }", 2, 1),
    ],
)  # fmt: skip
def test_a_note_points_at_the_earlier_declaration(source: str, line: int, note: int) -> None:
    (item,) = checked(source).items
    assert item.span.line == line
    assert [one.span.line for one in item.notes] == [note]


def test_the_chain_of_includes_is_shown_with_the_first_message_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.isph").write_text('#include "b.isph"\n')
    (tmp_path / "b.isph").write_text("int p = q;\nint r = s;\n")
    main = str(tmp_path / "main.ispc")
    diagnostics = checked('\n#include "a.isph"\nint t = u;\n', main, wrap=False)
    first, second, third = diagnostics.items
    links = [(str(tmp_path / "a.isph"), 1, "include"), (main, 2, "include")]
    for item in (first, second):
        assert [(link.span.file, link.span.line, link.kind) for link in item.chain] == links
    assert third.chain == ()
    text = diagnostics.render()
    assert text.count("is included here") == 2
    assert f"{main}:2:" in text


def test_the_chain_of_macros_points_into_their_definitions() -> None:
    source = "#define INNER(x) ((x) + \\\n   frob)\n#define OUTER INNER(1)\nint f() { return OUTER; }\n"
    (item,) = checked(source).items
    assert (item.span.line, item.span.column, item.span.end_column) == (4, 18, 23)
    links = [(link.span.line, link.span.column, link.kind) for link in item.chain]
    assert links == [(2, 4, "macro"), (3, 15, "macro")]


def test_arguments_of_macros_are_at_their_own_place() -> None:
    (item,) = checked("#define ID(x) x\nint f() { return ID(frob); }\n").items
    assert (item.span.line, item.span.column, item.chain) == (2, 21, ())


def test_the_chain_of_template_instances_names_them_and_who_asks() -> None:
    source = (
        "template <typename T> T inner(T a) { return a.x; }\n"
        "template <typename T> T outer(T a) { return inner<T>(a); }\n"
        "void f(float a) { outer(a); }\n"
    )
    (item,) = checked(source).items
    assert (item.span.line, item.span.column) == (1, 45)
    assert [(link.span.line, link.kind) for link in item.chain] == [(2, "template"), (3, "template")]
    assert "'inner<varying float>'" in item.chain[0].text


def test_a_mistake_in_a_template_is_one_message_for_all_instances() -> None:
    source = "template <typename T> T f(T a) { return a.x; }\nvoid g() { f(1); f(2.5f); f(true); }\n"
    assert len(checked(source).items) == 1


# --- candidates -------------------------------------------------------------------------------------------------

OVERLOADS = """struct S { int a; };
void f(uniform int a);
void f(S s, int b);
void f(uniform float * uniform p, uniform int n = 1);
template <typename T> void f(T * a, T * b);
"""


def test_a_failed_overload_lists_all_candidates_with_place_and_reason() -> None:
    (item,) = checked(OVERLOADS + "void g(float x) { f(x); }\n").items
    assert "no overload of 'f' accepts these arguments\n  Passed types: (varying float)" in item.text
    found = [(note.span.line, note.kind, note.text) for note in item.notes]
    assert [(line, kind) for line, kind, _ in found] == [(2, "candidate"), (4, "candidate"), (3, "candidate"), (5, "candidate")]
    assert "argument 1: 'varying float' does not convert to 'uniform int32'" in found[0][2]
    assert "argument 1: 'varying float' does not convert to 'uniform float * uniform'" in found[1][2]
    assert "it takes 2 arguments, 1 given" in found[2][2]
    assert "it takes 2 arguments, 1 given" in found[3][2]


def test_an_ambiguous_call_lists_the_equals() -> None:
    (item,) = checked("void f(int a, float b);\nvoid f(float a, int b);\nvoid g(int x) { f(x, x); }\n").items
    assert item.text.startswith("the call of 'f' fits several overloads equally")
    assert [note.span.line for note in item.notes] == [1, 2]


def test_did_you_mean() -> None:
    source = """struct P { float speed; };
enum Color { RED };
void shine(P p) {
    uniform int count = 0;
    cuont = 1;
    p.sped = 1;
    shin(p);
    finish: ;
    goto finsh;
    enum Colr c;
}
"""
    texts = [item.text for item in checked(source).items if item.kind == "Error"]
    for name in ("count", "speed", "shine", "finish", "Color"):
        assert any(f"did you mean '{name}'" in text for text in texts), name


# --- switches ---------------------------------------------------------------------------------------------------


def test_every_warning_of_the_compiler_has_a_row() -> None:
    names = {switch.name for switch in SWITCHES}
    folder = Path(__file__).resolve().parent.parent / "voltac"
    used: set[str] = set()
    for path in folder.rglob("*.py"):
        used |= set(re.findall(r"\.warning\(\s*\"([\w-]+)\"", path.read_text()))
    assert used <= names


SHADOW = "int a;\nvoid f(int v) {\n    int a = 1;\n    int b = a + v;\n}\n"


def test_a_warning_can_be_switched_off_by_name() -> None:
    assert [item.code for item in checked(SHADOW).items] == ["shadow"]
    assert checked(SHADOW, disabled=OFF_BY_DEFAULT | {"shadow"}).items == []
    assert checked(SHADOW.replace("    int a", "#pragma ignore warning(shadow)\n    int a")).items == []
    assert checked("#pragma ignore warning begin(shadow)\n" + SHADOW).items == []


def test_warnings_that_ispc_does_not_give_are_errors_only_by_name() -> None:
    own = "export void f(uniform int a[], uniform int n) {\n    int s = n * 2;\n    int b;\n    a[programIndex] = s + b;\n}\n"
    found = checked(own, as_errors=AS_ERRORS)
    assert ({item.code for item in found.items}, found.error_count) == ({"uniform", "uninitialized"}, 0)
    assert checked(own, as_errors=AS_ERRORS | {"uniform"}).error_count == 1
    assert checked(SHADOW, as_errors=AS_ERRORS).error_count == 1
    page = (Path(__file__).resolve().parent.parent / "docs" / "diagnostics.md").read_text()
    listed = page[page.index("These are `assignment`") : page.index("`--werror --w")]
    assert set(re.findall(r"`([\w-]+)`", listed)) == {switch.name for switch in SWITCHES if switch.own}


# --- JSON -------------------------------------------------------------------------------------------------------


def test_json_is_one_object_a_line() -> None:
    diagnostics = checked("int c = b;\n" + SHADOW, json=True)
    first, second = (json.loads(line) for line in diagnostics.render().splitlines())
    assert first == {
        "kind": "error", "code": "undeclared", "file": "f.ispc", "line": 1, "column": 9, "end": {"line": 1, "column": 10},
        "message": "'b' is not declared", "notes": [], "chain": [], "option": None,
    }  # fmt: skip
    assert (second["kind"], second["code"], second["line"], second["option"]) == ("warning", "shadow", 4, "--wno-shadow")
    (note,) = second["notes"]
    assert (note["kind"], note["line"], note["column"]) == ("note", 2, 5)


def test_json_has_the_chain_with_every_message() -> None:
    source = "#define M frob\nint f() { return M; }\nint g() { return M; }\n"
    lines = [json.loads(line) for line in checked(source, json=True).render().splitlines()]
    assert [[link["kind"] for link in line["chain"]] for line in lines] == [["macro"], ["macro"]]


def test_the_page_lists_every_warning_with_its_default() -> None:
    text = (Path(__file__).resolve().parent.parent / "docs" / "diagnostics.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \| (on|off) \| (.+) \|$", text, re.MULTILINE)
    assert rows == [(switch.name, "on" if switch.default else "off", switch.text) for switch in SWITCHES]
