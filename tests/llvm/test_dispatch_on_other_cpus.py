"""Programs built for several targets run the best version that a CPU has: under qemu, with CPUs of fewer features."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

QEMU = "qemu-x86_64"
SOURCE = """
export uniform int which() { return ISPC_MASK_BITS * 100 + TARGET_WIDTH; }
export void twice(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] *= 2; }
"""
MAIN = """
#include <stdio.h>
#include "kernels.h"
int main(void) {
  float a[37];
  for (int k = 0; k < 37; k++) a[k] = k;
  twice(a, 37);
  for (int k = 0; k < 37; k++) if (a[k] != 2 * k) return 1;
  return printf("%d", which()) < 0;
}
"""
pytestmark = [
    pytest.mark.skipif(shutil.which(QEMU) is None, reason=f"not installed: {QEMU} (apt: qemu-user)"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="not installed: gcc"),
]


def build(folder: Path, targets: str) -> Path:
    (folder / "kernels.ispc").write_text(SOURCE)
    (folder / "main.c").write_text(MAIN)
    words = ["kernels.ispc", f"--target={targets}", "-O2", "-o", "kernels.o", "-h", "kernels.h", "--woff"]
    subprocess.run([sys.executable, "-m", "voltac", *words], cwd=folder, check=True)
    objects = [path.name for path in folder.glob("*.o")]
    subprocess.run(["gcc", "-O1", "-static", "main.c", *objects, "-o", "program"], cwd=folder, check=True)
    return folder / "program"


def run_on(cpu: str, program: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([QEMU, "-cpu", cpu, program], capture_output=True, text=True, timeout=60)


def test_each_cpu_gets_the_best_it_has(tmp_path: Path) -> None:
    program = build(tmp_path, "avx2-i32x8,sse2-i32x4,avx512skx-x16,avx1-i64x4,sse4-i16x8")
    expected = {
        "qemu64": 3204,
        "core2duo": 3204,
        "Nehalem": 1608,
        "Nehalem,-popcnt": 3204,
        "SandyBridge": 6404,
        "Haswell": 3208,
        "Haswell,-bmi2": 6404,
        # A system that does not save the wide registers.
        "Haswell,-xsave": 1608,
        # This emulator knows no AVX-512.
        "Skylake-Server": 3208,
    }
    assert {cpu: run_on(cpu, program).stdout for cpu in expected} == {cpu: str(number) for cpu, number in expected.items()}


def test_a_cpu_that_has_none_stops_with_an_illegal_instruction(tmp_path: Path) -> None:
    program = build(tmp_path, "avx2-i32x8,avx512skx-x16")
    assert run_on("Haswell", program).stdout == "3208"
    done = run_on("SandyBridge", program)
    assert done.stdout == ""
    assert done.returncode == -4 or "Illegal instruction" in done.stderr
