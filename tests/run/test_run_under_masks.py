"""Run-tests give the same where their body stands under a mask that is all on and not known to be."""

from operator import attrgetter
from pathlib import Path

import pytest
from masked_bodies import WAYS, masked_body
from run_programs import HOST_TARGETS, NativeRunner, RunTest, compile_for, natively, run_tests
from some_pairs import some_of

ALL = run_tests(Path(__file__).resolve().parent)


def differences(program: RunTest, way: str, number: int) -> dict[str, str]:
    """For a target and level that the number picks."""
    targets = [target for target in HOST_TARGETS if target.width in program.widths]
    text = masked_body(program.text, way)
    if not text or not targets:
        return {}
    target, level = targets[number % len(targets)], (2, 0, 3)[number // len(targets) % 3]
    native = natively(compile_for(program.path, text, target, level))
    found = program.difference(*NativeRunner().run([native])[0], target.width)
    return {f"{way}: {native}": found} if found else {}


@pytest.mark.parametrize("program", some_of(ALL, 60), ids=attrgetter("name"))
def test_a_program_does_the_same_under_a_mask_that_is_all_on(program: RunTest) -> None:
    """In one of the ways."""
    way = tuple(WAYS)[program.number % len(WAYS)]
    assert differences(program, way, program.number) == {}


@pytest.mark.long
@pytest.mark.parametrize("program", ALL, ids=attrgetter("name"))
def test_a_program_does_the_same_in_every_way(program: RunTest) -> None:
    found: dict[str, str] = {}
    for number, way in enumerate(WAYS):
        found |= differences(program, way, program.number + number)
    assert found == {}
