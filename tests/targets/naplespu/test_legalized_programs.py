"""Run-tests and random programs compute the same before and after legalization, on the IR interpreter.

``double`` is replaced by ``float`` throughout; see :data:`LEFT_OUT` for the programs that this makes no sense of.
"""

from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from device_oracle import compiled, interpreted, legalized, run, without_double
from random_kernels import random_kernels
from random_programs import random_program
from run_programs import RunTest, run_tests

FOLDER = Path(__file__).resolve().parents[2] / "run"
WIDTH = 16

LEFT_OUT = {
    "functions/overloads_by_type_and_rate": "without double two of its functions are one",
    "library/remainders_are_exact": "without double its calls are no longer clear",
    "preprocessor/mask_and_element_macros": "prints: there is no output",
    "preprocessor/number_and_string_functions": "prints: there is no output",
    "print/empty_text": "prints: there is no output",
    "pointers/new_and_delete_by_lanes": "allocates: there is no heap",
    "pointers/uniform_new": "allocates: there is no heap",
    "pointers/varying_new_with_lane_values": "allocates: there is no heap",
    "structs/members_without_size": "allocates: there is no heap",
    "structs/soa_initialisers": "allocates: there is no heap",
    "structs/soa_on_the_heap": "allocates: there is no heap",
    "types/rates_before_typedefs_that_have_one": "allocates: there is no heap",
}
"""Program -> why it is not run."""


PROGRAMS = [program for program in run_tests(FOLDER) if WIDTH in program.widths and program.name not in LEFT_OUT]
SOME = [program for program in PROGRAMS if program.number % 16 == 0]


def check_program(program: RunTest) -> None:
    before = compiled(program.path, without_double(program.text))
    expected, _ = run(before)
    found, _ = run(legalized(before))
    assert np.array_equal(found, expected, equal_nan=True)


def check_source(path: Path, text: str) -> None:
    """Against the interpreter of the typed tree, which shares nothing with what is tested."""
    source = without_double(text)
    found, _ = run(legalized(compiled(path, source)))
    assert np.array_equal(found, interpreted(path, source), equal_nan=True), source


@pytest.mark.parametrize("program", SOME, ids=attrgetter("name"))
def test_legalization_keeps_what_a_program_computes(program: RunTest) -> None:
    check_program(program)


@pytest.mark.parametrize("seed", (2, 3))
def test_a_random_program_computes_the_same(seed: int) -> None:
    check_source(Path(f"random_{seed}.ispc"), str(random_program(seed)))


def test_random_kernels_compute_the_same() -> None:
    check_source(Path("kernels_1.ispc"), random_kernels(1, heap=False))


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS, ids=attrgetter("name"))
def test_legalization_keeps_what_every_program_computes(program: RunTest) -> None:
    check_program(program)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 2000, 50))  # shards of 50 seeds, for -n and for progress
def test_many_random_programs_compute_the_same(first: int) -> None:
    for seed in range(first, first + 50):
        check_source(Path(f"random_{seed}.ispc"), str(random_program(seed)))


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_many_random_kernels_compute_the_same(first: int) -> None:
    for seed in range(first, first + 50):
        if seed in NOT_COMPILED:
            continue
        check_source(Path(f"kernels_{seed}.ispc"), random_kernels(seed, heap=False))


NOT_COMPILED = {34: "without double two of its operators are one"}
"""Seeds whose text without double is no program."""
