"""Loops whose loads say where the next one is from: speculative loads ahead of the comparison, and what is there at the end."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ia64_rows import GNU_AS, refused_by_gnu_as

import voltac
from voltac.codegen.simulator import Trap
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import DEVICES

SOURCE = """
export uniform int walk(const uniform int next[], uniform int start) {
    uniform int i = start, n = 0;
    while (i != 0) { i = next[i]; n++; }
    return n;
}
export uniform int far(const uniform int64 next[], uniform int64 start) {
    uniform int64 i = start;
    uniform int n = 0;
    while (i != 0) { i = next[i]; n++; }
    return n;
}
export uniform int rest(const uniform int64 next[], uniform int64 start, uniform int64 x) {
    uniform int64 i = start;
    uniform int n = 0;
    while (i > x) { i = next[i]; n++; }
    return i * 1000 + n;
}
export uniform int cut(const uniform int next[], uniform int start, uniform int m) {
    uniform int i = start, n = 0;
    while (i != 0 && n < m) { i = next[i]; n++; }
    return i * 1000 + n;
}
export uniform int found(const uniform int next[], const uniform int keys[], uniform int start, uniform int x) {
    uniform int i = start, n = 0;
    while (i != 0 && keys[i] != x) { i = next[i]; n++; }
    return i * 1000 + n;
}
export uniform int end(const uniform int64 next[], uniform int64 start) {
    uniform int64 i = start;
    while (next[i] != 0) i = next[i];
    return i;
}
export uniform int ordered(const uniform TYPE a[], uniform int m) {
    uniform int n = 1;
    while (n < m && a[n - 1] < a[n]) n++;
    return n;
}
export uniform int until(const uniform int64 next[], uniform int64 start, uniform int64 x) {
    uniform int64 i = start;
    uniform int n = 0;
    uniform bool on;
    do { on = i != x; i = next[i]; n++; } while (on && i != 0);
    return i * 1000 + n;
}
struct Node { Node *uniform next; int value; };
export uniform int pointed(uniform int64 room[], const uniform int order[], uniform int m, uniform int times) {
    uniform Node *uniform nodes = (uniform Node *uniform)room;
    uniform Node *uniform p = NULL;
    for (uniform int k = 0; k < m; k++) { nodes[order[k]].next = p; p = nodes + order[k]; }
    uniform int n = 0;
    for (uniform int t = 0; t < times; t++) {
        uniform Node *uniform q = p;
        while (q != NULL) { q = q->next; n++; }
    }
    return n;
}
"""


@pytest.fixture(scope="module", params=["ia64-x1", "ia64-i8x8"])
def k(request: pytest.FixtureRequest) -> Any:
    return voltac.compile(SOURCE.replace("TYPE", "float"), target=request.param)


def chain(n: int, dtype: Any) -> tuple[Any, int, list[int]]:
    """Where each place leads, the first place, and all in order; 0 is the end."""
    order = [int(one) for one in np.random.default_rng(n).permutation(n) + 1]
    following = np.zeros(n + 1, dtype)
    for one, other in pairwise(order):
        following[one] = other
    return following, (order[0] if n else 0), order


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 23, 60])
def test_walks_of_every_length(k: Any, n: int) -> None:
    following, start, order = chain(n, np.int32)
    places = [*order, 0]
    assert k.walk(following, start) == k.far(following.astype(np.int64), start) == n
    assert k.end(following.astype(np.int64), start) == (order[-1] if n else 0)
    for m in {0, 1, n // 2, n, n + 3}:
        assert k.cut(following, start, m) == places[min(m, n)] * 1000 + min(m, n)
        keys = np.arange(n + 1, dtype=np.int32) * 3
        at = min(m, n)
        assert k.found(following, keys, start, places[at] * 3 if at < n else -1) == places[at] * 1000 + at
        count = next(count for count, place in enumerate(places) if place <= m)
        assert k.rest(following.astype(np.int64), start, m) == places[count] * 1000 + count
    if n:
        for at in {0, n // 2, n - 1}:
            wanted = min(at + 1, n)
            assert k.until(following.astype(np.int64), start, order[at]) == places[wanted] * 1000 + wanted
            steps = np.arange(n, dtype=np.float32)
            steps[at] = -1
            assert k.ordered(steps, n) == (at if at else n)
        assert k.pointed(np.zeros(2 * n, np.int64), (np.array(order) - 1).astype(np.int32), n, 3) == 3 * n


def test_a_place_that_is_not_there_is_found_by_the_loop_as_it_was(k: Any) -> None:
    """What is behind the end may be anything; where the list itself leads to nowhere, that is where the load fails."""
    following, start, order = chain(9, np.int64)
    following[0] = 1 << 40
    assert k.far(following, start) == 9
    following[order[5]] = 1 << 40
    with pytest.raises(Trap) as raised:
        k.far(following, start)
    assert "a load uses unmapped memory" in str(raised.value) and "ld8 r" in str(raised.value)


def taken(kernel: Any, dtype: Any, *more: int) -> float:
    found = []
    for n in (100, 300):
        following, start, _ = chain(n, dtype)
        kernel(following, start, *more)
        found.append(kernel.last_run.cycles)
    return float(found[1] - found[0]) / 200


def test_the_interval_is_that_of_address_and_load(k: Any) -> None:
    """An address of one instruction, of int of two, of a pointer none, and a load of one cycle."""
    assert taken(k.far, np.int64) == 2
    assert taken(k.walk, np.int32) == taken(k.cut, np.int32, 1000) == 3
    assert taken(k.rest, np.int64, 0) == 2
    cycles = {}
    for n in (100, 300):
        for times in (1, 2):
            k.pointed(np.zeros(2 * n, np.int64), np.arange(n, dtype=np.int32), n, times)
            cycles[n, times] = k.pointed.last_run.cycles
    assert cycles[300, 2] - cycles[300, 1] - (cycles[100, 2] - cycles[100, 1]) == 200


@pytest.mark.skipif(shutil.which(GNU_AS) is None, reason=f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
def test_gnu_as_takes_it(tmp_path: Path) -> None:
    text: str = compile_source(SOURCE.replace("TYPE", "double"), "k.ispc", Options(DEVICES["ia64-x1"], level=2)).results[
        "select"
    ]
    assert refused_by_gnu_as(text, tmp_path) == ""
