"""Narrowed signs of the lanes of masks are truth values: the same numbers, and nothing is widened for them."""

import numpy as np
import pytest
from kernels import InterpretedModule, compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.signs_of_masks import take_truth_values
from voltac.target_info import find_target

SIGNS = """
define void @f(ptr %a, ptr %b) {
entry:
  %x = load <4 x i32>, ptr %a, align 4
  %m = icmp sgt <4 x i32> %x, zeroinitializer
  %lanes = sext <4 x i1> %m to <4 x i64>
  %sign = lshr <4 x i64> %lanes, splat (i64 63)
  %one = trunc nuw nsw <4 x i64> %sign to <4 x i32>, !dbg !1
  %part = lshr <4 x i64> %lanes, splat (i64 62)
  %three = trunc nuw nsw <4 x i64> %part to <4 x i32>
  %both = add <4 x i32> %one, %three
  store <4 x i32> %both, ptr %b, align 4
  ret void
}
"""
STEPS = """
export void steps(uniform int a[], const uniform float b[], uniform int n, uniform int most) {
    foreach (i = 0 ... n) {
        float x = b[i];
        int count = 0;
        while (count < most) {
            if (x > 100)
                break;
            x = 2 * x;
            count++;
        }
        a[i] = count;
    }
}
"""


def test_a_sign_is_one_and_other_bits_are_not() -> None:
    made = take_truth_values(SIGNS)
    assert "%one = zext <4 x i1> %m to <4 x i32>, !dbg !1" in made
    assert "trunc nuw nsw <4 x i64> %part" in made
    verify(read(made))
    found = np.zeros(4, np.int32)
    IRInterpreter(read(made)).call("f", [np.array([1, -1, 0, 7], np.int32), found])
    assert found.tolist() == [4, 0, 0, 4]


def test_signs_of_another_block_stay() -> None:
    text = SIGNS.replace("  %sign =", "  br label %next\nnext:\n  %sign =")
    assert take_truth_values(text) == text


@pytest.mark.parametrize("target", ["avx2-i64x4", "avx2-i32x8"])
def test_steps_until_lanes_leave(target: str) -> None:
    kernels = compile_kernels(STEPS, target)
    if isinstance(kernels, InterpretedModule):
        pytest.skip(f"this processor does not run code for {target}")
    b = np.arange(1, 38, dtype=np.float32)
    a = np.zeros(37, np.int32)
    kernels["steps"](a, b, 37, 5)
    doublings = [next((k for k in range(5) if x * 2**k > 100), 5) for x in b]
    assert a.tolist() == doublings
    job = compile_source(STEPS, "f.ispc", Options(find_target(target)), Diagnostics())
    assert "trunc nuw nsw <8 x i64>" not in job.optimized.text()


ROOTS = """
export void roots(uniform float a[], const uniform float b[], uniform int n) {
    foreach (i = 0 ... n) {
        float v = b[i];
        float x = v;
        while (abs(x * x - v) > 0.001f * v)
            x = 0.5f * (x + v / x);
        a[i] = x;
    }
}
"""


def test_masks_of_wide_lanes_are_as_wide_as_what_they_select() -> None:
    kernels = compile_kernels(ROOTS, "avx2-i64x4")
    if isinstance(kernels, InterpretedModule):
        pytest.skip("this processor does not run code for AVX2")
    b = np.arange(1, 24, dtype=np.float32)
    a = np.zeros(23, np.float32)
    kernels["roots"](a, b, 23)
    assert np.allclose(a, np.sqrt(b), rtol=1e-3)
    text = compile_source(ROOTS, "f.ispc", Options(find_target("avx2-i64x4")), Diagnostics()).optimized.text()
    assert "<4 x i64>" not in text.partition("define void @roots")[2].partition("\n}")[0]
