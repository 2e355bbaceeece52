"""Sums of bytes in loops that run a known number of times are of 16 bits where these hold every one of them, and only there."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

_HEAD = "uniform int out[], const uniform uint8 a[], const uniform int8 b[], uniform int n"
_BODIES = {
    "up to the last number": ("for (uniform int k = 0; k < 257; k++) s += (int)a[i + k];", True),
    "beyond it": ("for (uniform int k = 0; k < 258; k++) s += (int)a[i + k];", False),
    "down to the least": ("for (uniform int k = 0; k <= 254; k++) s += (int)b[i + k];", True),
    "below it": ("for (uniform int k = 0; k < 258; k++) s += (int)b[i + k];", False),
    "differences": ("for (uniform int k = 0; k < 20; k++) s += abs((int)a[i + k] - (int)a[k]);", True),
    "loops in loops": (
        "for (uniform int j = -2; j <= 2; j++) for (uniform int k = 0; k < 20; k++) s -= (int)a[i + 20 * j + k + 40];",
        True,
    ),
    "some lanes": ("for (uniform int k = 0; k < 16; k++) if (a[i + k] > 128) s += (int)a[i + k];", None),
    "as often as asked for": ("for (uniform int k = 0; k < n; k++) s += (int)a[i];", False),
    "what grows": ("for (uniform int k = 0; k < 20; k++) s += s + (int)a[i + k];", False),
}
_TARGETS = ["sse4-i32x4", "avx2-i32x16", "avx512skx-x16"]


def _source(body: str) -> str:
    return f"export void f({_HEAD}) {{ foreach (i = 0 ... n) {{ int s = 0; {body} out[i] = s; }} }}"


def _wanted(name: str, a: Any, b: Any, n: int) -> Any:
    wide, signed = a.astype(np.int32), b.astype(np.int32)

    def windows(of: Any, count: int) -> Any:
        return np.array([of[i : i + count] for i in range(n)], np.int32).reshape(n, count)

    match name:
        case "up to the last number" | "beyond it":
            return windows(wide, 257 + (name == "beyond it")).sum(1, dtype=np.int32)
        case "down to the least" | "below it":
            return windows(signed, 258 if name == "below it" else 255).sum(1, dtype=np.int32)
        case "differences":
            return np.abs(windows(wide, 20) - wide[:20]).sum(1, dtype=np.int32)
        case "loops in loops":
            return -windows(wide, 100).sum(1, dtype=np.int32)
        case "some lanes":
            seen = windows(wide, 16)
            return np.where(seen > 128, seen, 0).sum(1, dtype=np.int32)
        case "as often as asked for":
            return n * wide[:n]
    sums = np.zeros(n, np.int32)
    for k in range(20):
        sums += sums + wide[k : k + n]
    return sums


@pytest.mark.parametrize("name", _BODIES)
def test_of_16_bits_where_they_hold_every_sum(name: str) -> None:
    body, narrow = _BODIES[name]
    made = compile_source(_source(body), "f.ispc", Options(find_target("avx2-i32x8")), end="passes")
    sums = [line for line in str(made.results["passes"]).splitlines() if " = phi <" in line]
    assert sums
    assert narrow is None or all((" x i16>" in line) is narrow for line in sums)


@pytest.mark.parametrize("target", _TARGETS)
def test_numpys_sums_at_the_ends_of_the_types(target: str) -> None:
    calls = FencedCalls()
    for name, (body, _) in _BODIES.items():
        kernel = compile_kernels(_source(body), target).f
        for n in (1, 37):
            for extreme in (True, False):
                numbers = np.arange(n + 260)
                a = np.full(n + 260, 255, np.uint8) if extreme else (numbers * 37 % 256).astype(np.uint8)
                b = np.full(n + 260, -128, np.int8) if extreme else (numbers * 91 % 256 - 128).astype(np.int8)
                wanted = _wanted(name, a, b, n)
                out, first, second = calls.copies(np.zeros(n, np.int32), a, b, at_end=extreme)
                calls.add((name, n, extreme), partial(kernel, out, first, second, n), (out, wanted))
    calls.check()
