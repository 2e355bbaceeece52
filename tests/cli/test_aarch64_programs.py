"""A C program for aarch64 with kernels, tasks and the flush mode of the floating-point unit, under qemu."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from emulated import AARCH64, missing

Run = Callable[..., subprocess.CompletedProcess[str]]

SOURCE = """
task void part(uniform float a[], uniform int n) {
    uniform int per = (n + taskCount - 1) / taskCount;
    uniform int lo = taskIndex * per;
    uniform int hi = min(lo + per, n);
    foreach (i = lo ... hi)
        a[i] = a[i] * 2 + taskIndex;
}
export void all_parts(uniform float a[], uniform int n) { launch[7] part(a, n); sync; }
export uniform float half(uniform float a) { return a * 0.5f; }
"""

MAIN = """
#include <stdio.h>
#include "kernels.h"
int main(void) {
  static float a[1000];
  for (int k = 0; k < 1000; k++) a[k] = k;
  all_parts(a, 1000);
  for (int k = 0; k < 1000; k++) if (a[k] != 2 * k + k / 143) return 1;
  float tiny = half(1.2e-38f);
  printf("%s", tiny == 0 ? "flushed" : "kept");
  return 1.2e-38f * 0.5f == 0;
}
"""


@pytest.mark.long
@pytest.mark.skipif(missing(AARCH64) != "", reason=missing(AARCH64))
@pytest.mark.parametrize(("options", "said"), [([], "kept"), (["--opt=reset-ftz-daz"], "flushed")], ids=["plain", "flushing"])
def test_tasks_and_the_floating_point_state(voltac: Run, folder: Path, options: list[str], said: str) -> None:
    (folder / "kernels.ispc").write_text(SOURCE)
    (folder / "main.c").write_text(MAIN)
    assert voltac("kernels.ispc", "--target=neon-i32x8", *options, "-o", "kernels.o", "-h", "kernels.h").returncode == 0
    assert voltac("--task-pool", "--target=neon-i32x4", "-o", "tasks.o").returncode == 0
    objects = ["kernels.o", "tasks.o"]
    compiler = [*AARCH64.compiler, "-O0", "main.c", *objects, "-o", "program", *AARCH64.libraries]
    subprocess.run(compiler, cwd=folder, check=True)
    done = subprocess.run([*AARCH64.emulator, "./program"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, said)


WHICH = """
#ifdef ISPC_TARGET_SVE
#define KIND 100
#else
#define KIND 0
#endif
export uniform int which() { return KIND + programCount; }
export void twice(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] *= 2; }
"""
ASKING = """
#include <stdio.h>
#include "which.h"
int main(void) {
  float a[100];
  for (int k = 0; k < 100; k++) a[k] = k;
  twice(a, 99);
  for (int k = 0; k < 100; k++) if (a[k] != (k < 99 ? 2 * k : k)) return 1;
  printf("%d", which());
  return 0;
}
"""


@pytest.mark.skipif(missing(AARCH64) != "", reason=missing(AARCH64))
def test_a_build_for_several_lengths_of_sve_takes_the_longest_that_fits(voltac: Run, folder: Path) -> None:
    """The CPU with the vectors, in units of 128 bits -> the gang that is taken, and 100 for SVE."""
    (folder / "which.ispc").write_text(WHICH)
    (folder / "main.c").write_text(ASKING)
    targets = "--target=sve512,neon,sve256,sve"
    assert voltac("which.ispc", targets, "-o", "which.o", "-h", "which.h").returncode == 0
    objects = ["which.o", *(f"which_{isa}.o" for isa in ("neon", "sve", "sve256", "sve512"))]
    subprocess.run([*AARCH64.compiler, "main.c", *objects, "-o", "program"], cwd=folder, check=True)
    found = {}
    for cpu in ("sve=off", *(f"sve-max-vq={units}" for units in (1, 2, 3, 4, 8))):
        command = [*AARCH64.emulator, "-cpu", f"max,{cpu}", "./program"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        found[cpu.rpartition("=")[2]] = int(done.stdout)
    assert found == {"off": 4, "1": 104, "2": 108, "3": 108, "4": 116, "8": 116}


def test_other_systems_take_one_target(voltac: Run, folder: Path) -> None:
    (folder / "which.ispc").write_text(WHICH)
    done = voltac("which.ispc", "--target=neon,sve", "--target-os=macos", "-o", "which.o")
    assert done.returncode == 2 and "'macos' says nothing of SVE to programs: give one target" in done.stderr
