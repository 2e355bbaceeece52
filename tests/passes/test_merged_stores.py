"""Stores to the same elements under several masks are one, unless something between reads what they write."""

from __future__ import annotations

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from passed_text import passed
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "sse4-i8x16", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x16"]
TYPES = {"int8": np.int8, "int16": np.int16, "int": np.int32, "int64": np.int64, "float": np.float32, "double": np.float64}
SOURCE = """
export void cells(uniform T state[], uniform T energy[], uniform int n) {
    foreach (i = 0 ... n) {
        if (state[i] != 0) {
            energy[i] -= 1;
            if (energy[i] <= 0) state[i] = 0;
        } else if (energy[i] > 5) { state[i] = 1; energy[i] -= 3; }
    }
}
export void between(uniform T state[], uniform T energy[], uniform int n) {
    foreach (i = 0 ... n) {
        if (state[i] > 2) energy[i] = state[i];
        T now = energy[i];
        if (state[i] < 1) energy[i] = now + 2;
        state[i] = now;
    }
}"""


def stores_of(body: str, target: str = "avx2-i32x8") -> list[str]:
    """What became of each store of a kernel, of whole gangs."""
    text = f"export void f(uniform int a[], uniform int b[], uniform int n) {{ foreach (i = 0 ... n) {{ {body} }} }}"
    made = compile_source(text, "f.ispc", Options(find_target(target), whole_program=True), end="passes")
    return [each.kind for each in made.access_reports if each.operation == "store" and "all_on" in each.block]


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 3))
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    random = np.random.default_rng(1)
    kernels = JudgedKernels(SOURCE.replace("T ", f"{element} "), target)
    dtype, lanes = np.dtype(TYPES[element]), kernels.elements(np.dtype(TYPES[element]))
    for number, n in enumerate((0, 1, kernels.width - 1, lanes, lanes + 1, 2 * lanes + 3)):
        state, energy = random.integers(0, 4, n).astype(dtype), random.integers(0, 9, n).astype(dtype)
        alive = state != 0
        wakes = ~alive & (energy > 5)
        left = np.where(alive, energy - 1, np.where(wakes, energy - 3, energy))
        kept = np.where(alive & (left <= 0), 0, np.where(wakes, 1, state))
        wanted = kept.astype(dtype), left.astype(dtype)
        kernels.expect("cells", [state, energy], (n,), *wanted, interpreted=number % 3 == 1)
        now = np.where(state > 2, state, energy)
        kernels.expect("between", [state, energy], (n,), now, np.where(state < 1, now + 2, now), interpreted=number % 3 == 1)
    kernels.check()


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("if (b[i] > 0) a[i] = 1; else a[i] = 2;", ["merged"] * 2),
        ("if (b[i] > 0) { a[i] = 1; b[i] = a[i] + 1; } else if (b[i] < -4) a[i] = 2;", ["merged", "masked", "merged"]),
        ("if (b[i] > 0) a[i] = 1; b[i] = a[i + 1]; a[i] = 2;", ["masked", "vector", "vector"]),
    ],
)
def test_what_is_known_is_not_loaded_between_stores(body: str, kinds: list[str]) -> None:
    assert sorted(stores_of(body)) == sorted(kinds)


TAKEN = """
export void taken(uniform T a[], uniform T b[], uniform T c[], uniform int n) {
    foreach (i = 0 ... n) a[i] = b[i] > 3 && c[i] < 6 ? b[i] : c[i];
}
export void either(uniform T a[], uniform T b[], uniform T c[], uniform int n) {
    foreach (i = 0 ... n) a[i] = b[i] > 3 || c[i] < 2 ? c[i] : b[i];
}
export void part(uniform T a[], uniform T b[], uniform T c[], uniform int n) {
    foreach (i = 0 ... n) a[i] = b[i] > 3 && b[i] < 6 ? c[i] : b[i];
}"""


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 3))
def test_what_conditions_leave_and_take_is_all(element: str, target: str) -> None:
    """Where one side of a condition's part and the other side of the whole are loaded, every lane's element is."""
    random = np.random.default_rng(2)
    kernels = JudgedKernels(TAKEN.replace("T ", f"{element} "), target)
    dtype = np.dtype(TYPES[element])
    for number, n in enumerate((0, 1, kernels.width - 1, kernels.elements(dtype) + 1, 2 * kernels.elements(dtype) + 3)):
        b, c = (random.integers(0, 9, n).astype(dtype) for _ in range(2))
        for name, wanted in (
            ("taken", np.where((b > 3) & (c < 6), b, c)),
            ("either", np.where((b > 3) | (c < 2), c, b)),
            ("part", np.where((b > 3) & (b < 6), c, b)),
        ):
            kernels.expect(name, [np.zeros(n, dtype), b, c], (n,), wanted, interpreted=number % 2 == 1)
    kernels.check()


def masked_loads(body: str) -> int:
    """Of whole gangs."""
    head = "export void f(uniform float a[], uniform float b[], uniform float c[], uniform int n) {"
    module = read(passed(f"{head} foreach (i = 0 ... n) {{ {body} }} }}", "avx2-i32x8"))
    blocks = [block for function in module.functions for block in function.blocks if block.name.endswith(".all_on")]
    return sum("@llvm.masked.load." in made.text for block in blocks for made in block.instructions)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("a[i] = b[i] > 3 && c[i] < 6 ? b[i] : c[i];", 0),
        ("if (b[i] > 0) if (c[i] > 0) a[i] = 1;", 1),
        ("a[i] = b[i] > 3 && b[i] < 6 ? c[i] : b[i];", 1),
    ],
)
def test_which_masks_leave_nothing_out(body: str, count: int) -> None:
    assert masked_loads(body) == count
