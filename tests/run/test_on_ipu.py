"""Run-tests and random programs on the simulated tile of the IPU: some in the ordinary suite, all of them with ``-m long``.

Left out are programs that

* need numbers of double besides their results, which are of float here (``uses_double``);
* are for gangs of other widths than 4;
* need what devices refuse: LEFT_OUT has them with the reason.
"""

import re
from operator import attrgetter

import numpy as np
import pytest
from random_kernels import random_kernels
from random_programs import random_program
from run_programs import RunTest, inputs, options, same_numbers
from simulated import (
    compile_for_device,
    difference,
    random_for_device,
    random_kernels_for_device,
    simulate,
    simulate_random,
    simulate_random_kernels,
    uses_double,
)
from test_run import ALL, FOLDER

from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.pipeline import Compilation
from voltac.python.device_run import first_launch
from voltac.target_info import DEVICES

MK1, MK2 = DEVICES["ipu-mk1"], DEVICES["ipu-mk2"]
WIDTH = MK2.width

_HEAP, _OUTPUT = "the device has no heap", "the device has no output"
LEFT_OUT: dict[str, str] = {
    "pointers/new_and_delete_by_lanes": _HEAP,
    "pointers/uniform_new": _HEAP,
    "pointers/varying_new_with_lane_values": _HEAP,
    "structs/soa_slices_by_unsigned_indices": _HEAP,
    "types/rates_before_typedefs_that_have_one": _HEAP,
    "preprocessor/number_and_string_functions": _OUTPUT,
    "print/empty_text": _OUTPUT,
    "print/in_loops_and_functions": _OUTPUT,
    "print/lanes_and_types": _OUTPUT,
    "print/strings": _OUTPUT,
}
"""Program → what the compiler says."""

SOME = 20
"""One in so many runs in the ordinary suite."""


PROGRAMS = [
    program for program in ALL if WIDTH in program.widths and not uses_double(program.text) and program.name not in LEFT_OUT
]
FEW = [program for program in PROGRAMS if program.number % SOME == 0]


def what_is_wrong(program: RunTest, level: int = 2) -> str:
    target = (MK1, MK2)[program.number % 2]
    job = compile_for_device(program.path, program.text, level, target)
    return difference(program, *simulate(job, first_launch(target)), WIDTH)


@pytest.mark.parametrize("program", FEW, ids=attrgetter("name"))
def test_programs_run_on_the_tile(program: RunTest) -> None:
    assert what_is_wrong(program) == ""


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS, ids=attrgetter("name"))
def test_every_program_runs_on_the_tile(program: RunTest) -> None:
    assert what_is_wrong(program) == ""
    assert what_is_wrong(program, 0) == ""


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_is_refused_with_a_reason(name: str) -> None:
    path = FOLDER / f"{name}.ispc"
    with pytest.raises(CompileError) as raised:
        compile_for_device(path, path.read_text(), target=MK2)
    assert LEFT_OUT[name] in " ".join(str(raised.value).split())


def is_too_large(refused: Exception) -> bool:
    """Whether a program was refused since it has no room on a tile, with the figures."""
    text = " ".join(str(refused).split())
    return (
        re.search(r"\d+ bytes (of its own on the|of) stack|has room for|\d+ bytes at 0x\w+ reach the stacks", text) is not None
    )


def differs(seed: int, text: str = "") -> bool:
    """Whether a random program does anything else on the tile than on the typed tree; one that is too large is refused."""
    text = random_for_device(text or str(random_program(seed)))
    target = (MK1, MK2)[seed % 2]
    out, (floats, integers) = np.zeros(1024, np.int32), inputs()
    try:
        job: Compilation = compile_source(text, f"random_{seed}.ispc", options(target), Diagnostics())
        found = simulate_random(job, first_launch(target))
    except (CompileError, MemoryError) as refused:
        assert is_too_large(refused)
        return False
    Interpreter(job.program, options(target)).call("test", [out, floats, integers, len(floats)])
    return not np.array_equal(found, out)


@pytest.mark.parametrize("seed", range(0, 30, 10))
def test_random_programs_mean_the_same_on_the_tile(seed: int) -> None:
    """One of each generation; the campaign of devices and the long suite have thousands."""
    assert not differs(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2500, 50))
def test_many_random_programs_mean_the_same_on_the_tile(first: int) -> None:
    assert [seed for seed in range(first, first + 50) if differs(seed)] == []


def kernels_differ(seed: int, text: str = "") -> bool:
    """The same of random kernels over all types; those that are too large for a tile are refused."""
    text = random_kernels_for_device(text or random_kernels(seed, heap=False))
    try:
        job = compile_source(text, f"kernels_{seed}.ispc", options(MK2), Diagnostics())
    except CompileError as refused:
        assert is_too_large(refused)
        return False
    out, (floats, integers) = np.zeros(1024, np.float32), inputs()
    with np.errstate(all="ignore"):
        Interpreter(job.program, options(MK2)).call("test", [out, floats, integers, len(floats)])
    found = simulate_random_kernels(job, first_launch(MK2))
    return not same_numbers(found, out)


@pytest.mark.parametrize("seed", range(20, 22))
def test_random_kernels_mean_the_same_on_the_tile(seed: int) -> None:
    assert not kernels_differ(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 600, 20))
def test_many_random_kernels_mean_the_same_on_the_tile(first: int) -> None:
    assert [seed for seed in range(first, first + 20) if kernels_differ(seed)] == []
