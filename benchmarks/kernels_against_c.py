"""Kernels of images, matrices and sums against the same in C, vectorised by clang and gcc at -O3 -ffast-math.

voltac compiles for AVX-512 with `--target=host` and the peers with -march=native; for AVX2 it is
`--target=avx2-i32x8` and -march=haswell -mtune=native. The ratio is that of the better of the two peers, all in cache.

    python benchmarks/kernels_against_c.py [--rounds N] [--only NAME,...]
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from voltac.report.measure import interleaved, machine, ratio

HERE = Path(__file__).resolve().parent
MACHINES = {
    "AVX-512": ("host", ["-march=native"]),
    "AVX2": ("avx2-i32x8", ["-march=haswell", "-mtune=native"]),
}
PEERS = ("clang-19", "gcc")
NANOSECONDS = 200_000
"""Of one measurement, about."""

# Kernel -> type of what is written and of what is read, elements of each array, n and m.
ROWS: dict[str, tuple[type, type, tuple[int, int, int], int, int]] = {
    "matrix_product": (np.float32, np.float32, (96 * 96,) * 3, 96, 0),
    "filter": (np.float32, np.float32, (4096, 4096 + 16, 16), 4093, 16),
    "convolution": (np.float32, np.float32, (131 * 37, 131 * 37, 9), 131, 37),
    "shortest_ways": (np.float32, np.float32, (80 * 80, 80 * 80, 1), 80, 0),
    "median": (np.uint8, np.uint8, (4096, 4096, 1), 4093, 0),
    "sobel": (np.uint8, np.uint8, (131 * 37, 131 * 37, 1), 131, 37),
    "life": (np.uint8, np.uint8, (131 * 37, 131 * 37, 1), 131, 37),
    "grey": (np.uint8, np.uint8, (4096, 4 * 4096, 1), 4093, 0),
    "blend": (np.uint8, np.uint8, (4096, 2 * 4096, 4096), 4093, 0),
    "dot_int16": (np.int32, np.int16, (16, 4096, 4096), 4093, 0),
    "distance": (np.int32, np.uint8, (16, 4096, 4096), 4093, 0),
    "greatest": (np.int8, np.int8, (64, 4096, 1), 4093, 0),
    "compaction": (np.int32, np.int32, (4096 + 16, 4096, 1), 4093, 0),
}


def build(folder: Path, target: str, flags: list[str]) -> dict[str, ctypes.CDLL]:
    """Shared objects by contender; those of the peers have the timing loop too."""
    command = [sys.executable, "-m", "voltac", f"--target={target}", "-O3", "--opt=fast-math:aggressive", "--pic", "--woff"]
    subprocess.run([*command, "-o", folder / "voltac.o", HERE / "kernels" / "against_c.ispc"], check=True)
    subprocess.run(["cc", "-shared", "-o", folder / "voltac.so", folder / "voltac.o"], check=True)
    for peer in filter(shutil.which, PEERS):
        native = [peer, "-O3", "-ffast-math", *flags, "-fPIC", "-shared"]
        subprocess.run([*native, "-o", folder / f"{peer}.so", HERE / "peers" / "against_c.c"], check=True)
    return {file.stem: ctypes.CDLL(str(file)) for file in sorted(folder.glob("*.so"))}


def aligned(dtype: type, count: int, seed: int) -> np.ndarray:
    """Numbers at a 64-byte border: small ones, or all bytes."""
    raw = np.zeros(count * np.dtype(dtype).itemsize + 64, np.uint8)
    start = -raw.ctypes.data % 64
    made: np.ndarray = raw[start : start + count * np.dtype(dtype).itemsize].view(dtype)
    numbers = np.random.default_rng(seed)
    if dtype is np.float32:
        made[:] = numbers.random(count)
    else:
        limits = np.iinfo(dtype)
        made[:] = numbers.integers(max(limits.min, -300), min(limits.max, 300), count, endpoint=True)
    return made


def measure(libraries: dict[str, ctypes.CDLL], name: str, rounds: int) -> str:
    written, read, sizes, n, m = ROWS[name]
    a, b, c = aligned(written, sizes[0], 1), aligned(read, sizes[1], 2), aligned(read, sizes[2], 3)
    if name == "life":
        b &= 1
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (a, b, c)]
    peers = [other for other in libraries if other != "voltac"]
    clock = libraries[peers[0]].time_kernel
    clock.restype = ctypes.c_double

    def timer(library: ctypes.CDLL, repeats: int) -> Callable[[], float]:
        return lambda: clock(getattr(library, name), *pointers, n, m, repeats)

    results = []
    for library in libraries.values():
        a[:] = 0
        timer(library, 1)()
        results.append(a.copy())
    for result in results[1:]:
        assert np.allclose(results[0].astype(float), result.astype(float), rtol=1e-3), f"{name}: the results differ"
    repeats = max(1, int(NANOSECONDS / timer(libraries["voltac"], 3)()))
    times = interleaved({other: timer(library, repeats) for other, library in libraries.items()}, rounds)
    ratios = {other: ratio(times["voltac"], times[other]) for other in peers}
    better = min(ratios, key=lambda other: ratios[other].median)
    return f"{ratios[better]}  {better}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(ROWS)
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"--only: there is no '{unknown[0]}'; known are {', '.join(ROWS)}")
    if not any(map(shutil.which, PEERS)):
        sys.exit("kernels_against_c.py: neither clang-19 nor gcc is installed; apt-get install gcc")
    print(f"{machine()}; time of the better peer divided by voltac's: median (10th..90th percentile)")
    for label, (target, flags) in MACHINES.items():
        with tempfile.TemporaryDirectory() as folder:
            libraries = build(Path(folder), target, flags)
            for name in names:
                print(f"{name:16} {label:8} {measure(libraries, name, options.rounds)}", flush=True)


if __name__ == "__main__":
    main()
