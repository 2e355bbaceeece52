"""A load under a mask is dropped where the same addresses were loaded for at least those lanes, and only there."""

from __future__ import annotations

import pytest

from voltac import passes
from voltac.options import Options
from voltac.target_info import find_target

PROGRAM = """define <8 x float> @f(ptr noalias %p, ptr noalias %q, ptr %r, <8 x i32> %stored, i32 %i, i1 %c) {{
entry:
  %one = insertelement <8 x i32> poison, i32 %i, i64 0
  %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  %lanes = add nsw <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %index = sext <8 x i32> %lanes to <8 x i64>
  %a = getelementptr float, ptr %p, <8 x i64> %index
  %b = getelementptr float, ptr %q, <8 x i64> %index
  %d = getelementptr float, ptr %r, <8 x i64> %index
  %mask = icmp slt <8 x i32> %stored, zeroinitializer
  %positive = icmp sgt <8 x i32> %lanes, zeroinitializer
  %wide = sext <8 x i1> %positive to <8 x i32>
  %both = and <8 x i32> %stored, %wide
  %narrow = icmp slt <8 x i32> %both, zeroinitializer
  %x = call <8 x float> @volta.gather.v8f32(<8 x ptr> %a, <8 x i1> {first})
  {between}
  br i1 %c, label %then, label %done

then:
  %y = call <8 x float> @volta.gather.v8f32(<8 x ptr> %a, <8 x i1> {second})
  %z = fadd <8 x float> %x, %y
  br label %done

done:
  %result = phi <8 x float> [ %x, %entry ], [ %z, %then ]
  ret <8 x float> %result
}}

declare <8 x float> @volta.gather.v8f32(<8 x ptr>, <8 x i1>) nounwind willreturn memory(read)
declare void @volta.scatter.v8f32(<8 x float>, <8 x ptr>, <8 x i1>) nounwind willreturn memory(write)
declare void @elsewhere()
"""
ALL_ON = "splat (i1 true)"


def store(pointers: str) -> str:
    return f"call void @volta.scatter.v8f32(<8 x float> %x, <8 x ptr> {pointers}, <8 x i1> %mask)"


@pytest.mark.parametrize(
    ("first", "between", "second", "kind"),
    [
        (ALL_ON, "", "%mask", "shared"),
        ("%mask", "", "%mask", "shared"),
        ("%mask", "", "%narrow", "shared"),
        ("%narrow", "", "%mask", "masked"),
        ("%mask", "", ALL_ON, "vector"),
        (ALL_ON, store("%b"), "%mask", "shared"),
        (ALL_ON, store("%a"), "%mask", "shared"),
        (ALL_ON, store("%a"), "%narrow", "shared"),
        ("%narrow", store("%a"), ALL_ON, "vector"),
        (ALL_ON, "call void @elsewhere()", "%mask", "masked"),
    ],
)
def test_what_becomes_of_the_second_load(first: str, between: str, second: str, kind: str) -> None:
    text = PROGRAM.format(first=first, between=between, second=second)
    options = Options(find_target("avx2-i32x8"))
    _, reports = passes.run_with_reports(text, options)
    assert [each.kind for each in reports if each.block == "then"] == [kind]
