"""Truth values that are added become additions under masks with AVX-512: the same numbers, one instruction less."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.masked_counts import add_under_masks
from voltac.target_info import find_target

SUMS = """
define void @f(ptr %a) {
entry:
  %x = load <4 x i32>, ptr %a, align 4
  %odd = trunc <4 x i32> %x to <4 x i1>
  %one = zext <4 x i1> %odd to <4 x i32>
  %minus = sext <4 x i1> %odd to <4 x i32>
  %up = add nsw <4 x i32> %x, %one, !dbg !1
  %also = add <4 x i32> %one, %up
  %less = sub <4 x i32> %also, %one
  %more = sub <4 x i32> %less, %minus
  %down = add nsw <4 x i32> %more, %minus
  %from = sub <4 x i32> %one, %down
  store <4 x i32> %from, ptr %a, align 4
  ret void
}
define void @g(ptr %a, <4 x i32> %one) {
  %x = load <4 x i32>, ptr %a, align 4
  %sum = add <4 x i32> %x, %one
  store <4 x i32> %sum, ptr %a, align 4
  ret void
}
"""


def test_the_result_is_the_same() -> None:
    made = add_under_masks(SUMS)
    verify(read(made))
    assert made.count(" = select <4 x i1> %odd, ") == 5, "what is taken off the truth value stays"
    assert "%up = select <4 x i1> %odd, <4 x i32> %counted.1, <4 x i32> %x, !dbg !1" in made
    assert "%sum = add <4 x i32> %x, %one" in made, "that is another function's"
    for text in (SUMS, made):
        values = np.array([1, 2, 7, 8], np.int32)
        IRInterpreter(read(text)).call("f", [values])
        assert values.tolist() == [1 - 2, -2, 1 - 8, -8]


def test_the_largest_number_stays_where_a_lane_is_off() -> None:
    text = """
define void @f(ptr %a) {
  %x = load <4 x i32>, ptr %a, align 4
  %few = icmp slt <4 x i32> %x, splat (i32 5)
  %one = zext <4 x i1> %few to <4 x i32>
  %sum = add nuw nsw <4 x i32> %x, %one
  store <4 x i32> %sum, ptr %a, align 4
  ret void
}
"""
    made = add_under_masks(text)
    assert "%counted.1 = add <4 x i32> %x, splat (i32 1)" in made
    values = np.array([2**31 - 1, 3, 0, 5], np.int32)
    IRInterpreter(read(made)).call("f", [values])
    assert values.tolist() == [2**31 - 1, 4, 1, 5]


@pytest.mark.parametrize("element", ["uint8", "int16", "int", "int64"])
def test_counts_are_numpys(element: str) -> None:
    source = f"""export void f(uniform int out[], const uniform float x[], uniform int n) {{
        {element} above = 0, below = 100;
        foreach (i = 0 ... n) {{
            if (x[i] > 0.5) above++;
            if (x[i] < 0.25) below--;
        }}
        out[0] = reduce_add((int)above);
        out[1] = reduce_add((int)below);
    }}"""
    f = compile_kernels(source, "avx512skx-x16").f
    random = np.random.default_rng(1)
    for n in (0, 1, 15, 16, 17, 63, 64, 65, 129, 300):
        x, out = random.random(n + 1).astype(np.float32), np.zeros(2, np.int32)
        f(out, x, n)
        assert out.tolist() == [(x[:n] > 0.5).sum(), 1600 - (x[:n] < 0.25).sum()]


@pytest.mark.parametrize(("target", "masked"), [("avx512skx-x16", True), ("avx2-i32x8", False)])
def test_no_lanes_are_made_of_masks(target: str, masked: bool) -> None:
    source = """export uniform int f(const uniform float x[], uniform int n) {
        int above = 0;
        foreach (i = 0 ... n)
            if (x[i] > 0.5) above++;
        return reduce_add(above);
    }"""
    assembly = compile_source(source, "f.ispc", Options(find_target(target), 3), Diagnostics()).optimized.assembly()
    assert "vpmovm2d" not in assembly and ("{%k" in assembly) == masked
