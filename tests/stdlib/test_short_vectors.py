"""``short_vec.isph``: the library's functions on short vectors are the ones on their elements; appendix A 235."""

from __future__ import annotations

import numpy as np
import pytest
from gangs import QUICK, compiled, usable

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

ONE = [
    "abs", "round", "floor", "ceil", "trunc", "rcp", "rcp_fast", "sqrt", "rsqrt",
    "rsqrt_fast", "sin", "sinh", "asin", "cos", "cosh", "acos", "tan", "tanh",
    "atan", "exp", "expm1", "log", "log1p", "cbrt", "erf", "erfc",
]  # fmt: skip
TWO = ["min", "max", "atan2", "pow", "fmod"]
TESTS = ["isnan", "isinf", "isfinite"]


FUNCTIONS = [*ONE, *TWO, *TESTS]


def _sized(functions: list[str], type: str, rate: str) -> str:
    """Kernels that store both results; each element of the vectors is a value of its own."""
    text = ""
    for name in functions:
        both = name in TWO
        of_vectors = f"{name}(v, w)" if both else f"{name}(v)"
        of_elements = f"{name}(v[k], w[k])" if both else f"{name}(v[k])"
        result = f"{rate} bool<3> y = {of_vectors};" if name in TESTS else f"{rate} {type}<3> y = {of_vectors};"
        cast = " ? 1 : 0" if name in TESTS else ""
        at = "k" if rate == "uniform" else "k * programCount + programIndex"
        text += (
            f"export void {name}_{type}_{rate}(uniform {type} a[], uniform {type} r[], uniform {type} s[]) {{\n"
            f"    {rate} {type}<3> v, w;\n"
            f"    for (uniform int k = 0; k < 3; ++k) {{ v[k] = a[{at}]; w[k] = a[{at} + 1]; }}\n"
            f"    {result}\n"
            f"    for (uniform int k = 0; k < 3; ++k) {{ r[{at}] = y[k]{cast}; s[{at}] = {of_elements}{cast}; }}\n}}\n"
        )
    return text


def check(functions: list[str], type: str, rate: str) -> None:
    width = usable(QUICK[1]).width
    kernels = compiled('#include "short_vec.isph"\n' + _sized(functions, type, rate), QUICK[1])
    a = np.linspace(0.1, 0.9, 3 * width + 1).astype(np.float32 if type == "float" else np.float64)
    a[2] = np.nan
    for name in functions:
        r, s = np.zeros_like(a), np.ones_like(a)
        kernels[f"{name}_{type}_{rate}"](a, r, s)
        count = 3 * width if rate == "varying" else 3
        assert np.array_equal(r[:count], s[:count], equal_nan=True), name


@pytest.mark.parametrize("rate", ["varying", "uniform"])
def test_functions_work_element_by_element(rate: str) -> None:
    """One of each kind; the others are asked in long runs."""
    check(["abs", "round", "sqrt", "sin", "max", "fmod", "isnan", "isinf"], "float", rate)


@pytest.mark.long
@pytest.mark.parametrize("type", ["float", "double"])
@pytest.mark.parametrize("rate", ["varying", "uniform"])
def test_every_function_works_element_by_element(rate: str, type: str) -> None:
    check(FUNCTIONS, type, rate)


def test_clamp_and_select() -> None:
    kernels = compiled(
        """
#include "short_vec.isph"
export void f(uniform float r[]) {
    uniform float<4> v = {-1, 0.25, 0.5, 3}, low = {0, 0, 0, 0}, high = {1, 1, 1, 1};
    uniform bool<4> odd = {false, true, false, true};
    uniform float<4> clamped = clamp(v, low, high), chosen = select(odd, v, low), all = select(true, v, low);
    for (uniform int k = 0; k < 4; ++k) { r[k] = clamped[k]; r[4 + k] = chosen[k]; r[8 + k] = all[k]; }
    uniform int<2> whole = {-3, 4};
    uniform int<2> size = abs(whole);
    r[12] = size[0]; r[13] = size[1];
}
""",
        QUICK[1],
    )
    r = np.zeros(14, np.float32)
    kernels.f(r)
    assert r.tolist() == [0, 0.25, 0.5, 1, 0, 0.25, 0, 3, -1, 0.25, 0.5, 3, 3, 4]


def test_the_header_gives_no_warnings_of_its_own() -> None:
    """Its names are not the program's business: 'result' and the like may be names of globals."""
    diagnostics = Diagnostics()
    text = """
#include "short_vec.isph"
static uniform float result, element, a, b, v;
export void f(uniform float r[]) {
    float<2> x = { r[programIndex], a + b + v };
    x = sqrt(abs(x)) + max(x, x) * element;
    r[programIndex] = x.x + x.y + result;
}
"""
    compile_source(text, "program.ispc", Options(target=find_target(QUICK[1])), diagnostics)
    assert [item.text for item in diagnostics.items] == []
