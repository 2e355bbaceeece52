"""A kernel for each shape of loop that compilers lose time on, against the same in C at -O3 -ffast-math by clang and gcc.

    python benchmarks/shapes_against_c.py [--rounds N] [--only NAME,...] [--targets T,...] [--options=OPTIONS]
        [--strict]

With --strict the peers may not reorder operations either, as voltac without fast-math. For each kernel and target: quotient
of the shortest times, median (10th..90th percentile) of the rounds' quotients, and the better peer. Rounds are short and
interleaved, so that a loaded machine meets all alike.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from voltac.report.measure import interleaved, machine, ratio

HERE = Path(__file__).resolve().parent
PEERS = ("clang-19", "clang", "gcc")
FLAGS = {
    "sse4": ["-march=x86-64-v2", "-mtune=native"],
    "avx2": ["-march=haswell", "-mtune=native"],
    "avx512skx": ["-march=skylake-avx512"],
}
TARGETS = "avx2-i32x8,avx2-i32x16,sse4-i32x4,sse4-i32x8"
NANOSECONDS = 50_000
"""Of one measurement, about: short against the time for which the system lets one program run."""
COUNT = 4093
"""Elements of most kernels: in cache, and a rest of the last gang."""
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, int, int]
_NUMBERS = np.random.default_rng(1)


def aligned(values: np.ndarray) -> np.ndarray:
    """The same at a 64-byte border."""
    raw = np.zeros(values.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    made: np.ndarray = raw[start : start + values.nbytes].view(values.dtype)
    made[:] = values
    return made


def floats(count: int = COUNT + 16) -> np.ndarray:
    return _NUMBERS.random(count).astype(np.float32)


def integers(count: int = COUNT + 16, low: int = 0, high: int = 1 << 20, dtype: type = np.int32) -> np.ndarray:
    return _NUMBERS.integers(low, high, count).astype(dtype)


def written(dtype: type, count: int = COUNT + 16) -> np.ndarray:
    return np.zeros(count, dtype)


def _floats(m: int = 0) -> Arrays:
    return written(np.float32), floats(), floats(), COUNT, m


def _integers(m: int = 0) -> Arrays:
    return written(np.int32), integers(), integers(), COUNT, m


def _sparse() -> Arrays:
    """512 rows of up to 32 elements, in one array: columns, then values."""
    starts = np.concatenate([[0], np.cumsum(integers(512, 0, 32))]).astype(np.int32)
    elements = int(starts[-1])
    matrix = np.concatenate([integers(elements, 0, 1024), floats(max(elements, 1024)).view(np.int32)])
    return written(np.float32), starts, matrix, 512, elements


def _strings() -> Arrays:
    """512 words of up to 24 letters, ended by zeros, one behind the other."""
    lengths = integers(512, 0, 24)
    letters = integers(int((lengths + 1).sum()), 97, 123, np.uint8)
    ends = np.cumsum(lengths + 1) - 1
    letters[ends] = 0
    return written(np.int32), (ends - lengths).astype(np.int32), letters, 512, 0


def _matrix(dtype: type, columns: int, rows: int) -> Arrays:
    source = floats(columns * rows) if dtype is np.float32 else integers(columns * rows, 0, 255, dtype)
    return written(dtype, columns * rows), source, source, columns, rows


def _lookup_bytes() -> Arrays:
    return written(np.uint8), integers(high=256, dtype=np.uint8), integers(256, high=256, dtype=np.uint8), COUNT, 0


# Kernel -> its arrays, n and m.
ROWS: dict[str, Callable[[], Arrays]] = {
    "collatz": lambda: (written(np.int32), integers(528, 1, 1000), integers(1), 509, 0),
    "mandelbrot": lambda: (written(np.int32), floats(528) * 3 - 2, floats(528) * 2 - 1, 509, 50),
    "gcd64": lambda: (written(np.int64), integers(528, 1, 200, np.int64), integers(528, 1, 200, np.int64), 509, 0),
    "lattice": lambda: (written(np.float32), floats(64) + 1, floats(64) + 1, 61, 0),
    "newton": lambda: _floats(),
    "sparse_rows": _sparse,
    "row_sums": lambda: (written(np.float32), floats(256 * 32), floats(1), 253, 32),
    "string_lengths": _strings,
    "string_hashes": _strings,
    "transpose": lambda: _matrix(np.float32, 93, 85),
    "transpose_bytes": lambda: _matrix(np.uint8, 93, 85),
    "column_sums": lambda: _matrix(np.float32, 93, 85),
    "exchange": lambda: (written(np.float32), floats(4096), floats(1), 4096, 64),
    "bitonic_sort": lambda: (written(np.int32), integers(1024), integers(1), 1024, 0),
    "walsh_hadamard": lambda: (written(np.float32), floats(1024), floats(1), 1024, 0),
    "active_lanes": lambda: _integers(),
    "unique_values": lambda: _integers(),
    "histogram": lambda: _integers(),
    "scan": lambda: _integers(),
    "lookup": lambda: (written(np.float32), integers(), floats(), COUNT, 0),
    "lookup_bytes": _lookup_bytes,
    "scatter": lambda: (written(np.float32), integers(), floats(), COUNT, 0),
    "scatter_some": lambda: (written(np.float32), integers(), floats(), COUNT, 0),
    "sum": lambda: _floats(),
    "dot": lambda: _floats(),
    "logistic": lambda: (written(np.float32), floats(), floats(), 509, 6),
    "random_numbers": lambda: (written(np.int32), integers(), integers(), 509, 40),
    "horner": lambda: (written(np.float32), floats(), floats(), 509, 40),
    "saxpy_unaligned": lambda: _floats(),
    "triad_large": lambda: (written(np.float32, 1 << 24), floats(1 << 24), floats(1 << 24), 1 << 24, 0),
}


def build(folder: Path, target: str, options: list[str], stem: str, peer_options: list[str]) -> dict[str, ctypes.CDLL]:
    """Shared objects by contender, of a file of kernels; those of the peers have the timing loop too."""
    isa = target.partition("-")[0]
    flags = ["-march=native"] if isa == "host" else FLAGS[isa]
    command = [sys.executable, "-m", "voltac", f"--target={target}", "-O3", "--pic", "--woff", *options]
    subprocess.run([*command, "-o", folder / "voltac.o", HERE / "kernels" / f"{stem}.ispc"], check=True)
    subprocess.run(["cc", "-shared", "-o", folder / "voltac.so", folder / "voltac.o"], check=True)
    for peer in filter(shutil.which, PEERS):
        native = [peer, "-O3", *peer_options, *flags, "-fPIC", "-shared"]
        subprocess.run([*native, "-o", folder / f"{peer}.so", HERE / "peers" / f"{stem}.c", "-lm"], check=True)
    return {file.stem: ctypes.CDLL(str(file)) for file in sorted(folder.glob("*.so"))}


def measure(libraries: dict[str, ctypes.CDLL], name: str, arrays: Arrays, rounds: int) -> tuple[float, str]:
    """The quotient of the shortest times, and the row."""
    a, b, c, n, m = arrays
    a, b, c = map(aligned, (a, b, c))
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
    better = min(peers, key=lambda other: min(times[other]))
    shortest = min(times[better]) / min(times["voltac"])
    return shortest, f"{shortest:5.2f}  {ratio(times['voltac'], times[better])}  {better}  {min(times['voltac']):.0f} ns"


def compare(rows: dict[str, Callable[[], Arrays]], stem: str, description: str | None) -> None:
    """The command: a table of the kernels of a file."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=61)
    parser.add_argument("--only", default="")
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--options", default="", help="of voltac, separated by blanks")
    parser.add_argument("--strict", action="store_true", help="peers keep the order of operations, too")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(rows)
    if unknown := [name for name in names if name not in rows]:
        parser.error(f"--only: there is no '{unknown[0]}'; known are {', '.join(rows)}")
    if not any(map(shutil.which, PEERS)):
        sys.exit("neither clang nor gcc is installed; apt-get install gcc")
    print(f"{machine()}; time of the better peer divided by voltac's: shortest, median (10th..90th percentile)")
    peer_options = ["-fno-math-errno", "-fno-trapping-math"] if options.strict else ["-ffast-math"]
    for target in options.targets.split(","):
        with tempfile.TemporaryDirectory() as folder:
            libraries = build(Path(folder), target, options.options.split(), stem, peer_options)
            quotients = []
            for name in names:
                quotient, row = measure(libraries, name, rows[name](), options.rounds)
                quotients.append(quotient)
                print(f"{name:16} {target:13} {row}", flush=True)
            print(f"{'geometric mean':16} {target:13} {math.exp(sum(map(math.log, quotients)) / len(quotients)):5.2f}")


if __name__ == "__main__":
    compare(ROWS, "by_shape", __doc__)
