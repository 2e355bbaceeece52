"""Lanes that carry something on along rows of their own store several elements at a time: as ordered, and nothing else."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from passed_text import passed
from row_kernels import TYPES, check_fenced
from some_pairs import some_pairs

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read

_HEAD = "(uniform T to[], const uniform T from[], uniform int n, uniform int m) {"
_LOOPS = {
    "sums": "T s = 0; for (uniform int k = 0; k < m; k++) { s += from[i * m + k]; to[i * m + k] = s; }",
    "down": "T s = 0; for (uniform int k = 0; k < m; k++) { to[i * m + (m - 1 - k)] = s; s = from[i * m + k] - s; }",
    "changes": "T b = 0; for (uniform int k = 0; k < m; k++) { T v = from[i * m + k]; to[i * m + k] = v - b; b = v; }",
    "columns": "T s = 1; for (uniform int k = 0; k < m; k++) { s += from[k * n + i]; to[i * m + k] = s; }",
    "some": "if (from[i * m] > 4) { T s = 0; "
    "for (uniform int k = 0; k < m; k++) { s += from[i * m + k]; to[i * m + k] = s; } }",
}
_TOTAL = "T s = 0; for (uniform int k = 0; k < m; k++) { s += from[i * m + k]; to[i * m + k] = s; } to[i * m] = s;"
_ALONE = {
    "a row from its end": "T s = 0; for (uniform int k = 0; k < m; k++) { s += from[i * m + (m - 1 - k)]; to[i * m + k] = s; }",
    "the same array": "T s = 0; for (uniform int k = 0; k < m; k++) { s += to[i * m + k + 1]; to[i * m + k] = s; }",
    "a loop in it": "T s = 0; for (uniform int k = 0; k < m; k++) "
    "{ for (uniform int j = 0; j < n; j++) s += from[j]; to[i * m + k] = s; }",
}
_TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"]
_SHAPES = [(8, 4), (21, 9), (17, 8), (13, 5), (9, 3), (3, 7), (5, 1), (1, 12)]


def _source(loops: dict[str, str], kind: str) -> str:
    made = (f"export void {name}{_HEAD}\n    foreach (i = 0 ... n) {{ {body} }}\n}}" for name, body in loops.items())
    return "\n".join(made).replace("T ", f"{kind} ")


def _wanted(name: str, given: np.ndarray, n: int, m: int) -> Any:
    rows = given.reshape(n, m)
    sums = np.cumsum(rows, 1, dtype=given.dtype)
    result = np.zeros((n, m), given.dtype)
    for i in range(n):
        if name in ("sums", "total") or (name == "some" and rows[i, 0] > 4):
            result[i] = sums[i]
        elif name == "changes":
            result[i] = rows[i] - np.concatenate([[0], rows[i, :-1]]).astype(given.dtype)
        elif name == "columns":
            result[i] = 1 + np.cumsum(given.reshape(m, n)[:, i], dtype=given.dtype)
        elif name == "down":
            before = given.dtype.type(0)
            for k in range(m):
                result[i, m - 1 - k] = before
                before = given.dtype.type(rows[i, k] - before)
    if name == "total":
        result[:, 0] = sums[:, -1]
    return result.ravel()


@pytest.mark.parametrize(("kind", "target"), some_pairs(("int8", "int16", "int", "float", "double"), _TARGETS, 3))
def test_each_element_is_what_the_order_makes_it(kind: str, target: str) -> None:
    """By the interpreter of the IR, where an access outside of an array is an error, as is poison."""
    text = passed(_source(_LOOPS, kind), target)
    assert text.count(".rows.choice:") == 2 * len(_LOOPS), "of whole gangs and of the rest"
    interpreter = IRInterpreter(read(text))
    for name, (n, m) in product(_LOOPS, _SHAPES[:5]):
        given = np.random.default_rng(n).integers(0, 9, n * m).astype(TYPES[kind])
        to = np.zeros(n * m, given.dtype)
        interpreter.call(name, [to, given, n, m])
        assert to.tolist() == _wanted(name, given, n, m).tolist(), (name, n, m)


@pytest.mark.parametrize(("kind", "target"), some_pairs(("int8", "int16", "float", "double"), _TARGETS[:3], 2))
def test_nothing_beyond_the_arrays_is_touched(kind: str, target: str) -> None:
    calls = []
    for name, (n, m) in product((*_LOOPS, "total"), _SHAPES):
        given = np.random.default_rng(m).integers(0, 9, n * m).astype(TYPES[kind])
        calls.append((name, np.zeros(n * m, given.dtype), given, (n, m), _wanted(name, given, n, m)))
    check_fenced(_source({**_LOOPS, "total": _TOTAL}, kind), target, calls)


@pytest.mark.parametrize("name", _ALONE)
def test_one_at_a_time_where_it_could_matter(name: str) -> None:
    text = passed(_source({"f": _ALONE[name]}, "int"), "avx2-i32x8")
    assert ".rows.choice:" not in text
