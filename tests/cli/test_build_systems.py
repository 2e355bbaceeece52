"""CMake and Meson take voltac for ispc: the files of docs/command_line.md configure and build, and the program is right."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command_line.md"
SCRIPTS = sysconfig.get_path("scripts")
SOURCES = {
    "scale.ispc": """#include "half.isph"
export void scale(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] *= HALF; }
""",
    "half.isph": "#define HALF 0.5f\n",
    "sum.ispc": """export uniform float sum(uniform float a[], uniform int n) {
    float total = 0;
    foreach (i = 0 ... n) total += a[i];
    return reduce_add(total);
}
""",
    "main.c": """#include <stdio.h>
#include "scale_ispc.h"
#include "sum_ispc.h"
int main(void) {
    float a[100];
    for (int i = 0; i < 100; ++i) a[i] = i;
    scale(a, 100);
    printf("%g\\n", sum(a, 100));
}
""",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The sources, and the files of the page that describe the build."""
    for name, text in SOURCES.items():
        (tmp_path / name).write_text(text)
    for language, name in (("cmake", "CMakeLists.txt"), ("meson", "meson.build")):
        (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        (tmp_path / name).write_text(found)
    return tmp_path


def run(folder: Path, *words: str) -> str:
    path = os.pathsep.join([SCRIPTS, os.environ["PATH"]])
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def program(name: str) -> str:
    found = shutil.which(name, path=os.pathsep.join([SCRIPTS, os.environ["PATH"]]))
    if found is None:
        pytest.skip(f"{name} is not installed (apt: {name}; pip: {name})")
    return found


SUM_OF_HALVES = "2475\n"
"""Of 0, 0.5, ... 49.5: 99 * 100 / 4."""


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_cmake_builds_a_library_for_several_targets(project: Path, generator: str) -> None:
    cmake = program("cmake")
    program("ninja" if generator == "Ninja" else "make")
    said = run(project, cmake, "-G", generator, "-S", ".", "-B", "build", f"-DCMAKE_ISPC_COMPILER={SCRIPTS}/voltac")
    assert "The ISPC compiler identification is Intel 1.32.0" in said
    run(project, cmake, "--build", "build")
    assert run(project, "build/main") == SUM_OF_HALVES
    members = run(project, "ar", "t", "build/libkernels.a").split()
    assert {f"{name}.ispc{isa}.o" for name in ("scale", "sum") for isa in ("", "_sse4", "_avx2")} == set(members)
    (project / "half.isph").write_text("#define HALF 2.0f\n")
    run(project, cmake, "--build", "build")
    assert run(project, "build/main") == "9900\n", "a change of an included file is a reason to compile"


def test_meson_builds_a_program(project: Path) -> None:
    program("ninja")
    run(project, sys.executable, "-m", "mesonbuild.mesonmain", "setup", "build")
    run(project, "ninja", "-C", "build")
    assert run(project, "build/main") == SUM_OF_HALVES
    (project / "half.isph").write_text("#define HALF 2.0f\n")
    run(project, "ninja", "-C", "build")
    assert run(project, "build/main") == "9900\n", "a change of an included file is a reason to compile"
