"""Programs that do nothing wrong mean in a checked run what they mean without: no check fails, and none changes a result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_programs import random_program
from run_programs import INPUTS, ORACLE_TARGETS, OUTPUTS, WIDTHS, RunTest, inputs, interpret, run_tests

import voltac
from voltac.llvm.host import can_run
from voltac.target_info import TargetInfo, find_target

TARGETS = [find_target(name) for name in ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16") if can_run(find_target(name))]
CHECKS = ("accesses", "races", "unwritten")
RACING = {"highest_lane_wins_a_colliding_store"}
"""Programs that are about what the language says of races."""
TESTS = [test for test in run_tests(Path(__file__).parent) if test.path.stem not in RACING]
PART = 24
"""One run-test of so many is in the short suite."""


def checked_run(text: str, path: str, capsys: Any, **options: Any) -> tuple[Any, str]:
    """What the program leaves in ``out``, and what it prints."""
    out, (floats, integers) = np.zeros(OUTPUTS), inputs()
    kernels = voltac.compile(text, file=path, checked=CHECKS, **options)
    capsys.readouterr()
    kernels.test(out, floats, integers, INPUTS)
    return out, capsys.readouterr().out


def difference(test: RunTest, targets: Sequence[TargetInfo], capsys: Any) -> list[str]:
    found = []
    for target in targets:
        out, printed = checked_run(test.text, str(test.path), capsys, target=target)
        if wrong := test.difference(out, printed, target.width):
            found.append(f"{target.name}: {wrong}")
    return found


def targets_of(test: RunTest) -> list[TargetInfo]:
    return [target for target in TARGETS if target.width in test.widths]


@pytest.mark.parametrize("test", TESTS[::PART], ids=lambda test: test.path.stem)
def test_a_checked_program_means_the_same(test: RunTest, capsys: pytest.CaptureFixture[str]) -> None:
    """On a target that its name picks; the long suite has all."""
    targets = targets_of(test)
    assert not difference(test, [targets[test.number % len(targets)]], capsys)


@pytest.mark.long
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.path.stem)
def test_every_checked_program_means_the_same(test: RunTest, capsys: pytest.CaptureFixture[str]) -> None:
    assert not difference(test, targets_of(test), capsys)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 60))])
def test_a_random_checked_program_means_the_same(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    text = str(random_program(seed))
    target = TARGETS[seed % len(TARGETS)]
    out, _ = checked_run(text, f"random_{seed}.ispc", capsys, target=target, opt=seed % 4)
    assert target.width in WIDTHS
    assert np.array_equal(out, interpret(Path("random.ispc"), text, ORACLE_TARGETS[target.width])[0])
