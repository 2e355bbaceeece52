"""float16: arithmetic and conversions rounded once, as numpy does them, on every target; appendix A 211, 227."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gangs import DTYPES, INTEGERS, Array, compiled, every_target, same, usable

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

BINARY = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
COMPARED = {"less": "<", "less_equal": "<=", "equal": "==", "not_equal": "!=", "greater": ">", "greater_equal": ">="}
OTHER = ("float", "double", *INTEGERS)


def _kernel(name: str, parameters: str, statement: str, rate: str) -> str:
    if rate == "varying":
        return f"export void {name}({parameters}, uniform int n) {{ foreach (i = 0 ... n) {statement} }}\n"
    return f"export void {name}({parameters}, uniform int n) {{ for (uniform int i = 0; i < n; ++i) {statement} }}\n"


def source(rate: str) -> str:
    half = "uniform float16 a[], uniform float16 b[]"
    text = ""
    for name, sign in BINARY.items():
        text += _kernel(name, f"{half}, uniform float16 r[]", f"r[i] = a[i] {sign} b[i];", rate)
    for name, sign in COMPARED.items():
        text += _kernel(name, f"{half}, uniform int8 r[]", f"r[i] = a[i] {sign} b[i] ? 1 : 0;", rate)
    for type in OTHER:
        text += _kernel(f"from_{type}", f"uniform {type} a[], uniform float16 r[]", "r[i] = a[i];", rate)
        text += _kernel(f"to_{type}", f"uniform float16 a[], uniform {type} r[]", "r[i] = a[i];", rate)
    return text


def all_halves() -> Array:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def pairs() -> tuple[Array, Array]:
    random = np.random.default_rng(3)
    return tuple(random.integers(0, 1 << 16, (2, 4001)).astype(np.uint16).view(np.float16))


@every_target
@pytest.mark.parametrize("rate", ["varying", pytest.param("uniform", marks=pytest.mark.long)])
def test_every_result_is_rounded_once(rate: str, target: str) -> None:
    usable(target)
    kernels = compiled(source(rate), target)
    a, b = pairs()
    with np.errstate(all="ignore"):
        for name in BINARY:
            r = np.zeros_like(a)
            kernels[name](a, b, r, len(a))
            assert same(r, getattr(np, name)(a, b)).all(), name
        for name in COMPARED:
            c = np.zeros(len(a), np.int8)
            kernels[name](a, b, c, len(a))
            assert (c == getattr(np, name)(a, b)).all(), name
        halves = all_halves()
        for type in OTHER:
            kind = np.dtype(DTYPES[type])
            if kind.kind == "f":
                r = np.zeros(len(halves), kind)
                kernels[f"to_{type}"](halves, r, len(r))
                assert same(r, halves).all(), type
                numbers = between(kind)
            else:
                info = np.iinfo(kind)
                given = halves[(halves > float(info.min) - 1) & (halves < float(info.max) + 1)].copy()
                r = np.zeros(len(given), kind)
                kernels[f"to_{type}"](given, r, len(r))
                assert (r == np.trunc(given.astype(np.float64)).astype(kind)).all(), type
                numbers = np.unique(np.linspace(max(int(info.min), -70000), min(int(info.max), 70000), 3001).astype(kind))
            h = np.zeros(len(numbers), np.float16)
            kernels[f"from_{type}"](numbers, h, len(h))
            assert same(h, numbers.astype(np.float16)).all(), type


def between(kind: np.dtype) -> Array:
    """Halves, the numbers in the middle between two, and their neighbours: where a second rounding shows."""
    finite = np.unique(all_halves()[np.isfinite(all_halves())])[::7].astype(kind)
    middle = (finite[:-1] + finite[1:]) / 2
    beyond = np.array([65519.99, 65520, 65536, 1e30, np.inf, -np.inf, 2.0**-25, 2.0**-26], kind)
    above, below = np.nextafter(middle, kind.type(np.inf)), np.nextafter(middle, kind.type(-np.inf))
    return np.concatenate([finite, middle, above, below, beyond])


@pytest.mark.parametrize(
    ("target", "has", "has_not"),
    [
        ("avx2-i32x8", "vcvtph2ps", r"\bcall|vaddph"),
        ("avx512skx-x16", "vcvtph2ps", r"\bcall|vaddph"),
        ("avx512spr-x16", "vaddph", r"\bcall|vcvtph2ps"),
        ("sse4-i32x4", "addps", r"\bcall|vcvtph2ps"),
    ],
)
def test_instructions(target: str, has: str, has_not: str) -> None:
    options = Options(target=find_target(target), level=2, whole_program=True)
    text = "export void f(uniform float16 a[], uniform float16 b[]) { a[programIndex] += b[programIndex]; }\n"
    code = compile_source(text, "f.ispc", options, Diagnostics()).optimized.assembly()
    code = code[code.index("\nf:") : code.index(".Lfunc_end")]
    assert re.search(has, code) and not re.search(has_not, code), code
