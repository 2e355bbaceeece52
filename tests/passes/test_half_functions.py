"""Roots, whole numbers and sums of float16 are computed lanes together, and right for every number."""

from __future__ import annotations

import re

import numpy as np
import pytest
from llvmlite import binding

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.passes.arithmetic.half_functions import widen_half_functions
from voltac.target_info import find_target

FUNCTIONS = {"sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}
ARRAYS = "uniform float16 a[], uniform float16 r[], uniform int n"
SOURCE = "export uniform float16 sum(uniform float16 a[]) { return reduce_add(a[programIndex]); }\n" + "".join(
    f"export void {name}_({ARRAYS}) {{ foreach (i = 0 ... n) r[i] = {name}(a[i]); }}\n" for name in FUNCTIONS
)


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4"])
def test_every_number(target: str) -> None:
    made = voltac.compile(SOURCE, target=target)
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for name, function in FUNCTIONS.items():
        got = np.empty_like(x)
        getattr(made, f"{name}_")(x, got, len(x))
        with np.errstate(invalid="ignore"):
            wanted = function(x.astype(np.float64)).astype(np.float16)
        numbers = ~np.isnan(wanted)
        np.testing.assert_array_equal(got[numbers].view(np.uint16), wanted[numbers].view(np.uint16), name)
        assert np.isnan(got[~numbers]).all(), name
    # 1 + 2^-11 is no float16: halves of the lanes are added first.
    width = int(target.split("x")[-1])
    lanes = np.array([1, 2**-11] * (width // 2), np.float16)
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    assert made.sum(np.array([1, 2**-11] * (width // 2), np.float16)) == lanes[0]


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4", "avx512skx-x16"])
def test_no_lane_is_taken_alone(target: str) -> None:
    options = Options(find_target(target), level=2)
    code = compile_source(SOURCE, "halves.ispc", options, end="late").results["late"].text()
    assert not re.search(r" call [^@\n]*half> @llvm\.(sqrt|floor|ceil|trunc|roundeven|vector\.reduce\.fadd)", code)


def test_the_text_of_a_call() -> None:
    call = "  %r = tail call <8 x half> @llvm.floor.v8f16(<8 x half> %a), !dbg !7\n"
    assert widen_half_functions(call).splitlines()[:3] == [
        "  %r.half.of = fpext <8 x half> %a to <8 x float>, !dbg !7",
        "  %r.half.as = tail call <8 x float> @llvm.floor.v8f32(<8 x float> %r.half.of), !dbg !7",
        "  %r = fptrunc <8 x float> %r.half.as to <8 x half>, !dbg !7",
    ]
    numbered = "define <8 x half> @f(<8 x half> %0) {\n  %2 = call <8 x half> @llvm.sqrt.v8f16(<8 x half> %0)\n"
    numbered += "  ret <8 x half> %2\n}\n"
    binding.parse_assembly(widen_half_functions(numbered)).verify()
    other = "  %r = call <8 x half> @llvm.fabs.v8f16(<8 x half> %a)\n  %s = call half @llvm.floor.f16(half %b)\n"
    assert widen_half_functions(other) == other
