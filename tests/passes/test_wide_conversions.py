"""Conversions between 64-bit integers and double by sums: what Python's numbers give, rounded to nearest even or cut off."""

from __future__ import annotations

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
from voltac.passes.arithmetic.wide_conversions import convert_wide
from voltac.target_info import find_target

CONVERSION = """
define void @f(ptr %p, ptr %q) {{
entry:
  %x = load <4 x {source}>, ptr %p, align 4
  %y = {op} <4 x {source}> %x to <4 x {target}>, !dbg !1
  store <4 x {target}> %y, ptr %q, align 4
  ret void
}}
"""
DTYPES = {"sitofp": (np.int64, np.float64), "fptosi": (np.float64, np.int64), "fptoui": (np.float64, np.uint64)}


def numbers(op: str) -> list[int] | list[float]:
    """The ends of the range, powers of two and their neighbours, ties, and others of all sizes."""
    rng = random.Random(op)
    low, high = (0, 2**64 - 1) if op == "fptoui" else (-(2**63), 2**63 - 1)
    powers = [sign * 2**k + step for k in range(65) for step in (-1, 0, 1) for sign in (1, -1)]
    ties = [(2**53 + 2 * k + 1) << shift for k in range(4) for shift in (0, 1, 7, 10)]
    others = [rng.getrandbits(rng.randrange(1, 65)) * rng.choice((1, -1)) for _ in range(200)]
    whole = [number for number in [low, high, 0, *powers, *ties, *others] if low <= number <= high]
    if op == "sitofp":
        return whole[: len(whole) // 4 * 4]
    real = [float(number) for number in whole] + [number * rng.random() for number in whole]
    real += [number + fraction for number in (0, 1, 2, 2**31, 2**32, 2**33) for fraction in (0.25, 0.5, 0.99)] + [-0.0, -0.99]
    found = [number for number in real if low <= int(number) <= high]
    return found[: len(found) // 4 * 4]


@pytest.mark.parametrize("op", DTYPES)
def test_numbers(op: str) -> None:
    source, target = ("i64", "double") if op == "sitofp" else ("double", "i64")
    made = convert_wide(CONVERSION.format(op=op, source=source, target=target))
    assert f" {op} " not in made and "!dbg !1" in made
    verify(read(made))
    interpreter = IRInterpreter(read(made))
    given = numbers(op)
    for first in range(0, len(given), 4):
        x = given[first : first + 4]
        got = np.zeros(4, DTYPES[op][1])
        interpreter.call("f", [np.array(x, DTYPES[op][0]), got])
        assert got.tolist() == [float(one) if op == "sitofp" else int(one) for one in x], x


def test_floats_are_doubles_first() -> None:
    made = convert_wide(CONVERSION.format(op="fptosi", source="float", target="i64"))
    verify(read(made))
    got = np.zeros(4, np.int64)
    IRInterpreter(read(made)).call("f", [np.array([-1.9, 2.0**62, 16777215.0, -(2.0**63)], np.float32), got])
    assert got.tolist() == [-1, 2**62, 16777215, -(2**63)]


def test_two_lanes_and_other_types_stay() -> None:
    two = CONVERSION.format(op="sitofp", source="i64", target="double").replace("<4 x", "<2 x")
    words = CONVERSION.format(op="sitofp", source="i32", target="double")
    signed = CONVERSION.format(op="fptosi", source="double", target="i64")
    assert convert_wide(two) == two and convert_wide(words) == words and convert_wide(signed, ("fptoui",)) == signed


SOURCE = """
export void to_double(uniform int64 x[], uniform double y[], uniform int n) { foreach (i = 0 ... n) y[i] = (double)x[i]; }
export void to_signed(uniform double x[], uniform int64 y[], uniform int n) { foreach (i = 0 ... n) y[i] = (int64)x[i]; }
export void to_unsigned(uniform double x[], uniform uint64 y[], uniform int n) { foreach (i = 0 ... n) y[i] = (uint64)x[i]; }
"""


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i64x4", "sse4-i32x4", "avx512skx-x16"])
def test_kernels_agree_on_every_target(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    for name, op in (("to_double", "sitofp"), ("to_signed", "fptosi"), ("to_unsigned", "fptoui")):
        x = np.array(numbers(op), DTYPES[op][0])
        got = np.zeros(len(x), DTYPES[op][1])
        getattr(kernels, name)(x, got, len(x))
        assert got.tolist() == [float(one) if op == "sitofp" else int(one) for one in x.tolist()]


def test_no_lane_is_converted_as_a_scalar() -> None:
    text = compile_source(SOURCE, "f.ispc", Options(find_target("avx2-i32x8"), level=2), Diagnostics()).optimized.assembly()
    assert "vcvtsi2sd" not in text and "vcvttsd2si" not in text
