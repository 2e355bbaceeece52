"""Short counted loops are written out; what does not count with constants stays a loop."""

import ctypes
import re

import numpy as np
import pytest
from lowering import AVX2, AVX512, Loaded, assembly, block, function_body, text_after

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options

SORT = """
static void order(float &a, float &b) { if (a > b) { float t = a; a = b; b = t; } }
export void sort4(uniform float a[], uniform int n) {
    foreach (i = 0 ... n) {
        float v[4];
        for (uniform int k = 0; k < 4; k++) v[k] = a[4 * i + k];
        for (uniform int p = 0; p < 3; p++)
            for (uniform int k = 0; k < 3 - p; k++) order(v[k], v[k + 1]);
        for (uniform int k = 3; k >= 0; k -= 1) a[4 * i + k] = v[k];
    }
}
"""


def test_local_arrays_of_counted_loops_live_in_registers() -> None:
    for target in (AVX2, AVX512):
        assert "(%rsp)" not in assembly(SORT, target)


def test_the_result_is_that_of_the_loops() -> None:
    values = np.random.default_rng(3).random((53, 4)).astype(np.float32)
    expected = np.sort(values, axis=1)
    Loaded(SORT, "sort4").function("sort4", None, ctypes.c_void_p, ctypes.c_int)(values.ctypes.data, len(values))
    assert (values == expected).all()


LOOP = "export void f(uniform int a[], uniform int n) {{ int x = 0; {loop} a[programIndex] = x; }}"


@pytest.mark.parametrize(
    "loop",
    [
        "for (uniform int k = 0; k < 3; k++) x += a[k];",
        "for (uniform int k = 8; k > 0; k -= 3) x += k;",
        "for (uniform int k = 0; k < 16; k++) x += a[k];",
        "for (uniform int64 k = 0; k != 4; ++k) x += k;",
        "for (uniform int k = 1; k < programCount; k *= 2) x += shuffle(x, programIndex ^ k);",
        "for (uniform int k = programCount / 2; k; k >>= 1) x += rotate(x, k);",
        "for (uniform unsigned int k = 1u << 3; k > 0; k /= 2) x += shift(x, k);",
        "for (uniform int k = 1; k <= 4; k = k + k) x += broadcast(x, k);",
        "for (uniform int k = 0; k < 8; k++) { int p = a[(k & 1) + x], q = a[(k >> 1 & 1) + x], r = a[k / 4 + x]; "
        "x += (p + 3 * q) * (r - 2 * p) * (r - 5 * q) + (p & q) + (q | r) + (r ^ p); }",
        "for (uniform int k = 1; k < 9; k <<= 1) for (uniform int j = k; j > 0; j = j / 2) x += rotate(x, j);",
    ],
)
def test_these_are_written_out(loop: str) -> None:
    assert " br i1" not in function_body(text_after("lower", LOOP.format(loop=loop)), "f")


