"""Every benchmark, one after the other: ratios against clang, numba, ctypes and the import of llvmlite and numpy.

    python benchmarks/all.py

Interleaved rounds make the ratios robust, but keep the machine otherwise idle: the spread tells whether it was.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = (
    *("streaming.py", "kernels_against_numba.py", "call_overhead.py", "compile_time.py", "front_end.py"),
    *("tasks.py", "elementary_functions.py", "division.py", "lanes_together.py", "kernels_against_c.py", "shapes_against_c.py"),
    "everyday_against_c.py",
    "workloads_against_c.py",
)


def main() -> int:
    failed = 0
    for script in SCRIPTS:
        print(f"\n== {script}", flush=True)
        failed |= subprocess.run([sys.executable, HERE / script]).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
