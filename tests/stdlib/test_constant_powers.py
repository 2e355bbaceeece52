"""pow of a constant, or by one, is products, a root or an exponential, good to 2 ULP, special values as in C (13.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import voltac

WHOLE = ("2", "3", "4", "5", "12", "31", "-1", "-2", "-3")
ROOTS = ("0.5", "0.25", "1.5", "-0.5")
TYPES: dict[str, Any] = {"float": np.float32, "double": np.float64}
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, -2.0, -0.5, 1e-45, -1e-40, 3e38, -3e38, 1e-320, -1e-320, -1e308]


def kernels(type: str, target: str, level: int, exponents: tuple[str, ...] = (*WHOLE, *ROOTS)) -> voltac.Kernels:
    """varying_K and uniform_K: ``pow`` by the K-th exponent."""
    arrays = f"uniform {type} a[], uniform {type} r[], uniform int n"
    suffix = "f" if type == "float" else "d"
    lines = []
    for number, exponent in enumerate(exponents):
        call = f"r[i] = pow(a[i], {exponent if exponent in WHOLE else exponent + suffix});"
        lines.append(
            f"export void varying_{number}({arrays}) {{ foreach (i = 0 ... n) {call} }}\n"
            f"export void uniform_{number}({arrays}) {{ for (uniform int i = 0; i < n; i++) {call} }}\n"
        )
    return voltac.compile("".join(lines), target=target, opt=level)


def exact(x: np.ndarray, exponent: str) -> np.ndarray:
    """In long double, whose products lose less than a thousandth of a unit together."""
    wide = x.astype(np.longdouble)
    if exponent in ROOTS:
        root = np.sqrt(wide + 0)
        root[np.isneginf(wide)] = np.inf
        return {"0.5": root, "0.25": np.sqrt(root), "1.5": np.abs(wide) * root, "-0.5": 1 / root}[exponent]
    product = np.ones_like(wide)
    for _ in range(abs(int(exponent))):
        product = product * wide
    return 1 / product if exponent[0] == "-" else product


def arguments(dtype: type, exponent: str) -> np.ndarray:
    """Some around 1, and some whose powers are around the ends of the range."""
    random = np.random.default_rng(7)
    range = np.finfo(dtype)
    near = random.uniform(0.25, 4, 1500) * random.choice([-1, 1], 1500)
    with np.errstate(over="ignore"):
        ends = [2 ** (random.uniform(low - 2, low + 3, 400) / float(exponent)) for low in (range.minexp, range.maxexp - 1)]
        return np.concatenate([near, *ends, np.array(SPECIAL)]).astype(dtype)


@pytest.mark.parametrize("target", ["host", "sse4-i32x4"])
@pytest.mark.parametrize("type", TYPES)
def test_powers_by_constants(type: str, target: str) -> None:
    dtype = TYPES[type]
    made = kernels(type, target, 2)
    for number, exponent in enumerate((*WHOLE, *ROOTS)):
        x = arguments(dtype, exponent)
        got, alone = np.empty_like(x), np.empty_like(x)
        getattr(made, f"varying_{number}")(x, got, len(x))
        getattr(made, f"uniform_{number}")(x, alone, len(x))
        np.testing.assert_array_equal(got.view(np.uint8), alone.view(np.uint8), exponent)
        with np.errstate(all="ignore"):
            wanted = exact(x, exponent)
            rounded = wanted.astype(dtype)
            unit = np.spacing(np.clip(np.abs(rounded), np.finfo(dtype).tiny, np.finfo(dtype).max))
            finite = np.isfinite(rounded)
            assert np.max(np.abs(got - wanted)[finite] / unit[finite]) <= 2, exponent
        np.testing.assert_array_equal(got[~finite], rounded[~finite], exponent)
        np.testing.assert_array_equal(np.signbit(got[rounded == 0]), np.signbit(rounded[rounded == 0]), exponent)


@pytest.mark.parametrize("target", ["host", "sse4-i32x4"])
def test_powers_of_constants(target: str) -> None:
    source = "".join(
        f"export void of_{base}_{type}(uniform {type} b[], uniform {type} r[], uniform int n) "
        f"{{ foreach (i = 0 ... n) r[i] = pow((uniform {type}){base}, b[i]); }}\n"
        for base in (2, 10)
        for type in TYPES
    )
    made = voltac.compile(source, target=target)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 400.0, -400.0, 2000.0, -2000.0]
    for base in (2, 10):
        for type, dtype in TYPES.items():
            most = np.finfo(dtype).maxexp / np.log2(base)
            x = np.array([*np.random.default_rng(9).uniform(-1.18 * most, most, 2000), *range(-9, 9), *special], dtype)
            got = np.empty_like(x)
            getattr(made, f"of_{base}_{type}")(x, got, len(x))
            with np.errstate(all="ignore"):
                wanted = np.longdouble(base) ** x.astype(np.longdouble)
                rounded = wanted.astype(dtype)
                unit = np.spacing(np.maximum(np.abs(rounded), np.finfo(dtype).tiny))
                finite = np.isfinite(rounded)
                assert np.max(np.abs(got - wanted)[finite] / unit[finite]) <= 1.5, (base, type)
            np.testing.assert_array_equal(got[~finite], rounded[~finite])


def test_levels_agree() -> None:
    some = ("5", "-3", "1.5")
    optimised, plain = (kernels("float", "avx2-i32x8", level, some) for level in (2, 0))
    for number, exponent in enumerate(some):
        x = arguments(np.float32, exponent)
        first, second = np.empty_like(x), np.empty_like(x)
        getattr(optimised, f"varying_{number}")(x, first, len(x))
        getattr(plain, f"varying_{number}")(x, second, len(x))
        np.testing.assert_array_equal(first.view(np.uint8), second.view(np.uint8))


def test_other_exponents_and_other_functions_of_the_name() -> None:
    """What is no constant, or one without a function of its own, is the pow of all; a program's own pow is called as it is."""
    source = (
        "export void general(uniform float a[], uniform float b[], uniform float r[], uniform int n) "
        "{ foreach (i = 0 ... n) r[i] = pow(a[i], b[i]); }\n"
        "export void constant(uniform float a[], uniform float r[], uniform int n) "
        "{ foreach (i = 0 ... n) r[i] = pow(a[i], 2.2f); }\n"
    )
    made = voltac.compile(source)
    x = np.linspace(0.1, 9, 64, dtype=np.float32)
    first, second = np.empty_like(x), np.empty_like(x)
    made.general(x, np.full_like(x, 2.2), first, len(x))
    made.constant(x, second, len(x))
    np.testing.assert_array_equal(first, second)
    own = voltac.compile(
        "float pow(float a, float b) { return a + b; }\n"
        "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = pow(a[i], 2.0f); }"
    )
    given = x.copy()
    own.f(given, len(x))
    np.testing.assert_array_equal(given, x + 2)
