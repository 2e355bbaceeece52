"""foreach_tiled loads and stores a row of a tile at once, and touches what it should."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
# How far rows are apart is not known: what a tile stores could be overwritten by another one.
SOURCE = """export void f(uniform float p[], uniform float q[], uniform int w, uniform int h, uniform int apart) {
  foreach_tiled (y = 0 ... h, x = 0 ... w) { q[y * apart + x] = p[y * (w + 1) + x] + p[y * (w + 1) + x + 1] * y; }
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_all_on_tiles_need_no_gather_and_no_scatter(target: str) -> None:
    made = compile_source(SOURCE, "f.ispc", Options(find_target(target)), end="passes")
    text = str(made.results["passes"])
    start = text.index(".all_on:")
    tile = text[start : text.index("\n\n", start)]
    assert "masked.gather" not in text and "masked.scatter" not in text
    assert "load float" not in tile and "store float" not in tile, "nothing goes lane by lane"


@pytest.mark.parametrize("target", TARGETS)
def test_every_size_gives_numpys_result(target: str) -> None:
    kernel = compile_kernels(SOURCE, target=target).f
    for h in (0, 1, 2, 3, 5, 9):
        for w in (1, 2, 3, 4, 7, 8, 17):
            p = np.arange(h * (w + 1), dtype=np.float32).reshape(h, w + 1)
            q = np.zeros((h, w), np.float32)
            kernel(p.ravel(), q.ravel(), w, h, w)
            assert np.array_equal(q, p[:, :-1] + p[:, 1:] * np.arange(h, dtype=np.float32)[:, None]), (h, w)
