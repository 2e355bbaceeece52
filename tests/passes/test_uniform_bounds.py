"""Bytes and 16-bit numbers compared with a number that all lanes share: as numpy says for every byte, and in their type."""

from __future__ import annotations

import operator
import re
from typing import Any

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from passed_text import passed
from some_pairs import some_pairs

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx512skx-x16"]
TYPES: dict[str, Any] = {"int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16}
RELATIONS = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
WRITTEN = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
HEAD = "(uniform TYPE a[], const uniform TYPE b[], uniform int n, uniform KIND m) { foreach (i = 0 ... n)"
COMPARES = "\n".join(
    f"export void {name}{HEAD} a[i] = b[i] {WRITTEN[name]} m ? 77 : b[i]; }}\n"
    f"export void turned_{name}{HEAD} if (m {WRITTEN[name]} b[i]) a[i] = 77; }}"
    for name in RELATIONS
)
ENDS = (-(1 << 31), -(1 << 31) + 1, (1 << 31) - 2, (1 << 31) - 1)


def limits_of(element: str, kind: str) -> list[int]:
    """Those at which a comparison may go wrong: around the type's bounds, of both its signs, and the greatest numbers."""
    near = {bound + step for bound in (*bounds_of(element), 0) for step in (-2, -1, 0, 1, 2)}
    found = sorted({*near, *ENDS})
    return [each % (1 << 32) for each in found] if kind != "int" else found


def bounds_of(element: str) -> tuple[int, int]:
    limits = np.iinfo(TYPES[element])
    return int(limits.min), int(limits.max)


def elements_of(element: str) -> np.ndarray:
    """Every byte; of 16-bit numbers those around what is compared with, and some."""
    low, high = bounds_of(element)
    if high - low < 256:
        return np.arange(low, high + 1).astype(TYPES[element])
    ends = [low, low + 1, low + 2, -2, -1, 0, 1, 2, high - 2, high - 1, high]
    return np.array([each for each in ends if each >= low] * 4, TYPES[element])


CASES = [(element, kind) for element in TYPES for kind in ("int", "unsigned int")]


@pytest.mark.parametrize(("case", "target"), some_pairs(CASES, TARGETS, 20))
def test_every_element_with_numbers_around_the_bounds(case: tuple[str, str], target: str) -> None:
    element, kind = case
    kernels = JudgedKernels(COMPARES.replace("TYPE", element).replace("KIND", kind), target)
    if kind == "int":
        compares = re.findall(r" = icmp \w+ <\d+ x i(\d+)> %\S+, %", kernels.text)
        bits = str(np.dtype(TYPES[element]).itemsize * 8)
        assert compares.count(bits) >= 2 * len(RELATIONS)
    b = elements_of(element)
    wide = b.astype(np.int64)
    for number, limit in enumerate(limits_of(element, kind)):
        # Signed elements become unsigned where the number is.
        values = wide % (1 << 32) if kind != "int" else wide
        for place, (name, relation) in enumerate(RELATIONS.items()):
            before = np.full(len(b), 5, TYPES[element])
            judged = 6 * number + place == 37
            wanted = np.where(relation(values, limit), 77, b).astype(b.dtype)
            kernels.expect(name, [before, b], (len(b), limit), wanted, interpreted=judged, at_ends=(True,))
            wanted = np.where(relation(limit, values), 77, before).astype(b.dtype)
            kernels.expect(f"turned_{name}", [before, b], (len(b), limit), wanted, interpreted=judged, at_ends=(False,))
    kernels.check()


SUMS = {
    "counted": "if (b[i] > m) s++;",
    "counted, written as a sum": "s += b[i] <= m;",
    "of two bounds": "if (b[i] >= m && b[i] < m + 20) s++;",
    "added up": "if (b[i] > m) s += b[i];",
    "added up otherwise": "if (b[i] > m) { } else s += b[i];",
    "chosen": "s += b[i] == m ? 0 : (int)b[i];",
    "others": "s += b[i] > m ? (int)c[i] : 0;",
    "a constant": "if (b[i] != 3) s += c[i];",
    "a wide one": "if (b[i] > m) s += w;",
}


def total(name: str, b: np.ndarray, c: np.ndarray, m: int, w: int) -> int:
    b, c = b.astype(np.int64), c.astype(np.int64)
    made = {
        "counted": b > m,
        "counted, written as a sum": b <= m,
        "of two bounds": (b >= m) & (b < m + 20),
        "added up": np.where(b > m, b, 0),
        "added up otherwise": np.where(b > m, 0, b),
        "chosen": np.where(b == m, 0, b),
        "others": np.where(b > m, c, 0),
        "a constant": np.where(b != 3, c, 0),
        "a wide one": np.where(b > m, w, 0),
    }
    return int(made[name].sum())


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 10))
def test_rows_of_every_remainder_are_summed_up(element: str, target: str) -> None:
    head = (
        "(uniform int a[], const uniform TYPE b[], const uniform TYPE c[], uniform int n, uniform int rows, uniform int m,"
        " uniform int w) { for (uniform int y = 0; y < rows; y++) { int s = 0; foreach (i = y * n ... y * n + n) {"
    )
    names = {name: f"f{number}" for number, name in enumerate(SUMS)}
    source = "\n".join(f"export void {names[name]}{head} {body} }} a[y] = reduce_add(s); }} }}" for name, body in SUMS.items())
    kernels = JudgedKernels(source.replace("TYPE", element), target)
    random = np.random.default_rng(4)
    widest, rows = kernels.elements(np.dtype(TYPES[element])), 2
    for number, n in enumerate((1, 2, 7, 9, widest - 1, widest, widest + 1, 2 * widest + 5, 16 * widest + widest // 2 + 3)):
        b, c = (random.integers(-9 if element[0] == "i" else 0, 90, (rows, n)).astype(TYPES[element]) for _ in range(2))
        for place, name in enumerate(SUMS):
            m = (3, 40, -1000, 70000)[(number + place) % 4]
            wanted = np.array([total(name, *row, m, 1 << 20) for row in zip(b, c)], np.int32)
            given = [np.zeros(rows, np.int32), b.ravel(), c.ravel()]
            kernels.expect(names[name], given, (n, rows, m, 1 << 20), wanted, interpreted=(number + place) % 20 == 0)
    kernels.check()


def compared(body: str) -> set[str]:
    """Types in which vectors are compared with bounds that were prepared."""
    head = "uniform uint8 a[], const uniform uint8 b[], uniform float f[], const uniform int t[], uniform int n, uniform int m"
    text = passed(f"export uniform int f({head}) {{ int s = 0; foreach (i = 0 ... n) {{ {body} }} return reduce_add(s); }}")
    return set(re.findall(r" = icmp \w+ <\d+ x (i\d+)> %kept", text))


def test_where_masks_are_as_narrow() -> None:
    assert compared("a[i] = b[i] > m ? 255 : 0;") == {"i8"}
    assert compared("a[i] = b[i] > m && b[i] < m + 9 ? 255 : 0;") == {"i8"}
    assert compared("if (b[i] > m) a[i] = 3;") == {"i8"}
    assert compared("a[i] = b[i] > m * 2 + 1 ? 255 : 0;") == {"i8"}
    assert compared("if (b[i] > m) s++;") == {"i8"}
    assert compared("if (b[i] > m) s += b[i];") == {"i8"}
    assert compared("int x = (int)b[i] - (int)b[i + 1]; a[i] = abs(x) > m ? 255 : 0;") == {"i16"}


def test_where_masks_are_of_words_they_stay() -> None:
    assert not compared("f[i] = b[i] > m ? f[i] : 0;")
    assert not compared("if (b[i] > m) f[i] = 0;")
    assert not compared("if (b[i] > m) s += t[i];")


def test_what_an_iteration_computes_itself_is_not_prepared_in_each() -> None:
    assert not compared("uniform int limit = t[extract(i, 0)]; a[i] = b[i] > limit ? 255 : 0;")
