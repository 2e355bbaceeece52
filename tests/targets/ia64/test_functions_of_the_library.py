"""Elementary functions give the bits that hosts with fused multiply-add give, so the bounds of docs/accuracy.md hold here."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernels import compile_kernels

import voltac

ONE = ("sqrt", "rsqrt", "rcp", "exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
       "sinh", "cosh", "tanh", "cbrt", "erf", "erfc")  # fmt: skip
TWO = ("atan2", "pow", "fmod")
HOST = "avx2-i32x8"


def source(type: str, names: tuple[str, ...]) -> str:
    arrays = f"uniform {type} x[], uniform {type} y[], uniform {type} out[], uniform int n"
    return "".join(
        f"export void f_{name}({arrays}) {{ foreach (i = 0 ... n) out[i] = {name}(x[i]{', y[i]' if name in TWO else ''}); }}\n"
        for name in names
    )


def inputs(dtype: Any, count: int) -> tuple[Any, Any]:
    """Of every magnitude, of everyday size, next to multiples of pi/2, and special ones."""
    random = np.random.default_rng(6)
    bits = random.integers(0, 256, count * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype)
    turns = (np.arange(1, count) * np.pi / 2).astype(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 2, 3, -3, 1e-40, -1e-40, 88.8, 1e9, 1e22])
    x = np.concatenate([bits, random.normal(0, 3, count).astype(dtype), turns, special.astype(dtype)])
    return x, random.permutation(x)


def different(type: str, target: str, names: tuple[str, ...], count: int, path: Path) -> dict[str, int]:
    """How many results of each function differ, of those that do."""
    dtype = np.float32 if type == "float" else np.float64
    unsigned = np.uint32 if type == "float" else np.uint64
    x, y = inputs(dtype, count)
    path.write_text(source(type, names))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", voltac.VoltacWarning)  # of what is slow
        here = voltac.load(path, target=target)
    host = compile_kernels(source(type, names), target=HOST, opt=2)
    found = {}
    for name in names:
        results = [np.zeros(len(x), dtype) for _ in range(2)]
        for module, out in zip((here, host), results):
            getattr(module, f"f_{name}")(x, y, out, len(x))
        same = (results[0].view(unsigned) == results[1].view(unsigned)) | (np.isnan(results[0]) & np.isnan(results[1]))
        if not same.all():
            found[name] = int((~same).sum())
    return found


@pytest.mark.parametrize(("type", "target"), [("float", "ia64-f32x2"), ("double", "ia64-x1")])
def test_functions_are_those_of_the_hosts(type: str, target: str, tmp_path: Path) -> None:
    assert different(type, target, ("exp", "log", "sin", "atan", "erf", "pow"), 25, tmp_path / "k.ispc") == {}


def test_a_cube_root_is_the_hosts(tmp_path: Path) -> None:
    """Has a comparison of two steps behind another one."""
    assert different("float", "ia64-x1", ("cbrt",), 10, tmp_path / "k.ispc") == {}


@pytest.mark.long
@pytest.mark.parametrize("target", ["ia64-x1", "ia64-f32x2", "ia64-i8x8", "ia64-i16x4"])
@pytest.mark.parametrize("type", ["float", "double"])
def test_all_functions_are_those_of_the_hosts(type: str, target: str, tmp_path: Path) -> None:
    assert different(type, target, (*ONE, *TWO), 100, tmp_path / "k.ispc") == {}