def test_what_corners_of_a_cell_have_in_common_is_looked_up_once() -> None:
    """With the counter's bits as constants: 2 numbers of the first table, 4 of the second, 8 of the third."""
    source = """export void f(uniform int out[], const uniform int cell[], const uniform int t[], uniform int n) {
        foreach (i = 0 ... n) {
            int x = cell[i], s = 0;
            for (uniform int k = 0; k < 8; k++) {
                uniform int ox = k & 1, oy = (k >> 1) & 1, oz = k >> 2;
                int p = t[(x + ox) & 15];
                int q = t[(p + oy) & 15];
                int r = t[(q + oz) & 15];
                s += r * (ox ? x : 16 - x) * (oy ? 3 : 5) * (oz ? 7 : 2);
            }
            out[i] = s;
        }
    }"""
    text = compile_source(source, "f.ispc", Options(AVX2, level=2), Diagnostics()).optimized.text()
    body = block(text, "foreach_2_9.all_on")
    assert len(re.findall(r" = load i32, ptr %", body)) == 8 * (2 + 4 + 8), body
    random, n = np.random.default_rng(5), 29
    cell, t = random.integers(0, 16, n).astype(np.int32), random.integers(0, 99, 16).astype(np.int32)
    x, expected = cell.astype(np.int64), np.zeros(n, np.int64)
    for k in range(8):
        ox, oy, oz = k & 1, k >> 1 & 1, k >> 2
        r = t[(t[(t[(x + ox) & 15] + oy) & 15] + oz) & 15]
        expected += r * (x if ox else 16 - x) * (3 if oy else 5) * (7 if oz else 2)
    out = np.zeros(n, np.int32)
    f = Loaded(source, "f").function("f", None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    f(out.ctypes.data, cell.ctypes.data, t.ctypes.data, n)
    assert (out == expected).all()


@pytest.mark.parametrize(
    "loop",
    [
        "for (uniform int k = 0; k < n; k++) x += k;",
        "for (uniform int k = 0; k < 17; k++) x += k;",
        "for (uniform int k = 0; k < 3; k++) { if (a[k] > 3) break; x += k; }",
        "for (uniform int k = 0; k < 3; k++) { k += a[k]; x += k; }",
        "for (uniform int k = 0; k < 3; k--) { x += k; }",
        "for (uniform int k = 1; k < 3; k /= 1) { x += rotate(x, k); }",
        "for (uniform int k = 8; k > 0; k >>= 1) x += a[x + k];",
        "for (uniform int8 k = 100; k < 127; k += 20) { x += k; }",
        "for (uniform unsigned int k = 3; k < 4; --k) { x += k; }",
        "for (uniform int k = 8; k > 0; k -= a[0]) { x += k; }",
        "for (uniform int k = 8; k > -9; k /= 2) { x += rotate(x, k); }",
        "\n#pragma nounroll\nfor (uniform int k = 0; k < 3; k++) { x += k; }",
        "uniform int k; for (k = 0; k < 3; k++) { x += k; }",
    ],
)
def test_these_stay_loops(loop: str) -> None:
    assert " br i1" in function_body(text_after("lower", LOOP.format(loop=loop)), "f")


def test_nothing_is_written_out_below_level_2() -> None:
    loop = "for (uniform int k = 0; k < 3; k++) x += a[k];"
    assert " br i1" in function_body(text_after("lower", LOOP.format(loop=loop), level=1), "f")


HEX = """
export void hexadecimal(uniform int to[], uniform uint8 text[], uniform int n) {
    foreach (i = 0 ... n) {
        int number = 0;
        for (uniform int k = 0; k < 8; ++k) {
            uint8 c = text[8 * i + k];
            int digit = c >= 97 ? c - 97 + 10 : c >= 65 ? c - 65 + 10 : c - 48;
            number = number * 16 + digit;
        }
        to[i] = number;
    }
}
"""
DIFFERENT = """
export void different(uniform int to[], uniform int rows[], uniform int n) {
    foreach (i = 0 ... n) {
        int count = 0;
        for (uniform int k = 0; k < 8; ++k) {
            bool seen = false;
            for (uniform int j = 0; j < k; ++j)
                if (rows[i * 8 + j] == rows[i * 8 + k])
                    seen = true;
            if (!seen)
                count++;
        }
        to[i] = count;
    }
}
"""
"""Of structs as long as the loops: a lane's elements are known once its struct is loaded."""


def loops(text: str) -> int:
    """How many there are beside those of the foreach; those of no iterations are gone."""
    return len(re.findall(r"\bloop\.test[\w.]*:", text_after("early", text)))


def test_loops_along_structs_of_lanes_are_written_out_though_they_are_longer() -> None:
    assert not loops(HEX)
    assert not loops(HEX.replace("int number", "int start = 8 * i; int number").replace("8 * i + k", "start + k"))
    assert not loops(DIFFERENT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("8 * i + k", "n * i + k"),
        ("8 * i + k", "4 * i + k"),
        ("8 * i + k", "64 * i + k"),
        ("8 * i + k", "text[8 * i + k] + k"),
    ],
)
def test_others_of_that_length_are_not(before: str, after: str) -> None:
    assert loops(HEX.replace(before, after))


@pytest.mark.parametrize("count", [1, 8, 37])
def test_what_is_written_out_along_structs_gives_the_same(count: int) -> None:
    numbers = np.random.default_rng(count)
    values = numbers.integers(0, 1 << 31, count)
    text = np.array([f"{value:08x}" if at % 2 else f"{value:08X}" for at, value in enumerate(values)], "S8")
    to = np.zeros(count, np.int32)
    Loaded(HEX, "hexadecimal").function("hexadecimal", None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
        to.ctypes.data, text.ctypes.data, count
    )
    assert to.tolist() == values.tolist()
    rows = numbers.integers(0, 8, (count, 8)).astype(np.int32)
    Loaded(DIFFERENT, "different").function("different", None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
        to.ctypes.data, rows.ctypes.data, count
    )
    assert to.tolist() == [len(set(row)) for row in rows.tolist()]
