"""Shifts by 0 or 1 are selections where the target shifts all lanes by one count."""

import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.shifts_by_masks import select_shifted
from voltac.target_info import find_target

SHIFTS = """
define void @f(ptr %a) {
entry:
  %x = load <8 x i32>, ptr %a, align 4
  %m = icmp sgt <8 x i32> %x, splat (i32 2)
  %by = zext <8 x i1> %m to <8 x i32>
  %l = lshr <8 x i32> %x, %by
  %r = ashr exact <8 x i32> %x, %by, !dbg !1
  %s = shl nuw nsw <8 x i32> %x, %by
  %d = sub <8 x i32> %s, %l
  %e = sub <8 x i32> %d, %r
  store <8 x i32> %e, ptr %a, align 4
  ret void
}
"""


@pytest.mark.parametrize("target", ["sse2-i32x8", "sse4-i32x8", "avx1-i32x8"])
def test_the_result_is_the_same(target: str) -> None:
    made = select_shifted(SHIFTS, Options(find_target(target)))
    assert made.count(" = select <8 x i1> %m") == 3 and "!dbg !1" in made
    verify(read(made))
    values = np.array([-(2**31), -5, 0, 2, 4, 6, 100, 2**30 - 2], np.int32)
    IRInterpreter(read(made)).call("f", [values])
    # 2x - x/2 - x/2 where x is above 2, else x - x - x.
    assert values.tolist() == [-(2**31), 5, 0, -2, 4, 6, 100, 2**30 - 2]


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x8", "neon-i32x8"])
def test_targets_with_counts_for_each_lane_are_left_alone(target: str) -> None:
    assert select_shifted(SHIFTS, Options(find_target(target))) == SHIFTS


def test_halving_under_a_mask_multiplies_nothing() -> None:
    source = """
    export void f(uniform int a[], uniform int n) {
        foreach (i = 0 ... n) { int x = a[i]; if (x & 1) x = x << 1; a[i] = x; }
    }"""
    compilation = compile_source(source, "f.ispc", Options(find_target("sse4-i32x4")), Diagnostics())
    assert "pmul" not in compilation.optimized.assembly()
