"""Even and odd elements of two registers: taken within halves, added without horizontal instructions, the same results."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.pairs_in_halves import pair_in_halves
from voltac.target_info import find_target

TEXT = """
define void @f(ptr %p, ptr %r) {{
entry:
  %q = getelementptr i8, ptr %p, i64 32
  %a = load {vector}, ptr %p, align 4
  %b = load {vector}, ptr %q, align 4
  %even = shufflevector {vector} %a, {vector} %b, <{lanes} x i32> <{even}>
  %odd = shufflevector {vector} %a, {vector} %b, <{lanes} x i32> <{odd}>
  %sum = {prefix}add {vector} %odd, %even
  %difference = {prefix}sub {vector} %even, %odd
  %s = getelementptr i8, ptr %r, i64 32
  store {vector} %sum, ptr %r, align 4
  store {vector} %difference, ptr %s, align 4
  ret void
}}
"""


def text(lanes: int, element: str) -> str:
    even, odd = (", ".join(f"i32 {at}" for at in range(first, 2 * lanes, 2)) for first in (0, 1))
    prefix = "f" if element in ("float", "double") else ""
    return TEXT.format(vector=f"<{lanes} x {element}>", lanes=lanes, even=even, odd=odd, prefix=prefix)


@pytest.mark.parametrize(
    ("lanes", "element", "dtype"), [(8, "float", "f4"), (8, "i32", "i4"), (4, "double", "f8"), (4, "i64", "i8")]
)
def test_halves_are_loaded_into_their_places(lanes: int, element: str, dtype: str) -> None:
    made = pair_in_halves(text(lanes, element), Options(find_target("avx2-i32x8")))
    assert made.count(f"load <{lanes // 2} x {element}>") == 4 and "arithmetic.fence" in made
    verify(read(made))
    given = np.arange(2 * lanes).astype(dtype) ** 2
    result = np.zeros_like(given)
    IRInterpreter(read(made)).call("f", [given, result])
    even, odd = given[::2], given[1::2]
    assert (result == np.concatenate([even + odd, even - odd])).all()


def test_a_register_with_other_users_stays_whole() -> None:
    used = text(8, "float").replace("store <8 x float> %sum, ptr %r", "store <8 x float> %a, ptr %r")
    made = pair_in_halves(used, Options(find_target("avx2-i32x8")))
    assert "load <4 x float>" not in made and "arithmetic.fence" in made


@pytest.mark.parametrize("target", ["avx512skx-x16", "sse4-i32x4"])
def test_where_registers_have_no_halves_only_sums_change(target: str) -> None:
    made = pair_in_halves(text(8, "float"), Options(find_target(target)))
    assert "load <4 x float>" not in made and "arithmetic.fence" in made


SOURCE = """
export void haar(uniform float a[], const uniform float b[], uniform int n) {
    foreach (i = 0 ... n) {
        a[i] = b[2 * i] + b[2 * i + 1];
        a[n + i] = b[2 * i] - b[2 * i + 1];
    }
}
export void sums(uniform int a[], const uniform int b[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = b[2 * i + 1] + b[2 * i];
}
"""


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4", "avx512skx-x8"])
def test_sums_and_differences_of_neighbours(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    for n in (1, 8, 16, 37):
        b = np.random.default_rng(n).random(2 * n).astype(np.float32)
        a = np.zeros(2 * n, np.float32)
        kernels.haar(a, b, n)
        assert (a == np.concatenate([b[::2] + b[1::2], b[::2] - b[1::2]])).all()
        whole, total = (b * 1000).astype(np.int32), np.zeros(n, np.int32)
        kernels.sums(total, whole, n)
        assert (total == whole[::2] + whole[1::2]).all()


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4", "avx512skx-x8"])
def test_no_horizontal_instruction_is_left(target: str) -> None:
    compilation = compile_source(SOURCE, "f.ispc", Options(find_target(target), level=3), Diagnostics())
    assembly = compilation.optimized.assembly()
    assert "haddps" not in assembly and "hsubps" not in assembly and "phaddd" not in assembly
