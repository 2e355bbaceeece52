"""Every function of float of the library on the device, at both rates, with arithmetic as IEEE has it and as it was built: at
zeros, signs, boundaries and in between, against numpy in double precision."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac

Array = np.ndarray[Any, Any]
Reference = Callable[..., Any]


def _each(function: Callable[[float], float]) -> Reference:
    return np.vectorize(function, otypes=[np.float64])


_NUMBERS = (
    0.0, 1.0, 0.5, 2.0, 0.75, 1.5, 1.25, 3.0, 4.0, 10.0, 15.9, 15.707963, 16.1, 87.0, 88.0, 88.7, 88.8, 89.0, 100.0, 103.0,
    104.0, 110.0, 126.0, 127.0, 127.5, 128.0, 149.0, 152.0, 200.7, 255.5, 1e-3, 1e-6, 1e-10, 1e-20, 1e-30, 2.0**-126, 1e10,
    2.0**-149, 1e-40, 2.0**-127, 1.5 * 2.0**-127, 2.0**-126 - 2.0**-149, 2.0**-126 + 2.0**-149, 1.5 * 2.0**-126, 2.0**126,
    2.0**127, 2.0**-124, 3e-36, 1.1 * 2.0**-112, 1.7 * 2.0**-105, 2.0**-103, 1.3 * 2.0**-95, 1e-25, 1e36, 1e33, 9.3, 9.9,
    1e20, 1e30, 3.4e38, math.inf, 131072.0, 131073.0, 65536.0, 0.72, 0.625, 3.98, 10.5, 9.1e-13, 0.693359375, 8388609.0,
    *(1 + step * 2.0**-24 for step in (-40, -5, -3, -2, -1, 2, 4, 6, 40)), *(quarter * math.pi / 4 for quarter in range(1, 9)),
    *(2.0**power for power in range(-30, 31, 3)),
)  # fmt: skip


def numbers() -> Array:
    random = np.random.default_rng(7)
    sizes = np.concatenate([random.uniform(0, 4, 60), np.exp(random.uniform(-18, 18, 60)), random.uniform(0.5, 1.6, 40)])
    ends = np.concatenate([np.array(_NUMBERS), sizes])
    return np.concatenate([ends, -ends, [math.nan]]).astype(np.float32)


_UNARY: dict[str, tuple[Reference, float, float]] = {
    "sin": (np.sin, 2, 4), "cos": (np.cos, 2, 4), "tan": (np.tan, 2, 4), "asin": (np.arcsin, 2, 4), "acos": (np.arccos, 2, 4),
    "atan": (np.arctan, 2, 4), "exp": (np.exp, 2, 4), "exp2": (np.exp2, 2, 4), "expm1": (np.expm1, 2, 5), "log": (np.log, 2, 4),
    "log2": (np.log2, 2, 4), "log1p": (np.log1p, 2, 5), "sinh": (np.sinh, 2, 4), "cosh": (np.cosh, 2, 4),
    "tanh": (np.tanh, 2, 4), "cbrt": (np.cbrt, 2, 4), "erf": (_each(math.erf), 2, 4), "erfc": (_each(math.erfc), 2, 5),
    "sqrt": (np.sqrt, 0.501, 0.501), "rsqrt": (lambda x: 1 / np.sqrt(x), 2, 4), "rcp": (lambda x: 1 / x, 2, 4),
    "floor": (np.floor, 0, 0), "ceil": (np.ceil, 0, 0), "trunc": (np.trunc, 0, 0), "round": (np.rint, 0, 0),
    "abs": (np.abs, 0, 0),
}  # fmt: skip
"""Function -> what it is, and the error in units of the last place: IEEE's arithmetic, that of the hardware."""
_BINARY: dict[str, tuple[Reference, float, float]] = {
    "pow": (np.power, 2, 24), "atan2": (np.arctan2, 2, 4), "fmod": (np.fmod, 0, 0),
    "ldexp": (lambda x, y: np.ldexp(x, np.clip(np.nan_to_num(y), -400, 400).astype(np.int32)), 0.501, 0.501),
}  # fmt: skip
_LEFT_OUT = {"rcp_fast", "rsqrt_fast", "frandom", "clamp", "min", "max", "frexp"}
"""Others of float: near values by request, random ones, and what compares or takes apart."""


def _source() -> str:
    text = ""
    for rate, loop in (("varying", "foreach (i = 0 ... n)"), ("uniform", "for (uniform int i = 0; i < n; ++i)")):
        for name in _UNARY:
            text += f"export void {name}_{rate}(uniform float o[], uniform float x[], uniform float y[], uniform int n) "
            text += f"{{ {loop} o[i] = {name}(x[i]); }}\n"
        for name in _BINARY:
            second = f"({rate} int)y[i]" if name == "ldexp" else "y[i]"
            text += f"export void {name}_{rate}(uniform float o[], uniform float x[], uniform float y[], uniform int n) "
            text += f"{{ {loop} o[i] = {name}(x[i], {second}); }}\n"
        text += f"export void sincos_{rate}(uniform float o[], uniform float x[], uniform float y[], uniform int n) "
        text += f"{{ {loop} {{ {rate} float s, c; sincos(x[i], &s, &c); o[i] = s; y[i] = c; }} }}\n"
    return text


