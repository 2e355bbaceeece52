"""Copies and fills: right from and to every place, in the cycles that two loads and two stores a cycle take."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac

TEXT = """
export void copy(uniform uint8 a[], uniform uint8 o[], uniform int from, uniform int to, uniform int n) {
    memcpy(o + to, a + from, n);
}
export void move(uniform uint8 a[], uniform int from, uniform int to, uniform int n) { memmove(a + to, a + from, n); }
export void fill(uniform uint8 a[], uniform int to, uniform int value, uniform int n) { memset(a + to, value, n); }
export void copied(uniform float a[], uniform float o[], uniform int n) { foreach (i = 0 ... n) o[i] = a[i]; }
export void cleared(uniform float o[], uniform int n) { foreach (i = 0 ... n) o[i] = 0; }
"""
PLACES = 0, 1, 3, 4, 8


def compiled(target: str, folder: Path) -> Any:
    path = folder / "k.ispc"
    path.write_text(TEXT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", voltac.VoltacWarning)
        return voltac.load(path, target=target)


def test_bytes_are_copied_moved_and_set_from_and_to_every_place(tmp_path: Path) -> None:
    k = compiled("ia64-x1", tmp_path)
    rng = np.random.default_rng(1)
    for n in (0, 1, 3, 4, 7, 8, 9, 16, 23, 40, 100):
        for start in PLACES:
            for to in PLACES:
                a = rng.integers(0, 256, 130).astype(np.uint8)
                out, wanted = np.zeros((2, 130), np.uint8)
                wanted[to : to + n] = a[start : start + n]
                k.copy(a, out, start, to, n)
                assert np.array_equal(out, wanted)
                moved, wanted = a.copy(), a.copy()
                wanted[to : to + n] = a[start : start + n].copy()
                k.move(moved, start, to, n)
                assert np.array_equal(moved, wanted)
                filled, wanted = a.copy(), a.copy()
                wanted[to : to + n] = start + 200
                k.fill(filled, to, start + 200, n)
                assert np.array_equal(filled, wanted)


@pytest.mark.parametrize("target", ["ia64-x1", "ia64-f32x2"])
def test_sixteen_bytes_are_copied_or_cleared_in_a_cycle(target: str, tmp_path: Path) -> None:
    k = compiled(target, tmp_path)
    copied, cleared = [], []
    for n in (400, 800):
        a, out = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
        k.copied(a, out, n)
        assert np.array_equal(out, a)
        copied.append(k.copied.last_run.cycles)
        k.cleared(out, n)
        assert not out.any()
        cleared.append(k.cleared.last_run.cycles)
    bytes_a_cycle = 16 if target == "ia64-f32x2" else 8
    assert copied[1] - copied[0] == 400 * 4 // bytes_a_cycle
    assert cleared[1] - cleared[0] == 400 * 4 // bytes_a_cycle
