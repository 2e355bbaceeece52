"""Checked runs against plain ones: what each check costs, as a ratio of times.

    python benchmarks/checked_runs.py [--rounds N]

Each kernel is called from Python with arrays that fit the second-level cache, and with small ones;
plain and checked ones in turns.
"""

from __future__ import annotations

import argparse
import warnings
from functools import partial
from typing import Any

import numpy as np

import voltac
from voltac.options.checks import RUN_CHECKS
from voltac.report.measure import interleaved, machine, ratio, seconds_of

SOURCE = """
export void scaled_sum(uniform float x[], uniform float y[], uniform int index[], uniform int n) {
    foreach (i = 0 ... n)
        y[i] = 0.5f * x[i] + y[i];
}
export void neighbours(uniform float x[], uniform float y[], uniform int index[], uniform int n) {
    foreach (i = 2 ... n - 2)
        y[i] = 0.2f * (x[i - 2] + x[i - 1] + x[i] + x[i + 1] + x[i + 2]);
}
export void gather(uniform float x[], uniform float y[], uniform int index[], uniform int n) {
    foreach (i = 0 ... n)
        y[i] = x[index[i]];
}
export void scatter(uniform float x[], uniform float y[], uniform int index[], uniform int n) {
    foreach (i = 0 ... n)
        y[index[i]] = x[i];
}
export void iterated(uniform float x[], uniform float y[], uniform int index[], uniform int n) {
    foreach (i = 0 ... n) {
        float z = x[i];
        int k = 0;
        for (; k < 50 && z < 0.99f; ++k)
            z = z * (1.9f - z);
        y[i] = k;
    }
}
export void packed(uniform float x[], uniform float y[], uniform int index[], uniform int n) {
    uniform int count = 0;
    foreach (i = 0 ... n) {
        if (x[i] > 0.5f)
            count += packed_store_active(&index[count], i);
    }
}
"""
NAMES = ("scaled_sum", "neighbours", "gather", "scatter", "iterated", "packed")
SIZES = (64, 1 << 14)


def main() -> None:
    """Print a table of medians with their spread."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore", voltac.VoltacWarning)
    kinds: dict[str, Any] = {"plain": False, "all": True} | {name: name for name in RUN_CHECKS}
    modules = {kind: voltac.compile(SOURCE, file="checked_runs.ispc", checked=checked) for kind, checked in kinds.items()}
    print(machine())
    print(f"{'kernel':<12}{'n':>7}{'plain':>10}  " + "".join(f"{kind:>22}" for kind in kinds if kind != "plain"))
    generator = np.random.default_rng(1)
    for name in NAMES:
        for size in SIZES:
            x = generator.random(size, np.float32)
            y, index = np.zeros(size, np.float32), generator.permutation(size).astype(np.int32)
            repeats = max(1, (1 << 16) // size)

            kernels = {kind: partial(getattr(module, name), x, y, index, size) for kind, module in modules.items()}
            times = interleaved({kind: seconds_of(kernel, repeats) for kind, kernel in kernels.items()}, rounds)
            words = [f"{ratio(times['plain'], times[kind])!s:>22}" for kind in kinds if kind != "plain"]
            plain = np.median(times["plain"])
            print(f"{name:<12}{size:>7}{plain * 1e6:>8.2f}us  " + "".join(words), flush=True)


if __name__ == "__main__":
    main()
