"""Rows that load what neighbouring rows load go two at a time: as numpy says, and nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from passed_text import passed
from some_pairs import some_pairs

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx512skx-x16"]
TYPES = {"uint8": np.uint8, "int16": np.int16, "int": np.int32, "float": np.float32}
HEAD = "(uniform TYPE a[], const uniform TYPE b[], uniform int n, uniform int m) {"
INNER = "for (uniform int y = 1; y < m - 1; y++) foreach (x = 1 ... n - 1)"
NINE = "for (uniform int j = -1; j <= 1; j++) for (uniform int i = -1; i <= 1; i++)"
BODIES = {
    "cross": f"{INNER} a[y * n + x] = b[(y - 1) * n + x] + b[y * n + x - 1] + b[y * n + x] + b[y * n + x + 1]"
    " + b[(y + 1) * n + x];",
    "nine": f"{INNER} {{ TYPE s = 0; {NINE} s += b[(y + j) * n + x + i]; a[y * n + x] = s; }}",
    "plane": "foreach (y = 1 ... m - 1, x = 1 ... n - 1)"
    f" {{ TYPE s = 0; {NINE} s += b[(y + j) * n + x + i]; a[y * n + x] = s; }}",
    "least": f"{INNER} {{ TYPE s = 100; {NINE} s = min(s, b[(y + j) * n + x + i]); a[y * n + x] = s; }}",
    "some": f"{INNER} {{ TYPE up = b[y * n + x - n], here = b[y * n + x], down = b[y * n + n + x];"
    " if (here > up) a[y * n + x] = here + down; }",
    "two": "for (uniform int y = 2; y < m - 2; y += 2) foreach (x = 0 ... n) { TYPE s = 0;"
    " for (uniform int j = -2; j <= 2; j++) s += b[(y + j) * n + x]; a[y * n + x] = s; }",
}
SOURCE = "\n".join(f"export void {name}{HEAD}\n    {body}\n}}" for name, body in BODIES.items())


def expected(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    made = a.copy()
    up, here, down = b[:-2], b[1:-1], b[2:]
    inside = made[1:-1]
    if name == "two":
        for y in range(2, len(b) - 2, 2):
            made[y] = b[y - 2 : y + 3].sum(axis=0)
        return made
    if min(b.shape) < 3:
        return made
    if name == "cross":
        inside[:, 1:-1] = up[:, 1:-1] + here[:, :-2] + here[:, 1:-1] + here[:, 2:] + down[:, 1:-1]
    elif name == "some":
        center = here[:, 1:-1]
        inside[:, 1:-1] = np.where(center > up[:, 1:-1], center + down[:, 1:-1], inside[:, 1:-1])
    else:
        parts = [each[:, i : i + b.shape[1] - 2] for each in (up, here, down) for i in range(3)]
        inside[:, 1:-1] = np.minimum.reduce(parts) if name == "least" else np.sum(parts, axis=0)
    return made


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 3))
def test_each_remainder_of_rows_and_gangs_at_both_ends_of_memory(element: str, target: str) -> None:
    random = np.random.default_rng(1)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(SOURCE.replace("TYPE", element), target)
    assert kernels.text.count(".rows_begin:") == len(BODIES)
    width, widest = kernels.width, kernels.elements(dtype)
    columns = sorted({1, 2, width + 1, width + 2, width + 3, widest + 3, 2 * widest + width + 3})
    for number, (n, m) in enumerate((n, m) for n in columns for m in range(1, 8)):
        for name in BODIES:
            if (number + len(name)) % 3 == 0:
                before, b = (random.integers(1, 20, (m, n)).astype(dtype) for _ in range(2))
                wanted = expected(name, before, b).ravel()
                kernels.expect(name, [before.ravel(), b.ravel()], (n, m), wanted, interpreted=number % 9 == 0)
    kernels.check()


FAR = """export void f(uniform int a[], const uniform int b[], uniform int n, uniform int m, uniform int apart) {
    for (uniform int y = 1; y < m - 1; y++) foreach (x = 0 ... n)
        a[y * apart + x + 900] = b[(y - 1) * n + x] * 100 + b[y * n + x] * 10 + b[(y + 1) * n + x];
}"""


def test_rows_that_meet_are_stored_in_their_order() -> None:
    text = passed(FAR)
    assert ".rows_begin:" in text
    kernel = compile_kernels(FAR, "avx2-i32x8").f
    b = np.random.default_rng(2).integers(0, 9, (9, 40)).astype(np.int32)
    for apart in (40, 41, 39, 33, 8, 1, 0, -1, -8, -39, -40, -100):
        wanted = np.zeros(1800, np.int32)
        for y in range(1, 8):
            wanted[900 + y * apart :][:40] = b[y - 1] * 100 + b[y] * 10 + b[y + 1]
        made, interpreted = (np.zeros(1800, np.int32) for _ in range(2))
        kernel(made, b.ravel(), 40, 9, apart)
        IRInterpreter(read(text)).call("f", [interpreted, b.ravel(), 40, 9, apart])
        assert made.tolist() == interpreted.tolist() == wanted.tolist(), apart


def is_jammed(body: str, rows: str = "uniform int y = 1; y < m - 1; y++", element: str = "float", before: str = "") -> bool:
    head = f"uniform {element} a[], const uniform {element} b[], const uniform float c[], uniform int n, uniform int m"
    return ".rows_begin:" in passed(f"export void f({head}) {{ {before}for ({rows}) foreach (x = 1 ... n - 1) {{ {body} }} }}")


UP, HERE, DOWN = "b[(y - 1) * n + x]", "b[y * n + x]", "b[(y + 1) * n + x]"


def test_which_rows() -> None:
    assert is_jammed(f"a[y * n + x] = {UP} + {HERE} + {DOWN};")
    assert is_jammed(f"a[y * n + x] = b[y * n - n + x] + {HERE} + b[x + n + n * y];"), "the same places, written in other ways"
    assert not is_jammed(f"a[y * n + x] = {UP} + {HERE};"), "one load of four is not worth it"
    assert not is_jammed("a[y * n + x] = b[(y - 1) * n + x] + b[(y + 1) * n + x];", "uniform int y = 1; y < m - 1; y += 4")
    assert not is_jammed(f"a[y * n + x] = {UP} + {HERE} + {DOWN} + a[(y - 1) * n + x];"), "what rows store is loaded"
    assert not is_jammed(f"a[y * n + x] = {UP} + {HERE} + {DOWN}; a[(y + 1) * n + x] = 1;"), "two stores to one object"
    assert not is_jammed(f"a[y * y + x] = {UP} + {HERE} + {DOWN};"), "rows are not equally far from each other"
    assert not is_jammed(f"a[(y & 1) * n + x] = {UP} + {HERE} + {DOWN};")
    assert not is_jammed(f"a[y * n + x] = {UP} + {HERE} + {DOWN};", before="\n#pragma nounroll\n")


EIGHT = " + ".join(f"b[(y + {j}) * n + x + {i}]" for j in (-1, 0, 1) for i in (-1, 0, 1) if (i, j) != (0, 0))
PLANE = """export void f(uniform uint8 a[], const uniform uint8 b[], uniform int n, uniform int m) {
    foreach (y = 1 ... m - 1, x = 1 ... n - 1) {"""


@pytest.mark.parametrize(
    "body",
    [
        f"uint8 s = 255; {NINE} s = min(s, b[(y + j) * n + x + i]); a[y * n + x] = s;",
        f"uint8 s = {EIGHT}; if (s > 7) s += {HERE}; a[y * n + x] = s;",
    ],
    ids=["all", "under a mask"],
)
def test_rows_of_a_plane_of_bytes_still_go_several_gangs_at_a_time(body: str) -> None:
    """Where lanes computed the rows, neither the distance of the stores nor what lies between two loads was known."""
    text = passed(f"{PLANE} {body} }} }}")
    assert ".rows_begin:" in text
    assert text.partition(".rows_begin:")[2].partition(".row.test:")[0].count("store <32 x i8>") >= 2


@pytest.mark.parametrize(
    "weights",
    ["0.1f, 0.25f, 0.3f, 0.2f, 0.15f, 0.35f, 0.05f, 0.45f, 0.55f", "0.1f, 0.2f, 0.1f, 0.2f, 0.4f, 0.2f, 0.1f, 0.2f, 0.1f"],
    ids=["different", "symmetric"],
)
def test_rows_are_the_same_joined_or_not(weights: str) -> None:
    """Rows of an image, whether a second one goes along or not, and has products in common with it: to the last bit."""
    source = f"""export void f(uniform float a[], const uniform float b[], uniform int n, uniform int first, uniform int end) {{
        const uniform float w[9] = {{ {weights} }};
        for (uniform int y = first; y < end; y++) foreach (x = 1 ... n - 1) {{
            float s = 0;
            for (uniform int j = 0; j < 3; j++)
                for (uniform int i = 0; i < 3; i++) s += w[3 * j + i] * b[(y + j - 1) * n + x + i - 1];
            a[y * n + x] = s;
        }}
    }}"""
    assert ".rows_begin:" in passed(source)
    kernel = compile_kernels(source, "avx2-i32x8").f
    b = np.random.default_rng(3).random((7, 61), np.float32)
    whole, single = np.zeros((7, 61), np.float32), np.zeros((7, 61), np.float32)
    kernel(whole.reshape(-1), b.ravel(), 61, 1, 6)
    for y in range(1, 6):
        kernel(single.reshape(-1), b.ravel(), 61, y, y + 1)
    assert whole.any() and whole.tolist() == single.tolist()
