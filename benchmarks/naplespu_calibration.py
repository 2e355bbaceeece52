"""The NaplesPU simulator's cycles against those measured on the hardware's own simulation, as a table.

    python benchmarks/naplespu_calibration.py

The programs are tests/support/npu_calibration.py; the figures to meet are the calibration points of the hardware reference.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

from npu_calibration import (
    ADDITION_IN_PLACE_POINTS,
    ADDITION_POINTS,
    ADDITIONS,
    MATRIX_POINTS,
    STREAMING_POINTS,
    lines_added_to,
    lines_streamed,
    matrix_device,
)
from npu_programs import device_for


def row(program: str, threads: int, latency: int, measured: float, cycles: float, issued: str) -> str:
    figures = (f"{measured:g}", f"{cycles:.5g}", f"{100 * (cycles / measured - 1):+.1f} %", issued)
    return f"| {program} | {threads} | {latency} | " + " | ".join(figures) + " |"


def main() -> None:
    print("| program | threads | L | cycles measured | simulated | | instructions issued, measured / simulated |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for threads, latency, cycles, issued in ADDITION_POINTS:
        report = device_for(ADDITIONS, threads, latency=latency).run()
        print(row("50 x 16 dependent additions", threads, latency, cycles, report.cycles, f"{issued} / {report.issued}"))
    for threads, latency, cycles, issued in MATRIX_POINTS:
        report = matrix_device(threads, latency=latency)[0].run()
        print(row("32 x 32 matrix product", threads, latency, cycles, report.cycles, f"{issued} / {report.issued}"))
    for threads, latency, per_line in STREAMING_POINTS:
        print(row("streaming, a line", threads, latency, per_line, lines_streamed(threads, latency), ""))
    for threads, latency, cycles in ADDITION_IN_PLACE_POINTS:
        print(row("addition in place, an iteration", threads, latency, cycles, lines_added_to(threads, latency), ""))


if __name__ == "__main__":
    main()
