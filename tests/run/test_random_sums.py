"""Random sums of products have the same bits at every gang size and at levels 1 to 3, on all targets that fuse them."""

import random
from pathlib import Path

import pytest
from random_sums import random_sums
from run_programs import HOST_TARGETS, MORE_HOST_TARGETS, RARE_TARGETS, NativeRunner, compile_for, natively, same_numbers

TARGETS = [each for each in (*HOST_TARGETS, *MORE_HOST_TARGETS) if each.has_fma and each not in RARE_TARGETS]
_AT_ONCE = 5


def differing(seed: int, text: str, runner: NativeRunner) -> list[str]:
    """Whose numbers are others than those of the first target, of some targets that the seed picks."""
    chance = random.Random(f"gangs {seed}")
    chosen = [(chance.choice(TARGETS), chance.choice((1, 2, 2, 3))) for _ in range(_AT_ONCE)]
    jobs = [compile_for(Path(f"sums_{seed}.ispc"), text, target, level) for target, level in chosen]
    (expected, _), *others = runner.run([natively(job) for job in jobs])
    return [
        f"{target.name} -O{level}: not as {chosen[0][0].name} -O{chosen[0][1]}"
        for (target, level), (out, _) in zip(chosen[1:], others)
        if not same_numbers(out, expected)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_random_sums_are_the_same_in_all_gangs(seed: int) -> None:
    text = random_sums(seed)
    assert differing(seed, text, NativeRunner()) == [], text
