"""sin and cos of one argument are computed together, with the bits that each has alone."""

from typing import Any

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

N = 4000
ALONE = """
static noinline float sine(float x) { return sin(x); }
static noinline float cosine(float x) { return cos(x); }
export void alone(uniform float s[], uniform float c[], uniform float x[], uniform int n) {
    foreach (i = 0 ... n) { s[i] = sine(x[i]); c[i] = cosine(x[i]); }
}"""
PAIRED = """
export void paired(uniform float s[], uniform float c[], uniform float x[], uniform int n) {
    foreach (i = 0 ... n) { float t = x[i]; s[i] = sin(t); c[i] = cos(t); }
}
export void at_once(uniform float s[], uniform float c[], uniform float x[], uniform int n) {
    foreach (i = 0 ... n) { float a, b; sincos(x[i], &a, &b); s[i] = a; c[i] = b; }
}"""
BODIES = {
    "a[i] = sin(t) * cos(t);": True,
    "float u = sin(2 * t); a[i] = u; a[i] += cos(2 * t);": True,
    "a[i] = sin(t) * cos(t + 1);": False,
    "a[i] = sin(t) * sin(t);": False,
    "if (t > 1) { a[i] = sin(t); } else { a[i] = cos(t); }": False,
    "float16 h = t; a[i] = sin(h) * cos(h);": False,
}


def numbers(dtype: Any) -> np.ndarray:
    """Of every magnitude, small multiples of a quarter turn and their neighbours, and what is special."""
    random = np.random.default_rng(5)
    patterns: Any = np.frombuffer(random.bytes(N // 2 * np.dtype(dtype).itemsize), dtype)
    turns: Any = (np.arange(N // 4) * (np.pi / 4)).astype(dtype)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 131072.0, 131072.02, 1e6, 1000000.1]
    return np.concatenate([patterns, turns, np.nextafter(turns, dtype(0)), np.array(special, dtype)])


@pytest.mark.parametrize(
    ("target", "dtype"),
    [("sse4-i32x4", np.float32), ("avx2-i32x8", np.float32), ("avx2-i32x8", np.float64), ("avx512skx-x16", np.float32)],
)
def test_the_bits_are_those_of_each_alone(target: str, dtype: Any) -> None:
    source = ALONE + PAIRED
    k = compile_kernels(source if dtype is np.float32 else source.replace("float", "double"), target=target)
    x = numbers(dtype)
    made = {}
    for name in ("alone", "paired", "at_once"):
        s, c = np.empty_like(x), np.empty_like(x)
        getattr(k, name)(s, c, x, len(x))
        made[name] = [np.where(np.isnan(one), dtype(np.nan), one).tobytes() for one in (s, c)]
    assert made["paired"] == made["alone"]
    assert made["at_once"] == made["alone"]


@pytest.mark.parametrize("body", BODIES)
def test_they_are_paired_where_they_stand_together(body: str) -> None:
    source = f"export void f(uniform float a[], uniform int n) {{ foreach (i = 0 ... n) {{ float t = a[i]; {body} }} }}"
    for library in ("default", "fast"):
        options = Options(find_target("avx2-i32x8"), math_library=library)
        text = str(compile_source(source, "f.ispc", options, end="lower").results["lower"])
        assert ("paired_sin" in text) == ("paired_cos" in text) == (BODIES[body] and library == "default")
