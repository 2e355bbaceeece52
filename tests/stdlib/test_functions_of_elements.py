"""Every overload of the functions of single elements, on every type, against numpy; appendix A 196 to 204, 213, 227, 228."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from gangs import (
    DTYPES,
    FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNED,
    UNSIGNED,
    WIDE,
    Array,
    arguments,
    compiled,
    dtype,
    every_target,
    lanes_on,
    masks,
    same,
    some,
    some_targets,
    stored,
    under_masks,
    usable,
    varying,
)

import voltac

COUNT = 192
Meaning = Callable[..., Any]


@dataclass(frozen=True)
class Row:
    """A function on one type: ``T`` in ``result`` and ``parameters`` is ``types``, one after the other."""

    name: str
    result: str
    parameters: tuple[str, ...]
    types: tuple[str, ...]
    meaning: Meaning
    units: float = 0
    rates: str = "uv"
    """Which overloads there are: ``u``, ``v``, or ``m``: first parameter uniform, the others varying."""
    defined: Meaning | None = None
    """Arguments for which the result is specified."""


def _exact(operation: Callable[[Any, Any], Any]) -> Meaning:
    """Clamped to the type of the operands."""

    def meaning(a: Array, b: Array) -> Array:
        info = np.iinfo(a.dtype)
        exact = [operation(int(x), int(y)) for x, y in zip(a, b)]
        return np.array([min(max(value, int(info.min)), int(info.max)) for value in exact], a.dtype)

    return meaning


def _toward_zero(a: int, b: int) -> int:
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _average(up: int) -> Meaning:
    def meaning(a: Array, b: Array) -> Array:
        return np.array([_toward_zero(int(x) + int(y) + up, 2) for x, y in zip(a, b)], a.dtype)

    return meaning


def _per_number(function: Callable[[int, int], int], result: Any = None) -> Meaning:
    """A function of (unsigned number, width)."""

    def meaning(a: Array) -> Array:
        bits = a.dtype.itemsize * 8
        return np.array([function(int(x) & ((1 << bits) - 1), bits) for x in a], result or a.dtype)

    return meaning


def _view(type: str) -> Meaning:
    return lambda a: a.view(DTYPES[type])


def _sign(type: str) -> Meaning:
    return lambda a: a.view(DTYPES[type]) & DTYPES[type](1 << 8 * a.dtype.itemsize - 1)


def _dot(parts: int, a_type: str, b_type: str, result: str, clamped: bool) -> Meaning:
    def meaning(a: Array, b: Array, acc: Array) -> Array:
        shape = (len(a), parts)
        products = a.view(DTYPES[a_type]).reshape(shape).astype(object) * b.view(DTYPES[b_type]).reshape(shape).astype(object)
        exact = products.sum(axis=1) + acc.astype(object)
        info = np.iinfo(DTYPES[result])
        if clamped:
            return np.asarray(np.clip(exact, int(info.min), int(info.max)), DTYPES[result])
        return np.array([value & 0xFFFFFFFF for value in exact], np.uint32).view(DTYPES[result])

    return meaning


def _dot_rows() -> list[Row]:
    rows = []
    for name, parts, a, b, result in (
        ("dot4add_u8i8packed", 4, "uint8", "int8", "int32"),
        ("dot4add_u8u8packed", 4, "uint8", "uint8", "uint32"),
        ("dot4add_i8i8packed", 4, "int8", "int8", "int32"),
        ("dot2add_u16i16packed", 2, "uint16", "int16", "int32"),
        ("dot2add_u16u16packed", 2, "uint16", "uint16", "uint32"),
        ("dot2add_i16i16packed", 2, "int16", "int16", "int32"),
    ):
        for suffix, clamped in (("", False), ("_sat", True)):
            meaning = _dot(parts, a, b, result, clamped)
            rows.append(Row(name + suffix, result, ("uint32", "uint32", result), ("",), meaning, rates="v"))
    return rows


def _to_srgb(linear: Array) -> Array:
    """IEC 61966-2-1."""
    v = np.clip(linear.astype(np.float64), 0, 1)
    return 255 * np.where(v <= 0.0031308, 12.92 * v, 1.055 * v ** (1 / 2.4) - 0.055)


def _from_srgb(code: Array) -> Array:
    c = np.clip(code, 0, 255).astype(np.float64) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def _fmod(x: Array, y: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.fmod(x, y)


def _rounded(function: Callable[[Array], Array]) -> Meaning:
    def meaning(a: Array) -> Array:
        with np.errstate(all="ignore"):
            return function(a.astype(np.longdouble)).astype(a.dtype)

    return meaning


def _of_usual_size(a: Array) -> Array:
    return (np.abs(a) > 2.0**-9) & (np.abs(a) < 2.0**9)


T = ("T",)
TT = ("T", "T")
FAMILIES: dict[str, list[Row]] = {
    "logic": [
        Row("and", "bool", ("bool", "bool"), ("",), lambda a, b: a & b),
        Row("or", "bool", ("bool", "bool"), ("",), lambda a, b: a | b),
        Row("select", "T", ("bool", "T", "T"), NUMBERS, lambda c, t, f: np.where(c, t, f), rates="vmu"),
        Row("sign_extend", "int32", ("bool",), ("",), lambda a: -a.astype(np.int32)),
    ],
    "bits": [
        Row("popcnt", "int32", T, ("int32", "int64"), _per_number(lambda x, bits: x.bit_count(), np.int32)),
        Row("count_leading_zeros", "T", T, WIDE, _per_number(lambda x, bits: bits - x.bit_length())),
        Row("count_trailing_zeros", "T", T, WIDE, _per_number(lambda x, bits: (x & -x).bit_length() - 1 if x else bits)),
        Row("intbits", "uint16", T, ("float16",), _view("uint16")),
        Row("intbits", "uint32", T, ("float",), _view("uint32")),
        Row("intbits", "uint64", T, ("double",), _view("uint64")),
        Row("signbits", "uint16", T, ("float16",), _sign("uint16")),
        Row("signbits", "uint32", T, ("float",), _sign("uint32")),
        Row("signbits", "uint64", T, ("double",), _sign("uint64")),
        Row("float16bits", "float16", T, ("uint16", "int16"), _view("float16")),
        Row("floatbits", "float", T, ("uint32", "int32"), _view("float")),
        Row("doublebits", "double", T, ("uint64",), _view("double")),
    ],
    "limits": [
        Row("abs", "T", T, SIGNED, np.abs, defined=lambda a: a != np.iinfo(a.dtype).min),
        Row("abs", "T", T, FLOATS, np.abs),
        Row("min", "T", TT, NUMBERS, lambda a, b: np.where(a < b, a, b)),
        Row("max", "T", TT, NUMBERS, lambda a, b: np.where(a > b, a, b)),
        Row("clamp", "T", ("T", "T", "T"), INTEGERS, lambda v, low, high: np.minimum(np.maximum(v, low), high)),
        Row("clamp", "T", ("T", "T", "T"), FLOATS, lambda v, low, high: np.minimum(np.maximum(v, low), high),
            defined=lambda v, low, high: ~np.isnan(v) & ~np.isnan(low) & ~np.isnan(high) & (low != 0) & (high != 0)),
    ],
    "rounding": [
        Row("round", "T", T, FLOATS, np.rint),
        Row("floor", "T", T, FLOATS, np.floor),
        Row("ceil", "T", T, FLOATS, np.ceil),
        Row("trunc", "T", T, FLOATS, np.trunc),
        Row("fmod", "T", TT, FLOATS, _fmod),
        Row("isnan", "bool", T, FLOATS, np.isnan),
        Row("isinf", "bool", T, FLOATS, np.isinf),
        Row("isfinite", "bool", T, FLOATS, np.isfinite),
        Row("rcp", "T", T, FLOATS, _rounded(lambda a: 1 / a), 2),
        Row("sqrt", "T", T, FLOATS, np.sqrt),
        Row("rsqrt", "T", T, FLOATS, _rounded(lambda a: 1 / np.sqrt(a)), 2),
        Row("rcp_fast", "T", T, ("float",), _rounded(lambda a: 1 / a), 2.0**13, defined=_of_usual_size),
        Row("rcp_fast", "T", T, ("double",), _rounded(lambda a: 1 / a), 2.0**42, defined=_of_usual_size),
        Row("rsqrt_fast", "T", T, ("float",), _rounded(lambda a: 1 / np.sqrt(a)), 2.0**13,
            defined=lambda a: _of_usual_size(a) & (a > 0)),
        Row("rsqrt_fast", "T", T, ("double",), _rounded(lambda a: 1 / np.sqrt(a)), 2.0**42,
            defined=lambda a: _of_usual_size(a) & (a > 0)),
    ],
    "saturation": [
        Row("saturating_add", "T", TT, INTEGERS, _exact(lambda a, b: a + b)),
        Row("saturating_sub", "T", TT, INTEGERS, _exact(lambda a, b: a - b)),
        Row("saturating_mul", "T", TT, INTEGERS, _exact(lambda a, b: a * b)),
        Row("saturating_div", "T", TT, INTEGERS, _exact(_toward_zero), defined=lambda a, b: b != 0),
        Row("avg_up", "T", TT, ("int8", "uint8", "int16", "uint16"), _average(1), rates="v"),
        Row("avg_down", "T", TT, ("int8", "uint8", "int16", "uint16"), _average(0), rates="v"),
        *_dot_rows(),
    ],
    "half": [
        Row("half_to_float", "float", ("uint16",), ("",), lambda h: h.view(np.float16).astype(np.float32)),
        Row("half_to_float_fast", "float", ("uint16",), ("",), lambda h: h.view(np.float16).astype(np.float32),
            defined=lambda h: (h >> 10 & 31 != 0) & (h >> 10 & 31 != 31)),
        Row("float_to_half", "int16", ("float",), ("",), lambda f: f.astype(np.float16).view(np.int16),
            defined=lambda f: ~np.isnan(f)),
        Row("float_to_half_fast", "int16", ("float",), ("",), lambda f: f.astype(np.float16).view(np.int16),
            defined=lambda f: (np.abs(f) > 1e-4) & (np.abs(f) < 65000)),
        Row("srgb8_to_float", "float", ("int32",), ("",), _from_srgb, 2.0**14),
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One overload: the function of one type at one rate."""

    row: Row
    result: str
    parameters: tuple[str, ...]
    rate: str
    number: int

    @property
    def export(self) -> str:
        return f"{self.row.name}_{self.number}"

    def source(self) -> str:
        names = [f"x{k}" for k in range(len(self.parameters))]
        arrays = "".join(f"uniform {stored(type)} a{k}[], " for k, type in enumerate(self.parameters))
        call = f"{self.row.name}({', '.join(names)})" + (" ? 1 : 0" if self.result == "bool" else "")
        head = f"export void {self.export}({arrays}uniform {stored(self.result)} r[], uniform int64 lanes) {{\n"
        declared = []
        for k, type in enumerate(self.parameters):
            if self.rate == "u" or (self.rate == "m" and k == 0):
                declared.append(f"uniform {type} x{k} = a{k}[0]{' != 0' if type == 'bool' else ''};")
            else:
                declared.append(varying(type, f"x{k}", f"a{k}"))
        body = f"r[0] = {call};" if self.rate == "u" else under_masks(f"r[programIndex] = {call};")
        return f"{head}    {' '.join(declared)}\n    {body}\n}}\n"

    def arguments(self) -> list[Array]:
        """Values for which the result is specified."""
        found = arguments(self.parameters, COUNT)
        if self.rate == "m":
            found[0][:] = found[0][0]
        if self.row.defined is not None:
            with np.errstate(all="ignore"):
                (known,) = np.nonzero(self.row.defined(*found))
            found = [np.resize(values[known], COUNT) for values in found]
        return found

    def expected(self, values: list[Array]) -> Array:
        given = [v != 0 if type == "bool" else v for v, type in zip(values, self.parameters)]
        with np.errstate(all="ignore"):
            return np.asarray(self.row.meaning(*given)).astype(dtype(self.result))


