"""Stores to planes of one array: done by many gangs at once where the planes are far apart, and right where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from guard_pages import GuardedMemory
from kernels import compile_kernels
from passed_text import passed

SPLIT = """
export void split(uniform uint8 a[], const uniform uint8 b[], uniform int first, uniform int second, uniform int n) {
    foreach (i = 0 ... n) {
        a[first + i] = b[2 * i];
        a[second + i] = b[2 * i + 1];
    }
}
"""
MOVE = """
export void move(uniform uint8 a[], uniform int first, uniform int second, uniform int n) {
    foreach (i = 0 ... n)
        a[first + i] = a[second + i] + 1;
}
"""
WIDTH = 8
"""Of the gang: elements of one are stored before those of the next."""
DISTANCES = (0, 1, 3, 7, 8, 9, 24, 31, 32, 33, 40, 63, 64, 65, 100)
COUNTS = (0, 1, 7, 8, 9, 31, 32, 33, 40, 71, 100)
Bytes = npt.NDArray[np.uint8]


def guarded(values: Bytes) -> tuple[Bytes, GuardedMemory]:
    memory = GuardedMemory(max(1, values.nbytes))
    copy: Any = memory.array(np.uint8, len(values))
    copy[:] = values
    return copy, memory


def gang_by_gang(n: int) -> list[slice]:
    return [slice(at, min(at + WIDTH, n)) for at in range(0, n, WIDTH)]


@pytest.mark.parametrize("forwards", [True, False])
def test_planes_at_any_distance(forwards: bool) -> None:
    split = compile_kernels(SPLIT, "avx2-i32x8").split
    random = np.random.default_rng(1)
    for distance in DISTANCES:
        first, second = (0, distance) if forwards else (distance, 0)
        for n in COUNTS:
            b = random.integers(0, 256, 2 * n, np.uint8)
            expected = np.zeros(n + distance, np.uint8)
            for gang in gang_by_gang(n):
                for start, member in ((first, 0), (second, 1)):
                    expected[start + gang.start : start + gang.stop] = b[member::2][gang]
            (a, memory), (given, other) = guarded(np.zeros(n + distance, np.uint8)), guarded(b)
            split(a, given, first, second, n)
            assert (a == expected).all(), (distance, n)
            del memory, other


KNOWN = (7, 9, 31, 64, 127, 129, 300)


@pytest.mark.parametrize("forwards", [True, False])
def test_planes_at_a_known_distance(forwards: bool) -> None:
    source = ""
    for distance in KNOWN:
        first, second = (0, distance) if forwards else (distance, 0)
        source += (
            SPLIT.replace("split", f"split{distance}")
            .replace("first + i", f"{first} + i")
            .replace("second + i", f"{second} + i")
        )
    kernels = compile_kernels(source, "avx2-i32x8")
    for distance in KNOWN:
        first, second = (0, distance) if forwards else (distance, 0)
        for n in COUNTS:
            b = np.random.default_rng(n).integers(0, 256, 2 * n, np.uint8)
            expected = np.zeros(n + distance, np.uint8)
            for gang in gang_by_gang(n):
                for start, member in ((first, 0), (second, 1)):
                    expected[start + gang.start : start + gang.stop] = b[member::2][gang]
            (a, memory), (given, other) = guarded(np.zeros(n + distance, np.uint8)), guarded(b)
            getattr(kernels, f"split{distance}")(a, given, 0, 0, n)
            assert (a == expected).all(), (distance, n)
            del memory, other


@pytest.mark.parametrize("forwards", [True, False])
def test_elements_that_move_within_an_array(forwards: bool) -> None:
    move = compile_kernels(MOVE, "avx2-i32x8").move
    for distance in DISTANCES:
        first, second = (0, distance) if forwards else (distance, 0)
        for n in COUNTS:
            expected = np.random.default_rng(n).integers(0, 256, n + distance, np.uint8)
            a, memory = guarded(expected)
            for gang in gang_by_gang(n):
                expected[first + gang.start : first + gang.stop] = expected[second + gang.start : second + gang.stop] + 1
            move(a, first, second, n)
            assert (a == expected).all(), (distance, n)
            del memory


OF_UNLIKE_STRIDES = """
export void split(uniform uint8 a[], const uniform uint8 b[], uniform int first, uniform int second, uniform int n) {
    foreach (i = 0 ... n) {
        a[first + 2 * i] = b[4 * i];
        a[first + 2 * i + 1] = b[4 * i + 2];
        a[second + i] = b[4 * i + 1];
        a[second + 1000 - i] = b[4 * i + 3];
    }
}
"""


@pytest.mark.parametrize("distances", [(0, 2000), (0, 300), (0, 10), (1200, 0), (300, 0), (1000, 200)])
def test_planes_of_unlike_strides_at_any_distance(distances: tuple[int, int]) -> None:
    split = compile_kernels(OF_UNLIKE_STRIDES, "avx2-i32x8").split
    first, second = distances
    for n in (0, 5, 8, 40, 71, 150, 333):
        b = np.random.default_rng(n).integers(0, 256, (n, 4), np.uint8)
        expected = np.zeros(3100, np.uint8)
        for gang in gang_by_gang(n):
            lanes = np.arange(gang.start, gang.stop)
            for start, step, member in ((first, 2, 0), (first + 1, 2, 2), (second, 1, 1), (second + 1000, -1, 3)):
                expected[start + step * lanes] = b[gang, member]
        (a, memory), (given, other) = guarded(np.zeros(3100, np.uint8)), guarded(b.ravel())
        split(a, given, first, second, n)
        assert (a == expected).all(), n
        del memory, other


def test_planes_of_unlike_strides_are_done_at_once() -> None:
    """Those that overlap soon, from one place on, are not asked for."""
    assert "store <32 x i8>" in passed(OF_UNLIKE_STRIDES, "avx2-i32x8")
    known = OF_UNLIKE_STRIDES.replace("first + ", "").replace("second + ", "{} + ").replace("- i", "+ i")
    assert "store <32 x i8>" in passed(known.replace("{}", "4096"), "avx2-i32x8")
    assert "store <32 x i8>" not in passed(known.replace("{}", "100"), "avx2-i32x8")


def test_gangs_are_done_at_once() -> None:
    assert "store <32 x i8>" in passed(SPLIT, "avx2-i32x8")
    assert "store <32 x i8>" in passed(MOVE, "avx2-i32x8")
    assert "store <32 x i8>" in passed(SPLIT.replace("second + i", "first + 4096 + i"), "avx2-i32x8")
    assert "store <32 x i8>" not in passed(SPLIT.replace("second + i", "first + 9 + i"), "avx2-i32x8")


def test_a_distance_that_changes_in_the_loop_keeps_gangs_apart() -> None:
    changing = SPLIT.replace("second + i]", "second + i * n]")
    assert "store <32 x i8>" not in passed(changing, "avx2-i32x8")
