"""Conditions of lanes joined by && and || are joined by and and or where masks are vectors of whole lanes."""

import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.passes.masks.joined_conditions import join_conditions
from voltac.pipeline import Watch
from voltac.target_info import find_target

CONDITIONS = """
define void @f(ptr %a) {
entry:
  %x = load <4 x i32>, ptr %a, align 4
  %low = icmp slt <4 x i32> %x, splat (i32 3)
  %odd = trunc <4 x i32> %x to <4 x i1>
  %sum = add nsw <4 x i32> %x, splat (i32 2147483647)
  %poison = icmp slt <4 x i32> %sum, zeroinitializer
  %any = select <4 x i1> %low, <4 x i1> splat (i1 true), <4 x i1> %odd, !dbg !1
  %both = select <4 x i1> %low, <4 x i1> %odd, <4 x i1> zeroinitializer
  %sure = icmp sgt <4 x i32> %x, zeroinitializer
  %saved = select <4 x i1> %sure, <4 x i1> splat (i1 true), <4 x i1> %poison
  %choice = select <4 x i1> %low, <4 x i1> %odd, <4 x i1> %any
  %one = zext <4 x i1> %any to <4 x i32>
  %two = select <4 x i1> %both, <4 x i32> splat (i32 2), <4 x i32> zeroinitializer
  %four = select <4 x i1> %saved, <4 x i32> splat (i32 4), <4 x i32> zeroinitializer
  %some = or <4 x i32> %one, %two
  %all = or <4 x i32> %some, %four
  store <4 x i32> %all, ptr %a, align 4
  ret void
}
"""


def test_the_result_is_the_same() -> None:
    """Where the first condition decides, the second one may be poison."""
    made = join_conditions(CONDITIONS, Options(find_target("avx2-i32x4")))
    assert made.count("select <4 x i1> %low, <4 x i1>") == 1 and "= or <4 x i1> %low, %joined.1, !dbg !1" in made
    verify(read(made))
    for text in (CONDITIONS, made):
        values = np.array([1, 2, 7, 8], np.int32)
        IRInterpreter(read(text)).call("f", [values])
        assert values.tolist() == [1 + 2 + 4, 1 + 4, 1 + 4, 4]


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4"])
def test_nothing_is_blended_of_ones(target: str) -> None:
    source = """
    export void f(uniform int a[], uniform int b[], uniform int n) {
        foreach (i = 0 ... n & ~63)
            a[i] = b[i] == 3 || (b[i] == 2 && b[i + 1] != 0) ? 1 : 0;
    }"""

    def blends(*left_out: str) -> bool:
        watch = Watch(passes=PassRuns(disabled=frozenset(left_out)))
        made = compile_source(source, "f.ispc", Options(find_target(target), 3), Diagnostics(), watch=watch)
        return "blendv" in made.optimized.assembly()

    assert blends("join_conditions") and not blends()
