"""Programs full of corner cases: machine code of every host target agrees with the interpreter of the typed tree."""

from pathlib import Path

import numpy as np
import pytest
from run_programs import ORACLE_TARGETS, TARGETS, WIDTHS, NativeRunner, at_level, compile_for, interpret, natively
from some_pairs import some_pairs

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.ispc"))


@pytest.fixture(scope="module")
def runner() -> NativeRunner:
    return NativeRunner()


every_width = pytest.mark.parametrize("width", WIDTHS)
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)


def disagreements(program: Path, width: int, unoptimized: slice, runner: NativeRunner) -> list[str]:
    """Of the targets of a width at -O2, and of those picked at -O0."""
    text = program.read_text()
    expected, printed = interpret(program, text, ORACLE_TARGETS[width])
    jobs = [compile_for(program, text, target) for target in TARGETS if target.width == width]
    compiled = [natively(job) for job in (*jobs, *(at_level(job, 0) for job in jobs[unoptimized]))]
    return [
        str(one)
        for one, (out, said) in zip(compiled, runner.run(compiled))
        if said != printed or not all(np.array_equal(*pair, equal_nan=True) for pair in zip(out, expected, strict=True))
    ]


@pytest.mark.parametrize(("program", "width"), some_pairs(PROGRAMS, WIDTHS, 3), ids=lambda value: getattr(value, "stem", None))
def test_machine_code_agrees(program: Path, width: int, runner: NativeRunner) -> None:
    """At -O0 for one target of the width, another one for another program."""
    number = PROGRAMS.index(program) % 2
    assert disagreements(program, width, slice(number, number + 1), runner) == []


@pytest.mark.long
@every_width
@every_program
def test_machine_code_of_every_target_agrees_at_every_level(program: Path, width: int, runner: NativeRunner) -> None:
    assert disagreements(program, width, slice(None), runner) == []
