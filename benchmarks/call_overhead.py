"""What a call from Python costs: two arrays and an int, a kernel that does nothing, the GIL released.

    python benchmarks/call_overhead.py [--rounds N] [--json FILE]

voltac is called through a variable and as ``k.function``; the peers are numba
(which keeps the GIL unless told otherwise) and ctypes.
The time of the loop around the calls is taken off all.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import voltac
from voltac.report.measure import interleaved, machine, ratio

CALLS = 2_000
SOURCE = "export void nothing(const uniform float x[], uniform float y[], uniform int n) { }"


def loop(expression: str, **names: Any) -> Callable[[], float]:
    """A contender: nanoseconds a call of ``expression``."""
    scope: dict[str, Any] = {}
    exec(f"def run(turns, {', '.join(names)}):\n for _ in turns:\n  {expression}\n", scope)

    def timed() -> float:
        turns = itertools.repeat(None, CALLS)
        start = time.perf_counter()
        scope["run"](turns, *names.values())
        return (time.perf_counter() - start) / CALLS * 1e9

    return timed


def contenders() -> dict[str, Callable[[], float]]:
    """Name -> timing of one way to call."""
    x, y = np.zeros(16, np.float32), np.zeros(16, np.float32)
    k = voltac.compile(SOURCE)
    found = {
        "loop": loop("x", x=x),
        "voltac": loop("f(x, y, 16)", f=k.nothing, x=x, y=y),
        "voltac, as k.nothing": loop("k.nothing(x, y, 16)", k=k, x=x, y=y),
    }
    try:
        import numba
    except ImportError:
        pass
    else:
        for name, options in (("numba", {}), ("numba, nogil", {"nogil": True})):
            theirs = numba.njit(**options)(lambda x, y, n: None)
            theirs(x, y, 16)
            found[name] = loop("f(x, y, 16)", f=theirs, x=x, y=y)
    foreign = ctypes.CDLL(None).memcpy
    foreign.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    foreign.restype = None
    found["ctypes"] = loop("f(y.ctypes.data, x.ctypes.data, 16)", f=foreign, x=x, y=y)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    raw = interleaved(contenders(), options.rounds)
    empty = raw.pop("loop")
    times = {name: [one - base for one, base in zip(values, empty, strict=True)] for name, values in raw.items()}
    print(f"{machine()}; median (10th..90th percentile) of {options.rounds} interleaved rounds")
    rows = {}
    for name, values in times.items():
        ordered = sorted(values)
        tenth = len(ordered) // 10
        rows[name] = {"median": statistics.median(ordered), "low": ordered[tenth], "high": ordered[-1 - tenth]}
        text = f"{name:22} {rows[name]['median']:8.1f} ns ({rows[name]['low']:.1f}..{rows[name]['high']:.1f})"
        if not name.startswith("voltac"):
            text += f"   {ratio(times['voltac'], values)} times voltac"
        print(text)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
