"""Lanes that search rows of one length look at whole rows, but for what may lie outside: the same results, no page touched."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_with_text

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"]
KERNEL = """
export void search(uniform int to[], const uniform T rows[], const uniform T sought[], uniform int n) {
    foreach (i = 0 ... n) {
        int at = -1;
        SEARCH
        to[i] = at;
    }
}"""
SEARCHES = {
    "break": "for (int k = 0; k < END; k++) if (rows[STRIDE * i + k] == sought[i]) { at = k; break; }",
    "uniform": "for (uniform int k = 0; k < END; k++) if (rows[STRIDE * i + k] == sought[i]) { at = k; break; }",
    "while": "at = 0; while (at < END && rows[STRIDE * i + at] != sought[i]) at++;",
    "behind": "int k = 0; for (; k < END; k++) if (sought[i] == rows[i * STRIDE + k]) { at = 100; break; } at += k;",
    "product": "for (int k = 0; k < END; k++) if (rows[STRIDE * i + k] * 4000 == sought[i] * 4000) { at = k; break; }",
}
"""How the first place of the element sought is looked for."""
OTHERS = {
    "a stride that is not known": ("break", "STRIDE * i", "n * i"),
    "indices that may wrap": ("break", "STRIDE * i", "(uint32)STRIDE * i"),
    "long arithmetic": ("break", "rows[STRIDE * i + k] ==", "(n + i) / rows[STRIDE * i + k] =="),
    "what calls": ("break", "rows[STRIDE * i + k] ==", "min(n, rows[STRIDE * i + k]) =="),
    "what is counted meanwhile": ("break", "if (", "if (++at > 0 && "),
    "rows that begin close to each other": ("break", "STRIDE * i", "i"),
}


def source(kind: str, of: str, end: int, stride: int) -> str:
    text = KERNEL.replace("SEARCH", SEARCHES[kind]).replace("T ", f"{of} ")
    return text.replace("END", str(end)).replace("STRIDE", str(stride))


def passed(text: str, target: str) -> str:
    made: str = compile_source(text, "f.ispc", Options(find_target(target), 3), end="passes").results["passes"]
    return made


AT_ROWS = "%stopped = icmp"
"""In the text of loops that look at whole rows."""


def looks_at_rows(text: str, target: str = "avx2-i32x8") -> bool:
    return AT_ROWS in passed(text, target)


def expected(kind: str, places: np.ndarray, end: int) -> np.ndarray:
    """``places``: where the first element is in each row, ``end`` where there is none."""
    found = places < end
    if kind == "while":
        return places
    return np.where(found, 100 + places, places - 1) if kind == "behind" else np.where(found, places, -1)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("kind", "of", "end", "stride"),
    [
        ("break", "uint8", 16, 16),
        ("uniform", "uint8", 32, 40),
        ("while", "int8", 8, 8),
        ("while", "int16", 9, 20),
        ("behind", "int", 8, 8),
        ("behind", "uint8", 13, 13),
        ("product", "int", 16, 17),
        ("break", "float", 8, 9),
    ],
)
def test_rows_are_searched_as_wholes_and_read_no_further(kind: str, of: str, end: int, stride: int, target: str) -> None:
    text = source(kind, of, end, stride)
    (kernels, made), calls = compile_with_text(text, target), FencedCalls()
    assert AT_ROWS in made
    dtype = np.dtype({"uint8": "u1", "int8": "i1", "int16": "i2", "int": "i4", "float": "f4"}[of])
    numbers = np.random.default_rng(end)
    for count in (1, 16, 45):
        places = numbers.integers(0, end + 1, count)
        places[-1] = 3
        rows = np.full((count, stride), 1 << 20 if kind == "product" else 7, dtype)
        for row, at in zip(rows, places, strict=True):
            row[at:] = 5
            # What is behind must not matter.
            row[at + 1 :] = numbers.integers(5, 100, max(0, stride - at - 1))
        wanted = expected(kind, places, end)
        short = rows.ravel()[: stride * (count - 1) + 4]
        for at_end in (True, False):
            to, given, sought = calls.copies(np.zeros(count, np.int32), short, np.full(count, 5, dtype), at_end=at_end)
            if isinstance(kernels, InterpretedModule):
                kernels.search(to, given, sought, count)
                assert to.tolist() == wanted.tolist()
            else:
                calls.add((count, at_end), partial(kernels.search, to, given, sought, count), (to, wanted))
    if not isinstance(kernels, InterpretedModule):
        calls.check()


def test_nothing_of_what_lies_behind_becomes_poison() -> None:
    """The interpreter of the IR stops where a lane that wrapped, or what is outside an array, is used."""
    text = source("product", "int", 16, 16)
    rows = np.full((8, 16), 1 << 30, np.int32)
    rows[:, 4] = 5
    rows[:, :4] = 6
    to = np.zeros(8, np.int32)
    short = rows.ravel()[: 16 * 7 + 5].copy()
    IRInterpreter(read(passed(text, "avx2-i32x8"))).call("search", [to, short, np.full(8, 5, np.int32), 8])
    assert to.tolist() == [4] * 8


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_left_as_they_are(name: str) -> None:
    kind, before, after = OTHERS[name]
    text = KERNEL.replace("SEARCH", SEARCHES[kind].replace(before, after)).replace("T ", "int ")
    assert before in SEARCHES[kind]
    assert not looks_at_rows(text.replace("END", "16").replace("STRIDE", "16"))


def test_short_and_long_rows_are_left_as_they_are() -> None:
    assert not looks_at_rows(source("break", "uint8", 7, 16))
    assert not looks_at_rows(source("break", "uint8", 33, 64))
    assert not looks_at_rows(source("break", "int64", 16, 16))


PAIRS = """
export void search(uniform int to[], const uniform T rows[], uniform int n, uniform int by) {
    foreach (i = 0 ... n) {
        int k = 0;
        while (k < 16 && rows[STRIDE * i + k] == rows[n * STRIDE + STRIDE * i + k] + (by + 2)) k++;
        to[i] = k;
    }
}"""
"""Two rows of one array, and a number that is the same for all lanes: LLVM has not yet taken from the loop what is for both."""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("of", "stride"), [("uint8", 16), ("int16", 17), ("int", 16)])
def test_rows_may_begin_and_compare_with_what_is_computed_in_the_loop(of: str, stride: int, target: str) -> None:
    text = PAIRS.replace("STRIDE", str(stride)).replace("T ", f"{of} ")
    (kernels, made), calls = compile_with_text(text, target), FencedCalls()
    assert AT_ROWS in made
    dtype = np.dtype({"uint8": "u1", "int16": "i2", "int": "i4"}[of])
    numbers = np.random.default_rng(stride)
    for count in (1, 16, 29):
        second = numbers.integers(0, 100, (count, stride)).astype(dtype)
        first = second + dtype.type(5)
        places = numbers.integers(0, 17, count)
        places[-1] = 2
        for row, at in zip(first, places, strict=True):
            row[at : at + 1] += 1
        short = np.concatenate([first.ravel(), second.ravel()[: stride * (count - 1) + 3]])
        to, given = calls.copies(np.zeros(count, np.int32), short, at_end=True)
        if isinstance(kernels, InterpretedModule):
            kernels.search(to, given, count, 3)
            assert to.tolist() == places.tolist()
        else:
            calls.add((count,), partial(kernels.search, to, given, count, 3), (to, places))
    if not isinstance(kernels, InterpretedModule):
        calls.check()
