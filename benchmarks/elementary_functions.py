"""exp, log, sin, cos, pow, atan2, tanh and erf on float32 arrays in cache, against numpy, numba and glibc's libmvec.

    python benchmarks/elementary_functions.py [--rounds N] [--only NAME ...]

libmvec is reached through gcc -O3 -ffast-math -march=native, with 512-bit vectors for the avx512 target and 256-bit
ones for avx2. numpy has no erf; numba uses SVML if the process has it (icc_rt) and the scalar C library otherwise.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from voltac.report.measure import interleaved, machine, ratio, seconds_of

HERE = Path(__file__).resolve().parent
COUNT = 4096
REPEATS = 64
TARGETS = {"avx512": ("avx512skx-x16", 512), "avx2": ("avx2-i32x8", 256)}
LIBRARIES = ("default", "fast")

# name -> the ranges its arguments are drawn from
FUNCTIONS: dict[str, tuple[tuple[float, float], ...]] = {
    "exp": ((-80, 80),),
    "log": ((1e-6, 1e6),),
    "sin": ((-30, 30),),
    "cos": ((-30, 30),),
    "pow": ((0.01, 10), (-5, 5)),
    "atan2": ((-4, 4), (-4, 4)),
    "tanh": ((-5, 5),),
    "erf": ((-4, 4),),
}


def voltac_library(folder: Path, target: str, library: str) -> ctypes.CDLL:
    """A shared object with the kernel ``v_NAME(a, b, c, s, n)`` of each function."""
    lines = []
    for name, ranges in FUNCTIONS.items():
        call = f"{name}(b[i]{', c[i]' if len(ranges) == 2 else ''})"
        lines.append(
            f"export void v_{name}(uniform float a[], uniform float b[], uniform float c[], uniform float s, uniform int n) "
            f"{{ foreach (i = 0 ... n) a[i] = {call}; }}\n"
        )
    stem = folder / f"{target}-{library}"
    stem.with_suffix(".ispc").write_text("".join(lines))
    command = [sys.executable, "-m", "voltac", f"--target={target}", f"--math-lib={library}", "-O3", "--pic", "--woff"]
    subprocess.run([*command, "-o", stem.with_suffix(".o"), stem.with_suffix(".ispc")], check=True)
    subprocess.run(["cc", "-shared", "-o", stem.with_suffix(".so"), stem.with_suffix(".o")], check=True)
    return ctypes.CDLL(str(stem.with_suffix(".so")))


def c_library(folder: Path, bits: int) -> ctypes.CDLL:
    made = folder / f"peer-{bits}.so"
    command = ["gcc", "-O3", "-ffast-math", "-march=native", f"-mprefer-vector-width={bits}", "-fPIC", "-shared"]
    sources = [HERE / "peers" / name for name in ("elementary_functions.c", "streaming.c")]
    subprocess.run([*command, "-o", made, *sources, "-lmvec", "-lm"], check=True)
    return ctypes.CDLL(str(made))


def numba_kernels() -> dict[str, Callable[..., None]]:
    """``kernel(out, a, b)`` of each function; empty if numba is not installed."""
    try:
        import numba
    except ImportError:
        return {}
    made: dict[str, Callable[..., None]] = {}
    for name, ranges in FUNCTIONS.items():
        call = f"math.{name}(a[i]{', b[i]' if len(ranges) == 2 else ''})"
        space: dict[str, object] = {"math": math}
        exec(f"def kernel(out, a, b):\n    for i in range(out.shape[0]):\n        out[i] = {call}\n", space)
        made[name] = numba.njit(fastmath=True)(space["kernel"])
    return made


def numpy_call(name: str, out: np.ndarray, arguments: list[np.ndarray]) -> Callable[[], object] | None:
    function = getattr(np, {"pow": "power", "atan2": "arctan2"}.get(name, name), None)
    return None if function is None else lambda: function(*arguments, out=out)


def placed(values: np.ndarray, number: int) -> np.ndarray:
    """float32, ``number`` kilobytes behind a border of four: loads wait for stores whose addresses end in the same 12 bits."""
    raw = np.empty(len(values) + 2048, np.float32)
    start = (-raw.ctypes.data % 4096) // 4 + 256 * number
    raw[start : start + len(values)] = values
    return raw[start : start + len(values)]


def measure(names: list[str], rounds: int) -> None:
    random = np.random.default_rng(1)
    numba = numba_kernels()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        mine = {
            (label, one): voltac_library(folder, target, one) for label, (target, _) in TARGETS.items() for one in LIBRARIES
        }
        theirs = {label: c_library(folder, bits) for label, (_, bits) in TARGETS.items()}
        clock = theirs["avx2"].time_kernel
        clock.restype = ctypes.c_double
        for name in names:
            ranges = FUNCTIONS[name]
            arguments = [placed(random.uniform(*one, COUNT), number) for number, one in enumerate(ranges, 1)]
            out = placed(np.zeros(COUNT), 3)
            pointers = [ctypes.c_void_p(one.ctypes.data) for one in (out, *arguments, *([out] if len(ranges) == 1 else []))]

            def in_c(function: object, pointers: list[ctypes.c_void_p] = pointers) -> Callable[[], float]:
                return lambda: clock(function, *pointers, ctypes.c_float(0), COUNT, REPEATS) * 1e-9

            contenders = {f"{label} {one}": in_c(getattr(library, f"v_{name}")) for (label, one), library in mine.items()}
            contenders |= {f"libmvec {label}": in_c(getattr(library, f"c_{name}")) for label, library in theirs.items()}
            called = numpy_call(name, out, arguments)
            if called is not None:
                contenders["numpy"] = seconds_of(called, REPEATS)
            if name in numba:
                contenders["numba"] = seconds_of(partial(numba[name], out, arguments[0], arguments[-1]), REPEATS)
            times = interleaved(contenders, rounds)
            report(name, times)


def report(name: str, times: dict[str, list[float]]) -> None:
    best = {key: min(values) / COUNT * 1e9 for key, values in times.items()}
    print(f"{name}: ns per element: " + ", ".join(f"{key} {value:.3f}" for key, value in best.items()))
    for label in TARGETS:
        for library in LIBRARIES:
            peers = [peer for peer in ("numpy", "numba", f"libmvec {label}") if peer in times]
            ratios = (f"{peer} {ratio(times[f'{label} {library}'], times[peer])}" for peer in peers)
            print(f"    {label:6} {library:7} is faster than  " + "  ".join(ratios), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--only", nargs="*", default=list(FUNCTIONS), choices=FUNCTIONS)
    options = parser.parse_args()
    print(f"{machine()}; times of the peer divided by voltac's: median (10th..90th percentile)")
    measure(options.only, options.rounds)


if __name__ == "__main__":
    main()
