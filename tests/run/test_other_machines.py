"""Run-tests as code for aarch64 and RISC-V (under qemu) and 32-bit x86: some usually, all with ``-m long``."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from emulated import AARCH64, RISCV64, X86, Machine, missing, run_emulated
from random_programs import random_program
from run_programs import RunTest, at_level, compile_for, interpret, interpret_ir, ir_after
from test_run import ALL, FOLDER, every_program

from voltac.llvm import can_run
from voltac.pipeline import Compilation
from voltac.records import replace
from voltac.target_info import TargetInfo, find_target

pytestmark = pytest.mark.whole

NEON = tuple(map(find_target, ("neon-i32x4", "neon-i32x8")))
NEON_SMALL_TYPES = tuple(map(find_target, ("neon-i8x16", "neon-i16x8", "neon-i8x32", "neon-i16x16")))
SVE, SVE256, SVE512 = (
    tuple(find_target(name) for name in names.split())
    for names in ("sve-i32x4", "sve256-i32x8 sve256-i8x32 sve256-i16x16", "sve512-i32x16 sve512-i8x64 sve512-i16x32")
)
RVV = tuple(map(find_target, ("rvv-i32x8", "rvv-i32x4", "rvv-i32x16")))
RVV_SMALL_TYPES = tuple(map(find_target, ("rvv-i8x16", "rvv-i16x8")))
# SSE2 takes floor and the like from C's library for mathematics.
X86_32 = tuple(
    replace(find_target(name), triple="i686-unknown-linux-gnu", pointer_bits=32)
    for name in ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16")
    if can_run(find_target(name))
)
on_aarch64 = pytest.mark.skipif(missing(AARCH64) != "", reason=missing(AARCH64))
on_riscv = pytest.mark.skipif(missing(RISCV64) != "", reason=missing(RISCV64))
on_x86 = pytest.mark.skipif(missing(X86) != "", reason=missing(X86))

USUAL = (
    *("control/varying_while_collatz", "library/cross_lane_movement", "library/packed_store_and_load"),
    *("library/half_and_srgb_conversions", "memory/masked_gather_and_scatter", "memory/deinterleave_and_interleave"),
    *("print/lanes_and_types", "structs/three_floats_in_a_row", "memory/long_streams"),
)


def with_sve(units: int) -> Machine:
    """An aarch64 whose vectors have at most so many times 128 bits."""
    return dataclasses.replace(AARCH64, emulator=(*AARCH64.emulator, "-cpu", f"max,sve-max-vq={units}"))


def with_vectors(bits: int) -> Machine:
    """A RISC-V whose vectors have so many bits."""
    return dataclasses.replace(RISCV64, emulator=(RISCV64.emulator[0], "-cpu", f"rv64,v=true,vlen={bits},vext_spec=v1.0"))


def compiled(program: RunTest, targets: Sequence[TargetInfo]) -> list[Compilation]:
    return [compile_for(program.path, program.text, target) for target in targets if target.width in program.widths]


def differences(programs: Sequence[RunTest], targets: Sequence[TargetInfo], machine: Machine) -> dict[str, str]:
    """What is wrong with machine code of -O0 and -O2."""
    pairs = [(program, job) for program in programs for each in compiled(program, targets) for job in (at_level(each, 0), each)]
    found = {}
    for (program, job), result in zip(pairs, run_emulated([job for _, job in pairs], machine)):
        target = job.options.target
        if difference := program.difference(*result, target.width, target.pointer_bits // 8):
            found[f"{program.path.stem} for {target.name} -O{job.options.level}"] = difference
    return found


@on_aarch64
def test_usual_programs_run_on_neon() -> None:
    programs = [program for program in ALL if str(program.path.relative_to(FOLDER).with_suffix("")) in USUAL]
    assert len(programs) == len(USUAL)
    assert differences(programs, NEON, AARCH64) == {}


@on_aarch64
@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("sve-i32x4", 1),
        ("sve256-i32x8", 4),
        pytest.param("sve256-i32x8", 2, marks=pytest.mark.long),
        pytest.param("sve512-i32x16", 4, marks=pytest.mark.long),
    ],
)
def test_usual_programs_run_on_sve(name: str, units: int) -> None:
    """On vectors of 128 bits times the units: no less than the target's name says, or more."""
    programs = [program for program in ALL if str(program.path.relative_to(FOLDER).with_suffix("")) in USUAL]
    assert differences(programs, [find_target(name)], with_sve(units)) == {}


@on_riscv
@pytest.mark.parametrize("bits", [pytest.param(128, marks=pytest.mark.long), 512])
def test_usual_programs_run_on_vectors_of_risc_v(bits: int) -> None:
    """Of as many bits as the target asks for, or more."""
    programs = [program for program in ALL if str(program.path.relative_to(FOLDER).with_suffix("")) in USUAL]
    assert differences(programs, [find_target("rvv")], with_vectors(bits)) == {}


@pytest.mark.long
@on_riscv
@every_program
def test_every_program_runs_on_vectors_of_risc_v(program: RunTest) -> None:
    small = RVV_SMALL_TYPES[program.number % len(RVV_SMALL_TYPES)]
    assert differences([program], (*RVV, small), RISCV64) == {}


@pytest.mark.long
@on_aarch64
@every_program
def test_every_program_runs_on_sve(program: RunTest) -> None:
    for targets, units in ((SVE, 1), (SVE256, 2), (SVE512, 4)):
        small = targets[program.number % len(targets)]
        assert differences([program], (targets[0], *((small,) if small is not targets[0] else ())), with_sve(units)) == {}


@pytest.mark.long
@every_program
def test_the_ir_for_neon(program: RunTest) -> None:
    for job in compiled(program, NEON):
        for stage in ("early", "passes"):
            difference = program.difference(*interpret_ir(ir_after(job, stage)), job.options.target.width)
            assert difference == "", f"for {job.options.target.name} after {stage}"


@pytest.mark.long
@on_aarch64
@every_program
def test_every_program_runs_on_neon(program: RunTest) -> None:
    small = NEON_SMALL_TYPES[program.number % len(NEON_SMALL_TYPES)]
    assert differences([program], (*NEON, small), AARCH64) == {}


@pytest.mark.long
@on_aarch64
@pytest.mark.parametrize("first", range(7000, 7100, 10))
def test_random_programs_run_on_neon(first: int) -> None:
    jobs, expected = [], []
    for seed in range(first, first + 10):
        path, text = Path(f"random_{seed}.ispc"), str(random_program(seed))
        target = (*NEON, *NEON, *NEON_SMALL_TYPES)[seed % 8]
        job = compile_for(path, text, target)
        jobs += [job, at_level(job, 0)]
        expected += [interpret(path, text, target)[0]] * 2
    found = [
        job for job, wanted, (out, _) in zip(jobs, expected, run_emulated(jobs, AARCH64)) if not np.array_equal(out, wanted)
    ]
    assert [f"{job.file} for {job.options.target.name} -O{job.options.level}" for job in found] == []


@on_x86
def test_usual_programs_run_with_pointers_of_32_bits() -> None:
    programs = [p for p in ALL if not p.prints and str(p.path.relative_to(FOLDER).with_suffix("")) in USUAL]
    assert differences(programs, X86_32[-1:], X86) == {}


@pytest.mark.long
@on_x86
@pytest.mark.parametrize("program", [program for program in ALL if not program.prints], ids=lambda test: test.path.stem)
def test_every_program_runs_with_pointers_of_32_bits(program: RunTest) -> None:
    """Those that print need a C library."""
    assert differences([program], X86_32, X86) == {}
