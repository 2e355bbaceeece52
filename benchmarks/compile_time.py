"""Compile times as ratios: fresh processes, empty cache, interleaved with the import of llvmlite and numpy.

python benchmarks/compile_time.py [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generated_source import source as generated_source
from stages import measure

from voltac.report.measure import interleaved, machine, ratio

HERE = Path(__file__).resolve().parent


def process_seconds(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def processor_seconds(command: list[str], environment: dict[str, str]) -> float:
    """User and system time: what other programs do at the same time counts little."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise subprocess.CalledProcessError(status, command)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    text = "\n".join((HERE / "kernels" / f"{name}.ispc").read_text() for name in ("streaming", "stencil"))
    print(f"{machine()}; median (10th..90th percentile)")
    with tempfile.TemporaryDirectory() as folder:
        python = sys.executable
        source = Path(folder) / "kernels.ispc"
        source.write_text(text)
        # An installed package has its bytecode; without this a checkout would be compiled again in every process.
        ordinary = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        cold = dict(ordinary, VOLTAC_CACHE_DIR=str(Path(folder) / "never"))
        # The threads that numpy's library begins wait busily.
        warm = dict(ordinary, VOLTAC_CACHE_DIR=str(Path(folder) / "warm"), OPENBLAS_NUM_THREADS="1")
        compile_one = [python, "-m", "voltac", str(source), "-o", str(Path(folder) / "out.o"), "--target=host", "--woff"]
        call_one = (
            "import numpy as np, voltac; a = np.ones(64, np.float32);"
            f"voltac.load({str(source)!r}).saxpy(a, a.copy(), a.copy(), 2.0, 64)"
        )
        subprocess.run([python, "-c", call_one], check=True, env=warm)

        def cold_compile() -> float:
            subprocess.run(["rm", "-rf", cold["VOLTAC_CACHE_DIR"]], check=True)
            return process_seconds(compile_one, cold)

        times = interleaved(
            {
                "compile": cold_compile,
                "llvmlite": lambda: process_seconds([python, "-c", "import llvmlite.binding"], cold),
                "cached call": lambda: processor_seconds([python, "-c", call_one], warm),
                "numpy": lambda: processor_seconds([python, "-c", "import numpy"], warm),
            },
            options.rounds,
        )
        lines = len(text.splitlines())
        print(f"voltac FILE -o FILE.o ({lines} lines) / import llvmlite.binding: {ratio(times['llvmlite'], times['compile'])}")
        extra = sorted(call - base for call, base in zip(times["cached call"], times["numpy"], strict=True))
        print(f"first call of a cached kernel, over import numpy: {statistics.median(extra) * 1e3:.1f} ms of CPU")
        program = Path(folder) / "program.ispc"
        program.write_text(generated_source(3000))
        lines = len(program.read_text().splitlines())
        costs = [measure(str(program)) for _ in range(3)]
        best = min(costs, key=lambda each: each.process_seconds)
        rate = max(lines / each.front_end for each in costs)
        print(f"a program of {lines} lines at -O2, best of 3: {best.process_seconds:.2f} s of CPU, {best.megabytes:.0f} MB")
        print(f"its front end: {rate:,.0f} lines a second of CPU")


if __name__ == "__main__":
    main()
