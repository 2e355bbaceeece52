"""Loops whose indices are held within bounds give what they gave, touch nothing else, and read vectors between the edges."""

import random
import zlib
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels
from passed_text import passed
from some_pairs import some_seeds

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x16"]
TYPES = {"uint8": np.uint8, "int16": np.int16, "float": np.float32, "double": np.float64}
# An index of the element x of n, as it is written and in Python; K is a small number, D a uniform one.
INDICES: dict[str, Callable[[int, int, int, int], int]] = {
    "clamp(x + K, 0, n - 1)": lambda x, n, k, d: min(max(x + k, 0), n - 1),
    "min(max(x - K, 0), n - 1)": lambda x, n, k, d: min(max(x - k, 0), n - 1),
    "max(0, min(n - 1, x + D))": lambda x, n, k, d: max(0, min(n - 1, x + d)),
    "min(x, 5)": lambda x, n, k, d: min(x, 5),
    "x > 0 ? x - 1 : n - 1": lambda x, n, k, d: x - 1 if x > 0 else n - 1,
    "x == n - 1 ? 0 : x + 1": lambda x, n, k, d: 0 if x == n - 1 else x + 1,
    "0 != x ? x - 1 : n - 1": lambda x, n, k, d: x - 1 if x != 0 else n - 1,
    "x + K < n ? x + K : n - 1": lambda x, n, k, d: x + k if x + k < n else n - 1,
    "n <= x + K ? n - 1 : x + K": lambda x, n, k, d: n - 1 if n <= x + k else x + k,
    "x >= K ? x - K : 0": lambda x, n, k, d: x - k if x >= k else 0,
    "K > x ? 0 : x - K": lambda x, n, k, d: 0 if k > x else x - k,
    "x < 3 ? 3 : x": lambda x, n, k, d: max(3, x),
}


def kernel(type_name: str, indices: list[str], k: int) -> str:
    terms = " + ".join(f"from[{each.replace('K', str(k)).replace('D', 'd')}]" for each in indices)
    return f"""export void read(uniform {type_name} to[], const uniform {type_name} from[], uniform int n, uniform int d,
                 uniform int first) {{
    foreach (x = first ... n)
        to[x] = {terms};
}}
"""


@pytest.mark.parametrize("seeds", some_seeds(3, 30))
@pytest.mark.parametrize("target", TARGETS)
def test_random_indices(target: str, seeds: range) -> None:
    calls = FencedCalls()
    checked = []
    for number in seeds:
        rng = random.Random(zlib.crc32(f"{target} {number}".encode()))
        type_name = rng.choice(list(TYPES))
        indices, k = rng.sample(list(INDICES), rng.choice((1, 2, 3))), rng.choice((1, 2, 9))
        source = kernel(type_name, indices, k)
        compiled = compile_kernels(source, target)
        interpreter = IRInterpreter(read(passed(source, target)))
        for n, d, first in ((0, 0, 0), (6, 1, 0), (7, 0, 3), (33, -2, 0), (64, 3, 0), (70, 1, 5), (100, -1, 0)):
            values = np.array([rng.randrange(20) for _ in range(n)], TYPES[type_name])
            if any(not 0 <= INDICES[each](x, n, k, d) < n for each in indices for x in range(first, n)):
                continue
            wanted = np.zeros(n, TYPES[type_name])
            for x in range(first, n):
                wanted[x] = sum(int(values[INDICES[each](x, n, k, d)]) for each in indices)
            to, given = calls.copies(np.zeros(n, TYPES[type_name]), values, at_end=number % 2 == 0)
            calls.add(source, partial(compiled.read, to, given, n, d, first))
            checked.append((source, to, wanted))
            interpreted = np.zeros(n, TYPES[type_name])
            interpreter.call("read", [interpreted, values.copy(), n, d, first])
            assert interpreted.tolist() == wanted.tolist(), source
    calls.check()
    for source, to, wanted in checked:
        assert to.tolist() == wanted.tolist(), source
    assert len(checked) > 12


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_between_the_edges_vectors_are_read(index: str, target: str) -> None:
    """Each of the forms: one of the loops over gangs with all lanes on has a vector load and nothing lane by lane."""
    text = passed(kernel("float", [index], 2), target)
    width = find_target(target).width
    bodies = [body.partition("\n\n")[0] for body in text.split("\nforeach_")[1:]]
    bodies = [body for body in bodies if ".all_on" in body.partition(":")[0]]
    assert any(f"load <{width} x float>" in body and "load float" not in body and "gather" not in body for body in bodies)


