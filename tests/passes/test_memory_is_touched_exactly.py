"""Random strided, irregular and masked accesses give numpy's result and stay inside arrays that end at page borders."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from pseudo_programs import ELEMENT_TYPES, Body, Fenced, Program, foreach, options
from some_pairs import some_seeds

from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x4", "avx512skx-x16"]


@dataclass
class Index:
    """An index expression: what it is for one i, and the instructions of it over the lanes."""

    text: str
    value: Callable[[int], int]
    write: Callable[[Body], str]


def random_index(source: random.Random, depth: int = 3) -> Index:
    """Sums, products, divisions, masks of the loop counter; never negative for i >= 0."""
    if depth == 0 or source.random() < 0.1:
        return Index("i", lambda i: i, lambda body: body.lanes)
    inner = random_index(source, depth - 1)
    kind = source.choice(["add", "mul", "shl", "div", "lshr", "and", "or", "xor", "rem", "keep", "uniform"])
    number = source.choice([1, 2, 3, 4, 5, 7, 8])
    power = source.choice([1, 2, 4, 8])
    value = inner.value
    match kind:
        case "add":
            return Index(f"({inner.text} + {number})", lambda i: value(i) + number, _op(inner, "add nsw", number))
        case "mul":
            small = min(number, 4)
            return Index(f"({inner.text} * {small})", lambda i: value(i) * small, _op(inner, "mul nsw", small))
        case "shl":
            return Index(f"({inner.text} << 1)", lambda i: value(i) << 1, _op(inner, "shl nsw", 1))
        case "div":
            return Index(f"({inner.text} / {number})", lambda i: value(i) // number, _op(inner, "sdiv", number))
        case "lshr":
            return Index(f"({inner.text} >> 1)", lambda i: value(i) >> 1, _op(inner, "lshr", 1))
        case "and":
            return Index(f"({inner.text} & {-power})", lambda i: value(i) & -power, _op(inner, "and", -power))
        case "or":
            return Index(f"({inner.text} | {power - 1})", lambda i: value(i) | (power - 1), _op(inner, "or", power - 1))
        case "xor":
            return Index(f"({inner.text} ^ {power})", lambda i: value(i) ^ power, _op(inner, "xor", power))
        case "rem":
            return Index(f"({inner.text} % {number})", lambda i: value(i) % number, _op(inner, "srem", number))
        case "uniform":

            def write(body: Body) -> str:
                return body.operation("add nsw", inner.write(body), body.splat("%k"))

            return Index(f"({inner.text} + k)", lambda i: value(i) + K, write)
    return inner


K = 5
"""What the tests pass for the uniform %k."""


def _op(inner: Index, operation: str, number: int) -> Callable[[Body], str]:
    return lambda body: body.operation(operation, inner.write(body), number)


def random_case(seed: int, target: str) -> None:
    source = random.Random(seed)
    width = find_target(target).width
    element = source.choice(list(ELEMENT_TYPES))
    dtype = np.dtype(ELEMENT_TYPES[element])
    loads = [random_index(source) for _ in range(source.choice([1, 1, 2]))]
    if source.random() < 0.4:
        first = loads[0]
        loads.append(Index(f"({first.text} + 1)", lambda i: first.value(i) + 1, _op(first, "add nsw", 1)))
    stores = [random_index(source, 2) for _ in loads]
    masked = source.random() < 0.3
    start = source.choice(["0", "0", "%k", "3"])

    def write(body: Body) -> None:
        if masked:
            odd = body.operation("srem", body.operation("add nsw", body.lanes, body.splat("%k")), 3)
            wanted = body.value(f"icmp ne <{width} x i32> {odd}, zeroinitializer")
            body.mask = body.value(
                f"select <{width} x i1> {body.mask}, <{width} x i1> {wanted}, <{width} x i1> zeroinitializer"
            )
        for number, (load, store) in enumerate(zip(loads, stores)):
            value = body.gather(element, "%src", load.write(body))
            body.scatter(element, value, f"%dst{number}", store.write(body))

    parameters = ", ".join(["ptr %src", *(f"ptr %dst{number}" for number in range(len(loads))), "i32 %k", "i32 %n"])
    text = foreach(width, parameters, write, start)
    indices = f"loads {[each.text for each in loads]} stores {[each.text for each in stores]}"
    what = f"seed {seed} {target} {element} start {start} {masked=} {indices}"
    program = Program(text, options(target))
    origin = {"0": 0, "%k": K, "3": 3}[start]
    for length in sorted({0, 1, 2, width - 1, width, width + 1, 2 * width, 2 * width + source.randrange(width)}):
        active = [i for i in range(origin, origin + length) if not masked or (i + K) % 3]
        touched = [load.value(i) for load in loads for i in active]
        low, high = min(touched, default=0), max(touched, default=0)
        at_end = source.random() < 0.5
        contents = np.arange(low, high + 1) * 7 % 120
        src = Fenced(contents.astype(dtype), at_end)
        targets: list[Fenced] = []
        lows: list[int] = []
        expected: list[np.ndarray] = []
        for load, store in zip(loads, stores):
            places = [store.value(i) for i in active]
            bottom, top = min(places, default=0), max(places, default=0)
            fenced = Fenced(np.full(top - bottom + 1, 99, dtype), at_end)
            result = fenced.array.copy()
            for i, place in zip(active, places):
                result[place - bottom] = src.array[load.value(i) - low]
            targets.append(fenced)
            lows.append(bottom)
            expected.append(result)
        program(src.pointer(low), *(fenced.pointer(bottom) for fenced, bottom in zip(targets, lows)), K, origin + length)
        for fenced, result in zip(targets, expected):
            assert np.array_equal(fenced.array, result), f"{what} length {length}"


def struct_case(seed: int, target: str) -> None:
    """Some members of structs are summed and stored into some members of other structs."""
    source = random.Random(seed)
    width = find_target(target).width
    element = source.choice(list(ELEMENT_TYPES))
    dtype = np.dtype(ELEMENT_TYPES[element])
    count = source.randrange(2, 9)
    read = source.sample(range(count), source.randrange(1, count + 1))
    written = source.sample(range(count), source.choice([count, count, source.randrange(1, count + 1)]))
    struct = "{ " + ", ".join([element] * count) + " }"
    add = "fadd" if element in ("float", "double") else "add"
    masked = source.random() < 0.3

    def write(body: Body) -> None:
        if masked:
            odd = body.operation("srem", body.operation("add nsw", body.lanes, 1), 3)
            wanted = body.value(f"icmp ne <{width} x i32> {odd}, zeroinitializer")
            vector = f"<{width} x i1>"
            body.mask = body.value(f"select {vector} {body.mask}, {vector} {wanted}, {vector} zeroinitializer")
        total = body.gather(element, "%src", body.lanes, struct, read[0])
        values = [total]
        for member in read[1:]:
            total = body.value(
                f"{add} <{width} x {element}> {total}, {body.gather(element, '%src', body.lanes, struct, member)}"
            )
            values.append(total)
        for number, member in enumerate(written):
            body.scatter(element, values[number % len(values)], "%dst", body.lanes, struct, member)

    what = f"seed {seed} {target} {element} of {count}, {read=} {written=} {masked=}"
    program = Program(foreach(width, "ptr noalias %src, ptr noalias %dst, i32 %n", write), options(target))
    for length in sorted({0, 1, width - 1, width, width + 1, 3 * width + source.randrange(width)}):
        active = [i for i in range(length) if not masked or (i + 1) % 3]
        touched = [i * count + member for i in active for member in read]
        low, high = min(touched, default=0), max(touched, default=0)
        places = [i * count + member for i in active for member in written]
        bottom, top = min(places, default=0), max(places, default=0)
        at_end = source.random() < 0.5
        src = Fenced((np.arange(low, high + 1) * 7 % 15).astype(dtype), at_end)
        dst = Fenced(np.full(top - bottom + 1, 99, dtype), at_end)
        expected = dst.array.copy()
        for i in active:
            total = dtype.type(0)
            sums = []
            for member in read:
                total = dtype.type(total + src.array[i * count + member - low])
                sums.append(total)
            for number, member in enumerate(written):
                expected[i * count + member - bottom] = sums[number % len(sums)]
        program(src.pointer(low), dst.pointer(bottom), length)
        assert np.array_equal(dst.array, expected), f"{what} length {length}"


def near_index(source: random.Random, width: int) -> Index:
    """Patterns that often meet each other, or follow each other."""
    if source.random() < 0.2:
        return random_index(source, 2)
    factor = source.choice([1, 2, 2, 2, 3, 4])
    return multiple(factor, source.randrange(4) + source.choice([0, 0, 0, factor * width]))


def multiple(factor: int, offset: int) -> Index:
    def write(body: Body) -> str:
        return body.operation("add nsw", body.operation("mul nsw", body.lanes, factor), offset)

    return Index(f"({factor} * i + {offset})", lambda i: factor * i + offset, write)


def in_place_case(seed: int, target: str) -> None:
    """Statements that load from and store to one array, through two pointers; each is done by a gang before the next."""
    source = random.Random(seed)
    width = find_target(target).width
    element = source.choice(["i32", "i32", "i16", "i64"])
    statements = [
        (near_index(source, width), near_index(source, width), source.random() < 0.3) for _ in range(source.randrange(2, 6))
    ]
    in_place(f"seed {seed} {target}", target, element, source.choice(["%p", "%p", "%q"]), statements)


def in_place(what: str, target: str, element: str, second: str, statements: list[tuple[Index, Index, bool]]) -> None:
    width = find_target(target).width
    dtype = np.dtype(ELEMENT_TYPES[element])

    def write(body: Body) -> None:
        loaded: list[str] = []
        whole = body.mask
        odd = body.operation("srem", body.operation("add nsw", body.lanes, 1), 3)
        wanted = body.value(f"icmp ne <{width} x i32> {odd}, zeroinitializer")
        vector = f"<{width} x i1>"
        some = body.value(f"select {vector} {whole}, {vector} {wanted}, {vector} zeroinitializer")
        for number, (load, store, masked) in enumerate(statements):
            body.mask = some if masked else whole
            base, other = ("%p", second) if number % 2 else (second, "%p")
            loaded.append(body.gather(element, base, load.write(body)))
            one = body.value(f"add <{width} x {element}> {loaded[-1]}, splat ({element} {number + 1})")
            body.scatter(element, one, other, store.write(body))

    what += f" {element} {[(each[0].text, each[1].text, each[2]) for each in statements]}"
    program = Program(foreach(width, "ptr %p, ptr %q, i32 %k, i32 %n", write), options(target))
    for length in (width, 3 * width, 3 * width - 2):
        size = 1 + max(max(load.value(i), store.value(i)) for load, store, _ in statements for i in range(length))
        array = Fenced((np.arange(size) % 100).astype(dtype), True)
        expected = array.array.copy()
        for start in range(0, length, width):
            gang = range(start, min(length, start + width))
            for number, (load, store, masked) in enumerate(statements):
                active = [i for i in gang if not masked or (i + 1) % 3]
                values = [expected[load.value(i)] + dtype.type(number + 1) for i in active]
                for i, value in zip(active, values):
                    expected[store.value(i)] = value
        program(array.pointer(), array.pointer(), K, length)
        assert np.array_equal(array.array, expected), f"{what} length {length}"


@pytest.mark.parametrize("seeds", some_seeds(8, 100))
@pytest.mark.parametrize("target", TARGETS)
def test_random_accesses_agree_with_numpy_and_stay_inside_their_memory(target: str, seeds: range) -> None:
    for seed in seeds:
        random_case(seed, target)


@pytest.mark.parametrize("seeds", some_seeds(5, 60))
@pytest.mark.parametrize("target", TARGETS)
def test_random_structs_agree_with_numpy_and_stay_inside_their_memory(target: str, seeds: range) -> None:
    for seed in seeds:
        struct_case(seed, target)


@pytest.mark.parametrize("seeds", some_seeds(5, 60))
@pytest.mark.parametrize("target", TARGETS)
def test_random_statements_in_place_keep_their_order(target: str, seeds: range) -> None:
    for seed in seeds:
        in_place_case(seed, target)


@pytest.mark.parametrize("target", TARGETS)
def test_a_load_is_not_moved_to_its_neighbours_before_a_store_of_its_elements(target: str) -> None:
    width = find_target(target).width
    behind = 2 * width
    statements = [(multiple(2, 0), multiple(2, behind), False), (multiple(2, behind + 2), multiple(1, 8 * width), False)]
    in_place("directed", target, "i32", "%p", statements)
