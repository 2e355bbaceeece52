"""Two gangs at once through branches that seldom go one of their ways: whichever gang goes it, each gets what it gets alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from guard_pages import Array
from judged_kernels import JudgedKernels

BITS = "static inline int bits(float x) { return isnan(x) ? 1 : intbits(x); }\n"
"""Of numbers: what is none has no certain sign."""
ARRAYS = "uniform int out[], const uniform float a[], const uniform float b[], uniform int n"
HEAD = "export void {}(" + ARRAYS + ") {{ foreach (i = 0 ... n)\n"
SOURCE = (
    BITS
    + HEAD.format("powers")
    + "out[i] = bits(pow(a[i], b[i])); }"
    + HEAD.format("waves")
    + "out[i] = bits(sqrt(-2 * log(a[i])) * cos(a[i] + 2 * b[i]) + exp(b[i])); }"
    + HEAD.format("twice")
    + "out[i] = bits(pow(a[i], b[i]) + pow(a[i], 0.3f * b[i])); }"
    + HEAD.format("some")
    + "out[i] = bits(a[i] > 0.5f ? 1 + pow(a[i], b[i]) : b[i]); }"
    + HEAD.format("nested")
    + """{
        float y = b[i];
        if (a[i] > 0.3f) { y = pow(a[i], y); if (b[i] > 0) y += exp(a[i] * sqrt(y / (1 + y * y))) / (3 + y); }
        out[i] = bits(y);
    } }
    """
    + HEAD.format("stored")
    + "if (a[i] > 0.5f) out[i] = bits(pow(a[i], b[i])); }"
    + """