@pytest.mark.parametrize("index", INDICES)
def test_edges_are_not_warned_of(index: str) -> None:
    """Only the few gangs at the edges read lane by lane: nothing that one can act on."""
    options = Options(target=find_target("avx2-i32x8"))
    job = compile_source(kernel("float", [index], 2), "f.ispc", options)
    assert not [item.text for item in job.diagnostics.items]


def test_what_is_irregular_beside_is_warned_of() -> None:
    """A table looked up in the same loop is a gather in the loop between the edges, too."""
    source = """export void read(uniform float to[], const uniform float from[], const uniform int at[], uniform int n) {
    foreach (x = 0 ... n)
        to[x] = from[max(x - 1, 0)] + from[at[x]];
}
"""
    job = compile_source(source, "f.ispc", Options(target=find_target("avx2-i32x8")))
    assert [item.span.column for item in job.diagnostics.items] == [39]


def test_an_image_is_read_at_its_borders() -> None:
    """Both dimensions: rows by scalars, columns by gangs."""
    source = """export void blur(uniform float to[], const uniform float from[], uniform int w, uniform int h) {
    foreach (y = 0 ... h, x = 0 ... w)
        to[y * w + x] = from[max(y - 1, 0) * w + x] + from[min(y + 1, h - 1) * w + x] +
                        from[y * w + max(x - 1, 0)] + from[y * w + min(x + 1, w - 1)];
}"""
    for w, h in ((1, 1), (7, 3), (16, 2), (41, 5)):
        image = np.arange(w * h, dtype=np.float32).reshape(h, w)
        edged = np.pad(image, 1, mode="edge")
        wanted = edged[:-2, 1:-1] + edged[2:, 1:-1] + edged[1:-1, :-2] + edged[1:-1, 2:]
        for target in ("avx2-i32x8", "avx512skx-x16"):
            to = np.zeros_like(image)
            compile_kernels(source, target).blur(to.ravel(), image.ravel(), w, h)
            assert np.array_equal(to, wanted)


def test_sums_go_through_all_the_loops() -> None:
    """What a loop carries on comes from the one before it."""
    source = """export uniform int total(const uniform int from[], uniform int n) {
    int sum = 0;
    foreach (x = 0 ... n)
        sum += x * from[min(max(x - 1, 0), n - 3)];
    return reduce_add(sum);
}"""
    for n in (3, 8, 29, 64):
        values = np.arange(n, dtype=np.int32) % 7
        x = np.arange(n)
        wanted = int((x * values[np.minimum(np.maximum(x - 1, 0), n - 3)]).sum())
        assert compile_kernels(source, "avx2-i32x8").total(values, n) == wanted


def test_extreme_bounds_leave_no_gang_between() -> None:
    """Sums beyond 32 bits: d - 8 of the least number, and numbers that no counter comes to."""
    source = """export void read(uniform int to[], const uniform int from[], uniform int n, uniform int d) {
    foreach (x = 0 ... n)
        to[x] = from[max(min(x, d), 0)];
}"""
    values = np.arange(20, dtype=np.int32)
    for d, wanted in ((-(2**31), [0] * 20), (2**31 - 1, list(range(20))), (3, [0, 1, 2] + [3] * 17)):
        to = np.zeros(20, np.int32)
        compile_kernels(source, "avx2-i32x8").read(to, values, 20, d)
        assert to.tolist() == wanted


def test_bounds_that_change_in_the_loop_stay() -> None:
    source = """export void read(uniform int to[], const uniform int from[], const uniform int at[], uniform int n) {
    foreach (x = 0 ... n)
        to[x] = from[min(x, at[x])];
}"""
    assert ".inner" not in passed(source, "avx2-i32x8")