def cases(rows: list[Row], target: str = "") -> list[Case]:
    found: list[Case] = []
    for row in rows:
        for type in some(row.types, target) if row.name == "select" else row.types:
            parameters = tuple(type if p == "T" else p for p in row.parameters)
            result = type if row.result == "T" else row.result
            found += [Case(row, result, parameters, rate, len(found) + k) for k, rate in enumerate(row.rates)]
    return found


@some_targets("family", FAMILIES)
def test_every_overload_computes_what_numpy_does(family: str, target: str) -> None:
    width = usable(target).width
    all_cases = cases(FAMILIES[family], target)
    kernels = compiled("".join(case.source() for case in all_cases), target)
    for case in all_cases:
        given = case.arguments()
        expected = case.expected(given)
        kernel = kernels[case.export]
        untouched = np.frombuffer(b"\x5a" * expected.itemsize * COUNT, expected.dtype)
        for mask in (0,) if case.rate == "u" else masks(width):
            result = untouched.copy()
            step = 1 if case.rate == "u" else width
            for start in range(0, COUNT, step):
                kernel(*(v[start : start + step] for v in given), result[start : start + step], mask)
            on = np.resize(lanes_on(mask, width), COUNT) if case.rate != "u" else np.ones(COUNT, np.bool_)
            good = np.where(on, same(result, expected, case.row.units), same(result, untouched))
            bad = ~good
            assert good.all(), (case, hex(mask), [v[bad][0] for v in given], result[bad][0], expected[bad][0])


