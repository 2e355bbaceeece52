"""Streaming and strided kernels against clang -O3 -march=native and against forced gathers.

Both sides are machine code in one shared object, called from one timing loop in C.

    python benchmarks/streaming.py [--rounds N] [--json FILE]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from voltac.report.measure import Ratio, interleaved, machine, ratio

HERE = Path(__file__).resolve().parent
NAMES = ("increment", "copy", "saxpy", "triad", "reduce", "deinterleave", "structs")
STRIDED = ("reduce", "deinterleave", "structs")
SIZES = {"in L1": 1024 + 5, "in L2": 8192 + 5, "out of cache": 1 << 24}
"""Elements; five arrays' worth of them are touched at most."""


def build(folder: Path, compiler: str) -> tuple[ctypes.CDLL, ctypes.CDLL, ctypes.CDLL]:
    """Shared objects with voltac's kernels, the same with gathers forced, and C's kernels with the timing loop."""
    libraries = []
    for name, extra in (("voltac", []), ("gathers", ["--opt=disable-gather-scatter-optimizations"])):
        command = [sys.executable, "-m", "voltac", "--target=host", "-O3", "--pic", "--woff", *extra]
        subprocess.run([*command, "-o", folder / f"{name}.o", HERE / "kernels" / "streaming.ispc"], check=True)
        subprocess.run(["cc", "-shared", "-o", folder / f"{name}.so", folder / f"{name}.o"], check=True)
        libraries.append(ctypes.CDLL(str(folder / f"{name}.so")))
    native = [compiler, "-O3", "-march=native", "-ffp-contract=fast", "-fPIC", "-shared"]
    subprocess.run([*native, "-o", folder / "peer.so", HERE / "peers" / "streaming.c"], check=True)
    libraries.append(ctypes.CDLL(str(folder / "peer.so")))
    return libraries[0], libraries[1], libraries[2]


def aligned(count: int) -> np.ndarray:
    """float32 ones at a 64-byte border, so that both sides see the same alignment."""
    raw = np.ones(count + 16, np.float32)
    start = (-raw.ctypes.data % 64) // 4
    return raw[start : start + count]


def measure(rounds: int) -> list[dict[str, object]]:
    compiler = next((name for name in ("clang-21", "clang-20", "clang-19", "clang", "gcc") if shutil.which(name)), None)
    if compiler is None:
        sys.exit("streaming.py: neither clang nor gcc is installed; apt-get install clang-19")
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        mine, gathers, peer = build(Path(folder), compiler)
        peer.time_kernel.restype = ctypes.c_double
        for label, n in SIZES.items():
            a, b, c = aligned(n), aligned(3 * n), aligned(n)
            repeats = max(1, (1 << 21) // n)

            def timer(function: object, n: int = n, repeats: int = repeats, arrays: tuple = (a, b, c)) -> Callable[[], float]:
                pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
                return lambda: peer.time_kernel(function, *pointers, ctypes.c_float(1.5), n, repeats)

            for name in NAMES:
                contenders = {"voltac": timer(getattr(mine, name)), compiler: timer(getattr(peer, "c_" + name))}
                if name in STRIDED:
                    contenders["gathers"] = timer(getattr(gathers, name))
                times = interleaved(contenders, rounds)
                ratios = {other: ratio(times["voltac"], times[other]) for other in contenders if other != "voltac"}
                rows.append({"kernel": name, "size": label, "n": n, "ratios": ratios})
                print(f"{name:14} {label:13} " + "  ".join(f"{k} {v}" for k, v in ratios.items()), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(f"{machine()}; times of the peer divided by voltac's: median (10th..90th percentile)")
    rows = measure(options.rounds)
    if options.json:
        text = json.dumps(rows, default=lambda value: vars(value) if not isinstance(value, Ratio) else str(value), indent=1)
        options.json.write_text(text)


if __name__ == "__main__":
    main()
