"""Run-tests and random programs on the simulator of NaplesPU: some in the ordinary suite, all of them with ``-m long``.

Left out are programs that

* need numbers of double besides their results, which are of float here: the core has none (``uses_double``);
* are for gangs of other widths than 16;
* need what devices refuse: LEFT_OUT has them with the reason.
"""

from operator import attrgetter

import numpy as np
import pytest
from random_kernels import random_kernels
from random_programs import random_program
from run_programs import RunTest, inputs, options, same_numbers
from simulated import (
    NAPLESPU,
    WIDTH,
    compile_for_device,
    difference,
    naplespu_launch,
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

_HEAP, _OUTPUT = "the device has no heap", "the device has no output"
LEFT_OUT: dict[str, str] = {
    "pointers/new_and_delete_by_lanes": _HEAP,
    "pointers/uniform_new": _HEAP,
    "pointers/varying_new_with_lane_values": _HEAP,
    "structs/soa_initialisers": _HEAP,
    "structs/soa_on_the_heap": _HEAP,
    "types/rates_before_typedefs_that_have_one": _HEAP,
    "preprocessor/number_and_string_functions": _OUTPUT,
    "print/empty_text": _OUTPUT,
}
"""Program → what the compiler says."""

AS_BUILT: dict[str, str] = {
    "types/negative_zero_is_kept": "the unit for addition gives 2^-126 * 1.5 for 0 + -0 (NaplesPU 7)",
}
"""Programs that show how the arithmetic as built is not IEEE's."""

SOME = 16
"""One in so many runs in the ordinary suite."""


PROGRAMS = [
    program for program in ALL if WIDTH in program.widths and not uses_double(program.text) and program.name not in LEFT_OUT
]
FEW = [program for program in PROGRAMS if program.number % SOME == 0]
MACHINES = (naplespu_launch(threads=1, latency=2), naplespu_launch(cores=2, threads=8, latency=20, fpu="rtl"))


def compiled(program: RunTest, level: int = 2) -> Compilation:
    return compile_for_device(program.path, program.text, level)


@pytest.mark.parametrize("program", FEW, ids=attrgetter("name"))
def test_programs_run_on_one_thread(program: RunTest) -> None:
    assert difference(program, *simulate(compiled(program), MACHINES[0])) == ""


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS, ids=attrgetter("name"))
def test_every_program_runs_on_every_machine(program: RunTest) -> None:
    for level in (2, 0):
        job = compiled(program, level)
        for machine in MACHINES:
            if machine.fpu == "ideal" or program.name not in AS_BUILT:
                assert difference(program, *simulate(job, machine)) == "", f"at -O{level} on {machine}"


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_is_refused_with_a_reason(name: str) -> None:
    path = FOLDER / f"{name}.ispc"
    with pytest.raises(CompileError) as raised:
        compile_for_device(path, path.read_text())
    assert LEFT_OUT[name] in " ".join(str(raised.value).split())


def compiled_if_possible(text: str, name: str) -> Compilation | None:
    """None for a program that needs more stack than a thread has."""
    try:
        return compile_source(text, name, options(NAPLESPU), Diagnostics())
    except CompileError as refused:
        assert "bytes of stack" in str(refused)
        return None


def differs(seed: int, text: str = "") -> bool:
    """Whether a random program does anything else on the device than on the typed tree; what needs more stack than a thread has
    is refused."""
    text = random_for_device(text or str(random_program(seed)))
    job = compiled_if_possible(text, f"random_{seed}.ispc")
    if job is None:
        return False
    out, (floats, integers) = np.zeros(1024, np.int32), inputs()
    Interpreter(job.program, options(NAPLESPU)).call("test", [out, floats, integers, len(floats)])
    launch = naplespu_launch(threads=1 + seed % 8, latency=2, fpu=("ideal", "rtl")[seed // 8 % 2])
    return not np.array_equal(simulate_random(job, launch), out)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_random_program_means_the_same_on_the_device(seed: int) -> None:
    assert not differs(seed)


def test_a_random_program_that_calls_by_address_means_the_same_on_the_device() -> None:
    path = FOLDER.parent / "targets" / "naplespu" / "programs" / "random_program_1049.ispc"
    assert not differs(1049, path.read_text())


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 3000, 50))
def test_many_random_programs_mean_the_same_on_the_device(first: int) -> None:
    assert [seed for seed in range(first, first + 50) if differs(seed)] == []


def kernels_differ(seed: int, text: str = "") -> bool:
    """The same of random kernels over all types."""
    text = random_kernels_for_device(text or random_kernels(seed, heap=False))
    job = compiled_if_possible(text, f"kernels_{seed}.ispc")
    if job is None:
        return False
    out, (floats, integers) = np.zeros(1024, np.float32), inputs()
    with np.errstate(all="ignore"):
        Interpreter(job.program, options(NAPLESPU)).call("test", [out, floats, integers, len(floats)])
    found = simulate_random_kernels(job, naplespu_launch(threads=(1, 2, 8)[seed % 3], latency=2))
    return not same_numbers(found, out)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 600, 20))
def test_many_random_kernels_mean_the_same_on_the_device(first: int) -> None:
    assert [seed for seed in range(first, first + 20) if kernels_differ(seed)] == []
