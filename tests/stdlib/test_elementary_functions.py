"""exp, sin, atan and the like: errors against the C library in 80 bits, special values as C defines them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import mpmath
import numpy as np
import pytest
from oracles import DTYPES, ORACLES, compiled, interpreted, uniformly

import voltac

Reference = Callable[..., np.ndarray]
POINTS = 3000
FOUND = Path(__file__).resolve().parents[2] / "docs" / "accuracy.json"


def exactly(function: Callable[[float], mpmath.mpf]) -> Reference:
    """numpy has no erf, and C's erfc of double is up to 2.5 units of the last place off."""

    def value(x: np.longdouble) -> np.longdouble:
        with mpmath.workprec(64), np.errstate(under="ignore"):
            exact = function(float(x))
            if exact == x:  # -0, which mpmath does not have
                return x
            if not mpmath.isfinite(exact):
                return np.longdouble(float(exact))
            fraction, exponent = mpmath.frexp(exact)
            return np.longdouble(np.ldexp(np.longdouble(int(mpmath.ldexp(fraction, 64))), max(exponent, -20000) - 64))

    return np.vectorize(value, otypes=[np.longdouble])


REFERENCES: dict[str, Reference] = {
    "exp": np.exp, "exp2": np.exp2, "log2": np.log2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "cbrt": np.cbrt,
    "erf": exactly(mpmath.erf), "erfc": exactly(mpmath.erfc), "rsqrt": lambda x: 1 / np.sqrt(x),
    "atan2": np.arctan2, "pow": np.power, "fmod": np.fmod,
}  # fmt: skip

# function, ranges of its arguments, largest error in units of the last place for float and double; a range whose ends
# have one sign and are far apart is sampled by magnitude
ACCURACY: list[tuple[str, list[tuple[float, float]], float, float]] = [
    ("exp", [(-87, 88)], 1, 1),
    ("exp", [(-1, 1)], 1, 1),
    ("exp2", [(-126, 127)], 1, 1),
    ("log2", [(1e-37, 1e37)], 1, 1),
    ("log2", [(0.5, 2)], 1, 1),
    ("rsqrt", [(1e-44, 3e38)], 1, 1.5),
    ("expm1", [(-5, 5)], 1, 1.5),
    ("expm1", [(1e-9, 1)], 1, 1.5),
    ("log", [(1e-37, 1e37)], 1, 1),
    ("log", [(0.5, 2)], 1, 1),
    ("log1p", [(-0.9, 100)], 1, 1),
    ("log1p", [(1e-9, 0.5)], 1, 1),
    ("sin", [(-31, 31)], 1, 1),
    ("sin", [(1e-5, 1e30)], 1, 1),
    ("cos", [(-31, 31)], 1, 1),
    ("cos", [(1e-5, 1e30)], 1, 1),
    ("tan", [(-1.5, 1.5)], 1, 1.5),
    ("tan", [(1e-5, 1e30)], 1, 1.5),
    ("asin", [(-1, 1)], 1, 2),
    ("acos", [(-1, 1)], 1, 1.5),
    ("atan", [(-5, 5)], 1, 2),
    ("atan2", [(-4, 4), (-4, 4)], 2, 2),
    ("sinh", [(-10, 10)], 1, 2),
    ("cosh", [(-88, 88)], 1, 2),
    ("tanh", [(-10, 10)], 1, 2),
    ("cbrt", [(1e-37, 1e37)], 1, 1),
    ("erf", [(-4, 4)], 1, 2),
    ("erfc", [(-4, 9)], 1, 2),
    ("pow", [(0.01, 10), (-5, 5)], 2, 1.5),
    ("fmod", [(-1e6, 1e6), (1e-3, 1e3)], 0, 0),
]


@pytest.mark.parametrize(("name", "float_units", "double_units"), [(row[0], *row[2:]) for row in ACCURACY])
def test_no_bound_is_below_what_more_inputs_gave(name: str, float_units: float, double_units: float) -> None:
    """All floats and 10^7 or more doubles (benchmarks/accuracy.py): a bound below would fail here at some seed."""
    found = json.loads(FOUND.read_text())
    for type, bound in (("float", float_units), ("double", double_units)):
        assert found[f"{name} {type} default"]["ulp"] <= bound


