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
from random_streams import random_stream
from random_unsigned_indices import random_unsigned_indices

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
    return np.asarray(np.sign(x) * (np.abs(x) // divisor))


def index_expression(rng: random.Random, depth: int = 2) -> Expression:
    if depth == 0 or rng.random() < 0.2:
        return Expression("k", lambda k, a, b: k)
    inner = index_expression(rng, depth - 1)
    value = inner.value
    number = rng.choice((1, 2, 3, 4, 5, 7, 8, 16))
    match rng.randrange(17):
        case 12 | 13:
            modulus = rng.choice((5, 13, 29))  # no pattern: neighbours are known by how they are computed
            return Expression(f"((k * k + {number}) % {modulus})", lambda k, a, b: (k * k + number) % modulus)
        case 16:
            return Expression(f"({inner.text} ^ a)", lambda k, a, b: value(k, a, b) ^ a)
        case 14:
            places = rng.choice((1, 2))
            return Expression(f"({inner.text} << {places})", lambda k, a, b: value(k, a, b) << places)
        case 15:  # bits above those that are left over are lost on the way
            back = 27 + (number & 1)
            narrow = f"(int){inner.text}" if "int64" in inner.text else inner.text
            return Expression(f"(({narrow} << 28) >> {back})", lambda k, a, b: _low_bits(value(k, a, b), 28 - back))
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


def _low_bits(x: Array, places: int) -> Array:
    """The low four bits as a signed number, shifted left."""
    return ((x & 15 ^ 8) - 8) << places


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
    expected_source: Array | None = None
    """What ``source`` must be afterwards; None: as before."""
    has_made_pointer: bool = False
    """It makes a pointer of an integer: where such a one may lead is not known."""

    def is_met_by(self, to: Array, source: Array) -> bool:
        unchanged = self.source if self.expected_source is None else self.expected_source
        return np.array_equal(to, self.expected) and np.array_equal(source, unchanged)


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


# --- several statements on one array ----------------------------------------------------------------------------

UNSIGNED = {"uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64}


@dataclass(frozen=True)
class _Statement:
    """``t = p[E].m`` if ``stores`` is false, else ``p[E].m = t1 + t2``, each under a test of ``k``."""

    stores: bool
    test: tuple[str, Callable[[Array], Array]]
    index: Expression
    member: int
    temporary: int
    other: int


def random_body(rng: random.Random, name: str, width: int) -> Case:
    """A foreach that reads and writes one array in several statements, some under conditions.

    What it must leave follows from the order of things: group by group of ``width``
    lanes, statement by statement, all lanes read before any writes, the highest lane wins.
    """
    while True:
        found = _attempt_body(rng, name, width)
        if found is not None:
            return found


def _attempt_body(rng: random.Random, name: str, width: int) -> Case | None:
    type_name = rng.choice(list(UNSIGNED))
    first, count = rng.choice((0, 0, 1, 5)), rng.choice((4, 16, 17, 31, 40))
    a, b = rng.randrange(0, 5), rng.choice((1, 2, 3))
    members, temporaries = rng.choice((1, 1, 2, 3, 4)), 3
    base = index_expression(rng, 1)
    statements = [
        _Statement(
            stores=number > 0 and rng.random() < 0.5,
            test=condition(rng),
            index=_near(rng, base),
            member=rng.randrange(members),
            temporary=rng.randrange(temporaries),
            other=rng.randrange(temporaries),
        )
        for number in range(rng.randrange(3, 8))
    ]
    k = np.arange(first, first + count)
    places = np.concatenate([statement.index.value(k, a, b) for statement in statements])
    low, high = min(0, int(places.min())), max(0, int(places.max()))
    if high - low > 400:
        return None
    numbers = np.random.default_rng(rng.getrandbits(32))
    dtype = UNSIGNED[type_name]
    source = numbers.integers(0, 200, (high - low + 1) * members).astype(dtype)
    expected = source.copy()
    result = np.zeros(count, dtype)
    for start in range(first, first + count, width):
        _run_group(
            statements, expected, result, np.arange(start, min(start + width, first + count)), (a, b, low, members, first)
        )
    suffixes = [f".{MEMBERS[member]}" if members > 1 else "" for member in range(members)]
    struct = f"struct {name}_s {{ {type_name} {', '.join(MEMBERS[:members])}; }};\n" if members > 1 else ""
    element = f"{name}_s" if members > 1 else type_name
    lines = [f"{type_name} {', '.join(f't{number} = 0' for number in range(temporaries))};"]
    for statement in statements:
        place = f"p[{statement.index.text}]{suffixes[statement.member]}"
        action = (
            f"{place} = t{statement.temporary} + t{statement.other};"
            if statement.stores
            else f"t{statement.temporary} = {place};"
        )
        lines.append(statement.test[0] + action)
    body = "\n        ".join([*lines, f"to[k - {first}] = t0 ^ t1 ^ t2;"])
    text = f"""{struct}export void {name}(uniform {type_name} to[], uniform {element} from[], uniform int a, uniform int b) {{
    uniform {element} * uniform p = from + {-low};
    foreach (k = {first} ... {first + count}) {{
        {body}
    }}
}}
"""
    return Case(name, text, np.zeros(count, dtype), source, result, a, b, expected)


def _near(rng: random.Random, base: Expression) -> Expression:
    """The base index, or one beside it: neighbours are what the passes put together."""
    if rng.random() < 0.2:
        return index_expression(rng, 1)
    by = rng.choice((0, 0, 1, 2, 3, -1))
    return Expression(f"({base.text} + {by})", lambda k, a, b: base.value(k, a, b) + by)


def _run_group(
    statements: list[_Statement], memory: Array, result: Array, k: Array, facts: tuple[int, int, int, int, int]
) -> None:
    a, b, low, members, first = facts
    temporaries = np.zeros((3, len(k)), memory.dtype)
    for statement in statements:
        active = statement.test[1](k)
        places = (statement.index.value(k, a, b) - low) * members + statement.member
        if statement.stores:
            values = temporaries[statement.temporary] + temporaries[statement.other]
            for lane in np.flatnonzero(active):
                memory[places[lane]] = values[lane]
        else:
            temporaries[statement.temporary][active] = memory[places[active]]
    result[k - first] = temporaries[0] ^ temporaries[1] ^ temporaries[2]


def random_unsigned_case(rng: random.Random, name: str) -> Case:
    found = random_unsigned_indices(rng)
    element = found.type_name
    head = f"export void {name}(uniform {element} to[], uniform {element} from[], uniform int a, uniform int b)"
    return Case(name, f"{head} {{{found.body}}}\n", found.to, found.source, found.expected, found.a, found.b, None, True)


def random_stream_case(rng: random.Random, name: str, width: int) -> Case:
    element, body, to, source, expected, a, b = random_stream(rng, width)
    head = f"export void {name}(uniform {element} to[], uniform {element} from[], uniform int a, uniform int b)"
    return Case(name, f"{head} {{{body}}}\n", to, source, expected, a, b)


def random_cases(seed: int, count: int, width: int) -> list[Case]:
    """A quarter each: single accesses, bodies of several statements, indices that may wrap around, and streams."""
    rng = random.Random(seed)
    kinds = (
        random_case,
        lambda rng, name: random_body(rng, name, width),
        random_unsigned_case,
        lambda rng, name: random_stream_case(rng, name, width),
    )
    return [kinds[number % 4](rng, f"case{number}") for number in range(count)]
