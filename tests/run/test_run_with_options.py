"""Options that change what programs mean: the width of indices, LLVM's intrinsics, literals of gangs of small elements."""

import numpy as np
import pytest
from run_programs import INPUTS, OUTPUTS, Array, NativeRunner, inputs, natively

from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

HEAD = "export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n)"


def results(body: str, options: Options) -> list[Array]:
    """Of the interpreter of the typed tree and of machine code."""
    text = f"{HEAD} {{ {body} }}"
    job = compile_source(text, "k.ispc", options, Diagnostics())
    out, (floats, integers) = np.zeros(OUTPUTS), inputs()
    Interpreter(job.program, options).call("test", [out, floats, integers, INPUTS])
    return [out, NativeRunner().run([natively(job)])[0][0]]


@pytest.mark.parametrize(("bits", "size", "step"), [(32, 4, 4), (64, 8, 8)])
def test_indices_are_as_wide_as_told(bits: int, size: int, step: int) -> None:
    """Sizes and differences of pointers follow --addressing; so does the memory that indices reach."""
    body = """
    out[0] = sizeof(size_t) / programCount;
    out[1] = sizeof(&i[3] - &i[1]);
    int64 wide = programIndex * 2;
    out[2 + programIndex] = f[wide] + f[(uint32)wide + 1];
    """
    floats = inputs()[0].astype(np.float64)
    for out in results(
        body.replace("sizeof(&i[3] - &i[1]) / programCount", "sizeof(&i[3] - &i[1])"), _options(addressing=bits)
    ):
        assert out[:2].tolist() == [size, step]
        assert np.array_equal(out[2:10], floats[0:16:2] + floats[1:17:2])


def test_intrinsics_are_called_on_request() -> None:
    body = "float v = f[programIndex]; out[programIndex] = @llvm.sqrt.v8f32(v * v); out[8] = @llvm.smax.i32(n, 3);"
    for out in results(body, _options(llvm_intrinsics=True)):
        assert np.array_equal(out[:8], np.abs(inputs()[0][:8].astype(np.float64)))
        assert out[8] == INPUTS


@pytest.mark.parametrize(
    ("target", "sizes"), [("avx2-i8x32", [1, 1, 4, 1]), ("avx2-i16x16", [2, 2, 4, 2]), ("avx2-i32x8", [4, 4, 4, 4])]
)
def test_literals_are_as_small_as_the_elements_of_the_gang(target: str, sizes: list[int]) -> None:
    body = "out[0] = sizeof(100); out[1] = sizeof(0x7f); out[2] = sizeof(70000); out[3] = sizeof(255);"
    for out in results(body, _options(target=find_target(target))):
        assert out[:4].tolist() == sizes


def _options(**changes: object) -> Options:
    return Options(**({"target": find_target("avx2-i32x8"), "level": 2, "whole_program": True} | changes))  # type: ignore[arg-type]