def samples(low: float, high: float, dtype: type, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    if low > 0 and high > 10 * low:
        return np.exp(random.uniform(math.log(low), math.log(high), POINTS)).astype(dtype)
    return random.uniform(low, high, POINTS).astype(dtype)


def errors(name: str, got: np.ndarray, arguments: list[np.ndarray]) -> np.ndarray:
    """In units of the last place."""
    exact = REFERENCES[name](*(a.astype(np.longdouble) for a in arguments))
    unit = np.spacing(np.abs(exact.astype(got.dtype)))
    return np.asarray(np.abs(got.astype(np.longdouble) - exact) / unit.astype(np.longdouble))


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("type", ["float", "double"])
@pytest.mark.parametrize(("name", "ranges", "float_units", "double_units"), ACCURACY)
def test_errors_stay_below(
    name: str, ranges: list[tuple[float, float]], float_units: float, double_units: float, type: str, oracle: str
) -> None:
    dtype = DTYPES[type]
    arguments = [samples(low, high, dtype, seed) for seed, (low, high) in enumerate(ranges)]
    got = ORACLES[oracle](name, type, *arguments)
    error = errors(name, got, arguments)
    worst = int(np.argmax(error))
    limit = float_units if type == "float" else double_units
    assert error[worst] <= limit, [float(a[worst]) for a in arguments]


@pytest.mark.parametrize("type", ["float", "double"])
def test_errors_stay_below_without_fused_multiply_add(type: str) -> None:
    """As documented: two units at most, one for float functions of one argument."""
    lines = []
    for name in {row[0] for row in ACCURACY}:
        call = f"{name}(x[i]{', y[i]' if name in ('atan2', 'pow', 'fmod') else ''})"
        arrays = f"uniform {type} x[], uniform {type} y[], uniform {type} out[], uniform int n"
        lines.append(f"export void {name}_({arrays}) {{ foreach (i = 0 ... n) out[i] = {call}; }}\n")
    kernels = voltac.compile("".join(lines), target="sse4")
    for name, ranges, _, _ in ACCURACY:
        arguments = [samples(low, high, DTYPES[type], seed) for seed, (low, high) in enumerate(ranges)]
        got = np.empty_like(arguments[0])
        getattr(kernels, f"{name}_")(arguments[0], arguments[-1], got, len(got))
        limit = 1 if (type == "float" and len(ranges) == 1) or name in ("exp", "exp2", "log", "log2", "sin", "cos") else 2
        assert errors(name, got, arguments).max() <= limit, (name, ranges)


@pytest.mark.parametrize("target", ["host", "sse4"])
def test_the_pieces_of_erf_meet(target: str) -> None:
    """They are around multiples of 0.534; which one a number between two is of must not depend on a product's rounding."""
    arrays = "uniform float x[], uniform float out[], uniform int n"
    source = f"export void f({arrays}) {{ foreach (i = 0 ... n) out[i] = erf(x[i]); }}\n"
    ends = (np.arange(7) + np.float32(0.5)) * np.float32(1120181 / 2**21)
    x = np.concatenate([np.nextafter(ends, np.float32(0)), ends, np.nextafter(ends, np.float32(9))]).astype(np.float32)
    x = np.concatenate([x, -x])
    got = np.empty_like(x)
    voltac.compile(source, target=target).f(x, got, len(x))
    assert errors("erf", got, [x]).max() <= 1


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1e-40, -1e-40, 1e-300,
           1000.0, -1000.0, 1e30, -1e30, 1.5, -1.5, 4097.0, 1e10]  # fmt: skip


def same_value(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Equal up to four units of the last place; zeros and infinities exactly, with their sign."""
    with np.errstate(all="ignore"):
        near = np.abs(got.astype(np.float64) - want.astype(np.float64)) <= 4 * np.abs(np.spacing(want)).astype(np.float64)
        exact = (got == want) & (np.signbit(got) == np.signbit(want))
        special = (want == 0) | ~np.isfinite(want)
    return np.asarray((np.isnan(got) & np.isnan(want)) | exact | (near & ~special))


@pytest.mark.parametrize("type", ["float", "double"])
@pytest.mark.parametrize("name", [name for name in REFERENCES if name not in ("atan2", "pow", "fmod")])
def test_special_values_are_those_of_c(name: str, type: str) -> None:
    dtype = DTYPES[type]
    with np.errstate(all="ignore"):
        values = np.array(SPECIAL).astype(dtype)
        want = REFERENCES[name](values.astype(np.longdouble)).astype(dtype)
    for got in (interpreted(name, type, values), compiled(name, type, values), uniformly(name, type, values)):
        wrong = ~same_value(got, want)
        assert not wrong.any(), list(zip(values[wrong], got[wrong], want[wrong], strict=True))


@pytest.mark.parametrize("type", ["float", "double"])
@pytest.mark.parametrize("name", ["atan2", "pow", "fmod"])
def test_special_values_of_two_arguments_are_those_of_c(name: str, type: str) -> None:
    dtype = DTYPES[type]
    with np.errstate(all="ignore"):
        values = np.array(SPECIAL).astype(dtype)
        a, b = (side.ravel().copy() for side in np.meshgrid(values, values))
        want = REFERENCES[name](a.astype(np.longdouble), b.astype(np.longdouble)).astype(dtype)
    for got in (interpreted(name, type, a, b), compiled(name, type, a, b), uniformly(name, type, a, b)):
        wrong = ~same_value(got, want)
        assert not wrong.any(), list(zip(a[wrong], b[wrong], got[wrong], want[wrong], strict=True))


@pytest.mark.parametrize("name", [name for name in REFERENCES if name not in ("cbrt",)])
def test_half_precision_is_the_rounded_float_result(name: str) -> None:
    count = 2 if name in ("atan2", "pow", "fmod") else 1
    values = np.linspace(-2.9, 2.9, 400).astype(np.float16)
    arguments = [values, values[::-1].copy()][:count]
    got = interpreted(name, "float16", *arguments)
    want = interpreted(name, "float", *(a.astype(np.float32) for a in arguments)).astype(np.float16)
    assert np.array_equal(got, want, equal_nan=True)


@pytest.mark.parametrize("type", ["float", "double"])
def test_results_at_the_ends_of_the_range_are_gradual(type: str) -> None:
    dtype = DTYPES[type]
    low, high = (-103.9, 88.72) if type == "float" else (-745.1, 709.78)
    values = np.concatenate([np.linspace(low, low + 20, 500), np.linspace(high - 1, high, 500)]).astype(dtype)
    want = np.exp(values.astype(np.longdouble)).astype(dtype)
    got = compiled("exp", type, values)
    assert (np.abs(got - want) <= 2 * np.spacing(want)).all()
