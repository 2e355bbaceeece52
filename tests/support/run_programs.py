"""Run-tests: programs with the result they must have, and the ways to run a program.

A run-test is a file ``tests/run/<feature>/<claim>.ispc`` that exports

    export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n)

``out`` has 1024 elements, all 0; ``f`` and ``i`` have n = 64 fixed inputs
(:func:`inputs`). The comments at the top of the file say what it shows:

    // claim: what the program proves
    // where:                              optional: Python statements for ``expect``
    //   def one(k): ...
    // expect: values, values              the leading elements of out; all others stay 0
    // tolerance: 1e-6                     of |a - b| <= tolerance * max(1, |b|); default exact
    // widths: 4 8                         only for these gang widths; default: for any, of one lane too
    // prints: text\\n                      what the program writes to standard output, with Python's escapes

``expect`` is a Python expression over f, i, n, W (lanes of a gang), L (the array
0 ... W-1), P (bytes of a pointer), np and math: arrays and lists separated by commas, one after the other.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import re
import signal
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from guard_pages import GuardedMemory

from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.llvm import can_run, load_objects
from voltac.llvm.host import host_target
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pipeline import Compilation
from voltac.system.shipped_files import shipped_folder
from voltac.target_info import TARGETS as ALL_TARGETS
from voltac.target_info import TargetInfo, find_target

Array = npt.NDArray[Any]

INPUTS, OUTPUTS = 64, 1024
WIDTHS = (4, 8, 16)
ALL_WIDTHS = (*WIDTHS, 32, 64)
ONE_LANE = find_target("generic-i32x1")
"""A gang of one: scalar code."""
TARGETS = tuple(
    find_target(name)
    for name in (
        *("sse4-i32x4", "sse4-i32x8", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16"),
        *("avx512skx-x4", "avx512skx-x8", "avx512skx-x16"),
    )
)
HOST_TARGETS = tuple(target for target in TARGETS if can_run(target))
OTHER_TARGETS = tuple(target for target in TARGETS if not can_run(target))
"""What this CPU lacks the instructions for: the interpreter of the IR runs the module that LLVM is done with."""
SMALL_TYPE_TARGETS = tuple(
    find_target(name)
    for name in (
        *("sse4-i8x16", "sse4-i16x8", "avx2-i8x32", "avx2-i16x16"),
        *("avx512skx-x32", "avx512skx-x64"),
    )
)
"""Gangs as wide as registers of bytes and short integers."""
RARE_TARGETS = tuple(
    target for target in ALL_TARGETS.values() if target not in (*TARGETS, *SMALL_TYPE_TARGETS) and target.is_x86
)
"""The other x86 targets: the same widths and other instruction sets, or masks of other sizes."""
MORE_HOST_TARGETS = tuple(target for target in (*SMALL_TYPE_TARGETS, *RARE_TARGETS) if can_run(target))
ORACLE_TARGETS = {
    width: next(target for target in (*TARGETS, *SMALL_TYPE_TARGETS) if target.width == width and target.element_bits == 32)
    for width in ALL_WIDTHS
}
"""One target of each width, for what does not depend on the machine."""
SECONDS = 20


def inputs() -> tuple[Array, Array]:
    """Small multiples of 1/16 of both signs, and small integers of both signs; no NaN."""
    k = np.arange(INPUTS)
    floats = ((k * 23 + 5) % 64 - 31) * 0.5 + (k % 5) * 0.0625
    integers = (k * k * 7 + 3 * k) % 61 - 24
    return floats.astype(np.float32), integers.astype(np.int32)


def same_numbers(found: Array, expected: Array) -> bool:
    """Whether all are equal, signs of zeros included; one NaN is as good as another."""
    numbers = ~np.isnan(expected)
    return np.array_equal(found, expected, equal_nan=True) and np.array_equal(
        np.signbit(found)[numbers], np.signbit(expected)[numbers]
    )


@dataclass(frozen=True)
class RunTest:
    path: Path
    claim: str
    expect: str
    where: str = ""
    tolerance: float = 0.0
    widths: tuple[int, ...] = (1, *ALL_WIDTHS)
    prints: str = ""

    @property
    def name(self) -> str:
        """``feature/claim``."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def number(self) -> int:
        """By which tests pick one of several targets, or some of the programs: the same on every machine."""
        return zlib.crc32(self.claim.encode())

    @property
    def text(self) -> str:
        return self.path.read_text()

    @property
    def targets(self) -> tuple[TargetInfo, ...]:
        """Those that this machine runs, and of the others one that the claim picks."""
        others = [target for target in OTHER_TARGETS if target.width in self.widths]
        picked = others[self.number % len(others) :][:1] if others else []
        return (*(target for target in HOST_TARGETS if target.width in self.widths), *picked)

    @property
    def more_targets(self) -> tuple[TargetInfo, ...]:
        """The less usual ones that this machine runs."""
        return tuple(target for target in MORE_HOST_TARGETS if target.width in self.widths)

    def expected(self, width: int, pointer_bytes: int = 8) -> Array:
        """All elements of out after the program has run."""
        floats, integers = inputs()
        known = {
            "f": floats,
            "i": integers,
            "n": INPUTS,
            "W": width,
            "L": np.arange(width),
            "P": pointer_bytes,
            "np": np,
            "math": math,
        }
        exec(self.where, known)
        parts = eval(f"[{self.expect}]", known)
        leading = np.concatenate([np.ravel(np.asarray(part, np.float64)) for part in parts])
        return np.concatenate([leading, np.zeros(OUTPUTS - len(leading))])

    def difference(self, found: Array, printed: str, width: int, pointer_bytes: int = 8) -> str:
        """What is wrong with a result; empty if nothing."""
        expected = self.expected(width, pointer_bytes)
        with np.errstate(invalid="ignore"):
            near = np.abs(found - expected) <= self.tolerance * np.maximum(1, np.abs(expected))
        same = (found == expected) | (np.isnan(found) & np.isnan(expected)) | near
        if not same.all():
            at = int(np.argmin(same))
            return f"out[{at}] is {found[at]!r}, expected {expected[at]!r} ({int((~same).sum())} differ)"
        return "" if printed == self.prints else f"printed {printed!r}, expected {self.prints!r}"


