"""Lanes of computed indices leave vector registers two at a time: the same elements are loaded."""

import numpy as np
import pytest
from kernels import compile_kernels
from passed_text import passed

SOURCE = """
export void signed_indices(uniform float to[], const uniform float table[], const uniform int at[], uniform int n) {
    uniform const float * uniform middle = &table[500];
    foreach (i = 0 ... n)
        to[i] = middle[(at[i] % 500) * 1];
}
export void unsigned_indices(uniform float to[], const uniform float table[], const uniform int at[], uniform int n) {
    foreach (i = 0 ... n)
        to[i] = table[((unsigned int)at[i] * 3 >> 7) & 1023];
}
export void of_words(uniform int16 to[], const uniform int16 table[], const uniform int16 at[], uniform int n) {
    foreach (i = 0 ... n)
        to[i] = table[(at[i] * 3 + 1) & 255];
}
export void some(uniform float to[], const uniform float table[], const uniform int at[], uniform int n) {
    foreach (i = 0 ... n)
        if (at[i] > 0)
            to[i] = table[(at[i] ^ 5) & 1023];
}
"""
COUNTS = (1, 8, 16, 37)


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4", "avx512skx-x16"])
def test_the_same_elements(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    random = np.random.default_rng(3)
    table = random.random(1024).astype(np.float32)
    for n in COUNTS:
        at = random.integers(-(2**31), 2**31, n).astype(np.int32)
        to = np.zeros(n, np.float32)
        kernels.signed_indices(to, table, at, n)
        assert (to == table[500 + np.fmod(at.astype(int), 500)]).all()
        kernels.unsigned_indices(to, table, at, n)
        assert (to == table[((at.view(np.uint32) * np.uint32(3)) >> np.uint32(7)) & np.uint32(1023)]).all()
        before = to.copy()
        kernels.some(to, table, at, n)
        assert (to == np.where(at > 0, table[(at ^ 5) & 1023], before)).all()
        words, short = random.integers(-999, 999, 256).astype(np.int16), random.integers(-(2**15), 2**15, n).astype(np.int16)
        result = np.zeros(n, np.int16)
        kernels.of_words(result, words, short, n)
        assert (result == words[(short.astype(int) * 3 + 1) & 255]).all()


def test_lanes_share_words_where_they_are_computed() -> None:
    assert "arithmetic.fence" in passed(SOURCE, "avx2-i32x8")
    assert "arithmetic.fence" not in passed(SOURCE, "neon-i32x8")


def test_lanes_of_formulas_stay_scalars() -> None:
    """Of a row for each lane, whose distance is not known: LLVM multiplies scalars."""
    text = """
    export void f(uniform float to[], const uniform float x[], uniform int width, uniform int n) {
        foreach (i = 0 ... n)
            to[i] = x[i * width];
    }"""
    assert "arithmetic.fence" not in passed(text, "avx2-i32x8")


def test_what_is_stored_lane_by_lane_shares_no_words() -> None:
    text = """
    export void f(uniform uint8 to[], const uniform uint8 table[], const uniform int at[], uniform int n) {
        foreach (i = 0 ... n)
            to[%s] = table[(at[i] * 3 >> 2) & 255];
    }"""
    assert "arithmetic.fence" in passed(text % "i", "avx2-i32x8")
    assert "arithmetic.fence" not in passed(text % "4 * i", "avx2-i32x8")
