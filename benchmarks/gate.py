"""Two states of the project side by side: its kernels, its compilations and its calls from Python.

    python benchmarks/gate.py BEFORE [AFTER] [--rounds N] [--targets T,...] [--only ROW,...] [--history]

A state is a commit or a folder; AFTER is this tree if it is not given. Both compile the kernels of this tree, and what
both made is timed in turn. Ends with 1 if anything is worse by more than 3 % beyond noise: the median of all rounds, and all
of the interval that it lies in with 99 % confidence, and the same once more with three times the rounds.
``--history`` writes a row to docs/figures/speed.md.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import kernels_against_c
import numpy as np
import shapes_against_c

from voltac.report.measure import interleaved, machine, median_interval

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
HISTORY = ROOT / "docs" / "figures" / "speed.md"
WORSE = 1.03
"""Times what it was before."""
SOURCES = (
    "programs/alone/implicit_surfaces.ispc",
    "programs/large/digests_and_ciphers.ispc",
    "programs/large/fields_and_particles.ispc",
)
"""Of tests/: what is compiled for the sake of its time, small, middle and large; the kernels are compiled too."""
CALL = """
import sys, time, itertools, numpy as np, voltac
k = voltac.compile("export void nothing(const uniform float x[], uniform float y[], uniform int n) { }")
x, y, f = np.zeros(16, np.float32), np.zeros(16, np.float32), k.nothing
best = 1e9
for _ in range(200):
    start = time.perf_counter()
    for _ in itertools.repeat(None, 2000):
        f(x, y, 16)
    best = min(best, time.perf_counter() - start)
print(best / 2000 * 1e9)
"""
Timers = Mapping[str, Callable[[], float]]
"""``before`` and ``after`` -> what measures it once, in any unit."""


@dataclass(frozen=True)
class Change:
    """How many times as long something takes as before: the median, and the interval it lies in with 99 % confidence."""

    median: float
    low: float
    high: float

    @property
    def is_worse(self) -> bool:
        return self.median > WORSE and self.low > 1

    def __str__(self) -> str:
        return f"{self.median:.3f} ({self.low:.3f}..{self.high:.3f})"


def change(timers: Timers, rounds: int) -> Change:
    """Measured once, and once more for longer where it looks worse."""
    for factor in (1, 3):
        times = interleaved(timers, rounds * factor)
        found = Change(*median_interval(after / before for before, after in zip(times["before"], times["after"], strict=True)))
        if not found.is_worse:
            break
    return found


def tree(state: str, folder: Path) -> Path:
    """The folder of a state; that of a commit is made."""
    if (Path(state) / "voltac" / "__init__.py").exists():
        return Path(state).resolve()
    archive = subprocess.run(["git", "archive", state], cwd=ROOT, capture_output=True)
    if archive.returncode:
        sys.exit(f"gate.py: '{state}' is neither a folder with voltac in it nor a commit: {archive.stderr.decode().strip()}")
    folder.mkdir()
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return folder


def environment(folder: Path, cache: Path) -> dict[str, str]:
    """In which Python finds the voltac of a tree, and keeps what it compiled of it."""
    ordinary = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return ordinary | {"PYTHONPATH": str(folder), "VOLTAC_CACHE_DIR": str(cache), "OPENBLAS_NUM_THREADS": "1"}


def compiler(folder: Path, cache: Path, *words: str | Path) -> Callable[[], float]:
    """CPU seconds of a compilation in a process of its own."""
    command = [sys.executable, "-m", "voltac", "--woff", *map(str, words)]

    def compiled() -> float:
        process = subprocess.Popen(command, cwd=cache.parent, env=environment(folder, cache))
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"gate.py: the voltac of {folder} cannot compile {words[-1]}")
        return usage.ru_utime + usage.ru_stime

    return compiled


def caller(folder: Path, cache: Path) -> Callable[[], float]:
    """Nanoseconds of a call from Python, in a process of its own."""
    command = [sys.executable, "-c", CALL]

    def called() -> float:
        made = subprocess.run(command, cwd=cache.parent, env=environment(folder, cache), capture_output=True, check=True)
        return float(made.stdout)

    return called


def arrays_of(file: str, name: str) -> tuple[list[np.ndarray], int, int]:
    rows = shapes_against_c.ROWS if file == "by_shape" else kernels_against_c.ROWS
    a, b, c, n, m = rows[name]()
    return [shapes_against_c.aligned(each) for each in (a, b, c)], n, m


def kernel_timers(libraries: Mapping[str, ctypes.CDLL], clock: ctypes.CDLL, file: str, name: str) -> Timers:
    """Nanoseconds of a call, of each library's kernel on the same arrays."""
    arrays, n, m = arrays_of(file, name)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]  # which keep the arrays alive
    clock.time_kernel.restype = ctypes.c_double

    def timer(library: ctypes.CDLL, repeats: int) -> Callable[[], float]:
        return lambda: float(clock.time_kernel(getattr(library, name), *pointers, n, m, repeats))

    repeats = max(1, int(shapes_against_c.NANOSECONDS / timer(libraries["after"], 3)()))
    return {state: timer(library, repeats) for state, library in libraries.items()}


