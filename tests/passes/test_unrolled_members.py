"""Loops that store a member of each lane's struct in each iteration are written out: the same results, others stay."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

HEAD = "uniform float a[], const uniform float b[], const uniform float c[], uniform int n"
SUM = "float s = 0; for (uniform int j = 0; j < 7; j++) s += b[7 * i + j] * c[7 * k + j];"
"""Too long for ``lower``, which unrolls the inner loop alone."""
LONG = f"{{ {SUM} a[MEMBERS * i + k] = s; }}"


def loops(body: str, head: str = HEAD) -> int:
    """Jumps back of loops that are not over gangs."""
    watch = Watch(passes=PassRuns(stop_after="unroll_members"))
    source = f"export void f({head}) {{ foreach (i = 0 ... n) {{ {body} }} }}"
    text = compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), 3), Diagnostics(), watch=watch).stopped
    assert text is not None
    return sum("phi i32" in line and "%k" in line for line in text.splitlines())


@pytest.mark.parametrize(("start", "test", "members"), [("0", "k < 7", 7), ("0", "k <= 6", 7), ("-1", "k < 5", 6)])
def test_each_iteration_is_written_out_under_masks_too(start: str, test: str, members: int) -> None:
    body = f"for (uniform int k = {start}; {test}; k++) {LONG}".replace("MEMBERS", str(members))
    body = body.replace("c[7 * k + j]", "c[7 * k + 7 + j]").replace("i + k]", f"i + k - {start}]")
    assert loops(body) == 0
    n, first = 27, int(start)
    source, factors = (np.random.default_rng(1).integers(0, 9, size).astype(np.float32) for size in (7 * n, 70))
    to = np.zeros(members * n, np.float32)
    compile_kernels(f"export void f({HEAD}) {{ foreach (i = 0 ... n) {{ {body} }} }}", "avx2-i32x8").f(to, source, factors, n)
    rows = factors[7 * (first + 1) : 7 * (first + 1 + members)].reshape(members, 7)
    assert to.tolist() == (source.reshape(n, 7) @ rows.T).ravel().tolist()


def test_what_follows_the_loop_knows_where_the_counter_is() -> None:
    body = f"uniform int k = 0; for (; k < 7; k++) {LONG.replace('MEMBERS', '7')} a[7 * i] += k;"
    assert loops(body) == 0
    to, ones = np.zeros(7 * 11, np.float32), np.ones(77, np.float32)
    compile_kernels(f"export void f({HEAD}) {{ foreach (i = 0 ... n) {{ {body} }} }}", "avx2-i32x8").f(to, ones, ones, 11)
    assert to.reshape(11, 7).tolist() == [[14, *[7] * 6]] * 11


def test_loads_are_repeated_where_a_store_may_change_them() -> None:
    """Each member is made of those before it."""
    head = "uniform float a[], uniform int n"
    body = """for (uniform int k = 0; k < 7; k++) {
        float s = 1;
        for (uniform int j = 0; j < 7; j++) s += a[7 * i + j];
        a[7 * i + k] = s;
    }"""
    assert loops(body, head) == 0
    given = np.zeros(7 * 13, np.float32)
    compile_kernels(f"export void f({head}) {{ foreach (i = 0 ... n) {{ {body} }} }}", "avx2-i32x8").f(given, 13)
    assert given.reshape(13, 7).tolist() == [[2.0**k for k in range(7)]] * 13


@pytest.mark.parametrize(
    "loop",
    [
        "for (uniform int k = 0; k < 9; k++)",  # too many
        "for (uniform int k = 0; k < n; k++)",  # nobody knows how many
        "\n#pragma unroll 2\nfor (uniform int k = 0; k < 7; k++)",  # the program says itself
    ],
)
def test_others_stay(loop: str) -> None:
    members = "9" if "9" in loop else "7"
    assert loops(f"{loop} {LONG}".replace("MEMBERS", members)) > 0


def test_structs_that_are_larger_than_the_loop_stay() -> None:
    assert loops(f"for (uniform int k = 0; k < 7; k++) {LONG}".replace("MEMBERS", "16")) > 0
