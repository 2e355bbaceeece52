"""Divisors that cannot be zero: what one sees in written functions, and nothing that only looks like it."""

from __future__ import annotations

import pytest

from voltac.ir.lane_values import LaneValues
from voltac.ir.parts import Operand
from voltac.ir.read import read
from voltac.passes.facts.known_divisors import is_never_zero

FUNCTION = """define <4 x i32> @f(i32 %n, <4 x i32> %v) {{
{body}
  ret <4 x i32> %d
}}
"""
SPREAD = "  %d = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"  %one = insertelement <4 x i32> poison, i32 5, i64 0\n{SPREAD}", True),
        (f"  %one = insertelement <4 x i32> zeroinitializer, i32 5, i64 0\n{SPREAD}", True),
        (f"  %one = insertelement <4 x i32> poison, i32 %n, i64 0\n{SPREAD}", False),
        # Every lane is lane 0, which is zero; 5 is in lane 3.
        (f"  %one = insertelement <4 x i32> zeroinitializer, i32 5, i64 3\n{SPREAD}", False),
        ("  %d = or <4 x i32> %v, splat (i32 1)", True),
        ("  %d = or <4 x i32> splat (i32 1), %v", True),
        ("  %d = and <4 x i32> %v, splat (i32 1)", False),
        ("  %d = call <4 x i32> @llvm.umax.v4i32(<4 x i32> %v, <4 x i32> splat (i32 1))", True),
        ("  %d = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v, <4 x i32> splat (i32 -1))", False),
        (
            "  %m = icmp ne <4 x i32> %v, zeroinitializer\n"
            "  %d = select <4 x i1> %m, <4 x i32> %v, <4 x i32> splat (i32 -1)",
            True,
        ),
        (
            "  %m = icmp eq <4 x i32> %v, zeroinitializer\n"
            "  %d = select <4 x i1> %m, <4 x i32> %v, <4 x i32> splat (i32 -1)",
            False,
        ),
    ],
)  # fmt: skip
def test_a_divisor_is_known_not_to_be_zero(body: str, expected: bool) -> None:
    module = read(FUNCTION.format(body=body))
    values = LaneValues(module.function("f"), module.layout())
    assert is_never_zero(Operand("<4 x i32>", "%d"), values) is expected
