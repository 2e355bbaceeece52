"""Arrays that share memory are refused where the result depends on it; else a call with a copy is the judge."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import voltac

N = 61
HARMLESS = {
    "an element each": "foreach (i = 0 ... n) out[i] = 2 * x[i] + y[i];",
    "a local value": "foreach (i = 0 ... n) { float v = x[i]; float w = v * v; out[i] = w + v; }",
    "a choice": "foreach (i = 0 ... n) out[i] = x[i] > 0 ? x[i] : y[i];",
    "a condition on it": "foreach (i = 0 ... n) { float v = x[i]; if (v > 0) out[i] = sqrt(v); }",
    "a coherent condition": "foreach (i = 0 ... n) cif (x[i] > y[i]) out[i] = y[i]; else y[i] = 1;",
    "a uniform condition": "if (n > 3) { foreach (i = 0 ... n) out[i] = x[i]; }",
    "backwards": "foreach (i = 0 ... n) out[n - 1 - i] = -x[n - 1 - i];",
    "every second": "foreach (i = 0 ... n / 2) out[2 * i + 1] = x[2 * i + 1] + 1;",
    "rows": "uniform int w = 7; foreach (r = 0 ... n / w, c = 0 ... w) out[r * w + c] = 3 * x[r * w + c];",
    "adding": "foreach (i = 0 ... n) out[i] += x[i];",
    "a read of what was written": "foreach (i = 0 ... n) { out[i] = x[i]; y[i] = out[i] + 1; }",
}
DEPENDING = {
    "a neighbour": "foreach (i = 0 ... n - 1) out[i] = x[i + 1];",
    "a read afterwards": "foreach (i = 0 ... n) { out[i] = y[i]; y[i] = x[i]; }",
    "a value used afterwards": "foreach (i = 0 ... n) { float v = x[i]; out[i] = y[i]; y[i] = v; }",
    "a value that is used for another array too": "foreach (i = 0 ... n) { float v = x[i]; out[i] = v; y[i] = v; }",
    "another loop": "foreach (i = 0 ... n) out[i] = y[i]; foreach (i = 0 ... n) y[i] = x[i];",
    "a loop around": "for (uniform int k = 0; k < 3; ++k) { foreach (i = 0 ... n) out[i] = x[i] + y[i]; }",
    "a loop inside": "foreach (i = 0 ... n) for (uniform int k = 0; k < 3; ++k) out[i] = x[i] + y[i];",
    "every lane the same": "foreach (i = 0 ... n) { if (i == 3) out[0] = x[0]; }",
    "indices from memory": "foreach (i = 0 ... n) out[i] = x[(int)y[i] & 7];",
    "a reversal": "foreach (i = 0 ... n) out[i] = x[n - 1 - i];",
    "two stores": "foreach (i = 0 ... n) { out[i] = x[i]; out[i] = x[i] + 1; }",
    "unmasked": "foreach (i = 0 ... n) { unmasked { out[i & 7] = x[i & 7]; } }",
    "a row shorter than its distance": "foreach (r = 0 ... 3, c = 0 ... 7) out[r * 4 + c] = x[r * 4 + c];",
    "a pointer in a variable": "uniform float * uniform p = n > 3 ? x : y; foreach (i = 0 ... n) out[i] = p[i];",
    "a function": "put(out, x, n);",
    "no foreach": "for (uniform int i = 0; i < n; ++i) out[i] = x[i];",
}
HEAD = "static void put(uniform float a[], uniform float b[], uniform int n) { foreach (i = 0 ... n) a[i] = b[i]; }\n"


def kernel(body: str, **options: Any) -> Any:
    source = HEAD + f"export void f(uniform float x[], uniform float y[], uniform float out[], uniform int n) {{ {body} }}"
    settings: dict[str, Any] = {"target": "sse4-i32x4", "cache": False} | options
    return voltac.compile(source, **settings).f


def both_ways(f: Any) -> list[Any]:
    return [f, f._arguments]


def arrays() -> tuple[Any, Any]:
    x = np.random.default_rng(1).normal(size=N + 40).astype(np.float32)[:N]
    return x, np.linspace(-1, 1, N + 40).astype(np.float32)[:N]


def expect_as_with_a_copy(f: Any) -> None:
    x, y = arrays()
    expected, expected_y = x.copy(), y.copy()
    f(x.copy(), expected_y, expected, N)
    f(x, y, x, N)
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(y, expected_y)


@pytest.mark.parametrize("what", HARMLESS)
@pytest.mark.parametrize(
    "options", [{}, {"opt": 0}, {"target": "avx2-i32x8"}, {"target": "host"}, {"target": "host", "opt": 3}]
)
def test_the_same_array_is_taken_where_that_changes_nothing(what: str, options: dict[str, Any]) -> None:
    expect_as_with_a_copy(kernel(HARMLESS[what], **options))


@pytest.mark.parametrize("what", HARMLESS)
def test_one_that_begins_elsewhere_is_not(what: str) -> None:
    f, (x, y) = kernel(HARMLESS[what]), arrays()
    for call in both_ways(f):
        for a, out in ((x[1:], x[:-1]), (x[:-1], x[1:])):
            with pytest.raises(
                ValueError, match=r"argument 1 'x' .* must be apart from argument 3 'out', which the kernel writes"
            ):
                call(a, y, out, 8)
        call(x[:30], y, x[30:], 8)
        call(x[30:], y, x[:30], 8)
        call(x[3:3], y, x, 0)


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "host"])
def test_long_arrays_that_begin_anywhere_are_taken_too(target: str) -> None:
    """Long loops begin with a short gang, and others end with one that overlaps: no element is done twice in place."""
    f = kernel("foreach (i = 0 ... n) out[i] = 3 * x[i];", target=target)
    for count in (5, 13, 61, 300, 1001):
        for offset in range(16):
            array = np.arange(count + 16, dtype=np.float32)[offset : offset + count]
            wanted = 3 * array
            f(array, np.ones(count, np.float32), array, count)
            np.testing.assert_array_equal(array, wanted)


@pytest.mark.parametrize("what", DEPENDING)
def test_the_same_array_is_refused_where_the_result_may_depend_on_it(what: str) -> None:
    f, (x, y) = kernel(DEPENDING[what]), arrays()
    for call in both_ways(f):
        before = x.copy()
        with pytest.raises(
            ValueError, match=r"must be apart from argument . '(x|out)'.*; pass x\.copy\(\), or give the call copy=True"
        ):
            call(x, y, x, 8)
        np.testing.assert_array_equal(x, before)
        expected = np.zeros_like(x)
        expected[:] = x
        call(x.copy(), y.copy(), expected, 8)
        call(x, y.copy(), x, 8, copy=True)
        np.testing.assert_array_equal(x, expected)


STATEMENTS = [
    "float v{k} = {a}[i];",
    "float v{k} = {a}[i] + {v};",
    "out[i] = {v};",
    "out[i] = {a}[i] * {v};",
    "out[i] += {a}[i];",
    "y[i] = {v};",
    "if ({v} > 0) out[i] = {v};",
    "if ({a}[i] > {v}) {{ out[i] = {v}; }} else {{ y[i] = {a}[i]; }}",
]


@pytest.mark.parametrize("seed", range(40))
def test_random_bodies_that_are_taken_give_what_a_copy_gives(seed: int) -> None:
    chance = random.Random(seed)
    values, body = ["1.5f"], ""
    for number in range(chance.randrange(1, 5)):
        statement = chance.choice(STATEMENTS)
        body += statement.format(k=number, a=chance.choice(("x", "x", "y", "out")), v=chance.choice(values)) + " "
        values += [f"v{number}"] if statement.startswith("float") else []
    f = kernel(f"foreach (i = 0 ... n) {{ {body}}}", target=chance.choice(("sse4-i32x4", "avx2-i32x16", "host")))
    try:
        expect_as_with_a_copy(f)
    except ValueError as error:
        assert "must be apart" in str(error)


def test_what_is_only_read_may_share_memory() -> None:
    f = kernel("foreach (i = 0 ... n) out[i] = x[i + 1] + y[i];")
    x, out = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
    f(x, x, out, 30)
    np.testing.assert_array_equal(out[:30], 2 * x[:30] + 1)


def test_strided_arrays_are_copied_there_and_back_on_request() -> None:
    f, (x, y) = kernel(HARMLESS["an element each"]), arrays()
    table = np.zeros((3, N), np.float32)
    expected = table.copy()
    expected[1, ::2] = 2 * x[::2] + y[: len(x[::2])]
    f(x[::2], y, table[1, ::2], len(x[::2]), copy=True)
    np.testing.assert_array_equal(table, expected)
    with pytest.raises(ValueError, match=r"C-contiguous.*, or give the call copy=True"):
        f(x[::2], y, table[1], 8)
    raw = np.zeros(4 * N + 1, np.uint8)[1:].view(np.float32)
    f(x, y, raw, N, copy=True)
    np.testing.assert_array_equal(raw, 2 * x + y)
    fixed = table[:, ::2]
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        f(x, y, fixed, 8, copy=True)
    with pytest.raises(TypeError, match="takes copy=True or copy=False, not int 1"):
        f(x, y, raw, N, copy=1)


def test_a_parameter_may_be_called_copy() -> None:
    g = voltac.compile("export uniform int g(uniform int copy) { return copy + 1; }", target="sse4-i32x4", cache=False).g
    assert g(copy=4) == 5


def test_devices_refuse_and_copy_as_well() -> None:
    f, (x, y) = kernel(DEPENDING["a neighbour"], target="naplespu"), arrays()
    expected = x.copy()
    f(x.copy(), y, expected, N)
    with pytest.raises(ValueError, match="must be apart"):
        f(x, y, x, N)
    f(x, y, x, N, copy=True)
    np.testing.assert_array_equal(x, expected)
    table = np.zeros((N, 2), np.float32)
    f(x, y, table[:, 1], N, copy=True)
    np.testing.assert_array_equal(table[: N - 1, 1], x[1:])
    assert not table[:, 0].any()