_KEY = re.compile(r"// (claim|expect|where|tolerance|widths|prints):\s?(.*)")


def read_run_test(path: Path) -> RunTest:
    found: dict[str, str] = {}
    key = ""
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        if match := _KEY.match(line):
            key = match.group(1)
            found[key] = match.group(2)
        else:
            found[key] += "\n" + line.removeprefix("//").removeprefix("   ")
    return RunTest(
        path,
        found["claim"],
        found["expect"],
        found.get("where", ""),
        float(found.get("tolerance", 0)),
        tuple(map(int, found["widths"].split())) if "widths" in found else (1, *ALL_WIDTHS),
        found.get("prints", "").encode().decode("unicode_escape"),
    )


def run_tests(folder: Path) -> list[RunTest]:
    return [read_run_test(path) for path in sorted(folder.rglob("*.ispc"))]


# --- ways to run a program --------------------------------------------------------------------------------------


def options(target: TargetInfo, level: int = 2) -> Options:
    return Options(target=target, level=level, whole_program=True)


def interpret(path: Path, text: str, target: TargetInfo) -> tuple[Array, str]:
    """By the interpreter of the typed tree: out and what was printed."""
    job = compile_source(text, str(path), options(target), Diagnostics(), end="check")
    printed: list[str] = []
    out, (floats, integers) = np.zeros(OUTPUTS), inputs()
    Interpreter(job.program, options(target), printed.append).call("test", [out, floats, integers, INPUTS])
    return out, "".join(printed)


def interpret_ir(text: str, *, by_llvm: bool = False, pointer_bytes: int = 8) -> tuple[Array, str]:
    """By the interpreter of the IR; raises where the program does what it must not. ``by_llvm``: LLVM has optimised it."""
    out, (floats, integers) = np.zeros(OUTPUTS), inputs()
    machine = IRInterpreter(read(text), pointer_bytes=pointer_bytes, new_is_poison=not by_llvm)
    machine.call("test", [out, floats, integers, INPUTS])
    return out, "".join(machine.printed)


def compile_for(path: Path, text: str, target: TargetInfo, level: int = 2, end: str = "") -> Compilation:
    """Through all stages, or those up to ``end``; ``results`` holds what each of them made."""
    return compile_source(text, str(path), options(target, level), Diagnostics(), end=end)


def ir_after(job: Compilation, stage: str) -> str:
    """The IR that a stage made: ``lower``, ``early``, ``passes`` or ``late``."""
    return job.optimized.text() if stage == "late" else str(job.results[stage])


@dataclass(frozen=True)
class Native:
    """Machine code of a program for a target and level, in memory."""

    target: TargetInfo
    level: int
    loaded: Any
    at_end: bool
    """Whether its arrays end at a guard page; otherwise they begin after one."""

    def __str__(self) -> str:
        return f"{self.target.name} -O{self.level}"


