"""What fills no gang is done by smaller ones with all lanes on, in place: each element once, and nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from passed_text import passed
from some_pairs import some_pairs

TARGETS = ["sse4-i32x4", "sse4-i8x16", "avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx2-i64x4", "avx512skx-x16"]
TYPES = {"uint8": np.uint8, "int16": np.int16, "int": np.int32, "float": np.float32, "double": np.float64}
BODIES = {
    "added": "a[at] += b[at];",
    "some": "if (a[at] > 50) a[at] = b[at];",
    "by_row": "a[at] = a[at] + b[y];",
    "strided": "a[2 * at] += b[2 * at + 1];",
    "members": "a[2 * at] += b[2 * at + 1]; a[2 * at + 1] = b[2 * at];",
    "index": "a[at] = a[at] + (TYPE)(x & 7);",
}
HEAD = "(uniform TYPE a[], const uniform TYPE b[], uniform int width, uniform int height) {"
SOURCE = "\n".join(
    f"export void {name}{HEAD}\n    foreach (y = 0 ... height, x = 0 ... width) {{ int at = y * width + x; {body} }}\n}}"
    for name, body in BODIES.items()
)


def expected(name: str, a: np.ndarray, b: np.ndarray, width: int, height: int) -> np.ndarray:
    a, count = a.copy(), width * height
    if name == "added":
        a += b
    elif name == "some":
        a = np.where(a > 50, b, a)
    elif name == "by_row":
        a += b[np.arange(count) // max(width, 1)] if count else 0
    elif name == "strided":
        a[0 : 2 * count : 2] += b[1 : 2 * count : 2]
    elif name == "members":
        a[0 : 2 * count : 2] += b[1 : 2 * count : 2]
        a[1 : 2 * count : 2] = b[0 : 2 * count : 2]
    else:
        a += ((np.arange(count) % max(width, 1)) & 7).astype(a.dtype)
    return a


def is_divided(body: str, outer: bool = True, target: str = "avx2-i32x8", type: str = "float") -> bool:
    head = f"uniform {type} a[], uniform {type} b[], uniform int n, uniform int m"
    rows = "for (uniform int y = 0; y < m; y++)" if outer else ""
    return ".ask.1:" in passed(f"export void f({head}) {{ {rows} foreach (i = 0 ... n) {{ {body} }} }}", target)


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 5))
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    random = np.random.default_rng(1)
    source = SOURCE.replace("TYPE", element)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(source, target)
    assert kernels.text.count(".ask.1:") == len(BODIES)
    lanes, widest = kernels.width, kernels.elements(dtype)
    widths = sorted({*range(lanes + 2), *range(widest, 2 * widest, lanes // 2 + 1), 2 * lanes - 1, widest + lanes - 1})
    for number, width in enumerate(widths):
        height = 1 + number % 3
        for name in BODIES:
            count = width * height
            written, needed = count, max(count, height)
            if name in ("strided", "members"):
                written, needed = 2 * count - (count > 0 and name == "strided"), 2 * count
            values, before = (random.integers(1, 100, each).astype(dtype) for each in (needed, written))
            wanted = expected(name, before, values if needed == 2 * count else values[:count], width, height)
            if name == "by_row":
                wanted = before + values[np.repeat(np.arange(height), width)]
            kernels.expect(name, [before, values], (width, height), wanted, interpreted=number % 6 == 0)
    kernels.check()


OF_ONE_ARRAY = """
export void f(uniform TYPE a[], const uniform TYPE b[], uniform int to, uniform int from, uniform int n, uniform int m) {
    for (uniform int y = 0; y < m; y++) foreach (i = 0 ... n) a[to + i] += b[y] * a[from + i];
}"""


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 5))
def test_rows_of_one_array_are_asked_whether_they_are_apart(element: str, target: str) -> None:
    """Nearer than a gang, a gang loads all before it stores any."""
    random = np.random.default_rng(2)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(OF_ONE_ARRAY.replace("TYPE", element), target)
    assert kernels.text.count(".ask.far:") == 1
    lanes = kernels.width
    for number, apart in enumerate((0, 1, lanes // 2, lanes - 1, lanes, lanes + 1, 3 * lanes)):
        for n in (0, 1, lanes // 2 + 1, lanes - 1, lanes, 2 * lanes + 3):
            for to, begin in {(0, apart), (apart, 0)}:
                a, b = random.integers(0, 3, apart + n).astype(dtype), random.integers(0, 3, 2).astype(dtype)
                wanted = a.copy()
                for factor in b:
                    for at in range(0, n, lanes):
                        i = np.arange(at, min(at + lanes, n))
                        wanted[to + i] += factor * wanted[begin + i]
                kernels.expect("f", [a, b], (to, begin, n, 2), wanted, interpreted=number % 3 == n % 3)
    kernels.check()


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = a[i + 1];",  # what another lane stores is loaded
        "a[i] += programIndex;",  # which lane does an element shows
        "a[i] += reduce_add(b[i]);",
        "a[i] += b[i & 1023];",
        "a[i] += 1; a[i + 1] = 2;",
        "a[i] = b[i];",  # the last gang may overlap
        "a[i] += a[m - i];",  # so that what is between changes from lane to lane
    ],
)
def test_where_lanes_matter_the_mask_stays(body: str) -> None:
    assert not is_divided(body)


def test_versions_of_a_loop_share_their_rest() -> None:
    """The rest is of any distance, not of the one that a version knows."""
    source = """export void f(uniform int8 a[], const uniform int8 b[], uniform int j, uniform int n) {
        foreach (k = 0 ... n) a[k / j * (2 * j) + k % j] += b[k];
    }"""
    kernels = compile_kernels(source, "avx2-i32x8")
    b = np.arange(1, 46, dtype=np.int8)
    for j in (1, 2, 4, 8):
        k = np.arange(45)
        wanted = np.zeros(200, np.int8)
        wanted[k // j * (2 * j) + k % j] = b
        a = np.zeros(200, np.int8)
        kernels.f(a, b, j, 45)
        assert a.tolist() == wanted.tolist(), j


def test_vectors_from_outside_keep_their_lanes() -> None:
    rows = "for (uniform int y = 0; y < 2; y++) foreach (i = 0 ... n)"
    for given, expected in (("b[programIndex]", False), ("b[0] * b[1]", True)):
        head = f"export void f(uniform float a[], uniform float b[], uniform int n) {{ float k = {given};"
        assert (".ask.1:" in passed(f"{head} {rows} a[i] += k; }}")) == expected


def test_which_loops() -> None:
    assert is_divided("a[i] += b[i];") and is_divided("a[i] += b[i];", target="avx512skx-x16")
    assert not is_divided("a[i] += b[i];", outer=False), "one mask of floats costs nothing"
    assert is_divided("a[i] += b[i];", outer=False, type="int8"), "of bytes it does"
    assert not is_divided("a[i] += b[i];", outer=False, type="int8", target="avx512skx-x16")


def test_nothing_is_left_under_a_mask() -> None:
    text = passed("export void f(uniform int8 a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; }")
    assert ".ask.1:" in text and ".masked:" not in text
