"""Run-tests and random programs on the simulated IA-64: some in the ordinary suite, all of them with ``-m long``.

A gang of ``ia64-x1`` has one lane, of the packed targets two, eight or four. Left out are programs that

* are for gangs of other widths;
* need what devices refuse: LEFT_OUT has them with the reason;
* ask for a lane that a gang of one or two has not: the interpreter of the IR stops at these.
"""

from operator import attrgetter

import numpy as np
import pytest
from random_kernels import random_kernels
from random_programs import random_program
from run_programs import INPUTS, OUTPUTS, RunTest, compile_for, inputs, options, same_numbers
from simulated import simulate_on
from test_run import ALL

from voltac.codegen.simulator import Trap
from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.ir.interp import IRInterpreter
from voltac.ir.interp_frame import ExecutionError
from voltac.ir.read import read
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.pipeline import Compilation
from voltac.python.device_run import first_launch
from voltac.target_info import DEVICES, TargetInfo

TARGET = DEVICES["ia64-x1"]
PACKED = tuple(DEVICES[name] for name in ("ia64-f32x2", "ia64-i8x8", "ia64-i16x4"))

_HEAP, _OUTPUT = "the device has no heap", "the device has no output"
LEFT_OUT: dict[str, str] = {
    "pointers/new_and_delete_by_lanes": _HEAP,
    "pointers/uniform_new": _HEAP,
    "structs/members_without_size": _HEAP,
    "structs/soa_on_the_heap": _HEAP,
    "structs/soa_slices_by_unsigned_indices": _HEAP,
    "types/rates_before_typedefs_that_have_one": _HEAP,
    "preprocessor/number_and_string_functions": _OUTPUT,
    "print/empty_text": _OUTPUT,
    "print/in_loops_and_functions": _OUTPUT,
    "print/lanes_and_types": _OUTPUT,
    "print/strings": _OUTPUT,
}
"""Program → what the compiler says."""
OF_MORE_LANES: dict[str, str] = {
    "pointers/varying_new_with_lane_values": _HEAP,
    "structs/soa_initialisers": _HEAP,
    "print/every_type": _OUTPUT,
    "print/wide_and_special_values": _OUTPUT,
}
"""The same of programs that are for gangs of four or eight."""
OTHER_LANES = ("templates/array_sizes_are_template_parameters",)
"""Programs that ask for lanes that a gang of one has not."""

SOME = 8
"""One in so many runs in the ordinary suite."""


PROGRAMS = [program for program in ALL if 1 in program.widths and program.name not in (*LEFT_OUT, *OTHER_LANES)]
FEW = [program for program in PROGRAMS if program.number % SOME == 0]


def programs_of(target: TargetInfo) -> list[RunTest]:
    """Of a packed target; what is for any width is for two, too."""
    width = target.width if target.width > 2 else 1
    left_out = (*LEFT_OUT, *(OTHER_LANES if width == 1 else OF_MORE_LANES))
    return [program for program in ALL if width in program.widths and program.name not in left_out]


PACKED_PROGRAMS = [(target, program) for target in PACKED for program in programs_of(target)]
FEW_PACKED = PACKED_PROGRAMS[:: 6 * SOME]


def what_is_wrong(program: RunTest, level: int = 2, target: TargetInfo = TARGET) -> str:
    job = compile_for(program.path, program.text, target, level)
    out = np.zeros(OUTPUTS, np.float64)
    printed = simulate_on(job, first_launch(target), out, *inputs(), INPUTS)
    return program.difference(out, printed, target.width)


@pytest.mark.parametrize(("target", "program"), FEW_PACKED, ids=attrgetter("name"))
def test_programs_run_in_packed_gangs(target: TargetInfo, program: RunTest) -> None:
    assert what_is_wrong(program, 2, target) == ""