export void in_place(uniform float a[], const uniform float b[], uniform int n) {
    foreach (i = 0 ... n) a[i] = pow(a[i], b[i]);
}
export void in_turn(uniform float a[], const uniform float b[], uniform int n, uniform int far) {
    foreach (i = 0 ... n) a[i + far] = pow(a[i], b[i]);
}
"""
)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, -2.0, 1e-42, 3e38, 1e30)


def nested(a: Array, b: Array) -> Array:
    """What the kernel of the name computes where its outer condition holds."""
    y = a**b
    return y + np.where(b > 0, np.exp(a * np.sqrt(y / (1 + y * y))) / (3 + y), 0)


MEANING: dict[str, Any] = {
    "powers": lambda a, b: a**b,
    "twice": lambda a, b: a**b + a ** (0.3 * b),
    "some": lambda a, b: np.where(a > 0.5, 1 + a**b, b),
    "nested": lambda a, b: np.where(a > np.float32(0.3), nested(a, b), b),
    "stored": lambda a, b: np.where(a > 0.5, a**b, 0),
    "waves": lambda a, b: np.sqrt(-2 * np.log(a)) * np.cos(a + 2 * b) + np.exp(b),
}


@pytest.fixture(scope="module")
def kernels() -> JudgedKernels:
    return JudgedKernels(SOURCE)


def one_by_one(kernels: JudgedKernels, name: str, a: Array, b: Array) -> Array:
    """Bits of what calls for one element each come to, which no two gangs ever do."""
    out, one = np.empty(len(a), np.int32), np.empty(1, np.int32)
    for at in range(len(a)):
        one[0] = 0
        kernels.call(name, one, a[at : at + 1].copy(), b[at : at + 1].copy(), 1)
        out[at] = one[0]
    return out


def numbers(n: int, seed: int) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    return random.uniform(0.1, 0.9, n).astype(np.float32), random.uniform(-4, 4, n).astype(np.float32)


@pytest.mark.parametrize("name", list(MEANING))
def test_each_gang_goes_its_own_way(kernels: JudgedKernels, name: str) -> None:
    width = kernels.width
    text = kernels.text[kernels.text.index(f"@{name}(") :]
    assert f"<{2 * width} x float>" in text[: text.index("\n}")]
    n = 5 * width + 3
    for number, special in enumerate(SPECIAL):
        a, b = numbers(n, number)
        # In the first gang of two, in the second one, in both, in the rest.
        a[[3, 3 * width + 1, 4 * width - 1 - number % 3]] = special
        b[[1, 2 * width, 3 * width + 2]] = (special, 1e9, special)
        wanted = one_by_one(kernels, name, a, b)
        with np.errstate(all="ignore"):
            exact = MEANING[name](a.astype(float), b.astype(float)).astype(np.float32)
        usual = np.isfinite(exact) & (abs(b) < 8)
        assert np.allclose(wanted.view(np.float32)[usual], exact[usual], rtol=1e-5, atol=1e-5)
        kernels.expect(name, [np.zeros(len(a), np.int32), a, b], (n,), wanted, interpreted=number == 4 and width == 8)
    kernels.check()


def test_gangs_without_a_lane_that_wants_it(kernels: JudgedKernels) -> None:
    width = kernels.width
    n = 6 * width + 1
    for pattern in range(4):  # No lane of the first gang of two, of the second one, of both, of all that follow.
        a, b = numbers(n, pattern)
        gangs = np.arange(n) // width
        a[(gangs % 2 == pattern) | (pattern == 2) | ((pattern == 3) & (gangs > 1))] = 0.2
        a[3], b[2 * width] = np.nan, np.inf
        for name in ("some", "nested", "stored"):
            wanted = one_by_one(kernels, name, a, b)
            kernels.expect(name, [np.zeros(n, np.int32), a, b], (n,), wanted, interpreted=pattern == 0)
    kernels.check()


def test_every_remainder_in_place_and_far_places(kernels: JudgedKernels) -> None:
    """Calls that change what they load are judged once, all together."""
    width = kernels.width
    for n in (0, 1, width - 1, width, 2 * width - 1, 2 * width, 2 * width + 1, 4 * width + 1):
        a, b = numbers(n, n)
        a[::5] = np.inf
        wanted = one_by_one(kernels, "powers", a, b)
        kernels.expect("powers", [np.zeros(n, np.int32), a, b], (n,), wanted, interpreted=False)
        kernels.expect("in_place", [a, b], (n,), wanted.view(np.float32), interpreted=False)
    for gangs in (1, 2, 3):  # What a gang stores the next one loads, or one behind it.
        n, far = 4 * width, gangs * width
        a, b = numbers(n + far, gangs)
        a[[2, width + 1]] = np.inf
        changed = a.copy()
        for begin in range(0, n, width):
            lanes = slice(begin, begin + width)
            found = one_by_one(kernels, "powers", changed[lanes], b[lanes])
            changed[begin + far : begin + far + width] = found.view(np.float32)
        kernels.expect("in_turn", [a, b], (n, far), changed, interpreted=False)
    kernels.check()


def test_two_gangs_of_sixteen_on_avx512() -> None:
    """What they come to is the same on all processors with fused multiply-add."""
    source = BITS + HEAD.format("nested") + "out[i] = bits(log(2 + log(2 + a[i]) * log(3 + b[i] * b[i]))); }"
    kernels = JudgedKernels(source, "avx512skx-x16")
    assert "<32 x float>" in kernels.text
    a, b = numbers(33, 1)
    a[20] = -3
    wanted = one_by_one(JudgedKernels(source), "nested", a, b)
    kernels.expect("nested", [np.zeros(33, np.int32), a, b], (33,), wanted, interpreted=False)
    kernels.check()


@pytest.mark.parametrize(
    "body",
    [
        'if (any(a[i] > 1e30f)) print("%", a[i]); out[i] = intbits(pow(a[i], 3.3f));',  # others see it
        # What asks for any lane is looked at for something else, too.
        "out[i] = intbits(pow(a[i], 3.3f)) + popcnt(packmask((unsigned int)intbits(a[i]) - 0x800000 >= 0x7F000000));",
        # Work that a lane which is off does something by, and one whose value is another where it is skipped.
        "float y = a[i]; if (any(y > 0.5f)) y = pow(y + 3, 3.3f); out[i] = intbits(y);",
        "int x = a[i] > 0.5f ? 1 : 2; for (int j = 0; j < x; j++) x += out[j]; out[i] = x;",
    ],
)
def test_other_branches_stay(body: str) -> None:
    head = "export void other(uniform int out[], const uniform float a[], uniform int n)"
    assert "<16 x float>" not in JudgedKernels(f"{head} {{ foreach (i = 0 ... n) {{ {body} }} }}").text
