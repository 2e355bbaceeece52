"""Runs run-tests on the simulators of devices.

``out`` is an array of float there, for devices have no numbers of double: results
are compared as float has them.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from run_programs import INPUTS, OUTPUTS, Array, RunTest, compile_for, inputs

from voltac.pipeline import Compilation
from voltac.python.device_run import DeviceLaunch, changed, first_launch, run_kernel
from voltac.python.signatures import KernelParameter, Pointee, Result, Signature
from voltac.target_info import DEVICES, TargetInfo
from voltac.targets import find_device

NAPLESPU = DEVICES["naplespu"]
WIDTH = 16
CYCLES = 20_000_000
"""A run that takes more is given up."""

_OUT = "uniform double out[]"


def _array(name: str, format_: str) -> KernelParameter:
    return KernelParameter(name, format_, "pointer", 32, Pointee(format_, 1, 1, True, False))


def _signature(results: str) -> Signature:
    arrays = (_array("out", results), _array("f", "f4"), _array("i", "i4"))
    return Signature("test", Result("void", "void", 0), (*arrays, KernelParameter("n", "uniform int", "int", 32)), "")


def for_device(text: str) -> str:
    """The program with results of float."""
    return text.replace(_OUT, "uniform float out[]")


def compile_for_device(path: Path, text: str, level: int = 2, target: TargetInfo = NAPLESPU) -> Compilation:
    return compile_for(path, for_device(text), target, level)


def naplespu_launch(cores: int = 1, threads: int = 1, **settings: int | str | bool) -> DeviceLaunch:
    """A launch on NaplesPU; what is not said is usual."""
    target = DEVICES["naplespu"]
    return changed(first_launch(target), {"cores": cores, "threads": threads, **settings}, target)


def simulate(job: Compilation, launch: DeviceLaunch) -> tuple[Array, str]:
    """``out`` as numbers of double, and what was printed."""
    out, printed = _run(job, launch, "f4")
    return out.astype(np.float64), printed


def simulate_random(job: Compilation, launch: DeviceLaunch) -> Array:
    """``out`` of a random program."""
    return _run(job, launch, "i4")[0]


def _run(job: Compilation, launch: DeviceLaunch, results: str) -> tuple[Array, str]:
    floats, integers = inputs()
    out = np.zeros(OUTPUTS, results)
    return out, simulate_on(job, launch, out, floats, integers, INPUTS)


def simulate_on(job: Compilation, launch: DeviceLaunch, out: Array, floats: Array, integers: Array, n: int) -> str:
    """``test`` of a program on arrays of the caller; what was printed."""
    given = [out, floats, integers, n]
    program = job.device_program.image()
    outcome = run_kernel(find_device(job.options.target), program, _signature(out.dtype.str[1:]), given, launch, limit=CYCLES)
    return getattr(outcome.report, "console", "")


def difference(program: RunTest, out: Array, printed: str, width: int = WIDTH) -> str:
    """What is wrong with a result; empty if nothing."""
    with np.errstate(over="ignore"):
        expected = program.expected(width, 4).astype(np.float32).astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(out - expected) <= program.tolerance * np.maximum(1, np.abs(expected))
    same = (out == expected) | (np.isnan(out) & np.isnan(expected)) | near
    if not same.all():
        at = int(np.argmin(same))
        return f"out[{at}] is {out[at]!r}, expected {expected[at]!r} ({int((~same).sum())} differ)"
    return "" if printed == program.prints else f"printed {printed!r}, expected {program.prints!r}"


def uses_double(text: str) -> bool:
    """Whether a program has numbers of double besides its results, or asks whether there are any."""
    code = re.sub(r"//.*|/\*.*?\*/", "", for_device(text))
    return re.search(r"\bdouble\b|_FP64_|\b\d+\.?\d*(?:[eE][-+]?\d+)?d\b", code) is not None


def random_for_device(text: str) -> str:
    """A random program with results of 32-bit integers, and without numbers of double."""
    text = text.replace(_OUT, "uniform int32 out[]")
    text = re.sub(r"(out\[[^\]]*\] = )\(double\)", r"\1(int32)", text)
    return re.sub(r"\bdouble\b", "float", text)


def random_kernels_for_device(text: str) -> str:
    """Random kernels of ``random_kernels.py`` without numbers of double; their results are of float."""
    return re.sub(r"(\d)d\b", r"\1f", re.sub(r"\bdouble\b", "float", text))


def simulate_random_kernels(job: Compilation, launch: DeviceLaunch) -> Array:
    return _run(job, launch, "f4")[0]
