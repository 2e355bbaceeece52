"""What this machine can do at most: bytes a second from each level of its memory, floating-point operations a second.

Measured by kernels of the compiler's own for the best target of this CPU, on one core; sizes of caches from Linux.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from voltac.llvm.host import host_target
from voltac.options import Options
from voltac.python.building import Build
from voltac.python.source import Source
from voltac.python.timed_calls import timer
from voltac.report.bench_results import LEVELS, Level, Limits

_CHAINS = 12
"""Independent sums, more than a fused multiply-add's latency of 4 or 5 cycles times two a cycle."""
_TURNS = 2000
_BEYOND = 4
"""Memory is measured by arrays of so many times the last cache."""
_UNKNOWN_CACHE = 16 << 20
"""Bytes, where Linux does not say."""
_LARGEST = 512 << 20
"""Bytes of all arrays: others use the machine too."""
_MOST_OF_MEMORY = 0.25
"""Of what is free."""
_ROUNDS = 7
"""The best of them counts: what else runs on the machine makes times longer only."""

_TRIAD = """\
export void triad(uniform float s, uniform float a[], uniform float b[], uniform float c[], uniform int n) {
    foreach (i = 0 ... n)
        c[i] = a[i] + s * b[i];
}
"""
"""Two arrays are read and one is written (McCalpin's STREAM)."""
_TRIAD_BYTES = 12
"""An element: three numbers of four bytes."""


def _peak_source() -> str:
    names = [f"x{number}" for number in range(_CHAINS)]
    steps = "".join(f"        {name} = {name} * a + b;\n" for name in names)
    return (
        "export uniform float peak(uniform float a, uniform float b, uniform int n) {\n"
        + "".join(f"    float {name} = programIndex + {number};\n" for number, name in enumerate(names))
        + f"    for (uniform int k = 0; k < n; k++) {{\n{steps}    }}\n"
        + f"    return reduce_add({' + '.join(names)});\n}}\n"
    )


def cache_sizes() -> dict[str, int]:
    """Bytes of the levels of cache that hold data for the first processor; empty where Linux does not say."""
    found: dict[str, int] = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            kind, level, size = ((folder / name).read_text().strip() for name in ("type", "level", "size"))
        except OSError:
            continue
        if kind != "Instruction" and size.removesuffix("K").isdigit():
            found[f"L{level}"] = int(size.removesuffix("K")) << 10
    return found


def level_sizes() -> tuple[dict[str, int], dict[str, str]]:
    """Bytes that all arrays have together to lie in each level, between it and the one before; and why others have none."""
    caches = cache_sizes()
    sizes, missing = {}, {}
    below = 0
    for name in LEVELS[:-1]:
        if name in caches:
            sizes[name] = round((below * caches[name]) ** 0.5) if below else caches[name] // 2
            below = caches[name]
        else:
            missing[name] = "this machine says of no such cache"
    free = int(_MOST_OF_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES"))
    beyond, most = _BEYOND * (below or _UNKNOWN_CACHE), min(_LARGEST, free)
    if beyond <= most:
        sizes["MEM"] = beyond
    else:
        missing["MEM"] = f"arrays of {_BEYOND} times the last cache, {beyond >> 20} MB, are more than {most >> 20} MB"
    return sizes, missing


def machine_limits(build: Build, sizes: dict[str, int]) -> Limits:
    """Measure them, for levels with the bytes that arrays have there."""
    options = Options(host_target(), whole_program=True, catch_failures=True)
    triad: Any = build(Source(_TRIAD, "triad.ispc", options))["triad"]
    peak: Any = build(Source(_peak_source(), "peak.ispc", options))["peak"]
    levels = []
    for name, size in sizes.items():
        count = max(options.target.width, size // _TRIAD_BYTES)
        arrays = [np.ones(count, np.float32) for _ in range(3)]
        once = timer(triad, [2.0, *arrays, count])
        levels.append(Level(name, size, _TRIAD_BYTES * count / min(once() for _ in range(_ROUNDS))))
    once = timer(peak, [0.5, 0.25, _TURNS])
    operations = 2 * _CHAINS * _TURNS * options.target.width
    return Limits(tuple(levels), operations / min(once() for _ in range(_ROUNDS)), options.target.name)
