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
export void neighbours(uniform float to[], const uniform float table[], const uniform int at[], uniform int n) {
    foreach (i = 0 ... n) {
        int place = (at[i] ^ 9) % 400 + 400;
        to[i] = table[place - 1] + 2 * table[7 + place] + 4 * table[place];
    }
}
export void corners(uniform float to[], const uniform float table[], const uniform int at[], uniform int n) {
    foreach (i = 0 ... n)
        to[i] = table[at[3 * i] & 511] + 2 * table[at[3 * i + 1] & 511] + 4 * table[512 + (at[3 * i + 2] & 511)];
}
"""
COUNTS = (1, 8, 16, 37)


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4", "avx512skx-x16"])
def test_the_same_elements(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    random = np.random.default_rng(3)
    table = random.integers(0, 1024, 1024).astype(np.float32)  # so that sums are exact
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
        kernels.neighbours(to, table, at, n)
        place = np.fmod((at ^ 9).astype(int), 400) + 400
        assert (to == table[place - 1] + 2 * table[place + 7] + 4 * table[place]).all()
        corners = random.integers(-(2**31), 2**31, 3 * n).astype(np.int32)
        kernels.corners(to, table, corners, n)
        one, other, third = corners.reshape(-1, 3).T & 511
        assert (to == table[one] + 2 * table[other] + 4 * table[512 + third]).all()
        words, short = random.integers(-999, 999, 256).astype(np.int16), random.integers(-(2**15), 2**15, n).astype(np.int16)
        result = np.zeros(n, np.int16)
        kernels.of_words(result, words, short, n)
        assert (result == words[(short.astype(int) * 3 + 1) & 255]).all()


def test_lanes_share_words_where_they_are_computed() -> None:
    assert "arithmetic.fence" in passed(SOURCE, "avx2-i32x8")
    assert "arithmetic.fence" not in passed(SOURCE, "neon-i32x8")


def test_what_is_added_to_all_lanes_is_a_part_of_the_address() -> None:
    text = """
    export void f(uniform float to[], const uniform float table[], const uniform int at[], uniform int n) {
        foreach (i = 0 ... n) {
            int place = at[i] %% 100 + 50;
            to[i] = %s;
        }
    }"""
    sums = ("table[place] * table[place + 90]", "table[place] * table[place + 90] - table[40 + place]")
    two, three = (passed(text % sum, "avx2-i32x8") for sum in sums)
    assert two.count("arithmetic.fence") == three.count("arithmetic.fence") > 4


def test_indices_at_distances_are_loaded_as_scalars() -> None:
    text = """
    export void f(uniform float to[], const uniform float table[], const uniform int at[], uniform int n) {
        foreach (i = 0 ... n)
            to[i] = table[at[3 * i] & 255] * table[at[3 * i + 1] & 255];
    }"""
    written = passed(text, "avx2-i32x8")
    assert "arithmetic.fence" not in written and written.count(" = load i32, ptr %") >= 16


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


ROWS = """
export void rows(uniform float to[], const uniform float table[], const uniform int at[], uniform int n, uniform int row) {
    foreach (i = 0 ... n)
        to[i] = table[row * 16 + at[i]] + 2 * table[at[i] + (row + 1) * 16];
}
export void wrapping(uniform float to[], const uniform float table[], const uniform int at[], uniform int n, uniform int row) {
    foreach (i = 0 ... n) {
        unsigned int place = (unsigned int)at[i] + (unsigned int)row;
        to[i] = table[place];
    }
}
export void scaled(uniform uint8 to[], const uniform uint8 table[], uniform int n, uniform int row) {
    foreach (i = 0 ... n)
        to[i] = table[row * 64 + (i * 45000 >> 16)];
}
"""


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4", "avx512skx-x16"])
def test_what_is_added_to_all_lanes_is_part_of_the_place(target: str) -> None:
    """Less than zero on either side, and where the sum of unsigned numbers wraps around."""
    kernels = compile_kernels(ROWS, target)
    random = np.random.default_rng(4)
    table = random.integers(0, 1024, 1024).astype(np.float32)
    for n in COUNTS:
        for row, low in ((0, 0), (-3, 48), (40, -640), (7, -112)):
            at, to = random.integers(low, low + 300, n).astype(np.int32), np.zeros(n, np.float32)
            kernels.rows(to, table, at, n, row)
            assert (to == table[row * 16 + at] + 2 * table[at + row * 16 + 16]).all()
            kernels.wrapping(to, table, at - low + 5, n, -5)
            assert (to == table[at - low]).all()
        bytes_of, made = random.integers(0, 256, 1024).astype(np.uint8), np.zeros(n, np.uint8)
        kernels.scaled(made, bytes_of, n, 9)
        assert (made == bytes_of[9 * 64 + (np.arange(n) * 45000 >> 16)]).all()


def test_lanes_are_counted_from_the_row() -> None:
    """Which is one place for all of them."""
    text = passed(ROWS)
    assert text.count("getelementptr i8, ptr %row") >= 8
    assert text.count("getelementptr float, ptr %row") >= 16
