"""Remainders of what is less than a few times the divisor where they are wanted: numpy's results, and the instructions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from kernels import compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.ir.write import write
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.short_divisions import subtract_for_remainders
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
TYPES: dict[str, Any] = {"uint8": np.uint8, "int8": np.int8, "uint16": np.uint16, "int16": np.int16, "int": np.int32}


def random_kernel(seed: int) -> tuple[str, str, Any]:
    """The text of a kernel, its type and what numpy says of its elements."""
    rng = random.Random(seed)
    kind = rng.choice(list(TYPES))
    low = rng.randrange(-20, 120)
    high = low + rng.randrange(1, 90)
    moved, by, after = rng.randrange(-90, 90), rng.randrange(2, 70), rng.randrange(-5, 99)
    operation = rng.choice("%%/")
    test = rng.choice(
        ["x >= {0} && x <= {1}", "!(x < {0} || x > {1})", "(unsigned int)(x - {0}) <= {2}u", "{0} <= x && x < {1} + 1"]
    )
    test = test.format(low, high, high - low)
    value = f"(x + {moved}) {operation} {by} + {after}"
    body = rng.choice([f"if ({test}) x = {value};", f"x = {test} ? {value} : x;", f"if (!({test})) x = -x; else x = {value};"])
    header = f"export void f(uniform int a[], const uniform {kind} b[], uniform int n)"
    text = f"{header} {{ foreach (i = 0 ... n) {{ int x = b[i]; {body} a[i] = x; }} }}"

    def expected(b: np.ndarray) -> np.ndarray:
        x = b.astype(np.int64)
        quotient = np.trunc((x + moved) / by).astype(np.int64)
        y = (x + moved - quotient * by if operation == "%" else quotient) + after
        return np.where((low <= x) & (x <= high), y, -x if "else" in body else x)

    return text, kind, expected


@pytest.mark.parametrize(("target", "seed"), some_pairs(TARGETS, range(40), 12))
def test_random_conditions(target: str, seed: int) -> None:
    text, kind, expected = random_kernel(seed)
    f = compile_kernels(text, target).f
    b = np.arange(-300, 300).astype(TYPES[kind])
    for n in (3, 600):
        a = np.zeros(n, np.int32)
        f(a, b[:n], n)
        assert (a == expected(b[:n])).all(), text


ROTATED = """
export void f(uniform uint8 a[], const uniform uint8 b[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = b[i];
        if (x >= 97 && x <= 122) x = (x - 97 + 13) % 26 + 97;
        a[i] = x;
    }
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_letters_are_rotated_as_bytes(target: str) -> None:
    text = compile_source(ROTATED, "f.ispc", Options(find_target(target), level=3), Diagnostics()).optimized.text()
    assert " x i8> @llvm.umin" in text and "rem <" not in text
    assert "mul <" not in text and " zext <8 x i8>" not in text
    b = np.arange(256).astype(np.uint8)
    a = np.zeros_like(b)
    compile_kernels(ROTATED, target).f(a, b, 256)
    is_letter = (b >= 97) & (b <= 122)
    assert (a == np.where(is_letter, (b.astype(int) - 84) % 26 + 97, b)).all()


IR = """
define <4 x i32> @f(<4 x i8> %b, <4 x i32> %y) {{
entry:
  %x = zext <4 x i8> %b to <4 x i32>
  %m = icmp ult <4 x i32> %x, splat (i32 {below})
  %r = urem <4 x i32> %x, splat (i32 10)
  {used}
  ret <4 x i32> %s
}}
"""
CHOSEN = "%s = select <4 x i1> %m, <4 x i32> %r, <4 x i32> %y"


def rewritten(text: str) -> str:
    module = read(text)
    subtract_for_remainders(module, Options(find_target("avx2-i32x8"), level=3))
    verify(module)
    return write(module)


@pytest.mark.parametrize(
    ("below", "used", "subtractions"),
    [
        (20, CHOSEN, 1),
        (21, CHOSEN, 2),
        (40, CHOSEN, 2),
        (41, CHOSEN, 0),
        (10, CHOSEN, 0),  # LLVM's own
        (20, "%s = select <4 x i1> %m, <4 x i32> %y, <4 x i32> %r", 0),
        (20, "%t = select <4 x i1> %m, <4 x i32> %r, <4 x i32> %y\n  %s = add <4 x i32> %t, %r", 0),
        (20, "%t = udiv <4 x i32> splat (i32 7), %r\n  %s = select <4 x i1> %m, <4 x i32> %t, <4 x i32> %y", 0),
        (20, "%t = udiv <4 x i32> %r, splat (i32 3)\n  %s = select <4 x i1> %m, <4 x i32> %t, <4 x i32> %y", 1),
        (20, "%n = xor <4 x i1> %m, splat (i1 true)\n  %s = select <4 x i1> %n, <4 x i32> %y, <4 x i32> %r", 1),
        (20, "%n = freeze <4 x i1> %m\n  %w = sext <4 x i1> %n to <4 x i32>\n  %k = and <4 x i32> %w, %w\n"
             "  %o = icmp slt <4 x i32> %k, zeroinitializer\n  %s = select <4 x i1> %o, <4 x i32> %r, <4 x i32> %y", 1),
    ],
)  # fmt: skip
def test_only_where_the_mask_says_so(below: int, used: str, subtractions: int) -> None:
    text = IR.format(below=below, used=used)
    made = rewritten(text)
    assert made.count(" sub ") == subtractions and ("= urem" in made) == (subtractions == 0)
    if "udiv" in used and not subtractions:
        return
    y = [7, 8, 9, 10]
    for first in range(0, 256, 4):
        given = [list(range(first, first + 4)), y]
        one, other = (IRInterpreter(read(each)).call("f", given) for each in (text, made))
        assert list(one) == list(other)


HALVED = """
export void f(uniform int a[], const uniform int b[], uniform int n) {{
    foreach (i = 0 ... n) {{
        int x = b[i];
        if ({test})
            a[i] = {then};
        else
            a[i] = {otherwise};
    }}
}}
"""


@pytest.mark.parametrize(
    ("test", "then", "otherwise", "divisor", "divided", "shifted"),
    [
        ("x & 1", "3 * x + 1", "x / 2", 2, False, True),
        ("x % 2 == 0", "x / 2", "3 * x + 1", 2, True, True),
        ("(x & 7) != 0", "3 * x + 1", "x / 8", 8, False, True),
        ("x % 6 == 0", "x / 4", "3 * x + 1", 4, True, False),
        ("x % 2 == 1", "3 * x + 1", "x / 2", 2, False, False),  # -1 is no multiple of 2
        ("(x & 2) == 0", "x / 4", "3 * x + 1", 4, True, False),
        ("x % 2 == 0", "(x + 1) / 2", "3 * x + 1", 2, True, False),
    ],
)
def test_multiples_of_a_power_of_two_are_shifted(
    test: str, then: str, otherwise: str, divisor: int, divided: bool, shifted: bool
) -> None:
    source = HALVED.format(test=test, then=then, otherwise=otherwise)
    options = Options(find_target("avx2-i32x8"), 3)
    text = compile_source(source, "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    assert (" ashr <8 x i32>" in text) == shifted
    x = np.arange(-60, 60, dtype=np.int32)
    holds = {
        "x & 1": x % 2 != 0,
        "x % 2 == 0": x % 2 == 0,
        "(x & 7) != 0": x % 8 != 0,
        "x % 6 == 0": x % 6 == 0,
        "x % 2 == 1": np.fmod(x, 2) == 1,
        "(x & 2) == 0": x & 2 == 0,
    }[test]
    quotient = np.trunc((x + ("+ 1)" in then)) / divisor).astype(np.int32)
    a = np.zeros_like(x)
    compile_kernels(source, "avx2-i32x8").f(a, x, len(x))
    assert (a == np.where(holds == divided, quotient, 3 * x + 1)).all()
