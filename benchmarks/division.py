"""Varying integer division and remainder of every width against the scalar instructions, which is what clang makes of a loop.

    python benchmarks/division.py [--rounds N] [--targets NAME ...]

Both sides are machine code, called from one timing loop in C. Operands are random bits of random sizes.
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

COUNT = 4096
TYPES = {f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}
OPERATIONS = {"divide": "/", "remainder": "%"}
TIMER = """
#include <stdint.h>
#include <time.h>
double time_kernel(void (*f)(void *, void *, void *, int), void *a, void *b, void *r, int n, int repeats) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int k = 0; k < repeats; ++k) f(a, b, r, n);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec);
}
"""


def sources() -> tuple[str, str]:
    """The kernels in the language and in C."""
    ours, theirs = "", TIMER
    for type in TYPES:
        for name, sign in OPERATIONS.items():
            ours += (
                f"export void {name}_{type}(uniform {type} a[], uniform {type} b[], uniform {type} r[], uniform int n) {{\n"
                f"    foreach (i = 0 ... n) r[i] = a[i] {sign} b[i];\n}}\n"
            )
            theirs += (
                f"void {name}_{type}({type}_t *restrict a, {type}_t *restrict b, {type}_t *restrict r, int n) {{\n"
                f"    for (int i = 0; i < n; i++) r[i] = a[i] {sign} b[i];\n}}\n"
            )
    return ours, theirs


def operands(dtype: np.dtype[np.generic], sizes: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of up to ``sizes`` bits; no divisor is zero, no quotient out of range."""
    random = np.random.default_rng(1)
    bits = min(sizes, 8 * dtype.itemsize - 1)
    a, b = ((random.integers(0, 1 << bits, COUNT) >> random.integers(0, bits, COUNT)).astype(dtype) for _ in range(2))
    return a, np.maximum(b, 1).astype(dtype)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--targets", nargs="+", default=["avx512skx-x16", "avx2-i32x8", "sse4-i32x4"])
    arguments = parser.parse_args()
    compiler = next((name for name in ("clang-21", "clang-20", "clang-19", "clang", "gcc") if shutil.which(name)), None)
    if compiler is None:
        sys.exit("division.py: neither clang nor gcc is installed; apt-get install clang-19")
    ours, theirs = sources()
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "ours.ispc").write_text(ours)
        (folder / "theirs.c").write_text(theirs)
        command = [compiler, "-O3", "-march=native", "-fPIC", "-shared", "-o", folder / "theirs.so", folder / "theirs.c"]
        subprocess.run(command, check=True)
        peer = ctypes.CDLL(str(folder / "theirs.so"))
        peer.time_kernel.restype = ctypes.c_double
        for target in arguments.targets:
            command = [sys.executable, "-m", "voltac", f"--target={target}", "-O2", "--pic", "--woff"]
            subprocess.run([*command, "-o", folder / f"{target}.o", folder / "ours.ispc"], check=True)
            subprocess.run(["cc", "-shared", "-o", folder / f"{target}.so", folder / f"{target}.o"], check=True)
            mine = ctypes.CDLL(str(folder / f"{target}.so"))
            for type, dtype in TYPES.items():
                for sizes in (63, 40) if dtype.itemsize == 8 else (63,):
                    a, b = operands(dtype, sizes)
                    results = np.zeros(COUNT, dtype), np.zeros(COUNT, dtype)
                    for name in OPERATIONS:
                        contenders = {}
                        for label, library, r in (("voltac", mine, results[0]), (compiler, peer, results[1])):
                            pointers = [ctypes.c_void_p(array.ctypes.data) for array in (a, b, r)]
                            function = getattr(library, f"{name}_{type}")
                            contenders[label] = lambda f=function, p=pointers: peer.time_kernel(f, *p, COUNT, 20)
                        times = interleaved(contenders, arguments.rounds)
                        assert (results[0] == results[1]).all(), (target, type, name)
                        limit = f" below 2^{sizes}" if dtype.itemsize == 8 else ""
                        print(f"{target:14} {name:10} {type + limit:16} {ratio(times['voltac'], times[compiler])}", flush=True)


if __name__ == "__main__":
    main()
