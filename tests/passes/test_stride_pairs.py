"""Loads at a stride of two elements of which one fills the gaps of the other share their vectors."""

from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = """export void taps(uniform T to[], const uniform T from[], uniform int n) {
    foreach (i = 0 ... n)
        to[i] = from[2 * i] + 2 * from[2 * i + 1] + 3 * from[2 * i + 2] + 4 * from[2 * i + 3] + 5 * from[2 * i + 4];
}
"""
TYPES = {"int": np.int32, "float": np.float32, "double": np.float64, "int16": np.int16}


def test_five_taps_take_six_loads() -> None:
    options = Options(find_target("avx2-i32x8"), 3)
    text = compile_source(SOURCE.replace("T ", "float "), "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    gang = text.partition(".all_on:")[2].partition("\n\n")[0].partition("br label")[0]
    assert gang.count("= load <8 x float>") == 6


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4"])
@pytest.mark.parametrize("kind", ["int", "float", "double", "int16"])
def test_nothing_but_what_is_wanted_is_read(target: str, kind: str) -> None:
    kernels = compile_kernels(SOURCE.replace("T ", f"{kind} "), target)
    if isinstance(kernels, InterpretedModule):
        pytest.skip(f"this processor does not run code for {target}")
    calls = FencedCalls()
    for n in (1, 3, 8, 16, 21, 33):
        given = np.random.default_rng(n).integers(0, 100, 2 * n + 3).astype(TYPES[kind])
        wanted = np.sum([(k + 1) * given[k : k + 2 * n : 2] for k in range(5)], axis=0).astype(given.dtype)
        for at_end in (True, False):
            to, source = calls.copies(np.zeros(n, given.dtype), given, at_end=at_end)
            calls.add((kind, n, at_end), partial(kernels["taps"], to, source, n), (to, wanted))
    calls.check()
