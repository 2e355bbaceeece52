"""Constants that are put together with other lanes: nobody's lanes have values, and ``or`` with ones is ones."""

from __future__ import annotations

import numpy as np
import pytest

import voltac
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.llvm.host import can_run
from voltac.llvm.target_machine import LLVMModule, target_machine
from voltac.options import Options
from voltac.passes.lanes.filled_constants import fill_constants
from voltac.target_info import find_target

MODULE = """
define void @f(ptr %p, <4 x i32> %v, <4 x i32> %n) {
  %s = shufflevector <4 x i32> CONSTANT, <4 x i32> %v, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %o = or <4 x i32> %s, <i32 0, i32 1, i32 2, i32 3>
  %a = and <4 x i32> %o, splat (i32 1)
  %c = icmp eq <4 x i32> %n, zeroinitializer
  %r = select <4 x i1> %c, <4 x i32> zeroinitializer, <4 x i32> %a
  store <4 x i32> %r, ptr %p
  ret void
}
"""


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("<i32 9, i32 9, i32 9, i32 poison>", "splat (i32 9)"),
        ("<i32 9, i32 -1, i32 8, i32 poison>", "<i32 9, i32 -1, i32 8, i32 9>"),
        ("<i32 9, i32 -1, i32 8, i32 7>", "<i32 9, i32 -1, i32 8, i32 7>"),
        ("poison", "poison"),
    ],
)
def test_nobodys_lanes_have_values(given: str, wanted: str) -> None:
    made = fill_constants(MODULE.replace("CONSTANT", given))
    assert made == MODULE.replace("CONSTANT", wanted)
    verify(read(made))
    if given == "poison":
        return
    results = []
    for text in (MODULE.replace("CONSTANT", given), made):
        to = np.zeros(4, np.int32)
        IRInterpreter(read(text)).call("f", [to, [2, 4, 6, 8], [1, 0, 5, 1]])
        results.append(to.tolist())
    assert results[0] == results[1]


def test_lanes_that_shuffles_take_stay() -> None:
    shuffle = "  %s = shufflevector <2 x float> %v, <2 x float> <float 1.0, float poison>, <3 x i32> <i32 0, i32 poison, i32 2>"
    assert fill_constants(shuffle) == shuffle.replace("<float 1.0, float poison>", "splat (float 1.0)")
    choice = "  %s = select <2 x i1> %c, <2 x i8> <i8 poison, i8 3>, <2 x i8> %v, !dbg !3"
    assert fill_constants(choice) == choice.replace("<i8 poison, i8 3>", "splat (i8 3)")
    insertion = "  %s = insertelement <2 x i32> <i32 1, i32 poison>, i32 %x, i64 1"
    assert fill_constants(insertion) == insertion


def test_llvm_still_computes_with_0() -> None:
    """If this fails, LLVM is mended, and the pass can go: the lane of poison is 3 or more, so its lowest bit is 1."""
    options = Options(find_target("sse4-i32x4"))
    module = LLVMModule(MODULE.replace("CONSTANT", "<i32 9, i32 9, i32 9, i32 poison>"), options)
    assembly = target_machine(options).emit_assembly(module.ref)
    assert "[9,4294967295,9,0]" in assembly.replace(" ", "") or ".zero\t4" in assembly


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x4", "avx2-i64x4"])
def test_kernels_are_right(target: str) -> None:
    if not can_run(find_target(target)):
        pytest.skip(f"this CPU cannot run {target}")
    source = """
    export void low(uniform uint32 out[], uniform uint32 v[], uniform uint32 q[], uniform int n) {
        foreach (i = 0 ... n)
            out[i] = ((i % 4 == 3 ? v[i] : 9u) | (uint32)i) & min(max(q[i], v[i]), 1u);
    }"""
    n = 61
    v, q, out = (np.random.default_rng(k).integers(0, 3, n).astype(np.uint32) for k in range(3))
    voltac.compile(source, target=target, opt=1).low(out, v, q, n)
    i = np.arange(n, dtype=np.uint32)
    assert np.array_equal(out, (np.where(i % 4 == 3, v, 9) | i) & np.minimum(np.maximum(q, v), 1))
