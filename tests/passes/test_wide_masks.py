"""Masks that cross blocks are carried as whole lanes; the meaning stays."""

import re

import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.wide_masks import keep_masks_wide
from voltac.target_info import find_target

AVX2 = Options(find_target("avx2-i32x8"))

CROSSING = """
define void @f(ptr %a, i32 %n) {
entry:
  %x = load <8 x float>, ptr %a, align 4
  %m = fcmp ogt <8 x float> %x, zeroinitializer
  %go = icmp sgt i32 %n, 0
  br i1 %go, label %loop, label %done

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %live = phi <8 x i1> [ <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, %entry ], [ %still, %loop ]
  %y = phi <8 x float> [ %x, %entry ], [ %z, %loop ]
  %sum = fadd <8 x float> %y, splat (float 1.000000e+00)
  %both = and <8 x i1> %live, %m
  %z = select <8 x i1> %both, <8 x float> %sum, <8 x float> %y
  %small = fcmp olt <8 x float> %z, splat (float 4.000000e+00)
  %still = and <8 x i1> %live, %small
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  %r = phi <8 x float> [ %x, %entry ], [ %z, %loop ]
  %end = phi <8 x i1> [ zeroinitializer, %entry ], [ %still, %loop ]
  %s = select <8 x i1> %m, <8 x float> %r, <8 x float> splat (float -1.000000e+00)
  %t = select <8 x i1> %end, <8 x float> splat (float 9.000000e+00), <8 x float> %s
  store <8 x float> %t, ptr %a, align 4
  ret void
}
"""


def run(text: str, n: int) -> list[float]:
    values = np.array([-2, -1, 0, 1, 2, 3, 4, 5], np.float32)
    IRInterpreter(read(text)).call("f", [values, n])
    return [float(value) for value in values]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_the_result_is_the_same(n: int) -> None:
    widened = keep_masks_wide(CROSSING, AVX2)
    assert run(widened, n) == run(CROSSING, n)


def test_no_mask_of_bits_crosses_a_block() -> None:
    widened = read(keep_masks_wide(CROSSING, AVX2))
    verify(widened)
    blocks = widened.functions[0].blocks
    for block in blocks:
        masks = {instruction.name for instruction in block.instructions if instruction.type == "<8 x i1>"}
        assert not [phi for phi in block.phis() if phi.type == "<8 x i1>"]
        for other in blocks:
            if other is not block:
                assert not [line for line in other.instructions if masks & set(line.names_used())]


def test_targets_with_mask_registers_are_left_alone() -> None:
    assert keep_masks_wide(CROSSING, Options(find_target("avx512skx-x8"))) == CROSSING


def test_branches_under_masks_pack_and_unpack_nothing() -> None:
    source = """
    export void f(uniform float a[], uniform float b[], uniform int n) {
        foreach (i = 0 ... n) {
            float x = a[i];
            if (x > 0) { for (uniform int k = 0; k < n; k++) x += b[k] * x; }
            else { for (uniform int k = 0; k < n; k++) x -= b[k] * x; }
            a[i] = x;
        }
    }"""
    compilation = compile_source(source, "f.ispc", AVX2, Diagnostics())
    assert not re.search(r"vpackss|vpmov[sz]x", compilation.optimized.assembly())
