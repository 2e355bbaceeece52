"""What a foreach in a loop has left is gathered one lane after the other: rows of any length, at both ends of memory."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from some_pairs import some_pairs

from voltac.driver import compile_source, explanation_of
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.records import replace
from voltac.target_info import find_target

TARGETS = ["avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x8", "avx512skx-x16"]
TYPES = {"float": np.float32, "int": np.int32, "double": np.float64}
ROWS = """
export void rows(uniform T to[], const uniform T x[], const uniform INDEX index[], const uniform int first[], uniform int n) {
    for (uniform int r = 0; r < n; r++) {
        T sum = r;
        foreach (k = first[r] ... first[r + 1])
            sum += x[index[k]MORE];
        to[r] = reduce_add(sum);
    }
}
"""
CHANGED = """
export void changed(uniform float to[], const uniform float x[], uniform int index[], uniform int n, uniform int m) {
    for (uniform int r = 0; r < n; r++)
        foreach (k = 0 ... m) {
            int at = index[r * m + k];
            index[r * m + k] = 0;
            to[r * m + k] = x[at];
        }
}
"""
ONCE = """
export void once(uniform float to[], const uniform float x[], const uniform int index[], uniform int n) {
    foreach (k = 0 ... n)
        to[k] = x[index[k]];
}
"""


def rows(element: str, index: str = "int", more: str = "") -> str:
    return ROWS.replace("MORE", more).replace("INDEX", index).replace("T ", element + " ")


def passed(source: str, target: str = "avx2-i32x8", processor: str = "") -> str:
    options = Options(replace(find_target(target), processor=processor), 3)
    text: str = compile_source(source, "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    return text


@pytest.mark.parametrize(("element", "target"), some_pairs(list(TYPES), TARGETS, 3))
@pytest.mark.parametrize(("index", "more"), [("int", ""), ("int", " - 3"), ("unsigned int", "")])
def test_rows_of_any_length_are_summed(element: str, target: str, index: str, more: str) -> None:
    """Whole numbers, whose sums are exact; indices from the first element to the last."""
    kernels = JudgedKernels(rows(element, index, more), target)
    assert "@rest.gather." in kernels.text
    random, dtype, width = np.random.default_rng(3), TYPES[element], kernels.width
    for lengths, size in ((range(2 * width + 2), 40), ([1], 1), ([0, width - 1, 0], 2)):
        first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        x = random.integers(-50, 50, size).astype(dtype)
        places = random.integers(0, size, first[-1])
        places[-1:], places[:1] = size - 1, 0
        given = (places + (3 if more else 0)).astype(np.uint32 if index == "unsigned int" else np.int32)
        sums = [x[places[a:b]].sum() + r * width for r, (a, b) in enumerate(itertools.pairwise(first))]
        wanted = np.array(sums, dtype)
        arrays = [np.zeros(len(lengths), dtype), x, given, first]
        kernels.expect("rows", arrays, (len(lengths),), wanted, interpreted=size == 2)
    kernels.check()


def test_indices_that_are_stored_to_in_between_are_those_from_before() -> None:
    kernels = JudgedKernels(CHANGED)
    random = np.random.default_rng(4)
    for n, m in ((3, 7), (2, 13)):
        x = random.random(30).astype(np.float32)
        index = random.integers(0, 30, n * m).astype(np.int32)
        kernels.expect("changed", [np.zeros(n * m, np.float32), x, index], (n, m), x[index], interpreted=m == 7)
    kernels.check()


def test_a_rest_that_is_done_once_is_one_gather() -> None:
    assert "@rest.gather." not in passed(ONCE)


def test_processors_whose_gathers_are_fast_use_them() -> None:
    assert "@rest.gather." not in passed(rows("float"), "avx512skx-x16", "alderlake")


def test_explain_tells_what_the_rest_became() -> None:
    """And keeps a gather where the rest is one still."""
    told = {}
    for name, source in (("rows", rows("float")), ("once", ONCE)):
        options = Options(find_target("avx2-i32x8"), 3)
        facts = explanation_of(compile_source(source, "f.ispc", options)).facts
        (told[name],) = (fact.text for fact in facts if "scalar loads" in fact.text)
    assert told["rows"].endswith("under a mask a scalar load for each lane that is left")
    assert told["once"].endswith("under a mask a gather")
