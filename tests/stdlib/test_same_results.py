"""The default library gives the same bits in uniform and varying code, under masks, at every level and gang size, on all
targets with fused multiply-add, and on all those without."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from kernels import InterpretedModule, compile_kernels
from oracles import DTYPES

import voltac
from voltac.python import KernelModule
from voltac.target_info import find_target

ONE = ("sqrt", "rsqrt", "rcp", "exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
       "sinh", "cosh", "tanh", "cbrt", "erf", "erfc")  # fmt: skip
TWO = ("atan2", "pow", "fmod")
TARGETS = [("avx512skx-x16", 3), ("avx2-i32x8", 2), ("sse4-i32x4", 1), ("avx1-i32x8", 2)]
MORE = [("avx512skx-x4", 3), ("avx512skx-x8", 0), ("avx512skx-x32", 2), ("avx2-i32x4", 0), ("avx2-i32x16", 3),
        ("sse2-i32x8", 0), ("sse4-i32x8", 3)]  # fmt: skip
REFERENCE = {True: TARGETS[0], False: TARGETS[2]}
"""Whether a target has fused multiply-add -> whose results it gives."""


def source(type: str) -> str:
    """A varying kernel v_NAME, one under a mask m_NAME and a uniform one u_NAME of each function."""
    lines = []
    for name in (*ONE, *TWO):
        call = f"{name}(x[i]{', y[i]' if name in TWO else ''})"
        arrays = f"uniform {type} x[], uniform {type} y[], uniform {type} out[], uniform int n"
        lines.append(
            f"export void v_{name}({arrays}) {{ foreach (i = 0 ... n) out[i] = {call}; }}\n"
            f"export void m_{name}({arrays}) {{ foreach (i = 0 ... n) if (x[i] > y[i]) out[i] = {call}; }}\n"
            f"export void u_{name}({arrays}) {{ for (uniform int i = 0; i < n; i++) out[i] = {call}; }}\n"
        )
    return "".join(lines)


@cache
def module(type: str, target: str, level: int) -> KernelModule | InterpretedModule:
    return compile_kernels(source(type), target=target, opt=level)


@cache
def inputs(type: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of every magnitude, of everyday size, next to multiples of pi/2, and special ones."""
    random = np.random.default_rng(5)
    bits = np.uint32 if type == "float" else np.uint64
    wild = random.integers(0, np.iinfo(bits).max, 400, dtype=bits).view(DTYPES[type])
    turns = (np.arange(1, 200) * np.pi / 2).astype(DTYPES[type])
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 2, 3, -3, 1e-40, -1e-40, 88.8, 1e9, 1e22])
    x = np.concatenate([wild, random.normal(0, 3, 300).astype(DTYPES[type]), turns, special.astype(DTYPES[type])])
    return x, random.permutation(x)


@cache
def results(type: str, target: str, level: int, form: str) -> dict[str, np.ndarray]:
    x, y = inputs(type)
    made = {}
    for name in (*ONE, *TWO):
        out = np.full_like(x, 7)
        getattr(module(type, target, level), f"{form}_{name}")(x, y, out, len(x))
        made[name] = out
    return made


def differences(type: str, target: str, level: int, form: str) -> list[str]:
    x, y = inputs(type)
    got, want = results(type, target, level, form), results(type, *REFERENCE[find_target(target).has_fma], "v")
    wrong = []
    for name in got:
        expected = np.where(x > y, want[name], 7) if form == "m" else want[name]
        # NaN is NaN, whatever its bits.
        same = (got[name].view(f"u{x.itemsize}") == expected.astype(x.dtype).view(f"u{x.itemsize}")) | (
            np.isnan(got[name]) & np.isnan(expected)
        )
        wrong += [f"{name}({x[at]!r}, {y[at]!r}): {got[name][at]!r}, not {expected[at]!r}" for at in np.flatnonzero(~same)[:2]]
    return wrong


@pytest.mark.whole
def test_float_results_are_the_same_where_the_arithmetic_is() -> None:
    """One test, so that each module is compiled once."""
    for (target, level), form in product(TARGETS, "vmu"):
        assert differences("float", target, level, form) == [], (target, form)


@pytest.mark.long
@pytest.mark.parametrize("form", ["v", "m", "u"])
@pytest.mark.parametrize("type", ["float", "double"])
@pytest.mark.parametrize(("target", "level"), TARGETS + MORE)
def test_results_are_the_same_on_further_targets_and_for_double(target: str, level: int, type: str, form: str) -> None:
    assert differences(type, target, level, form) == []


def test_sincos_gives_what_sin_and_cos_give() -> None:
    kernel = voltac.compile(
        "export void f(uniform float x[], uniform float s[], uniform float c[], uniform int n) {\n"
        "    foreach (i = 0 ... n) { float sine, cosine; sincos(x[i], &sine, &cosine); s[i] = sine; c[i] = cosine; } }\n"
        "export void g(uniform float x[], uniform float s[], uniform float c[], uniform int n) {\n"
        "    foreach (i = 0 ... n) { s[i] = sin(x[i]); c[i] = cos(x[i]); } }\n"
    )
    x = inputs("float")[0]
    first, second = np.empty((2, len(x)), np.float32), np.empty((2, len(x)), np.float32)
    kernel.f(x, first[0], first[1], len(x))
    kernel.g(x, second[0], second[1], len(x))
    assert np.array_equal(first, second, equal_nan=True)
