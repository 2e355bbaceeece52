"""Bits of 32-bit lanes are counted in bytes on AVX2: what Python counts, and powers of two are left to LLVM."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.arithmetic.bits_of_words import count_in_bytes
from voltac.target_info import find_target

COUNT = """
define void @f(ptr %p, ptr %q) {
entry:
  %x = load <8 x i32>, ptr %p, align 4
  %n = tail call range(i32 0, 33) <8 x i32> @llvm.ctpop.v8i32(<8 x i32> %x), !dbg !1
  store <8 x i32> %n, ptr %q, align 4
  ret void
}

declare <8 x i32> @llvm.ctpop.v8i32(<8 x i32>)
"""
COMPARED = COUNT.replace("  store <8", "  %c = icmp ult <8 x i32> %n, splat (i32 2)\n  store <8")
KERNEL = """
export void count(uniform int to[], uniform int a[], uniform int n) {
    foreach (i = 0 ... n) to[i] = popcnt(a[i]);
}"""


def numbers() -> np.ndarray:
    """All bits, none, each alone, and others."""
    alone = [1 << bit for bit in range(32)]
    others = np.random.default_rng(1).integers(0, 1 << 32, 30).tolist()
    return np.array([0, (1 << 32) - 1, *alone, *others], np.uint32).view(np.int32)


def counts(values: np.ndarray) -> list[int]:
    return [each.bit_count() for each in values.view(np.uint32).tolist()]


def test_what_is_written_counts_the_bits() -> None:
    made = count_in_bytes(COUNT)
    assert "ctpop.v8i32(<8 x i32> %" not in made and made.count("!dbg !1") == 3
    verify(read(made))
    values = numbers()
    for first in range(0, len(values), 8):
        to = np.zeros(8, np.int32)
        IRInterpreter(read(made)).call("f", [values[first : first + 8].copy(), to])
        assert to.tolist() == counts(values[first : first + 8])


def test_others_are_left_as_they_are() -> None:
    for text in (COMPARED, COUNT.replace("8i32", "4i32").replace("<8 x", "<4 x"), COUNT.replace("ctpop", "bitreverse")):
        assert count_in_bytes(text) is text


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i32x16", "sse4-i32x4", "avx512skx-x16"])
def test_kernels_count_the_bits(target: str) -> None:
    values = numbers()
    to = np.zeros(len(values), np.int32)
    compile_kernels(KERNEL, target).count(to, values, len(values))
    assert to.tolist() == counts(values)


def test_the_pass_is_for_registers_of_avx2() -> None:
    for target, wanted in (("avx2-i32x8", True), ("avx512skx-x8", False)):
        made = compile_source(KERNEL, "f.ispc", Options(find_target(target), level=2)).optimized
        assert made is not None and ("vpmaddubsw" in made.assembly()) == wanted
