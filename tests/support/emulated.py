"""Runs code for other CPUs, linked with a driver in C: aarch64 and RISC-V under qemu, x86 of 32 bits by itself.

What is missing on this machine is told by :func:`missing`, for the reason of a skipped test.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from run_programs import INPUTS, OUTPUTS, SECONDS, Array, launches, task_pool

from voltac.pipeline import Compilation

_DRIVER = Path(__file__).with_name("run_driver.c")
_END = "\x1e"


@dataclass(frozen=True)
class Machine:
    """How programs in C are compiled for a machine, and run here."""

    packages: dict[str, str]
    """Command that must be there -> Debian package that has it."""
    compiler: tuple[str, ...]
    objcopy: str
    emulator: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    c_library: str = ""
    """Debian package that has the one to link with, where that is no part of the compiler's."""


AARCH64 = Machine(
    {
        "qemu-aarch64": "qemu-user",
        "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
        "aarch64-linux-gnu-objcopy": "binutils-aarch64-linux-gnu",
    },
    ("aarch64-linux-gnu-gcc", "-O1", "-static", "-DHALF=__fp16"),
    "aarch64-linux-gnu-objcopy",
    ("qemu-aarch64",),
    ("-lpthread", "-lm"),
    "libc6-dev-arm64-cross",
)
RISCV64 = Machine(
    {
        "qemu-riscv64": "qemu-user",
        "riscv64-linux-gnu-gcc": "gcc-riscv64-linux-gnu",
        "riscv64-linux-gnu-objcopy": "binutils-riscv64-linux-gnu",
    },
    ("riscv64-linux-gnu-gcc", "-O1", "-static"),
    "riscv64-linux-gnu-objcopy",
    ("qemu-riscv64", "-cpu", "rv64,v=true,vlen=128,vext_spec=v1.0"),
    ("-lpthread", "-lm"),
    "libc6-dev-riscv64-cross",
)
"""With the vector extension, and the shortest vectors it allows."""
X86 = Machine(
    {"gcc": "gcc", "objcopy": "binutils"},
    (
        *("gcc", "-m32", "-O1", "-msse2", "-static", "-no-pie", "-fno-pie", "-ffreestanding", "-nostdlib"),
        *("-fno-stack-protector", "-DFREESTANDING", "-DHALF=_Float16"),
    ),
    "objcopy",
)
"""Without a C library: the one for 32 bits is rarely installed."""


def missing(machine: Machine) -> str:
    """What this computer lacks to run code for a machine; empty if nothing."""
    lacking = [f"{name} (apt: {package})" for name, package in machine.packages.items() if shutil.which(name) is None]
    if not lacking and machine.c_library and not _links(machine.compiler):
        lacking = [f"a C library (apt: {machine.c_library})"]
    return f"not installed: {', '.join(lacking)}" if lacking else ""


@functools.cache
def _links(compiler: tuple[str, ...]) -> bool:
    """Whether a program can be made: Debian only recommends a cross compiler's C library."""
    text = "#include <stdint.h>\nint main(void) { return 0; }\n"
    done = subprocess.run([*compiler, "-x", "c", "-", "-o", os.devnull], input=text, capture_output=True, text=True)
    return done.returncode == 0


def run_emulated(jobs: Sequence[Compilation], machine: Machine = AARCH64) -> list[tuple[Array, str]]:
    """``out`` and the printed text of each run-test; AssertionError names the one that crashed or did not end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [*machine.emulator, str(_link(folder, jobs, machine))]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS + 2 * len(jobs), cwd=folder)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"{_described(jobs, error.stdout or b'')} did not end") from None
        if done.returncode != 0:
            raise AssertionError(f"{_described(jobs, done.stdout)} ended with status {done.returncode}: {done.stderr.decode()}")
        arrays = np.fromfile(folder / "results").reshape(len(jobs), OUTPUTS)
        return list(zip(arrays, done.stdout.decode().split(_END)))


def _link(folder: Path, jobs: Sequence[Compilation], machine: Machine) -> Path:
    """One executable of all jobs, each of which exports ``test``."""
    objects = []
    names = [f"test_{number}" for number in range(len(jobs))]
    for name, job in zip(names, jobs):
        path, code = folder / f"{name}.o", job.optimized.object_code()
        path.write_bytes(code)
        _run(machine.objcopy, "--redefine-sym", f"test={name}", "--keep-global-symbol", name, path)
        objects.append(path)
        if launches(code):
            (folder / "tasks.o").write_bytes(task_pool(job.options.target))
    objects += folder.glob("tasks.o")
    declarations = "".join(f"void {name}(double *, float *, int *, int);\n" for name in names)
    source = folder / "driver.c"
    source.write_text(
        f"{declarations}#define COUNT {len(jobs)}\n#define TABLE {', '.join(names)}\n"
        f'enum {{ INPUTS = {INPUTS}, OUTPUTS = {OUTPUTS} }};\n#include "{_DRIVER}"\n'
    )
    program = folder / "program"
    _run(*machine.compiler, "-o", program, source, *objects, *machine.libraries)
    return program


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"


def _described(jobs: Sequence[Compilation], printed: bytes) -> str:
    job = jobs[min(printed.count(_END.encode()), len(jobs) - 1)]
    return f"{job.file} for {job.options.target.name} -O{job.options.level}"
