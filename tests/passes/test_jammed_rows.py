"""Loops around a foreach that changes the same elements do four iterations at a time, as numpy says, and touch nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from passed_text import passed
from some_pairs import some_pairs

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x16", "avx512skx-x8"]
TYPES = {"uint8": np.uint8, "int16": np.int16, "int": np.int32, "float": np.float32, "double": np.float64, "int64": np.int64}
HEAD = "(uniform T a[], const uniform T b[], const uniform T c[], uniform int n, uniform int m) {"
BODIES = {
    "added": "a[j] += b[i * n + j];",
    "product": "a[j] += b[i * n + j] * c[i];",
    "order": "a[j] = a[j] * 2 + b[i * n + j];",
    "greatest": "a[j] = max(a[j], b[i * n + j]);",
    "some": "if (b[i * n + j] > c[i]) a[j] += 1;",
    "twice": "a[j] += b[i * n + j]; a[j] = a[j] + c[i];",
    "strided": "a[2 * j] += b[i * n + j];",
}
SOURCE = "\n".join(
    f"export void {name}{HEAD}\n for (uniform int i = 0; i < m; i++) foreach (j = 0 ... n) {{ {body} }}\n}}"
    for name, body in BODIES.items()
).replace("uniform T", "uniform TYPE")  # fmt: skip


def expected(name: str, a: np.ndarray, b: np.ndarray, c: np.ndarray, n: int, m: int) -> np.ndarray:
    a = a.copy()
    j = np.arange(n)
    for i in range(m):
        row = b[i * n : i * n + n]
        if name == "added":
            a[j] += row
        elif name == "product":
            a[j] += row * c[i]
        elif name == "order":
            a[j] = a[j] * 2 + row
        elif name == "greatest":
            a[j] = np.maximum(a[j], row)
        elif name == "some":
            a[j] = np.where(row > c[i], a[j] + 1, a[j])
        elif name == "twice":
            a[j] += row + c[i]
        else:
            a[2 * j] += row
    return a


def is_jammed(body: str, rows: str = "for (uniform int i = 0; i < m; i++)", target: str = "avx2-i32x8", level: int = 3) -> bool:
    head = "export void f(uniform float a[], const uniform float b[], uniform float c[], uniform int n, uniform int m)"
    return ".rows_begin:" in passed(f"{head} {{ {rows} {{ {body} }} }}", target, level)


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 6))
def test_each_remainder_of_rows_and_gangs_at_both_ends_of_memory(element: str, target: str) -> None:
    random = np.random.default_rng(1)
    source = SOURCE.replace("TYPE", element)
    dtype = np.dtype(TYPES[element])
    kernels = JudgedKernels(source, target)
    assert kernels.text.count(".rows_begin:") == len(BODIES)
    width, widest = kernels.width, kernels.elements(dtype)
    columns = sorted({0, 1, width - 1, width, width + 1, 2 * width, 3 * width - 1, widest, widest + width // 2, 2 * widest + 1})
    for number, (n, m) in enumerate((n, m) for n in columns for m in range(10)):
        for name in BODIES:
            if (number + len(name)) % 3:
                continue
            written = max(2 * n - 1, 0) if name == "strided" else n
            before, b, c = (random.integers(1, 9, each).astype(dtype) for each in (written, n * m, m))
            wanted = expected(name, before, b, c, n, m)
            kernels.expect(name, [before, b, c], (n, m), wanted, interpreted=number % 7 == 0)
    kernels.check()


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
def test_a_product_of_matrices(target: str) -> None:
    source = """export void f(uniform float c[], const uniform float a[], const uniform float b[], uniform int n) {
        for (uniform int i = 0; i < n; i++)
            for (uniform int k = 0; k < n; k++) {
                uniform float each = a[i * n + k];
                foreach (j = 0 ... n) c[i * n + j] += each * b[k * n + j];
            }
    }"""
    assert ".rows_begin:" in passed(source, target)
    random = np.random.default_rng(2)
    f = compile_kernels(source, target).f
    for n in (1, 3, 4, 5, 17, 33):
        a, b = random.integers(0, 9, (2, n, n)).astype(np.float32)
        c = np.zeros((n, n), np.float32)
        f(c.reshape(-1), a.reshape(-1), b.reshape(-1), n)
        assert (c == a @ b).all()


def test_the_last_numbers_of_rows() -> None:
    source = """export void f(uniform int a[], uniform int n, uniform int low, uniform int high) {
        for (uniform int i = low; i < high; i++) foreach (j = 0 ... n) a[j] += i & 15;
    }"""
    assert ".rows_begin:" in passed(source)
    least = -(2**31)
    for low, high in ((least, least + 2), (least, least + 7), (-least - 8, -least - 1), (3, least)):
        a = np.zeros(11, np.int32)
        IRInterpreter(read(passed(source))).call("f", [a, 11, low, high])
        assert a.tolist() == [sum(i & 15 for i in range(low, high))] * 11


def test_what_is_stored_is_loaded_once() -> None:
    """Of a place that four iterations change: one load, four products that are added, one store."""
    function = read(passed(SOURCE.replace("TYPE", "float"))).function("product")
    gang = next(block for block in function.blocks if block.name.endswith(".all_on.rows"))
    assert sum("load <8 x float>" in each.text for each in gang.instructions) == 1 + 4
    assert sum(each.op == "store" for each in gang.instructions) == 1
    assert sum("@llvm.fma." in each.text for each in gang.instructions) == 4


@pytest.mark.parametrize(
    "body",
    [
        "foreach (j = 0 ... n) a[i * n + j] += b[j];",  # another place in each iteration
        "foreach (j = 0 ... n) a[j] = a[j + 1] + b[j];",  # what another lane stores is loaded
        "foreach (j = 0 ... n) a[j] = b[i * n + j];",  # nothing is loaded again
        "foreach (j = i ... n) a[j] += b[j];",  # how far it goes depends on the iteration
        "foreach (j = 0 ... n) a[j] += a[i];",  # an element that is stored, too
        "uniform float x = a[i]; foreach (j = 0 ... n) a[j] += x;",
        "c[i] = 1; foreach (j = 0 ... n) a[j] += b[i * n + j];",
        "foreach (j = 0 ... n) a[j] += b[i * n + j]; if (b[i] > 0) break;",
        "foreach (j = 0 ... n) a[j] += b[i * n + j]; n -= 1;",
        "foreach (j = 0 ... n) a[j] += programIndex;",  # which lane does an element shows
        "foreach (j = 0 ... n) a[(int)b[j]] += 1;",
    ],
)
def test_what_stays_as_it_is(body: str) -> None:
    assert not is_jammed(body)


def test_which_loops() -> None:
    body = "foreach (j = 0 ... n) a[j] += b[i * n + j];"
    assert (
        is_jammed(body)
        and is_jammed(body, target="avx512skx-x16")
        and is_jammed(body, "for (uniform int i = 3; i < m; i += 2)")
    )
    assert not is_jammed(body, level=1)
    assert not is_jammed(body, "\n#pragma nounroll\nfor (uniform int i = 0; i < m; i++)")
    assert not is_jammed(body, target="naplespu"), "nobody has measured a device"
