"""Counted loops that hand a value on: what one iteration has loaded the next one reads, in a register that rotates."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ia64_rows import GNU_AS, refused_by_gnu_as

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import DEVICES

TEXT = """
export void stencil(uniform float x[], uniform int n) { for (uniform int i = 1; i < n; i++) x[i] = x[i] * 2 + x[i + 1]; }
export void changes(const uniform int x[], uniform int out[], uniform int n) {
    uniform int last = 100;
    for (uniform int i = 0; i < n; i++) { out[i] = x[i] - last; last = x[i]; }
}
export uniform int64 behind(const uniform int64 x[], uniform int64 out[], uniform int n) {
    uniform int64 last = -1;
    for (uniform int i = 0; i < n; i++) { out[i] = last; last = x[i] * 3; }
    return last;
}
export void two_before(const uniform double x[], uniform double out[], uniform int n) {
    uniform double first = 0.25, second = 0.5;
    for (uniform int i = 0; i < n; i++) { out[i] = x[i] - first; first = second; second = x[i]; }
}
export void rising(const uniform int x[], uniform int out[], uniform int n) {
    uniform int last = 0;
    for (uniform int i = 0; i < n; i++) { if (x[i] > last) out[i] = x[i]; else out[i] = -last; last = x[i]; }
}
export void both_begin_apart(const uniform int x[], uniform int out[], uniform int n) {
    uniform int a = 1000, b = 7;
    for (uniform int i = 0; i < n; i++) { out[i] = 3 * a - b; b = x[i]; a = b; }
}
export uniform int recurrence(uniform int n) {
    uniform int a = 0, b = 1;
    for (uniform int i = 0; i < n; i++) { uniform int sum = a + b; a = b; b = sum; }
    return a;
}
"""


@pytest.fixture(scope="module", params=["ia64-x1", "ia64-f32x2", "ia64-i8x8", "ia64-i16x4"])
def k(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("kernels") / "k.ispc"
    path.write_text(TEXT)
    return voltac.load(path, target=request.param)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 16, 33, 100])
def test_every_number_of_iterations_is_right(k: Any, n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.integers(-50, 50, n + 2).astype(np.float32)
    wanted = x.copy()
    wanted[1:n] = 2 * x[1:n] + x[2 : n + 1]
    k.stencil(x, n)
    assert np.array_equal(x, wanted)

    numbers, out = rng.integers(-1000, 1000, n).astype(np.int32), np.zeros(n, np.int32)
    before = np.append(np.int32(100), numbers)[:n]
    k.changes(numbers, out, n)
    assert np.array_equal(out, numbers - before)
    k.rising(numbers, out, n)
    before = np.append(np.int32(0), numbers)[:n]
    assert np.array_equal(out, np.where(numbers > before, numbers, -before))

    k.both_begin_apart(numbers, out, n)
    assert np.array_equal(out, 3 * np.append(np.int32(1000), numbers)[:n] - np.append(np.int32(7), numbers)[:n])

    long, moved = rng.integers(-(1 << 60), 1 << 60, n), np.zeros(n, np.int64)
    tripled = np.append(np.int64(-1), 3 * long)
    assert k.behind(long, moved, n) == tripled[n]
    assert np.array_equal(moved, tripled[:n])

    values, rest = rng.normal(size=n), np.zeros(n)
    k.two_before(values, rest, n)
    assert np.array_equal(rest, values - np.append([0.25, 0.5], values)[:n])


def test_a_recurrence_of_two(k: Any) -> None:
    assert [k.recurrence(n) for n in range(10)] == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]


@pytest.mark.parametrize("name", ["stencil", "changes"])
def test_an_iteration_takes_one_cycle(k: Any, name: str) -> None:
    taken = []
    for n in (100, 300):
        x = np.zeros(n + 2, np.float32 if name == "stencil" else np.int32)
        getattr(k, name)(*([x, n] if name == "stencil" else [x, x.copy(), n]))
        taken.append(getattr(k, name).last_run.cycles)
    assert taken[1] - taken[0] == 200


def test_gnu_as_takes_them(tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    job = compile_source(TEXT, "k.ispc", Options(DEVICES["ia64-x1"], level=2))
    assert refused_by_gnu_as(job.results["select"], tmp_path) == ""