def _remainders(type: str) -> str:
    arrays = f"uniform {type} x[], uniform {type} y[], uniform {type} r[], uniform int n"
    return (
        f"export void v_{type}({arrays}) {{ foreach (i = 0 ... n) r[i] = fmod(x[i], y[i]); }}\n"
        f"export void m_{type}({arrays}) {{ foreach (i = 0 ... n) {{ r[i] = 1; if (y[i] != 1) r[i] = fmod(x[i], y[i]); }} }}\n"
        f"export void u_{type}({arrays}) {{ for (uniform int i = 0; i < n; ++i) r[i] = fmod(x[i], y[i]); }}\n"
    )


def _check_signs_of_remainders(kernels: Any) -> None:
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, -math.nan, 1.5, -1.5, 0.25, -0.25, 6e-8, -6e-8]
    for type in FLOATS:
        x, y = (side.ravel().copy() for side in np.meshgrid(np.array(special, dtype(type)), np.array(special, dtype(type))))
        with np.errstate(invalid="ignore"):
            expected = np.copysign(np.fmod(x, y), x)
        for rate in "vmu":
            found = np.zeros_like(x)
            kernels[f"{rate}_{type}"](x, y, found, len(x))
            bad = ~((found == expected) | (np.isnan(found) & np.isnan(expected))) | (np.signbit(found) != np.signbit(x))
            assert not bad.any(), (rate, type, x[bad], y[bad], found[bad])


