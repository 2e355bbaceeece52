"""What SECURITY.md promises and no other test shows: of the compiler's own text, its reports, what it writes and reads."""

from __future__ import annotations

import ast
import ctypes
import os
import stat
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from voltac.cli.command import main
from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

ROOT = Path(__file__).resolve().parents[1]
RISKY = {
    "eval",
    "exec",
    "pickle.load",
    "pickle.loads",
    "os.system",
    "os.popen",
    "tempfile.mktemp",
    "marshal.load",
    "marshal.loads",
}
ALLOWED = {
    ("records.py", "exec"),  # methods of a class, of the names of its own fields
    ("targets/naplespu/simulator/program.py", "exec"),  # blocks of a device's code, of decoded numbers
    ("targets/ia64/simulator/translate.py", "exec"),
    ("targets/ipu/simulator/float_fast.py", "exec"),
    ("targets/ipu/simulator/tile.py", "exec"),
    ("notebook/magics.py", "eval"),  # of the notebook's own cell, in its own names
    ("cli/bisect.py", "shell"),  # the test that the user gives as words of a shell
    ("python/timed_calls.py", "pickle.loads"),  # through a pipe from a child of its own
    ("system/packed_modules.py", "marshal.loads"),  # of the package's own folder, beside its .pyc and read as these are
    ("system/packed_modules.py", "exec"),
    ("system/kept_values.py", "marshal.loads"),
    ("system/compiled_forms.py", "marshal.loads"),
}
"""What makes code or objects of data, in the files of ``voltac/`` where the data is the program's own."""


LOADS_ARRAYS = {"np.load", "numpy.load", "np.lib.format.read_array"}
LAST_WORDS = {name.rpartition(".")[2] for name in RISKY | LOADS_ARRAYS}


def called(node: ast.Call) -> str:
    """What a call names, if that may be one of these: writing it takes longer than parsing."""
    last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return ast.unparse(node.func) if last in LAST_WORDS else ""


def test_no_code_is_made_of_what_comes_from_outside() -> None:
    found = set()
    for path in sorted((ROOT / "voltac").rglob("*.py")):
        name = path.relative_to(ROOT / "voltac").as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            keywords = {keyword.arg: keyword.value for keyword in node.keywords}
            function = called(node)
            if function in RISKY:
                found.add((name, function))
            if "shell" in keywords and ast.unparse(keywords["shell"]) != "False":
                found.add((name, "shell"))
            if function in LOADS_ARRAYS:
                allowed = keywords.get("allow_pickle")
                assert isinstance(allowed, ast.Constant) and allowed.value is False, f"{name}: an array may be a pickle"
    assert found == ALLOWED


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>&quot;'\"--></style></pre>"


MEASURED = {"div aria-label", "div title", "div role", "hr", "hr style", "small", "b", "b class", "b style", "i", "i style"}
"""Of bars, which are drawn where what was measured is clear."""


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.data = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found |= {tag, *(f"{tag} {name}" for name, _ in attributes)}

    def handle_data(self, data: str) -> None:
        self.data += data


@pytest.mark.parametrize("command", ["explain", "compare"])
def test_a_report_shows_a_hostile_source_as_text(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In comments, texts, macros and the name of the file; what elements a page has does not depend on it."""
    monkeypatch.chdir(tmp_path)
    made = []
    for name, text in (("plain.ispc", "words"), ("<img src=x onerror=alert(3)>.ispc", HOSTILE)):
        quoted = text.replace("\\", "").replace('"', '\\"')
        Path(name).write_text(
            f"// {text}\n#define TEXT {text}\n/* {text} */\nexport void f(uniform float a[], uniform int n) {{\n"
            f'    print("{quoted}\\n");\n    foreach (i = 0 ... n) a[i * 2] += 1; // {text}\n}}\n'
        )
        assert main([command, name, "--target=avx2", "--html", "page.html"]) == 0
        ctypes.CDLL(None).fflush(None)  # what kernels print is not to stand behind the suite's own lines
        made.append(Elements(Path("page.html").read_text()))
    plain, hostile = made
    assert hostile.found - MEASURED <= plain.found and "img" not in hostile.found and "script" not in hostile.found
    assert HOSTILE in hostile.data


@pytest.mark.parametrize(
    "source",
    [
        '#line 1 "../../planted.o"\nexport void f() { print("a\\n"); }',
        '#include "../planted.h"\n',
        '#pragma once\n#define __FILE__ "/planted"\nvoid f() { assert(false); }',
        "export void f(uniform int a[]) { a[0] = ; }",
        "#error planted\n",
    ],
)
def test_compiling_writes_the_files_that_were_asked_for(source: str, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a.ispc").write_text(source)
    environment = os.environ | {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "VOLTAC_CACHE_DIR": "", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "voltac", "a.ispc", "--target=sse4", "-o", "asked.o", "-h", "asked.h"]
    done = subprocess.run(words, cwd=inside, env=environment, capture_output=True, text=True)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()} - {"inside/a.ispc"}
    assert written == ({"inside/asked.o", "inside/asked.h"} if done.returncode == 0 else set()), done.stderr


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "/", ".", "..", "/proc/self/mem", "pipe"])
def test_only_files_are_included(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device, a pipe or a folder would be read without an end, or wait for one."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    found = Diagnostics()
    with pytest.raises(CompileError):
        compile_source(f'#include "{name}"\n', "a.ispc", Options(target=find_target("sse4")), found)
    assert f"'{name}' " in found.render() and ("file not found" in found.render() or "cannot be read" in found.render())


def test_what_is_kept_for_later_nobody_else_can_change(tmp_path: Path) -> None:
    """Even where the user's mask would allow it."""
    program = "import os; os.umask(0); import voltac; voltac.compile('export void f() { }', target='sse4')"
    environment = os.environ | {"VOLTAC_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    made = [tmp_path / "cache", *(tmp_path / "cache").rglob("*")]
    assert len(made) > 1
    assert not [path for path in made if path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)]
