"""Stores that bypass the caches, where they are asked for: each element once, and nothing else is touched."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from some_pairs import some_pairs

import voltac
from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.gangs import streamed_stores
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"]
TYPES = {"int8": np.int8, "int": np.int32, "float": np.float32, "double": np.float64}
HEAD = "(uniform TYPE to[], uniform TYPE also[], const uniform TYPE from[], uniform int low, uniform int high) {"
BODIES = {
    "doubled": "to[i] = from[i] * 2;",
    "both": "to[i] = from[i] + 1; also[i - low] = from[i] - 1;",
    "filled": "to[i] = 5;",
}
SOURCE = "\n".join(f"export void {name}{HEAD} foreach (i = low ... high) {{ {body} }} }}" for name, body in BODIES.items())


def expected(name: str, to: np.ndarray, also: np.ndarray, source: np.ndarray, low: int) -> tuple[np.ndarray, np.ndarray]:
    to, also = to.copy(), also.copy()
    if name == "doubled":
        to[low:] = source[low:] * 2
    elif name == "both":
        to[low:] = source[low:] + 1
        also[: len(to) - low] = source[low:] - 1
    else:
        to[low:] = 5
    return to, also


def assembly(body: str, target: str = "avx2-i32x8", streaming: bool = True, level: int = 3) -> str:
    source = f"export void f(uniform float a[], uniform float b[], uniform int n) {{ foreach (i = 0 ... n) {{ {body} }} }}"
    options = Options(find_target(target), level, streaming_stores=streaming)
    return compile_source(source, "f.ispc", options, Diagnostics()).optimized.assembly()


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS))
def test_each_element_once(element: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between guard pages, at several distances from a border of a register; long is what has 512 bytes here."""
    monkeypatch.setattr(streamed_stores, "LEAST_BYTES", 512)
    random = np.random.default_rng(1)
    dtype = np.dtype(TYPES[element])
    kernels = compile_kernels(SOURCE.replace("TYPE", element), target, streaming_stores=True, cache=False)
    calls = FencedCalls()
    for name in BODIES:
        for number, size in enumerate((511, 700, 1024, 1500)):
            low, length = number, size // dtype.itemsize + number
            source, to, also = (random.integers(1, 60, low + length).astype(dtype) for _ in range(3))
            wanted = expected(name, to, also, source, low)
            if isinstance(kernels, InterpretedModule):
                kernels[name](to, also, source, low, low + length)
                assert (to.tolist(), also.tolist()) == (wanted[0].tolist(), wanted[1].tolist()), (name, size)
                continue
            for at_end in (False, True):
                given = calls.copies(to, also, source, at_end=at_end)
                call = partial(kernels[name], *given, low, low + length)
                calls.add((name, size, at_end), call, (given[0], wanted[0]), (given[1], wanted[1]))
    if not isinstance(kernels, InterpretedModule):
        calls.check()


def test_arrays_beyond_the_caches_are_streamed_and_complete() -> None:
    source = SOURCE.replace("TYPE", "float")
    kernels = voltac.compile(source, streaming_stores=True, cache=False)
    count = streamed_stores.LEAST_BYTES // 4 + 1000
    source_array = np.arange(count, dtype=np.float32)
    to, also = np.zeros(count, np.float32), np.zeros(count, np.float32)
    kernels.both(to, also, source_array, 3, count)
    assert not to[:3].any() and not also[-3:].any()
    assert (to[3:] == source_array[3:] + 1).all() and (also[:-3] == source_array[3:] - 1).all()


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_a_fence_follows(target: str) -> None:
    text = assembly("a[i] = 2 * b[i];", target)
    assert "movntps" in text
    assert "sfence" in text[text.index("movntps") :]


@pytest.mark.parametrize("body", ["a[i] = 5;", "a[i] = i;", "a[i] = b[i] * b[i + 1];", "a[i] = b[n - i]; b[i] = 1;"])
def test_consecutive_elements_are_streamed(body: str) -> None:
    assert "movntps" in assembly(body) or "movntdq" in assembly(body)


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
def test_what_is_short_is_stored_as_without(target: str) -> None:
    """The loop for what fits in the caches has no test of its own."""
    text = assembly("a[i] = 2 * b[i];", target)
    assert str(streamed_stores.LEAST_BYTES // 4) in text
    loops = [match[0] for match in re.finditer(r"(\.LBB\d+_\d+):\n(?:(?!\.LBB).*\n)*\s+j\w+\s+\1\n", text)]
    assert any(re.search(r"vmovups\s+%[yz]mm\d+, \(", loop) for loop in loops)


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = 2 * a[i];",  # the line is there: it has been loaded
        "if (b[i] > 0) a[i] = 2;",  # not whole registers
        "a[2 * i] = b[i];",  # not whole lines
        "a[i + 1] = a[i] + b[i];",
    ],
)
def test_other_stores_are_left(body: str) -> None:
    assert "movnt" not in assembly(body)


def test_nothing_bypasses_the_caches_unasked() -> None:
    assert "movnt" not in assembly("a[i] = 2 * b[i];", streaming=False)
    assert "movnt" not in assembly("a[i] = 2 * b[i];", level=1)


def test_targets_other_than_x86_have_none() -> None:
    with pytest.raises(ValueError, match="streaming_stores: loops bypass the caches on x86 only"):
        Options(find_target("neon-i32x4"), streaming_stores=True)
