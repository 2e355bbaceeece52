"""foreach_tiled goes row by row where its iterations are independent and no lane can be told from another, and only there."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels
from lowering import AVX2, text_after

_HEAD = "uniform float a[], const uniform float b[], uniform int n, uniform int m, uniform int s"
_ROWS = {
    "a matrix": "foreach_tiled (y = 0 ... m, x = 0 ... n) a[y * n + x] = b[x * m + y];",
    "within borders": "foreach_tiled (y = 1 ... m - 1, x = 1 ... n - 1) a[y * n + x] = b[y * n + x - 1] + b[(y + 1) * n + x];",
    "an element is changed": "foreach_tiled (y = 0 ... m, x = 0 ... n) a[y * n + x] *= b[y];",
    "half as many": "foreach_tiled (y = 0 ... m / 2, x = 0 ... n / 2) a[y * (n / 2) + x] = b[2 * y * n + 2 * x];",
    "planes": "foreach_tiled (z = 1 ... 7, y = 1 ... 11, x = 1 ... n - 1) a[(z * 12 + y) * n + x] = b[x];",
    "planes of any size": "foreach_tiled (z = 0 ... s, y = 1 ... m - 1, x = 0 ... n) a[(z * m + y) * n + x] = b[x];",
    "a condition": "foreach_tiled (y = 0 ... m, x = 0 ... n) if (b[x] > 0) a[y * n + x] = b[x];",
    "a sum": "foreach_tiled (y = 0 ... m, x = 0 ... n) "
    "{ float t = 0; for (uniform int k = 0; k < s; k++) t += b[k * n + x]; a[y * n + x] = t; }",
}
_TILES = {
    "another width": "foreach_tiled (y = 0 ... m, x = 0 ... n) a[y * s + x] = b[x];",
    "rows that overlap": "foreach_tiled (y = 0 ... m, x = 0 ... n + 1) a[y * n + x] = b[x];",
    "other halves": "foreach_tiled (y = 0 ... m, x = 0 ... n / 2) a[y * (n / 3) + x] = b[x];",
    "halves of something else": "foreach_tiled (y = 0 ... m, x = 0 ... n / 2) a[y * (m / 2) + x] = b[x];",
    "planes that overlap": "foreach_tiled (z = 0 ... 7, y = 0 ... 12, x = 0 ... n) a[(z * 11 + y) * n + x] = b[x];",
    "the element before": "foreach_tiled (y = 0 ... m, x = 1 ... n) a[y * n + x] = a[y * n + x - 1];",
    "lanes are asked for": "foreach_tiled (y = 0 ... m, x = 0 ... n) a[y * n + x] = programIndex;",
    "lanes look at others": "foreach_tiled (y = 0 ... m, x = 0 ... n) a[y * n + x] = rotate(b[x], 1);",
    "a sum of lanes": "float t = 0; foreach_tiled (y = 0 ... m, x = 0 ... n) t += b[y * n + x]; a[0] = reduce_add(t);",
    "as many steps as a lane needs": "foreach_tiled (y = 0 ... m, x = 0 ... n) "
    "{ int k = 0; while (k < x) k += 3; a[y * n + x] = k; }",
    "one way for a gang": "foreach_tiled (y = 0 ... m, x = 0 ... n) cif (b[x] > 0) a[y * n + x] = b[x];",
    "short rows": "foreach_tiled (y = 0 ... m, x = 0 ... 4) a[y * 4 + x] = b[x];",
}
_TILE = re.compile("<i32 0, i32 1, (i32 2, i32 3, )?i32 0, i32 1,")
"""The places in a row of eight lanes' tile of two dimensions, of three."""


def _text(body: str) -> str:
    return text_after("lower", f"export void f({_HEAD}) {{ {body} }}", AVX2)


@pytest.mark.parametrize("name", _ROWS)
def test_rows_where_nothing_can_tell(name: str) -> None:
    text = _text(_ROWS[name])
    assert ".all_on:" in text and not _TILE.search(text)


@pytest.mark.parametrize("name", _TILES)
def test_tiles_where_something_could(name: str) -> None:
    assert _TILE.search(_text(_TILES[name]))


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16", "avx512skx-x8"])
def test_every_size_gives_numpys_result_and_touches_nothing_else(target: str) -> None:
    body = "{ int k = y * w + x; if (b[k] > 2) a[k] = b[k - 1] + b[k - w]; }"
    kernel = compile_kernels(
        f"export void f(uniform float a[], const uniform float b[], uniform int w, uniform int h) "
        f"{{ foreach_tiled (y = 1 ... h - 1, x = 1 ... w - 1) {body} }}",
        target,
    ).f
    calls = FencedCalls()
    for h in (0, 1, 2, 3, 5, 8):
        for w in (1, 2, 3, 5, 8, 9, 19, 34):
            b = (np.arange(h * w) * 5 % 13).astype(np.float32)
            wanted = np.zeros((h, w), np.float32)
            of = b.reshape(h, w)
            if h > 2 and w > 2:
                sums = of[1:-1, :-2] + of[:-2, 1:-1]
                wanted[1:-1, 1:-1] = np.where(of[1:-1, 1:-1] > 2, sums, 0)
            for at_end in (True, False):
                a, given = calls.copies(np.zeros(h * w, np.float32), b, at_end=at_end)
                calls.add((h, w, at_end), partial(kernel, a, given, w, h), (a, wanted.ravel()))
    calls.check()
