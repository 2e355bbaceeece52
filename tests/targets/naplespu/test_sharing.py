"""Kernels mean the same whatever the number of threads and cores: against the interpreter of the typed tree."""

import numpy as np
import pytest
from random_sharing import random_sharing
from run_programs import options
from simulated import NAPLESPU, naplespu_launch, simulate_on
from some_pairs import some_pairs

import voltac
from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.messages.diagnostics import Diagnostics
from voltac.python.device_run import DeviceLaunch

_MACHINES = tuple(naplespu_launch(cores, threads, latency=20) for cores, threads in ((1, 1), (1, 2), (1, 8), (3, 8)))

_PACKING = """
export void test(uniform int out[], uniform float f[], uniform int q[], uniform int n) {
    LOOP { int v = q[i] * 7; while (v > 1000) v -= 7; CALL; }
}
"""
_LOOPS = ("foreach (i = 0 ... n)", "foreach (j = 0 ... 5, i = 0 ... n)", "foreach_tiled (j = 0 ... 6, i = 0 ... 37)")


def differing(text: str) -> list[DeviceLaunch]:
    """The machines on which a program does something else than on the typed tree."""
    job = compile_source(text, "shared.ispc", options(NAPLESPU), Diagnostics())
    given = np.arange(2048, dtype=np.int32) * 53 % 601
    floats = given.astype(np.float32)
    expected = np.zeros(2048, np.int32)
    Interpreter(job.program, options(NAPLESPU)).call("test", [expected, floats.copy(), given.copy(), 100])
    wrong = []
    for machine in _MACHINES:
        out = np.zeros(2048, np.int32)
        simulate_on(job, machine, out, floats.copy(), given.copy(), 100)
        if not np.array_equal(out, expected):
            wrong.append(machine)
    return wrong


@pytest.mark.parametrize(
    ("loop", "call"), some_pairs(_LOOPS, ["packed_store_active(&out[0], v)", "packed_store_active2(&out[0], v)"])
)
def test_packed_elements_of_the_last_iterations_stay(loop: str, call: str) -> None:
    assert differing(_PACKING.replace("LOOP", loop).replace("CALL", call)) == []


@pytest.mark.parametrize("seed", range(5))
def test_random_loops_mean_the_same_on_any_number_of_threads(seed: int) -> None:
    assert differing(random_sharing(seed)) == []


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1600, 20))
def test_many_random_loops_mean_the_same_on_any_number_of_threads(first: int) -> None:
    assert [seed for seed in range(first, first + 20) if differing(random_sharing(seed))] == []


_TOP = 2**31 - 1
_ENDS = """
export void row(uniform int out[], uniform int first, uniform int last) {
    foreach (i = first ... last) out[i - 2147483447] += i - first + 1;
}
export void rows(uniform int out[], uniform int first, uniform int last) {
    foreach (j = first ... last, i = 0 ... 20) out[(j - 2147483447) * 20 + i] += j - first + 1 + i;
}
export void tiled(uniform int out[], uniform int first, uniform int last) {
    foreach_tiled (j = first ... last, i = 0 ... 20) out[(j - 2147483447) * 20 + i] += j - first + 1 + i;
}
"""


@pytest.mark.parametrize(("kernel", "all_on_paths"), some_pairs(["row", "rows", "tiled"], [True, False]))
def test_shared_ranges_may_end_at_the_largest_number(kernel: str, all_on_paths: bool) -> None:
    compiled = getattr(voltac.compile(_ENDS, target="naplespu", all_on_paths=all_on_paths), kernel)
    columns = 1 if kernel == "row" else 20
    wrong = []
    for machine in _MACHINES:
        compiled.configure(cores=machine.cores, threads=machine.threads)
        for begin, end in [(5, 0), (16, 0), (37, 0), (200, 0), (200, 16), (200, 17), (200, 130), (128, 125), (3, 3), (0, 50)]:
            expected = np.zeros((208, columns), np.int32)
            for number, j in enumerate(range(_TOP - begin, _TOP - end)):
                expected[j - (_TOP - 200)] = 1 + number + np.arange(columns)
            out = np.zeros(208 * columns, np.int32)
            compiled(out, _TOP - begin, _TOP - end)
            if not np.array_equal(out, expected.ravel()):
                wrong.append((machine, begin, end))
    assert wrong == []
