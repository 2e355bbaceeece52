"""Quotients, remainders and conversions of all types on the device, with arithmetic as IEEE has it and as it was built, at the
ends of the ranges, around powers of two and where the core's own conversions are wrong: against Python's integers and numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import voltac

INTEGERS: dict[str, Any] = {
    "int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "int32": np.int32, "uint32": np.uint32,
    "int64": np.int64, "uint64": np.uint64,
}  # fmt: skip
_LOOPS = {"varying": "foreach (i = 0 ... n)", "uniform": "for (uniform int i = 0; i < n; ++i)"}


def _source() -> str:
    text = ""
    for rate, loop in _LOOPS.items():
        for type in INTEGERS:
            arrays = f"uniform {type} q[], uniform {type} r[], uniform {type} a[], uniform {type} b[]"
            text += f"export void divide_{type}_{rate}({arrays}, uniform int n) "
            text += f"{{ {loop} {{ q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }} }}\n"
            for half, float_ in (("", "float"), ("half_", "float16")):
                arrays = f"uniform {type} o[], uniform {float_} x[]"
                text += f"export void to_{half}{type}_{rate}({arrays}, uniform int n) {{ {loop} o[i] = ({type})x[i]; }}\n"
                arrays = f"uniform {float_} o[], uniform {type} x[]"
                text += f"export void from_{half}{type}_{rate}({arrays}, uniform int n) {{ {loop} o[i] = ({float_})x[i]; }}\n"
    return text


@pytest.fixture(scope="module")
def kernels() -> Any:
    return voltac.compile(_source(), target="naplespu", launch={"threads": 1, "latency": 2})


def boundaries(type: str) -> list[int]:
    limits = np.iinfo(INTEGERS[type])
    near = [0, 1, 2, 3, 5, 7, 10, 100, 255, 1000, 4097, 65535, 65536, 65537, *(1 << bit for bit in range(limits.bits))]
    near += [127, 128, 129, 181, 199, 254, 256, 257, 0x00FFFFFF, 0x01000001, 0x7FFFFF80, 0x7FFFFFBF, 12345678, limits.max]
    near += [limits.max - 1, limits.max // 2, limits.max // 3, limits.max // 200]
    both = {sign * each + step for each in near for sign in (1, -1) for step in (0, 1, -1)} | {limits.min}
    return sorted(each for each in both if limits.min <= each <= limits.max)


def of_all_sizes(type: str) -> list[int]:
    """Around each power of two, where floats round up to it and to their neighbour below, and at random in between."""
    limits = np.iinfo(INTEGERS[type])
    random = np.random.default_rng(7)
    found = {0}
    for bit in range(limits.bits):
        power, ulp = 1 << bit, max(1, 1 << bit >> 24)
        found |= {power - half * ulp // 2 + step for half in range(7) for step in (-1, 0, 1)} | {power + ulp, power + ulp + 1}
        found |= {power + int(part * power) for part in random.random(50)}
    both = {sign * each for each in found for sign in (1, -1)}
    return sorted(each for each in both if limits.min <= each <= limits.max)


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
@pytest.mark.parametrize("rate", _LOOPS)
@pytest.mark.parametrize("type", INTEGERS)
def test_quotients_and_remainders_are_exact(kernels: Any, type: str, rate: str, fpu: str) -> None:
    values = boundaries(type)
    random = np.random.default_rng(5)
    count = 400 if rate == "varying" else 80
    pairs = [(int(values[i]), int(values[j])) for i, j in random.integers(0, len(values), (count, 2))]
    # Quotients that the core's conversion makes 0 of.
    small = [each for each in values if abs(each) > 0 and abs(each) * 200 <= np.iinfo(INTEGERS[type]).max]
    pairs += [(each * factor + abs(each) // 2, each) for each in small for factor in (128, 129, 199)]
    lowest = np.iinfo(INTEGERS[type]).min
    pairs = [(a, b) for a, b in pairs if b and not (a == lowest and b == -1)]
    a, b = (np.array(column, INTEGERS[type]) for column in zip(*pairs))
    quotients, rests = np.zeros_like(a), np.zeros_like(a)
    getattr(kernels, f"divide_{type}_{rate}").configure(fpu=fpu)(quotients, rests, a, b, len(a))
    expected = [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in pairs]
    assert quotients.tolist() == expected
    assert rests.tolist() == [x - q * y for (x, y), q in zip(pairs, expected)]


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
@pytest.mark.parametrize("rate", _LOOPS)
@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize("half", ["", "half_"])
def test_numbers_are_cut_off_toward_zero(kernels: Any, type: str, half: str, rate: str, fpu: str) -> None:
    float_ = np.float16 if half else np.float32
    limits = np.iinfo(INTEGERS[type])
    sizes = [0.0, 0.49, 0.5, 0.99, 1.0, 1.5, 1.99, 63.5, 64.0, 127.0, 127.99, 128.0, 128.5, 129.0, 181.3, 199.9, 254.5, 255.0]
    sizes += [255.99, 256.0, 256.5, 511.0, 512.0, 32767.0, 32768.0, 65504.0, 65535.0, 8388607.5, 8388609.0, 16777215.0]
    sizes += [16777216.0, 2.0**30, 2.0**31 - 128, 2.0**31, 2.0**32 - 256, 2.0**40 + 2.0**20, 2.0**63 - 2.0**39, 2.0**63]
    sizes += [1 - 2.0**-24, 128 - 2.0**-17, 256 - 2.0**-16, 2.0**-126, 1e-30, 2.0**-127, 2.0**-149]
    random = np.random.default_rng(3)
    powers = [2.0**power for power in range(-3, limits.bits)]
    sizes += [power * factor for power in powers for factor in (1 - 2.0**-24, 1, 1 + 2.0**-23)]
    sizes += [power * (1 + part) for power in powers for part in random.random(50 if rate == "varying" else 10)]
    with np.errstate(over="ignore"):
        given = np.array([*sizes, *(-each for each in sizes)]).astype(float_)
    x = np.array(
        [each for each in given.tolist() if math.isfinite(each) and limits.min <= math.trunc(each) <= limits.max], float_
    )
    found = np.zeros(len(x), INTEGERS[type])
    getattr(kernels, f"to_{half}{type}_{rate}").configure(fpu=fpu)(found, x, len(x))
    assert found.tolist() == [math.trunc(each) for each in x.tolist()]


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
@pytest.mark.parametrize("rate", _LOOPS)
@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize("half", ["", "half_"])
def test_integers_become_the_nearest_number(kernels: Any, type: str, half: str, rate: str, fpu: str) -> None:
    float_ = np.float16 if half else np.float32
    x = np.array(sorted({*boundaries(type), *of_all_sizes(type)}), INTEGERS[type])
    found = np.zeros(len(x), float_)
    getattr(kernels, f"from_{half}{type}_{rate}").configure(fpu=fpu)(found, x, len(x))
    with np.errstate(over="ignore"):
        wanted = x.astype(float_)
    # By their bits, so that zeros have their signs.
    bits = np.uint16 if half else np.uint32
    assert np.array_equal(found.view(bits), wanted.view(bits)), [
        (int(each), float(got)) for each, got, right in zip(x, found, wanted) if got != right
    ][:20]


_HALVES = """
export void widen(uniform float o[], uniform float16 x[], uniform int n) { foreach (i = 0 ... n) o[i] = x[i]; }
export void narrow(uniform float16 o[], uniform float x[], uniform int n) { foreach (i = 0 ... n) o[i] = (float16)x[i]; }
export void compute(uniform float16 s[], uniform float16 d[], uniform float16 p[], uniform float16 q[], uniform float16 x[],
                    uniform float16 y[], uniform int n) {
    foreach (i = 0 ... n) { s[i] = x[i] + y[i]; d[i] = x[i] - y[i]; p[i] = x[i] * y[i]; q[i] = x[i] / y[i]; }
}"""


@pytest.mark.parametrize("fpu", ["ideal", "rtl"])
def test_numbers_of_16_bits_down_to_the_smallest(fpu: str) -> None:
    kernels: Any = voltac.compile(_HALVES, target="naplespu", launch={"threads": 1, "latency": 2, "fpu": fpu})
    halves = np.arange(1 << 16).astype(np.uint16).view(np.float16)
    halves = halves[~np.isnan(halves)]
    wide = np.zeros(len(halves), np.float32)
    kernels.widen(wide, halves, len(halves))
    assert np.array_equal(wide.view(np.uint32), halves.astype(np.float32).view(np.uint32))
    with np.errstate(all="ignore"):
        between = (halves[::3].astype(np.float32) + np.spacing(halves[::3]).astype(np.float32) / 2)[:-1]
        near = np.nextafter(between, np.float32(0))
        given = np.concatenate([between, near, [2.0**-126, 2.0**-127, 2.0**-149, -(2.0**-149), 3e38]]).astype(np.float32)
        given = given[~np.isnan(given)]
        rounded = given.astype(np.float16)
    narrow = np.zeros(len(given), np.float16)
    kernels.narrow(narrow, given, len(given))
    assert np.array_equal(narrow.view(np.uint16), rounded.view(np.uint16))
    random = np.random.default_rng(2)
    x, y = (random.choice(np.concatenate([halves[:1100], -halves[:1100], halves[::701]]), 800) for _ in range(2))
    found = [np.zeros(len(x), np.float16) for _ in range(4)]
    kernels.compute(*found, x, y, len(x))
    with np.errstate(all="ignore"):
        expected = [x + y, x - y, x * y, x / y]
    for got, right in zip(found, expected):
        # Signs of zero sums are the hardware's.
        assert np.array_equal(got, right, equal_nan=True)
