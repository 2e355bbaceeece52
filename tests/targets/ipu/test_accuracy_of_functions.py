"""Elementary functions on the tile err by two units in the last place at most. (All of them are tried on NaplesPU.)"""

import math
from collections.abc import Callable

import numpy as np
import pytest

import voltac

FUNCTIONS: dict[str, Callable[[float], float]] = {
    **{name: getattr(math, name) for name in ("erf", "erfc", "expm1", "tanh", "atan", "log1p", "exp")},
    "rsqrt": lambda x: 1 / math.sqrt(x),
}
COUNT = 48


def arguments(name: str) -> np.ndarray:
    """Of everyday size, where the function is defined."""
    numbers = np.random.default_rng(3).normal(0, 2, COUNT).astype(np.float32)
    return np.abs(numbers) if name in ("log1p", "rsqrt") else numbers


def test_functions_of_one_number_err_by_two_units_at_most() -> None:
    source = "".join(
        f"export void f_{name}(uniform float x[], uniform float out[], uniform int n) "
        f"{{ foreach (i = 0 ... n) out[i] = {name}(x[i]); }}\n"
        for name in FUNCTIONS
    )
    kernels = voltac.compile(source, target="ipu-mk2")
    worst = {}
    for name, function in FUNCTIONS.items():
        x = arguments(name)
        out = np.zeros_like(x)
        getattr(kernels, f"f_{name}")(x, out, len(x))
        exact = np.array([function(float(each)) for each in x])
        worst[name] = float(np.max(np.abs(out - exact) / np.spacing(np.abs(exact.astype(np.float32)))))
    assert {name: error for name, error in worst.items() if error > 2} == {}


@pytest.mark.parametrize("name", ["erf", "exp"])
def test_the_measure_sees_an_error_of_three_units(name: str) -> None:
    x = arguments(name)
    exact = np.array([FUNCTIONS[name](float(each)) for each in x])
    off = exact.astype(np.float32) + 3 * np.spacing(np.abs(exact.astype(np.float32)))
    assert np.max(np.abs(off - exact) / np.spacing(np.abs(exact.astype(np.float32)))) > 2
