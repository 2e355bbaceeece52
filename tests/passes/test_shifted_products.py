"""Of products of 16-bit numbers 16 bits in the middle: the same bits, and no numbers of 32 bits."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest
from kernels import compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.arithmetic.shifted_products import shift_products
from voltac.target_info import find_target

TEXT = """
define <8 x i16> @f(<8 x i16> %x, <8 x i16> %y) {{
entry:
  %a = {sign}ext <8 x i16> %x to <8 x i32>
  %b = {sign}ext <8 x i16> %y to <8 x i32>
  %p = mul <8 x i32> %a, {second}
  %o = add <8 x i32> %p, splat (i32 {added})
  %s = {shift} <8 x i32> {whole}, splat (i32 {count})
  %t = trunc <8 x i32> %s to <8 x i16>
  ret <8 x i16> %t
}}
"""
SSE2 = Options(find_target("sse2-i32x4"), level=3)


@pytest.mark.parametrize("sign", ["s", "z"])
def test_every_shift(sign: str) -> None:
    rng = random.Random(sign)
    for count in range(1, 16):
        number = rng.randrange(-32768, 32768) if sign == "s" else rng.randrange(65536)
        second = rng.choice(["%b", f"splat (i32 {number})"])
        added = 1 << count - 1 if rng.random() < 0.5 else 0
        shift = rng.choice(["lshr", "ashr"])
        plain = TEXT if added else TEXT.replace("  %o = add <8 x i32> %p, splat (i32 {added})\n", "")
        text = plain.format(sign=sign, second=second, added=added, whole="%o" if added else "%p", count=count, shift=shift)
        made = shift_products(text, SSE2)
        verify(read(made))
        assert "splat (i32 16)" in made and "%s = " in made
        values = [-32768, 32767, -1, 0, *(rng.randrange(-32768, 32768) for _ in range(4))]
        others = rng.sample(values, 8)
        found = list(IRInterpreter(read(made)).call("f", [values, others]))
        for x, y, result in zip(values, others, found, strict=True):
            one, other = (x, y) if sign == "s" else (x % 65536, y % 65536)
            product = one * (other if second == "%b" else number)
            assert (result - (product + added >> count)) % 65536 == 0, (x, y, text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{count}", "16"),  # LLVM's own
        ("{added}", "5"),
        ("%b = {sign}ext", "%b = zext"),  # read in two ways
        ("{second}", "splat (i32 40000)"),
        ("ret <8 x i16> %t", "%u = trunc <8 x i32> %p to <8 x i16>\n  %v = add <8 x i16> %t, %u\n  ret <8 x i16> %v"),
    ],
)
def test_what_stays(old: str, new: str) -> None:
    text = TEXT.replace(old, new).format(sign="s", second="%b", added=128, whole="%o", count=8, shift="lshr")
    assert shift_products(text, SSE2) == text


TYPES: dict[str, Any] = {"int16": np.int16, "uint16": np.uint16}
TARGETS = ["sse2-i32x4", "sse4-i32x4", "avx1-i32x8", "avx2-i32x8", "avx512skx-x16"]
SHIFTS = (1, 8, 15)


@pytest.mark.parametrize(("target", "element"), some_pairs(TARGETS, TYPES, 4))
def test_kernels_are_numpys(target: str, element: str) -> None:
    """With and without half of the last bit, of products with each other and with a constant."""
    wide = "int" if element == "int16" else "uint32"
    source = ""
    cases: list[tuple[str, int, str, int]] = []
    for count in SHIFTS:
        for factor, added in (("c[i]", 0), ("c[i]", 1 << count - 1), ("12345", 0), ("321", 1 << count - 1)):
            name = f"f{len(cases)}"
            arrays = f"uniform {element} a[], const uniform {element} b[], const uniform {element} c[]"
            source += f"export void {name}({arrays}, uniform int n)"
            source += f" {{ foreach (i = 0 ... n) a[i] = (({wide})b[i] * ({wide}){factor} + {added}) >> {count}; }}\n"
            cases.append((name, count, factor, added))
    kernels = compile_kernels(source, target)
    limits, rng = np.iinfo(TYPES[element]), np.random.default_rng(7)
    b, c = (rng.integers(limits.min, limits.max, 203, TYPES[element], endpoint=True) for _ in "bc")
    b[:4], c[:4] = limits.min, (limits.min, limits.max, limits.min, 1)
    b[4:8], c[4:8] = limits.max, (limits.min, limits.max, limits.max, 1)
    for name, count, factor, added in cases:
        a = np.zeros_like(b)
        kernels[name](a, b, c, len(b))
        other = c.astype(np.int64) if factor == "c[i]" else int(factor)
        assert (a == ((b.astype(np.int64) * other + added) >> count).astype(b.dtype)).all(), (count, factor, added)


def test_a_volume_is_five_instructions() -> None:
    source = """export void f(uniform int16 a[], const uniform int16 b[], uniform int n) {
    foreach (i = 0 ... n) a[i] = ((int)b[i] * 200) >> 8; }
export void g(uniform int16 a[], const uniform int16 b[], const uniform int16 c[], uniform int n) {
    foreach (i = 0 ... n) a[i] = ((int)b[i] * (int)c[i] + 16384) >> 15; }"""
    made = compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), level=3, whole_program=True))
    assert made.optimized is not None
    text = made.optimized.assembly()
    first, second = (text[text.index(f"\n{name}:") :].partition(".Lfunc_end")[0] for name in "fg")
    assert "vpmulhw" in first and "vpmullw" in first and "vpmulhrsw" in second
    for body in (first, second):
        assert not re.search(r"vpmovsx|vpmadd|vpmulld|vpack", body), body
