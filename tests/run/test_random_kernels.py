"""Random kernels over all types and statements give the same interpreted and as machine code at -O0 and -O2."""

from pathlib import Path

import pytest
from random_kernels import random_kernels
from run_programs import TARGETS, NativeRunner, at_level, compile_for, interpret, interpret_ir, ir_after, natively, same_numbers


@pytest.fixture(scope="module")
def runner() -> NativeRunner:
    return NativeRunner()


def disagreements(seed: int, text: str, runner: NativeRunner) -> list[str]:
    """What differs from the interpreter of the typed tree, for one target that the seed picks."""
    path, target = Path(f"kernels_{seed}.ispc"), TARGETS[seed % len(TARGETS)]
    expected = interpret(path, text, target)[0]
    job = compile_for(path, text, target)
    found: list[str] = []
    for stage in ("lower", "passes") if seed % 3 == 0 else ():
        if not same_numbers(interpret_ir(ir_after(job, stage))[0], expected):
            found.append(f"{target.name} after {stage}")
    compiled = [natively(job), natively(at_level(job, 0))]
    results = zip(compiled, runner.run(compiled))
    return [*found, *(str(native) for native, (out, _) in results if not same_numbers(out, expected))]


@pytest.mark.parametrize("seed", range(2))
def test_random_kernels_mean_the_same_everywhere(seed: int, runner: NativeRunner) -> None:
    text = random_kernels(seed)
    assert disagreements(seed, text, runner) == [], text


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2000, 50))  # shards of 50 seeds, for -n and for progress
def test_many_random_kernels_mean_the_same_everywhere(first: int, runner: NativeRunner) -> None:
    seeds = range(first, first + 50)
    wrong = {seed: found for seed in seeds if (found := disagreements(seed, random_kernels(seed), runner))}
    assert wrong == {}
