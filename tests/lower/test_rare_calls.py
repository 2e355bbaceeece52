"""What the library's functions leave to others for the ends of their range is called from blocks that hardly ever run."""

from __future__ import annotations

import re

import pytest
from lowering import AVX2, AVX512, SSE4, text_after

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import TargetInfo

SOURCE = """
noinline float mine(float x) { return x * x; }
export void test(uniform float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = sinh(a[i]) + 3 * sin(a[i]) + mine(a[i]);
}
"""


@pytest.mark.parametrize("target", [SSE4, AVX2, AVX512], ids=["sse4", "avx2", "avx512"])
def test_calls_say_so(target: TargetInfo) -> None:
    text = text_after("lower", SOURCE, target)
    calls = re.findall(r"call [^\n]*@(reduce_by_words|mine)[^\n]*?\)( cold)?(?:, !dbg !\d+)?$", text, re.MULTILINE)
    assert set(calls) == {("reduce_by_words", " cold"), ("mine", "")}


def test_the_loop_keeps_its_constants_in_registers() -> None:
    source = (
        "export void f(uniform float a[], uniform float out[], uniform int n) { foreach (i = 0 ... n) out[i] = exp2(a[i]); }"
    )
    assembly = compile_source(source, "f.ispc", Options(AVX2, 3), Diagnostics()).optimized.assembly()
    assert "vtestps" in assembly
    test = assembly.index("vtestps")
    assert "vbroadcastss" not in assembly[assembly.rindex("\n.L", 0, test) : test]
