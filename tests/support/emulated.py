"""Runs code for CPUs other than this one under qemu's user emulation, linked with a driver in C.

What is missing on this machine is told by :func:`missing`, for the reason of a skipped test.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from run_programs import INPUTS, OUTPUTS, SECONDS, Array

from voltac.driver import Compilation

_PREFIX = "aarch64-linux-gnu-"
_EMULATOR = "qemu-aarch64"
_DRIVER = Path(__file__).with_name("emulated_driver.c")
_END = "\x1e"


@cache
def missing() -> str:
    """What this machine lacks to run code for aarch64; empty if nothing."""
    packages = ("qemu-user", "gcc-aarch64-linux-gnu", "binutils-aarch64-linux-gnu")
    needed = dict(zip((_EMULATOR, f"{_PREFIX}gcc", f"{_PREFIX}objcopy"), packages))
    lacking = [f"{name} (apt: {package})" for name, package in needed.items() if shutil.which(name) is None]
    return f"not installed: {', '.join(lacking)}" if lacking else ""


def run_emulated(jobs: Sequence[Compilation]) -> list[tuple[Array, str]]:
    """``out`` and the printed text of each run-test; AssertionError names the one that crashed or did not end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = link(folder, jobs)
        results = folder / "results"
        try:
            done = subprocess.run([_EMULATOR, program, results], capture_output=True, timeout=SECONDS + 2 * len(jobs))
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"{_described(jobs, error.stdout or b'')} did not end") from None
        if done.returncode != 0:
            raise AssertionError(f"{_described(jobs, done.stdout)} ended with status {done.returncode}: {done.stderr.decode()}")
        arrays = np.fromfile(results).reshape(len(jobs), OUTPUTS)
        return list(zip(arrays, done.stdout.decode().split(_END)))


def link(folder: Path, jobs: Sequence[Compilation]) -> Path:
    """One executable of all jobs, each of which exports ``test``."""
    objects = []
    for number, job in enumerate(jobs):
        path = folder / f"{number}.o"
        path.write_bytes(job.optimized.object_code())
        name = f"test_{number}"
        _run(f"{_PREFIX}objcopy", "--redefine-sym", f"test={name}", "--keep-global-symbol", name, path)
        objects.append(path)
    names = [f"test_{number}" for number in range(len(jobs))]
    declarations = "".join(f"void {name}(double *, float *, int *, int);\n" for name in names)
    source = folder / "driver.c"
    source.write_text(
        f"{declarations}#define COUNT {len(jobs)}\n#define TABLE {', '.join(names)}\n"
        f'enum {{ INPUTS = {INPUTS}, OUTPUTS = {OUTPUTS} }};\n#include "{_DRIVER}"\n'
    )
    program = folder / "program"
    _run(f"{_PREFIX}gcc", "-O1", "-static", "-o", program, source, *objects, "-lpthread", "-lm")
    return program


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"


def _described(jobs: Sequence[Compilation], printed: bytes) -> str:
    job = jobs[min(printed.count(_END.encode()), len(jobs) - 1)]
    return f"{job.file} for {job.options.target.name} -O{job.options.level}"
