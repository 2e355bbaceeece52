"""Loops with random index expressions do what numpy says, and touch nothing else."""

import ctypes
import os
import signal
import zlib
from pathlib import Path

import pytest
from guard_pages import GuardedMemory
from random_accesses import Case, random_cases
from run_programs import MORE_HOST_TARGETS, SMALL_TYPE_TARGETS, TARGETS, compile_for, ir_after, options

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.llvm import can_run, load_objects
from voltac.pipeline import Compilation
from voltac.target_info import TargetInfo, find_target

_Function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)


def differences_in_ir(text: str, cases: list[Case], *, by_llvm: bool = False) -> list[str]:
    machine, found = IRInterpreter(read(text), new_is_poison=not by_llvm), []
    for case in cases:
        to, source = case.to.copy(), case.source.copy()
        machine.call(case.name, [to, source, case.a, case.b])
        if not case.is_met_by(to, source):
            found.append(case.text)
    return found


def differences_natively(job: Compilation, cases: list[Case], *, at_end: bool) -> list[str]:
    """Each case between guard pages, in a child process; a crash is a difference."""
    loaded = load_objects([job.optimized.object_code()], [case.name for case in cases])
    found = []
    for case in cases:
        memory = [GuardedMemory(array.nbytes) for array in (case.to, case.source)]
        to, source = (
            place.array(array.dtype, len(array), at_end=at_end) for place, array in zip(memory, (case.to, case.source))
        )
        to[:], source[:] = case.to, case.source
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)
            signal.alarm(10)
            _Function(loaded.address(case.name))(to.ctypes.data, source.ctypes.data, case.a, case.b)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status != 0 or not case.is_met_by(to, source):
            found.append(f"{'crashed: ' if status else ''}{case.text}")
    return found


def check_ir(seed: int, cases: list[Case], target: TargetInfo) -> Compilation:
    text = "\n".join(case.text for case in cases)
    job = compile_for(Path(f"accesses_{seed}.ispc"), text, target)
    assert job.options == options(target)
    for stage in ("lower", "early", "passes"):
        assert differences_in_ir(job.results[stage], cases) == [], stage
    return job


def check(seed: int, count: int, target: TargetInfo) -> None:
    cases = random_cases(seed, count, target.width)
    job = check_ir(seed, cases, target)
    if not can_run(target):
        assert differences_in_ir(ir_after(job, "late"), cases, by_llvm=True) == []
        return
    text = "\n".join(case.text for case in cases)
    assert differences_natively(job, cases, at_end=zlib.crc32(text.encode()) % 2 == 0) == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_random_accesses(target: TargetInfo) -> None:
    check(zlib.crc32(target.name.encode()), 5, target)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_many_random_accesses(target: TargetInfo) -> None:
    for seed in range(60):
        check(seed, 25, target)


@pytest.mark.long
@pytest.mark.parametrize("target", MORE_HOST_TARGETS, ids=lambda target: target.name)
def test_random_accesses_for_the_other_targets(target: TargetInfo) -> None:
    for seed in range(10 if target in SMALL_TYPE_TARGETS else 2):
        check(seed, 25, target)


@pytest.mark.long
@pytest.mark.parametrize("name", ["neon-i32x4", "neon-i32x8", "neon-i8x16", "neon-i16x16"])
def test_random_accesses_in_the_ir_for_neon(name: str) -> None:
    target = find_target(name)
    for seed in range(10):
        check_ir(seed, random_cases(seed, 25, target.width), target)