@pytest.fixture(scope="module")
def library() -> Any:
    return voltac.compile(_source(), target="naplespu", launch={"threads": 1, "latency": 2})


def errors(found: Array, exact: Array, as_built: bool) -> Array:
    """In units of the last place; 0 where both are infinite or no number. As built, subnormal results may be zero."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        least = np.float32(2.0**-126)
        units = np.spacing(np.maximum(np.abs(rounded), least)).astype(np.float64)
        off = np.abs(found.astype(np.float64) - exact) / units
    off[(found == rounded) | (np.isnan(found) & np.isnan(rounded))] = 0
    if as_built:
        off[(np.abs(exact) < least) & (found == 0)] = 0
    return np.where(np.isnan(off), math.inf, off)


def zeroed(given: Array) -> Array:
    """As built, subnormal numbers may count as zero."""
    return np.where(np.abs(given) < 2.0**-126, np.copysign(0, given), given).astype(np.float64)


def check(found: Array, reference: Reference, bound: float, as_built: bool, *given: Array) -> None:
    choices = [[each.astype(np.float64), zeroed(each)][: 1 + as_built] for each in given]
    with np.errstate(all="ignore"):
        exact = reference(*(each[0] for each in choices))
        off = np.min([errors(found, reference(*chosen), as_built) for chosen in product(*choices)], axis=0)
    worst = int(np.argmax(off))
    assert off[worst] <= bound, (off[worst], [float(each[worst]) for each in given], float(found[worst]), float(exact[worst]))


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
@pytest.mark.parametrize("rate", ["varying", "uniform"])
@pytest.mark.parametrize("name", _UNARY)
def test_functions_of_one_number(library: Any, name: str, rate: str, fpu: str) -> None:
    reference, *bounds = _UNARY[name]
    x = numbers() if rate == "varying" else numbers()[::3].copy()
    found = np.zeros_like(x)
    getattr(library, f"{name}_{rate}").configure(fpu=fpu)(found, x, np.zeros_like(x), len(x))
    check(found, reference, bounds[fpu == "rtl"], fpu == "rtl", x)
    with np.errstate(all="ignore"):
        exact = reference(x.astype(np.float64))
    zeros = (found == 0) & (exact == 0)
    assert np.array_equal(np.signbit(found[zeros]), np.signbit(exact[zeros])), "the sign of zero"


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
@pytest.mark.parametrize("rate", ["varying", "uniform"])
@pytest.mark.parametrize("name", _BINARY)
def test_functions_of_two_numbers(library: Any, name: str, rate: str, fpu: str) -> None:
    reference, *bounds = _BINARY[name]
    x = numbers() if rate == "varying" else numbers()[::3].copy()
    y = np.random.default_rng(3).permutation(x)
    if name == "pow":
        y = np.where(np.arange(len(x)) % 3 == 0, np.round(np.clip(y, -9, 9)), np.clip(y, -20, 20)).astype(np.float32)
    if name == "ldexp":
        y = np.clip(np.nan_to_num(y), -300, 300).astype(np.float32)
    found = np.zeros_like(x)
    getattr(library, f"{name}_{rate}").configure(fpu=fpu)(found, x, y, len(x))
    check(found, reference, bounds[fpu == "rtl"], fpu == "rtl", x, y)


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
@pytest.mark.parametrize("name", _BINARY)
def test_functions_of_two_numbers_next_to_the_smallest(library: Any, name: str, fpu: str) -> None:
    reference, *bounds = _BINARY[name]
    least = 2.0**-126
    small = [0.0, 2.0**-149, 3 * 2.0**-149, 1e-40, least / 2, least - 2.0**-149, least, least + 2.0**-149, 3 * least, 3e-36]
    small += [1e-32, 1e-30, 1.0, 3.0]
    powers = [-300, -150, -149, -148, -130, -127, -126, -125, -23, -1, 0, 1, 24, 100, 300]
    second = powers if name == "ldexp" else [*small, 1e10, 1e34, -46.0, -37.9, -149.0]
    pairs = [(s * a, t * b) for a in small for b in second for s in (1, -1) for t in (1, -1)]
    x, y = (np.array(column, np.float32) for column in zip(*pairs))
    found = np.zeros_like(x)
    getattr(library, f"{name}_varying").configure(fpu=fpu)(found, x, y, len(x))
    check(found, reference, bounds[fpu == "rtl"], fpu == "rtl", x, y)


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
@pytest.mark.parametrize("rate", ["varying", "uniform"])
def test_sine_and_cosine_together(library: Any, rate: str, fpu: str) -> None:
    x = numbers()[::2].copy()
    sine, cosine = np.zeros_like(x), np.zeros_like(x)
    getattr(library, f"sincos_{rate}").configure(fpu=fpu)(sine, x, cosine, len(x))
    check(sine, np.sin, 2 + 2 * (fpu == "rtl"), fpu == "rtl", x)
    check(cosine, np.cos, 2 + 2 * (fpu == "rtl"), fpu == "rtl", x)


def test_no_function_of_float_is_forgotten() -> None:
    text = "".join(path.read_text() for path in Path(voltac.__file__).parents[1].glob("stdlib/*.ispc"))
    names = set(re.findall(r"^float (\w+)\(float", text, re.MULTILINE))
    assert names - _UNARY.keys() - _BINARY.keys() - _LEFT_OUT == set()
