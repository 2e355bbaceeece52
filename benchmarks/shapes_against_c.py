"""A kernel for each shape of loop that compilers lose time on, against the same in C at -O3 -ffast-math by clang and gcc.

    python benchmarks/shapes_against_c.py [--rounds N] [--only NAME,...] [--targets T,...] [--options=OPTIONS]
        [--strict] [--peers=PEER,...]

Peers are the C compilers that are installed, or those of --peers: clang, gcc, hand (intrinsics), numba and numpy.
With --strict the peers may not reorder operations either, as voltac without fast-math. For each kernel and target: quotient
of the shortest times, of the best and of each peer,
median (10th..90th percentile) of the rounds' quotients of the best, and which that is. Rounds are short and
interleaved, so that a loaded machine meets all alike.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from contenders import Arrays, Contender, contenders, installed

from voltac.report.measure import interleaved, machine, ratio

TARGETS = "avx2-i32x8,avx2-i32x16,sse4-i32x4,sse4-i32x8"
NANOSECONDS = 50_000
"""Of one measurement, about: short against the time for which the system lets one program run."""
ROUNDED = 1000
"""Results with whole numbers for one that differs by one: a product is fused with a sum, or rounded before."""
CANCELLED = 1e-6
"""Of a result that is the small difference of numbers around one: what rounding leaves of them."""
COUNT = 4093
"""Elements of most kernels: in cache, and a rest of the last gang."""
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


def alike(mine: np.ndarray, theirs: np.ndarray, whole: bool) -> bool:
    """The same but for rounding: of whole numbers that were truncated, one of ROUNDED may be the next one."""
    far = ~np.isclose(mine, theirs, rtol=1e-3, atol=CANCELLED)
    near = whole and np.all(np.abs(mine - theirs)[far] <= 1) and far.sum() * ROUNDED <= np.count_nonzero(mine)
    return bool(near or not far.any())


def measure(made: dict[str, Contender], name: str, arrays: Arrays, rounds: int) -> tuple[dict[str, float], str]:
    """The quotients of each peer's shortest time and of the best's, and the row."""
    a, b, c, n, m = arrays
    a, b, c = map(aligned, (a, b, c))
    timers = {who: timer for who, contender in made.items() if (timer := contender(name, (a, b, c, n, m)))}
    results = {}
    for who, timer in timers.items():
        a[:] = 0
        timer(1)
        results[who] = a.astype(float)  # a copy
    for who, result in results.items():
        whole = a.dtype.kind != "f"
        assert alike(results["voltac"], result, whole), f"{name}: the results of voltac and {who} differ"
    repeats = {who: max(1, int(NANOSECONDS / timer(3))) for who, timer in timers.items()}
    times = interleaved({who: partial(timer, repeats[who]) for who, timer in timers.items()}, rounds)
    shortest = {who: min(times[who]) / min(times["voltac"]) for who in timers if who != "voltac"}
    better = min(shortest, key=lambda who: shortest[who])
    quotients = {"best": shortest[better]} | shortest
    row = f"{columns(made, quotients)}  {ratio(times['voltac'], times[better])}  {better}  {min(times['voltac']):.0f} ns"
    return quotients, row


def columns(made: dict[str, Contender], quotients: dict[str, float]) -> str:
    """The best peer's, and each one's where there are more."""
    names = ["best", *(who for who in made if who != "voltac")]
    return " ".join(f"{quotients[who]:6.2f}" if who in quotients else f"{'-':>6}" for who in names)


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def compare(rows: dict[str, Callable[[], Arrays]], stem: str, description: str | None) -> None:
    """The command: a table of the kernels of a file."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=61)
    parser.add_argument("--only", default="")
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--options", default="", help="of voltac, separated by blanks")
    parser.add_argument("--strict", action="store_true", help="peers keep the order of operations, too")
    parser.add_argument("--peers", default="", help="of clang, gcc, hand, numba, numpy; usually the C compilers there are")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(rows)
    if unknown := [name for name in names if name not in rows]:
        parser.error(f"--only: there is no '{unknown[0]}'; known are {', '.join(rows)}")
    targets = options.targets.split(",")
    if "numba" in options.peers and len(targets) > 1:
        parser.error("--peers: numba has one target in a process: give one by --targets")
    print(f"{machine()}; times of the best and of each peer divided by voltac's: shortest;", end=" ")
    print("of the best the median (10th..90th percentile)")
    for target in targets:
        peers = installed(target, options.peers)
        if not peers:
            sys.exit("neither clang nor gcc is installed; apt-get install gcc")
        print(f"{'':16} {target:13} {' '.join(f'{who:>6}' for who in ('best', *peers))}")
        with tempfile.TemporaryDirectory() as folder:
            made = contenders(Path(folder), target, options.options.split(), stem, options.strict, peers)
            quotients: dict[str, list[float]] = {}
            for name in names:
                found, row = measure(made, name, rows[name](), options.rounds)
                for who, quotient in found.items():
                    quotients.setdefault(who, []).append(quotient)
                print(f"{name:16} {target:13} {row}", flush=True)
            means = {who: geometric_mean(values) for who, values in quotients.items()}
            print(f"{'geometric mean':16} {target:13} {columns(made, means)}")


if __name__ == "__main__":
    compare(ROWS, "by_shape", __doc__)
