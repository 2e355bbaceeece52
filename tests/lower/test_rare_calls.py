"""What the library's functions leave to others that are seldom called: those keep the caller's registers, where it helps."""

from __future__ import annotations

import re

import numpy as np
import pytest
from kernels import compile_kernels
from lowering import AVX2, AVX512, SSE4, text_after

from voltac.records import replace
from voltac.target_info import TargetInfo

SOURCE = """
export void test(uniform float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = exp(a[i]) + 3 * sin(a[i]) + 5 * cos(a[i] + 7);
}
"""
WINDOWS = replace(AVX2, triple="x86_64-pc-windows-msvc")


def conventions(target: TargetInfo) -> tuple[set[str], set[str]]:
    """The words before the result's type in definitions and in calls of the library's functions that stay functions."""
    text = text_after("passes", SOURCE, target)
    names = "exp_at_ends_float|reduce_by_words"
    definitions = re.findall(rf"^define internal (\w+ |)(?:range\([^)]*\) )?<[^@]* @\w*(?:{names})", text, re.MULTILINE)
    calls = re.findall(rf"call (\w+ |)(?:range\([^)]*\) )?<[^@]* @\w*(?:{names})", text)
    assert definitions and calls
    return {word.strip() for word in definitions}, {word.strip() for word in calls}


def test_definitions_and_calls_keep_registers() -> None:
    assert conventions(AVX2) == ({"preserve_allcc"}, {"preserve_allcc"})


@pytest.mark.parametrize("target", [SSE4, AVX512, WINDOWS], ids=["sse4", "avx512", "windows"])
def test_others_have_llvms_own_convention(target: TargetInfo) -> None:
    definitions, calls = conventions(target)
    assert definitions == calls and "preserve_allcc" not in definitions


@pytest.mark.parametrize("name", ["avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4"])
def test_what_is_in_registers_stays(name: str) -> None:
    kernels = compile_kernels(SOURCE, name)
    a = np.linspace(-3, 3, 67, dtype=np.float32)
    # Some gangs call for one lane, some for all, some not at all.
    a[5], a[20:40], a[66] = -90.0, -3.0e6 - np.arange(20), 88.0
    out = np.zeros_like(a)
    kernels.test(a, out, len(a))
    x = a.astype(np.float64)
    expected = np.exp(x) + 3 * np.sin(x) + 5 * np.cos((a + np.float32(7)).astype(np.float64))
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=4e-6)
