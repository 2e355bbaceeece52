"""Library functions are as good without double and without fused multiply-add: against numpy in double precision."""

import numpy as np
import pytest
from device_oracle import Array, options

from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.messages.diagnostics import Diagnostics

SOURCE = """
export void NAME(uniform float out[], uniform float x[], uniform float y[], uniform int n) {
    foreach (k = 0 ... n) out[k] = CALL;
}
"""
CALLS = {"sines": "sin(x[k])", "cosines": "cos(x[k])", "tangents": "tan(x[k])", "remainders": "fmod(x[k], y[k])"}


def result(name: str, x: Array, y: Array, call: str = "") -> Array:
    text = SOURCE.replace("NAME", name).replace("CALL", call or CALLS[name])
    program = compile_source(text, "library.ispc", options(), Diagnostics(), end="check").program
    out = np.zeros(len(x), np.float32)
    with np.errstate(all="ignore"):
        Interpreter(program, options(), lambda text: None).call(name, [out, x, y, len(x)])
    return out


def any_size(count: int) -> Array:
    """Floats of every exponent and both signs, and those next to multiples of pi/2."""
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 0x7F800000, count, np.uint64).astype(np.uint32) | rng.integers(0, 2, count).astype(np.uint32) << 31
    near = (rng.integers(1, 1 << 22, count) * (np.pi / 2)).astype(np.float32)
    ends = np.array([131072.0, 131073.0, 3.4e38, 0.0, -0.0], np.float32)
    return np.concatenate([bits.astype(np.uint32).view(np.float32), near, ends])


@pytest.mark.parametrize(("name", "function"), [("sines", np.sin), ("cosines", np.cos), ("tangents", np.tan)])
def test_functions_of_angles_are_within_two_units_of_the_last_place(name: str, function: np.ufunc) -> None:
    x = any_size(1000)
    found, exact = result(name, x, x), function(x.astype(np.float64))
    unit = np.spacing(np.maximum(np.abs(exact), np.finfo(np.float32).tiny).astype(np.float32)).astype(np.float64)
    assert np.max(np.abs(found - exact) / unit) < 2


def between(low: float, high: float) -> Array:
    """Numbers of all sizes in a range, and their negatives."""
    sizes = np.exp(np.random.default_rng(3).uniform(np.log(low), np.log(high), 1000))
    return np.concatenate([sizes, -sizes]).astype(np.float32)


UNFUSED = {
    "exp": (np.exp, between(1e-6, 87)), "exp2": (np.exp2, between(1e-6, 125)), "expm1": (np.expm1, between(1e-9, 80)),
    "log": (np.log, np.abs(between(1e-37, 1e38))), "log2": (np.log2, np.abs(between(1e-37, 1e38))),
    "log1p": (np.log1p, np.abs(between(1e-9, 1e9))), "sinh": (np.sinh, between(1e-6, 80)), "cosh": (np.cosh, between(1e-6, 80)),
    "tanh": (np.tanh, between(1e-6, 30)), "atan": (np.arctan, between(1e-9, 1e9)), "cbrt": (np.cbrt, between(1e-37, 1e38)),
}  # fmt: skip


@pytest.mark.parametrize("name", UNFUSED)
def test_functions_of_products_and_sums_are_within_two_units_of_the_last_place(name: str) -> None:
    function, x = UNFUSED[name]
    text = f"{name}(x[k])"
    found, exact = result(name + "s", x, x, text), function(x.astype(np.float64))
    assert np.max(np.abs(found - exact) / np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)) < 2


def test_powers_are_within_two_units_of_the_last_place() -> None:
    x, y = np.abs(between(1e-4, 1e4)), between(1e-3, 9)
    found, exact = result("powers", x, y, "pow(x[k], y[k])"), x.astype(np.float64) ** y
    assert np.max(np.abs(found - exact) / np.spacing(exact.astype(np.float32)).astype(np.float64)) < 2


def test_remainders_are_exact() -> None:
    x = any_size(1000)
    y = np.random.default_rng(2).permutation(x)
    y = np.where(np.arange(len(y)) % 2 == 0, np.float32(3.7), y).astype(np.float32)
    with np.errstate(invalid="ignore"):
        expected = np.fmod(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    assert np.array_equal(result("remainders", x, y), expected, equal_nan=True)


def test_remainders_have_the_sign_of_the_dividend_also_where_they_are_zero_or_no_number() -> None:
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1.5, -1.5, 1e-40, -1e-40], np.float32)
    x, y = (side.ravel().copy() for side in np.meshgrid(special, special))
    found = result("remainders", x, y)
    with np.errstate(invalid="ignore"):
        assert np.array_equal(found, np.fmod(x, y), equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(x))
