"""floor, ceil, trunc and round where no instruction rounds (SSE2): as numpy does, to the sign of zero, without a call."""

from __future__ import annotations

import re

import numpy as np
import pytest

import voltac
from voltac.driver import compile_source
from voltac.python import make_options

NUMPY = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}
DTYPES = {"float": np.float32, "double": np.float64}


def source(type: str) -> str:
    arrays = f"uniform {type} x[], uniform {type} out[], uniform int n"
    return "".join(
        f"export void {name}_varying({arrays}) {{ foreach (i = 0 ... n) out[i] = {name}(x[i]); }}\n"
        f"export void {name}_uniform({arrays}) {{ for (uniform int i = 0; i < n; i++) out[i] = {name}(x[i]); }}\n"
        for name in NUMPY
    )


def arguments(dtype: type) -> np.ndarray:
    random = np.random.default_rng(1)
    first_whole = 2.0 ** np.finfo(dtype).nmant
    near = first_whole * np.array([0.25, 0.5, 1, 2], dtype)
    special = [0, 0.5, 1, 1.5, 2.5, np.nextafter(dtype(0.5), dtype(0)), np.nextafter(dtype(1), dtype(0)), np.inf, np.nan,
               np.finfo(dtype).max, np.finfo(dtype).tiny, np.finfo(dtype).smallest_subnormal]  # fmt: skip
    values = [special, near, np.nextafter(near, dtype(0)), near + dtype(0.5), random.uniform(-3, 3, 500),
              np.exp(random.uniform(-5, 45, 500))]  # fmt: skip
    sizes = np.concatenate([np.asarray(one, dtype) for one in values])
    return np.concatenate([sizes, -sizes])


@pytest.mark.parametrize("target", ["sse2-i32x4", "sse2-i32x8"])
@pytest.mark.parametrize("type", ["float", "double"])
def test_rounding_is_exact(type: str, target: str) -> None:
    kernels = voltac.compile(source(type), target=target)
    x = arguments(DTYPES[type])
    for name, function in NUMPY.items():
        for rate in ("varying", "uniform"):
            got = np.empty_like(x)
            getattr(kernels, f"{name}_{rate}")(x, got, len(x))
            want = function(x)
            same = (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)
            assert same.all(), (name, rate, x[~same][:5], got[~same][:5])


@pytest.mark.parametrize("type", ["float", "double"])
def test_nothing_is_called(type: str) -> None:
    text = compile_source(source(type), "f.ispc", make_options(target="sse2-i32x4")).optimized.assembly()
    assert not re.search(r"\bcall", text)
