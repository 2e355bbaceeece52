"""Structs of many members of 4 bytes, loaded a row of each lane at a time: each member's value, and nothing else is read."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["avx2-i32x8", "avx1-i32x8", "avx2-i32x16", "avx1-i32x16", "avx512skx-x16", "avx512skx-x8"]
TYPES: dict[str, Any] = {"float": np.float32, "int": np.int32, "uint32": np.uint32}


def kernel(name: str, members: list[int], stride: int, weights: list[int]) -> str:
    """The sum of some members of the struct of each lane, each times a number of its own."""
    total = " + ".join(f"b[{stride} * i + {member}] * {weight}" for member, weight in zip(members, weights, strict=True))
    header = f"export void {name}(uniform TYPE a[], const uniform TYPE b[], uniform int n)"
    return f"{header} {{ foreach (i = 0 ... n) a[i] = {total}; }}\n"


@pytest.mark.parametrize(("target", "element"), some_pairs(TARGETS, TYPES, 6))
def test_random_members_at_both_ends_of_memory(target: str, element: str) -> None:
    rng = random.Random(f"{target} {element}")
    cases = []
    for _ in range(3):
        stride = rng.choice((7, 9, 9, 10, 11, 12, 15, 20))
        members = rng.sample(range(stride), rng.randrange(4, stride + 1))
        cases.append((members, stride, [rng.randrange(1, 9) for _ in members]))
    source = "".join(kernel(f"f{at}", *case) for at, case in enumerate(cases)).replace("TYPE", element)
    kernels = JudgedKernels(source, target)
    width = kernels.width
    for n in (0, 1, width, 2 * width + 3):
        for at, (members, stride, weights) in enumerate(cases):
            # What is touched begins with the first member that is loaded, and ends with the last.
            size = stride * (n - 1) + max(members) + 1 if n else 0
            b = np.array([rng.randrange(99) for _ in range(size)], TYPES[element])
            rows = np.append(b, np.zeros(stride * n - size, b.dtype)).reshape(n, stride)
            wanted = sum((rows[:, member] * weight for member, weight in zip(members, weights, strict=True)), 0 * rows[:, 0])
            wanted = wanted.astype(b.dtype)
            kernels.expect(f"f{at}", [np.zeros_like(wanted), b], (n,), wanted, interpreted=n == width)
    kernels.check()


@pytest.mark.parametrize(
    ("members", "stride", "rows"),
    [
        (range(9), 9, 2),
        (range(7), 7, 2),  # the second overlaps the first
        (range(10), 10, 3),
        (range(12), 12, 3),
        ((0, 4, 8), 9, 0),
        (range(5), 5, 0),
        (range(8), 8, 0),  # a network
    ],
)
def test_rows_of_sixteen_bytes(members: Any, stride: int, rows: int) -> None:
    source = kernel("f", list(members), stride, [at + 1 for at in members]).replace("TYPE", "float")
    made = compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), 3), Diagnostics(), end="passes")
    assert made.results["passes"].count("load <4 x float>") == 2 * 8 * rows  # and of the gang over the last elements


def test_registers_of_sixteen_lanes_are_put_together_of_two() -> None:
    source = kernel("f", list(range(9)), 9, list(range(1, 10))).replace("TYPE", "float")
    made = compile_source(source, "f.ispc", Options(find_target("avx512skx-x16"), 3), Diagnostics(), end="passes")
    assert made.results["passes"].count("load <4 x float>") == 2 * 16
