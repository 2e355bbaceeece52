"""Neighbours in arrays, added up and multiplied in any way: what numpy computes, in the order of the source."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import voltac

Array = npt.NDArray[Any]
Term = tuple[str, Callable[[Callable[[int], Array], Any, Any], Array]]
"""Text, and the value by what gives neighbours, a and b."""
FACTORS = (0.75, -1.25)
OFFSETS = (-1, 1, 0)


def neighbour(offset: int) -> Term:
    return f"x[i + {offset}]", lambda x, a, b: x(offset)


def random_term(rng: random.Random, depth: int) -> Term:
    if not depth:
        return neighbour(rng.choice((*OFFSETS, rng.randrange(-4, 6))))
    text, value = random_term(rng, depth - 1)
    if rng.random() < 0.25:
        return f"(a * {text})", lambda x, a, b: a * value(x, a, b)
    if rng.random() < 0.1:
        return f"(b * {text})", lambda x, a, b: b * value(x, a, b)
    other, its_value = random_term(rng, rng.randrange(depth))
    if rng.random() < 0.5:
        return f"({text} - {other})", lambda x, a, b: value(x, a, b) - its_value(x, a, b)
    return f"({other} + {text})", lambda x, a, b: its_value(x, a, b) + value(x, a, b)


def moved(x: Array, first: int, n: int, offset: int) -> Array:
    return x[first + offset : first + offset + n]


def check(type: str, to: int, term: Term, counts: list[int], first: int, target: str) -> None:
    """The kernel that stores the term ``to`` elements on."""
    text, value = term
    parameters = ", ".join(f"uniform {type} {name}" for name in ("x[]", "y[]", "a", "b"))
    head = f"export void k({parameters}, uniform int first, uniform int n)"
    source = f"{head} {{ foreach (i = first ... first + n) y[i + {to}] = {text}; }}"
    kernel: Any = voltac.compile(source, target=target).k
    dtype = np.float16 if type == "float16" else np.float32
    a, b = (dtype(factor) for factor in FACTORS)
    for n in counts:
        x, y = (np.random.default_rng(n + at).standard_normal(n + 20).astype(dtype) for at in (0, 1))
        expected = y.copy()
        expected[first + to : first + to + n] = value(partial(moved, x, first, n), a, b)
        kernel(x, y, a, b, first, n)
        assert np.array_equal(y, expected), (text, n)
        assert kernel.last_run.conflicts == 0


@pytest.mark.parametrize("seed", range(12))
def test_a_random_stencil(seed: int) -> None:
    rng = random.Random(seed)
    counts = [rng.randrange(9), rng.randrange(9, 60), rng.randrange(60, 400), 3000 + rng.randrange(50)]
    term, target = random_term(rng, rng.choice((1, 2, 3))), rng.choice(("ipu-mk1", "ipu-mk2"))
    check(rng.choice(("float16", "float16", "float")), rng.randrange(4), term, counts, rng.randrange(4, 9), target)


@pytest.mark.parametrize(
    ("to", "term"),
    [
        # What is ahead of one word is behind another, so it cannot be kept of what was ahead.
        (
            0,
            (
                "((x[i - 2] - x[i - 1]) - x[i + 1]) - (x[i] + (x[i - 1] + x[i + 3]))",
                lambda x, a, b: ((x(-2) - x(-1)) - x(1)) - (x(0) + (x(-1) + x(3))),
            ),
        ),
        # Two accesses by one instruction take longer than by themselves.
        (2, ("a * (x[i + 4] - (x[i - 1] + x[i]))", lambda x, a, b: a * (x(4) - (x(-1) + x(0))))),
    ],
    ids=["words that follow each other", "no use of a common instruction"],
)
def test_a_stencil_of_floats(to: int, term: Term) -> None:
    check("float", to, term, [1, 50, 3000], 4, "ipu-mk2")
