"""The language server on texts of every kind: broken, huge, endless, unsaved, in other encodings and line ends; and its end."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from language_client import Editor
from lsprotocol import types

pytestmark = pytest.mark.whole

number = itertools.count()
LOOP = "export void f(uniform float a[], uniform int n) {\n    foreach (i = 0 ... n)\n        a[i] += 1;\n}\n"


def fresh() -> str:
    return f"text{next(number)}.ispc"


def spot(range: types.Range) -> tuple[int, int, int, int]:
    return range.start.line, range.start.character, range.end.line, range.end.character


# --- places -----------------------------------------------------------------------------------------------------

WIDE = 'void f(int a) {\n    /* é😀 */ a = b; print("😀%", a); a = c;\n}\n'
"""Characters of 2 and 4 bytes in UTF-8, of 1 and 2 units in UTF-16."""


@pytest.mark.parametrize("which, units", [("editor", "utf-16-le"), ("other_editor", "utf-8")])
def test_columns_are_counted_as_the_client_does(request: pytest.FixtureRequest, which: str, units: str) -> None:
    used: Editor = request.getfixturevalue(which)
    line = WIDE.split("\n")[1]
    first, second = (len(line[: line.index(text)].encode(units)) // len("a".encode(units)) for text in ("b;", "c;"))
    assert (first, second) == {"utf-16-le": (18, 42), "utf-8": (21, 47)}[units]
    uri = used.open(fresh(), WIDE)
    assert [spot(one.range) for one in used.diagnostics(uri)] == [(1, first, 1, first + 1), (1, second, 1, second + 1)]
    assert "varying int32 a" in used.hover(uri, 1, second - 4)
    definition = used.definition(uri, 1, second - 4)
    assert definition is not None and spot(definition.range) == (0, 11, 0, 12)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_lines_end_as_they_do_on_any_system(editor: Editor, end: str) -> None:
    uri = editor.open(fresh(), WIDE.replace("\n", end))
    assert [spot(one.range)[:2] for one in editor.diagnostics(uri)] == [(1, 18), (1, 42)]
    assert "varying int32 a" in editor.hover(uri, 1, 14)
    editor.change(uri, LOOP.replace("\n", end))
    assert editor.diagnostics(uri, 2) == []
    assert "a vector load" in editor.hover(uri, 2, 9) and "+=" not in editor.completions(uri, 2, 9)


@pytest.mark.parametrize("character", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"], ids=repr)
def test_only_ends_of_lines_end_lines(editor: Editor, character: str) -> None:
    """Python ends lines at these too; neither editors nor the compiler do."""
    uri = editor.open(fresh(), f"// one{character}line\nint f() {{ return missing; }}\n")
    assert [spot(one.range) for one in editor.diagnostics(uri)] == [(1, 17, 1, 24)]


# --- files ------------------------------------------------------------------------------------------------------


def test_includes_are_relative_to_the_file_and_unsaved_texts_count(editor: Editor) -> None:
    folder = editor.folder / "deep" / "deeper"
    folder.mkdir(parents=True)
    header = folder.parent / "shape.isph"
    header.write_text("struct Shape { float saved; };\n")
    text = '#include "../shape.isph"\nexport void f(uniform float a[]) {\n    Shape s;\n    a[0] = extract(s.edited, 0);\n}\n'
    uri = editor.open("deep/deeper/user.ispc", text)
    (missing,) = editor.diagnostics(uri)
    assert "edited" in missing.message
    before = len(editor.published[uri])
    unsaved = editor.open("deep/shape.isph", "// not on disk\nstruct Shape { float edited; };\n")
    wait(lambda: len(editor.published[uri]) > before and not editor.published[uri][-1].diagnostics)
    definition = editor.definition(uri, 3, 21)
    assert definition is not None and definition.uri == unsaved and spot(definition.range) == (1, 21, 1, 27)
    of_include = editor.definition(uri, 0, 14)
    assert of_include is not None and of_include.uri == unsaved
    editor.close(unsaved)
    wait(lambda: len(editor.published[uri][-1].diagnostics) == 1)
    header.write_text("struct Shape { float edited; };\n")
    editor.save(header.as_uri())
    wait(lambda: not editor.published[uri][-1].diagnostics)


def test_a_mistake_in_an_included_file_stands_at_the_directive(editor: Editor) -> None:
    (editor.folder / "wrong.isph").write_text("\n\nint g() { return nothing; }\n")
    (editor.folder / "between.isph").write_text('#include "wrong.isph"\n')
    uri = editor.open(fresh(), '// first\n#include "between.isph"\nvoid f() { g(); }\n')
    (found,) = editor.diagnostics(uri)
    assert found.range.start.line == 1 and found.message.startswith("in wrong.isph, line 3: ")
    first, *_ = found.related_information or ()
    assert first.location.uri == (editor.folder / "wrong.isph").as_uri() and spot(first.location.range) == (2, 17, 2, 24)


def test_a_document_without_a_file_is_studied(editor: Editor) -> None:
    uri = editor.open("untitled:Untitled-1", LOOP)
    assert editor.diagnostics(uri, 2) == []
    assert "a vector store" in editor.hover(uri, 2, 9)
    definition = editor.definition(uri, 2, 8)
    assert definition is not None and definition.uri == uri


def test_names_of_files_may_have_blanks_and_other_letters(editor: Editor) -> None:
    uri = editor.open("größe # 1%.ispc", LOOP)
    assert editor.diagnostics(uri, 2) == []
    assert "a vector store" in editor.hover(uri, 2, 9)


# --- texts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", " \n", "\ud800", "}{" * 1000, "(" * 5000, "\0" * 100, "#include", '#include "no.isph"', "/*", '"', "template<",
     "int", "void f() { foreach (", "struct S { S s; };", "enum { A = B, B = A };", "#define A A\nA", "void f() { a.b.c("],
    ids=lambda text: repr(text[:20]),
)  # fmt: skip
def test_a_broken_text_is_survived(editor: Editor, text: str) -> None:
    uri = editor.open(fresh(), text)
    found = editor.diagnostics(uri)
    assert all("internal error" not in one.message for one in found)
    assert bool(found) == bool(text.strip())
    for ask in (editor.hover, editor.definition, editor.completions, editor.signatures):
        ask(uri, 0, min(len(text), 3))
    editor.symbols(uri)
    editor.change(uri, LOOP)
    assert editor.diagnostics(uri, 2) == []
    editor.close(uri)


def test_every_beginning_of_a_program_is_survived(editor: Editor) -> None:
    text = "struct P { float x; };\n#define M(a) a\n"
    text += "export void f(uniform P p[], uniform int n) { foreach (i = 0 ... n) p[i].x = M(min(1, i)); }\n"
    uri = editor.open(fresh(), text)
    for end in range(5, len(text), 13):
        editor.change(uri, text[:end])
        assert all("internal error" not in one.message for one in editor.diagnostics(uri)), text[:end]
        line = text[:end].count("\n")
        editor.completions(uri, line, end - (text[:end].rfind("\n") + 1))
    editor.change(uri, text)
    assert [one.severity for one in editor.diagnostics(uri)] in ([], [types.DiagnosticSeverity.Information])


def test_an_endless_compilation_is_ended(other_editor: Editor) -> None:
    """A macro that doubles itself sixty times."""
    endless = "#define A0 1 +\n" + "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(60)) + "int x = A60 1;\n"
    uri = other_editor.open(fresh(), endless)
    assert len(other_editor.diagnostics(uri)) == 1
    other_editor.change(uri, LOOP)
    assert other_editor.diagnostics(uri) == []


def test_the_server_answers_while_a_large_file_is_typed(editor: Editor) -> None:
    """Of many texts in a row only the last is studied to its end; a small document beside it does not wait."""
    functions = "".join(f"static float f{n}(float x) {{ return sin(x * {n}) + cos(x); }}\n" for n in range(2000))
    uri = editor.open(fresh(), functions)
    for letter in range(30):
        editor.change(uri, functions + f"int last{letter};\n")
        time.sleep(0.01)
    began = time.monotonic()
    other = editor.open(fresh(), LOOP)
    assert editor.diagnostics(other) == []
    waited = time.monotonic() - began
    assert editor.diagnostics(uri) == []
    assert len(editor.published[uri]) <= 3, "texts that were typed over were studied"
    assert "sin" not in editor.hover(uri, 5, 14) and "varying float f5(varying float x)" in editor.hover(uri, 5, 14)
    assert [one.name for one in editor.symbols(uri)][-1] == "last29"
    editor.close(uri)
    assert waited < 30


# --- options ----------------------------------------------------------------------------------------------------

NEEDS_OPTIONS = '#include "own.isph"\nexport void f(uniform float a[]) {\n    a[programIndex] = FROM_OPTIONS + OWN;\n}\n'


def options_folder(folder: Path) -> list[str]:
    (folder / "include").mkdir()
    (folder / "include" / "own.isph").write_text("#define OWN 1\n")
    return ["-I", "include", "-DFROM_OPTIONS=3", "--target=sse4-i32x4"]


def test_options_come_with_the_workspace_and_change(tmp_path: Path) -> None:
    """Names of folders are relative to it; what is wrong is told until it is right."""
    words = options_folder(tmp_path)
    own = Editor(tmp_path, settings={"options": " ".join(words)})
    uri = own.open("a.ispc", NEEDS_OPTIONS)
    assert own.diagnostics(uri, 2) == []
    assert "(sse4.2-i32x4, -O3)" in own.hover(uri, 2, 5)

    own.configure({"voltac": {"options": ["--target=av2"]}})
    wait(lambda: bool(own.published[uri][-1].diagnostics))
    (found,) = own.published[uri][-1].diagnostics
    assert found.code == "command-line" and "avx2" in found.message and spot(found.range)[:2] == (0, 0)
    own.configure({"voltac": {"options": 3}})
    wait(lambda: bool(own.messages))
    assert "options" in own.messages[0]
    own.configure({"voltac": {"options": words}})
    wait(lambda: not own.published[uri][-1].diagnostics)
    assert own.end() == 0


def test_options_are_asked_for(tmp_path: Path) -> None:
    own = Editor(tmp_path, asked_settings={"options": options_folder(tmp_path)})
    uri = own.open("a.ispc", NEEDS_OPTIONS)
    wait(lambda: uri in own.published and not own.published[uri][-1].diagnostics)
    own.asked_settings = {"options": ["-I", "include"]}
    own.configure(None)
    wait(lambda: bool(own.published[uri][-1].diagnostics))
    assert [one.code for one in own.published[uri][-1].diagnostics] == ["undeclared"]
    assert own.end() == 0


def wait(holds: Any) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


# --- the process ------------------------------------------------------------------------------------------------


def command(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "voltac", "lsp", *words]
    return subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **more)


def test_what_cannot_be_served_is_one_error(tmp_path: Path) -> None:
    for words, said in [
        (("a.ispc",), "lsp takes no file"),
        (("--time-limit=0",), "at least 1"),
        (("--target=av2",), "avx2"),
        (("--port=1",), "belongs to 'voltac explorer'"),
    ]:
        found = command(*words)
        assert found.returncode == 2 and said in found.stderr and found.stdout == "", found.stderr
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError('no pygls', name='pygls')\n")
    (tmp_path / "lsprotocol.py").write_text("raise ModuleNotFoundError('no lsprotocol', name='lsprotocol')\n")
    without = command(env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert without.returncode == 1 and "pip install 'voltac[editor]'" in without.stderr


def test_the_help_says_how_it_is_started() -> None:
    found = command("--help")
    assert found.returncode == 0 and found.stdout.startswith("usage: voltac lsp [options]") and "--target" in found.stdout


@pytest.mark.parametrize("way", ["input ends", "killed"])
def test_nothing_is_left_of_a_server_whose_editor_is_gone(tmp_path: Path, way: str) -> None:
    own = Editor(tmp_path)
    uri = own.open("a.ispc", LOOP)
    assert own.diagnostics(uri, 2) == []
    process = own.process
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
    children = [int(word) for word in listed.stdout.split()]
    assert children
    if way == "killed":
        process.send_signal(signal.SIGKILL)
    else:
        own.end_input()
    assert own.run(process.wait()) == (-signal.SIGKILL if way == "killed" else 1)
    wait(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))
    own.stop()
