"""Indices put together of the bits of a uniform number: the right elements at any distance, regular ones at powers of two."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from passed_text import passed

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "sse4-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x16", "neon-i32x4"]
TYPES = {"int8": np.int8, "int16": np.int16, "int": np.int32, "float": np.float32, "double": np.float64}
BUTTERFLY = """
export void f(uniform T a[], const uniform T b[], uniform int j, uniform int n) {
    foreach (k = 0 ... n) {
        int low = INDEX;
        T x = a[low], y = a[low + j];
        a[low] = x + b[k];
        a[low + j] = y - b[k];
    }
}
"""
INDICES = [
    "((k & ~(j - 1)) << 1) | (k & (j - 1))",
    "(k / j) * (2 * j) + k % j",
    "k + (k & -j)",
    "2 * k - (k & (j - 1))",
]
DISTANCES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64]


def expected(index: str, a: np.ndarray, b: np.ndarray, j: int, n: int) -> np.ndarray:
    """Gang after gang of one lane: of different lanes no element is the same where j is a power of two."""
    result = a.copy()
    for k in range(n):
        low = places(index, j, k)
        result[low] += b[k]
        result[low + j] -= b[k]
    return result


def places(index: str, j: int, k: int) -> int:
    return int(eval(index.replace("/", "//"), {"j": j, "k": k}))


def is_fair(index: str, j: int, n: int) -> bool:
    """No element belongs to two lanes."""
    lows = [places(index, j, k) for k in range(n)]
    return len({*lows, *(low + j for low in lows)}) == 2 * n


def case(kind: str, index: str, j: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Elements up to the last one that is touched."""
    count = max(places(index, j, k) for k in range(n)) + j + 1
    random = np.random.default_rng(j)
    return random.integers(0, 50, count).astype(TYPES[kind]), random.integers(0, 9, n).astype(TYPES[kind])


CASES = [
    (kind, index, target)
    for (number, target), index in zip(enumerate(TARGETS * 2), INDICES * 4)
    for kind in [[*TYPES][number % 5]]
]


@pytest.mark.parametrize(("kind", "index", "target"), CASES)
def test_each_lane_has_its_pair(kind: str, index: str, target: str) -> None:
    """By the interpreter of the IR, where an access outside of an array is an error, as is poison."""
    text = passed(BUTTERFLY.replace("T ", f"{kind} ").replace("INDEX", index), target)
    assert ".at_1:" in text and ".uneven:" in text
    interpreter = IRInterpreter(read(text))
    for j, n in product(DISTANCES, (32, 45)):
        if is_fair(index, j, n):
            a, b = case(kind, index, j, n)
            wanted = expected(index, a, b, j, n)
            interpreter.call("f", [a, b, j, n])
            assert a.tolist() == wanted.tolist(), (j, n)


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4"])
def test_nothing_beyond_the_arrays_is_touched(target: str) -> None:
    for (kind, index), at_end in product((("int8", INDICES[0]), ("float", INDICES[1]), ("double", INDICES[2])), (True, False)):
        kernels = compile_kernels(BUTTERFLY.replace("T ", f"{kind} ").replace("INDEX", index), target)
        if isinstance(kernels, InterpretedModule):
            pytest.skip(f"this processor does not run code for {target}")
        calls = FencedCalls()
        for j, n in [(j, n) for j, n in product((1, 2, 4, 8, 16, 12), (16, 32, 23)) if is_fair(index, j, n)]:
            given = case(kind, index, j, n)
            a, b = calls.copies(*given, at_end=at_end)
            calls.add((kind, index, j, n, at_end), partial(kernels.f, a, b, j, n), (a, expected(index, *given, j, n)))
        calls.check()


def test_powers_of_two_need_no_gather() -> None:
    """But in the rest under a mask, and at other distances."""
    text = passed(BUTTERFLY.replace("T ", "float ").replace("INDEX", INDICES[0]))
    blocks = {block.name: block for block in read(text).function("f").blocks}
    gathers = [name for name, block in blocks.items() if any("gather" in each.text for each in block.instructions)]
    assert gathers and all(".masked" in name for name in gathers)
    lone = [name for name, block in blocks.items() if any(" = load float," in each.text for each in block.instructions)]
    assert lone and all(".uneven" in name for name in lone)


def test_what_is_computed_of_the_distance_before_the_loop() -> None:
    source = BUTTERFLY.replace("T ", "int ").replace("INDEX", "((k & ~mask) << 1) | (k & mask)")
    source = source.replace("    foreach", "    uniform int mask = j - 1;\n    foreach")
    text = passed(source)
    assert ".at_1:" in text
    for j in (1, 4, 8, 16, 32):
        a, b = case("int", INDICES[0], j, 32)
        wanted = expected(INDICES[0], a, b, j, 32)
        IRInterpreter(read(text)).call("f", [a, b, j, 32])
        assert a.tolist() == wanted.tolist()


def test_lanes_that_are_off_touch_nothing() -> None:
    source = BUTTERFLY.replace("T ", "int ").replace("INDEX", INDICES[0])
    source = source.replace("        int low", "        if (b[k] > 4) {\n        int low").replace("- b[k];", "- b[k]; }")
    interpreter = IRInterpreter(read(passed(source)))
    for j in (1, 2, 8, 16):
        a, b = case("int", INDICES[0], j, 32)
        wanted = expected(INDICES[0], a, np.where(b > 4, b, 0), j, 32)
        interpreter.call("f", [a, b, j, 32])
        assert a.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    "index", ["((k & b[0]) << 1) | (k & (j - 1))", "(k & (j - 1)) + (int)b[k]", "k ^ (k >> j)", "(k * k) & (j - 1)"]
)
def test_other_indices_have_one_version(index: str) -> None:
    assert ".uneven" not in passed(BUTTERFLY.replace("T ", "int ").replace("INDEX", index))


def test_one_place_is_no_network() -> None:
    """A ring may have any length."""
    source = BUTTERFLY.replace("T ", "int ").replace("INDEX", "k % j").replace(", y = a[low + j]", "")
    assert ".uneven" not in passed(source.replace("        a[low + j] = y - b[k];\n", ""))


def test_what_is_told_is_told_of_powers_of_two() -> None:
    options = Options(find_target("avx2-i32x8"), 3)
    source = BUTTERFLY.replace("T ", "float ").replace("INDEX", INDICES[0])
    done = compile_source(source, "f.ispc", options, Diagnostics(), end="passes")
    told = {report.kind for report in done.access_reports if report.line == 5 and report.all_on and not report.is_uneven}
    assert told == {"vector", "shuffled"}
