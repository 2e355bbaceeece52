"""Loads ahead of stores that may be to the same place: right wherever these meet, and fast where they do not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ia64_rows import GNU_AS, refused_by_gnu_as
from kernels import InterpretedModule, compiled_again

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import DEVICES
from voltac.targets.ia64.simulator.machine import ALAT_ENTRIES, Itanium
from voltac.targets.ia64.simulator.memory import Memory

TYPES = {"float": np.float32, "double": np.float64}
INTEGERS = {"int8": np.int8, "int16": np.int16, "int": np.int32, "int64": np.int64}
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
// A gang of one lane goes in order.
export void masked(uniform TYPE h[], uniform int a[], uniform TYPE w[], uniform int n) {
    foreach (i = 0 ... n) if (w[i] > 50) h[a[i]] += w[i];
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


def masked(h: Any, a: Any, w: Any, i: int) -> None:
    if w[i] > 50:
        h[a[i]] += w[i]


def bytes_(h: Any, a: Any, w: Any, i: int) -> None:
    h.view(np.int8)[a[i] * 3] = int(h[i] * h.dtype.type(0.25) + w[i]) & 127


MEANINGS: dict[str, Callable[[Any, Any, Any, int], None]] = {
    "added": added, "some": some, "moved": moved, "behind": behind, "masked": masked, "bytes": bytes_,
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


def case(kind: str, n: int, dtype: Any, name: str) -> tuple[Any, Any, Any]:
    """Arguments of a kernel."""
    rng = np.random.default_rng(n)
    a = PLACES[kind](rng, n).astype(np.int32)
    h, w = small(rng, n + 8, dtype), small(rng, n, dtype)
    if name == "bytes":
        a = np.minimum(a, (n + 8) * h.itemsize // 3 - 1).astype(np.int32)
        # Whatever bytes are stored, a number is small: its last byte, with the exponent, stays.
        a[3 * a % h.itemsize == h.itemsize - 1] = 0
    return h, a, w


def meant(name: str, h: Any, a: Any, w: Any) -> list[bytes]:
    """What a kernel leaves in its arrays, by numpy."""
    wanted, others = h.copy(), w.copy()
    for i in range(len(a)):
        MEANINGS[name](wanted, a, others, i)
    return [wanted.tobytes(), others.tobytes()]


def left_by(kernel: Any, h: Any, a: Any, w: Any) -> list[bytes]:
    h, w = h.copy(), w.copy()
    kernel(h, a, w, len(a))
    return [h.tobytes(), w.tobytes()]


@pytest.mark.parametrize(("type_name", "target"), [*((one, "ia64-x1") for one in TYPES), ("float", "ia64-f32x2")])
def test_wherever_loads_and_stores_meet(type_name: str, target: str) -> None:
    kernels = voltac.compile(SOURCE.replace("TYPE", type_name), target=target)
    for name in MEANINGS:
        # Lanes of a gang that meet are another matter.
        kinds = PLACES if name != "masked" or target == "ia64-x1" else ("apart",)
        for kind in kinds:
            for n in (1, 23):
                given = case(kind, n, TYPES[type_name], name)
                assert left_by(kernels[name], *given) == meant(name, *given), (name, kind, n)


@pytest.mark.parametrize("type_name", INTEGERS)
def test_integers_that_meet(type_name: str) -> None:
    """Small enough that no type wraps."""
    text = SOURCE.partition("export void bytes")[0].replace("TYPE", type_name).replace("0.5", "1")
    kernels = voltac.compile(text, target="ia64-x1")
    for name in ("added", "moved", "masked"):
        for kind in ("apart", "same", "few", "0 ahead", "1 ahead", "2 ahead"):
            h, a, w = case(kind, 9, np.int64, name)
            h, w = ((one % 5).astype(INTEGERS[type_name]) for one in (h, w + 50 * (name == "masked")))
            assert left_by(kernels[name], h, a, w) == meant(name, h, a, w), (name, kind)


def test_the_interpreter_of_the_ir_says_the_same() -> None:
    source = SOURCE.replace("TYPE", "float")
    kernels = voltac.compile(source, target="ia64-x1")
    judges = InterpretedModule(kernels, compiled_again(source, "sse4-i32x4", 2))
    for name in ("added", "some", "moved", "behind"):
        for kind in PLACES:
            given = case(kind, 9, np.float32, name)
            assert left_by(kernels[name], *given) == left_by(judges[name], *given), (name, kind)


def cycles(kernel: Any, places: Callable[[int], Any], dtype: Any) -> float:
    taken = {}
    for n in (100, 300):
        kernel(np.zeros(n + 8, dtype), places(n).astype(np.int32), np.full(n, 60, dtype), n)
        taken[n] = kernel.last_run.cycles
    return float(taken[300] - taken[100]) / 200


@pytest.mark.parametrize("type_name", TYPES)
def test_the_interval_is_the_bound(type_name: str) -> None:
    """Store, check, sum of four cycles, store: 6. Where a place is that of the iteration before, the load of 6 comes again."""
    kernels = voltac.compile(SOURCE.replace("TYPE", type_name), target="ia64-x1")
    dtype = TYPES[type_name]
    assert cycles(kernels.added, np.arange, dtype) == 6
    assert cycles(kernels.added, np.zeros, dtype) == 11
    assert cycles(kernels.added, lambda n: np.arange(n) % 2, dtype) == 6
    assert cycles(kernels.masked, np.arange, dtype) == 6
    assert cycles(kernels.masked, np.zeros, dtype) == 11
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
def test_gnu_as_takes_it(tmp_path: Path) -> None:
    for type_name, target in (("float", "ia64-x1"), ("double", "ia64-f32x2")):
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
