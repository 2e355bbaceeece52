"""Two tests of ranges that differ in a bit are one: the same truth of every byte, in every function of a module."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.masks.merged_ranges import merge_ranges
from voltac.target_info import find_target


def signed(number: int) -> int:
    return (number + 128) % 256 - 128


def function(name: str, ranges: list[tuple[int, int]], frozen: bool) -> str:
    """Whether bytes are in one of some ranges, each from a number on, and so many; all functions name values alike."""
    lines, whole = [], ""
    for at, (low, count) in enumerate(ranges):
        lines.append(f"  %a{at} = add <8 x i8> %x, splat (i8 {signed(-low)})")
        lines.append(f"  %t{at} = icmp ult <8 x i8> %a{at}, splat (i8 {signed(count)})")
        test = f"%t{at}"
        if frozen:
            lines.append(f"  %f{at} = freeze <8 x i1> {test}")
            test = f"%f{at}"
        if whole:
            lines.append(f"  %o{at} = or <8 x i1> {whole}, {test}")
        whole = f"%o{at}" if whole else test
    return "\n".join([f"define <8 x i1> @{name}(<8 x i8> %x) {{", "entry:", *lines, f"  ret <8 x i1> {whole}", "}", ""])


def test_random_ranges() -> None:
    rng = random.Random(3)
    cases = []
    for _ in range(30):
        low, count, bit = rng.randrange(256), rng.randrange(1, 30), 1 << rng.randrange(4, 8)
        ranges = [(low, count), ((low + bit) % 256, count), (rng.randrange(256), rng.randrange(1, 20))]
        rng.shuffle(ranges)
        cases.append(ranges)
    text = "\n".join(function(f"f{at}", ranges, at % 2 == 1) for at, ranges in enumerate(cases))
    made = merge_ranges(text)
    verify(read(made))
    assert 4 < made.count("%case.1 = ") < 25
    interpreter = IRInterpreter(read(made))
    for at, ranges in enumerate(cases):
        for first in range(0, 256, 8):
            found = list(interpreter.call(f"f{at}", [list(range(first, first + 8))]))
            assert found == [any((x - low) % 256 < count for low, count in ranges) for x in range(first, first + 8)], ranges


def test_what_is_used_elsewhere_stays() -> None:
    text = function("f", [(65, 26), (97, 26)], frozen=False)
    assert "%case.1 = and" in merge_ranges(text)
    both = text.replace("%o1 = or <8 x i1> %t0, %t1", "%o1 = and <8 x i1> %t0, %t1")
    again = text.replace("ret <8 x i1> %o1", "%n = xor <8 x i1> %o1, %t0\n  ret <8 x i1> %n")
    other = text.replace("%a1 = add <8 x i8> %x", "%a1 = add <8 x i8> %y").replace(
        "(<8 x i8> %x)", "(<8 x i8> %x, <8 x i8> %y)"
    )
    for changed in (both, again, other):
        assert merge_ranges(changed) == changed


WORDS = """
export void f(uniform uint8 a[], const uniform uint8 b[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = b[i];
        a[i] = (x >= 48 && x <= 57) || (x >= 65 && x <= 90) || (x >= 97 && x <= 122) || x == 95 ? 1 : 0;
    }
}
"""


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_letters_of_either_case(target: str) -> None:
    made = compile_source(WORDS + WORDS.replace("void f", "void g"), "f.ispc", Options(find_target(target), level=3))
    assert made.optimized is not None
    if target != "avx512skx-x16":  # bits of masks, which LLVM chooses by
        assert made.optimized.text().count("%case.1 = ") == 2
    b = np.arange(256).astype(np.uint8)
    a = np.zeros_like(b)
    compile_kernels(WORDS, target).f(a, b, len(b))
    assert a.tolist() == [int(chr(x).isalnum() or x == 95) if x < 128 else 0 for x in range(256)]
