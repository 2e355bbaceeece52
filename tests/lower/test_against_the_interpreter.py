"""Programs full of corner cases: machine code of every host target agrees with the interpreter of the typed tree."""

from pathlib import Path

import numpy as np
import pytest
from run_programs import ORACLE_TARGETS, TARGETS, WIDTHS, NativeRunner, at_level, compile_for, interpret, natively

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.ispc"))


@pytest.fixture(scope="module")
def runner() -> NativeRunner:
    return NativeRunner()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_machine_code_agrees(program: Path, width: int, runner: NativeRunner) -> None:
    text = program.read_text()
    expected, printed = interpret(program, text, ORACLE_TARGETS[width])
    jobs = [compile_for(program, text, target) for target in TARGETS if target.width == width]
    compiled = [natively(one) for job in jobs for one in (job, at_level(job, 0))]
    for one, (out, said) in zip(compiled, runner.run(compiled)):
        assert said == printed
        differing = [k for k in range(len(out)) if not np.array_equal(out[k], expected[k], equal_nan=True)]
        assert not differing, str(one)
