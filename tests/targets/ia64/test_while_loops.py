"""Loops that end by a condition: br.wtop at one iteration a cycle, speculative loads, and the place where one fails."""

from __future__ import annotations

import shutil
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

compiled_for = voltac.load

TEXT = """
export uniform int length(const uniform int8 s[]) { uniform int n = 0; while (s[n] != 0) n++; return n; }
export uniform int find(const uniform int a[], uniform int x) { uniform int n = 0; while (a[n] != x) n++; return n; }
export uniform int64 pointed(const uniform int8 s[]) {
    const uniform int8 * uniform p = s;
    while (*p != 0) ++p;
    return p - s;
}
export uniform int same(const uniform int16 a[], const uniform int16 b[]) {
    uniform int n = 0;
    while (a[n] == b[n]) n += 2;
    return n;
}
export uniform int last(const uniform int a[]) {
    uniform int n = 0, x;
    do { x = a[n]; n++; } while (x == 7);
    return x * 1000 + n;
}
export uniform int total(const uniform int a[]) {
    uniform int n = 0, s = 0;
    while (a[n] != 0) { s += a[n]; n++; }
    return s * 1000 + n;
}
export uniform int both(const uniform int8 s[], const uniform int8 t[]) {
    uniform int m = 0, n = 0;
    while (s[m] != 0) m++;
    while (t[n] != 0) n++;
    return 1000 * m + n;
}
"""


@pytest.fixture(scope="module")
def k(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("kernels") / "k.ispc"
    path.write_text(TEXT)
    return compiled_for(path, target="ia64-x1")


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 40, 63, 64, 100])
def test_every_number_of_iterations_is_right(k: Any, n: int) -> None:
    text = np.ones(n + 1, np.int8)
    text[n] = 0
    assert k.length(text) == n
    assert k.pointed(text) == n
    assert k.find(np.arange(n + 1, dtype=np.int32), n) == n
    a, b = np.zeros((2, 2 * n + 1), np.int16)
    a[2 * n] = 1
    assert k.same(a, b) == 2 * n
    sevens = np.full(n + 1, 7, np.int32)
    sevens[n] = 3
    assert k.last(sevens) == 3000 + n + 1
    numbers = np.arange(1, n + 2, dtype=np.int32)
    numbers[n] = 0
    assert k.total(numbers) == numbers.sum() * 1000 + n
    other = np.ones(5, np.int8)
    other[4] = 0
    assert k.both(text, other) == 1000 * n + 4


@pytest.mark.parametrize("name", ["length", "find", "pointed"])
def test_an_iteration_takes_one_cycle(k: Any, name: str) -> None:
    taken = {}
    for n in (100, 300):
        values = np.arange(n + 1, dtype=np.int32) if name == "find" else np.append(np.ones(n, np.int8), np.int8(0))
        assert getattr(k, name)(values, *([n] if name == "find" else [])) == n
        run = getattr(k, name).last_run
        taken[n] = run.cycles
        assert run.counts["br.wtop.sptk.few"] >= n
    assert taken[300] - taken[100] == 200


def test_a_load_that_fails_fails_where_it_would_without_speculation(k: Any) -> None:
    """Behind the array, at the byte that is not there, in the loop as it was."""
    with pytest.raises(Trap) as raised:
        k.length(np.ones(64, np.int8))
    assert "a load uses unmapped memory" in str(raised.value) and "ld1 r" in str(raised.value)
    assert "ld1.s" not in str(raised.value)


def test_gnu_as_takes_them(tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    job = compile_source(TEXT, "k.ispc", Options(DEVICES["ia64-x1"], level=2))
    assert ".wtop" in job.results["select"] and ".s r" in job.results["select"]
    assert refused_by_gnu_as(job.results["select"], tmp_path) == ""
