"""Constants of vectors, where they are more than registers, are operands in memory: the same numbers, fewer instructions."""

import re

import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.constants_in_memory import MOST_IN_REGISTERS, keep_constants_in_memory
from voltac.target_info import find_target

MANY = """
define void @f(ptr %a) {
entry:
  %x = load <4 x float>, ptr %a, align 4
  %1 = fmul <4 x float> %x, splat (float 3.000000e+00)
  %2 = fadd contract <4 x float> %1, splat (float -5.000000e-01), !dbg !1
  %3 = tail call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 7.0), <4 x float> %2, <4 x float> splat (float 1.1e+01))
  %4 = fsub <4 x float> splat (float 2.000000e+00), %3
  %5 = fadd <4 x float> %4, splat (float -3.000000e+00)
  %6 = fmul <4 x float> %5, splat (float 0x3FB99999A0000000)
  %small = fcmp olt <4 x float> %6, splat (float 9.000000e+00)
  %7 = select <4 x i1> %small, <4 x float> %6, <4 x float> splat (float 9.000000e+00)
  %positive = fcmp ogt <4 x float> %7, splat (float 1.300000e+01)
  %8 = select <4 x i1> %positive, <4 x float> %1, <4 x float> %7
  store <4 x float> %8, ptr %a, align 4
  ret void
}
define void @g(ptr %a, <4 x float> %constant.3) {
  %x = load <4 x float>, ptr %a, align 4
  %sum = fadd <4 x float> %x, splat (float 3.000000e+00)
  store <4 x float> %sum, ptr %a, align 4
  ret void
}
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
"""
SOURCE = """
export void f(uniform float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = log2(a[i]) * 1.5f + exp(a[i]);
}
"""


def test_the_result_is_the_same() -> None:
    made = keep_constants_in_memory(MANY)
    verify(read(made))
    x = np.array([1, -2, 0.25, 100], np.float32)
    results = []
    for text in (MANY, made):
        values = x.copy()
        IRInterpreter(read(text)).call("f", [values])
        results.append(values)
    assert results[0].tobytes() == results[1].tobytes()


def test_operands_are_loaded_where_an_instruction_takes_them_from_memory() -> None:
    made = keep_constants_in_memory(MANY)
    f, g = made.split("define void @g")
    assert "%1 = fmul <4 x float> %x, %constant.4" in f, "names that are taken are not taken again"
    assert re.search(r"%2 = fadd contract <4 x float> %1, %constant\.\d+, !dbg !1", f)
    assert "align 16, !invariant.load !0, !dbg !1" in f
    assert "fsub <4 x float> splat (float 2.000000e+00), %3" in f, "what is subtracted from is no operand in memory"
    assert re.search(r"%5 = fsub <4 x float> %4, %constant\.\d+", f), "one constant stands for both signs"
    assert f.count("splat (float 9.000000e+00)") == 2, "minimum is one instruction with the constant"
    assert "splat (float 1.300000e+01)" not in f
    assert "fadd <4 x float> %x, splat (float 3.000000e+00)" in g, "few constants stay in registers"
    assert made.count(" = private unnamed_addr constant <4 x float> splat (float ") == 6


def test_few_constants_stay() -> None:
    lines = [f"  %{k + 1} = fadd <4 x float> %{k}, splat (float {k + 1}.000000e+00)" for k in range(MOST_IN_REGISTERS)]
    few = "\n".join(["define <4 x float> @f(<4 x float> %0) {", *lines, f"  ret <4 x float> %{len(lines)}", "}", ""])
    assert keep_constants_in_memory(few) == few


@pytest.mark.parametrize(("target", "in_memory"), [("avx2-i32x8", True), ("avx512skx-x16", False), ("sse4-i32x4", False)])
def test_it_is_for_avx2(target: str, in_memory: bool) -> None:
    text = compile_source(SOURCE, "f.ispc", Options(find_target(target), 3), Diagnostics()).optimized.text()
    assert ("@constants.1 = " in text) == in_memory
