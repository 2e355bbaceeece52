"""Sums and minima over structs of the lanes are found as these lie in memory: the same results, and nothing else is touched."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from guard_pages import Array
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from some_pairs import some_of

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

TARGETS = ["avx2-i32x8", "sse4-i32x4", "avx512skx-x16", "sse2-i32x4", "avx1-i32x8", "avx2-i32x16", "avx2-i8x32", "avx512skx-x8"]
TYPES: dict[str, type] = {"uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "int": np.int32, "uint32": np.uint32}
ROW = "for (uniform int k = 0; k < K; k++)"


def _bits(rows: Array) -> Array:
    weights: Array = 1 << np.arange(rows.shape[1], dtype=np.int64)
    found: Array = (rows * weights).sum(1)
    return found


# Name -> type of an element, of the result, members, the loop's body for s, what s is at first, the same of rows of b and c.
CASES: dict[str, tuple[str, str, int, str, str, Callable[[Array, Array], Array]]] = {
    "sums": ("uint8", "int", 16, "s += b[K * i + k];", "3", lambda b, c: b.sum(1) + 3),
    "short_sums": ("uint8", "uint16", 4, "s += b[K * i + k];", "0", lambda b, c: b.sum(1)),
    "sums_of_eight": ("uint8", "uint16", 8, "s += b[K * i + k];", "0", lambda b, c: b.sum(1)),
    "distances": (
        *("uint8", "int", 32, "s += abs((int)b[K * i + k] - (int)c[K * i + k]);", "0"),
        lambda b, c: np.abs(b - c).sum(1),
    ),
    "products": ("int16", "int", 8, "s += (int)b[K * i + k] * (int)c[K * i + k];", "0", lambda b, c: (b * c).sum(1)),
    "short_sums_of_words": ("uint8", "int", 4, "s += b[K * i + k];", "0", lambda b, c: b.sum(1)),
    "squares": (
        *("uint8", "int", 16, "s += ((int)b[K * i + k] - c[K * i + k]) * ((int)b[K * i + k] - c[K * i + k]);", "0"),
        lambda b, c: ((b - c) ** 2).sum(1),
    ),
    "weighted": ("int16", "int", 4, "s += (int)b[K * i + k] * (k + 2);", "0", lambda b, c: (b * [2, 3, 4, 5]).sum(1)),
    "least": ("uint8", "uint8", 16, "s = min(s, b[K * i + k]);", "200", lambda b, c: np.minimum(b.min(1), 200)),
    "most": ("int16", "int16", 8, "s = max(s, b[K * i + k]);", "-7", lambda b, c: np.maximum(b.max(1), -7)),
    "most_of_words": ("int", "int", 4, "s = max(s, b[K * i + k]);", "0", lambda b, c: np.maximum(b.max(1), 0)),
    "parity": ("uint32", "uint32", 8, "s ^= b[K * i + k];", "1", lambda b, c: np.bitwise_xor.reduce(b, 1) ^ 1),
    "bytes_of_bits": (
        *("uint8", "uint8", 8, "s |= (b[K * i + k] > 60 ? (uint8)1 : (uint8)0) << (uint8)k;", "0"),
        lambda b, c: _bits(b > 60),
    ),
    "from_the_top": ("int16", "int", 16, "s |= (b[K * i + k] & 1) << (15 - k);", "0", lambda b, c: _bits((b & 1)[:, ::-1])),
    "words_of_bits": (
        *("uint8", "uint32", 32, "s |= (b[K * i + k] < c[K * i + k] ? 1u : 0u) << (uint32)k;", "0"),
        lambda b, c: _bits(b < c),
    ),
    "of_the_index": ("int", "int", 16, "s += b[K * i + k] ^ i;", "0", lambda b, c: (b ^ np.arange(len(b))[:, None]).sum(1)),
    "two_rows": (
        *("uint8", "int", 8, "s += (int)b[K * i + k] + (int)c[K * i + k];", "0"),
        lambda b, c: b.sum(1) + c.sum(1),
    ),
}  # fmt: skip


def _source(name: str) -> str:
    element, result, members, body, first, _ = CASES[name]
    return (
        f"export void {name}(uniform {result} a[], const uniform {element} b[],"
        f" const uniform {element} c[], uniform int n) {{\n"
        f"    foreach (i = 0 ... n) {{ {result} s = {first}; {ROW} {{ {body} }} a[i] = s; }}\n}}\n"
    ).replace("K", str(members))


SOURCE = "".join(map(_source, CASES))


def _left(source: str, target: str) -> int:
    """Pseudo loads of all lanes that are left behind the pass."""
    watch = Watch(passes=PassRuns(stop_after="reduce_members"))
    made = compile_source(source, "f.ispc", Options(find_target(target), 3), Diagnostics(), watch=watch).stopped
    assert made is not None
    return len(re.findall(r"= call .*@volta\.gather\.v(?!1[if]).* splat \(i1 true\)\)", made))


@pytest.mark.parametrize("target", some_of(TARGETS, 8))
def test_each_remainder_at_both_ends_of_memory(target: str) -> None:
    kernels, random = JudgedKernels(SOURCE, target), np.random.default_rng(1)
    width = kernels.width
    for n in (0, 1, width - 1, width, width + 1, 3 * width + 1, 131):
        for name, (element, result, members, _, _, formula) in CASES.items():
            limit = 250 if element == "uint8" else 5000
            rows = [random.integers(0, limit, (n, members)) for _ in range(2)]
            wanted: Array = formula(*rows).astype(TYPES[result])
            flat: list[Array] = [each.ravel().astype(TYPES[element]) for each in rows]
            kernels.expect(name, [np.zeros(n, TYPES[result]), *flat], (n,), wanted, interpreted=n == width + 1)
    kernels.check()


@pytest.mark.parametrize("name", CASES)
def test_no_member_is_taken_apart(name: str) -> None:
    assert _left(_source(name), "avx2-i32x8") == 0
    assert _left(_source(name), "avx512skx-x16") == 0


@pytest.mark.parametrize(
    "body",
    [
        f"int s = 0; {ROW} {{ s += b[8 * i + k]; }} a[i] = s + b[8 * i + 3];",  # a member is used by itself, too
        f"int s = 0; {ROW} {{ s += b[8 * i + k]; b[8 * i + k] = 1; }} a[i] = s;",  # members change
        f"int s = 0; {ROW} {{ s = s * 3 + b[8 * i + k]; }} a[i] = s;",  # not in any order
        f"int s = 0; {ROW} {{ s += b[9 * i + k]; }} a[i] = s;",  # a gap
        f"if (a[i] > 0) {{ int s = 0; {ROW} {{ s += b[8 * i + k]; }} a[i] = s; }}",  # of some lanes
    ],
)
def test_what_minds_stays(body: str) -> None:
    body = body.replace("K", "8")
    source = f"export void f(uniform int a[], uniform int b[], uniform int n) {{ foreach (i = 0 ... n) {{ {body} }} }}"
    watch = Watch(passes=PassRuns(stop_after="reduce_members"))
    made = compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), 3), Diagnostics(), watch=watch).stopped
    assert made is not None and "%reduced" not in made
    for n in (5, 37):
        b = np.arange(9 * n, dtype=np.int32) % 5
        a = np.ones(n, np.int32)
        wanted, after = a.copy(), b.copy()
        for i in range(n):
            row = b[(9 if "9 *" in body else 8) * i :][:8]
            total = 0
            for each in row:
                total = total * (3 if "s * 3" in body else 1) + int(each)
            wanted[i] = total + (int(b[8 * i + 3]) if "i + 3" in body else 0)
        if "= 1;" in body:
            after[: 8 * n] = 1
        compile_kernels(source, "avx2-i32x8").f(a, b, n)
        assert (a.tolist(), b.tolist()) == (wanted.tolist(), after.tolist())


def test_what_is_stored_between_two_sums_is_read_by_the_second() -> None:
    body = f"int s = 0, t = 0; {ROW} s += a[8 * i + k]; a[8 * i + 2] = s; {ROW} t += a[8 * i + k]; b[i] = t;".replace("K", "8")
    source = f"export void f(uniform int a[], uniform int b[], uniform int n) {{ foreach (i = 0 ... n) {{ {body} }} }}"
    a = np.arange(8 * 37, dtype=np.int32)
    rows = a.reshape(-1, 8).copy()
    b = np.zeros(37, np.int32)
    compile_kernels(source, "avx2-i32x8").f(a, b, 37)
    assert b.tolist() == (2 * rows.sum(1) - rows[:, 2]).tolist()


def test_lanes_that_are_off_make_no_other_lane_indefinite() -> None:
    """Shifted by more than its bits a number is anything: only in its own lane's word of bits."""
    source = """export void f(uniform uint8 a[], const uniform int b[], const uniform int c[], uniform int n) {
        foreach (i = 0 ... n) {
            int s = 0;
            for (uniform int k = 0; k < 8; k++) s |= ((1 << b[8 * i + k]) > 4 ? 1 : 0) << k;
            a[i] = c[i] > 0 ? (uint8)s : (uint8)7;
        }
    }"""
    options = Options(find_target("avx2-i32x8"), 3)
    machine = IRInterpreter(read(compile_source(source, "f.ispc", options, Diagnostics(), end="passes").results["passes"]))
    b = (np.arange(8 * 32, dtype=np.int32) * 5) % 9
    c = np.arange(32, dtype=np.int32) % 2
    rows = b.reshape(-1, 8)
    wanted = np.where(c > 0, _bits(rows > 2), 7)
    b.reshape(-1, 8)[::2, 3] = 40
    to = np.zeros(32, np.uint8)
    machine.call("f", [to, b, c, 32])
    assert to.tolist() == wanted.tolist()
