"""Random loops in which each lane walks a run of elements of its own, with what they must compute, by plain Python."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
TYPES: dict[str, type[np.generic]] = {
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
    "float": np.float32,
    "double": np.float64,
}
_BITS = 0xFFFFFFFF
_STOP, _LAST = 5, 20
"""An element at which some loops end, and a place."""
_PROBED = 32
"""Elements of a table that is looked through in a circle."""


@dataclass(frozen=True)
class Run:
    """``arrays`` are given before ``count``: results (two a lane), starts, elements, indices."""

    text: str
    arrays: tuple[Array, Array, Array, Array]
    count: int
    expected: Array


@dataclass(frozen=True)
class _Step:
    """A statement of the loop, and the new ``(sum, other)`` of what they were, the element, its place and the round."""

    text: str
    value: Callable[[int, int, int, int, int], tuple[int, int]]


def _steps(elements: list[int], indices: list[int], whole: bool) -> list[_Step]:
    """All are exact: sums of small numbers, or modulo 2 ** 32."""
    common = [
        _Step("sum += x;", lambda s, o, x, k, u: (s + x, o)),
        _Step("if (x > 3) other += 1;", lambda s, o, x, k, u: (s, o + (x > 3))),
        _Step("sum += from[at[k]];", lambda s, o, x, k, u: (s + elements[indices[k]], o)),
        _Step("other = x > other ? x : other;" if not whole else "other += x != 0;", _largest if not whole else _not_zero),
        _Step("sum += round; round++;", lambda s, o, x, k, u: (s + u, o)),
        _Step("other += k;", lambda s, o, x, k, u: (s, o + k)),
    ]
    more = [
        _Step("sum = sum * 3 + other;", lambda s, o, x, k, u: (s * 3 + o, o)),
        _Step("sum ^= x;", lambda s, o, x, k, u: (s ^ x, o)),
        _Step("other = (other << 1) | (x & 1);", lambda s, o, x, k, u: (s, (o << 1) | (x & 1))),
    ]
    return common + (more if whole else [])


def _largest(s: int, o: int, x: int, k: int, u: int) -> tuple[int, int]:
    return s, max(x, o)


def _not_zero(s: int, o: int, x: int, k: int, u: int) -> tuple[int, int]:
    return s, o + (x != 0)


def random_run(rng: random.Random) -> Run:
    """A kernel ``walk``."""
    type_name = rng.choice(list(TYPES))
    whole = type_name not in ("float", "double")
    kind = "uint32" if whole else type_name
    count = rng.choice((0, 1, 3, 7, 8, 16, 17, 33))
    shape = rng.choice(("upwards", "downwards", "to a zero", "by pointer", "until", "as long as", "up to", "linked", "probing"))
    if shape in ("linked", "probing"):
        return _chased(rng, shape, type_name, count)
    ended = shape in ("to a zero", "by pointer")
    lengths = [rng.choice((0, 1, 2, 5, 9)) for _ in range(count)]
    elements: list[int] = []
    starts = [0]
    for length in lengths:
        elements += [rng.randrange(1, 9) for _ in range(length)] + ([0] if ended else [])
        starts.append(len(elements))
    indices = [rng.randrange(len(elements)) for _ in elements]
    steps = rng.sample(_steps(elements, indices, whole), rng.choice((1, 2, 2, 3)))
    if shape == "by pointer":
        steps = [step for step in steps if "k" not in step.text] or _steps(elements, indices, whole)[:1]
    divisor = rng.choice((0, 0, 2, 3))
    loops = {
        "upwards": "for (int k = starts[i]; k < starts[i + 1]; k++) { E x = from[k]; B }",
        "downwards": "for (int k = starts[i + 1] - 1; k >= starts[i]; k--) { E x = from[k]; B }",
        "to a zero": "int k = starts[i]; while (from[k] != 0) { E x = from[k]; B k++; }",
        "until": f"for (int k = starts[i]; k < starts[i + 1]; k++) {{ E x = from[k]; if (x == {_STOP}) break; B }}",
        "as long as": f"int k = starts[i]; while (k < starts[i + 1] && from[k] != {_STOP}) {{ E x = from[k]; B k++; }}",
        "up to": "int k = starts[i]; "
        f"while (k < starts[i + 1] && k < {_LAST} && from[k] != {_STOP}) {{ E x = from[k]; B k++; }}",
        "by pointer": "const uniform E * varying p = &from[starts[i]]; while (*p != 0) { E x = *p; B ++p; }",
    }
    body = loops[shape].replace("E ", f"{type_name} ").replace("B", " ".join(step.text for step in steps))
    text = _kernel(kind, type_name, body, divisor)
    expected: list[int] = [0] * (2 * count)
    for lane, length in enumerate(lengths):
        places = list(range(starts[lane], starts[lane] + length))
        if shape in ("until", "as long as", "up to"):
            places = list(itertools.takewhile(lambda place: elements[place] != _STOP, places))
        if shape == "up to":
            places = [place for place in places if place < _LAST]
        if divisor and lane % divisor == 0:
            places = []
        walked = _walked(lane, places[::-1] if shape == "downwards" else places, elements, steps, whole)
        expected[lane], expected[count + lane] = walked
    made = np.array(elements, TYPES[type_name]), np.array(indices, np.int32)
    given = np.zeros(2 * count, TYPES[kind]), np.array(starts, np.int32), *made
    return Run(text, given, count, np.array(expected, TYPES[kind]))


def _walked(lane: int, places: list[int], elements: list[int], steps: list[_Step], whole: bool) -> tuple[int, int]:
    """What a lane's ``sum`` and ``other`` are behind the loop."""
    total, other = lane, 1
    for number, place in enumerate(places):
        for step in steps:
            total, other = step.value(total, other, elements[place], place, 2 + number)
            if whole:
                total, other = total & _BITS, other & _BITS
    return total, other


