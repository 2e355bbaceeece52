"""How many instructions a second the NaplesPU simulator executes: kernels of different kinds, on one and all threads.

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
HENON = """
export void henon(uniform int out[], uniform int n, uniform float step) {
    foreach (i = 0 ... n) {
        float x = (i % 32) * step - 1.5f, y = (i / 32) * step - 1.5f;
        int turns = 0;
        while (turns < 30 && abs(x) < 3.0f) {
            float fold = y + 1.0f - 1.4f * x * x;
            y = 0.3f * x;
            x = fold;
            turns += 1;
        }
        out[i] = turns;
    }
}
"""
QUOTIENTS = """
export void quotients(const uniform float a[], const uniform float b[], uniform int out[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = a[i], y = b[i];
        int found = 0;
        for (uniform int k = 0; k < 8; k++) {
            float quotient = x / y;
            int whole = (int)quotient;
            if (quotient < (float)whole + 0.5f)
                found += whole;
            else if (x > y)
                found -= 1;
            x = x - 0.25f * y;
            y = y + 0.125f;
        }
        out[i] = found;
    }
}
"""
STEPS = """
export void steps(uniform int out[], uniform int n) {
    foreach (i = 0 ... n) {
        int value = i + 1, count = 0;
        while (value > 1 && count < 20) {
            if (value & 1)
                value = 3 * value + 1;
            else
                value >>= 1;
            count++;
        }
        out[i] = count;
    }
}
"""
STAGED = """
__scratchpad uniform int table[1024];
export void staged(const uniform int a[], uniform int out[], uniform int n) {
    for (uniform int i = thread_id() * 16; i < n; i += 128)
        table[i + programIndex] = a[i + programIndex] * 3;
    barrier(1, 8);
    for (uniform int i = thread_id() * 16; i < n; i += 128) {
        int sum = 0;
        for (uniform int k = 0; k < 256; k += 16) {
            int value = table[((i + k) & 1023) + programIndex];
            if (value > 0)
                sum += value;
        }
        out[i + programIndex] = sum;
        flush(out + i);
    }
}
"""
WAVES = """
export void waves(const uniform float a[], const uniform float b[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = a[i], sum = 0;
        for (uniform int k = 0; k < 4; k++) {
            sum += sin(x) * b[(int)(x * 50) & 1023];
            x += b[i];
        }
        out[i] = sum;
    }
}
"""
N = 32


def contenders() -> dict[str, Callable[[], float]]:
    """Name -> one call; its value is the number of instructions in a second."""
    random = np.random.default_rng(0)
    a, b = (random.integers(-9, 9, (N, N)).astype(np.int32) for _ in range(2))
    c, counts = np.zeros((N, N), np.int32), np.zeros(N * N, np.int32)
    x, y = (np.float32(10) * random.random(N * N).astype(np.float32) + np.float32(0.5) for _ in range(2))
    found: dict[str, Callable[[], float]] = {}
    for fpu in ("ideal", "rtl"):
        for threads in (1, 8):
            launch: dict[str, Any] = {"threads": threads, "fpu": fpu}
            suffix = f"{threads} thread{'s' * (threads > 1)}, {fpu}"
            if fpu == "rtl":
                # Without floats the modes are one.
                product = voltac.compile(PRODUCT, target="naplespu", launch=launch).product
                found[f"matrix product, {suffix.removesuffix(', rtl')}"] = timed(product, a, b, c, N)
            henon = voltac.compile(HENON, target="naplespu", launch=launch).henon
            found[f"henon, {suffix}"] = timed(henon, counts, N * N, 0.1)
    for cores in (1, 4):
        launch = {"cores": cores, "threads": 8, "fpu": "rtl"}
        suffix = f"{cores} core{'s' * (cores > 1)}, 8 threads"
        quotients = voltac.compile(QUOTIENTS, target="naplespu", launch=launch).quotients
        found[f"quotients, {suffix}, rtl"] = timed(quotients, x, y, counts, N * N)
        found[f"steps, {suffix}"] = timed(voltac.compile(STEPS, target="naplespu", launch=launch).steps, counts, N * N)
    waves = voltac.compile(WAVES, target="naplespu", launch={"threads": 8, "fpu": "rtl"}).waves
    found["sines and gathers, 8 threads, rtl"] = timed(waves, x, y, np.zeros_like(x), N * N)
    staged = voltac.compile(STAGED, target="naplespu", launch={"threads": 8}).staged
    found["through the scratchpad, 8 threads"] = timed(staged, a, counts, N * N)
    return found


def timed(kernel: Any, *arguments: Any) -> Callable[[], float]:
    kernel(*arguments)

    def call() -> float:
        start = time.process_time()
        kernel(*arguments)
        rate: float = kernel.last_run.instructions / (time.process_time() - start)
        return rate

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
        print(f"{name:34} {median / 1e3:8.0f} ({low / 1e3:.0f}..{high / 1e3:.0f})")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "instructions a second": rows}, indent=1))


if __name__ == "__main__":
    main()
