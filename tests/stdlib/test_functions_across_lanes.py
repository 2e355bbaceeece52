"""Movement, reductions, scans and packed accesses of every type under every kind of mask; appendix A 214 to 218, 220, 222."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gangs import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    Array,
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
    values,
    varying,
)

Meaning = Callable[[Array, Array, Array, int], Any]


@dataclass(frozen=True)
class Row:
    """A call of values x and y and a number n, what it gives for (x, y, active lanes, n), and which n to try."""

    name: str
    call: str
    types: tuple[str, ...]
    meaning: Meaning
    numbers: str = "0"
    """A Python expression over W."""
    result: str = "T"
    uniform: bool = False
    exact: bool = True
    """Otherwise the sum is of numbers whose order matters."""


def _rolled(x: Array, y: Array, on: Array, n: int) -> Array:
    return np.roll(x, -n)


def _shifted(x: Array, y: Array, on: Array, n: int) -> Array:
    return np.array([x[lane + n] if 0 <= lane + n < len(x) else x.dtype.type(0) for lane in range(len(x))], x.dtype)


def _inserted(x: Array, y: Array, on: Array, n: int) -> Array:
    result = x.copy()
    result[n] = y[0]
    return result


def _scan(operation: Callable[[Array], Array], identity: int) -> Meaning:
    def meaning(x: Array, y: Array, on: Array, n: int) -> Array:
        result = np.zeros_like(x)
        found = [np.array(identity).astype(x.dtype)]
        for lane in np.flatnonzero(on):
            result[lane] = found[-1]
            found.append(operation(np.array([found[-1], x[lane]], x.dtype)))
        return result

    return meaning


def _bits(flags: Array) -> int:
    return sum(1 << int(lane) for lane in np.flatnonzero(flags))


ROWS = [
    Row("broadcast", "broadcast(x, n)", NUMBERS, lambda x, y, on, n: np.full_like(x, x[n]), "0, 1, W - 1"),
    Row("rotate", "rotate(x, n)", NUMBERS, _rolled, "0, 1, -1, W - 1, W + 1, 3 * W - 2, -W - 3"),
    Row("rotate_by_3", "rotate(x, 3)", NUMBERS, lambda x, y, on, n: np.roll(x, -3)),
    Row("shift", "shift(x, n)", NUMBERS, _shifted, "0, 1, -1, W - 1, W, -W, 5 * W"),
    Row("shift_by_1", "shift(x, -1)", NUMBERS, lambda x, y, on, n: _shifted(x, y, on, -1)),
    Row("shuffle", "shuffle(x, (programIndex * 7 + n) & (programCount - 1))", NUMBERS,
        lambda x, y, on, n: x[(np.arange(len(x)) * 7 + n) % len(x)], "0, 1, 5"),
    Row("shuffle_reversed", "shuffle(x, programCount - 1 - programIndex)", NUMBERS, lambda x, y, on, n: x[::-1]),
    Row("shuffle_of_two", "shuffle(x, y, (programIndex * 3 + n) & (2 * programCount - 1))", NUMBERS,
        lambda x, y, on, n: np.concatenate([x, y])[(np.arange(len(x)) * 3 + n) % (2 * len(x))], "0, 1, 5"),
    Row("shuffle_even", "shuffle(x, y, 2 * programIndex)", NUMBERS, lambda x, y, on, n: np.concatenate([x, y])[::2]),
    Row("extract", "extract(x, n)", NUMBERS, lambda x, y, on, n: x[n], "0, 1, W - 1", uniform=True),
    Row("extract_bool", "extract(x > y, n)", ("float",), lambda x, y, on, n: x[n] > y[n], "0, 1, W - 1", "bool", uniform=True),
    Row("insert", "insert(x, n, extract(y, 0))", NUMBERS, _inserted, "0, 1, W - 1"),
    Row("insert_bool", "insert(x > y, n, true)", ("float",),
        lambda x, y, on, n: (x > y) | (np.arange(len(x)) == n), "0, 1, W - 1", "bool"),
    Row("any", "any(x > y)", ("float", "int32", "double", "int8"),
        lambda x, y, on, n: ((x > y) & on).any(), result="bool", uniform=True),
    Row("all", "all(x > y)", ("float", "int32", "double", "int8"),
        lambda x, y, on, n: ((x > y) | ~on).all(), result="bool", uniform=True),
    Row("none", "none(x > y)", ("float", "int32", "double", "int8"),
        lambda x, y, on, n: not ((x > y) & on).any(), result="bool", uniform=True),
    Row("all_equal", "all(x == x)", ("int32",), lambda x, y, on, n: True, result="bool", uniform=True),
    Row("lanemask", "lanemask()", ("int32",), lambda x, y, on, n: _bits(on), result="uint64", uniform=True),
    Row("packmask", "packmask(x > y)", ("int32", "float", "int64"),
        lambda x, y, on, n: _bits((x > y) & on), result="uint64", uniform=True),
    Row("popcnt", "popcnt(x > y)", ("int32", "float"),
        lambda x, y, on, n: int(((x > y) & on).sum()), result="int32", uniform=True),
    Row("reduce_add", "reduce_add(x)", INTEGERS, lambda x, y, on, n: np.add.reduce(x[on], dtype=x.dtype), uniform=True),
    Row("reduce_sum", "reduce_add(x)", FLOATS, lambda x, y, on, n: x[on].astype(np.float64).sum(), uniform=True, exact=False),
    Row("reduce_min", "reduce_min(x)", INTEGERS, lambda x, y, on, n: x[on].min(), uniform=True),
    Row("reduce_max", "reduce_max(x)", INTEGERS, lambda x, y, on, n: x[on].max(), uniform=True),
    Row("reduce_least", "reduce_min(x)", FLOATS, lambda x, y, on, n: x[on].min(), uniform=True, exact=False),
    Row("reduce_most", "reduce_max(x)", FLOATS, lambda x, y, on, n: x[on].max(), uniform=True, exact=False),
    Row("reduce_equal", "reduce_equal(x)", NUMBERS,
        lambda x, y, on, n: bool((x[on] == x[on][0]).all()), result="bool", uniform=True),
    Row("reduce_equal_same", "reduce_equal((T)((x == x) ? 1 : 2))", NUMBERS, lambda x, y, on, n: len({*(x == x)[on]}) == 1,
        result="bool", uniform=True),
    Row("scan_add", "exclusive_scan_add(x)", INTEGERS, _scan(lambda pair: np.add.reduce(pair, dtype=pair.dtype), 0)),
    Row("scan_sum", "exclusive_scan_add(x)", FLOATS, _scan(np.add.reduce, 0), exact=False),
    Row("scan_and", "exclusive_scan_and(x)", INTEGERS, _scan(np.bitwise_and.reduce, -1)),
    Row("scan_or", "exclusive_scan_or(x)", INTEGERS, _scan(np.bitwise_or.reduce, 0)),
]  # fmt: skip
FAMILIES = {
    "movement": ROWS[:13],
    "masks": ROWS[13:20],
    "reductions": ROWS[20:28],
    "scans": ROWS[28:],
}


def _export(row: Row, type: str) -> str:
    result = type if row.result == "T" else row.result
    call = row.call.replace("(T)", f"({type})") + (" ? 1 : 0" if result == "bool" else "")
    body = under_masks(f"r[{'0' if row.uniform else 'programIndex'}] = {call};")
    return (
        f"export void {row.name}_{type}(uniform {type} a[], uniform {type} b[], uniform {stored(result)} r[], "
        f"uniform int n, uniform int64 lanes) {{\n    {varying(type, 'x', 'a')} {varying(type, 'y', 'b')}\n    {body}\n}}\n"
    )


def _gangs(type: str, width: int, exact: bool) -> Iterator[tuple[Array, Array]]:
    """Two gangs of values; where the order of additions matters, small multiples of a quarter."""
    for seed in range(2):
        if exact:
            pool = values(type, 64 + width, seed)
            start = 0 if seed == 0 else 64
            yield pool[start : start + width].copy(), values(type, 2 * width, seed + 5)[width:]
        else:
            random = np.random.default_rng(seed)
            yield (random.integers(-30, 30, width) / 4).astype(dtype(type)), np.zeros(width, dtype(type))


@some_targets("family", FAMILIES)
def test_every_type_and_mask(family: str, target: str) -> None:
    width = usable(target).width
    pairs = [(row, type) for row in FAMILIES[family] for type in some(row.types, target)]
    kernels = compiled("".join(_export(row, type) for row, type in pairs), target)
    for row, type in pairs:
        result_type = dtype(type if row.result == "T" else row.result)
        kernel = kernels[f"{row.name}_{type}"]
        which = list(masks(width))
        for x, y in _gangs(type, width, row.exact):
            for number, n in enumerate(eval(f"[{row.numbers}]", {"W": width})):
                for mask in which if row.numbers == "0" else which[number % 2 :: 3]:
                    on = lanes_on(mask, width)
                    untouched = np.frombuffer(b"\x5a" * result_type.itemsize * width, result_type)
                    result = untouched.copy()
                    kernel(x, y, result, n, mask)
                    with np.errstate(all="ignore"):
                        expected = np.asarray(row.meaning(x, y, on, n)).astype(result_type)
                    if row.uniform:
                        assert same(result[:1], expected).all() and (result[1:] == untouched[1:]).all(), (
                            row.name, type, n, hex(mask), x, result[0], expected,
                        )  # fmt: skip
                    else:
                        good = np.where(on, same(result, expected), same(result, untouched))
                        assert good.all(), (row.name, type, n, hex(mask), x, y, result, expected)


def test_the_kept_vectors_of_the_reference() -> None:
    """Appendix B.2 and B.3, v = L + 1 at W = 8 under ``if (L & 1)``."""
    kernel = compiled(
        "export void f(uniform int r[], uniform int64 lanes) { int v = programIndex + 1;\n"
        + under_masks(
            "r[0] = reduce_add(v); r[1] = reduce_min(v); r[2] = reduce_max(v); r[8 + programIndex] = exclusive_scan_add(v);"
            "r[16 + programIndex] = exclusive_scan_and(v); r[24 + programIndex] = exclusive_scan_or(v); r[3] = lanemask();"
            "r[4] = packmask(v > 4); r[5] = popcnt(v > 4);"
        )
        + "}\nexport uniform int8 bytes() { int8 b = 100; return reduce_add(b); }\n"
        "export uniform uint8 unsigned_bytes() { uint8 b = 200; return reduce_add(b); }\n",
        "avx2-i32x8",
    )
    r = np.full(32, -9, np.int32)
    kernel.f(r, -1)
    assert r[:6].tolist() == [36, 1, 8, 255, 240, 4]
    assert r[8:16].tolist() == [0, 1, 3, 6, 10, 15, 21, 28]
    assert r[16:24].tolist() == [-1, 1, 0, 0, 0, 0, 0, 0] and r[24:].tolist() == [0, 1, 3, 3, 7, 7, 7, 7]
    r[:] = -9
    kernel.f(r, 0xAA)
    assert r[:6].tolist() == [20, 2, 8, 170, 160, 2]
    assert r[9:16:2].tolist() == [0, 2, 6, 12] and r[17:24:2].tolist() == [-1, 2, 0, 0] and r[25::2].tolist() == [0, 2, 6, 6]
    assert kernel.bytes() == 32 and kernel.unsigned_bytes() == 64


def _equal_source(type: str) -> str:
    body = under_masks("r[0] = reduce_equal(x, &found) ? 1 : 0;")
    return (
        f"export void equal_{type}(uniform {type} a[], uniform {type} v[], uniform int r[], uniform int64 lanes) {{\n"
        f"    {varying(type, 'x', 'a')} uniform {type} found = v[0];\n    {body}\n    v[0] = found;\n}}\n"
    )


@every_target
def test_reduce_equal_stores_the_value_all_lanes_have(target: str) -> None:
    width = usable(target).width
    kernels = compiled("".join(map(_equal_source, NUMBERS)), target)
    for type in NUMBERS:
        kind = dtype(type)
        for mask in masks(width):
            on = lanes_on(mask, width)
            for x in (np.where(on, 5, 7).astype(kind), np.arange(width).astype(kind)):
                value, result = np.array([9], kind), np.zeros(1, np.int32)
                kernels[f"equal_{type}"](x, value, result, mask)
                equal = len({*x[on]}) == 1
                assert result[0] == equal and value[0] == (x[on][0] if equal else 9), (type, hex(mask))
        if type in FLOATS:
            value, result = np.array([9], kind), np.zeros(1, np.int32)
            kernels[f"equal_{type}"](np.full(width, np.nan, kind), value, result, -1)
            assert result[0] == 0 and value[0] == 9, type


def _packed_source(type: str) -> str:
    conditional = ""
    if type in ("int32", "int64"):
        conditional = (
            f"export void store_if_{type}(uniform {type} a[], uniform {type} r[], "
            "uniform int count[], uniform int64 lanes) {\n"
            f"    {varying(type, 'x', 'a')} {under_masks('count[0] = packed_store_active(x > 1, r, x);')} }}\n"
        )
    return conditional + "".join(
        f"export void {name}_{type}(uniform {type} a[], uniform {type} r[], uniform int count[], uniform int64 lanes) {{\n"
        f"    {varying(type, 'x', 'a')} {under_masks(statement)} {after} }}\n"
        for name, statement, after in (
            ("store", "count[0] = packed_store_active(r, x);", ""),
            ("store2", "count[0] = packed_store_active2(r, x);", ""),
            ("load", "count[0] = packed_load_active(r, &x);", "a[programIndex] = x;"),
        )
    )


@every_target
def test_packed_accesses_touch_as_many_elements_as_lanes_are_on(target: str) -> None:
    width = usable(target).width
    kernels = compiled("".join(map(_packed_source, NUMBERS)), target)
    for type in NUMBERS:
        kind = dtype(type)
        x = values(type, 64 + width, 3)[-width:]
        rest = np.frombuffer(b"\x5a" * kind.itemsize * (width + 2), kind)
        for mask in masks(width):
            on = lanes_on(mask, width)
            count = np.full(1, -5, np.int32)
            r = rest.copy()
            kernels[f"store_{type}"](x, r, count, mask)
            assert count[0] == on.sum() and same(r[: on.sum()], x[on]).all() and same(r[on.sum() :], rest[on.sum() :]).all()
            r = rest.copy()
            kernels[f"store2_{type}"](x, r, count, mask)
            assert count[0] == on.sum() and same(r[: on.sum()], x[on]).all()
            assert same(r[on.sum() + 1 :], rest[on.sum() + 1 :]).all()
            if type in ("int32", "int64"):
                r = rest.copy()
                kernels[f"store_if_{type}"](x, r, count, mask)
                chosen = on & (x > 1)
                assert count[0] == chosen.sum() and (r[: chosen.sum()] == x[chosen]).all()
                assert (r[chosen.sum() :] == rest[chosen.sum() :]).all()
            source, target_values = values(type, 64 + width, 4)[-width:][: on.sum()].copy(), x.copy()
            expected = x.copy()
            expected[on] = source
            kernels[f"load_{type}"](target_values, source, count, mask)
            assert count[0] == on.sum() and same(target_values, expected).all(), (type, hex(mask))


def _transposed_source(type: str) -> str:
    text = ""
    for k in (2, 3, 4):
        names = [f"v{j}" for j in range(k)]
        to_soa = f"aos_to_soa{k}(a, {', '.join('&' + name for name in names)});"
        to_aos = f"soa_to_aos{k}({', '.join(names)}, r);"
        text += (
            f"export void to_soa{k}_{type}(uniform {type} a[], uniform {type} r[], uniform int64 lanes) {{\n"
            f"    {type} {', '.join(names)};\n"
            f"    {under_masks(to_soa)}\n"
            f"    {' '.join(f'r[{j} * programCount + programIndex] = v{j};' for j in range(k))}\n}}\n"
            f"export void to_aos{k}_{type}(uniform {type} a[], uniform {type} r[], uniform int64 lanes) {{\n"
            f"    {' '.join(f'{type} v{j} = a[{j} * programCount + programIndex];' for j in range(k))}\n"
            f"    {under_masks(to_aos)}\n}}\n"
        )
    return text


@every_target
def test_arrays_of_structures_and_back(target: str) -> None:
    width = usable(target).width
    types = ("int32", "int64", "float", "double")
    kernels = compiled("".join(map(_transposed_source, types)), target)
    for type in types:
        for k in (2, 3, 4):
            a = values(type, 32 + k * width, k)[-k * width :]
            for mask in (-1, (1 << width // 2) - 1, 1):
                r = np.zeros_like(a)
                kernels[f"to_soa{k}_{type}"](a, r, mask)
                assert (r.reshape(k, width) == a.reshape(width, k).T).all(), (type, k, hex(mask))
                r[:] = 0
                kernels[f"to_aos{k}_{type}"](a, r, mask)
                assert (r.reshape(width, k) == a.reshape(k, width).T).all(), (type, k, hex(mask))
