"""Who runs the kernels of a file: voltac and its peers, each with the same kernels under the same names.

The C compilers and the forms by hand are shared objects. Numba's kernels become C functions (``cfunc``), which the C loop
calls as it does the others: no call from Python is in the time. Numpy is called from Python, which is part of its time.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np

HERE = Path(__file__).resolve().parent
COMPILERS = {"clang": ("clang-19", "clang"), "gcc": ("gcc",)}
"""Peer -> commands, of which the first that is installed is taken."""
OTHERS = ("hand", "numba", "numpy")
FLAGS = {
    "host": ["-march=native"],
    "sse4": ["-march=x86-64-v2", "-mtune=native"],
    "avx2": ["-march=haswell", "-mtune=native"],
    "avx512skx": ["-march=skylake-avx512"],
}
WITHOUT = {"host": "", "sse4": "-avx,-gfni", "avx2": "-avx512f,-gfni,-avxvnni", "avx512skx": ""}
"""What numba may not use of this machine: no compiler has it by FLAGS."""
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, int, int]
Timer = Callable[[int], float]
"""Nanoseconds a call, of so many calls in a row."""
Contender = Callable[[str, Arrays], Timer | None]
"""A kernel's timer on these arrays; None where there is no such kernel."""


def compiler_of(peer: str) -> str:
    """The command of a C compiler; empty where none is installed."""
    return next(filter(shutil.which, COMPILERS[peer]), "")


def isa_of(target: str) -> str:
    return target.partition("-")[0]


def installed(target: str, asked: str) -> list[str]:
    """The peers asked for that can run, or the C compilers; one that is not installed is an error."""
    if not asked:
        return list(filter(compiler_of, COMPILERS))
    peers = asked.split(",")
    for peer in peers:
        if peer not in {*COMPILERS, *OTHERS}:
            sys.exit(f"--peers: there is no '{peer}'; known are {', '.join((*COMPILERS, *OTHERS))}")
        if peer in COMPILERS and not compiler_of(peer):
            sys.exit(f"{peer} is not installed; apt-get install {peer}")
    if "numba" in peers and importlib.util.find_spec("numba") is None:
        sys.exit("numba is not installed; pip install 'voltac[benchmark]'")
    # Those by hand are for AVX2 and AVX-512.
    return [peer for peer in peers if peer != "hand" or isa_of(target) != "sse4"]


def contenders(
    folder: Path, target: str, options: list[str], stem: str, strict: bool, peers: list[str]
) -> dict[str, Contender]:
    """voltac first, then its peers."""
    command = [sys.executable, "-m", "voltac", f"--target={target}", "-O3", "--pic", "--woff", *options]
    subprocess.run([*command, "-o", folder / "voltac.o", HERE / "kernels" / f"{stem}.ispc"], check=True)
    subprocess.run(["cc", "-shared", "-o", folder / "voltac.so", folder / "voltac.o"], check=True)
    arithmetic = ["-fno-math-errno", "-fno-trapping-math"] if strict else ["-ffast-math"]
    sources = {"clock": "clock"} | {peer: stem for peer in peers if peer in COMPILERS}
    if "hand" in peers:
        sources["hand"] = "by_hand"
    for name, source in sources.items():
        native = [compiler_of(name) if name in COMPILERS else "cc", "-O3", *arithmetic, *FLAGS[isa_of(target)]]
        file = HERE / "peers" / f"{source}.c"
        subprocess.run([*native, "-fPIC", "-shared", "-o", folder / f"{name}.so", file, "-lm"], check=True)
    clock = ctypes.CDLL(str(folder / "clock.so")).time_kernel
    clock.restype = ctypes.c_double
    made = {name: _of_library(ctypes.CDLL(str(folder / f"{name}.so")), clock) for name in ("voltac", *sources)}
    del made["clock"]
    if "numba" in peers:
        made["numba"] = _of_numba(importlib.import_module(f"peers.{stem}_numba"), clock, target, strict)
    if "numpy" in peers:
        made["numpy"] = _of_numpy(importlib.import_module(f"peers.{stem}_numpy"))
    return {peer: made[peer] for peer in ("voltac", *peers)}


def _timer(clock: Callable[..., float], entry: object, arrays: Arrays) -> Timer:
    a, b, c, n, m = arrays
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (a, b, c)]  # which keep the arrays alive
    return lambda repeats: clock(entry, *pointers, n, m, repeats)


def _of_library(library: ctypes.CDLL, clock: Callable[..., float]) -> Contender:
    def found(name: str, arrays: Arrays) -> Timer | None:
        return _timer(clock, getattr(library, name), arrays) if hasattr(library, name) else None

    return found


def _of_numba(module: ModuleType, clock: Callable[..., float], target: str, strict: bool) -> Contender:
    _restrict_numba(target)
    from numba import carray, cfunc, from_dtype, njit, types

    kept = []  # a C function lives as long as its Python object

    def found(name: str, arrays: Arrays) -> Timer | None:
        if not hasattr(module, name):
            return None
        options = {"fastmath": not strict, "error_model": "numpy"}
        kernel = njit(**options)(getattr(module, name))
        a_size, b_size, c_size = (array.size for array in arrays[:3])

        def entry(a, b, c, n, m):  # type: ignore[no-untyped-def]
            kernel(carray(a, a_size), carray(b, b_size), carray(c, c_size), n, m)

        pointers = [types.CPointer(from_dtype(array.dtype)) for array in arrays[:3]]
        kept.append(cfunc(types.void(*pointers, types.int32, types.int32), **options)(entry))
        return _timer(clock, ctypes.c_void_p(kept[-1].address), arrays)

    return found


def _restrict_numba(target: str) -> None:
    """The target's instructions, tuned for this machine; numba reads this once, when it is imported."""
    without = WITHOUT[isa_of(target)]
    if isa_of(target) == "avx512skx":
        os.environ |= {"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CPU_FEATURES": ""}
    elif without:
        import llvmlite.binding as llvm

        os.environ |= {"NUMBA_CPU_NAME": llvm.get_host_cpu_name(), "NUMBA_CPU_FEATURES": without}


def _of_numpy(module: ModuleType) -> Contender:
    def found(name: str, arrays: Arrays) -> Timer | None:
        if not hasattr(module, name):
            return None
        function = getattr(module, name)

        def timer(repeats: int) -> float:
            start = time.perf_counter_ns()
            for _ in range(repeats):
                function(*arrays)
            return (time.perf_counter_ns() - start) / repeats

        return timer

    return found
