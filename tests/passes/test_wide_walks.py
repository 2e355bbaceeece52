"""Loops that lanes leave one by one are done for two gangs at once, where lanes are alone in them, with the same results."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from passed_text import passed

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
HEAD = "export void f(uniform int a[], const uniform float b[], const uniform float c[], uniform int n) {\n"
HEAD += "foreach (i = 0 ... n) {"
SEARCH = """int lo = 0, hi = 50;
    while (hi - lo > 1) { int mid = (lo + hi) >> 1; if (c[mid] <= b[i]) lo = mid; else hi = mid; }
    a[i] = lo; } }"""
ESCAPE = """float x = 0, y = 0; int k = 0;
    while (x * x + y * y < 4 && k < 30) { float t = x * x - y * y + b[i] * 2 - 1.5f; y = 2 * x * y + 0.4f; x = t; k++; }
    a[i] = k; } }"""
LEFT = """float x = b[i]; int k = 0;
    while (k < 40) { x = x * 1.5f + 0.1f; if (x > 9) break; if (x < 0.2f) { x += 0.5f; k += 2; } k++; }
    a[i] = k + (int)x; } }"""


def searched(b: np.ndarray, c: np.ndarray) -> list[int]:
    return [max(0, int(np.searchsorted(c[:50], x, side="right")) - 1) for x in b]


def escaped(b: np.ndarray, c: np.ndarray) -> list[int]:
    found = []
    for start in b:
        z, k = 0j, 0
        while abs(z) ** 2 < 4 and k < 30:
            z, k = z * z + (float(start) * 2 - 1.5 + 0.4j), k + 1
        found.append(k)
    return found


def left(b: np.ndarray, c: np.ndarray) -> list[int]:
    found = []
    for start in b:
        x, k = float(start), 0
        while k < 40:
            x = x * 1.5 + 0.1
            if x > 9:
                break
            if x < 0.2:
                x, k = x + 0.5, k + 2
            k += 1
        found.append(k + int(x))
    return found


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("body", "expected"), [(SEARCH, searched), (ESCAPE, escaped), (LEFT, left)], ids=["search", "escape", "left"]
)
def test_each_lane_leaves_as_alone(body: str, expected: Callable[[np.ndarray, np.ndarray], list[int]], target: str) -> None:
    kernels, calls = compile_kernels(HEAD + body, target=target), FencedCalls()
    random = np.random.default_rng(3)
    for n in (0, 7, 16, 33, 77):
        b, c = (random.integers(0, 64, size) / np.float32(64) for size in (n, 50))
        b, c = b.astype(np.float32), np.sort(c).astype(np.float32)
        a, given, table = calls.copies(np.zeros(n, np.int32), b, c, at_end=n % 2 == 0)
        calls.add((n,), partial(kernels.f, a, given, table, n), (a, np.array(expected(b, c), np.int32)))
        if isinstance(kernels, InterpretedModule):
            found = np.zeros(n, np.int32)
            kernels.f(found, b, c, n)
            assert found.tolist() == expected(b, c)
    if not isinstance(kernels, InterpretedModule):
        calls.check()


@pytest.mark.parametrize("body", [SEARCH, ESCAPE])
def test_two_gangs_at_once(body: str) -> None:
    assert ".wide_body:" in passed(HEAD + body, "avx2-i32x8")


def test_where_a_gang_looks_at_its_lanes_it_is_alone() -> None:
    together = ESCAPE.replace("k++; }", "if (any(x > 1)) k++; k++; }")
    assert ".wide_body:" not in passed(HEAD + together, "avx2-i32x8")
    counted = ESCAPE.replace("k++; }", "k += lanemask() > 99 ? 2 : 1; }")
    assert ".wide_body:" not in passed(HEAD + counted, "avx2-i32x8")
    outside = ESCAPE.replace("a[i] = k;", "a[i] = k + reduce_add(k);")
    assert ".wide_body:" not in passed(HEAD + outside, "avx2-i32x8")


def test_local_arrays_are_of_one_gang() -> None:
    local = SEARCH.replace("int lo = 0", "float t[64]; for (uniform int k = 0; k < 64; k++) t[k] = c[0] * k; int lo = 0")
    assert ".wide_body:" not in passed(HEAD + local.replace("c[mid]", "t[mid]"), "avx2-i32x8")


STEPS = """export void f(uniform float a[], const uniform float b[], uniform int m, uniform int n) {
    foreach (i = 0 ... n) {
        float y = b[i];
        for (uniform int k = 0; k < m; k++) {
            float p = 0.125f * y * y - y;
            float q = y + 0.5f * p;
            p += 2 * (0.125f * q * q - q);
            q = y + 0.25f * p;
            p += 2 * (0.125f * q * q - q);
            y += 0.0625f * p;
        }
        a[i] = y;
    }
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_long_chains_of_all_lanes(target: str) -> None:
    assert ".wide_body:" in passed(STEPS, target)
    b, m = np.linspace(0, 2, 77).astype(np.float32), 5
    a = np.zeros(77, np.float32)
    compile_kernels(STEPS, target).f(a, b, m, 77)
    y = b.astype(float)
    for _ in range(m):
        p = 0.125 * y * y - y
        q = y + 0.5 * p
        p += 2 * (0.125 * q * q - q)
        q = y + 0.25 * p
        p += 2 * (0.125 * q * q - q)
        y += 0.0625 * p
    assert np.allclose(a, y, rtol=1e-5, atol=1e-6)


CHECKSUM = """export void f(uniform uint32 to[], const uniform uint8 rows[], const uniform uint32 table[], uniform int n) {
    foreach (i = 0 ... n) {
        uint32 r = 0xffffffff;
        for (uniform int k = 0; k < LENGTH; k++)
            r = table[(r ^ rows[LENGTH * i + k]) & 255] ^ (r >> 8);
        to[i] = ~r;
    }
}
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("length", [16, 7])
def test_tables_that_lead_themselves_along_rows_of_bytes(length: int, target: str) -> None:
    """The wide loop loads words of the rows, as that of one gang; indices leave registers two at a time."""
    source = CHECKSUM.replace("LENGTH", str(length))
    made = passed(source, target)
    assert length < 16 or ".loop.test.wide.rows.body:" in made
    assert "avx512" in target or "arithmetic.fence" in made
    table = np.zeros(256, np.uint32)
    for number in range(256):
        value = number
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        table[number] = value
    rows, to = np.random.default_rng(1).integers(0, 256, (77, length)).astype(np.uint8), np.zeros(77, np.uint32)
    compile_kernels(source, target).f(to, rows.ravel(), table, 77)
    assert to.tolist() == [zlib.crc32(row.tobytes()) for row in rows]
