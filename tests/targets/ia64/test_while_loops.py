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
ORDERED = """
export uniform int below(const uniform int a[], uniform int x) { uniform int n = 0; while (a[n] < x) n++; return n; }
export uniform int above(const uniform uint16 a[], uniform int x) { uniform int n = 0; while (a[n] >= x) n++; return n; }
export uniform int far(const uniform int64 a[], uniform int64 x) { uniform int n = 0; while (a[n] > x) n += 3; return n; }
export uniform int small(const uniform float a[], uniform float x) { uniform int n = 0; while (a[n] < x) n++; return n; }
export uniform int not_small(const uniform double a[], uniform double x) {
    uniform int n = 0;
    while (!(a[n] <= x)) n++;
    return n;
}
export uniform int other(const uniform float a[], uniform float x) { uniform int n = 0; while (a[n] != x) n++; return n; }
export uniform int even(const uniform int a[]) { uniform int n = 0; while ((a[n] & 1) == 0) n++; return n; }
export uniform float first(const uniform float a[], uniform float x) {
    uniform int n = 0;
    uniform float y;
    do { y = a[n]; n++; } while (y < x);
    return y * 1000 + n;
}
"""

TWO_WAYS_OUT = """
export uniform int length(const uniform int8 s[], uniform int m) {
    uniform int n = 0;
    while (n < m && s[n] != 0) n++;
    return n;
}
export uniform int place(const uniform int a[], uniform int m, uniform int x) {
    for (uniform int n = 0; n < m; n++) if (a[n] == x) return n;
    return -1;
}
export uniform int last_place(const uniform int a[], uniform int m, uniform int x) {
    for (uniform int n = m - 1; n >= 0; n--) if (a[n] == x) return n;
    return -1;
}
export uniform int larger(const uniform float a[], uniform int m, uniform float x) {
    for (uniform int n = 0; n < m; n++) if (a[n] > x) return n;
    return -1;
}
export uniform int less(const uniform int a[], uniform int m, uniform int x) {
    uniform int n = 0;
    while (n < m && a[n] < x) n++;
    return n;
}
export uniform int shorter(const uniform int8 s[], uniform int m) {
    uniform int n = 0;
    while (s[n] != 0 && n < m) n++;
    return n;
}
export uniform int sevens(const uniform int a[], uniform int m) {
    uniform int n = 0;
    while (n < m && a[n] == 7) n++;
    return n;
}
export uniform int sevens_too(const uniform int a[], uniform int m) {
    uniform int n = 0;
    while (a[n] == 7 && n < m) n++;
    return n;
}
export uniform int either(const uniform int a[], uniform int x, uniform int y) {
    uniform int n = 0;
    while (a[n] != x && a[n] != y) n++;
    return n;
}
export uniform int sooner(const uniform int a[], const uniform int b[]) {
    uniform int n = 0;
    while (a[n] != 0 && b[n] > 2) n++;
    return n * 100 + a[n];
}
export uniform int sum_before(const uniform int a[], uniform int m, uniform int x) {
    uniform int s = 0;
    for (uniform int n = 0; n < m; n++) { if (a[n] == x) return s; s += a[n]; }
    return -s;
}
export uniform int sum_up_to(const uniform int a[], uniform int m, uniform int x) {
    uniform int s = 0;
    for (uniform int n = 0; n < m; n++) { s += a[n]; if (a[n] == x) return s; }
    return -s;
}
export uniform int sum_while(const uniform int a[], uniform int m, uniform int x) {
    uniform int n = 0, s = 0;
    while (a[n] != x && n < m) { s += a[n]; n++; }
    return s;
}
export uniform int compared(const uniform uint8 a[], const uniform uint8 b[], uniform int m) {
    for (uniform int n = 0; n < m; n++) if (a[n] != b[n]) return (int)a[n] - (int)b[n];
    return 0;
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


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("kernels") / "ordered.ispc"
    path.write_text(ORDERED)
    return compiled_for(path, target="ia64-x1")


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 23, 24, 40, 63, 64, 100])
def test_loops_that_end_by_any_comparison(ordered: Any, n: int) -> None:
    rising = np.arange(n + 1)
    assert ordered.below(rising.astype(np.int32) - 20, n - 20) == n
    assert ordered.above(rising[::-1].astype(np.uint16), 1) == n
    assert ordered.far(np.repeat(np.int64(1) << 40 | rising[::-1].astype(np.int64), 3)[: 3 * n + 1], 1 << 40) == 3 * n
    assert ordered.small(rising.astype(np.float32), float(n)) == n
    values = np.append(np.where(rising[:n] % 3, np.nan, 5.0), 4.0)
    assert ordered.not_small(values, 4.0) == n
    assert ordered.small(np.append(np.full(n, -np.inf), np.nan).astype(np.float32), 0.0) == n
    assert ordered.other(np.append(np.full(n, np.nan), -0.0).astype(np.float32), 0.0) == n
    assert ordered.even(np.append(2 * rising[:n] - 6, -7).astype(np.int32)) == n
    assert ordered.first(np.append(np.ones(n), 3.0).astype(np.float32), 2.0) == 3000 + n + 1


@pytest.mark.parametrize("name", ["below", "small", "other", "even"])
def test_an_iteration_with_any_comparison_takes_one_cycle(ordered: Any, name: str) -> None:
    taken = []
    for n in (100, 300):
        values = np.append(2 * np.arange(n), 2 * n + 1).astype(np.float32 if name in ("small", "other") else np.int32)
        assert getattr(ordered, name)(values, *([] if name == "even" else [2 * n + 1])) == n
        taken.append(getattr(ordered, name).last_run.cycles)
    assert taken[1] - taken[0] == 200


@pytest.fixture(scope="module", params=["ia64-x1", "ia64-f32x2", "ia64-i8x8", "ia64-i16x4"])
def two_ways(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("kernels") / "two.ispc"
    path.write_text(TWO_WAYS_OUT)
    return compiled_for(path, target=request.param)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 23, 40, 100])
def test_loops_with_two_ways_out(two_ways: Any, n: int) -> None:
    k = two_ways
    text = np.append(np.ones(n, np.int8), np.int8(0))
    rising = np.arange(n + 1, dtype=np.int32)
    same = np.arange(n + 1, dtype=np.uint8)
    for m in {0, min(n, 1), n // 2, n - 1, n}:
        # What is behind the end is not there: no load there may be missed.
        assert k.length(text[: max(m, 0)], m) == max(min(n, m), 0)
        assert k.length(text, n + 5) == k.shorter(text, n + 5) == n
        end = max(m, 0)
        assert k.shorter(text[: end + 1], m) == end
        # As many as the bound, fewer, and more.
        for count in {end, end // 2, n}:
            sevens = np.append(np.full(count, 7, np.int32), np.int32(8))
            assert k.sevens(sevens[:end], m) == k.sevens_too(sevens[: end + 1], m) == min(count, end)
        assert k.either(rising, n, end) == k.either(rising, end, n) == min(n, end)
        numbers, others = rising[::-1] + 5, np.where(rising == end, 2, 3).astype(np.int32)
        assert k.sooner(numbers, others) == end * 100 + numbers[end]
        assert k.sooner(np.where(rising == end, 0, numbers).astype(np.int32), np.full(n + 1, 3, np.int32)) == end * 100
        for x in (-1, 0, m, n):
            found = x if 0 <= x < m else -1
            assert k.place(rising[: max(m, 0)], m, x) == k.last_place(rising[: max(m, 0)], m, x) == found
            assert k.less(rising[: max(m, 0)], m, x) == max(min(m, x), 0)
            # What is summed on the way is no step, and is needed where the last iteration is done.
            sums = [int(rising[:at].sum()) for at in range(n + 2)]
            assert k.sum_before(rising, n + 1, x) == (sums[x] if 0 <= x <= n else -sums[n + 1])
            assert k.sum_up_to(rising, n + 1, x) == (sums[x + 1] if 0 <= x <= n else -sums[n + 1])
            assert k.sum_while(rising, max(m, 0), x) == sums[min(max(m, 0), x if x >= 0 else n)]
        floats = np.where(rising % 3 == 1, np.nan, rising).astype(np.float32)
        places = [at for at in range(max(m, 0)) if at % 3 != 1 and at > 4]
        assert k.larger(floats[: max(m, 0)], m, 4.0) == (places[0] if places else -1)
        other = same.copy()
        other[max(m, 0)] += 3
        assert k.compared(same, other, n + 1) == -3
        assert k.compared(same, other, m) == 0


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("length", 1), ("place", 1), ("last_place", 2), ("larger", 1), ("less", 1), ("compared", 2), ("shorter", 1)],
)
def test_cycles_of_loops_with_two_ways_out(two_ways: Any, name: str, wanted: int) -> None:
    taken = []
    for n in (100, 300):
        rising = np.arange(n, dtype=np.float32 if name == "larger" else np.uint8 if name == "compared" else np.int32)
        operands: tuple[Any, ...] = (rising, n, n)
        if name in ("length", "shorter"):
            operands = (np.ones(n + 1, np.int8), n)
        elif name == "compared":
            operands = (rising, rising, n)
        elif name == "last_place":
            operands = (rising, n, -1)
        getattr(two_ways, name)(*operands)
        taken.append(getattr(two_ways, name).last_run.cycles)
    assert taken[1] - taken[0] == 200 * wanted


@pytest.mark.parametrize(("name", "load"), [("below", "ld4 r"), ("small", "ldfs f"), ("not_small", "ldfd f")])
def test_what_is_not_there_is_found_by_the_loop_as_it_was(ordered: Any, name: str, load: str) -> None:
    dtype = {"below": np.int32, "small": np.float32, "not_small": np.float64}[name]
    with pytest.raises(Trap) as raised:
        getattr(ordered, name)(np.full(64, 1 if name != "not_small" else 9, dtype), 5)
    assert "a load uses unmapped memory" in str(raised.value) and load in str(raised.value)


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
    job = compile_source(
        TEXT + ORDERED + TWO_WAYS_OUT.replace("int length", "int short_length"), "k.ispc", Options(DEVICES["ia64-x1"], level=2)
    )
    assert ".wtop" in job.results["select"] and ".s r" in job.results["select"]
    assert refused_by_gnu_as(job.results["select"], tmp_path) == ""
