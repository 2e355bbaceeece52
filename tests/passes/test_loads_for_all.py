"""Loops whose lanes search, each in a row of its own, for what is loaded once for all lanes: they go alone and load no more."""

from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from passed_text import passed
from some_pairs import some_pairs

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"]
TYPES = {"uint8": np.uint8, "int16": np.int16, "int": np.int32, "double": np.float64}
SOURCE = """
export void search(uniform int to[], const uniform T rows[], const uniform T marks[], uniform int n, uniform int length) {
    foreach (i = 0 ... n) {
        int total = 0;
        for (uniform int m = 0; m < 3; m++) {
            int k = 0;
            while (k < length && rows[i * length + k] != marks[m])
                k++;
            total = total * 40 + k;
        }
        to[i] = total;
    }
}
export void along(uniform int to[], const uniform T rows[], const uniform T marks[], uniform int n, uniform int length) {
    foreach (i = 0 ... n) {
        int k = i % 3;
        if (i != 2)
            while (k < length && rows[i * length + k] == marks[k])
                k++;
        to[i] = k;
    }
}
"""


def first(row: np.ndarray, mark: float) -> int:
    places = np.flatnonzero(row == mark)
    return int(places[0]) if len(places) else len(row)


def expected(name: str, rows: np.ndarray, marks: np.ndarray) -> list[int]:
    if name == "search":
        return [(first(row, marks[0]) * 40 + first(row, marks[1])) * 40 + first(row, marks[2]) for row in rows]
    found = []
    for number, row in enumerate(rows):
        k = number % 3
        while number != 2 and k < len(row) and row[k] == marks[k]:
            k += 1
        found.append(k)
    return found


@pytest.mark.parametrize(("kind", "target"), some_pairs(TYPES, TARGETS, 4))
def test_each_lane_finds_its_own(kind: str, target: str) -> None:
    """With marks that nobody may read where the rows are empty, and rows that end where nobody may read on."""
    text = SOURCE.replace("T ", f"{kind} ")
    kernels, interpreter = compile_kernels(text, target), IRInterpreter(read(passed(text, target)))
    rng, calls = np.random.default_rng(3), FencedCalls()
    for number, (n, length) in enumerate([(19, 5), (16, 0)]):
        rows = rng.integers(0, 4, (n, length)).astype(TYPES[kind])
        rows[:, : length // 2] = 1
        for name in ("search", "along"):
            marks = np.ones(3 if name == "search" else length, TYPES[kind])
            marks[-1:] = 2
            wanted = expected(name, rows, marks)
            given = marks if length else marks[:0]
            to = np.zeros(n, np.int32)
            interpreter.call(name, [to, rows.ravel(), given, n, length])
            assert to.tolist() == wanted, (name, n, length)
            if isinstance(kernels, InterpretedModule):
                continue
            fenced = calls.copies(np.zeros(n, np.int32), rows.ravel(), given, at_end=number % 2 == 0)
            calls.add(
                (kind, name, n, length), partial(kernels[name], *fenced, n, length), (fenced[0], np.array(wanted, np.int32))
            )
    if not isinstance(kernels, InterpretedModule):
        calls.check()


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i32x16"])
def test_lanes_go_alone(target: str) -> None:
    """Each search by itself, where the next one uses what the first one's test computes, too."""
    text = passed(SOURCE.replace("T ", "uint8 ").partition("export void along")[0], target)
    assert text.count(".lane.begin:") == 6
