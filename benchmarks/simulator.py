"""How many instructions a second the NaplesPU simulator executes: a matrix product and a kernel under masks.

    python benchmarks/simulator.py [--rounds N] [--json FILE]

A round is one call of a kernel that has been called before, copying of arguments
and results included; the time is this process's CPU time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import voltac
from voltac.report.measure import interleaved, machine

PRODUCT = """
export void product(const uniform int a[], const uniform int b[], uniform int c[], uniform int n) {
    foreach (i = 0 ... n, j = 0 ... n) {
        int sum = 0;
        for (uniform int k = 0; k < n; k++)
            sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
    }
}
"""
MANDELBROT = """
export void mandelbrot(uniform int out[], uniform int n, uniform float step) {
    foreach (i = 0 ... n) {
        float x0 = (i % 32) * step - 2.0f, y0 = (i / 32) * step - 1.5f;
        float x = x0, y = y0;
        int count = 0;
        while (count < 30 && x * x + y * y < 4.0f) {
            float t = x * x - y * y + x0;
            y = 2.0f * x * y + y0;
            x = t;
            count += 1;
        }
        out[i] = count;
    }
}
"""
N = 32


def contenders() -> dict[str, Callable[[], float]]:
    """Name -> one call; its value is the number of instructions in a second."""
    random = np.random.default_rng(0)
    a, b = (random.integers(-9, 9, (N, N)).astype(np.int32) for _ in range(2))
    c, counts = np.zeros((N, N), np.int32), np.zeros(N * N, np.int32)
    found: dict[str, Callable[[], float]] = {}
    for fpu in ("ideal", "rtl"):
        for threads in (1, 8):
            launch: dict[str, Any] = {"threads": threads, "fpu": fpu}
            suffix = f"{threads} thread{'s' * (threads > 1)}, {fpu}"
            if fpu == "rtl":
                # Without floats the modes are one.
                product = voltac.compile(PRODUCT, target="naplespu", launch=launch).product
                found[f"matrix product, {suffix.removesuffix(', rtl')}"] = timed(product, a, b, c, N)
            mandelbrot = voltac.compile(MANDELBROT, target="naplespu", launch=launch).mandelbrot
            found[f"mandelbrot, {suffix}"] = timed(mandelbrot, counts, N * N, 0.1)
    return found


def timed(kernel: Any, *arguments: Any) -> Callable[[], float]:
    kernel(*arguments)

    def call() -> float:
        start = time.process_time()
        kernel(*arguments)
        return kernel.last_run.instructions / (time.process_time() - start)

    return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rates = interleaved(contenders(), options.rounds)
    print(f"{machine()}; thousands of instructions a second of CPU time,")
    print(f"median (10th..90th percentile) of {options.rounds} interleaved rounds")
    rows = {}
    for name, values in rates.items():
        tenth = len(values) // 10
        low, median, high = sorted(values)[tenth], statistics.median(values), sorted(values)[-1 - tenth]
        rows[name] = {"median": median, "low": low, "high": high}
        print(f"{name:30} {median / 1e3:8.0f} ({low / 1e3:.0f}..{high / 1e3:.0f})")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "instructions a second": rows}, indent=1))


if __name__ == "__main__":
    main()
