"""Members of structs that are looked up are put together as they lie in memory: numpy's results, nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse2-i32x4", "sse4-i32x4", "avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx512skx-x16"]
TYPES = {"uint8": np.uint8, "int16": np.int16, "float": np.float32, "double": np.float64}
HEAD = "(uniform TYPE a[], const uniform uint8 b[], const uniform TYPE c[], uniform int n)"
Formula = Callable[[np.ndarray, np.ndarray], np.ndarray]
# Name -> elements of a and of b for each lane, body, what stands in the rows of a, of the rows of b and c.
BODIES: dict[str, tuple[int, int, str, Formula]] = {
    "pairs": (2, 1, "a[2 * i] = c[b[i] >> 4]; a[2 * i + 1] = c[b[i] & 15];", lambda b, c: c[np.hstack([b >> 4, b & 15])]),
    "threes": (
        3,
        3,
        "a[3 * i] = c[b[3 * i]]; a[3 * i + 1] = c[256 + b[3 * i + 1]]; a[3 * i + 2] = c[512 + b[3 * i + 2]];",
        lambda b, c: c[np.add(b, (0, 256, 512))],
    ),
    "fours": (4, 4, "for (uniform int k = 0; k < 4; k++) a[4 * i + k] = c[b[4 * i + k]];", lambda b, c: c[b]),
    "fives": (5, 5, "for (uniform int k = 0; k < 5; k++) a[5 * i + k] = c[b[5 * i + k]];", lambda b, c: c[b]),
    "backwards": (2, 2, "a[2 * i + 1] = c[b[2 * i]]; a[2 * i] = c[b[2 * i + 1]];", lambda b, c: c[b[:, ::-1]]),
    "gaps": (
        4,
        3,
        "a[4 * i] = c[b[3 * i]]; a[4 * i + 1] = c[b[3 * i + 1]]; a[4 * i + 2] = c[b[3 * i + 2]];",
        lambda b, c: np.hstack([c[b], np.zeros((len(b), 1), c.dtype)]),
    ),
}
SOURCE = "\n".join(f"export void {name}{HEAD} {{ foreach (i = 0 ... n) {{ {row[2]} }} }}" for name, row in BODIES.items())


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 9))
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    source = SOURCE.replace("TYPE", element)
    dtype = np.dtype(TYPES[element])
    kernels = compile_kernels(source, target)
    passes = compile_source(source, "f.ispc", Options(find_target(target), 3), Diagnostics(), end="passes").results["passes"]
    interpreter = IRInterpreter(read(passes))
    width = find_target(target).width
    calls, random = FencedCalls(), np.random.default_rng(1)
    for n in (0, 1, width - 1, width, 3 * width + 1):
        for name, (stored, loaded, _, formula) in BODIES.items():
            b, c = random.integers(0, 256, (n, loaded)).astype(np.uint8), random.integers(0, 100, 768).astype(dtype)
            wanted = formula(b.astype(int), c).ravel()
            if n == 3 * width + 1:
                to = np.zeros(stored * n, dtype)
                interpreter.call(name, [to, b.ravel().copy(), c.copy(), n])
                assert to.tolist() == wanted.tolist(), name
            for at_end in (False, True):
                to, *given = calls.copies(np.zeros(stored * n, dtype), b.ravel(), c, at_end=at_end)
                calls.add((name, n, at_end), partial(kernels[name], to, *given, n), (to, wanted))
    if not isinstance(kernels, InterpretedModule):
        calls.check()


def test_what_was_stored_before_is_seen_by_lookups_behind() -> None:
    source = """export void f(uniform uint8 a[], const uniform uint8 b[], const uniform uint8 c[], uniform int n) {
    foreach (i = 0 ... n) {
        a[2 * i] = c[b[i]];
        a[2 * i + 1] = a[2 * b[i]];
    }
}
"""
    b = np.arange(64, dtype=np.uint8) ^ 3  # of the same gang
    c = np.arange(100, 164, dtype=np.uint8)
    a = np.zeros(128, np.uint8)
    compile_kernels(source, "avx2-i32x8").f(a, b, c, 64)
    looked_up = c[b]
    assert a.tolist() == np.stack([looked_up, looked_up[b]], 1).ravel().tolist()


def test_bytes_are_loaded_into_their_lanes_and_stored_together() -> None:
    for target in ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16"):
        source = f"export void f{HEAD} {{ foreach (i = 0 ... n) {{ {BODIES['threes'][2]} }} }}".replace("TYPE", "uint8")
        made = compile_source(source, "f.ispc", Options(find_target(target), 3, whole_program=True), Diagnostics())
        assert "store <16 x i8> %image" in made.results["passes"] or "store <8 x i8> %image" in made.results["passes"]
        assert made.optimized is not None
        assert "pinsrb" in made.optimized.assembly()
