"""Run-tests as code for WebAssembly, in wasmtime: some in the ordinary suite, all of them with ``-m long``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from run_programs import INPUTS, OUTPUTS, RunTest, at_level, compile_for, inputs
from test_other_machines import USUAL
from test_run import ALL, FOLDER, every_program
from wasm_objects import Instance

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

WASM = tuple(map(find_target, ("wasm-i32x4", "wasm-i32x8")))
POINTER_BYTES = 4
# Without optimisation LLVM's own conversions of float16 are invalid modules.
HERE = (*USUAL, "functions/all_scalar_types_as_parameters_and_results")


def differences(program: RunTest) -> Iterator[str]:
    """What is wrong with code of -O0 and -O2."""
    for target in WASM:
        if target.width in program.widths:
            job = compile_for(program.path, program.text, target)
            for each in (job, at_level(job, 0)):
                instance = Instance(each.optimized.object_code())
                out = instance.place(bytes(8 * OUTPUTS))
                instance.call("test", [out, *(instance.place(array.tobytes()) for array in inputs()), INPUTS])
                found = np.frombuffer(instance.read(out, 8 * OUTPUTS))
                if difference := program.difference(found, "", target.width, POINTER_BYTES):
                    yield f"{target.name} -O{each.options.level}: {difference}"


@pytest.mark.parametrize(
    "program",
    [one for one in ALL if not one.prints and str(one.path.relative_to(FOLDER).with_suffix("")) in HERE],
    ids=lambda program: program.path.stem,
)
def test_usual_programs_run_on_wasm(program: RunTest) -> None:
    assert list(differences(program)) == []


@pytest.mark.long
@every_program
def test_every_program_runs_on_wasm(program: RunTest) -> None:
    if program.prints:
        pytest.skip("wasmtime brings no C library to print with")
    assert list(differences(program)) == []


SAXPY = """
export void saxpy(uniform float s, uniform float x[], uniform float y[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i];
}
struct One { float a; };
struct Two { float a; int b; };
extern "C" uniform One one(uniform One a, uniform int8 b, uniform bool c);
extern "C" uniform Two two(uniform Two a, uniform int64 b);
export void structs(uniform One * uniform a, uniform Two * uniform b) {
    *a = one(*a, -3, true);
    *b = two(*b, 5);
}
"""


@pytest.mark.parametrize("count", [0, 1, 4, 7, 100])
def test_a_kernel_computes_what_numpy_does(count: int) -> None:
    job = compile_source(SAXPY, "saxpy.ispc", Options(target=WASM[0], level=3))
    assert "f32x4.mul" in job.optimized.assembly()
    instance = Instance(job.optimized.object_code(), {"one": lambda *_: 0, "two": lambda *_: 0})
    x, y = np.arange(100, dtype=np.float32), np.linspace(0, 1, 100, dtype=np.float32)
    out = instance.place(bytes(400))
    instance.call("saxpy", [2.0, instance.place(x.tobytes()), instance.place(y.tobytes()), out, count])
    found = np.frombuffer(instance.read(out, 400), np.float32)
    expected = np.where(np.arange(100) < count, np.float32(2) * x + y, np.float32(0))
    np.testing.assert_array_equal(found, expected)


def test_c_functions_are_called_by_the_conventions_of_webassembly() -> None:
    """A struct of one scalar is that scalar, others are in memory, results at an address that is given first."""
    given: list[tuple[object, ...]] = []
    instance: Instance

    def one(a: float, b: int, c: int) -> float:
        given.append((a, b, c))
        return a + 1

    def two(result: int, a: int, b: int) -> None:
        given.append((*np.frombuffer(instance.read(a, 8), "f4,i4")[0], b))
        instance.memory.write(instance.store, np.array([(2.5, 77)], "f4,i4").tobytes(), result)

    job = compile_source(SAXPY, "saxpy.ispc", Options(target=WASM[0], level=2))
    instance = Instance(job.optimized.object_code(), {"one": one, "two": two})
    first, second = (instance.place(np.array(rows, kind).tobytes()) for rows, kind in (([4], "f4"), ([(1.5, 9)], "f4,i4")))
    instance.call("structs", [first, second])
    assert given == [(4, -3, 1), (1.5, 9, 5)]
    assert np.frombuffer(instance.read(first, 4), "f4")[0] == 5
    assert np.frombuffer(instance.read(second, 8), "f4,i4")[0].tolist() == (2.5, 77)
