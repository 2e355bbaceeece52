"""Indices of lanes that short loops compute with are carried from gang to gang: the same numbers, and no broadcasts."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.passes.gangs.carried_indices import carry_indices
from voltac.pipeline import Watch
from voltac.target_info import find_target

RAMPS = """export void scaled(uniform int a[], uniform int lo, uniform int hi, uniform int s) {
    foreach (i = lo ... hi)
        a[i - lo] = i * s;
}
export void reversed(uniform float a[], const uniform float b[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = b[i] * (n - i) + (i ^ 5);
}
export uniform int last_of(const uniform int a[], uniform int n, uniform int wanted) {
    int at = -1;
    foreach (i = 0 ... n)
        if (a[i] == wanted)
            at = max(at, i);
    return reduce_max(at);
}
"""
OPTIONS = Options(target=find_target("avx2-i32x8"), level=3)


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4"])
def test_numbers_are_those_of_the_indices(target: str) -> None:
    made = compile_kernels(RAMPS, target)
    for lo, hi in ((0, 0), (0, 3), (-7, 61), (100, 403), (-(2**31), -(2**31) + 90), (2**31 - 80, 2**31 - 32)):
        found = np.zeros(hi - lo + 1, np.int32)
        made.scaled(found, lo, hi, 3)
        assert found[:-1].tolist() == (np.arange(lo, hi) * 3).astype(np.int32).tolist() and found[-1] == 0
    n = 157
    b = np.arange(n, dtype=np.float32) % 9
    given = np.zeros(n, np.float32)
    made.reversed(given, b, n)
    assert given.tolist() == (b * (n - np.arange(n)) + (np.arange(n) ^ 5)).tolist()
    numbers = np.arange(n, dtype=np.int32) % 10
    assert made.last_of(numbers, n, 3) == 153 and made.last_of(numbers, n, 11) == -1


@pytest.mark.parametrize("debug", [False, True])
def test_loops_have_no_broadcasts(debug: bool) -> None:
    watch = Watch(passes=PassRuns(stop_after="carry_indices"))
    options = Options(target=find_target("avx2-i32x8"), level=3, debug_info=debug)
    text = compile_source(RAMPS, "f.ispc", options, Diagnostics(), watch=watch).stopped
    assert text is not None
    loops = [block for block in text.split("\n\n") if "phi <8 x i32> [ %carried." in block]
    assert len(loops) == 3
    assert not any("insertelement" in loop for loop in loops)


LOOP = """define <4 x i32> @f(i64 %begin, i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %sum = phi <4 x i32> [ zeroinitializer, %entry ], [ %sum.2, %loop ]
  %short = trunc i64 %i to i32
  %one = insertelement <4 x i32> poison, i32 %short, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %lanes = add nuw nsw <4 x i32> %all, <i32 3, i32 2, i32 1, i32 0>
  %sum.1 = add <4 x i32> %sum, %lanes
  %second = or disjoint i64 %i, 4
  %short.2 = trunc nuw nsw i64 %second to i32
  %one.2 = insertelement <4 x i32> poison, i32 %short.2, i64 0
  %all.2 = shufflevector <4 x i32> %one.2, <4 x i32> poison, <4 x i32> zeroinitializer
  %lanes.2 = or disjoint <4 x i32> %all.2, <i32 0, i32 1, i32 2, i32 3>
  %sum.2 = xor <4 x i32> %sum.1, %lanes.2
  %next = add i64 %second, 4
  %short.3 = trunc i64 %next to i32
  %more = icmp slt i32 %short.3, %n
  br i1 %more, label %loop, label %done

done:
  ret <4 x i32> %sum.2
}
"""


@pytest.mark.parametrize("begin", [0, 16, (1 << 32) - 16])
def test_sums_of_one_counter_share_what_is_carried(begin: int) -> None:
    found = carry_indices(LOOP, OPTIONS)
    inside = found[found.index("loop:") : found.index("done:")]
    assert inside.count(" = phi <4 x i32>") == 2 and "%lanes.2 = add <4 x i32> %lanes, " in inside
    n = (begin + 40) % (1 << 32)
    expected = np.zeros(4, dtype=np.int64)
    for i in range(begin, begin + 40, 8):
        expected = (expected + i + np.array([3, 2, 1, 0])) ^ ((i + 4 + np.arange(4)) % (1 << 32))
    result = IRInterpreter(read(found)).call("f", [begin, n])
    assert [each % (1 << 32) for each in result] == (expected % (1 << 32)).tolist()


def test_what_else_needs_the_broadcast_keeps_it() -> None:
    text = LOOP.replace("%sum.1 = add <4 x i32> %sum, %lanes", "%sum.1 = add <4 x i32> %all, %lanes").replace("%lanes.2, ", "")
    text = text.replace("%all.2, <i32 0", "%sum.1, <i32 0")
    assert carry_indices(text, OPTIONS) == text


def test_numbers_that_step_by_themselves_stay() -> None:
    text = LOOP.replace("%next = add i64 %second, 4", "%next = mul i64 %second, 4")
    assert carry_indices(text, OPTIONS) == text


NUMBERED = """define void @f(ptr %p) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %4, %loop ]
  %0 = trunc i64 %i to i32
  %one = insertelement <4 x i32> poison, i32 %0, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %1 = add <4 x i32> %all, <i32 5, i32 7, i32 9, i32 11>
  %3 = getelementptr i32, ptr %p, i64 %i
  store <4 x i32> %1, ptr %3, align 4
  %4 = add i64 %i, 4
  %5 = icmp ult i64 %4, 12
  br i1 %5, label %loop, label %done

done:
  ret void
}
"""


def test_numbers_of_values_stay_in_order() -> None:
    made = carry_indices(NUMBERED, OPTIONS)
    assert "%carried." in made and "insertelement" not in made
    numbers = [
        int(line.split()[0][1:]) for line in made.splitlines() if line.startswith("  %") and line.split()[0][1:].isdigit()
    ]
    assert numbers == sorted(numbers)
    found = np.zeros(12, np.int32)
    IRInterpreter(read(made)).call("f", [found])
    assert found.tolist() == [4 * gang + first for gang in range(3) for first in (5, 7, 9, 11)]
