"""Every run-test gives the stated result on both oracles and as machine code at -O0 and -O2."""

from collections.abc import Iterable, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path

import pytest
from run_programs import (
    ONE_LANE,
    ORACLE_TARGETS,
    SMALL_TYPE_TARGETS,
    TARGETS,
    WIDTHS,
    NativeRunner,
    RunTest,
    at_level,
    compile_for,
    interpret,
    interpret_ir,
    ir_after,
    natively,
    run_tests,
)

from voltac.pipeline import Compilation
from voltac.target_info import TargetInfo

FOLDER = Path(__file__).resolve().parent
ALL = run_tests(FOLDER)
every_program = pytest.mark.parametrize("program", ALL, ids=attrgetter("name"))

USUAL = ("sse4.2-i32x4", "avx2-i32x8", "avx512skx-x16")


@pytest.fixture(scope="module")
def runner() -> NativeRunner:
    return NativeRunner()


@every_program
def test_on_the_typed_tree(program: RunTest) -> None:
    """For one width that the program's name picks."""
    widths = usual_widths(program)
    check_typed_tree(program, widths[program.number % len(widths) :][:1])


@pytest.mark.long
@every_program
def test_on_the_typed_tree_at_every_width(program: RunTest) -> None:
    check_typed_tree(program, usual_widths(program))


def usual_widths(program: RunTest) -> list[int]:
    return [width for width in WIDTHS if width in program.widths]


def check_typed_tree(program: RunTest, widths: Sequence[int]) -> None:
    for width in widths:
        out, printed = interpret(program.path, program.text, ORACLE_TARGETS[width])
        assert program.difference(out, printed, width) == "", f"at width {width}"


@every_program
def test_on_the_ir(program: RunTest) -> None:
    """Before and after the passes, for one target that the program's name picks."""
    targets = [target for target in TARGETS if target.width in program.widths]
    check_ir(program, targets[program.number % len(targets)], ("lower", "passes"))


def check_ir(program: RunTest, target: TargetInfo, stages: tuple[str, ...], level: int = 2) -> None:
    job = compile_for(program.path, program.text, target, level, end=stages[-1])
    for stage in stages:
        difference = program.difference(*interpret_ir(ir_after(job, stage), by_llvm=stage == "late"), target.width)
        assert difference == "", f"for {target.name} -O{level}, after {stage}"


@every_program
def test_as_machine_code(program: RunTest, runner: NativeRunner) -> None:
    """For one of the usual targets, and one of the others or one with gangs for small types or of one lane, of which one is
    at -O0, as the program's name picks them. The long suite has all of them."""
    number = program.number
    usual = [target for target in program.targets if target.name in USUAL]
    others = [target for target in program.targets if target not in usual]
    small = [target for target in program.more_targets if target in (*SMALL_TYPE_TARGETS, ONE_LANE)]
    less_usual = (others, small) if number // 2 % 2 else (small, others)
    picked = [targets[number % len(targets)] for targets in (usual, *less_usual) if targets][:2]
    levels = (0, 2) if number // 4 % 2 else (2, 0)
    check_machine_code(program, map(partial(compile_for, program.path, program.text), (picked * 2)[:2], levels), runner)


def both_levels(program: RunTest, targets: Sequence[TargetInfo]) -> list[Compilation]:
    jobs = [compile_for(program.path, program.text, target) for target in targets]
    return [*jobs, *(at_level(job, 0) for job in jobs)]


def check_machine_code(program: RunTest, jobs: Iterable[Compilation], runner: NativeRunner) -> None:
    compiled = [natively(job) for job in jobs]
    results = zip(compiled, runner.run(compiled))
    differences = {str(native): program.difference(*result, native.target.width) for native, result in results}
    assert not {name: difference for name, difference in differences.items() if difference}


@pytest.mark.long
@every_program
def test_on_the_ir_of_every_stage_and_target(program: RunTest) -> None:
    for target in TARGETS:
        if target.width in program.widths:
            for level in (0, 2):
                check_ir(program, target, ("lower", "early", "passes", "late"), level)


@pytest.mark.long
@every_program
def test_for_the_other_targets(program: RunTest, runner: NativeRunner) -> None:
    """As machine code for all usual widths, and on both oracles, too, for the small types' targets, and of the rest for some
    that the name picks."""
    check_machine_code(program, both_levels(program, program.targets), runner)
    small = [target for target in program.more_targets if target in (*SMALL_TYPE_TARGETS, ONE_LANE)]
    rest = [target for target in program.more_targets if target not in small]
    start = program.number % max(1, len(rest))
    targets = [*small, *rest[start::7]]
    for target in targets:
        out, printed = interpret(program.path, program.text, target)
        assert program.difference(out, printed, target.width) == "", f"for {target.name} on the typed tree"
        check_ir(program, target, ("early", "passes"))
    check_machine_code(program, both_levels(program, targets), runner)


def test_every_program_is_named_after_its_claim() -> None:
    assert len(ALL) >= 150
    assert all(program.claim and program.path.parent.parent == FOLDER for program in ALL)
