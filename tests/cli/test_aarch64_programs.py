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
