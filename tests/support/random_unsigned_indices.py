"""Random index arithmetic in unsigned integers of all sizes, which wraps around: what it touches numpy says.

A case loops over rows and, in a foreach, over columns. Lanes whose index lies outside of an array are off; the array
lies anywhere in the range of the index, so that it may wrap around inside of a gang.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_INDICES = ("uint8", "uint16", "uint32", "uint32", "uint32", "uint64")
_ELEMENTS = {"int8": np.int8, "uint16": np.uint16, "int32": np.int32, "float": np.float32, "double": np.float64}
_MOST = 400
"""Elements of an array."""


@dataclass(frozen=True)
class Sum:
    """Text of an index over ``k`` (varying), ``r``, ``u`` and ``v`` (uniform), all of one unsigned type, and its value."""

    text: str
    value: Callable[[dict[str, int]], int]
    """Without wrapping around."""


def random_sum(rng: random.Random, depth: int = 3) -> Sum:
    if depth == 0 or rng.random() < 0.15:
        name = rng.choice("kkkkru")
        return Sum(name, lambda names: names[name])
    inner = random_sum(rng, depth - 1)
    number = rng.choice((1, 1, 2, 3, 5, 8))
    written = f"(T){number}" if rng.random() < 0.5 else str(number)
    match rng.randrange(9):
        case 0:
            return Sum(f"({inner.text} + {written})", lambda names: inner.value(names) + number)
        case 1:
            return Sum(f"({inner.text} - {written})", lambda names: inner.value(names) - number)
        case 2:
            return Sum(f"({written} * {inner.text})", lambda names: number * inner.value(names))
        case 3:
            shift = number & 3
            return Sum(f"({inner.text} << {shift})", lambda names: inner.value(names) << shift)
        case 4:
            name, sign = rng.choice("uvr"), rng.choice((1, 1, -1))
            return Sum(f"({inner.text} {'+-'[sign < 0]} {name})", lambda names: inner.value(names) + sign * names[name])
        case 5:
            return Sum(f"(r * v + {inner.text})", lambda names: names["r"] * names["v"] + inner.value(names))
        case 6:
            name = rng.choice("uv")
            return Sum(f"({name} - {inner.text})", lambda names: names[name] - inner.value(names))
    other = random_sum(rng, depth - 1)
    return Sum(f"({inner.text} + {other.text})", lambda names: inner.value(names) + other.value(names))


@dataclass(frozen=True)
class UnsignedIndices:
    """A loop over ``to`` and ``from``, of one type of elements, with the parameters ``a`` and ``b``."""

    type_name: str
    body: str
    to: Array
    source: Array
    expected: Array
    """What ``to`` is afterwards."""
    a: int
    b: int


def random_unsigned_indices(rng: random.Random) -> UnsignedIndices:
    while True:
        found = _attempt(rng)
        if found is not None:
            return found


def _attempt(rng: random.Random) -> UnsignedIndices | None:
    """None for one that touches nothing."""
    index_type, type_name = rng.choice(_INDICES), rng.choice(list(_ELEMENTS))
    bits, dtype = int(index_type[4:]), _ELEMENTS[type_name]
    modulus = 1 << bits
    rows, first, count = rng.choice((1, 1, 2, 3)), rng.choice((0, 0, 1, 5)), rng.choice((3, 16, 17, 33, 40))
    a, b = rng.randrange(0, 30), rng.choice((1, 2, 17, 40))
    far = rng.choice((0, 0, -8, -20, 100, 1 << (bits - 1))) % modulus
    index = random_sum(rng)
    columns = range(first, first + count)
    places = [[index.value({"k": k, "r": row, "u": far + a, "v": b}) % modulus for k in columns] for row in range(rows)]
    size = min(_MOST, modulus)
    near = rng.choice(rng.choice(places)) - rng.randrange(0, min(60, size))
    # Addressing is of 32 bits, with a sign where an index has 64.
    low = min(max(0, near), min(modulus, 1 << 31 if bits == 64 else modulus) - size)
    touched = [[low <= place < low + size for place in row] for row in places]
    if "k" not in index.text or not any(map(any, touched)):
        return None
    everywhere = all(map(all, touched))
    numbers = np.random.default_rng(rng.getrandbits(32))
    many = numbers.integers(-100, 100, size).astype(dtype)
    line = numbers.integers(-100, 100, rows * count).astype(dtype)
    stores = rng.random() < 0.4
    to, source = (many, line) if stores else (line, many)
    expected = to.copy()
    for row in range(rows):
        for number, place in enumerate(places[row]):
            if touched[row][number]:
                position = row * count + number
                if stores:
                    expected[place - low] = line[position]
                else:
                    expected[position] = many[place - low]
    pointer = "to" if stores else "from"
    element = f"row * {count} + column - {first}"
    access = f"p[at] = from[{element}];" if stores else f"to[{element}] = p[at];"
    suffix = {8: "", 16: "", 32: "u", 64: "ull"}[bits]
    test = "" if everywhere and rng.random() < 0.7 else f"if (({index_type})(at - {low}{suffix}) < {size}{suffix}) "
    if bits < 64 and size == modulus:
        test = ""
    written = rng.choice(("uniform int row = 0", "uniform unsigned int row = 0"))
    distance = low * np.dtype(dtype).itemsize % 2**64
    body = f"""
    uniform {type_name} * uniform p = (uniform {type_name} * uniform)((uniform int64){pointer} - {distance}ull);
    uniform {index_type} u = (uniform {index_type})a + {far}{suffix}, v = b;
    for ({written}; row < {rows}; ++row) {{
        uniform {index_type} r = row;
        foreach (column = {first} ... {first + count}) {{
            {index_type} k = column;
            {index_type} at = {index.text.replace("(T)", f"(uniform {index_type})")};
            {test}{access}
        }}
    }}
"""
    return UnsignedIndices(type_name, body, to, source, expected, a, b)
