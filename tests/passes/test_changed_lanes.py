"""Elements that each lane changes at its own place: one lane after the other, as if all loads came before all stores."""

from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

HEAD = "export void f(uniform int a[], const uniform uint8 b[], uniform int n, uniform int m)"
ROWS = (
    HEAD
    + """ {
    foreach (i = 0 ... n)
        for (uniform int k = 0; k < m; k++)
            a[i * 16 + (b[i * m + k] & LAST)] += CHANGE;
}
"""
)
OWN = (
    HEAD
    + """ {
    foreach (i = 0 ... n) {
        int counts[8];
        for (uniform int k = 0; k < 8; k++)
            counts[k] = a[i * 16 + k];
        for (uniform int k = 0; k < m; k++)
            counts[b[i * m + k] & 7] += CHANGE;
        for (uniform int k = 0; k < 8; k++)
            a[i * 16 + k] = counts[k];
    }
}
"""
)


def written(source: str, target: str = "avx2-i32x8") -> str:
    watch = Watch(passes=PassRuns(stop_after="change_lanes_in_turn"))
    made = compile_source(source, "f.ispc", Options(find_target(target), level=3), Diagnostics(), watch=watch).stopped
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("source", "target"),
    [(ROWS.replace("LAST", "15"), "avx2-i32x8"), (OWN, "avx2-i32x16"), (OWN, "sse4-i32x4")],
    ids=["rows", "own in 16 lanes", "own in 4 lanes"],
)
def test_counts(source: str, target: str) -> None:
    """Of gangs and what fills none, next to memory that must not be touched."""
    source = source.replace("CHANGE", "k + 1")
    assert "%changed" in written(source, target)
    kernel, random, m = compile_kernels(source, target), np.random.default_rng(2), 9
    width = find_target(target).width
    last, calls = 15 if source.startswith(ROWS[:150]) else 7, FencedCalls()
    for n in (0, 1, width - 1, width, width + 1, 3 * width + 1):
        a, b = random.integers(0, 9, n * 16).astype(np.int32), random.integers(0, 256, n * m).astype(np.uint8)
        expected = a.copy().reshape(n, 16)
        for i in range(n):
            for k in range(m):
                expected[i, b[i * m + k] & last] += k + 1
        for at_end in (True, False):
            given = calls.copies(a, b, at_end=at_end)
            calls.add((n, at_end), partial(kernel.f, *given, n, m), (given[0], expected.reshape(-1)))
    calls.check()


@pytest.mark.parametrize("last", [16, 31])
def test_rows_that_reach_into_the_next_stay(last: int) -> None:
    """There two lanes may change one element: both load it before one of them stores it."""
    assert "%changed" not in written(ROWS.replace("LAST", str(last)).replace("CHANGE", "1"))


@pytest.mark.parametrize(
    "change",
    [
        "int t = a[i * 16 + (b[i] & 15)]; a[i * 16 + 1] = 5; a[i * 16 + (b[i] & 15)] = t + 1;",
        "int t = a[i * 16 + (b[i] & 15)]; a[i * 16 + (b[i] & 15)] = t + 1; a[n * 16 + i] = t;",
        "int t = a[i * 16 + (b[i] & 15)]; a[i * 16 + (b[i] & 15)] = t + rotate(t, 1);",
        "if (b[i] < 99) a[i * 16 + (b[i] & 15)] += 1;",
    ],
    ids=["another store between", "used behind", "of other lanes", "under a mask"],
)
def test_others_stay(change: str) -> None:
    assert "%changed" not in written(f"{HEAD} {{ foreach (i = 0 ... n) {{ {change} }} }}")


def test_floats_and_what_lanes_add() -> None:
    """The product is rounded, or not, as in a gang."""
    source = """export void f(uniform float a[], const uniform uint8 b[], const uniform float c[], uniform int n) {
        foreach (i = 0 ... n)
            for (uniform int k = 0; k < 3; k++) {
                int at = i * 4 + (b[i * 3 + k] & 3);
                a[at] = a[at] * 0.5f + c[i];
            }
    }"""
    assert "%changed" in written(source)
    random, n = np.random.default_rng(4), 29
    a, c = random.integers(0, 64, n * 4).astype(np.float32), random.integers(0, 64, n).astype(np.float32)
    b = random.integers(0, 256, n * 3).astype(np.uint8)
    expected = a.copy().reshape(n, 4)
    for i in range(n):
        for k in range(3):
            column = b[i * 3 + k] & 3
            expected[i, column] = expected[i, column] * np.float32(0.5) + c[i]
    compile_kernels(source, "avx2-i32x8").f(a, b, c, n)
    assert (a == expected.reshape(-1)).all()


BESIDE = f"""{HEAD} {{
    foreach (i = 0 ... n)
        for (uniform int k = 0; k < m; k++)
            a[PLACE] += k + 1;
}}
"""
PLACES = [
    "i * 16 + (b[i * m + k] >> 4)",
    "(b[i * m + k] & 7) * programCount + programIndex",
    "programIndex + (b[i * m + k] % 5) * programCount",
    "((b[i * m + k] & 7) << 4) + (i & 15)",
]


@pytest.mark.parametrize(
    ("place", "target"),
    [
        (PLACES[0], "avx2-i32x8"),
        (PLACES[0], "avx2-i32x16"),
        (PLACES[1], "avx2-i32x16"),
        (PLACES[2], "sse4-i32x4"),
        (PLACES[3], "avx2-i32x8"),
    ],
)
def test_places_by_numbers_that_are_known_to_be_small(place: str, target: str) -> None:
    """In rows of the lanes' own, by what is left of a byte, and beside those of the other lanes, at multiples of the gang."""
    source = BESIDE.replace("PLACE", place)
    assert "%changed" in written(source, target)
    kernel, random, m = compile_kernels(source, target), np.random.default_rng(2), 5
    width, calls = find_target(target).width, FencedCalls()
    for n in (1, width, 2 * width + 3):
        b = random.integers(0, 256, n * m).astype(np.uint8)
        a = random.integers(0, 9, max(n, 8) * 16).astype(np.int32)
        expected = a.copy()
        for i in range(n):
            for k in range(m):
                x = int(b[i * m + k])
                places = [i * 16 + (x >> 4), (x & 7) * width + i % width, i % width + x % 5 * width, (x & 7) * 16 + i % 16]
                expected[places[PLACES.index(place)]] += k + 1
        for at_end in (True, False):
            given = calls.copies(a, b, at_end=at_end)
            calls.add((n, at_end), partial(kernel.f, *given, n, m), (given[0], expected))
    calls.check()


@pytest.mark.parametrize(
    "place", ["(b[i] >> 3) + i * 16", "(b[i] & 7) * (programCount / 2) + programIndex", "b[i] * 8 + (i & 3)"]
)
def test_places_that_lanes_may_share_stay(place: str) -> None:
    assert "%changed" not in written(BESIDE.replace("PLACE", place))
