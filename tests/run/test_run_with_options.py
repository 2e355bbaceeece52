"""Options that change what programs mean: the width of indices, LLVM's intrinsics, literals of gangs of small elements."""

import numpy as np
import pytest
from run_programs import INPUTS, OUTPUTS, Array, NativeRunner, inputs, natively

import voltac
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


def test_arguments_of_intrinsics_get_one_type() -> None:
    """That of the first, varying if any is."""
    body = """
    double v = f[programIndex];
    out[programIndex] = @llvm.fma.v8f64(v, 2.0f, 1);
    out[8 + programIndex] = @llvm.smax.v8i32(i[programIndex], (int8)3);
    """
    floats, integers = inputs()
    for out in results(body, _options(llvm_intrinsics=True)):
        assert np.array_equal(out[:8], floats[:8] * 2.0 + 1)
        assert np.array_equal(out[8:16], np.maximum(integers[:8], 3))


@pytest.mark.parametrize("level", [0, 2])
def test_intrinsics_that_convert_give_the_integer_of_their_name(level: int) -> None:
    source = """
    export void convert(uniform int a[], uniform uint8 b[], uniform int64 c[], uniform float f[]) {
        a[programIndex] = @llvm.fptosi.sat.v8i32.v8f32(f[programIndex]);
        b[programIndex] = @llvm.fptoui.sat.v8i8.v8f32(f[programIndex]);
        *c = @llvm.llrint.i64.f32(f[1]);
    }"""
    a, b, c = np.zeros(8, np.int32), np.zeros(8, np.uint8), np.zeros(1, np.int64)
    f = np.array([-3e9, 2.5, 3e9, -1, 100.75, 300, 0, -0.5], np.float32)
    voltac.compile(source, target="avx2-i32x8", opt=level, llvm_intrinsics=True).convert(a, b, c, f)
    assert a.tolist() == [-(2**31), 2, 2**31 - 1, -1, 100, 300, 0, 0]
    assert b.tolist() == [0, 2, 255, 0, 100, 255, 0, 0]
    assert c.tolist() == [2]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("@llvm.fma.f32(f, f)", "takes 3 arguments, 2 are given"),
        ("@llvm.sqrt(n)", "is for floating-point numbers, its first argument is 'int32'"),
        ("@llvm.ctpop(f)", "is for integers, its first argument is 'float'"),
        ("@llvm.cttz.i32(n, f > 1)", "argument 2 of '@llvm.cttz.i32' has to be true or false"),
        ("@llvm.lrint(f)", "has to say which integer it gives"),
        ("@llvm.x86.avx2.pmovmskb(n)", "of (uniform int32) with the result 'uniform int32': incorrect argument type"),
        ("@llvm.uadd.with.overflow.i32(n, n)", "with the result 'uniform int32': incorrect return type"),
    ],
)
def test_calls_of_intrinsics_that_llvm_does_not_take_are_errors_with_their_place(call: str, said: str) -> None:
    with pytest.raises(voltac.CompileError) as caught:
        voltac.compile(f"export uniform int go(uniform float f, uniform int n) {{ return {call}; }}", llvm_intrinsics=True)
    (found,) = (item for item in caught.value.diagnostics.items if item.is_error)
    assert said in found.text and call[found.span.column - 64 :].startswith(("@", "f > 1"))


@pytest.mark.parametrize(
    ("target", "sizes"), [("avx2-i8x32", [1, 1, 4, 1]), ("avx2-i16x16", [2, 2, 4, 2]), ("avx2-i32x8", [4, 4, 4, 4])]
)
def test_literals_are_as_small_as_the_elements_of_the_gang(target: str, sizes: list[int]) -> None:
    body = "out[0] = sizeof(100); out[1] = sizeof(0x7f); out[2] = sizeof(70000); out[3] = sizeof(255);"
    for out in results(body, _options(target=find_target(target))):
        assert out[:4].tolist() == sizes


def _options(**changes: object) -> Options:
    return Options(**({"target": find_target("avx2-i32x8"), "level": 2, "whole_program": True} | changes))  # type: ignore[arg-type]