def launches(code: bytes) -> bool:
    """Whether an object needs :func:`task_pool`."""
    return b"ISPCLaunch\0" in code


@functools.cache
def task_pool(target: TargetInfo) -> bytes:
    path = Path(shipped_folder("runtime")) / "tasks.ispc"
    return compile_source(path.read_text(), str(path), options(target), Diagnostics()).optimized.object_code()


@dataclass(frozen=True)
class Interpreted:
    """The IR of a program that LLVM is done with, for a target that this CPU does not run."""

    target: TargetInfo
    level: int
    text: str

    def __str__(self) -> str:
        return f"{self.target.name} -O{self.level}, interpreted"

    def run(self) -> tuple[Array, str]:
        return interpret_ir(self.text, by_llvm=True, pointer_bytes=self.target.pointer_bits // 8)


def natively(job: Compilation) -> Native | Interpreted:
    """What :meth:`NativeRunner.run` runs: machine code, where this CPU can."""
    if not can_run(job.options.target):
        return Interpreted(job.options.target, job.options.level, ir_after(job, "late"))
    code = job.optimized.object_code()
    loaded = load_objects([code, task_pool(host_target())] if launches(code) else [code], ["test"])
    return Native(job.options.target, job.options.level, loaded, at_end=job.options.level != 0)


def at_level(job: Compilation, level: int) -> Compilation:
    """The same program at another level; what comes before LLVM is not done again, and nothing for the same level."""
    if level == job.options.level:
        return job
    return compile_source(job.results["lower"], job.file, options(job.options.target, level), Diagnostics(), begin="early")


_Function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


class NativeRunner:
    """Runs machine code in a child process, on arrays between guard pages."""

    def __init__(self) -> None:
        self._memory: list[GuardedMemory] = []
        self._inputs = {at_end: self._guarded_inputs(at_end) for at_end in (False, True)}
        self._progress = self._guarded(np.int64, 1, at_end=True)
        self._outputs: dict[tuple[bool, int], Array] = {}

    def _guarded(self, dtype: npt.DTypeLike, count: int, *, at_end: bool) -> Array:
        memory = GuardedMemory(np.dtype(dtype).itemsize * count)
        self._memory.append(memory)
        return memory.array(dtype, count, at_end=at_end)

    def _guarded_inputs(self, at_end: bool) -> tuple[Array, Array]:
        found = []
        for values in inputs():
            array = self._guarded(values.dtype, len(values), at_end=at_end)
            array[:] = values
            found.append(array)
        return found[0], found[1]

    def _output(self, at_end: bool, number: int) -> Array:
        key = at_end, number
        if key not in self._outputs:
            self._outputs[key] = self._guarded(np.float64, OUTPUTS, at_end=at_end)
        self._outputs[key][:] = 0
        return self._outputs[key]

    def run(self, programs: Sequence[Native | Interpreted]) -> list[tuple[Array, str]]:
        """out and the printed text of each; AssertionError names the one that crashed or did not end."""
        found = iter(self._run_natively([program for program in programs if isinstance(program, Native)]))
        return [each.run() if isinstance(each, Interpreted) else next(found) for each in programs]

    def _run_natively(self, programs: Sequence[Native]) -> list[tuple[Array, str]]:
        outputs = [self._output(program.at_end, number) for number, program in enumerate(programs)]
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / f"{number}.txt" for number in range(len(programs))]
            child = os.fork()
            if child == 0:
                self._run_in_child(programs, outputs, files)
            status = os.waitpid(child, 0)[1]
            if status != 0:
                reason = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"status {status}"
                raise AssertionError(f"{programs[int(self._progress[0])]} ended with {reason}")
            printed = [file.read_text() for file in files]
        return [(output.copy(), text) for output, text in zip(outputs, printed)]

    def _run_in_child(self, programs: Sequence[Native], outputs: Sequence[Array], files: Sequence[Path]) -> None:
        try:
            for kind in (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT):
                signal.signal(kind, signal.SIG_DFL)
            signal.alarm(SECONDS)
            libc = ctypes.CDLL(None)
            for number, (program, output, file) in enumerate(zip(programs, outputs, files)):
                self._progress[0] = number
                descriptor = os.open(file, os.O_WRONLY | os.O_CREAT)
                os.dup2(descriptor, 1)
                os.close(descriptor)
                floats, integers = self._inputs[program.at_end]
                function = _Function(program.loaded.address("test"))
                function(output.ctypes.data, floats.ctypes.data, integers.ctypes.data, INPUTS)
                libc.fflush(None)
        except BaseException:
            os._exit(1)
        os._exit(0)
