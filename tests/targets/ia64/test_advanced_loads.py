"""Loads ahead of stores that may be to the same place: right wherever these meet, and fast where they do not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ia64_rows import GNU_AS, refused_by_gnu_as

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import DEVICES
from voltac.targets.ia64.simulator.machine import ALAT_ENTRIES, Itanium
from voltac.targets.ia64.simulator.memory import Memory

TARGETS = ("ia64-x1", "ia64-f32x2", "ia64-i8x8", "ia64-i16x4")
TYPES = {"float": np.float32, "double": np.float64}
SOURCE = """
export void added(uniform TYPE h[], uniform int a[], uniform TYPE w[], uniform int n) {
    for (uniform int i = 0; i < n; i++) h[a[i]] += w[i];
}
export void some(uniform TYPE h[], uniform int a[], uniform TYPE w[], uniform int n) {
    for (uniform int i = 0; i < n; i++) if (w[i] > 50) h[a[i]] = h[a[i]] * 0.5 + w[i];
}
export void moved(uniform TYPE h[], uniform int a[], uniform TYPE w[], uniform int n) {
    for (uniform int i = 0; i < n; i++) h[a[i]] = h[i] + w[i];
}
export void behind(uniform TYPE h[], uniform int a[], uniform TYPE w[], uniform int n) {
    for (uniform int i = 0; i < n; i++) { h[a[i]] = w[i]; w[i] = h[i] * 2; }
}
export void bytes(uniform TYPE h[], uniform int a[], uniform TYPE w[], uniform int n) {
    uniform int8 *uniform part = (uniform int8 *uniform)h;
    for (uniform int i = 0; i < n; i++) part[a[i] * 3] = (int)(h[i] * 0.25 + w[i]) & 127;
}
"""


def added(h: Any, a: Any, w: Any, i: int) -> None:
    h[a[i]] += w[i]


def some(h: Any, a: Any, w: Any, i: int) -> None:
    if w[i] > 50:
        h[a[i]] = h[a[i]] * h.dtype.type(0.5) + w[i]


def moved(h: Any, a: Any, w: Any, i: int) -> None:
    h[a[i]] = h[i] + w[i]


def behind(h: Any, a: Any, w: Any, i: int) -> None:
    h[a[i]] = w[i]
    w[i] = h[i] * 2


def bytes_(h: Any, a: Any, w: Any, i: int) -> None:
    h.view(np.int8)[a[i] * 3] = int(h[i] * h.dtype.type(0.25) + w[i]) & 127


MEANINGS: dict[str, Callable[[Any, Any, Any, int], None]] = {
    "added": added, "some": some, "moved": moved, "behind": behind, "bytes": bytes_,
}  # fmt: skip
PLACES: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "apart": lambda rng, n: rng.permutation(n),
    "same": lambda rng, n: np.full(n, 3),
    "few": lambda rng, n: rng.integers(0, 5, n),
    **{f"{far} ahead": lambda rng, n, far=far: np.minimum(np.arange(n) + far, n + 7) for far in range(6)},  # type: ignore[misc]
}


def small(rng: np.random.Generator, count: int, dtype: Any) -> Any:
    """Numbers whose sums and halves are exact, so that nothing depends on how often is rounded."""
    return rng.integers(0, 100, count).astype(dtype)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_name", TYPES)
def test_wherever_loads_and_stores_meet(type_name: str, target: str) -> None:
    kernels = voltac.compile(SOURCE.replace("TYPE", type_name), target=target)
    dtype, rng = TYPES[type_name], np.random.default_rng(len(target + type_name))
    for name, meaning in MEANINGS.items():
        for kind, places in PLACES.items():
            for n in (1, 2, 7, 40):
                a = places(rng, n).astype(np.int32)
                h, w = small(rng, n + 8, dtype), small(rng, n, dtype)
                if name == "bytes":
                    a = np.minimum(a, (n + 8) * h.itemsize // 3 - 1).astype(np.int32)
                    # Whatever bytes are stored, a number is small: its last byte, with the exponent, stays.
                    a[3 * a % h.itemsize == h.itemsize - 1] = 0
                wanted, others = h.copy(), w.copy()
                for i in range(n):
                    meaning(wanted, a, others, i)
                kernels[name](h, a, w, n)
                assert h.tobytes() == wanted.tobytes() and w.tobytes() == others.tobytes(), (name, kind, n)


def cycles(kernel: Any, places: Callable[[int], Any], dtype: Any) -> float:
    taken = {}
    for n in (100, 300):
        kernel(np.zeros(n + 8, dtype), places(n).astype(np.int32), np.ones(n, dtype), n)
        taken[n] = kernel.last_run.cycles
    return float(taken[300] - taken[100]) / 200


@pytest.mark.parametrize("type_name", TYPES)
def test_the_interval_is_the_bound(type_name: str) -> None:
    """Store, check, sum of four cycles, store: 6. Where a place is that of the iteration before, the load of 6 comes again."""
    kernels = voltac.compile(SOURCE.replace("TYPE", type_name), target="ia64-x1")
    dtype = TYPES[type_name]
    assert cycles(kernels.added, np.arange, dtype) == 6
    assert cycles(kernels.added, np.zeros, dtype) == 11
    assert cycles(kernels.moved, lambda n: np.zeros(n) + n, dtype) == 6
    plain = voltac.compile(SOURCE.replace("TYPE", type_name), target="ia64-x1", loop_unrolling=False)
    assert cycles(plain.added, np.arange, dtype) > 11


def assembly(text: str, target: str = "ia64-x1") -> str:
    made: str = compile_source(text, "k.ispc", Options(DEVICES[target], level=2)).results["select"]
    return made


def test_only_where_it_pays() -> None:
    """A load of integers is as fast as its check; what is known to meet, or not to, is not asked."""
    text = SOURCE.replace("TYPE", "float")
    assert ".c.clr" in assembly(text)
    assert ".c.clr" not in assembly(SOURCE.replace("TYPE", "int"))
    for body in ("h[i + 1] = h[i] * 2", "h[i] = h[i] * 2", "h[a[i]] = w[i] * 2", "w[i] = h[a[i]] * 2"):
        head = "export void f(uniform float h[], uniform int a[], uniform float w[], uniform int n)"
        assert ".c.clr" not in assembly(f"{head} {{ for (uniform int i = 0; i < n; i++) {body}; }}"), body


@pytest.mark.skipif(shutil.which(GNU_AS) is None, reason=f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
@pytest.mark.parametrize("target", TARGETS)
def test_gnu_as_takes_it(target: str, tmp_path: Path) -> None:
    for type_name in TYPES:
        assert refused_by_gnu_as(assembly(SOURCE.replace("TYPE", type_name), target), tmp_path) == ""


def test_what_the_table_has_no_room_for_is_loaded_again() -> None:
    """The table holds so many loads, and the oldest gives way."""
    memory = Memory(1 << 16)
    memory.map(0x1000, 8 * (ALAT_ENTRIES + 1))
    machine = Itanium(memory)
    for number in range(ALAT_ENTRIES + 1):
        machine.load_a(8, 0x1000 + 8 * number, int, ("r", number), False)
    missed = []
    for number in range(ALAT_ENTRIES + 1):
        machine.load_c(8, 0x1000 + 8 * number, int, ("r", number), True)
        missed.append(machine.missed)
    assert missed == [True] + [False] * ALAT_ENTRIES