@every_target
def test_a_remainder_has_the_sign_of_its_dividend_also_where_it_is_zero_or_no_number(target: str) -> None:
    usable(target)
    _check_signs_of_remainders(compiled("".join(map(_remainders, FLOATS)), target))


@pytest.mark.parametrize("library", ["fast", "system"])
def test_the_sign_of_a_remainder_is_that_of_other_libraries_too(library: str) -> None:
    _check_signs_of_remainders(voltac.compile("".join(map(_remainders, FLOATS)), math_library=library))  # type: ignore[arg-type]


def test_srgb_codes_are_within_half_a_step() -> None:
    kernel = compiled(
        "export void f(uniform float a[], uniform int r[], uniform int n) {\n"
        "    foreach (i = 0 ... n) r[i] = float_to_srgb8(a[i]); }\n"
        "export uniform int g(uniform float v) { return float_to_srgb8(v); }\n",
        "avx2-i32x8",
    )
    linear = np.concatenate([np.linspace(-0.5, 1.5, 4001), np.geomspace(1e-6, 1, 1000)]).astype(np.float32)
    code = np.empty(len(linear), np.int32)
    kernel.f(linear, code, len(code))
    assert (np.abs(code - _to_srgb(linear)) < 0.55).all()
    assert [kernel.g(k / 10) for k in range(11)] == [0, 89, 124, 149, 170, 188, 203, 218, 231, 243, 255]


def test_srgb_codes_back_to_linear_follow_the_table_of_the_reference() -> None:
    """Appendix B has values up to 2e-4 from the curve, and the conformance cases ask for them to 1e-4."""
    kernel = compiled(
        "export void f(uniform int a[], uniform float r[], uniform int n) {\n"
        "    foreach (i = 0 ... n) r[i] = srgb8_to_float(a[i]); }\n",
        "avx2-i32x8",
    )
    code = np.arange(-5, 300, dtype=np.int32)
    linear = np.empty(len(code), np.float32)
    kernel.f(code, linear, len(code))
    assert np.abs(linear - _from_srgb(code)).max() < 4e-4
    recorded = [0, 0.033098, 0.132870, 0.318675, 0.603662, 0.99999]
    assert np.abs(linear[5 : 5 + 256 : 51] - recorded).max() < 2e-5
    assert (np.diff(linear[5 : 5 + 256]) > 0).all()


def test_unsigned_and_signed_types_are_all_asked() -> None:
    asked = {type for rows in FAMILIES.values() for case in cases(rows) for type in case.parameters}
    assert asked >= {*SIGNED, *UNSIGNED, *FLOATS, "bool"}
