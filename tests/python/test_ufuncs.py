"""``voltac.ufunc``: what numpy's own ufuncs do, kernels do as ufuncs, element by element the same."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import voltac

TYPES = {
    "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8",
    "float16": "f2", "float": "f4", "double": "f8",
}  # fmt: skip
ADDITIONS = "\n".join(
    f"export uniform {name} add_{code}(uniform {name} a, uniform {name} b) {{ return a + b; }}" for name, code in TYPES.items()
)
PROGRAM = (
    ADDITIONS
    + """
#define n 3
#define voltac 4
static inline uniform float twice(uniform float a) { return 2 * a; }
export uniform float mixed(uniform float a, uniform float b) {
    uniform float sum = 0;
    for (uniform int i = 0; i < n; ++i) {
        if (a > b) sum += a * b;
        else sum -= i;
    }
    return a < 0 ? sqrt(-a) + sum : sum;
}
export uniform float helped(uniform float a) { return twice(a) + 1; }
export uniform float inverse(uniform float a) { return 1 / a; }
export uniform bool above(uniform float a, uniform double b) { return a > b; }
export uniform float clip(uniform float a, uniform float low, uniform float high) { return min(max(a, low), high); }
export uniform int collatz(uniform int a) {
    uniform int steps = 0;
    while (a > 1) { a = (a & 1) ? 3 * a + 1 : a >> 1; ++steps; }
    return steps;
}
export uniform int divide(uniform int a, uniform int b) { return a / b; }
export void none() { }
export uniform float nothing() { return 1; }
#undef n
export uniform float total(uniform float a[n], uniform int n) {
    varying float sum = 0;
    foreach (i = 0 ... n) sum += a[i];
    return reduce_add(sum);
}
export uniform double dot(uniform double a[n], uniform double b[n], uniform int64 n) {
    varying double sum = 0;
    foreach (i = 0 ... n) sum += a[i] * b[i];
    return reduce_add(sum);
}
export void scaled(uniform float a[n], uniform float by, uniform float out[n], uniform int n) {
    foreach (i = 0 ... n) out[i] = a[i] * by;
}
export uniform float pair(uniform float<2> a[n], uniform int n) { return a[0].x; }
export void two(uniform float a[n], uniform float b[n], uniform int n) { foreach (i = 0 ... n) { a[i] = 0; b[i] = 0; } }
"""
)


@pytest.fixture(scope="module")
def k() -> voltac.KernelModule:
    return voltac.compile(PROGRAM, file="ufuncs.ispc")


def mixed(a: Any, b: Any) -> Any:
    sums = np.where(a > b, 3 * a * b, np.float32(-3))
    return np.where(a < 0, np.sqrt(np.abs(a)) + sums, sums)


def numbers(*shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng(3).standard_normal(shape, np.float32)


def test_it_is_a_ufunc_over_lanes(k: voltac.KernelModule) -> None:
    f = voltac.ufunc(k.mixed)
    assert isinstance(f, np.ufunc) and (f.nin, f.nout, f.types, f.__name__) == (2, 1, ["ff->f"], "mixed")
    assert f"over {k.width} lanes" in f.__doc__
    assert voltac.ufunc(k.mixed, name="blend").__name__ == "blend"


@pytest.mark.parametrize("count", [0, 1, 3, 16, 17, 1000, 20_000])
def test_arrays_of_every_length(k: voltac.KernelModule, count: int) -> None:
    f = voltac.ufunc(k.mixed)
    a, b = numbers(2, count)
    np.testing.assert_allclose(f(a, b), mixed(a, b), rtol=1e-6)
    np.testing.assert_allclose(f(a, 0.5), mixed(a, np.float32(0.5)), rtol=1e-6)
    np.testing.assert_allclose(f(0.5, b), mixed(np.float32(0.5), b), rtol=1e-6)


def test_lanes_and_calls_give_the_same_bits(k: voltac.KernelModule) -> None:
    a, b = numbers(2, 100)
    assert voltac.ufunc(k.mixed)(a, b).tolist() == [k.mixed(x, y) for x, y in zip(a, b, strict=True)]


def test_strides_broadcasting_and_orders(k: voltac.KernelModule) -> None:
    f = voltac.ufunc(k.mixed)
    a = numbers(12, 30)
    for x, y in (
        (a[::2, ::3], a[1::2, 2::3]),
        (a[::-1], a[:, ::-1]),
        (a.T, a.T[::-1]),
        (a[:, :1], a[:1]),
        (a, a[0]),
        (a[3:3], a[3:3]),
        (a[0, 0], a[1, 1]),
        (np.asfortranarray(a), a),
        (np.broadcast_to(a[0], a.shape), a),
    ):
        np.testing.assert_allclose(f(x, y), mixed(x, y), rtol=1e-6)
    record = np.zeros(50, [("pad", "i1"), ("x", "f4")])
    record["x"] = numbers(50)
    np.testing.assert_allclose(f(record["x"], 1.0), mixed(record["x"], np.float32(1)), rtol=1e-6)


def test_out_where_and_casting(k: voltac.KernelModule) -> None:
    f = voltac.ufunc(k.mixed)
    a, b = numbers(2, 100)
    expected = mixed(a, b)
    out = np.full(200, 7, np.float32)
    assert f(a, b, out=out[::2]) is not None
    np.testing.assert_allclose(out[::2], expected, rtol=1e-6)
    assert (out[1::2] == 7).all()
    masked = f(a, b, where=a > 0, out=np.full(100, 7, np.float32))
    np.testing.assert_allclose(masked, np.where(a > 0, expected, 7), rtol=1e-6)
    wide = f(a, b, out=np.empty(100))
    np.testing.assert_allclose(wide, expected, rtol=1e-6)
    copy = a.copy()
    np.testing.assert_allclose(f(copy, b, out=copy), expected, rtol=1e-6)
    # Shifted within one array: as if the input had been read before.
    line = a.copy()
    np.testing.assert_allclose(f(line[:-1], b[:-1], out=line[1:]), expected[:-1], rtol=1e-6)
    with pytest.raises(TypeError, match=r"could not be safely coerced"):
        f(a.astype(float), b)
    np.testing.assert_allclose(f(a.astype(float), b, casting="same_kind", dtype=np.float32), expected, rtol=1e-6)
    with pytest.raises(ValueError, match="broadcast"):
        f(a, b[:-1])
    with pytest.raises(TypeError, match="arguments"):
        f(a)


@pytest.mark.parametrize("code", TYPES.values())
def test_every_type_of_number_adds_reduces_and_accumulates(k: voltac.KernelModule, code: str) -> None:
    add: Any = voltac.ufunc(k[f"add_{code}"], identity=0)
    a = np.arange(60).reshape(4, 15).astype(code)
    for x in (a, a[:, ::-2], a.T):
        assert (add(x, x) == x + x).all() and add(x, x).dtype == x.dtype
        for axis in (0, 1, None):
            np.testing.assert_array_equal(add.reduce(x, axis=axis), np.add.reduce(x, axis=axis, dtype=code))
        np.testing.assert_array_equal(add.accumulate(x, axis=1), np.add.accumulate(x, axis=1, dtype=code))
    np.testing.assert_array_equal(add.reduceat(a[0], [0, 4, 2]), np.add.reduceat(a[0], [0, 4, 2], dtype=code))
    np.testing.assert_array_equal(add.outer(a[0], a[1]), np.add.outer(a[0], a[1]))
    assert add.reduce(a[:0].ravel()) == 0
    at = np.zeros(4, code)
    add.at(at, [0, 1, 1, 3], at.dtype.type(1))
    assert at.tolist() == [1, 2, 0, 1]


def test_without_an_identity_nothing_has_no_sum(k: voltac.KernelModule) -> None:
    with pytest.raises(ValueError, match="zero-size array to reduction operation add_f4 which has no identity"):
        voltac.ufunc(k.add_f4).reduce(np.zeros(0, np.float32))


def test_one_ufunc_for_several_types(k: voltac.KernelModule) -> None:
    add = voltac.ufunc(k.add_i4, k.add_f4, k.add_f8, name="add")
    assert add.types == ["ii->i", "ff->f", "dd->d"]
    assert add(np.int32(1), np.int16(2)).dtype == np.int32
    assert add(numbers(3), numbers(3)).dtype == np.float32 and add(numbers(3), 1).dtype == np.float32
    assert add(2**40, 1) == 2**40 + 1
    assert voltac.ufunc(k.above)(np.array([1, 2, 3], np.float32), 2.0).tolist() == [False, False, True]


def test_lanes_that_are_off_leave_no_warnings(k: voltac.KernelModule) -> None:
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for count in (1, 5, 33):
            assert (voltac.ufunc(k.inverse)(np.ones(count, np.float32)) == 1).all()


def test_loops_and_three_arguments(k: voltac.KernelModule) -> None:
    def collatz(a: int) -> int:
        return 0 if a <= 1 else 1 + collatz(3 * a + 1 if a & 1 else a // 2)

    f = voltac.ufunc(k.collatz)
    assert "lanes" in f.__doc__ and f(np.arange(99, dtype=np.int32)).tolist() == [collatz(a) for a in range(99)]
    a = numbers(5, 40)
    clip = voltac.ufunc(k.clip)
    np.testing.assert_array_equal(clip(a, -0.5, 0.5), np.clip(a, np.float32(-0.5), np.float32(0.5)))
    np.testing.assert_array_equal(clip(a, a[0], a[:, :1]), np.minimum(np.maximum(a, a[0]), a[:, :1]))


def test_what_has_no_copy_for_lanes_runs_one_by_one(k: voltac.KernelModule) -> None:
    f = voltac.ufunc(k.helped)
    assert "element by element" in f.__doc__
    a = numbers(3, 40)
    np.testing.assert_allclose(f(a[:, ::3]), 2 * a[:, ::3] + 1, rtol=1e-6)
    state = voltac.compile(
        "export uniform int f(uniform int a) { static uniform int sum = 0; sum += a; return sum; }", target="avx2-i32x8"
    )
    assert voltac.ufunc(state.f)(np.arange(6, dtype=np.int32)).tolist() == [0, 1, 3, 6, 10, 15]
    assert "'static'" in voltac.ufunc(state.f).__doc__


def test_rows_are_reduced_by_a_generalised_ufunc(k: voltac.KernelModule) -> None:
    total: Any = voltac.ufunc(k.total)
    a = numbers(4, 5, 60)
    assert total.signature == "(n)->()"
    for x in (a, a[:, ::2, ::3], a.T, a[:, :, ::-1], a[:0], a[:, :, :0]):
        np.testing.assert_allclose(total(x), x.sum(-1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(total(a, axis=0), a.sum(0), rtol=1e-4, atol=1e-5)
    dot: Any = voltac.ufunc(k.dot)
    assert dot.signature == "(n),(n)->()"
    b = a.astype(float)
    np.testing.assert_allclose(dot(b, b[0, 0]), b @ b[0, 0])
    np.testing.assert_allclose(dot(a, 1.0 * a), (b * b).sum(-1))
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        dot(b, b[:, :, :-1])
    scaled: Any = voltac.ufunc(k.scaled)
    assert scaled.signature == "(n),()->(n)"
    out = np.zeros((60, 5, 4), np.float32).T
    by = np.array([1, 2, 3, 4, 5], np.float32)
    np.testing.assert_array_equal(scaled(a, by, out=out), a * by[:, None])


def test_what_is_no_ufunc_is_told_so(k: voltac.KernelModule) -> None:
    for kernels, text in (
        ((k.divide,), r"divide.* is no ufunc: it may fail \(assert, integer division\)"),
        ((k.none,), "'void' is no number"),
        ((k.nothing,), "it has no parameters"),
        ((k.pair,), r"'a' .* is no array of uniform numbers"),
        ((k.two,), "it has to give a number or write to one array, and to no other"),
        ((k.add_f4, k.inverse), "take the same number of arguments"),
        ((abs,), r"ufunc\(\) takes kernels, k\.name"),
        ((), "needs a kernel"),
        ((voltac.compile("export uniform int f(uniform int a) { return a; }", target="naplespu").f,), "it is for naplespu"),
    ):
        with pytest.raises(TypeError, match=text):
            voltac.ufunc(*kernels)