def _chased(rng: random.Random, shape: str, type_name: str, count: int) -> Run:
    """Lanes follow lists through ``at``, or look for a free place or a 5 in a table of a power of two; where they ended is read
    once more behind the loop."""
    whole = type_name not in ("float", "double")
    kind = "uint32" if whole else type_name
    places = rng.sample(range(_PROBED), _PROBED)
    elements = [rng.choice((0, 1, 2, 3, 4, _STOP, 6, 7)) if shape == "probing" else rng.randrange(1, 9) for _ in places]
    following = [(place + 1) % _PROBED for place in range(_PROBED)]
    if shape == "linked":
        for place, behind in itertools.pairwise(places):
            following[place] = behind
    elements[places[-1]] = 0
    steps = rng.sample(_steps(elements, following, whole), rng.choice((1, 2)))
    divisor = rng.choice((0, 0, 2, 3))
    ends = (0, _STOP) if shape == "probing" else (0,)
    test = " && ".join(f"from[k] != {end}" for end in ends)
    step = f"k = (k + 1) & {_PROBED - 1};" if shape == "probing" else "k = at[k];"
    statements = " ".join(each.text for each in steps)
    body = f"int k = starts[i]; while ({test}) {{ {type_name} x = from[k]; {statements} {step} }} sum += from[k] + k;"
    starts = [rng.randrange(_PROBED) for _ in range(count)]
    expected: list[int] = [0] * (2 * count)
    for lane, place in enumerate(starts):
        if divisor and lane % divisor == 0:
            expected[lane], expected[count + lane] = lane, 1
            continue
        gone = []
        while elements[place] not in ends:
            gone.append(place)
            place = following[place]
        total, other = _walked(lane, gone, elements, steps, whole)
        total += elements[place] + place
        expected[lane], expected[count + lane] = total & _BITS if whole else total, other
    made = np.array(elements, TYPES[type_name]), np.array(following, np.int32)
    given = np.zeros(2 * count, TYPES[kind]), np.array(starts, np.int32), *made
    return Run(_kernel(kind, type_name, body, divisor), given, count, np.array(expected, TYPES[kind]))


def _kernel(kind: str, type_name: str, body: str, divisor: int) -> str:
    return f"""export void walk(uniform {kind} to[], const uniform int starts[], const uniform {type_name} from[],
                 const uniform int at[], uniform int n) {{
    foreach (i = 0 ... n) {{
        {kind} sum = i, other = 1;
        uniform int round = 2;
        {f"if (i % {divisor} != 0) " if divisor else ""}{{ {body} }}
        to[i] = sum;
        to[n + i] = other;
    }}
}}
"""
