"""What is in the cache is used for exactly what a fresh compilation would read, find and not find."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import voltac
from voltac.python import build, compiler_state
from voltac.system.shipped_files import shipped_folder

RESULT = "export uniform int f() { return VALUE; }\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(path))
    return path


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that had to be compiled."""
    seen: list[str] = []
    real = build._compiled
    monkeypatch.setattr(build, "_compiled", lambda source, key: (seen.append(source.text), real(source, key))[1])  # type: ignore[func-returns-value]
    return seen


def during_the_compilation(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Once, when everything has been preprocessed."""
    from voltac import syntax

    real = syntax.preprocess
    pending = [change]

    def preprocess(*given: Any) -> Any:
        made = real(*given)
        if pending:
            pending.pop()()
        return made

    monkeypatch.setattr(syntax, "preprocess", preprocess)


def renamed_into(path: Path, text: str) -> None:
    """A new file takes the place of the old one; it is older than the compilation, and of the same size."""
    new = path.with_name("new")
    new.write_text(text)
    os.utime(new, (1e9, 1e9))
    new.rename(path)


def test_a_header_replaced_during_the_compilation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = tmp_path / "value.isph"
    renamed_into(header, "#define VALUE 1\n")
    during_the_compilation(monkeypatch, lambda: renamed_into(header, "#define VALUE 2\n"))
    source = '#include "value.isph"\n' + RESULT
    assert voltac.compile(source, include=tmp_path).f() == 1
    assert voltac.compile(source, include=tmp_path).f() == 2


def test_a_header_replaced_between_compilations_by_one_of_the_same_size_and_time(tmp_path: Path) -> None:
    source = '#include "value.isph"\n' + RESULT
    for value in (1, 2, 1):
        renamed_into(tmp_path / "value.isph", f"#define VALUE {value}\n")
        assert voltac.compile(source, include=tmp_path).f() == value


LATE = '#if __has_include("late.isph")\n#include "late.isph"\n#else\n#define VALUE 1\n#endif\n'


def test_a_file_asked_for_appears_and_disappears(tmp_path: Path, compiled: list[str]) -> None:
    def value() -> int:
        result: int = voltac.compile(LATE + RESULT, include=tmp_path).f()
        return result

    assert [value(), value()] == [1, 1]
    (tmp_path / "late.isph").write_text("#define VALUE 2\n")
    assert [value(), value()] == [2, 2]
    (tmp_path / "late.isph").unlink()
    assert [value(), value()] == [1, 1]
    # A folder is no file that could be included.
    (tmp_path / "late.isph").mkdir()
    assert value() == 1 and len(compiled) == 3


def test_a_file_that_is_only_asked_for(tmp_path: Path, compiled: list[str]) -> None:
    source = '#if __has_include("there.isph")\n#define VALUE 2\n#else\n#define VALUE 1\n#endif\n' + RESULT
    (tmp_path / "there.isph").write_text("text that nobody reads")
    assert voltac.compile(source, include=tmp_path).f() == 2
    (tmp_path / "there.isph").write_text("another")
    assert voltac.compile(source, include=tmp_path).f() == 2 and len(compiled) == 1
    (tmp_path / "there.isph").unlink()
    assert voltac.compile(source, include=tmp_path).f() == 1


@pytest.mark.parametrize(
    "directive",
    ['#include "w.isph"', '#inc\\\nlude "w.isph"', '#/**/include "w.isph"', '#define W "w.isph"\n#include W',
     '#define W(x) #x\n#include W(w.isph)', "#include <w.isph>", '#if __has_include("w.isph")\n#include "./w.isph"\n#endif'],
    ids=["plain", "spliced", "comment", "macro", "function macro", "angle", "other name"],
)  # fmt: skip
def test_every_way_to_include_in_two_folders(directive: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "a.ispc").write_text(directive + "\n" + RESULT)
        (tmp_path / str(number) / "w.isph").write_text(f"#define VALUE {number}\n")
    for number in (1, 2, 1, 2):
        place = tmp_path / str(number)
        assert voltac.load(place / "a.ispc", include=[place] if "<" in directive else []).f() == number
        monkeypatch.chdir(place)
        assert voltac.load("a.ispc", include=[place] if "<" in directive else []).f() == number


def test_one_relative_name_from_two_working_directories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str]
) -> None:
    for number in (1, 2, 3):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "a.ispc").write_text('#include "w.isph"\n' + RESULT)
        (tmp_path / str(number) / "w.isph").write_text(f"#define VALUE {min(number, 2)}\n")
    for number in (1, 2, 3):
        monkeypatch.chdir(tmp_path / str(number))
        assert voltac.load("a.ispc").f() == min(number, 2)
    assert len(compiled) == 2, "equal files are equal wherever they lie"


def test_an_include_that_is_a_link_to_another_file(tmp_path: Path) -> None:
    source = '#include "w.isph"\n' + RESULT
    for number in (1, 2):
        (tmp_path / f"{number}.isph").write_text(f"#define VALUE {number}\n")
    for number in (1, 2, 1):
        (tmp_path / "w.isph").unlink(missing_ok=True)
        (tmp_path / "w.isph").symlink_to(f"{number}.isph")
        assert voltac.compile(source, include=tmp_path).f() == number


def test_a_file_included_once_becomes_two(tmp_path: Path) -> None:
    text = "#pragma once\n#ifdef ONE\n#define VALUE 2\n#else\n#define ONE\n#endif\n"
    (tmp_path / "a.isph").write_text(text)
    (tmp_path / "b.isph").symlink_to("a.isph")
    source = '#include "a.isph"\n#include "b.isph"\n#ifndef VALUE\n#define VALUE 1\n#endif\n' + RESULT
    assert voltac.compile(source, include=tmp_path).f() == 1
    (tmp_path / "b.isph").unlink()
    (tmp_path / "b.isph").write_text(text)
    assert voltac.compile(source, include=tmp_path).f() == 2


def test_a_program_that_includes_its_own_file(tmp_path: Path) -> None:
    path = tmp_path / "a.ispc"
    source = f'#ifndef AGAIN\n#define AGAIN\n#include "{path}"\n#endif\n'
    for value in (1, 2):
        path.write_text(f"#define VALUE {value}\n")
        assert voltac.compile(source + RESULT, file=str(path)).f() == value


def test_a_file_named_by_a_line_marker_shows_in_warnings(tmp_path: Path) -> None:
    shown = tmp_path / "shown.txt"
    source = f'#line 1 "{shown}"\nexport uniform int f() {{ uniform int a[2]; return a[5]; }}\n'
    for text in ("first words\n", "other words\n"):
        shown.write_text(text)
        assert text.strip() in voltac.compile(source).warnings


def test_a_pipe_in_a_header_s_place(tmp_path: Path) -> None:
    header = tmp_path / "value.isph"
    header.write_text("#define VALUE 1\n")
    source = '#if __has_include("value.isph")\n#include "value.isph"\n#else\n#define VALUE 2\n#endif\n' + RESULT
    assert voltac.compile(source, include=tmp_path).f() == 1
    header.unlink()
    os.mkfifo(header)
    assert voltac.compile(source, include=tmp_path).f() == 2


@pytest.mark.parametrize("name", ["__TIME__", "__DATE__"])
@pytest.mark.parametrize("place", ["source", "header", "defines", "pasted"])
def test_what_uses_the_time_is_compiled_each_time(name: str, place: str, tmp_path: Path, compiled: list[str]) -> None:
    half = len(name) // 2
    paste = f"#define PASTE(a, b) a##b\n#define WORD(x) PASTE(x, {name[half:]})\n"
    text = {
        "source": f"#define WHEN {name}\n",
        "header": '#include "when.isph"\n',
        "defines": "",
        "pasted": paste + f"#define WHEN WORD({name[:half]})\n",
    }[place]
    (tmp_path / "when.isph").write_text(f"#define WHEN {name}\n")
    defines = {"WHEN": name} if place == "defines" else {}
    source = text + "export void f() { print(WHEN); }\n"
    for _ in range(2):
        voltac.compile(source, include=tmp_path, defines=defines)
    assert len(compiled) == 2


def test_what_only_mentions_the_time_is_compiled_once(compiled: list[str]) -> None:
    source = "// __TIME__\n#ifdef __DATE__\n#define VALUE 4\n#endif\n#if 0\n__TIME__\n#endif\n" + RESULT
    assert [voltac.compile(source).f() for _ in range(2)] == [4, 4] and len(compiled) == 1


# --- the compiler's own files -----------------------------------------------------------------------------------


def copied_compiler(place: Path) -> Path:
    """A compiler of its own to change; the folders lie as in a checkout."""
    package = Path(voltac.__file__).parent
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package, place / "voltac", ignore=ignore)
    for name in ("stdlib", "runtime"):
        shutil.copytree(shipped_folder(name), place / name, ignore=ignore)
    return place


def answers(place: Path, code: str) -> list[str]:
    command = [sys.executable, "-B", "-c", "import sys; sys.path.insert(0, sys.argv[1])\n" + code, str(place)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


CLAMPED = "import voltac; print(voltac.compile('export uniform int f(uniform int x) { return clamp(x, 0, 3); }').f(-5))"
RIGHT, WRONG = (f"uniform T high) {{ return {one}({other}(" for one, other in (("__min", "__max"), ("__max", "__min")))


def test_a_library_file_changed_under_its_old_size_and_time(tmp_path: Path) -> None:
    place = copied_compiler(tmp_path / "compiler")
    assert answers(place, CLAMPED) == ["0"]
    path = place / "stdlib" / "arithmetic.ispc"
    before, text = path.stat(), path.read_text()
    assert RIGHT in text
    path.write_text(text.replace(RIGHT, WRONG))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert answers(place, CLAMPED) == ["3"]
    path.write_text(text)
    assert answers(place, CLAMPED) == ["0"]


@pytest.mark.parametrize(
    ("changed", "kept"),
    [("voltac.python.bench_kernels", 1), ("voltac.new_part", 1), ("stdlib/arithmetic.ispc", 1), ("voltac.driver", 2)],
)
def test_a_compiler_changed_while_the_process_runs_keeps_what_is_of_the_old_one(
    tmp_path: Path, folder: Path, changed: str, kept: int
) -> None:
    """What was imported before it changed is; what is imported later is not, nor is the library, which is read each time."""
    place = copied_compiler(tmp_path / "compiler")
    imported = "voltac" if "/" in changed else changed
    file = place / (changed if "/" in changed else f"{changed.replace('.', '/')}.py")
    code = f"""
import os, voltac
source = {RESULT.replace("VALUE", "7")!r}
entries = lambda: len([name for name in os.listdir({str(folder)!r}) if name.endswith(".voltac")])
print(voltac.compile(source).f(), entries())
with open({str(file)!r}, "a") as file: file.write("\\n")
import {imported}
print(voltac.compile(source + "// another").f(), entries())
"""
    assert answers(place, code) == ["7", "1", "7", str(kept)]


def test_files_just_written_are_hashed_each_time(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Their times could be those of another content, of a moment ago."""
    compiler_state.compiler_state.cache_clear()
    rows = [*compiler_state._AT_START, *compiler_state._llvmlite_rows()]
    newest = max(max(row[3:]) for row in rows) / 1e9
    monkeypatch.setattr(time, "time", lambda: newest + 1)
    assert compiler_state.compiler_state() is not None
    assert not list(folder.glob("*.compiler")) if folder.exists() else True
    compiler_state.compiler_state.cache_clear()
    monkeypatch.setattr(time, "time", lambda: newest + 5)
    assert compiler_state.compiler_state() is not None and len(list(folder.glob("*.compiler"))) == 1
    compiler_state.compiler_state.cache_clear()


KEY = "from voltac.python.compiler_state import compiler_state; print(compiler_state())"


def test_the_same_compiler_at_another_place_finds_what_the_first_made(tmp_path: Path, folder: Path) -> None:
    """A new environment, a new image: other paths, other times, the same contents."""
    places = [copied_compiler(tmp_path / name) for name in ("first", "second")]
    os.utime(places[1] / "voltac" / "driver.py", (1, 1))
    first, second = (answers(place, f"{CLAMPED}; {KEY}") for place in places)
    assert first == second and first[0] == "0"
    assert len(list(folder.glob("*.voltac"))) == 1
    with (places[1] / "voltac" / "driver.py").open("a") as file:
        file.write("\n")
    assert answers(places[1], KEY) != answers(places[0], KEY)


def test_a_llvmlite_is_known_by_its_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its installer wrote them down, as long as no file was changed later."""
    site = tmp_path / "site"
    library = site / "llvmlite" / "binding" / "libllvmlite.so"
    library.parent.mkdir(parents=True)
    (site / "llvmlite" / "__init__.py").touch()
    library.write_bytes(b"first")
    monkeypatch.syspath_prepend(site)

    def state() -> str:
        return compiler_state.contents_hash(compiler_state._llvmlite_rows())

    read: list[str] = []
    real = compiler_state._hash_of

    def reading(path: str) -> str:
        read.append(path)
        return real(path)

    monkeypatch.setattr(compiler_state, "_hash_of", reading)
    unrecorded = state()
    assert read == [str(library)]
    record = site / "llvmlite-1.2.3.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text(f"llvmlite/binding/libllvmlite.so,{real(str(library))},5\nllvmlite-1.2.3.dist-info/RECORD,,\n")
    assert state() == unrecorded and len(read) == 1
    changed = record.stat().st_mtime + 1
    library.write_bytes(b"other")
    os.utime(library, (changed, changed))
    assert state() != unrecorded and len(read) == 2
