"""What lanes compute of rows is computed once: numpy's results, nothing else touched, bytes of planes several gangs at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from passed_text import passed
from some_pairs import some_pairs

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx512skx-x16"]
TYPES: dict[str, Any] = {"uint8": np.uint8, "int16": np.int16, "int": np.int32, "double": np.float64}
HEAD = "(uniform TYPE a[], const uniform TYPE b[], const uniform TYPE c[], uniform int n, uniform int m)"
OVER = "foreach (y = 0 ... m, x = 0 ... n)"
BODIES = {
    "ordered": "a[y * n + x] = b[y * n + x] > c[(y & 3) * 4 + (x & 3)] ? 1 : 0;",
    "larger": "a[y * n + x] = b[y * n + x] + c[((y ^ 5) & 7) * 8 + (x & 7)];",
    "halved": "a[y * n + x] = b[(y >> 1) * n + x] + c[(y << 1) & 63];",
    "held": "a[y * n + x] = b[min(y + 1, m - 1) * n + x] + b[max(y - 1, 0) * n + x];",
    "wide": "int64 at = (int64)y * n + x; a[at] = b[at] + c[((int)((unsigned int16)y)) | 32];",
    "turned": "a[(m - 1 - y) * n + x] = b[y * n + x] + (y * y + 3 & 15);",
    "divided": "a[y * n + x] = b[y * n + x] + c[y % 5] + c[n / (y + 1) & 63];",
}
SOURCE = "\n".join(f"export void {name}{HEAD} {{\n    {OVER} {{ {body} }}\n}}" for name, body in BODIES.items())


def expected(name: str, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    m, n = b.shape
    y, x = np.arange(m)[:, None], np.arange(n)[None, :]
    made: dict[str, Callable[[], np.ndarray]] = {
        "ordered": lambda: b > c[(y & 3) * 4 + (x & 3)],
        "larger": lambda: b + c[((y ^ 5) & 7) * 8 + (x & 7)],
        "halved": lambda: b[y[:, 0] >> 1] + c[(y << 1) & 63],
        "held": lambda: b[np.minimum(y[:, 0] + 1, m - 1)] + b[np.maximum(y[:, 0] - 1, 0)],
        "wide": lambda: b + c[y | 32],
        "turned": lambda: (b + (y * y + 3 & 15))[::-1],
        "divided": lambda: b + c[y % 5] + c[n // (y + 1) & 63],
    }
    return made[name]().astype(b.dtype)


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 7))
def test_planes_of_every_remainder(element: str, target: str) -> None:
    random = np.random.default_rng(5)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(SOURCE.replace("TYPE", element), target)
    width, widest = kernels.width, kernels.elements(dtype)
    c = random.integers(1, 9, 64).astype(dtype)
    columns = sorted({1, width - 1, width, width + 1, widest + 3, 2 * widest + width + 3})
    for number, (n, m) in enumerate((n, m) for n in columns for m in (1, 2, 5)):
        for place, name in enumerate(BODIES):
            b = random.integers(1, 9, (m, n)).astype(dtype)
            wanted = expected(name, b, c).ravel()
            given = [np.zeros(n * m, dtype), b.ravel(), c]
            kernels.expect(name, given, (n, m), wanted, interpreted=(number + place) % 18 == 0)
    kernels.check()


def test_rows_of_lanes_are_numbers() -> None:
    source = f"export void f{HEAD} {{ {OVER} {{ {BODIES['larger']} }} }}".replace("TYPE", "uint8")
    text = passed(source)
    assert ".wide_body:" in text, "several gangs of bytes at a time"
    assert " = xor i32 " in text and " = xor <" not in text
    assert " = sdiv i32 " not in passed(source.replace(BODIES["larger"], BODIES["divided"])), "quotients may fail"


def test_lanes_that_differ_stay() -> None:
    text = passed("export void f(uniform int a[], uniform int n) { foreach (i = 0 ... n) a[i] = (a[i] ^ n) & programIndex; }")
    assert " = xor <8 x i32> " in text and " = and <8 x i32> " in text
