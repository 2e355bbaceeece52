"""Objects of several elements, short vectors, arrays, structs of equal numbers, lie in arrays as their layout has it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.python import build, interpreter_layout

ELEMENTS = {"float": "f4", "double": "f8", "int8": "i1", "uint16": "u2", "int64": "i8"}
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16)

PROGRAM = (
    "".join(
        f"""
export void get_{type_}_{size}(uniform {type_}<{size}> from[], uniform {type_} out[], uniform int number) {{
    for (uniform int k = 0; k < {size}; ++k) out[k] = from[number][k];
}}
"""
        for type_ in ELEMENTS
        for size in SIZES
    )
    + """
struct Triple { float x, y, z; };
struct Padded { float<3> v[2]; int n; };
export uniform float row(uniform float a[][3], uniform int i, uniform int j) { return a[i][j]; }
export uniform float matrix(uniform float a[][2][3], uniform int i, uniform int j) { return a[i][j / 3][j % 3]; }
export uniform float vectors(uniform float<3> a[][2], uniform int i, uniform int j) { return a[i][j / 4][j % 4]; }
export uniform float triple(uniform Triple a[], uniform int i, uniform int j) {
    return j == 0 ? a[i].x : j == 1 ? a[i].y : a[i].z;
}
export uniform float reference(uniform float (&a)[16], uniform int i, uniform int j) { return a[16 * i + j]; }
export uniform float one(const uniform float<3> &a, uniform int i, uniform int j) { return a[j]; }
export uniform float padded(uniform Padded a[], uniform int i, uniform int j) { return a[i].v[j / 4][j % 4]; }
"""
)


@pytest.fixture(scope="module", params=["entry point", "arguments alone"])
def k(request: pytest.FixtureRequest) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "entry point":
            patch.setattr(interpreter_layout, "direct_access", lambda: False)
            patch.setattr(build, "direct_access", lambda: False)
        yield voltac.compile(PROGRAM, target="sse4-i32x4", opt=0)


def numbered(shape: tuple[int, ...], dtype: str = "f4") -> Any:
    """0, 1, 2 ... in an array that is aligned as wide vectors want it."""
    out = voltac.empty(shape, dtype)
    out[...] = np.arange(prod(shape)).reshape(shape)
    return out


@pytest.mark.parametrize("type_", ELEMENTS)
@pytest.mark.parametrize("size", SIZES)
def test_short_vectors_take_the_place_of_the_next_power_of_two_of_at_least_16_bytes(k: Any, type_: str, size: int) -> None:
    kernel, dtype = k[f"get_{type_}_{size}"], ELEMENTS[type_]
    place = max(1 << (size - 1).bit_length(), 16 // np.dtype(dtype).itemsize)
    a, out = numbered((3, place), dtype), np.zeros(size, dtype)
    for given in (a, a.reshape(1, 3, place)):
        kernel(given, out, 2)
        assert out.tolist() == a[2, :size].tolist()
    flat = a.reshape(-1)
    if place == size:
        kernel(flat, out, 1)
        assert out.tolist() == a[1].tolist()
        return
    message = rf"shape \(\.\.\., {place}\): each {size} elements are followed by {place - size} that (is|are) not used, not an"
    with pytest.raises(ValueError, match=message):
        kernel(flat, out, 1)
    packed = numbered((place, size), dtype)
    with pytest.raises(ValueError, match=message + rf".*use np.pad\(x, \(\(0, 0\), \(0, {place - size}\)\)\)"):
        kernel(packed, out, 1)
    kernel(voltac_padded(packed, place), out, 1)
    assert out.tolist() == packed[1].tolist()


def voltac_padded(packed: Any, place: int) -> Any:
    out = voltac.empty((len(packed), place), packed.dtype)
    out[...] = np.pad(packed, ((0, 0), (0, place - packed.shape[1])))
    return out


OBJECTS: dict[str, tuple[tuple[int, ...], int, list[tuple[int, ...]]]] = {
    # What one object consists of, its last axis without padding, and shapes that are refused though they have whole objects.
    "row": ((3,), 3, [(3, 4), (6, 2), (3, 5)]),
    "matrix": ((2, 3), 3, [(3, 2), (6, 2), (2, 3, 2), (6, 1)]),
    "vectors": ((2, 4), 3, [(8,), (3, 8), (4, 4, 3), (2, 16), (8, 1)]),
    "triple": ((3,), 3, [(3, 4), (6, 2)]),
    "reference": ((16,), 16, [(8, 6), (32, 1, 2, 3)]),
    "one": ((4,), 3, [(8,), (4, 3), (2, 2, 2)]),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_arrays_are_taken_if_their_rows_are_whole_objects(k: Any, name: str) -> None:
    shape, used, refused = OBJECTS[name]
    kernel, count = k[name], prod(shape)
    for array in (numbered((4, *shape)), numbered((2, 2, *shape)), numbered(shape)):
        number = 0 if array.shape == shape or name == "one" else 3
        for j in range(count):
            if j % shape[-1] < used:
                assert kernel(array, number, j) == array.reshape(-1, count)[number, j]
                assert kernel(a=array, i=number, j=j) == array.reshape(-1, count)[number, j]
    if shape[-1] == used:
        for array in (numbered((4 * count,)), numbered((2, 2 * count))):
            assert kernel(array, 3, count - 1) == 4 * count - 1
    for wrong in refused:
        layout = ", ".join(map(str, shape))
        with pytest.raises(ValueError, match=rf"float32 with shape \(\.\.\., {layout}\).*not an array of float32 with shape"):
            kernel(numbered(wrong), 0, 0)
    with pytest.raises(ValueError, match=rf"whole number of objects of {count} x float32"):
        kernel(numbered((count + 1,)), 0, 0)


def test_a_row_may_be_a_matrix(k: Any) -> None:
    assert k.reference(numbered((4, 4)), 0, 9) == 9


def test_both_ways_take_the_same_shapes() -> None:
    """The entry point takes what it is sure of, and hands the rest on: no shape is taken that the rules refuse."""
    kernels = voltac.compile(PROGRAM, target="sse4-i32x4", opt=0)
    choice = random.Random(3)
    extents = (1, 2, 3, 4, 6, 8, 12)
    shapes = [shape for axes in (1, 2, 3) for shape in product(extents, repeat=axes)]
    for shape in choice.sample(shapes, 150):
        for name in ("row", "matrix", "vectors", "triple"):
            kernel, array = kernels[name], numbered(shape)
            outcomes = []
            calls: list[Callable[[], Any]] = [lambda: kernel(array, 0, 0), lambda: kernel(a=array, i=0, j=0)]  # noqa: B023
            for call in calls:
                try:
                    outcomes.append(str(call()))
                except ValueError as error:
                    outcomes.append(str(error))
            assert outcomes[0] == outcomes[1], (name, shape)


def test_structs_with_short_vectors_have_the_padding_in_their_dtype(k: Any) -> None:
    dtype = k["padded"].dtype("a")
    a = voltac.empty(3, dtype)
    a["v"] = np.arange(24).reshape(3, 2, 4)
    assert dtype["v"].shape == (2, 4)
    assert k.padded(a, 2, 6) == 22
    with pytest.raises(TypeError, match=r"must be an array of np\.dtype"):
        k.padded(np.zeros(3, np.dtype([("v", "f4", (2, 3)), ("n", "i4")])), 0, 0)
