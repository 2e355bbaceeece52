"""--math-lib: fast within 4 units where it promises that, system the C library's own results, others refused."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

import numpy as np
import pytest

import voltac
from voltac.cli.command import main
from voltac.llvm import can_run
from voltac.python import KernelModule
from voltac.target_info import find_target

RANGES: dict[str, tuple[tuple[float, float], ...]] = {
    "exp": ((-80, 80),), "exp2": ((-80, 80),), "log": ((1e-6, 1e6),), "log2": ((1e-6, 1e6),),
    "sin": ((-31.4, 31.4),), "cos": ((-31.4, 31.4),), "tan": ((-1.5, 1.5),), "asin": ((-1, 1),), "acos": ((-1, 1),),
    "sinh": ((-89.4, 89.4),), "cosh": ((-89.4, 89.4),), "tanh": ((-10, 10),), "atan": ((-1e30, 1e30),),
    "erf": ((-4, 4),), "pow": ((0.01, 10), (-5, 5)), "atan2": ((-4, 4), (-4, 4)),
}  # fmt: skip
RANGES_OF_DOUBLE: dict[str, tuple[float, float]] = {
    "exp": (-745, 709), "exp2": (-1074, 1023), "expm1": (-40, 40), "log": (1e-6, 1e6), "log2": (1e-6, 1e6),
    "log1p": (-0.999, 10), "sin": (-31.4, 31.4), "cos": (-31.4, 31.4), "tan": (-31.4, 31.4), "sinh": (-710, 710),
    "cosh": (-710, 710), "tanh": (-20, 20), "atan": (-1e300, 1e300), "atan2": (-1e300, 1e300),
}  # fmt: skip
ALL = (*RANGES, "expm1", "log1p", "cbrt", "erfc")


def kernels(library: str, names: Iterable[str], type: str = "float", target: str = "host") -> KernelModule:
    lines = []
    for name in names:
        call = f"{name}(x[i]{', y[i]' if name in ('pow', 'atan2') else ''})"
        arrays = f"uniform {type} x[], uniform {type} y[], uniform {type} out[], uniform int n"
        lines.append(f"export void {name}_({arrays}) {{ foreach (i = 0 ... n) out[i] = {call}; }}\n")
    return voltac.compile("".join(lines), math_library=library, target=target)  # type: ignore[arg-type]


def exact(name: str, arguments: list[np.ndarray]) -> np.ndarray:
    """In double, by the C library."""
    function = getattr(ctypes.CDLL("libm.so.6"), name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * len(arguments)
    return np.array([function(*map(float, row)) for row in zip(*arguments, strict=True)])


def test_fast_functions_err_by_four_units_at_most() -> None:
    random = np.random.default_rng(3)
    fast = kernels("fast", RANGES)
    for name, ranges in RANGES.items():
        arguments = [random.uniform(*one, 4000).astype(np.float32) for one in ranges]
        got = np.empty(4000, np.float32)
        getattr(fast, f"{name}_")(arguments[0], arguments[-1], got, 4000)
        want = exact(name, arguments)
        units = np.abs(got - want) / np.spacing(np.abs(want.astype(np.float32)))
        assert units.max() <= 4, (name, units.max())


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4"])
def test_fast_functions_of_double_err_by_four_units_at_most(target: str) -> None:
    if not can_run(find_target(target)):
        pytest.skip(f"this machine does not run {target}")
    random = np.random.default_rng(4)
    fast = kernels("fast", RANGES_OF_DOUBLE, "double", target)
    for name, (low, high) in RANGES_OF_DOUBLE.items():
        # Of all magnitudes, and near 1 and 0.
        x = np.concatenate([random.uniform(low, high, 3000), random.uniform(max(low, -2), 2, 3000)])
        got = np.empty(6000)
        arguments = [x, random.permutation(x)] if name == "atan2" else [x]
        getattr(fast, f"{name}_")(arguments[0], arguments[-1], got, 6000)
        want = getattr(np, name)(*(one.astype(np.longdouble) for one in arguments))
        units = np.abs(got - want) / np.spacing(np.abs(want.astype(np.float64)))
        assert units.max() <= 4, (name, units.max())


def test_fast_and_default_are_different_code() -> None:
    x = np.linspace(-3, 3, 4000).astype(np.float32)
    results = []
    for library in ("default", "fast"):
        out = np.empty_like(x)
        kernels(library, ["exp"]).exp_(x, x, out, len(x))
        results.append(out)
    assert (results[0] != results[1]).any()


@pytest.mark.parametrize("type", ["float", "double"])
def test_system_functions_are_those_of_the_c_library(type: str) -> None:
    number, dtype = (ctypes.c_float, np.float32) if type == "float" else (ctypes.c_double, np.float64)
    system = kernels("system", ALL, type)
    x = np.linspace(0.01, 0.99, 50).astype(dtype)
    y = np.linspace(-2, 2, 50).astype(dtype)
    for name in ALL:
        function = getattr(ctypes.CDLL("libm.so.6"), name + "f" * (type == "float"))
        two = name in ("pow", "atan2")
        function.restype, function.argtypes = number, [number] * (1 + two)
        got = np.empty_like(x)
        getattr(system, f"{name}_")(x, y, got, len(x))
        want = [function(float(a), float(b)) if two else function(float(a)) for a, b in zip(x, y, strict=True)]
        assert got.tolist() == np.array(want, dtype).tolist(), name


def test_system_functions_are_called_for_active_lanes_only() -> None:
    module = voltac.compile(
        "export void f(uniform float x[], uniform float out[], uniform int n) {\n"
        "    foreach (i = 0 ... n) { out[i] = -1; if (x[i] > 0) out[i] = exp(x[i]); } }\n",
        math_library="system",
    )
    x = np.array([1, -1, 2, -2, 0.5], np.float32)
    out = np.zeros_like(x)
    module.f(x, out, len(x))
    assert (out[x < 0] == -1).all()
    assert np.allclose(out[x > 0], np.exp(x[x > 0]))


def test_unknown_libraries_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--math-lib=svml", "--target=host", "-o", "-", "-"]) != 0
    assert "svml" in capsys.readouterr().err
    with pytest.raises(ValueError, match="svml"):
        voltac.compile("export void f() {}\n", math_library="svml")  # type: ignore[arg-type]
