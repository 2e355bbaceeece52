"""Varying integer division and remainder: exact for every operand, no trap, no scalar division; also of index formulas."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gangs import QUICK, SIGNED, UNSIGNED, Array, compiled, every_target, usable
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.llvm import can_run
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TYPES = (*SIGNED, *UNSIGNED)
SOURCE = "".join(
    f"""
export void each_{T}(uniform {T} a[], uniform {T} b[], uniform {T} q[], uniform {T} r[], uniform int n) {{
    foreach (i = 0 ... n) {{ q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }}
}}
export void one_{T}(uniform {T} a[], uniform {T} b, uniform {T} q[], uniform {T} r[], uniform int n) {{
    foreach (i = 0 ... n) {{ q[i] = a[i] / b; r[i] = a[i] % b; }}
}}
export void seven_{T}(uniform {T} a[], uniform {T} q[], uniform {T} r[], uniform int n) {{
    foreach (i = 0 ... n) {{ q[i] = a[i] / 7; r[i] = a[i] % 10; }}
}}
export void where_not_zero_{T}(uniform {T} a[], uniform {T} b[], uniform {T} q[], uniform {T} r[], uniform int n) {{
    foreach (i = 0 ... n) if (b[i] != 0) {{ q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }}
}}
"""
    for T in TYPES
)
SCALAR_DIVISION = re.compile(r"^\s*i?div[bwlq]\b", re.MULTILINE)


def divided(a: Array, b: Array) -> tuple[Array, Array]:
    """C's quotient and remainder, wrapped; exact integers where numpy's own would overflow."""
    wide = np.dtype(object) if a.dtype.itemsize == 8 else np.dtype(np.int64)
    x, y = a.astype(wide), b.astype(wide)
    size = abs(x) // abs(y)
    quotient = np.where((x < 0) == (y < 0), size, -size)
    rest = x - quotient * y
    if a.dtype.itemsize < 8:
        return quotient.astype(a.dtype), rest.astype(a.dtype)
    mask = (1 << 64) - 1
    first, second = (np.array([int(v) & mask for v in part], np.uint64).view(a.dtype) for part in (quotient, rest))
    return first, second


def operands(dtype: np.dtype) -> tuple[Array, Array]:
    """Of 8 bits all pairs; else pairs of special numbers, and random bits of random sizes."""
    bits = 8 * dtype.itemsize
    kind = np.dtype(f"u{dtype.itemsize}")
    if bits == 8:
        every = np.arange(256, dtype=kind)
        a, b = np.repeat(every, 256), np.tile(every, 256)
    else:
        random = np.random.default_rng(bits)
        special = {1 << k for k in range(bits)} | {(1 << k) - 1 for k in range(1, bits + 1)} | {(1 << bits) - 2, 3, 10}
        numbers = np.array(sorted(special), kind)[:: 6 if bits == 64 else 3]
        a, b = np.repeat(numbers, len(numbers)), np.tile(numbers, len(numbers))
        shifts = random.integers(0, bits, (2, 1000)).astype(kind)
        wild = random.integers(0, (1 << bits) - 1, (2, 1000), kind, endpoint=True) >> shifts
        # Multiples and their neighbours: where a rounded quotient would be one too large.
        products = wild[1] * (wild[0] % kind.type(1000))
        a = np.concatenate([a, wild[0], products, products - kind.type(1)])
        b = np.concatenate([b, wild[1], wild[1], wild[1]])
    return a.view(dtype), b.view(dtype)


@every_target
def test_quotients_and_remainders_are_exact(target: str) -> None:
    usable(target)
    kernels = compiled(SOURCE, target)
    for type in TYPES:
        a, b = operands(np.dtype(type))
        q, r = np.full_like(a, 77), np.full_like(a, 78)
        kernels[f"where_not_zero_{type}"](a, b, q, r, len(a))
        on = b != 0
        expected = divided(a[on], b[on])
        assert (q[on] == expected[0]).all() and (r[on] == expected[1]).all(), type
        assert (q[~on] == 77).all() and (r[~on] == 78).all(), "lanes that are off neither trap nor store"
        a, b = a[on].copy(), b[on].copy()
        q, r = np.empty_like(a), np.empty_like(a)
        kernels[f"each_{type}"](a, b, q, r, len(a))
        assert (q == expected[0]).all() and (r == expected[1]).all(), type
        some = a[:: len(a) // 200].copy()
        q, r = np.empty_like(some), np.empty_like(some)
        kernels[f"seven_{type}"](some, q, r, len(some))
        tens = divided(some, np.full_like(some, 10))[1]
        assert (q == divided(some, np.full_like(some, 7))[0]).all() and (r == tens).all(), type
        for divisor in {int(v) for v in b[:: len(b) // 8]}:
            kernels[f"one_{type}"](some, divisor, q, r, len(some))
            expected_q, expected_r = divided(some, np.full_like(some, divisor))
            assert (q == expected_q).all() and (r == expected_r).all(), (type, divisor)


@every_target
def test_division_by_zero_does_not_trap_in_c_programs(target: str) -> None:
    """Called from Python it is an exception: tests/python/test_divisions_by_zero.py."""
    if not can_run(usable(target)):
        pytest.skip(f"this CPU cannot run {target}, and to the interpreter of the IR what has no value is an error")
    kernels = compile_kernels(SOURCE, target, opt=2, catch_failures=False)
    for type in TYPES:
        a = np.array([5, 6, 7, 8] * 8, type)
        b = np.array([0, 2, 0, 3] * 8, type)
        q, r = np.empty_like(a), np.empty_like(a)
        kernels[f"each_{type}"](a, b, q, r, len(a))
        assert (q[1::2] == a[1::2] // b[1::2]).all() and (r[1::2] == a[1::2] % b[1::2]).all()


@pytest.mark.parametrize("target", QUICK)
def test_no_scalar_divisions(target: str) -> None:
    job = compile_source(SOURCE, "f.ispc", Options(target=find_target(target), level=1), Diagnostics())
    assert not SCALAR_DIVISION.search(job.optimized.assembly())


def test_indices_divided_by_constants_are_products() -> None:
    kernels = compiled(
        "export void f(uniform int a[], uniform int r[], uniform int n) { foreach (i = 0 ... n) r[i] = a[i / 3] + i % 5; }\n",
        "avx2-i32x8",
    )
    a, r = np.arange(400, dtype=np.int32) * 3, np.zeros(1000, np.int32)
    kernels.f(a, r, 1000)
    k = np.arange(1000)
    assert (r == a[k // 3] + k % 5).all()
    assert not SCALAR_DIVISION.search(kernels.assembly("f"))


ALL_PAIRS = """
export uniform int64 wrong(uniform int from, uniform int to) {
    int64 count = 0;
    for (uniform int64 a = from; a < to; ++a)
        foreach (k = 1 ... 65536) {
            T x = (T)a, y = (T)k;
            int q = (int)(T)(x / y), r = (int)(T)(x % y), divisor = (int)y;
            bool good = q * divisor + r == (int)x && abs(r) < abs(divisor) && (r == 0 || (r < 0) == ((int)x < 0));
            // The one quotient that does not fit.
            good = good || ((int)x == -32768 && divisor == -1 && q == -32768 && r == 0);
            count += good ? 0 : 1;
        }
    return reduce_add(count);
}
"""


@pytest.mark.long
@pytest.mark.parametrize("type", ["int16", "uint16"])
@pytest.mark.parametrize("target", QUICK)
def test_all_pairs_of_16_bits(target: str, type: str) -> None:
    usable(target)
    assert compiled(ALL_PAIRS.replace("T ", f"{type} ").replace("(T)", f"({type})"), target).wrong(0, 65536) == 0
