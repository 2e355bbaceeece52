"""``--instrument``: calls of the function that ispc's users define; ``voltac profile``: what it prints and writes."""

import ctypes
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from executed_lanes import executed_lanes
from kernels import processor_runs

import voltac as package
from voltac.target_info import find_target

Run = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = """\
static int half_life(int a) {
    int n = 0;
    while (a > 1) {
        a >>= 1;
        if (n > 2)
            n += 2;
        n++;
    }
    return n;
}
export void f(uniform int a[], uniform int n) {
    foreach (i = 0 ... n) {
        if (i & 1)
            a[i] = half_life(a[i]);
    }
}
"""
"""One statement a line, so that a line is a place."""

MAIN = """\
#include <stdio.h>
#include <stdint.h>
#include "f.h"
#ifndef ISPC_INSTRUMENTATION
#error the header does not say that the build is instrumented
#endif
EXTERN_C void ISPCInstrument(const char *file, const char *note, int line, uint64_t mask) {
    printf("%s|%s|%d|%llx\\n", file, note, line, (unsigned long long)mask);
}
USING
int main(void) {
    int32_t a[75];
    for (int k = 0; k < 75; k++) a[k] = k * 5;
    f(a, 75);
    return 0;
}
"""

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16", "avx512skx-x64"]


def given() -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.arange(75, dtype=np.int32) * 5


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("compiler", "suffix"), [("gcc -std=c11", "c"), ("g++ -std=c++17", "cpp")])
def test_c_programs_are_told_of_lanes(voltac: Run, folder: Path, compiler: str, suffix: str, target: str) -> None:
    (folder / "f.ispc").write_text(PROGRAM)
    made = voltac("f.ispc", "-o", "f.o", "-h", "f.h", f"--target={target}", "--instrument", "--woff")
    assert (made.returncode, made.stderr) == (0, "")
    cpp = suffix == "cpp"
    text = MAIN.replace("EXTERN_C", 'extern "C"' if cpp else "").replace("USING", "using namespace ispc;" if cpp else "")
    (folder / f"main.{suffix}").write_text(text)
    command = [*compiler.split(), "-Wall", "-Werror", f"main.{suffix}", "f.o", "-o", "main"]
    linked = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert linked.returncode == 0, linked.stderr
    if not processor_runs(find_target(target)):
        pytest.skip(f"compiled and linked; this CPU cannot run {target}")
    done = subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True)
    calls = [line.split("|") for line in done.stdout.splitlines()]
    assert {file for file, *_ in calls} == {"f.ispc"}
    assert calls[0][1:3] == ["function entry", "11"]
    expected = executed_lanes(PROGRAM, target, "f", [given(), 75])
    found: dict[int, dict[int, int]] = {}
    for _, note, line, mask in calls:
        on = int(mask, 16).bit_count()
        if note != "function entry" and on:
            counts = found.setdefault(int(line), {})
            counts[on] = counts.get(on, 0) + 1
    by_line = {line: counts for (line, _), counts in expected.items()}
    # Statements that follow others under the same mask have no call of their own.
    assert found == {line: by_line[line] for line in found}
    assert found.keys() >= {4, 6, 13, 14}
    notes = {note for _, note, line, _ in calls if line in ("4", "13", "14")}
    assert notes == {"statement", "if"}


def test_the_function_may_be_one_of_python() -> None:
    seen: list[tuple[bytes, int, int]] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint64)(
        lambda file, note, line, mask: seen.append((note, line, mask))
    )
    source = "export void f(uniform int a[]) {\n    foreach (i = 0 ... 3)\n        a[i] = i;\n}\n"
    functions = {"ISPCInstrument": function}
    kernel = package.compile(source, target="sse4-i32x4", instrument="calls", functions=functions).f
    kernel(np.zeros(3, np.int32))
    assert seen == [(b"function entry", 1, 15), (b"statement", 3, 7)]