@pytest.mark.long
@pytest.mark.parametrize(("target", "program"), PACKED_PROGRAMS, ids=attrgetter("name"))
def test_every_program_runs_in_packed_gangs(target: TargetInfo, program: RunTest) -> None:
    assert what_is_wrong(program, 2, target) == ""
    assert what_is_wrong(program, 0, target) == ""


@pytest.mark.parametrize("program", FEW, ids=attrgetter("name"))
def test_programs_run_on_the_machine(program: RunTest) -> None:
    assert what_is_wrong(program) == ""


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS, ids=attrgetter("name"))
def test_every_program_runs_on_the_machine(program: RunTest) -> None:
    assert what_is_wrong(program) == ""
    assert what_is_wrong(program, 0) == ""


@pytest.mark.parametrize("name", [*LEFT_OUT, *OF_MORE_LANES])
def test_what_is_left_out_is_refused_with_a_reason(name: str) -> None:
    program = next(program for program in ALL if program.name == name)
    target = next(target for target in (TARGET, *PACKED[1:]) if target.width in program.widths)
    with pytest.raises(CompileError) as raised:
        compile_for(program.path, program.text, target)
    assert {**LEFT_OUT, **OF_MORE_LANES}[name] in " ".join(str(raised.value).split())


def differs(text: str, name: str, target: TargetInfo = TARGET) -> bool:
    """Whether a random program does anything else on the machine than on the typed tree; what no IR may do may do anything."""
    job = compile_source(text, name, options(target), Diagnostics())
    out, (floats, integers) = np.zeros(OUTPUTS), inputs()
    with np.errstate(all="ignore"):
        Interpreter(job.program, options(target)).call("test", [out, floats, integers, len(floats)])
    found = np.zeros(OUTPUTS)
    try:
        simulate_on(job, first_launch(target), found, floats, integers, len(floats))
        same = same_numbers(found, out)
    except Trap:
        same = False
    return not same and is_defined(job)


def is_defined(job: Compilation) -> bool:
    """Whether a program does only what IR may do."""
    try:
        with np.errstate(all="ignore"):
            IRInterpreter(read(job.results["lower"])).call("test", [np.zeros(OUTPUTS), *inputs(), INPUTS])
    except ExecutionError:
        return False
    return True


@pytest.mark.parametrize("seed", range(0, 50, 10))
def test_random_programs_mean_the_same_on_the_machine(seed: int) -> None:
    assert not differs(str(random_program(seed)), f"random_{seed}.ispc")


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 3000, 50))
def test_many_random_programs_mean_the_same_on_the_machine(first: int) -> None:
    assert [seed for seed in range(first, first + 50) if differs(str(random_program(seed)), f"random_{seed}.ispc")] == []


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_mean_the_same_in_packed_gangs(seed: int) -> None:
    """One of them on each target."""
    assert not differs(str(random_program(seed)), f"random_{seed}.ispc", PACKED[seed])


@pytest.mark.long
@pytest.mark.parametrize("target", PACKED, ids=attrgetter("name"))
@pytest.mark.parametrize("first", range(1000, 3000, 50))
def test_many_random_programs_mean_the_same_in_packed_gangs(first: int, target: TargetInfo) -> None:
    seeds = range(first, first + 50)
    assert [seed for seed in seeds if differs(str(random_program(seed)), f"random_{seed}.ispc", target)] == []


@pytest.mark.parametrize("seed", range(3))
def test_random_kernels_mean_the_same_in_packed_gangs(seed: int) -> None:
    assert not differs(random_kernels(seed, heap=False), f"kernels_{seed}.ispc", PACKED[seed])


@pytest.mark.parametrize("seed", range(2))
def test_random_kernels_mean_the_same_on_the_machine(seed: int) -> None:
    assert not differs(random_kernels(seed, heap=False), f"kernels_{seed}.ispc")


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 300, 20))
def test_many_random_kernels_mean_the_same_on_the_machine(first: int) -> None:
    seeds = range(first, first + 20)
    assert [seed for seed in seeds if differs(random_kernels(seed, heap=False), f"kernels_{seed}.ispc")] == []
