"""Rows of tables that begin again after a power of two, as in dithering: several gangs at a time, the rest by smaller ones."""

from __future__ import annotations

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from passed_text import passed
from some_pairs import some_pairs

TARGETS = ["sse4-i32x4", "sse4-i8x16", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx512skx-x16"]
TYPES = {"uint8": np.uint8, "int16": np.int16, "float": np.float32}
PERIODS = (2, 8, 64)
HEAD = "(uniform TYPE to[], const uniform TYPE from[], const uniform TYPE row[], uniform int width, uniform int height) {"
LOOPS = "for (uniform int y = 0; y < height; y++) foreach (x = 0 ... width)"
SOURCE = "\n".join(
    f"export void {name}_{period}{HEAD} {LOOPS} {{ int at = y * width + x; {body} }} }}"
    for period in PERIODS
    for name, body in (
        ("other", f"to[at] = from[at] + row[x & {period - 1}];"),
        ("inside", f"to[at] += row[x & {period - 1}];"),
        ("least", f"TYPE one = from[at]; to[at] = one < row[x & {period - 1}] ? one : row[x & {period - 1}];"),
        ("square", f"to[at] = from[at] + row[(y & {period - 1}) * {period} + (x & {period - 1})];"),
    )
)


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 3))
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    random = np.random.default_rng(1)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(SOURCE.replace("TYPE", element), target)
    lanes, widest = kernels.width, kernels.elements(dtype)
    widths = sorted({1, *range(lanes - 1, lanes + 2), *range(widest, 2 * widest, lanes // 2 + 1), widest + lanes - 1})
    for number, width in enumerate(widths):
        height = 1 + number % 3
        x, y = np.tile(np.arange(width), height), np.repeat(np.arange(height), width)
        for period in PERIODS:
            table = random.integers(1, 20, period * period).astype(dtype)
            source, before = (random.integers(1, 100, width * height).astype(dtype) for _ in range(2))
            along, square = x % period, y % period * period + x % period
            for name, wanted, at in (
                ("other", source + table[along], along),
                ("inside", before + table[along], along),
                ("least", np.minimum(source, table[along]), along),
                ("square", source + table[square], square),
            ):
                arrays = [before, source, table[: at.max() + 1]]
                kernels.expect(f"{name}_{period}", arrays, (width, height), wanted, interpreted=number % 6 == 0)
    kernels.check()


@pytest.mark.parametrize(
    ("index", "start", "wide"),
    [
        ("i & 7", "0", True),
        ("i % 16", "0", False),  # below zero it would be another number, as far as anybody sees
        ("i & 31", "0", True),
        ("i & 6", "0", True),  # every gang of eight loads the same
        ("(i * 2) & 15", "0", True),
        ("i & 14", "0", False),  # no neighbours
        ("i & 15", "1", False),  # no gang begins where the row does
        ("(i + 1) & 15", "0", False),
    ],
)
def test_which_rows(index: str, start: str, wide: bool) -> None:
    head = "export void f(uniform uint8 a[], const uniform uint8 b[], const uniform uint8 c[], uniform int n)"
    text = passed(f"{head} {{ foreach (i = {start} ... n) a[i] = b[i] ^ c[{index}]; }}", "avx2-i32x8")
    assert (".wide:" in text) == (".ask.1:" in text) == wide, index


def test_words_keep_their_masks() -> None:
    head = "export void f(uniform int a[], const uniform int b[], const uniform int c[], uniform int n, uniform int m)"
    text = passed(f"{head} {{ for (uniform int y = 0; y < m; y++) foreach (i = 0 ... n) a[i] = b[i] ^ c[i & 7]; }}")
    assert ".ask.1:" not in text and ".last.left_over:" not in text
