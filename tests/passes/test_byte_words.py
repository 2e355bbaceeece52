"""Bytes of structs that lie far apart: four of a lane are a word, and nothing outside of them is read."""

from collections.abc import Sequence
from functools import partial, reduce

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = """export void f(uniform int a[], const uniform uint8 b[], uniform int n) {{
    foreach (i = 0 ... n) {{
        int sum = 0;
        {sums}
        a[i] = sum;
    }}
}}
"""
BYTES = {
    "a palindrome": (16, range(16)),
    "three of four, and the first of the next": (13, (0, 1, 3, 4)),
    "two words with a byte between": (19, (1, 2, 3, 4, 6, 7, 8, 9)),
    "one twice": (12, (8, 9, 10, 11, 9)),
}


def kernel_of(stride: int, places: Sequence[int]) -> str:
    """A number of all bytes by their order, which is no sum of them, and the first and the last are compared."""
    sums = [f"sum = (sum * 5 + b[i * {stride} + {at}]) & 0xffff;" for at in places]
    sums.append(f"if (b[i * {stride} + {places[0]}] == b[i * {stride} + {places[-1]}]) sum = -sum;")
    return SOURCE.format(sums="\n        ".join(sums))


def optimized(source: str) -> str:
    return compile_source(source, "f.ispc", Options(find_target("avx2"), level=2), Diagnostics()).optimized.text()


@pytest.mark.parametrize(("name", "target"), [*((each, "avx2-i32x8") for each in BYTES), ("a palindrome", "sse4-i32x4")])
def test_sums(name: str, target: str) -> None:
    stride, places = BYTES[name]
    kernel, random, calls = compile_kernels(kernel_of(stride, places), target), np.random.default_rng(7), FencedCalls()
    width = find_target(target).width
    for n in (0, 1, width - 1, width, width + 1, 3 * width + 1):
        # The last struct ends with the last byte that is read, the first begins with the first.
        for at_end in (True, False):
            first, last = min(places), max(places)
            size = max(0, n * stride - (stride - 1 - last if at_end else 0))
            b = random.integers(0, 4, size).astype(np.uint8)
            rows = [[int(b[i * stride + at]) for at in places] for i in range(n)]
            sums = [reduce(lambda total, byte: (total * 5 + byte) & 0xFFFF, row, 0) for row in rows]
            expected = np.array([-s if row[0] == row[-1] else s for s, row in zip(sums, rows, strict=True)], np.int32)
            a, given = calls.copies(np.zeros(n, np.int32), b, at_end=at_end)
            calls.add((n, at_end, first), partial(kernel.f, a, given, n), (a, expected))
    calls.check()


def test_words_are_loaded() -> None:
    gang = optimized(kernel_of(16, range(16))).split(".all_on:")[1].split("\n\n")[0]
    assert "load <4 x i8>" in gang or " = load i32, ptr" in gang
    assert " = load i8, ptr" not in gang


@pytest.mark.parametrize(("stride", "places"), [(16, (0, 1)), (16, (0, 1, 2)), (16, (0, 4, 8, 12))])
def test_what_fills_no_word_stays(stride: int, places: tuple[int, ...]) -> None:
    """The word's last byte may lie behind the array."""
    text = optimized(kernel_of(stride, places))
    assert "load <4 x i8>" not in text and " = load i32, ptr" not in text
