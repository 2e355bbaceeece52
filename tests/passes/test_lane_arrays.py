"""Arrays of each lane's own are gathered from by 32-bit indices: the same elements, one gather a register."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.lanes.lane_arrays import index_lane_arrays
from voltac.target_info import find_target

HEAPS = """
export void smallest(uniform float a[], const uniform float b[], uniform int n) {
    foreach (i = 0 ... n) {
        float heap[8];
        int size = 0;
        for (uniform int k = 0; k < 8; k++) {
            float each = b[k * n + i];
            int j = size++;
            while (j > 0 && heap[(j - 1) / 2] > each) {
                heap[j] = heap[(j - 1) / 2];
                j = (j - 1) / 2;
            }
            heap[j] = each;
        }
        a[i] = heap[0];
        a[n + i] = min(heap[1], heap[2]);
    }
}
export void packed(uniform double a[], const uniform int b[], uniform int n) {
    foreach (i = 0 ... n) {
        double most[2][9];
        for (uniform int w = 0; w < 9; w++)
            most[0][w] = most[1][w] = 0;
        for (uniform int k = 0; k < 3; k++) {
            int weight = b[k * n + i];
            for (uniform int w = 8; w >= 0; w--)
                if (w >= weight)
                    most[1][w] = max(most[1][w], most[1][w - weight] + weight * weight);
        }
        a[i] = most[1][8];
    }
}
"""
TARGETS = ["sse4-i32x4", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x16"]


@pytest.mark.parametrize("target", TARGETS)
def test_heaps_and_tables_of_each_lane(target: str) -> None:
    kernels = compile_kernels(HEAPS, target)
    random, n = np.random.default_rng(4), 37
    given, found = random.random((8, n), np.float32), np.zeros(2 * n, np.float32)
    kernels.smallest(found, given.ravel(), n)
    assert found.tolist() == np.sort(given, axis=0)[:2].ravel().tolist()
    weights, best = random.integers(1, 9, (3, n)).astype(np.int32), np.zeros(n)
    kernels.packed(best, weights.ravel(), n)
    chosen = np.array([[bits >> k & 1 for k in range(3)] for bits in range(8)])
    sums, values = chosen @ weights, chosen @ weights.astype(np.int64) ** 2
    assert best.tolist() == np.where(sums <= 8, values, 0).max(axis=0).tolist()


GATHER = """define <4 x i32> @f(<4 x i32> %x, <4 x i1> %on, <4 x i32> %first, <4 x i32> %last) {
entry:
  %rows = alloca [5 x <4 x i32>], align 16
  %own = getelementptr i32, ptr %rows, <4 x i64> <i64 0, i64 1, i64 2, i64 3>
  %end = getelementptr i8, ptr %rows, i64 64
  store <4 x i32> %first, ptr %rows, align 16
  store <4 x i32> %last, ptr %end, align 16
  %far = sext <4 x i32> %x to <4 x i64>
  %p = getelementptr <4 x i32>, <4 x ptr> %own, <4 x i64> %far
  %y = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> align 4 %p, <4 x i1> %on, <4 x i32> zeroinitializer)
  ret <4 x i32> %y
}
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, <4 x i1>, <4 x i32>)
"""


def test_lanes_that_are_off_may_have_any_index() -> None:
    made = index_lane_arrays(GATHER)
    assert "shl <4 x i32> %x, splat (i32 2)" in made
    verify(read(made))
    for text in (GATHER, made):
        arguments = [[4, 0, 2147483647, 4], [1, 1, 0, 1], [10, 11, 12, 13], [20, 21, 22, 23]]
        assert list(IRInterpreter(read(text)).call("f", arguments)) == [20, 11, 0, 23]


@pytest.mark.parametrize(("old", "new"), [("<4 x i32>, <4 x ptr> %own", "<4 x i16>, <4 x ptr> %own"), ("i64 3>", "i64 5>")])
def test_other_places_stay_as_they_are(old: str, new: str) -> None:
    text = GATHER.replace(old, new, 1)
    assert text != GATHER and index_lane_arrays(text) == text


def test_one_gather_takes_all_lanes() -> None:
    heaps = HEAPS.partition("export void packed")[0]
    made = compile_source(heaps, "f.ispc", Options(find_target("avx2-i32x8"), level=3)).optimized.assembly()
    assert "vgatherdps" in made and "vgatherqps" not in made