def test_builds_for_several_targets_are_instrumented(voltac: Run, folder: Path) -> None:
    assert voltac("good.ispc", "-o", "g.o", "-h", "g.h", "--target=sse4,avx2", "--instrument", "--woff").returncode == 0
    for name in ("g_sse4.o", "g_avx2.o"):
        symbols = subprocess.run(["nm", name], cwd=folder, check=True, capture_output=True, text=True).stdout
        assert "U ISPCInstrument" in symbols
    assert (folder / "g.h").read_text().count("ISPC_INSTRUMENTATION") == 1


def test_nothing_is_called_without_the_option(voltac: Run, folder: Path) -> None:
    assert voltac("good.ispc", "-o", "g.s", "-h", "g.h", "--emit-asm", "--target=sse4").returncode == 0
    assert "Instrument" not in (folder / "g.s").read_text() + (folder / "g.h").read_text()


def test_devices_are_refused(voltac: Run) -> None:
    for words in (["good.ispc", "-o", "g.o", "--instrument"], ["profile", "good.ispc"]):
        done = voltac(*words, "--target=naplespu")
        assert done.returncode == 2
        assert "instrumented builds are for this computer, and 'naplespu' is a device" in " ".join(done.stderr.split())


# --- voltac profile ---------------------------------------------------------------------------------------------


@pytest.fixture
def program(folder: Path) -> str:
    (folder / "f.ispc").write_text(PROGRAM)
    np.save(folder / "a.npy", given())
    return "f.ispc"


def test_the_heat_map_has_every_line(voltac: Run, program: str) -> None:
    done = voltac("profile", program, "--target=sse4-i32x4", "a.npy", "75")
    assert (done.returncode, done.stderr) == (0, "")
    head, _, *rows = done.stdout.splitlines()
    assert head.startswith("f.ispc: 'f' for sse4.2-i32x4, 4 lanes a gang: ")
    assert [row.partition("| ")[2] for row in rows] == PROGRAM.splitlines()
    expected = executed_lanes(PROGRAM, "sse4-i32x4", "f", [given(), 75])
    for (line, _), counts in expected.items():
        shade, runs, share, *_ = rows[line - 1].split()
        lanes = sum(on * count for on, count in counts.items())
        assert int(runs) >= sum(counts.values()) and shade in "░▒▓█"
        assert int(share) == round(100 * lanes / (4 * int(runs)))


def test_the_page_and_the_json(voltac: Run, program: str, folder: Path) -> None:
    done = voltac("profile", program, "--target=sse4-i32x4", "--html", "p.html", "--json", "a.npy", "75")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert (data["function"], data["target"], data["width"]) == ("f", "sse4.2-i32x4", 4)
    expected = executed_lanes(PROGRAM, "sse4-i32x4", "f", [given(), 75])
    places = {(place["line"], place["column"]): place for place in data["places"] if place["note"] != "function entry"}
    for place, counts in expected.items():
        assert places[place]["lanes"] == sum(on * count for on, count in counts.items())
    assert "half_life" in (folder / "p.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no input file given"),
        (["none.ispc"], "file not found: none.ispc"),
        (["f.ispc", "--function", "g"], "the file exports no function 'g'"),
        (["f.ispc", "b.npy"], "cannot read the array file b.npy"),
        (["f.ispc", "--html", "f.ispc"], "f.ispc"),
    ],
)
def test_what_is_wrong_is_said(voltac: Run, program: str, folder: Path, words: list[str], message: str) -> None:
    done = voltac("profile", *words)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())
    assert (folder / "f.ispc").read_text() == PROGRAM


def test_a_run_that_fails_says_so(voltac: Run, folder: Path) -> None:
    (folder / "a.ispc").write_text("export void f(uniform int n) { assert(n > 3); }\n")
    done = voltac("profile", "a.ispc", "1")
    assert done.returncode == 1
    assert "n > 3" in done.stderr
