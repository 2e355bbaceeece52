"""Random loops over consecutive elements, short and long, with values from outside: lanes' own, and the same of all.

A case is one exported function ``void NAME(uniform T to[], uniform T from[], uniform int a, uniform int b)`` that makes
``to[i - a]`` of ``from[i + E]`` and others for i from a to b, perhaps in several rows. Which lane does an element shows
where lanes have values of their own: the element i of a row is done by lane (i - a) % width.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

TYPES = {"uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64}
OPERATORS: dict[str, Callable[[Array, Array], Array]] = {"+": np.add, "-": np.subtract, "*": np.multiply, "^": np.bitwise_xor}
LONG = 16
"""Gangs; loops as long as that have forms of their own."""


def random_stream(rng: random.Random, width: int) -> tuple[str, str, Array, Array, Array, int, int]:
    """Type, text behind the head, ``to``, ``from``, what ``to`` must be, a and b."""
    type_name = rng.choice(list(TYPES))
    dtype = TYPES[type_name]
    low, shift = rng.choice((0, 0, 1, 3)), rng.choice((0, 0, 1, 2))
    length = rng.choice((rng.randrange(3 * width), LONG * width + rng.randrange(3 * width), rng.randrange(40 * width)))
    high, factor = low + length, rng.randrange(1, 9)
    numbers = np.random.default_rng(rng.getrandbits(32))
    rows, pitch = rng.choice((1, 1, 2, 3)), high + shift
    source = numbers.integers(0, 200, max(rows * pitch, width, 1)).astype(dtype)
    before = numbers.integers(0, 200, max(rows * length, 1)).astype(dtype)
    i = np.tile(np.arange(low, high), rows)
    lane, row = (i - low) % width, np.repeat(np.arange(rows), length)
    place, length = row * pitch + i, rows * length
    outside: list[tuple[str, Array]] = [
        (f"{type_name} k = from[programIndex];", source[lane]),
        (f"{type_name} k = programIndex * {factor};", (lane * factor).astype(dtype)),
        (f"{type_name} k = from[0];", np.full(length, source[0])),
        (f"uniform {type_name} k = from[{width - 1}];", np.full(length, source[width - 1])),
        (f"{type_name} k = {factor}; if (programIndex & 1) k = 7;", np.where(lane & 1, 7, factor).astype(dtype)),
    ]
    declaration, k = rng.choice(outside)
    terms: list[tuple[str, Array]] = [
        ("k", k),
        (f"from[at + {shift}]", source[place + shift]),
        ("from[at]", source[place]),
        (f"({type_name})i", i.astype(dtype)),
        (f"({type_name}){factor}", np.full(length, factor, dtype)),
    ]
    text, value = rng.choice(terms)
    for _ in range(rng.randrange(1, 4)):
        operator = rng.choice(list(OPERATORS))
        other, its_value = rng.choice(terms)
        text, value = f"({text} {operator} {other})", OPERATORS[operator](value, its_value)
    expected, tested = before.copy(), rng.choice(("", "", f"if (from[at] > {factor * 20}) "))
    stored = source[place] > factor * 20 if tested else np.ones(length, bool)
    written, old = rng.choice((("=", value), ("+=", before[:length] + value)))
    expected[:length][stored] = old[stored]
    head, at, to = "i = a ... b", "i", "i - a"
    if rows > 1:
        head, at, to = f"y = 0 ... {rows}, i = a ... b", f"y * {pitch} + i", "y * (b - a) + i - a"
    statement = f"{{ int at = {at}; {tested}to[{to}] {written} {text}; }}"
    body = f"\n    {declaration}\n    foreach ({head}) {statement}\n"
    return type_name, body, before, source, expected, low, high
