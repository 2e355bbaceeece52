"""Bytes divided by constants as 16-bit numbers: the same quotients and remainders of all bytes."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.byte_divisions import divide_in_words
from voltac.target_info import find_target

TEXT = """
define void @f(ptr %p, ptr %q, ptr %r) {{
entry:
  %x = load <16 x i8>, ptr %p, align 1
  %d = {sign}div <16 x i8> %x, splat (i8 {by}), !dbg !1
  %m = {sign}rem <16 x i8> %x, splat (i8 {by})
  store <16 x i8> %d, ptr %q, align 1
  store <16 x i8> %m, ptr %r, align 1
  ret void
}}
"""


@pytest.mark.parametrize(("sign", "by"), [("u", 10), ("u", -6), ("s", 10), ("s", -7), ("s", 127)])
def test_all_bytes(sign: str, by: int) -> None:
    made = divide_in_words(TEXT.format(sign=sign, by=by))
    assert "div <16 x i8>" not in made and "rem <16 x i8>" not in made and "!dbg !1" in made
    verify(read(made))
    dtype = np.uint8 if sign == "u" else np.int8
    for first in range(0, 256, 16):
        given = np.arange(first, first + 16).astype(np.uint8).view(dtype)
        quotients, remainders = np.zeros(16, dtype), np.zeros(16, dtype)
        IRInterpreter(read(made)).call("f", [given, quotients, remainders])
        wide = given.astype(int)
        divisor = by % 256 if sign == "u" else by
        expected = np.trunc(wide / divisor).astype(int)
        assert (quotients == expected).all() and (remainders == wide - expected * divisor).all()


@pytest.mark.parametrize("flag", ["nsw", "nuw", "nuw nsw"])
def test_what_was_cut_without_loss_is_divided_as_it_was(flag: str) -> None:
    text = f"""
define <16 x i8> @f(<16 x i16> %x) {{
  %b = trunc {flag} <16 x i16> %x to <16 x i8>
  %d = udiv <16 x i8> %b, splat (i8 10)
  %e = sdiv <16 x i8> %b, splat (i8 10)
  %s = add <16 x i8> %d, %e
  ret <16 x i8> %s
}}"""
    made = divide_in_words(text)
    verify(read(made))
    assert ("udiv <16 x i16> %x" in made) == ("nuw" in flag)
    assert ("sdiv <16 x i16> %x" in made) == ("nsw" in flag)


DIGITS = """
export void digits(uniform uint8 to[], const uniform int x[], uniform int n) {
    foreach (i = 0 ... n) {
        int v = x[i] % 10000;
        to[4 * i] = v / 1000;
        to[4 * i + 1] = v / 100 % 10;
        to[4 * i + 2] = v / 10 % 10;
        to[4 * i + 3] = v % 10;
    }
}
"""


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4"])
def test_digits_of_numbers(target: str) -> None:
    digits = compile_kernels(DIGITS, target).digits
    for n in (1, 8, 32, 75):
        x = np.random.default_rng(n).integers(-(2**31), 2**31, n).astype(np.int32)
        rest = np.fmod(x.astype(int), 10000)
        to = np.zeros(4 * n, np.uint8)
        digits(to, x, n)
        expected = [np.fmod(np.trunc(rest / 10**place).astype(int), 10) for place in (3, 2, 1, 0)]
        assert (to == np.stack(expected, 1).astype(np.uint8).ravel()).all()


def test_remainders_are_packed_and_divided_as_words() -> None:
    compilation = compile_source(DIGITS, "f.ispc", Options(find_target("avx2-i32x8"), level=3), Diagnostics())
    text = compilation.optimized.text()
    assert "sdiv <32 x i16>" in text and "x i8>, splat (i8 10)" not in text.replace("add", "")
