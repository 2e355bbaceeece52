"""Members computed of parts of longer structs: pairs of pixels, rows of a matrix of each lane; nothing else is touched."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from guard_pages import Array
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from some_pairs import some_pairs
from test_joined_members import TYPES, joined

TARGETS = ["avx2-i32x8", "sse4-i32x4", "avx1-i32x8", "avx2-i32x16", "avx512skx-x16", "avx512icl-x64"]
HEAD = "(uniform TYPE a[], const uniform TYPE b[], const uniform TYPE c[], uniform int n)"
ROWS = " + ".join(f"b[16 * i + {4 * row} + k] * c[4 * i + {row}]" for row in range(4))
COLUMNS = " + ".join(f"b[16 * i + 4 * k + {column}] * c[4 * i + {column}]" for column in range(4))

Formula = Callable[[Array, Array, int], Array]
# Name -> what is stored, members, elements of b a lane, and up to where it is read; what member k is of rows of b and c.
BODIES: dict[str, tuple[str, int, int, int, Formula]] = {
    "halves": ("b[8 * i + k] + b[8 * i + 4 + k]", 4, 8, 8, lambda b, c, k: b[:, k] + b[:, 4 + k]),
    "matrices": (ROWS, 4, 16, 16, lambda b, c, k: sum((b[:, 4 * row + k] * c[:, row] for row in range(4)), 0 * b[:, 0])),
    "columns": (COLUMNS, 4, 16, 16, lambda b, c, k: (b[:, 4 * k : 4 * k + 4] * c).sum(1, dtype=b.dtype)),
    "outer_rows": (
        "b[16 * i + k] - b[16 * i + 12 + k] * c[4 * i + k]",
        *(4, 16, 16),
        lambda b, c, k: b[:, k] - b[:, 12 + k] * c[:, k],
    ),
    "twos": ("b[4 * i + 2 + k] * 3 + b[4 * i + k]", 2, 4, 4, lambda b, c, k: b[:, 2 + k] * 3 + b[:, k]),
    "swapped": ("b[4 * i + 3 - k] - b[4 * i + k]", 2, 4, 4, lambda b, c, k: b[:, 3 - k] - b[:, k]),
    "threes": ("b[6 * i + k] + b[6 * i + 3 + k]", 3, 6, 6, lambda b, c, k: b[:, k] + b[:, 3 + k]),
    "first_half": ("b[8 * i + k] + 1", 4, 8, 4, lambda b, c, k: b[:, k] + 1),
    "second_half": ("b[8 * i + 4 + k] + c[4 * i + k]", 4, 8, 8, lambda b, c, k: b[:, 4 + k] + c[:, k]),
    "all_but_one": ("b[8 * i + k] + b[8 * i + 3 + k]", 4, 8, 7, lambda b, c, k: b[:, k] + b[:, 3 + k]),
}
SOURCE = "\n".join(
    f"export void {name}{HEAD} {{ foreach (i = 0 ... n)"
    f" for (uniform int k = 0; k < {members}; k++) a[{members} * i + k] = {body}; }}"
    for name, (body, members, *_) in BODIES.items()
)


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 12))
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    source, dtype = SOURCE.replace("TYPE", element), np.dtype(TYPES[element])
    kernels = JudgedKernels(source, target)
    width, random = kernels.width, np.random.default_rng(1)
    for number, n in enumerate((0, 1, width, 2 * width, 4 * width + 3)):
        for name, (_, members, stride, end, formula) in BODIES.items():
            read_to = stride * (n - 1) + end if n else 0
            first, second = random.integers(0, 4, stride * n).astype(dtype), random.integers(0, 4, 4 * n).astype(dtype)
            rows, others = first.reshape(n, stride), second.reshape(n, 4)
            wanted = np.array([formula(rows, others, k) for k in range(members)]).T.astype(dtype).reshape(-1)
            arrays = [np.zeros(members * n, dtype), first[:read_to], second]
            kernels.expect(name, arrays, (n,), wanted, interpreted=number == 2)
    kernels.check()


@pytest.mark.parametrize(
    ("name", "joins"), [("halves", 1), ("matrices", 1), ("columns", 0), ("outer_rows", 1), ("first_half", 0)]
)
def test_which_are_stored_as_vectors(name: str, joins: bool) -> None:
    """Not where the part that would be read with it is not read by the program."""
    body, members, *_ = BODIES[name]
    loop = f"foreach (i = 0 ... n) for (uniform int k = 0; k < {members}; k++) a[{members} * i + k] = {body};"
    text = joined(f"export void f{HEAD} {{ {loop} }}".replace("TYPE", "float"))
    assert (re.search(r"@volta\.scatter\.v(?!1[if]).* splat \(i1 true\)\)", text) is None) == joins


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4", "avx512skx-x16"])
def test_what_is_stored_in_front_of_what_is_read(target: str) -> None:
    """Of one array: a gang reads what it stores to, and what it has read is as it was."""
    source = """export void f(uniform float a[], uniform int n) {
    foreach (i = 0 ... n) for (uniform int k = 0; k < 4; k++) a[4 * i + k] = a[8 * i + k] + a[8 * i + 4 + k]; }"""
    f = compile_kernels(source, target).f
    for n in (1, 8, 35):
        a = np.random.default_rng(n).integers(0, 99, 8 * n).astype(np.float32)
        wanted = a.copy()
        wanted[: 4 * n] = a.reshape(n, 2, 4).sum(1).ravel()
        f(a, n)
        assert a.tolist() == wanted.tolist()
