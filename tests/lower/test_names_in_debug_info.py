"""What debug information says of files and lines: nothing of the folder it was compiled in, and all that fits its fields."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

import voltac
from voltac.driver import compile_source
from voltac.lower.debug.debug_names import folder_and_name
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGET = find_target("sse4-i32x4")
MAIN = """\
#include "near.isph"
#include <far.isph>
export void f(uniform float a[], uniform int index[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = near(a[i]) + far(a[index[i]]);
}
"""
HEADER = "static inline float {0}(float x) {{\n    float y = x + 1;\n    return y * abs(y);\n}}\n"


def tree(place: Path) -> Path:
    (place / "src").mkdir(parents=True)
    (place / "inc").mkdir()
    (place / "src" / "main.ispc").write_text(MAIN)
    (place / "src" / "near.isph").write_text(HEADER.format("near"))
    (place / "inc" / "far.isph").write_text(HEADER.format("far"))
    return place


def compiled(folder: Path, *words: str, source: str = "src/main.ispc", include: str = "inc") -> bytes:
    command = [
        sys.executable,
        "-m",
        "voltac",
        source,
        f"-I{include}",
        "-g",
        "--target=sse4",
        "--wno-perf",
        "-o",
        "main.o",
        *words,
    ]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "main.o").read_bytes()


def names(code: bytes) -> tuple[str, str]:
    """Folder and name of the compilation."""
    unit = next(ELFFile(io.BytesIO(code)).get_dwarf_info().iter_CUs()).get_top_DIE()
    return tuple(unit.attributes[name].value.decode() for name in ("DW_AT_comp_dir", "DW_AT_name"))


@pytest.mark.parametrize(
    "words", [["-O0"], ["-O2"], ["--dwarf-version=2"], ["--dwarf-version=4", "-O0"], ["--emit-asm"]], ids=" ".join
)
def test_the_same_tree_in_two_folders_gives_the_same_object(words: list[str], tmp_path: Path) -> None:
    first, second = compiled(tree(tmp_path / "one"), *words), compiled(tree(tmp_path / "a longer name"), *words)
    assert first == second
    assert str(tmp_path).encode() not in first
    if words[0] != "--emit-asm":
        assert names(first) == (".", "src/main.ispc")


def test_absolute_names_stay_and_the_working_directory_does_not_count(tmp_path: Path) -> None:
    place = tree(tmp_path / "one")
    (tmp_path / "elsewhere").mkdir()
    given = {"source": str(place / "src" / "main.ispc"), "include": str(place / "inc")}
    first, second = compiled(place, **given), compiled(tmp_path / "elsewhere", **given)
    assert first == second and names(first) == (".", str(place / "src" / "main.ispc"))
    assert str(place / "inc").encode() in first


def test_a_prefix_map_makes_objects_of_two_places_equal(tmp_path: Path) -> None:
    objects = []
    for name in ("one", "another"):
        place = tree(tmp_path / name)
        given = {"source": str(place / "src" / "main.ispc"), "include": str(place / "inc")}
        objects.append(
            compiled(place, "--debug-prefix-map", f"{place}=/usr/src", f"--debug-prefix-map={place}/inc=/far", **given)
        )
    assert objects[0] == objects[1]
    assert names(objects[0]) == (".", "/usr/src/src/main.ispc")
    assert b"/far" in objects[0] and str(tmp_path).encode() not in objects[0]


def test_the_folder_can_be_mapped_for_debuggers(tmp_path: Path) -> None:
    assert names(compiled(tree(tmp_path / "one"), "--debug-prefix-map", ".=/here")) == ("/here", "src/main.ispc")


@pytest.mark.parametrize(
    "maps, file, expected",
    [
        ((), "a/b.ispc", (".", "a/b.ispc")),
        ((("a", "x"),), "a/b.ispc", (".", "x/b.ispc")),
        ((("a/", "x/"),), "a/b.ispc", (".", "x/b.ispc")),
        ((("a", ""),), "a/b.ispc", (".", "b.ispc")),
        ((("a", "x"),), "ab/b.ispc", (".", "ab/b.ispc")),
        ((("a", "x"), ("a/c", "y")), "a/c/b.ispc", (".", "y/b.ispc")),
        ((("a/c", "y"), ("a", "x")), "a/c/b.ispc", (".", "x/c/b.ispc")),
        ((("/", "/root/"),), "/b.ispc", (".", "/root/b.ispc")),
        ((("a/b.ispc", "z"),), "a/b.ispc", (".", "z")),
        (((".", "/w"),), "./b.ispc", ("/w", "/w/b.ispc")),
        (((".", ""),), "b.ispc", (".", "b.ispc")),
        ((("a=b", "x=y"),), "a=b/c.ispc", (".", "x=y/c.ispc")),
    ],
)
def test_what_a_prefix_map_does(maps: tuple[tuple[str, str], ...], file: str, expected: tuple[str, str]) -> None:
    assert folder_and_name(file, Options(target=TARGET, debug_prefix_map=maps)) == expected


def test_a_prefix_map_from_python(tmp_path: Path) -> None:
    place = tree(tmp_path / "one")
    for given in ({str(place): "/usr/src"}, ((str(place), "/usr/src"),)):
        k = voltac.load(
            place / "src" / "main.ispc", include=place / "inc", debug_info=True, debug_prefix_map=given, target="sse4"
        )
        assert "/usr/src/src/main.ispc" in k.assembly() and str(place) not in k.assembly()
        assert "main.ispc:5" in k.warnings, "warnings name the files as they are"
    wrong: object
    for wrong in ("a=b", ["a=b"], (("", "b"),), (("a", 1),), (("a",),), {1: "b"}):
        with pytest.raises((TypeError, ValueError), match="debug_prefix_map must be"):
            voltac.compile("export void f() {}", debug_prefix_map=wrong)  # type: ignore[arg-type]


def test_a_prefix_map_that_is_none(tmp_path: Path) -> None:
    for wrong in ("x", "=x", ""):
        command = [sys.executable, "-m", "voltac", "x.ispc", "--debug-prefix-map", wrong]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 2 and "needs OLD=NEW" in " ".join(done.stderr.split())


def test_performance_warnings_know_their_places_whatever_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree(tmp_path / "one"))
    found = []
    for maps in ((), (("src", "/usr/src"), (".", "/w"))):
        for file in ("src/main.ispc", os.path.abspath("src/main.ispc")):
            diagnostics = Diagnostics()
            options = Options(target=TARGET, include_directories=("inc",), debug_prefix_map=maps, debug_info=True)
            compile_source(MAIN, file, options, diagnostics)
            found.append(
                [(item.span.line, item.span.column) for item in diagnostics.items if item.kind == "Performance Warning"]
            )
    assert found[0] and all(rows == found[0] for rows in found)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="needs gdb")
@pytest.mark.parametrize("version", ["2", "4", "5"])
def test_a_debugger_finds_the_sources(version: str, tmp_path: Path) -> None:
    place = tree(tmp_path / "one")
    (place / "main.c").write_text("void f(float *, int *, int); int main() { float a[8] = {0}; int i[8] = {0}; f(a, i, 8); }\n")

    def listed(*words: str, folder: Path = place) -> str:
        subprocess.run(["gcc", "main.c", "main.o", "-no-pie", "-o", "main"], cwd=place, check=True)
        command = ["gdb", "-nx", "-batch", "-ex", "list far.isph:2,3", "-ex", "list src/main.ispc:4,5", str(place / "main")]
        return subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True, timeout=60).stdout

    compiled(place, f"--dwarf-version={version}", "-O0")
    text = listed()
    assert "float y = x + 1;" in text and "far(a[index[i]])" in text
    compiled(place, f"--dwarf-version={version}", "-O0", "--debug-prefix-map", f".={place}")
    text = listed(folder=tmp_path)
    assert "float y = x + 1;" in text and "far(a[index[i]])" in text


# --- lines and columns ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("level", [0, 2])
def test_lines_and_columns_at_the_limits(debug: bool, level: int) -> None:
    body = "export void f(uniform int a[]) {\n a[0] = 1;\n foreach (i = 0 ... 9) { int y = a[2 * i]; a[i] = y; } }\n"
    wide = body.replace(" a[0]", " " * 70_000 + "a[0]").replace("foreach", " " * 70_000 + "foreach")
    for text in ("#line 2147483647\n" + body, "#line 0\n" + body, '# 0 "x"\n' + body, wide, "#line 2147483647\n" + wide):
        options = Options(target=TARGET, level=level, debug_info=debug)
        assert compile_source(text, "a.ispc", options, Diagnostics()).optimized.object_code()


@pytest.mark.parametrize("number", ["2147483648", "4294967296", "99999999999", "9" * 5000, "0" * 5000 + "2147483648"])
@pytest.mark.parametrize("form", ["#line {}", '# {} "x"', "#define N {}\n#line N"])
def test_line_numbers_beyond_them_are_errors(form: str, number: str) -> None:
    with pytest.raises(CompileError, match="must not be above 2147483647"):
        compile_source(form.format(number) + "\nint i;\n", "a.ispc", Options(target=TARGET), Diagnostics())


def test_a_line_0_has_a_place() -> None:
    with pytest.raises(CompileError, match=r"a\.ispc:1:\d+: Error"):
        compile_source("#line 0\nint i = z;\n", "a.ispc", Options(target=TARGET), Diagnostics())
