"""Random loops over images and over rows of one array give the same interpreted and as machine code."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from random_images import random_images
from random_rows import random_rows
from run_programs import HOST_TARGETS, NativeRunner, at_level, compile_for, interpret, interpret_ir, ir_after, natively

GENERATORS = pytest.mark.parametrize("generator", [random_images, random_rows])


@pytest.fixture(scope="module")
def runner() -> NativeRunner:
    return NativeRunner()


def disagreements(generator: Callable[[int], str], seed: int, runner: NativeRunner) -> list[str]:
    """What differs from the interpreter of the typed tree, for one target that the seed picks."""
    path, text, target = Path(f"random_{seed}.ispc"), generator(seed), HOST_TARGETS[seed % len(HOST_TARGETS)]
    expected = interpret(path, text, target)[0]
    job = compile_for(path, text, target)
    found = [] if np.array_equal(interpret_ir(ir_after(job, "passes"))[0], expected) else ["after passes"]
    compiled = [natively(job), natively(at_level(job, 0))]
    results = zip(compiled, runner.run(compiled))
    return found + [str(native) for native, (out, _) in results if not np.array_equal(out, expected)]


@GENERATORS
@pytest.mark.parametrize("seed", range(2))
def test_neighbours(seed: int, generator: Callable[[int], str], runner: NativeRunner) -> None:
    assert disagreements(generator, seed, runner) == [], generator(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2000, 50))  # shards of 50 seeds, for -n and for progress
@GENERATORS
def test_many_neighbours(first: int, generator: Callable[[int], str], runner: NativeRunner) -> None:
    seeds = range(first, first + 50)
    assert {seed: found for seed in seeds if (found := disagreements(generator, seed, runner))} == {}