def rows(trees: Mapping[str, Path], folder: Path, targets: list[str]) -> Mapping[str, Callable[[], tuple[Timers, int]]]:
    """Name of a row -> what makes its timers, and how many rounds it takes of a hundred."""
    made: dict[str, Callable[[], tuple[Timers, int]]] = {}
    caches = {state: folder / f"{state}.cache" for state in trees}
    files = {"by_shape": list(shapes_against_c.ROWS), "against_c": list(kernels_against_c.ROWS)}
    libraries: dict[tuple[str, str], dict[str, ctypes.CDLL]] = {}

    def built(file: str, target: str) -> dict[str, ctypes.CDLL]:
        for state, path in trees.items():
            made = folder / f"{state}-{file}-{target}"
            source = HERE / "kernels" / f"{file}.ispc"
            compiler(path, caches[state], f"--target={target}", "-O3", "--pic", "-o", f"{made}.o", source)()
            subprocess.run(["cc", "-shared", "-o", f"{made}.so", f"{made}.o"], check=True)
            libraries.setdefault((file, target), {})[state] = ctypes.CDLL(f"{made}.so")
        return libraries[file, target]

    def clock() -> ctypes.CDLL:
        path = folder / "clock.so"
        if not path.exists():
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", path, HERE / "peers" / "clock.c"], check=True)
        return ctypes.CDLL(str(path))

    def kernels(file: str, target: str, name: str) -> tuple[Timers, int]:
        return kernel_timers(libraries.get((file, target)) or built(file, target), clock(), file, name), 100

    def compilations(source: Path, target: str) -> tuple[Timers, int]:
        words = (f"--target={target}", "-o", folder / "out.o", source)
        return {state: compiler(path, caches[state], *words) for state, path in trees.items()}, 10

    for target in targets:
        for file, names in files.items():
            for name in names:
                made[f"{target}/{name}"] = partial(kernels, file, target, name)
    sources = [ROOT / "tests" / name for name in SOURCES] + [HERE / "kernels" / "streaming.ispc"]
    for source in sources:
        made[f"compile/{source.stem}"] = partial(compilations, source, targets[0])
    made["call"] = lambda: ({state: caller(path, caches[state]) for state, path in trees.items()}, 10)
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after", nargs="?", default=str(ROOT))
    parser.add_argument("--rounds", type=int, default=61, help="of a kernel; compilations take a tenth")
    parser.add_argument("--targets", default="avx2-i32x8,avx2-i32x16")
    parser.add_argument("--only", default="", help="rows, or beginnings of their names")
    parser.add_argument("--history", action="store_true", help=f"a row for {HISTORY.relative_to(ROOT)}")
    options = parser.parse_args()
    changes: dict[str, Change] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trees = {state: tree(getattr(options, state), folder / state) for state in ("before", "after")}
        wanted = tuple(options.only.split(","))
        chosen = {
            name: make for name, make in rows(trees, folder, options.targets.split(",")).items() if name.startswith(wanted)
        }
        if not chosen:
            parser.error(f"--only: no row begins with '{options.only}'")
        print(f"{machine()}; time after divided by time before: median (99 % interval)")
        for row, make in chosen.items():
            timers, share = make()
            changes[row] = change(timers, max(5, options.rounds * share // 100))
            print(f"{row:36} {changes[row]}{'  WORSE' if changes[row].is_worse else ''}", flush=True)
    for group in dict.fromkeys(row.partition("/")[0] for row in changes):
        print(f"{group:36} {geometric_mean(changes, group):.3f}  geometric mean")
    worse = [row for row, found in changes.items() if found.is_worse]
    print(f"{len(worse)} of {len(changes)} rows are worse{': ' if worse else ''}{', '.join(worse)}")
    if options.history:
        write_history(options.before, options.after, changes, HISTORY)
    return 1 if worse else 0


def geometric_mean(changes: Mapping[str, Change], group: str) -> float:
    logarithms = [math.log(found.median) for row, found in changes.items() if row.partition("/")[0] == group]
    return math.exp(sum(logarithms) / len(logarithms))


def write_history(before: str, after: str, changes: Mapping[str, Change], page: Path) -> None:
    """A row at the end of the table, which is the end of the page."""
    groups = dict.fromkeys(row.partition("/")[0] for row in changes)
    means = ", ".join(f"{group} {geometric_mean(changes, group):.3f}" for group in groups)
    worse = ", ".join(f"{row} {found.median:.2f}" for row, found in changes.items() if found.is_worse) or "none"
    names = [_commit(state) for state in (before, after)]
    cells = (time.strftime("%Y-%m-%d", time.gmtime()), *names, machine(), str(len(changes)), means, worse)
    with page.open("a") as file:
        file.write(f"| {' | '.join(cells)} |\n")


def _commit(state: str) -> str:
    """The short name of a commit, or of what is checked out in a folder."""
    folder = Path(state) if Path(state).is_dir() else ROOT
    found = subprocess.run(
        ["git", "rev-parse", "--short=9", "HEAD" if folder != ROOT or state == str(ROOT) else state],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    return found.stdout.strip() or state


if __name__ == "__main__":
    sys.exit(main())
