"""Run-tests as code for aarch64, under emulation: some in the ordinary suite, all of them with ``-m long``."""

import zlib
from collections.abc import Sequence

import pytest
from emulated import missing, run_emulated
from run_programs import RunTest, at_level, compile_for, interpret_ir, ir_after
from test_run import ALL, FOLDER, every_program

from voltac.driver import Compilation
from voltac.target_info import find_target

IN_REGISTERS = ("neon-i32x4", "neon-i32x8")
SMALL_TYPES = ("neon-i8x16", "neon-i16x8", "neon-i8x32", "neon-i16x16")
emulated = pytest.mark.skipif(missing() != "", reason=missing())

USUAL = (
    *("control/varying_while_collatz", "library/cross_lane_movement", "library/packed_store_and_load"),
    *("library/half_and_srgb_conversions", "memory/masked_gather_and_scatter", "memory/deinterleave_and_interleave"),
    *("print/lanes_and_types", "structs/three_floats_in_a_row"),
)


def compiled(program: RunTest, names: Sequence[str]) -> list[Compilation]:
    targets = [target for target in map(find_target, names) if target.width in program.widths]
    return [compile_for(program.path, program.text, target) for target in targets]


def differences(programs: Sequence[RunTest], names: Sequence[str]) -> dict[str, str]:
    """What is wrong with machine code of -O0 and -O2."""
    pairs = [(program, job) for program in programs for each in compiled(program, names) for job in (at_level(each, 0), each)]
    found = {}
    for (program, job), result in zip(pairs, run_emulated([job for _, job in pairs])):
        if difference := program.difference(*result, job.options.target.width):
            found[f"{program.path.stem} for {job.options.target.name} -O{job.options.level}"] = difference
    return found


@emulated
def test_usual_programs_run_on_neon() -> None:
    programs = [program for program in ALL if str(program.path.relative_to(FOLDER).with_suffix("")) in USUAL]
    assert len(programs) == len(USUAL)
    assert differences(programs, IN_REGISTERS) == {}


@pytest.mark.long
@every_program
def test_the_ir_for_neon(program: RunTest) -> None:
    for job in compiled(program, IN_REGISTERS):
        for stage in ("early", "passes"):
            difference = program.difference(*interpret_ir(ir_after(job, stage)), job.options.target.width)
            assert difference == "", f"for {job.options.target.name} after {stage}"


@pytest.mark.long
@emulated
@every_program
def test_every_program_runs_on_neon(program: RunTest) -> None:
    assert differences([program], (*IN_REGISTERS, SMALL_TYPES[zlib.crc32(program.claim.encode()) % len(SMALL_TYPES)])) == {}
