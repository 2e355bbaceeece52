"""Random index expressions: loops over memory whose result numpy states, on arrays that fit exactly.

A case is one exported function ``void NAME(uniform T to[], uniform S from[], uniform int a, uniform int b)``
that reads ``from[E]`` or writes ``to[E]`` in a foreach, E being a random expression
of the loop variable. The arrays begin and end with the elements that are touched,
so that guard pages show whatever is touched besides.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Index = Callable[[Array], Array]

TYPES = {"int8": np.int8, "uint16": np.uint16, "int32": np.int32, "int64": np.int64, "float": np.float32, "double": np.float64}
MEMBERS = "xyzw"


@dataclass(frozen=True)
class Expression:
    """Text of an index over ``k``, ``a`` and ``b`` (uniform parameters), and its value."""

    text: str
    value: Callable[[Array, int, int], Array]


def _truncated_quotient(x: Array, divisor: int) -> Array:
    return np.sign(x) * (np.abs(x) // divisor)


def index_expression(rng: random.Random, depth: int = 2) -> Expression:
    if depth == 0 or rng.random() < 0.2:
        return Expression("k", lambda k, a, b: k)
    inner = index_expression(rng, depth - 1)
    value = inner.value
    number = rng.choice((1, 2, 3, 4, 5, 7, 8, 16))
    match rng.randrange(12):
        case 0:
            return Expression(f"({number} * {inner.text})", lambda k, a, b: number * value(k, a, b))
        case 1:
            return Expression(f"({inner.text} + {number})", lambda k, a, b: value(k, a, b) + number)
        case 2:
            return Expression(f"({number} - {inner.text})", lambda k, a, b: number - value(k, a, b))
        case 3:
            return Expression(f"({inner.text} / {number})", lambda k, a, b: _truncated_quotient(value(k, a, b), number))
        case 4:
            return Expression(f"({inner.text} >> {number & 3})", lambda k, a, b: value(k, a, b) >> (number & 3))
        case 5:
            mask = rng.choice((1, 3, 7))
            return Expression(f"({inner.text} & ~{mask})", lambda k, a, b: value(k, a, b) & ~mask)
        case 6:
            return Expression(f"({inner.text} {(operator := rng.choice('|^'))} {number})", _bits(value, operator, number))
        case 7:
            return Expression(f"({inner.text} + a)", lambda k, a, b: value(k, a, b) + a)
        case 8:
            return Expression(f"({inner.text} * b)", lambda k, a, b: value(k, a, b) * b)
        case 9:
            modulus = rng.choice((3, 4, 8, 12))
            return Expression(
                f"({inner.text} % {modulus})",
                lambda k, a, b: value(k, a, b) - modulus * _truncated_quotient(value(k, a, b), modulus),
            )
        case 10:
            other = index_expression(rng, depth - 1)
            return Expression(f"({inner.text} + {other.text})", lambda k, a, b: value(k, a, b) + other.value(k, a, b))
    return Expression(f"((int64){inner.text})", value)


def _bits(value: Callable[[Array, int, int], Array], operator: str, number: int) -> Callable[[Array, int, int], Array]:
    if operator == "|":
        return lambda k, a, b: value(k, a, b) | number
    return lambda k, a, b: value(k, a, b) ^ number


def condition(rng: random.Random) -> tuple[str, Callable[[Array], Array]]:
    """A test of ``k``, often one that is always true."""
    number = rng.randrange(1, 6)
    return rng.choice(
        (
            ("", lambda k: k == k),
            ("", lambda k: k == k),
            (f"if (k % {number + 1} != 0) ", lambda k: k % (number + 1) != 0),
            (f"if (k > {4 * number}) ", lambda k: k > 4 * number),
            (f"cif (k < {7 * number}) ", lambda k: k < 7 * number),
        )
    )


@dataclass(frozen=True)
class Case:
    """``to`` and ``source`` before the call, ``expected`` after it."""

    name: str
    text: str
    to: Array
    source: Array
    expected: Array
    a: int
    b: int


def random_case(rng: random.Random, name: str) -> Case:
    while True:
        found = _attempt(rng, name)
        if found is not None:
            return found


def _attempt(rng: random.Random, name: str) -> Case | None:
    """One case, or None where the indices spread too far or a store would depend on more than the rules say."""
    type_name = rng.choice(list(TYPES))
    dtype = TYPES[type_name]
    first, count = rng.choice((0, 0, 0, 1, 3, 8)), rng.choice((1, 5, 16, 17, 33, 40, 64))
    a, b = rng.randrange(0, 9), rng.choice((1, 2, 3))
    k = np.arange(first, first + count)
    index, (test, holds) = index_expression(rng), condition(rng)
    active = k[holds(k)]
    at = np.asarray(index.value(active, a, b), np.int64)
    members = rng.choice((1, 1, 1, 2, 3, 4))
    low, high = min(0, *at, 0), max(0, *at, 0)
    if high - low > 600 or abs(index.value(k, a, b)).max() > 100_000:
        return None
    numbers = np.random.default_rng(rng.getrandbits(32))
    member = rng.randrange(members)
    many = numbers.integers(-100, 100, (high - low + 1) * members).astype(dtype)
    line = numbers.integers(-100, 100, count).astype(dtype)
    suffix = f".{MEMBERS[member]}" if members > 1 else ""
    struct = f"struct {name}_s {{ {type_name} {', '.join(MEMBERS[:members])}; }};\n" if members > 1 else ""
    element = f"{name}_s" if members > 1 else type_name
    places = (at - low) * members + member
    match rng.randrange(3):
        case 0:
            to, source, expected = line, many, line.copy()
            expected[active - first] = many[places]
            statement = f"to[k - {first}] = p[{index.text}]{suffix};"
            signature = f"uniform {type_name} to[], uniform {element} from[]"
            pointer = "from"
        case 1:
            to, source, expected = many, line, many.copy()
            for place, lane in zip(places, active - first):
                expected[place] = line[lane]
            statement = f"p[{index.text}]{suffix} = from[k - {first}];"
            signature = f"uniform {element} to[], uniform {type_name} from[]"
            pointer = "to"
        case _:
            if len(set(places)) != len(places):
                return None
            to, source, expected = many, line, many.copy()
            with np.errstate(over="ignore"):
                expected[places] += line[active - first]
            statement = f"p[{index.text}]{suffix} += from[k - {first}];"
            signature = f"uniform {element} to[], uniform {type_name} from[]"
            pointer = "to"
    text = f"""{struct}export void {name}({signature}, uniform int a, uniform int b) {{
    uniform {element} * uniform p = {pointer} + {-low};
    foreach (k = {first} ... {first + count})
        {test}{statement}
}}
"""
    return Case(name, text, to, source, expected, a, b)


def random_cases(seed: int, count: int) -> list[Case]:
    rng = random.Random(seed)
    return [random_case(rng, f"case{number}") for number in range(count)]
