"""Upper halves of products and divisions of 64-bit lanes by products of 32 bits: what Python's integers give."""

import random

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.high_products import multiply_high
from voltac.target_info import find_target

AVX2, SSE4 = (Options(find_target(name), level=3) for name in ("avx2-i32x8", "sse4-i32x4"))
DIVISIONS = """
define void @f(ptr %p, ptr %q, ptr %r) {{
entry:
  %x = load <4 x i64>, ptr %p, align 8
  %d = {sign}div <4 x i64> %x, splat (i64 {by}), !dbg !1
  %m = {sign}rem <4 x i64> %x, splat (i64 {by})
  store <4 x i64> %d, ptr %q, align 8
  store <4 x i64> %m, ptr %r, align 8
  ret void
}}
"""


def numbers(by: int, low: int, high: int) -> list[int]:
    """The ends of the range, multiples of the divisor and their neighbours, and others of all sizes."""
    rng = random.Random(f"{by} {low}")
    multiples = [by * rng.randrange(high // abs(by) + 1) for _ in range(8)] + [by * (high // abs(by)), by, 0]
    near = [multiple + step for multiple in multiples for step in (-1, 0, 1)]
    others = [rng.getrandbits(rng.randrange(1, 65)) * rng.choice((1, -1)) for _ in range(24)]
    found = [number for number in [low, low + 1, high, high - 1, *near, *others] if low <= number <= high]
    return found + [0] * (-len(found) % 4)


@pytest.mark.parametrize("by", [3, 5, 6, 7, 10, 641, 1000003, 28 << 20, 2**32 - 1, 2**32 + 1, 10**18, 2**62 + 1])
def test_quotients_and_remainders(by: int) -> None:
    for sign in ("u", "s", "-"):
        dtype = np.uint64 if sign == "u" else np.int64
        divisor = -by if sign == "-" else by
        made = multiply_high(DIVISIONS.format(sign="u" if sign == "u" else "s", by=divisor), AVX2)
        assert "div" not in made.replace("divided", "") and "rem" not in made and "!dbg !1" in made
        verify(read(made))
        interpreter = IRInterpreter(read(made))
        given = numbers(divisor, *((0, 2**64 - 1) if sign == "u" else (-(2**63), 2**63 - 1)))
        for first in range(0, len(given), 4):
            x = given[first : first + 4]
            quotients, remainders = np.zeros(4, dtype), np.zeros(4, dtype)
            interpreter.call("f", [np.array(x, dtype), quotients, remainders])
            sizes = [abs(number) // by for number in x]
            expected = [-size if (number < 0) != (divisor < 0) else size for number, size in zip(x, sizes)]
            assert quotients.tolist() == expected, (divisor, x)
            assert remainders.tolist() == [number - each * divisor for number, each in zip(x, expected)]


@pytest.mark.parametrize("by", [2**63 + 9, 2**64 - 1])
def test_divisors_of_all_bits(by: int) -> None:
    made = multiply_high(DIVISIONS.format(sign="u", by=by - 2**64), AVX2)
    x = [0, by - 1, by, 2**64 - 1]
    quotients, remainders = np.zeros(4, np.uint64), np.zeros(4, np.uint64)
    IRInterpreter(read(made)).call("f", [np.array(x, np.uint64), quotients, remainders])
    assert quotients.tolist() == [number // by for number in x] and remainders.tolist() == [number % by for number in x]


@pytest.mark.parametrize(("by", "options"), [(8, AVX2), (-(2**63), AVX2), (1, AVX2), (10, SSE4)])
def test_llvm_divides_by_powers_of_two_and_two_lanes(by: int, options: Options) -> None:
    text = DIVISIONS.format(sign="s", by=by)
    assert multiply_high(text, options) == text


PRODUCT = """
define void @f(ptr %p, ptr %q, ptr %r) {{
entry:
  %x = load <4 x i64>, ptr %p, align 8
  %y = load <4 x i64>, ptr %q, align 8
  %a = zext <4 x i64> %x to <4 x i128>
  %b = zext <4 x i64> %y to <4 x i128>
  %c = mul nuw <4 x i128> %a, {other}
  %d = lshr <4 x i128> %c, splat (i128 64)
  %h = trunc nuw <4 x i128> %d to <4 x i64>
  store <4 x i64> %h, ptr %r, align 8
  ret void
}}
"""


@pytest.mark.parametrize("constant", [0, 12345678901234567890])
def test_upper_halves(constant: int) -> None:
    made = multiply_high(PRODUCT.format(other=f"splat (i128 {constant})" if constant else "%b"), SSE4)
    assert "i128" not in made
    verify(read(made))
    rng, most = random.Random("halves"), 2**64 - 1
    pairs = [(most, most), (0, most), (2**32, 2**32 - 1), (2**63, 2)]
    pairs += [(rng.getrandbits(64), rng.getrandbits(64)) for _ in range(36)]
    for first in range(0, len(pairs), 4):
        x, y = zip(*pairs[first : first + 4])
        halves = np.zeros(4, np.uint64)
        IRInterpreter(read(made)).call("f", [np.array(x, np.uint64), np.array(y, np.uint64), halves])
        assert halves.tolist() == [a * (constant or b) >> 64 for a, b in zip(x, y)]


KERNELS = """
export void weeks(uniform int64 to[], const uniform int64 x[], uniform int n) {
    foreach (i = 0 ... n) { int64 days = x[i] / 86400; to[i] = days / 7 * 1000 + days % 7; }
}
export void upper(uniform uint64 to[], const uniform uint64 x[], const uniform uint64 y[], uniform int n) {
    foreach (i = 0 ... n) {
        uint64 a = x[i] & 0xffffffffu, b = x[i] >> 32, c = y[i] & 0xffffffffu, d = y[i] >> 32;
        uint64 middle = b * c + (a * c >> 32);
        uint64 other = a * d + (middle & 0xffffffffu);
        to[i] = b * d + (middle >> 32) + (other >> 32);
    }
}
"""


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i64x4", "sse4-i32x4"])
def test_kernels(target: str) -> None:
    kernels, rng = compile_kernels(KERNELS, target), np.random.default_rng(7)
    for n in (1, 8, 37):
        x = rng.integers(-(2**63), 2**63, n)
        to = np.zeros(n, np.int64)
        kernels.weeks(to, x, n)
        days = [abs(int(number)) // 86400 * (1 if number > 0 else -1) for number in x]
        quotients = [abs(number) // 7 * (1 if number > 0 else -1) for number in days]
        assert to.tolist() == [each * 1000 + number - 7 * each for each, number in zip(quotients, days)]
        a, b = (rng.integers(0, 2**64, n, dtype=np.uint64) for _ in range(2))
        upper = np.zeros(n, np.uint64)
        kernels.upper(upper, a, b, n)
        assert upper.tolist() == [int(one) * int(other) >> 64 for one, other in zip(a, b)]


def test_what_llvm_finds_is_undone() -> None:
    text = compile_source(KERNELS, "f.ispc", AVX2, Diagnostics()).optimized.text()
    assert "x i128>" not in text and "div <" not in text
