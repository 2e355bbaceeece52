"""The polynomials of stdlib's float functions: minimax fits, rounded one coefficient after the other.

    python benchmarks/coefficients.py [NAME ...]

Prints, for each row of FITS, the coefficients as the library holds them, lowest power first, and the largest error
that is left, as a power of two. A coefficient once rounded to float is taken as given and the rest is fitted anew, so
later ones make good what rounding did to earlier ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

Real = Any
Array = np.ndarray[Any, np.dtype[Any]]
Function = Callable[[Real], Real]
mpmath.mp.prec = 120

# name -> (function to be approximated, what its error is multiplied with, ends of the interval, number of terms)
FITS: dict[str, tuple[Function, Function, float, float, int]] = {}
IN_DOUBLE: set[str] = set()
"""Fits for float functions that are computed in double, where rounding coefficients costs nothing (stdlib/unfused)."""
HALF_LN_2 = float(mpmath.log(2) / 2) * 1.0005
QUARTER_PI = float(mpmath.pi / 4) * 1.0005


def fit(name: str, function: Function, weight: Function, low: float, high: float, terms: int) -> None:
    FITS[name] = (function, weight, low, high, terms)


# e^r = 1 + r + r^2 P(r)
fit("exp", lambda r: (mpmath.expm1(r) - r) / r**2, lambda r: r**2 / mpmath.exp(r), -HALF_LN_2, HALF_LN_2, 5)
fit("exp fast", lambda r: (mpmath.expm1(r) - r) / r**2, lambda r: r**2 / mpmath.exp(r), -HALF_LN_2, HALF_LN_2, 4)
# e^r = 1 + r P(r)
fit("exp fast in one", lambda r: mpmath.expm1(r) / r, lambda r: r / mpmath.exp(r), -HALF_LN_2, HALF_LN_2, 5)
# e^r - 1 = r + r^2 P(r)
fit("expm1", lambda r: (mpmath.expm1(r) - r) / r**2, lambda r: r**2 / mpmath.expm1(r), -HALF_LN_2, HALF_LN_2, 6)
# 2^r = 1 + r P(r)
fit("exp2", lambda r: (mpmath.power(2, r) - 1) / r, lambda r: r / mpmath.power(2, r), -0.5002, 0.5002, 6)
# log(1 + f) = f + f^2 P(f)
fit("log", lambda f: (mpmath.log1p(f) - f) / f**2, lambda f: f**2 / mpmath.log1p(f), -0.2501, 0.5001, 10)
fit("log fast", lambda f: (mpmath.log1p(f) - f) / f**2, lambda f: f**2 / mpmath.log1p(f), -0.25, 0.5, 8)
# log2(1 + f) = f + f P(f)
fit("log2 fast", lambda f: (mpmath.log1p(f) / mpmath.log(2) - f) / f, lambda f: f / mpmath.log1p(f), -0.25, 0.5, 9)
# log2(1 + f) = f / ln 2 + f^2 P(f)
fit("log2", lambda f: (mpmath.log1p(f) - f) / f**2 / mpmath.log(2), lambda f: f**2 / mpmath.log1p(f), -0.29295, 0.41425, 9)
# sin r = r + r^3 P(r^2), cos r = 1 + r^2 P(r^2)
fit("sin", lambda z: (mpmath.sin(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1) / z, lambda z: z, 0.0, QUARTER_PI**2, 3)
fit("cos", lambda z: (mpmath.cos(mpmath.sqrt(z)) - 1) / z, lambda z: z, 0.0, QUARTER_PI**2, 4)
fit("sin fast", lambda z: (mpmath.sin(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1) / z, lambda z: z, 0.0, 4 * QUARTER_PI**2, 4)
# tan r = r + r^3 P(r^2)
fit("tan", lambda z: (mpmath.tan(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1) / z, lambda z: z, 0.0, QUARTER_PI**2, 7)
# atan t = t + t^3 P(t^2)
fit("atan", lambda z: (mpmath.atan(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1) / z, lambda z: z, 0.0, 1.0, 8)
fit("atan to 0.5464", lambda z: (mpmath.atan(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1) / z, lambda z: z, 0.0, 0.5466**2, 6)
fit("atan fast", lambda z: (mpmath.atan(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1) / z, lambda z: z, 0.0, 1.0, 7)
# asin x = x + x^3 P(x^2)
fit("asin", lambda z: (mpmath.asin(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1) / z, lambda z: z, 0.0, 0.25, 5)
fit("asin fast", FITS["asin"][0], FITS["asin"][1], 0.0, 0.25, 4)
# log2(1 + f) = f / ln 2 + f^2 P(f), for the logarithm of pow
fit("pow log2", lambda f: (mpmath.log1p(f) / mpmath.log(2) - f / mpmath.log(2)) / f**2, lambda f: f, -0.0396, 0.0396, 5)
# erf x = x + x P(x^2), for erfc
fit("erf near", lambda z: mpmath.erf(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1 if z else 2 / mpmath.sqrt(mpmath.pi) - 1,
    lambda z: 1.0, 0.0, 1.0, 8)  # fmt: skip
# erf(c + t) = e + t P(t) around c = 1120181/2^21 k, where e is erf c rounded; around zero t + t P(t)
for k in range(8):
    centre = mpmath.mpf(1120181 * k) / 2**21
    start = mpmath.mpf(float(np.float32(float(mpmath.erf(centre)))))
    fit(f"erf piece {k}", lambda t, c=centre, e=start: (mpmath.erf(c + t) - e) / t - (c == 0),
        lambda t, c=centre: t / mpmath.erf(c + t), -0.2672 if k else 1e-3, 0.2672, 7)  # fmt: skip
# the same around c = 1175603/2^20 k, for processors that look up in four numbers
for k in range(4):
    centre = mpmath.mpf(1175603 * k) / 2**20
    start = mpmath.mpf(float(np.float32(float(mpmath.erf(centre)))))
    fit(f"erf quarter {k}", lambda t, c=centre, e=start: (mpmath.erf(c + t) - e) / t - (c == 0),
        lambda t, c=centre: t / mpmath.erf(c + t), -0.5607 if k else 1e-3, 0.5607 if k < 3 else 0.5872, 10)  # fmt: skip


# e^(x^2) erfc x = e^(c^2) erfc c + t P(t) around c, t = x - c, in the intervals that the upper bits of 1 + x tell apart
for centre, low, high in ((0.2496337890625, 0, 0.5), (0.7442626953125, 0.5, 1), (1.4951171875, 1, 2), (2.490234375, 2, 3),
                          (4.00830078125, 3, 5), (5.97216796875, 5, 7), (8.761962890625, 7, 10.5)):  # fmt: skip
    start = mpmath.mpf(float(np.float32(float(mpmath.exp(centre**2) * mpmath.erfc(centre)))))
    fit(f"erfc from {low} to {high}",
        lambda t, c=centre, e=start: (mpmath.exp((c + t) ** 2) * mpmath.erfc(c + t) - e) / t,
        lambda t, c=centre: t / (mpmath.exp((c + t) ** 2) * mpmath.erfc(c + t)), low - centre, high - centre, 8)  # fmt: skip


# tanh(c + t) = tanh c + t P(t) likewise, around zero t + t P(t)
for centre, low, high in ((0.0, 0, 0.5), (0.748046875, 0.5, 1), (1.488525390625, 1, 2), (2.489990234375, 2, 3),
                          (3.98876953125, 3, 5), (5.9931640625, 5, 7), (8.5439453125, 7, 10)):  # fmt: skip
    start = mpmath.mpf(float(np.float32(float(mpmath.tanh(centre)))))
    fit(f"tanh from {low} to {high}", lambda t, c=centre, e=start: (mpmath.tanh(c + t) - e) / t - (c == 0),
        lambda t, c=centre: t / mpmath.tanh(c + t), low - centre if centre else 1e-3, high - centre, 8)  # fmt: skip


def scaled_erfc(y: Real) -> Real:
    x = 3 * (1 + y) / (1 - y)
    return mpmath.exp(x * x) * mpmath.erfc(x) * (x + 3)


# e^(x^2) erfc x = (1.07400690708834 + y P(y)) / (x + 3) with y = (x - 3) / (x + 3)
fit("erfc", lambda y: (scaled_erfc(y) - scaled_erfc(mpmath.mpf(0))) / y, lambda y: y / scaled_erfc(y), -0.615, 0.556, 9)
# sinh x = x + x^3 P(x^2)
fit("sinh", lambda z: (mpmath.sinh(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1) / z, lambda z: z, 0.0, 1.0, 4)
# the same and cosh x = 1 + x^2 P(x^2) for what is left of multiples of ln 2
fit("sinh near", FITS["sinh"][0], lambda z: z, 0.0, HALF_LN_2**2, 2)
fit("cosh near", lambda z: (mpmath.cosh(mpmath.sqrt(z)) - 1) / z, lambda z: z, 0.0, HALF_LN_2**2, 3)
# (1 - e)^(-1/3) = 1 + e P(e)
fit("inverse cbrt", lambda e: ((1 - e) ** (-mpmath.mpf(1) / 3) - 1) / e, lambda e: e, -0.1024, 0.1024, 3)
fit("exp2 fast", FITS["exp2"][0], FITS["exp2"][1], -0.5002, 0.5002, 5)
fit("pow log2 fast", FITS["pow log2"][0], FITS["pow log2"][1], -0.0396, 0.0396, 4)


def fit_in_double(name: str, function: Function, weight: Function, low: float, high: float, terms: int) -> None:
    fit(name, function, weight, low, high, terms)
    IN_DOUBLE.add(name)


# sin r = r (1 + r^2 P(r^2)) to a quarter turn, and to an eighth; cos r = 1 + r^2 P(r^2)
fit_in_double("sin quarter", FITS["sin"][0], FITS["sin"][1], 0.0, 4 * QUARTER_PI**2, 5)
fit_in_double("sin eighth", FITS["sin"][0], FITS["sin"][1], 0.0, QUARTER_PI**2, 4)
fit_in_double("cos eighth", FITS["cos"][0], FITS["cos"][1], 0.0, QUARTER_PI**2, 4)
# log2 m = s P(s^2) with s = (m - 1) / (m + 1), m from sqrt(1/2) to sqrt(2)
fit_in_double("log2 of ratio", lambda z: 2 * mpmath.atanh(mpmath.sqrt(z)) / mpmath.sqrt(z) / mpmath.log(2), lambda z: 1.0,
    0.0, 0.029438, 5)  # fmt: skip
# 2^r = 1 + r P(r)
fit_in_double("exp2 in double", FITS["exp2"][0], FITS["exp2"][1], -0.5002, 0.5002, 6)
# 2^r - 1 = r P(r)
fit_in_double("exp2 less one", FITS["exp2"][0], lambda r: r / (mpmath.power(2, r) - 1), -0.5002, 0.5002, 7)


def minimax(x: Array, wanted: Array, weights: Array, first: int, terms: int) -> tuple[Array, float]:
    """Coefficients of the powers first .. first + terms - 1 and the largest weighted error, by Lawson's iteration (1961):
    least squares, again and again, where what is far off weighs more each time."""
    size = float(np.max(np.abs(x)))
    columns = np.stack([(x / size) ** (first + power) for power in range(terms)], axis=1) * weights[:, None]
    importance = np.full(len(x), 1 / len(x))
    best, worst = np.zeros(terms), np.inf
    for _ in range(400):
        root = np.sqrt(importance)
        solved = np.linalg.lstsq(columns * root[:, None], wanted * weights * root, rcond=None)[0]
        errors = np.abs(columns @ solved - wanted * weights)
        if errors.max() < worst:
            best, worst = solved, float(errors.max())
        importance *= errors / errors.max() + 1e-9
        importance /= importance.sum()
    return best / size ** np.arange(first, first + terms), worst


def rounded(
    function: Function, weight: Function, low: float, high: float, terms: int, dtype: type = np.float32
) -> tuple[list[Any], float]:
    # Chebyshev's points, but none at zero: functions and weights may be undefined there.
    points = (low + high) / 2 - (high - low) / 2 * np.cos(np.pi * (np.arange(1000) + 0.5) / 1000)
    points = points[np.abs(points) > 1e-7 * (high - low)]
    wanted, weights = (np.array([float(one(mpmath.mpf(x))) for x in points]) for one in (function, weight))
    given: list[Any] = []
    while len(given) < terms:
        coefficients, _ = minimax(points, wanted, weights, len(given), terms - len(given))
        given.append(dtype(coefficients[0]))
        wanted = wanted - float(given[-1]) * points ** (len(given) - 1)
    return given, float(np.max(np.abs(wanted * weights)))


def main() -> None:
    for name in sys.argv[1:] or FITS:
        if name in IN_DOUBLE:
            coefficients, worst = rounded(*FITS[name], np.float64)
            text = ", ".join(f"{float(one)!r}d" for one in coefficients)
        else:
            coefficients, worst = rounded(*FITS[name])
            text = ", ".join(f"{float(one):.9g}f" for one in coefficients)
        print(f"{name}: {text}; 2^{np.log2(worst):.1f}")


if __name__ == "__main__":
    main()
