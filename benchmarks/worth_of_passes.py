"""What each pass is worth: the kernels of shapes_against_c.py and kernels_against_c.py with that pass left out.

    python benchmarks/worth_of_passes.py [--rounds N] [--targets T,...] [--only PASS,...] [--cpu NAME]

For each pass that changes the code of any kernel: by how much they are faster with it (geometric mean of all kernels, and the
most), and the kernels that it makes more than 2 % slower, by the interval of the median with 99 % confidence.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import gate
import kernels_against_c
import shapes_against_c

from voltac.options import Options
from voltac.pipeline import stages_of
from voltac.report.measure import machine
from voltac.target_info import find_target

HERE = Path(__file__).resolve().parent
FILES = {"by_shape": list(shapes_against_c.ROWS), "against_c": list(kernels_against_c.ROWS)}
SLOWER = 0.98
"""Times as fast as without the pass."""


def passes_of(target: str) -> list[str]:
    """Those that may be left out, in the order in which they run."""
    options = Options(find_target(target), level=3)
    rows = (row for stage in stages_of(options.target) for row in stage.passes(options.target))
    return [row.name for row in rows if row.applies(options) and not row.required]


def build(folder: Path, target: str, cpu: str, without: str = "") -> dict[str, Path]:
    """File of kernels -> the object that is made of it."""
    made = {}
    for file in FILES:
        made[file] = folder / f"{file}-{target}-{without or 'all'}.o"
        left_out = [f"--disable-pass={without}"] if without else []
        tuned = [f"--cpu={cpu}"] if cpu else []
        source = HERE / "kernels" / f"{file}.ispc"
        command = [sys.executable, "-m", "voltac", f"--target={target}", "-O3", "--pic", "--woff", *tuned, *left_out]
        subprocess.run([*command, "-o", made[file], source], check=True)
    return made


def library(file: Path, *sources: Path | str) -> ctypes.CDLL:
    made = file.with_suffix(".so")
    if not made.exists():
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", made, *(sources or (file,))], check=True)
    return ctypes.CDLL(str(made))


def quotients(folder: Path, usual: Mapping[str, Path], other: Mapping[str, Path], rounds: int) -> dict[str, gate.Change]:
    """Kernel -> how many times as long it takes without a pass; nothing for files whose code is the same."""
    found: dict[str, gate.Change] = {}
    for file, names in FILES.items():
        if usual[file].read_bytes() == other[file].read_bytes():
            continue
        clock = library(folder / "clock.o", HERE / "peers" / "clock.c")
        libraries = {"before": library(usual[file]), "after": library(other[file])}
        for name in names:
            timers = gate.kernel_timers(libraries, clock, file, name)
            found[name] = gate.change(timers, rounds)
            if found[name].median < SLOWER:  # the pass seems to cost something: once more, for longer
                found[name] = gate.change(timers, 3 * rounds)
    return found


def told(found: Mapping[str, gate.Change]) -> str:
    """The row of a pass, behind its name."""
    if not found:
        return "changes none of these kernels"
    everything = sum(map(len, FILES.values()))
    mean = math.exp(sum(math.log(one.median) for one in found.values()) / everything)
    best = max(found, key=lambda name: found[name].median)
    slower = [f"{name} {one.median:.2f}" for name, one in found.items() if one.median < SLOWER and one.high < 1]
    return f"{mean:5.2f}   most {found[best].median:5.2f} {best:16} slower: {', '.join(slower) or 'none'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--targets", default="avx2-i32x8,avx2-i32x16")
    parser.add_argument("--only", default="", help="passes")
    parser.add_argument("--cpu", default="", help="for which the code is tuned")
    options = parser.parse_args()
    print(
        f"{machine()}; time without the pass divided by time with it: mean of {sum(map(len, FILES.values()))} kernels, the most"
    )
    for target in options.targets.split(","):
        names = options.only.split(",") if options.only else passes_of(target)
        if unknown := set(names) - set(passes_of(target)):
            parser.error(f"--only: '{min(unknown)}' is no pass that may be left out for {target}; --list-passes tells them")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            usual = build(folder, target, options.cpu)
            for one in names:
                found = quotients(folder, usual, build(folder, target, options.cpu, one), options.rounds)
                print(f"{target:12} {one:24} {told(found)}", flush=True)


if __name__ == "__main__":
    main()
