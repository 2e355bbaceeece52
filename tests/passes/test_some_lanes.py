"""Bytes and 16-bit numbers of some lanes, on targets without masked vectors of them: any mask, at both ends of a page."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from guard_pages import GuardedMemory
from kernels import compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i16x16", "avx2-i8x32"]
TYPES: dict[str, Any] = {"uint8": np.uint8, "int16": np.int16}
SOURCE = """
noinline void twice_T(uniform T a[]) {
    if (a[programIndex] > 3)
        a[programIndex] *= 2;
}
export void some_T(uniform T a[], const uniform T b[], const uniform bool on[], uniform int first) {
    if (on[programIndex])
        a[programIndex - first] = b[programIndex - first] + 3;
}
export void less_T(uniform T a[], const uniform T b[], const uniform unsigned int x[], const uniform unsigned int y[]) {
    unsigned int p = x[programIndex], q = y[programIndex];
    if (p < q)
        a[programIndex] = b[programIndex];
}
export void main_T(uniform T a[]) { twice_T(a); }
export void first_T(uniform T a[], const uniform T b[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = b[i] - 7;
}
"""


def masks(width: int) -> list[list[bool]]:
    """All of eight lanes; of more lanes runs and random ones."""
    if width <= 8:
        return [[bool(number >> lane & 1) for lane in range(width)] for number in range(1, 1 << width)]
    source = random.Random(width)
    runs = [[first <= lane <= last for lane in range(width)] for first in range(width) for last in range(first, width)]
    return [*runs[::3], *([source.random() < 0.4 for _ in range(width - 1)] + [True] for _ in range(60))]


@pytest.mark.parametrize(("name", "target"), some_pairs(TYPES, TARGETS))
def test_lanes_that_are_on_are_moved_and_nothing_else_is_touched(name: str, target: str) -> None:
    info = find_target(target)
    text = SOURCE.replace("T", name)
    made = compile_source(text, "f.ispc", Options(info), end="passes").results["passes"]
    assert "call void @some_lanes.store.v" in made and "call <" in made and "@some_lanes.load" in made
    module = compile_kernels(text, target=target)
    some, dtype, width = getattr(module, f"some_{name}"), TYPES[name], info.width
    numbers = np.random.default_rng(1).integers(0, 200, width).astype(dtype)
    memory = GuardedMemory(4096), GuardedMemory(4096)
    for mask in masks(width):
        on = np.array(mask)
        lanes = np.flatnonzero(on)
        first, last = int(lanes[0]), int(lanes[-1])
        for at_end in (True, False):
            # The arrays have the lanes from the first to the last that are on; beyond them nothing can be touched.
            a, b = (each.array(dtype, last - first + 1, at_end=at_end) for each in memory)
            b[:], a[:] = numbers[first : last + 1], 99
            some(a, b, on, first)
            assert np.array_equal(a, np.where(on[first : last + 1], b + dtype(3), dtype(99))), (mask, at_end)


@pytest.mark.parametrize(("name", "target"), some_pairs(TYPES, TARGETS))
def test_lanes_chosen_by_a_comparison_are_no_run(name: str, target: str) -> None:
    less, width, dtype = getattr(compile_kernels(SOURCE.replace("T", name), target=target), f"less_{name}"), 32, TYPES[name]
    random = np.random.default_rng(6)
    lanes = find_target(target).width
    for _ in range(40):
        x, y = (random.integers(0, 4, width).astype(np.uint32) for _ in range(2))
        a, b = np.full(width, 99, dtype), np.arange(width).astype(dtype)
        less(a, b, x, y)
        assert np.array_equal(a, np.where((x < y) & (np.arange(width) < lanes), b, dtype(99)))


@pytest.mark.parametrize(("name", "target"), some_pairs(TYPES, TARGETS))
def test_the_end_of_a_foreach_stays_inside(name: str, target: str) -> None:
    first = getattr(compile_kernels(SOURCE.replace("T", name), target=target), f"first_{name}")
    memory = GuardedMemory(4096), GuardedMemory(4096)
    for count in range(1, 40):
        for at_end in (True, False):
            a, b = (each.array(TYPES[name], count, at_end=at_end) for each in memory)
            b[:] = np.arange(count) + 9
            first(a, b, count)
            assert np.array_equal(a, b - TYPES[name](7)), (count, at_end)


def test_a_helper_that_many_places_use_is_called() -> None:
    """Inlined a hundred times, its branches would take LLVM seconds."""
    text = "".join(f"if (v == {k}) c[0] += {k + 1};\n" for k in range(60))
    options = Options(find_target("avx2-i32x8"))
    source = "noinline void many(uint8 &b, int v) { varying uint8 * uniform c = &b;\n" + text + "}\n"
    source += "export void main(uniform uint8 a[]) { uint8 b = a[programIndex]; many(b, b); a[programIndex] = b; }"
    made = compile_source(source, "f.ispc", options, end="passes").results["passes"]
    (definition,) = [line for line in made.splitlines() if line.startswith("define") and "some_lanes.store.v" in line]
    assert " noinline " in definition
    few = compile_source(SOURCE.replace("T", "uint8"), "f.ispc", options, end="passes").results["passes"]
    (definition,) = [line for line in few.splitlines() if line.startswith("define") and "some_lanes.store.v" in line]
    assert " alwaysinline " in definition
