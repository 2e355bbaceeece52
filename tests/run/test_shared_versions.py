"""Random programs mean the same when another file calls them, with some lanes off and with all on (language 10.1).

The oracle is the interpreter of the typed tree, which has both texts as one file.
"""

import re
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest
from random_programs import random_program
from run_programs import (
    ORACLE_TARGETS,
    Interpreted,
    Native,
    NativeRunner,
    interpret,
    options,
)

from voltac.driver import compile_source
from voltac.llvm.host import can_run
from voltac.llvm.load import load_objects
from voltac.messages.diagnostics import Diagnostics
from voltac.records import replace
from voltac.target_info import TargetInfo, find_target

PARAMETERS = "uniform double out[], uniform float f[], uniform int32 i[], uniform int n"
DECLARATION = f"void program({PARAMETERS});\n"
WAYS = ["if (programIndex % 3 != 1) program(out, f, i, n);", "if (f[0] != 12345) program(out, f, i, n);"]
"""Some lanes, and all of them by a mask that nothing is known of."""


def under_masks(seed: int) -> str:
    """A random program whose lanes go through their own elements: with a lane off, some elements are left as they are."""
    before, _, body = str(random_program(seed)).partition("export void test(")
    loop = "for (int32 k = programIndex; k < n; k += programCount)"
    text, loops = re.subn(r"foreach \(k = 0 \.\.\. n\)", loop, body)
    assert loops
    return f"{before}export void program({text}"


def linked(text: str, driver: str, target: TargetInfo, level: int) -> Native | Interpreted:
    """Each compiled by itself, as the command line does."""
    apart = replace(options(target, level), whole_program=False, position_independent="small")
    jobs = [compile_source(source, name, apart, Diagnostics()) for name, source in (("a.ispc", text), ("b.ispc", driver))]
    assert ".some_on" in str(jobs[0].results["lower"])
    if can_run(target):
        loaded = load_objects([job.optimized.object_code() for job in jobs], ["test"])
        return Native(target, level, loaded, at_end=level != 0)
    both, other = (llvm.parse_assembly(job.optimized.text()) for job in jobs)
    both.link_in(other)
    return Interpreted(target, level, str(both))


def disagreements(seed: int, runner: NativeRunner) -> list[str]:
    """What differs for one way, target and level each."""
    text = under_masks(seed)
    found = []
    for number, way in enumerate(WAYS):
        driver = f"export void test({PARAMETERS}) {{ {way} }}\n"
        target = find_target(["sse4-i32x4", "avx2-i32x8", "avx512skx-x16", "avx2-i32x16", "sse2-i32x4"][(seed + number) % 5])
        expected, _ = interpret(Path(f"random_{seed}.ispc"), text + driver, ORACLE_TARGETS[target.width])
        program = linked(text, DECLARATION + driver, target, 2 if seed % 4 else 0)
        [(out, _)] = runner.run([program])
        if not np.array_equal(out, expected):
            found.append(f"{program}: {way}")
    return found


@pytest.mark.parametrize("seed", range(0, 16, 4))
def test_a_random_program_means_the_same_from_another_file(seed: int) -> None:
    assert disagreements(seed, NativeRunner()) == []


@pytest.mark.long
def test_many_random_programs_mean_the_same_from_another_file() -> None:
    runner = NativeRunner()
    assert {seed: found for seed in range(1000, 1600, 2) if (found := disagreements(seed, runner))} == {}
