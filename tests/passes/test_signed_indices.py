"""Indices of gathers that are not negative are extended by their sign: one instruction gathers all lanes of a register."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.lanes.signed_indices import extend_by_sign
from voltac.target_info import find_target

GATHERS = """
define void @f(ptr %a, ptr %b) {
entry:
  %x = load <4 x i32>, ptr %a, align 4
  %wide = zext nneg <4 x i32> %x to <4 x i64>
  %other = zext nneg <4 x i32> %x to <4 x i64>
  %places = getelementptr inbounds i32, ptr %b, <4 x i64> %wide
  %y = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %places, <4 x i1> splat (i1 true), <4 x i32> zeroinitializer)
  %low = trunc <4 x i64> %other to <4 x i32>
  %z = add <4 x i32> %y, %low
  store <4 x i32> %z, ptr %a, align 4
  ret void
}
define void @g(ptr %a, <4 x i32> %x) {
  %wide = zext nneg <4 x i32> %x to <4 x i64>
  store <4 x i64> %wide, ptr %a, align 8
  ret void
}
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, <4 x i1>, <4 x i32>)
"""
SEARCH = """
export void search(uniform int at[], const uniform int x[], const uniform int sorted[], uniform int n) {
    foreach (i = 0 ... n) {
        int each = x[i], low = 0;
        for (uniform int step = 512; step > 0; step >>= 1)
            if (sorted[low + step - 1] < each)
                low += step;
        at[i] = low;
    }
}
"""


def test_the_result_is_the_same() -> None:
    made = extend_by_sign(GATHERS)
    assert "%wide = sext <4 x i32> %x to <4 x i64>" in made
    assert "%other = zext nneg" in made and made.count("zext nneg") == 2, "only what is an index"
    for text in (GATHERS, made):
        values, table = np.array([3, 0, 2, 1], np.int32), np.array([10, 20, 30, 40], np.int32)
        IRInterpreter(read(text)).call("f", [values, table])
        assert values.tolist() == [43, 10, 32, 21]


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i32x16", "avx512skx-x16"])
def test_a_search_is_numpys(target: str) -> None:
    search = compile_kernels(SEARCH, target).search
    random = np.random.default_rng(1)
    table = np.sort(random.integers(0, 1 << 20, 1024).astype(np.int32))
    for n in (0, 1, 7, 8, 33, 100):
        x, at = random.integers(0, 1 << 20, n).astype(np.int32), np.zeros(n, np.int32)
        search(at, x, table, n)
        assert at.tolist() == np.searchsorted(table[:1023], x).tolist()


@pytest.mark.parametrize(("target", "cpu"), [("avx2-i32x8", "sapphirerapids"), ("avx512skx-x16", "sapphirerapids")])
def test_no_gather_is_halved(target: str, cpu: str) -> None:
    options = Options(find_target(target), 3, cpu=cpu)
    assembly = compile_source(SEARCH, "f.ispc", options, Diagnostics()).optimized.assembly()
    assert "vpgatherdd" in assembly and "vpgatherqd" not in assembly
