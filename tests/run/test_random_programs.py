"""Random programs give the same on both oracles and as machine code of several widths at -O0 and -O2."""

from pathlib import Path

import numpy as np
import pytest
from random_programs import random_program
from run_programs import (
    MORE_HOST_TARGETS,
    ORACLE_TARGETS,
    SMALL_TYPE_TARGETS,
    TARGETS,
    WIDTHS,
    NativeRunner,
    at_level,
    compile_for,
    interpret,
    interpret_ir,
    ir_after,
    natively,
)

from voltac.target_info import TargetInfo


@pytest.fixture(scope="module")
def runner() -> NativeRunner:
    return NativeRunner()


def one_of_each_width(seed: int) -> list[TargetInfo]:
    """Of the targets of each width one, another one for another seed."""
    fitting = [[target for target in TARGETS if target.width == width] for width in WIDTHS]
    return [targets[seed % len(targets)] for targets in fitting if targets]


def disagreements(seed: int, text: str, runner: NativeRunner) -> list[str]:
    """What differs from the interpreter of the typed tree, which is taken for the truth.

    Three widths: the IR after the passes and machine code at -O2; for one of them before the passes and -O0 too.
    """
    path = Path(f"random_{seed}.ispc")
    expected = {width: interpret(path, text, ORACLE_TARGETS[width])[0] for width in WIDTHS}
    found: list[str] = []
    if seed % 2 == 0:
        found += [f"width {width} differs from 4" for width in WIDTHS if not np.array_equal(expected[width], expected[4])]
    jobs = [compile_for(path, text, target) for target in one_of_each_width(seed)]
    chosen = jobs[seed // 2 % len(jobs)]
    for job, stage in ((chosen, "lower"), (chosen, "early"), *((job, "passes") for job in jobs)):
        if not np.array_equal(interpret_ir(ir_after(job, stage))[0], expected[job.options.target.width]):
            found.append(f"{job.options.target.name} after {stage}")
    compiled = [natively(job) for job in (*jobs, at_level(chosen, 0))]
    for native, (out, _) in zip(compiled, runner.run(compiled)):
        if not np.array_equal(out, expected[native.target.width]):
            found.append(str(native))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_random_program_means_the_same_everywhere(seed: int, runner: NativeRunner) -> None:
    text = str(random_program(seed))
    assert disagreements(seed, text, runner) == [], text


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 3000, 50))  # shards of 50 seeds, for -n and for progress
def test_many_random_programs_mean_the_same_everywhere(first: int, runner: NativeRunner) -> None:
    seeds = range(first, first + 50)
    wrong = {seed: found for seed in seeds if (found := disagreements(seed, str(random_program(seed)), runner))}
    assert wrong == {}


def disagreements_of_target(seed: int, target: TargetInfo, runner: NativeRunner) -> list[str]:
    """What differs from the typed tree for one target."""
    path, text = Path(f"random_{seed}.ispc"), str(random_program(seed))
    expected = interpret(path, text, target)[0]
    job = compile_for(path, text, target)
    stages = ("lower", "early", "passes")
    found = [stage for stage in stages if not np.array_equal(interpret_ir(ir_after(job, stage))[0], expected)]
    compiled = [natively(each) for each in (job, at_level(job, 0))]
    return found + [
        str(native) for native, (out, _) in zip(compiled, runner.run(compiled)) if not np.array_equal(out, expected)
    ]


@pytest.mark.long
@pytest.mark.parametrize("target", MORE_HOST_TARGETS, ids=lambda target: target.name)
def test_random_programs_for_the_other_targets(target: TargetInfo, runner: NativeRunner) -> None:
    seeds = range(5000, 5040 if target in SMALL_TYPE_TARGETS else 5010)
    assert {seed: found for seed in seeds if (found := disagreements_of_target(seed, target, runner))} == {}
