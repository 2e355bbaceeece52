"""Kernels whose lanes work together, against clang's loops: compaction, histogram, one sum of all, masked stores.

    python benchmarks/lanes_together.py [--rounds N]

Both sides are machine code for the same instruction set, called from one timing loop in C.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from voltac.report.measure import interleaved, machine, ratio

COUNT = 1 << 14
TARGETS = {"sse4-i32x4": "x86-64-v2", "avx2-i32x8": "x86-64-v3", "avx512skx-x16": "x86-64-v4"}
OURS = """
export void compact(uniform int a[], uniform int r[], uniform int n) {
    uniform int count = 0;
    foreach (i = 0 ... n) { int x = a[i]; if (x > 0) count += packed_store_active(&r[count], x); }
}
export void count(uniform int a[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) atomic_add_local(&r[a[i] & 255], 1);
}
export void count_some(uniform int a[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) { int x = a[i]; if (x > 0) atomic_add_local(&r[x & 255], 1); }
}
export void sum_atomically(uniform int a[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) atomic_add_global(r, a[i]);
}
export void store_some(uniform int a[], uniform int r[], uniform int n) {
    foreach (i = 0 ... n) { int x = a[i]; if (x > 0) r[i] = x * 3; }
}
"""
THEIRS = """
#include <time.h>
void compact(int *restrict a, int *restrict r, int n) { int k = 0; for (int i = 0; i < n; i++) if (a[i] > 0) r[k++] = a[i]; }
void count(int *restrict a, int *restrict r, int n) { for (int i = 0; i < n; i++) r[a[i] & 255]++; }
void count_some(int *restrict a, int *restrict r, int n) { for (int i = 0; i < n; i++) if (a[i] > 0) r[a[i] & 255]++; }
void sum_atomically(int *restrict a, int *restrict r, int n) {
    for (int i = 0; i < n; i++) __atomic_fetch_add(r, a[i], __ATOMIC_SEQ_CST);
}
void store_some(int *restrict a, int *restrict r, int n) { for (int i = 0; i < n; i++) if (a[i] > 0) r[i] = a[i] * 3; }
double time_kernel(void (*f)(void *, void *, int), void *a, void *r, int n, int repeats) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int k = 0; k < repeats; ++k) f(a, r, n);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec);
}
"""
NAMES = ("compact", "count", "count_some", "sum_atomically", "store_some")


def inputs() -> dict[str, np.ndarray]:
    """Elements to take are half of all: at random, or in runs of 64."""
    size = np.random.default_rng(1).integers(1, 1 << 20, COUNT)
    sign = np.random.default_rng(2).choice([-1, 1], COUNT)
    runs = np.where(np.arange(COUNT) // 64 % 2, 1, -1)
    return {"at random": (size * sign).astype(np.int32), "in runs": (size * runs).astype(np.int32)}


def libraries(folder: Path, target: str, architecture: str, compiler: str) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    (folder / "ours.ispc").write_text(OURS)
    (folder / "theirs.c").write_text(THEIRS)
    command = [sys.executable, "-m", "voltac", f"--target={target}", "-O2", "--pic", "--woff"]
    subprocess.run([*command, "-o", folder / f"{target}.o", folder / "ours.ispc"], check=True)
    subprocess.run(["cc", "-shared", "-o", folder / f"{target}.so", folder / f"{target}.o"], check=True)
    peer = folder / f"{architecture}.so"
    flags = ["-O3", f"-march={architecture}", "-fPIC", "-shared"]
    subprocess.run([compiler, *flags, "-o", peer, folder / "theirs.c"], check=True)
    return ctypes.CDLL(str(folder / f"{target}.so")), ctypes.CDLL(str(peer))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41)
    arguments = parser.parse_args()
    compiler = next((name for name in ("clang-21", "clang-20", "clang-19", "clang", "gcc") if shutil.which(name)), None)
    if compiler is None:
        sys.exit("lanes_together.py: neither clang nor gcc is installed; apt-get install clang-19")
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        for target, architecture in TARGETS.items():
            mine, peer = libraries(Path(name), target, architecture, compiler)
            peer.time_kernel.restype = ctypes.c_double
            for label, a in inputs().items():
                for kernel in NAMES:
                    results, contenders = {}, {}
                    for side, library in (("voltac", mine), (compiler, peer)):
                        results[side] = r = np.zeros(COUNT, np.int32)
                        pointers = ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(r.ctypes.data)
                        function = getattr(library, kernel)
                        contenders[side] = lambda f=function, p=pointers, t=peer.time_kernel: t(f, *p, COUNT, 10)
                    times = interleaved(contenders, arguments.rounds)
                    assert (results["voltac"] == results[compiler]).all(), (target, kernel)
                    print(f"{target:14} {kernel:15} {label:10} {ratio(times['voltac'], times[compiler])}", flush=True)


if __name__ == "__main__":
    main()
