"""Elementary functions on arrays in cache, against numpy, numba, glibc's libmvec and, one number at a time, its libm.

    python benchmarks/elementary_functions.py [--rounds N] [--only NAME ...] [--targets avx2 ...] [--types float ...]
        [--rates uniform ...] [--libraries default ...] [--c-only]

libmvec is reached through gcc -O3 -ffast-math, with vectors of the target's size and without AVX or FMA for sse4; libm, for
uniform arguments, the same way without the vectoriser. numpy has no erf; numba uses SVML if the process has it (icc_rt) and
the scalar C library otherwise. Targets that this machine lacks are left out.
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

from voltac.llvm.host import can_run
from voltac.report.measure import interleaved, machine, ratio, seconds_of
from voltac.target_info import find_target

HERE = Path(__file__).resolve().parent
COUNT = 2048
REPEATS = 64
TARGETS = {
    "avx512": ("avx512skx-x16", ("-march=native", "-mprefer-vector-width=512")),
    "avx2": ("avx2-i32x8", ("-mavx2", "-mfma", "-mprefer-vector-width=256")),
    "avx1": ("avx1-i32x8", ("-mavx", "-mprefer-vector-width=256")),
    "sse4": ("sse4-i32x4", ("-msse4.2",)),
}
LIBRARIES = ("default", "fast")
DTYPES = {"float": np.float32, "double": np.float64}
RATES = ("varying", "uniform")

# name -> the ranges its arguments are drawn from
FUNCTIONS: dict[str, tuple[tuple[float, float], ...]] = {
    "exp": ((-80, 80),),
    "exp2": ((-80, 80),),
    "expm1": ((-10, 10),),
    "log": ((1e-6, 1e6),),
    "log2": ((1e-6, 1e6),),
    "log1p": ((-0.9, 100),),
    "sin": ((-30, 30),),
    "cos": ((-30, 30),),
    "tan": ((-30, 30),),
    "asin": ((-1, 1),),
    "acos": ((-1, 1),),
    "atan": ((-4, 4),),
    "sinh": ((-5, 5),),
    "cosh": ((-5, 5),),
    "tanh": ((-5, 5),),
    "cbrt": ((-100, 100),),
    "erf": ((-4, 4),),
    "erfc": ((-4, 4),),
    "pow": ((0.01, 10), (-5, 5)),
    "atan2": ((-4, 4), (-4, 4)),
}


def voltac_library(folder: Path, target: str, library: str, type: str) -> ctypes.CDLL:
    """A shared object with the kernels ``varying_NAME(a, b, c, s, n)`` and ``uniform_NAME`` of each function."""
    lines = []
    arrays = f"uniform {type} a[], uniform {type} b[], uniform {type} c[], uniform float s, uniform int n"
    for name, ranges in FUNCTIONS.items():
        call = f"{name}(b[i]{', c[i]' if len(ranges) == 2 else ''})"
        lines.append(
            f"export void varying_{name}({arrays}) {{ foreach (i = 0 ... n) a[i] = {call}; }}\n"
            f"export void uniform_{name}({arrays}) {{ for (uniform int i = 0; i < n; i++) a[i] = {call}; }}\n"
        )
    stem = folder / f"{target}-{library}-{type}"
    stem.with_suffix(".ispc").write_text("".join(lines))
    command = [sys.executable, "-m", "voltac", f"--target={target}", f"--math-lib={library}", "-O3", "--pic", "--woff"]
    subprocess.run([*command, "-o", stem.with_suffix(".o"), stem.with_suffix(".ispc")], check=True)
    subprocess.run(["cc", "-shared", "-o", stem.with_suffix(".so"), stem.with_suffix(".o")], check=True)
    return ctypes.CDLL(str(stem.with_suffix(".so")))


def c_library(folder: Path, label: str, flags: tuple[str, ...], type: str) -> ctypes.CDLL:
    """The same kernels by gcc."""
    made = folder / f"peer-{label}-{type}.so"
    command = ["gcc", "-O3", "-ffast-math", *flags, "-fPIC", "-shared", f"-DTYPE_IS_{type.upper()}"]
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
        if not hasattr(math, name):
            continue
        call = f"math.{name}(a[i]{', b[i]' if len(ranges) == 2 else ''})"
        space: dict[str, object] = {"math": math}
        exec(f"def kernel(out, a, b):\n    for i in range(out.shape[0]):\n        out[i] = {call}\n", space)
        made[name] = numba.njit(fastmath=True)(space["kernel"])
    return made


def numpy_call(name: str, out: np.ndarray, arguments: list[np.ndarray]) -> Callable[[], object] | None:
    known = {"pow": "power", "atan2": "arctan2", "asin": "arcsin", "acos": "arccos", "atan": "arctan"}
    function = getattr(np, known.get(name, name), None)
    return None if function is None else lambda: function(*arguments, out=out)


def placed(values: np.ndarray, number: int, type: str) -> np.ndarray:
    """``number`` kilobytes behind a border of four: loads wait for stores whose addresses end in the same 12 bits."""
    dtype = np.dtype(DTYPES[type])
    raw = np.empty(len(values) * dtype.itemsize + 8192, np.uint8)
    start = -raw.ctypes.data % 4096 + 1024 * number
    here: np.ndarray = raw[start : start + len(values) * dtype.itemsize].view(dtype)
    here[:] = values
    return here


def measure(options: argparse.Namespace, type: str) -> None:
    random = np.random.default_rng(1)
    numba = numba_kernels()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        mine = {
            (label, one): voltac_library(folder, TARGETS[label][0], one, type)
            for label in options.targets
            for one in options.libraries
        }
        theirs = {label: c_library(folder, label, TARGETS[label][1], type) for label in options.targets}
        clock = next(iter(theirs.values())).time_kernel
        clock.restype = ctypes.c_double
        for name in options.only:
            ranges = FUNCTIONS[name]
            arguments = [placed(random.uniform(*one, COUNT), number, type) for number, one in enumerate(ranges, 1)]
            out = placed(np.zeros(COUNT), 3, type)
            pointers = [ctypes.c_void_p(one.ctypes.data) for one in (out, *arguments, *([out] if len(ranges) == 1 else []))]

            def in_c(function: object, pointers: list[ctypes.c_void_p] = pointers) -> Callable[[], float]:
                return lambda: clock(function, *pointers, ctypes.c_float(0), COUNT, REPEATS) * 1e-9

            for rate in options.rates:
                contenders = {
                    f"{label} {one}": in_c(getattr(library, f"{rate}_{name}")) for (label, one), library in mine.items()
                }
                contenders |= {f"C {label}": in_c(getattr(library, f"{rate}_{name}")) for label, library in theirs.items()}
                called = numpy_call(name, out, arguments)
                if called is not None and rate == "varying" and not options.c_only:
                    contenders["numpy"] = seconds_of(called, REPEATS)
                if name in numba and rate == "varying" and not options.c_only:
                    contenders["numba"] = seconds_of(partial(numba[name], out, arguments[0], arguments[-1]), REPEATS)
                report(f"{rate} {type} {name}", interleaved(contenders, options.rounds), options)


def report(name: str, times: dict[str, list[float]], options: argparse.Namespace) -> None:
    best = {key: min(values) / COUNT * 1e9 for key, values in times.items()}
    print(f"{name}: ns per element: " + ", ".join(f"{key} {value:.3f}" for key, value in best.items()))
    for label in options.targets:
        for library in options.libraries:
            peers = [peer for peer in ("numpy", "numba", f"C {label}") if peer in times]
            ratios = (f"{peer} {ratio(times[f'{label} {library}'], times[peer])}" for peer in peers)
            print(f"    {label:6} {library:7} is faster than  " + "  ".join(ratios), flush=True)


def main() -> None:
    runnable = [label for label, (target, _) in TARGETS.items() if can_run(find_target(target))]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--only", nargs="*", default=list(FUNCTIONS), choices=FUNCTIONS)
    parser.add_argument("--targets", nargs="*", default=runnable, choices=TARGETS)
    parser.add_argument("--types", nargs="*", default=list(DTYPES), choices=DTYPES)
    parser.add_argument("--rates", nargs="*", default=list(RATES), choices=RATES)
    parser.add_argument("--libraries", nargs="*", default=list(LIBRARIES), choices=LIBRARIES)
    parser.add_argument("--c-only", action="store_true", help="leave numpy and numba out")
    options = parser.parse_args()
    print(f"{machine()}; times of the peer divided by voltac's: median (10th..90th percentile)")
    for type in options.types:
        measure(options, type)


if __name__ == "__main__":
    main()
