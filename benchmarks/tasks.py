"""What a task costs that does next to nothing: voltac's pool against concurrent.futures.ThreadPoolExecutor.

    VOLTAC_NUM_THREADS=4 python benchmarks/tasks.py [--rounds N] [--json FILE]

The executor has as many threads as the pool. Its tasks are Python functions that do nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import voltac
from voltac.report.measure import interleaved, machine, ratio, seconds_of

SOURCE = """
task void add(uniform int32 out[]) { ++out[taskIndex]; }
task void add_at(uniform int32 out[], uniform int i) { ++out[i]; }
task void look(uniform int32 out[]) { out[0] = threadCount; }
export void one_launch(uniform int32 out[], uniform int n) { launch[n] add(out); }
export void a_launch_each(uniform int32 out[], uniform int n) { for (uniform int i = 0; i < n; ++i) launch add_at(out, i); }
export void a_sync_each(uniform int32 out[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) { launch add_at(out, i); sync; }
}
task void two(uniform int depth) { if (depth > 0) { launch[2] two(depth - 1); } }
export void tree(uniform int32 out[], uniform int depth) { launch two(depth); }
export void threads(uniform int32 out[]) { launch look(out); }
"""


def nanoseconds(action: Callable[[], object], tasks: int) -> Callable[[], float]:
    seconds = seconds_of(action)
    return lambda: seconds() / tasks * 1e9


def contenders(out: np.ndarray, executor: ThreadPoolExecutor) -> dict[str, Callable[[], float]]:
    """Name -> timing of one way to run tasks, nanoseconds a task."""
    k = voltac.compile(SOURCE)
    return {
        "one launch of 100,000": nanoseconds(lambda: k.one_launch(out, 100_000), 100_000),
        "1,000 launches, one sync": nanoseconds(lambda: k.a_launch_each(out, 1_000), 1_000),
        "1,000 launches, a sync each": nanoseconds(lambda: k.a_sync_each(out, 1_000), 1_000),
        "a tree of launches": nanoseconds(lambda: k.tree(out, 12), 2**13 - 1),
        "ThreadPoolExecutor": nanoseconds(lambda: list(executor.map(lambda i: None, range(1_000))), 1_000),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    out = np.zeros(100_000, np.int32)
    voltac.compile(SOURCE).threads(out)
    with ThreadPoolExecutor(int(out[0])) as executor:
        times = interleaved(contenders(out, executor), options.rounds)
    print(f"{machine()}; {executor._max_workers} threads; nanoseconds a task")
    print(f"median (10th..90th percentile) of {options.rounds} interleaved rounds")
    rows = {}
    for name, values in times.items():
        ordered = sorted(values)
        tenth = len(ordered) // 10
        rows[name] = {"median": statistics.median(ordered), "low": ordered[tenth], "high": ordered[-1 - tenth]}
        text = f"{name:28} {rows[name]['median']:8.1f} ns ({rows[name]['low']:.1f}..{rows[name]['high']:.1f})"
        if name != "ThreadPoolExecutor":
            text += f"   the executor takes {ratio(values, times['ThreadPoolExecutor'])} times as long"
        print(text)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
