"""``voltac build`` makes shared libraries without a C compiler, and C programs use them."""

import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from voltac.cli.command import main

SCALE = """\
export void scale(uniform float a[], uniform float s, uniform int n) {
    foreach (i = 0 ... n) a[i] *= s;
}
"""
TASKS = """\
struct Sums { float total; int count; };
task void add(uniform int a[]) { a[taskIndex] += taskIndex * taskCount; }
export void launched(uniform int a[], uniform int n) { launch[n] add(a); sync; }
export uniform int best() { print("lanes: %\\n", programCount); return programCount; }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.ispc").write_text(SCALE)
    (tmp_path / "tasks.ispc").write_text(TASKS)
    return tmp_path


def test_a_library_without_any_other_program(folder: Path) -> None:
    words = [sys.executable, "-m", "voltac", "build", "scale.ispc", "tasks.ispc", "-o", "libk.so"]
    done = subprocess.run(words, env={"PATH": "/nowhere"}, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    library = ctypes.CDLL(str(folder / "libk.so"))
    a = np.arange(50, dtype=np.float32)
    library.scale(ctypes.c_void_p(a.ctypes.data), ctypes.c_float(2.5), 50)
    assert np.array_equal(a, np.arange(50) * np.float32(2.5))
    b = np.zeros(100, np.int32)
    library.launched(ctypes.c_void_p(b.ctypes.data), 100)
    assert np.array_equal(b, np.arange(100) * 100)
    versions = [getattr(library, f"best_{isa}")() for isa in ("sse2", "avx2") if hasattr(library, f"best_{isa}")]
    assert versions == [4, 8]


def test_a_c_program_takes_the_library_and_its_header(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "tasks.ispc", "-o", "libtasks.so", "-h", "tasks.h", "--target=sse2,sse4"]) == 0
    (folder / "main.c").write_text("""
        #include <stdio.h>
        #include "tasks.h"
        int main(void) { int a[10] = {0}; launched(a, 10); printf("%d %d\\n", a[9], best()); }
    """)
    subprocess.run(["cc", "main.c", "-L.", "-ltasks", "-Wl,-rpath,.", "-o", "main"], check=True)
    assert subprocess.run("./main", capture_output=True, text=True).stdout == "lanes: 4\n90 4\n"
    assert not capfd.readouterr().err


WRONG = {
    "no source": (["-o", "k.so"], "build takes source files"),
    "no output": (["scale.ispc"], "build needs an output"),
    "another output": (["scale.ispc", "-o", "k.exe"], "build makes libNAME.so"),
    "one header for two": (["scale.ispc", "tasks.ispc", "-o", "k.so", "-h", "k.h"], "a header (-h) is of one source"),
    "no such file": (["nowhere.ispc", "-o", "k.so"], "file not found: nowhere.ispc"),
    "another machine": (["scale.ispc", "-o", "k.so", "--target=neon"], "for Linux on x86-64 only"),
    "another system": (["scale.ispc", "-o", "k.so", "--target-os=freebsd", "--target=sse4"], "for Linux on x86-64 only"),
    "a device": (["scale.ispc", "-o", "k.so", "--target=naplespu"], "for Linux on x86-64 only"),
    "twice the same": (["scale.ispc", "scale.ispc", "-o", "k.so"], "cannot link k.so: 'scale"),
    "onto the source": (["scale.so", "-o", "scale.so"], "is the input file"),
    "a function of nobody": (["unknown.ispc", "-o", "k.so"], "'zork' is neither defined by these sources"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_one_error(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "unknown.ispc").write_text('extern "C" void zork();\nexport void f() { zork(); }')
    (folder / "scale.so").write_text(SCALE)
    words, expected = WRONG[name]
    assert main(["build", *words]) in (1, 2)
    error = " ".join(capsys.readouterr().err.split())
    assert expected in error and error.count("Error: ") == 1
    assert not (folder / "k.so").exists() and (folder / "scale.so").read_text() == SCALE
