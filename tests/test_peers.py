"""The peers that kernels are measured against: each kernel has one in numba and in numpy, and their results are compared."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import shapes_against_c  # noqa: E402

SCRIPTS = {"shapes": "by_shape", "kernels": "against_c", "everyday": "everyday", "workloads": "workloads"}
NONE_IN_NUMPY = {"relax"}
"""Each of its steps reads what those before wrote."""


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_kernel_has_a_form_in_numba_and_in_numpy(script: str) -> None:
    rows = set(importlib.import_module(f"{script}_against_c").ROWS)
    forms = {peer: vars(importlib.import_module(f"peers.{SCRIPTS[script]}_{peer}")) for peer in ("numba", "numpy")}
    assert rows - set(forms["numba"]) == set()
    assert rows - set(forms["numpy"]) == rows & NONE_IN_NUMPY


def test_numpys_forms_do_what_their_names_say() -> None:
    """By hand: lengths of three words, and counts of three numbers."""
    shapes = importlib.import_module("peers.by_shape_numpy")
    to = np.zeros(3, np.int32)
    shapes.string_lengths(to, np.array([0, 3, 4], np.int32), np.frombuffer(b"ab\0\0xyz\0", np.uint8), 3, 0)
    assert to.tolist() == [2, 0, 3]
    shapes.histogram(counts := np.zeros(256, np.int32), np.array([1, 257, 3], np.int32), to, 3, 0)
    assert counts[:4].tolist() == [0, 2, 0, 1]


def test_results_are_alike_but_for_rounding() -> None:
    whole = np.arange(1.0, 3001)
    one_off, two_off = whole.copy(), whole.copy()
    one_off[7] += 1
    two_off[7] += 2
    assert shapes_against_c.alike(whole, whole, True)
    assert shapes_against_c.alike(whole, one_off, True)
    assert not shapes_against_c.alike(whole, two_off, True)
    assert not shapes_against_c.alike(whole, one_off, False)
    assert not shapes_against_c.alike(np.array([8.0]), np.array([9.0]), True), "a count is exact"
