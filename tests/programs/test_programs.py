"""Whole programs as users write them give the stated result: interpreted, and as machine code at -O0 and -O2."""

import zlib
from pathlib import Path

import pytest
from run_programs import (
    HOST_TARGETS,
    ORACLE_TARGETS,
    TARGETS,
    NativeRunner,
    RunTest,
    at_level,
    compile_for,
    interpret,
    interpret_ir,
    ir_after,
    natively,
    options,
    run_tests,
)
from some_pairs import some_of

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.target_info import TargetInfo

FOLDER = Path(__file__).resolve().parent
ALL = run_tests(FOLDER / "alone")
LARGE = run_tests(FOLDER / "large")
"""What they compute takes the interpreters minutes."""
every_program = pytest.mark.parametrize("program", ALL, ids=lambda test: test.path.stem)
every_large_program = pytest.mark.parametrize("program", LARGE, ids=lambda test: test.path.stem)


@pytest.fixture(scope="module")
def runner() -> NativeRunner:
    return NativeRunner()


def differences(program: RunTest, targets: list[TargetInfo], levels: tuple[int, ...], runner: NativeRunner) -> dict[str, str]:
    jobs = [compile_for(program.path, program.text, target) for target in targets]
    compiled = [natively(at_level(job, level)) for job in jobs for level in levels]
    results = zip(compiled, runner.run(compiled))
    found = {str(native): program.difference(*result, native.target.width) for native, result in results}
    return {name: difference for name, difference in found.items() if difference}


@every_program
def test_a_program_gives_its_result(program: RunTest, runner: NativeRunner) -> None:
    """As machine code for one target and level that the program's name picks."""
    targets = [target for target in HOST_TARGETS if target.width in program.widths]
    number = zlib.crc32(program.path.stem.encode())
    assert differences(program, [targets[number % len(targets)]], ((0, 2)[number // 8 % 2],), runner) == {}


@pytest.mark.parametrize("program", some_of(LARGE), ids=lambda test: test.path.stem)
def test_a_large_program_gives_its_result_and_no_warnings(program: RunTest, runner: NativeRunner) -> None:
    """Every other one, for one target that the program's name picks; the long suite has all."""
    targets = [target for target in HOST_TARGETS if target.width in program.widths]
    chosen = targets[zlib.crc32(program.path.stem.encode()) % len(targets)]
    diagnostics = Diagnostics()
    job = compile_source(program.text, str(program.path), options(chosen), diagnostics)
    assert [item.text for item in diagnostics.items if item.kind != "Performance Warning"] == []
    (result,) = runner.run([natively(job)])
    assert program.difference(*result, chosen.width) == "", chosen.name


@pytest.mark.long
@every_large_program
def test_a_large_program_gives_its_result_for_every_target(program: RunTest, runner: NativeRunner) -> None:
    targets = [target for target in HOST_TARGETS if target.width in program.widths]
    assert differences(program, targets, (0, 1, 2, 3), runner) == {}


@pytest.mark.long
@every_program
def test_a_program_gives_its_result_for_every_target_and_interpreter(program: RunTest, runner: NativeRunner) -> None:
    for width, target in ORACLE_TARGETS.items():
        if width in program.widths:
            assert program.difference(*interpret(program.path, program.text, target), width) == "", f"at width {width}"
    targets = [target for target in HOST_TARGETS if target.width in program.widths]
    assert differences(program, targets, (0, 1, 2, 3), runner) == {}


@pytest.mark.long
@every_program
def test_a_program_without_tasks_gives_its_result_on_the_ir(program: RunTest) -> None:
    if "launch" in program.text:
        pytest.skip("the interpreter of the IR has no tasks")
    for target in TARGETS:
        if target.width in program.widths and target.name in ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16"):
            job = compile_for(program.path, program.text, target)
            for stage in ("early", "passes"):
                assert program.difference(*interpret_ir(ir_after(job, stage)), target.width) == "", f"{target.name}, {stage}"
