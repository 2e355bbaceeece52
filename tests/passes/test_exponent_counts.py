"""Leading and trailing zeros by exponents of floats: those of every power of two and its neighbours."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.passes.arithmetic.exponent_counts import count_by_exponents

TEXT = """
define void @f(ptr %p, ptr %l, ptr %t) {
entry:
  %x = load <8 x i32>, ptr %p, align 4
  %leading = tail call range(i32 0, 33) <8 x i32> @llvm.ctlz.v8i32(<8 x i32> %x, i1 false)
  %trailing = call <8 x i32> @llvm.cttz.v8i32(<8 x i32> %x, i1 false), !dbg !1
  store <8 x i32> %leading, ptr %l, align 4
  store <8 x i32> %trailing, ptr %t, align 4
  ret void
}
declare <8 x i32> @llvm.ctlz.v8i32(<8 x i32>, i1)
declare <8 x i32> @llvm.cttz.v8i32(<8 x i32>, i1)
"""
VALUES = sorted({(1 << bit) + near & 0xFFFFFFFF for bit in range(33) for near in (-2, -1, 0, 1, 2)} | {0xAAAAAAAA, 0xFFFFFF7F})


def zeros(values: list[int]) -> tuple[list[int], list[int]]:
    texts = [format(value, "032b") for value in values]
    return [len(text) - len(text.lstrip("0")) for text in texts], [len(text) - len(text.rstrip("0")) for text in texts]


@pytest.mark.parametrize("nonzero", ["false", "true"])
def test_every_power_of_two_and_its_neighbours(nonzero: str) -> None:
    made = count_by_exponents(TEXT.replace("i1 false", f"i1 {nonzero}"))
    assert "call range" not in made and "!dbg !1" in made
    verify(read(made))
    values = [value for value in VALUES if value or nonzero == "false"]
    values += [1] * (-len(values) % 8)
    for start in range(0, len(values), 8):
        eight = values[start : start + 8]
        given = np.array(eight, np.uint32).view(np.int32)
        leading, trailing = np.zeros(8, np.int32), np.zeros(8, np.int32)
        IRInterpreter(read(made)).call("f", [given, leading, trailing])
        assert (leading.tolist(), trailing.tolist()) == zeros(eight)


WIDE = """
define void @f(ptr %p, ptr %l) {
entry:
  %x = load <2 x i64>, ptr %p, align 4
  %leading = tail call range(i64 0, 65) <2 x i64> @llvm.ctlz.v2i64(<2 x i64> %x, i1 false), !dbg !1
  store <2 x i64> %leading, ptr %l, align 4
  ret void
}
declare <2 x i64> @llvm.ctlz.v2i64(<2 x i64>, i1)
"""


def test_leading_zeros_of_long_numbers() -> None:
    made = count_by_exponents(WIDE)
    verify(read(made))
    assert "call <2 x i64>" not in made and "@llvm.ctlz.v4i32" not in made
    values = sorted({(1 << bit) + near & (1 << 64) - 1 for bit in range(65) for near in (-1, 0, 1)} | {0xAAAAAAAA, 1 << 40 | 5})
    for first, second in zip(values, reversed(values)):
        leading = np.zeros(2, np.int64)
        IRInterpreter(read(made)).call("f", [np.array([first, second], np.uint64).view(np.int64), leading])
        assert leading.tolist() == [64 - first.bit_length(), 64 - second.bit_length()]


SOURCE = """
export void count(uniform int l[], uniform int t[], const uniform int x[], uniform int n) {
    foreach (i = 0 ... n) {
        l[i] = count_leading_zeros(x[i]);
        t[i] = count_trailing_zeros(x[i]);
    }
}
"""


@pytest.mark.parametrize("target", ["sse2-i32x4", "sse4-i32x8", "avx1-i32x8", "avx2-i32x8", "avx2-i32x16"])
def test_kernels_count_as_before(target: str) -> None:
    count = compile_kernels(SOURCE, target).count
    values = np.array([*VALUES, *VALUES[3:8]], np.uint32)
    leading, trailing = np.zeros(len(values), np.int32), np.zeros(len(values), np.int32)
    count(leading, trailing, values.view(np.int32), len(values))
    assert (leading.tolist(), trailing.tolist()) == zeros(values.tolist())
