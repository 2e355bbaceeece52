"""Sums of bytes and 16-bit numbers use the instructions that add neighbours, where only the total counts; numpy's results."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx512icl-x16"]
TYPES: dict[str, Any] = {"int8": np.int8, "unsigned int8": np.uint8, "int16": np.int16, "unsigned int16": np.uint16}
SUMS = {
    "int16 products": ("int16", "int16", "(int)p[i] * (int)q[i]", "pmaddwd|vpdpwssd"),
    "int8 products": ("int8", "int8", "(int)p[i] * (int)q[i]", "pmaddwd|vpdpwssd"),
    "mixed products": ("unsigned int8", "int8", "(int)p[i] * (int)q[i]", "pmaddwd|vpdpbusd"),
    "mixed, the other way": ("int8", "unsigned int8", "(int)p[i] * (int)q[i]", "pmaddwd|vpdpbusd"),
    "unsigned bytes": ("unsigned int8", "unsigned int8", "(int)p[i] * (int)q[i]", "pmaddwd|vpdpwssd"),
    "int8 with int16": ("int8", "int16", "(int)p[i] * (int)q[i]", "pmaddwd|vpdpwssd"),
    "distances": ("unsigned int8", "unsigned int8", "abs((int)p[i] - (int)q[i])", "psadbw"),
    "sum of bytes": ("unsigned int8", "int8", "p[i]", "psadbw"),
    "sum of int8": ("int8", "int8", "p[i]", "pmaddwd|vpdpwssd"),
    "sum of int16": ("int16", "int16", "p[i]", "pmaddwd|vpdpwssd"),
}


def source(first: str, second: str, term: str, result: str = "return reduce_add(s);") -> str:
    return (
        f"export uniform int f(uniform {first} p[], uniform {second} q[], uniform int n) {{"
        f" int s = 3; foreach (i = 0 ... n) s += {term}; {result} }}"
    )


def expected(term: str, p: np.ndarray, q: np.ndarray, width: int) -> int:
    first, second = p.astype(np.int64), q.astype(np.int64)
    terms = first if term == "p[i]" else np.abs(first - second) if term.startswith("abs") else first * second
    return int((terms.sum() + 3 * width).astype(np.int32))


def numbers(name: str, n: int, seed: int) -> np.ndarray:
    limits = np.iinfo(TYPES[name])
    # Sums of 16-bit products must stay below 2^31: one of the largest, and small ones.
    low, high = max(limits.min, -1500), min(limits.max, 1500)
    made = np.random.default_rng(seed).integers(low, high, n, TYPES[name], endpoint=True)
    made[: n // 3 if limits.bits == 8 else 1] = limits.min
    return made


@pytest.mark.parametrize(("name", "target"), some_pairs(SUMS, TARGETS))
def test_totals_are_numpys(name: str, target: str) -> None:
    first, second, term, instruction = SUMS[name]
    info = find_target(target)
    made = compile_source(source(first, second, term), "f.ispc", Options(info, whole_program=True))
    assert re.search(rf"\tv?({instruction})\t", made.optimized.assembly())
    kernel = compile_kernels(source(first, second, term), target=target).f
    for n in (0, 1, 31, 32, 33, 64, 127, 128, 200, 256, 257, 300):
        p, q = numbers(first, n, n), numbers(second, n, n + 1)
        assert kernel(p, q, n) == expected(term, p, q, info.width), n


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512icl-x16"])
@pytest.mark.parametrize("name", ["int16 products", "mixed products", "distances"])
def test_the_ir_means_the_same(name: str, target: str) -> None:
    first, second, term, _ = SUMS[name]
    made = compile_source(source(first, second, term), "f.ispc", Options(find_target(target), whole_program=True), end="passes")
    # What many gangs leave is done by a few at once.
    assert made.results["passes"].count(".wide_body") >= 2 and ".between:" in made.results["passes"]
    p, q = numbers(first, 300, 1), numbers(second, 300, 2)
    result = IRInterpreter(read(made.results["passes"])).call("f", [p, q, 300])
    assert np.int64(result).astype(np.int32) == expected(term, p, q, find_target(target).width)


@pytest.mark.parametrize(
    ("first", "term", "result"),
    [
        ("int16", "(int)p[i] * (int)q[i]", "return extract(s, 1);"),
        ("int16", "(int)p[i] * (int)q[i]", "return reduce_max(s);"),
        ("int16", "(int)p[i] * (int)q[i]", "if (programIndex < 3) s = 0; return reduce_add(s);"),
        ("int16", "(int)p[i] * (int)q[i]", "return reduce_add(s * programIndex);"),
        ("unsigned int16", "(int)p[i] * (int)q[i]", "return reduce_add(s);"),
        ("unsigned int16", "p[i]", "return reduce_add(s);"),
        ("int8", "abs((int)p[i] - (int)q[i])", "return reduce_add(s);"),
    ],
)
def test_other_sums_are_left_to_their_lanes(first: str, term: str, result: str) -> None:
    made = compile_source(source(first, first, term, result), "f.ispc", Options(find_target("avx2-i32x8"), whole_program=True))
    assert not re.search(r"@llvm\.x86\.\w+\.(pmadd|psad)", made.optimized.text())


ROW_SUMS = {
    "s += p[at];": lambda p, q: p,
    "s += abs((int)p[at] - (int)q[x]);": lambda p, q: np.abs(p - q),
    "s += (int)p[at] * (int)q[x];": lambda p, q: p * q,
    "if (p[at] < q[x]) s++;": lambda p, q: p < q,
    "s += p[at]; t += p[at] == 7 ? 1 : 0;": lambda p, q: p + 1000 * (p == 7),
    "s += p[at]; if (p[at] < q[x]) t += q[x];": lambda p, q: p + 1000 * np.where(p < q, q, 0),
    "s += x & 31;": lambda p, q: np.arange(p.shape[1]) % 32 + 0 * p,
}


@pytest.mark.parametrize(("statement", "target"), some_pairs(ROW_SUMS, [*TARGETS, "avx2-i8x32"], 4))
def test_rows_at_both_ends_of_memory(statement: str, target: str) -> None:
    """What several gangs leave of a row is summed up by as many, each element once."""
    head = "export void f(uniform int a[], const uniform uint8 p[], const uniform uint8 q[], uniform int n, uniform int m)"
    rows = f"foreach (x = 0 ... n) {{ int at = y * n + x; {statement} }} a[y] = reduce_add(s) + 1000 * reduce_add(t);"
    kernel = compile_kernels(f"{head} {{ for (uniform int y = 0; y < m; y++) {{ int s = 0, t = 0; {rows} }} }}", target).f
    calls, made = FencedCalls(), []
    for n in (1, 7, 8, 31, 32, 33, 63, 65, 100, 127, 129, 255, 257):
        p, q = (np.random.default_rng(n).integers(0, 20, size, np.uint8) for size in ((3, n), n))
        for at_end in (False, True):
            a, *given = calls.copies(np.zeros(3, np.int32), p.ravel(), q, at_end=at_end)
            calls.add((n, at_end), partial(kernel, a, *given, n, 3))
            made.append((a, ROW_SUMS[statement](p.astype(int), q.astype(int)).sum(axis=1)))
    calls.check()
    assert all(a.tolist() == wanted.tolist() for a, wanted in made)


def test_which_rests_are_summed_up_together() -> None:
    """None whose terms are of lanes, or where what else is stored in the loop could change them."""
    distance = "abs((int)p[i] - (int)q[i])"
    for term, last in (("p[i]", 1), ("p[i] * programIndex", 0), (distance, 1), ("(int)p[i] * (int)q[0]", 0)):
        text = source("unsigned int8", "unsigned int8", term)
        made = compile_source(text, "f.ispc", Options(find_target("avx2-i32x8"), whole_program=True), end="passes")
        assert made.results["passes"].count(".last.left_over:") == last, term


def test_ranges_as_long_as_numbers_go() -> None:
    text = source("int8", "int8", "p[i - n]").replace("i = 0 ... n", "i = n ... m").replace("int n)", "int n, uniform int m)")
    text = text.replace("int s = 3", "int s = 0")
    made = compile_source(text, "f.ispc", Options(find_target("avx2-i32x8"), whole_program=True), end="passes")
    assert ".last.left_over:" in made.results["passes"]
    p = np.arange(1, 100, dtype=np.int8)
    for low, high in ((2**31 - 99, 2**31 - 1), (-(2**31), -(2**31) + 45), (5, -(2**31)), (2**31 - 1, -(2**31))):
        result = IRInterpreter(read(made.results["passes"])).call("f", [p, p, low, high])
        assert np.int64(result).astype(np.int32) == p[: max(0, high - low)].sum(dtype=np.int32)


CONDITIONS = {
    "if (p[i] < q[i]) s++;": lambda p, q: np.sum(p < q),
    "if (p[i] == q[i]) ; else s += 1;": lambda p, q: np.sum(p != q),
    "s += (int)p[i] + (int)p[i + 1] > 2 * (int)q[i] ? 1 : 0;": lambda p, q: np.sum(
        p[:-1].astype(int) + p[1:] > 2 * q[:-1].astype(int)
    ),
    "if (p[i] < q[i]) s += p[i];": lambda p, q: p[p < q].astype(int).sum(),
    "if (p[i] < q[i]) s ^= p[i];": lambda p, q: np.bitwise_xor.reduce(p[p < q].astype(int)),
}


@pytest.mark.parametrize(("statement", "target"), some_pairs(CONDITIONS, TARGETS))
def test_what_is_summed_under_a_condition_is_counted_too(statement: str, target: str) -> None:
    total = "return reduce_add(s);"
    if "^" in statement:
        total = "uniform int all = 0; for (uniform int l = 0; l < programCount; l++) all ^= extract(s, l); return all;"
    head = "export uniform int f(uniform uint8 p[], uniform uint8 q[], uniform int n)"
    text = f"{head} {{ int s = 0; foreach (i = 0 ... n) {{ {statement} }} {total} }}"
    made = compile_source(text, "f.ispc", Options(find_target(target), whole_program=True))
    assert ".wide_body:" in made.results["passes"]
    if "s++" in statement or ": 0" in statement or "else" in statement:
        assert re.search(r"\tv?psadbw\t", made.optimized.assembly())
    kernel = compile_kernels(text, target=target).f
    for n in (0, 1, 31, 64, 127, 256, 300):
        p, q = numbers("unsigned int8", n + 1, n), np.roll(numbers("unsigned int8", n + 1, n + 1), 7)
        shorter = slice(None) if "i + 1" in statement else slice(n)
        assert kernel(p, q, n) == CONDITIONS[statement](p[shorter], q[shorter]), n
