"""Unsigned sums as indices: vector accesses where they do not wrap around, the right elements where they do."""

from __future__ import annotations

import ctypes
import mmap
import re

import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.lane_values import LaneValues
from voltac.ir.read import read
from voltac.llvm import load_objects
from voltac.options import Options
from voltac.passes.accesses.wrapping_gangs import _chain
from voltac.target_info import find_target

PRODUCT = """
export void product(uniform float a[], uniform float b[], uniform float c[], uniform T n) {
    for (uniform T i = 0; i < n; ++i)
        foreach (j = 0 ... n) {
            T column = j;
            float s = 0;
            for (uniform T k = 0; k < n; ++k)
                s += a[i * n + k] * b[k * n + column];
            c[i * n + column] = s;
        }
}
"""
TARGETS = ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16")
every_target = pytest.mark.parametrize("target", TARGETS)


def resolved(source: str, target: str = "avx2-i32x8") -> str:
    """LLVM text behind the passes."""
    return str(compile_source(source, "k.ispc", Options(target=find_target(target)), end="passes").results["passes"])


def slow_blocks(text: str) -> list[str]:
    """Blocks that access lane by lane, or gather, of what this file calls."""
    found = []
    for function in read(text).functions:
        if ".some_on" in function.name:
            continue
        for block in function.blocks:
            lanes = sum(" = load " in each.text and " x " not in each.text for each in block.instructions)
            if lanes > 3 or any(re.search(r"llvm\.masked\.(gather|scatter)", each.text) for each in block.instructions):
                found.append(block.name)
    return found


@every_target
@pytest.mark.parametrize("type", ["int", "unsigned int", "unsigned int64", "unsigned int16"])
def test_a_matrix_product_gathers_only_where_an_index_wraps_around(type: str, target: str) -> None:
    text = resolved(PRODUCT.replace("T ", f"{type} "), target)
    assert not [name for name in slow_blocks(text) if ".wrapping" not in name]
    assert (".wrapping" in text) == (type in ("unsigned int", "unsigned int16"))


@every_target
@pytest.mark.parametrize("type", ["unsigned int", "unsigned int16", "unsigned int8"])
@pytest.mark.parametrize("n", [0, 1, 7, 20])
def test_a_matrix_product_is_right(n: int, type: str, target: str) -> None:
    """With n = 20 and indices of 8 bits elements are taken again and again."""
    text = resolved(PRODUCT.replace("T ", f"{type} "), target)
    numbers = np.random.default_rng(n)
    a, b = numbers.integers(-9, 9, (2, max(1, n * n))).astype(np.float32)
    c = np.zeros(max(1, n * n), np.float32)
    expected = c.copy()
    modulus = {"unsigned int": 1 << 32, "unsigned int16": 1 << 16, "unsigned int8": 1 << 8}[type]
    for i in range(n):
        for j in range(n):
            # Gangs go on in the order of their elements, so the last of those that are stored at one place stays.
            places = [((i * n + k) % modulus, (k * n + j) % modulus) for k in range(n)]
            expected[(i * n + j) % modulus] = sum(a[one] * b[two] for one, two in places)
    machine = IRInterpreter(read(text))
    machine.call("product", [a, b, c, n])
    assert (c == expected).all()


SUMS = """
export uniform double sums(uniform float a[], uniform int32 b[], uniform T first, uniform T n, uniform int32 out[]) {
    float s = 1;
    int last = -1;
    uniform int gangs = 0;
    for (uniform int k = 0; k < 2; ++k)
        foreach (i = 0 ... n) {
            T at = first + i;
            s += a[at];
            last = b[at];
            ++gangs;
        }
    out[0] = reduce_max(last);
    out[1] = gangs;
    return reduce_add((double)s);
}
"""


@every_target
@pytest.mark.parametrize("type", ["unsigned int8", "unsigned int16"])
@pytest.mark.parametrize("first", [3, -5, -40])
def test_what_a_loop_computes_is_there_behind_both_versions(first: int, type: str, target: str) -> None:
    bits = 8 if type.endswith("8") else 16
    text = resolved(SUMS.replace("T ", f"{type} "), target)
    assert "@sums.wrapping(" in text
    n, width = 37, find_target(target).width
    a = np.random.default_rng(bits).integers(-99, 99, 1 << bits).astype(np.float32)
    b = np.arange(1 << bits, dtype=np.int32)
    out = np.zeros(2, np.int32)
    places = np.arange(first, first + n) % (1 << bits)
    found = IRInterpreter(read(text)).call("sums", [a, b, first % (1 << bits), n, out])
    assert found == width + 2 * a[places].sum()
    # Each lane has the last element it took.
    assert out[0] == max(places[lane::width][-1] for lane in range(width))
    assert out[1] == 2 * -(-n // width)


LEFT_EARLY = """
export uniform int sum(uniform int a[], uniform T n, uniform T step, uniform int limit) {
    int total = 0;
    for (uniform T j = 0; j < n; j++) {
        T k = programIndex + j * step;
        total += a[k];
        if (total > limit) break;
    }
    return reduce_add(total);
}
"""


@every_target
@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("step", [1, 31])
def test_loops_that_lanes_leave_end_with_the_same_in_both_versions(step: int, debug: bool, target: str) -> None:
    """With debug information the phis behind them have places, too."""
    options = Options(find_target(target), debug_info=debug)
    job = compile_source(LEFT_EARLY.replace("T ", "unsigned int8 "), "k.ispc", options, end="passes")
    text = str(job.results["passes"])
    assert ".wrapping" in text
    width, n, limit = options.target.width, 20, 900
    a = np.arange(256, dtype=np.int32)
    total, on = np.zeros(width, np.int64), np.ones(width, bool)
    for j in range(n):
        total[on] += a[(np.arange(width) + j * step) % 256][on]
        on &= total <= limit
    assert IRInterpreter(read(text)).call("sum", [a, n, step, limit]) == total.sum()


def test_loops_for_indices_that_wrap_are_functions_that_are_left_as_they_are() -> None:
    source = PRODUCT.replace("T ", "unsigned int ")
    text = str(compile_source(source, "k.ispc", Options(find_target("avx2-i32x8"))).optimized.text())
    (seldom,) = (function for function in read(text).functions if ".wrapping" in function.name)
    assert all(".wrapping" in block.name for block in seldom.blocks) and "optnone" not in text


BASES = [
    # body with a loop over t from 0 to 40 of a[BASE], what BASE may be
    "u + t",
    "(u + t) + 3",
    "2 * t + u",
    "u - 3 + t",
    "(u + t) * 2",
    "u + 40 - t",
    "(unsigned int)(t * 3) + u",
]


@pytest.mark.parametrize("index", BASES)
@pytest.mark.parametrize("form", ["foreach (t = 0 ... 40)", "for (int t = programIndex; t < 40; t += programCount)"])
def test_regular_sums_are_never_accessed_lane_by_lane(form: str, index: str) -> None:
    head = "export void f(uniform float a[], uniform float b[], uniform unsigned int u)"
    text = resolved(f"{head} {{ {form} {{ unsigned int at = {index}; b[t] = a[at]; }} }}", "avx512skx-x16")
    assert not [name for name in slow_blocks(text) if ".wrapping" not in name]


def test_neighbours_wrap_around_in_the_middle_of_a_gang() -> None:
    """Four gigabytes of bytes, all of them there: lanes read the last ones, and then the first ones."""
    source = """
export void f(uniform int8 a[], uniform int32 b[], uniform unsigned int u) {
    foreach (t = 0 ... 32) b[t] = a[u + t];
}
export void g(uniform int8 a[], uniform int32 b[], uniform unsigned int u) {
    b[programIndex] = a[u + programIndex];
    a[u + programIndex] = -1;
}
"""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    try:
        memory = mmap.mmap(-1, 2**32, flags=flags)
    except OSError:
        pytest.skip("four gigabytes of addresses are not to be had")
    elements = np.frombuffer(memory, np.int8)
    elements[:64] = np.arange(64)
    elements[-64:] = np.arange(-64, 0)
    address = elements.ctypes.data
    job = compile_source(source, "k.ispc", Options(target=find_target("sse4-i32x4")))
    loaded = load_objects([job.optimized.object_code()], ["f", "g"])
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
    out = np.zeros(32, np.int32)
    for start in (-64, -32, -31, -30, -3, 0, 5):
        kernel(loaded.address("f"))(address, out.ctypes.data, start % 2**32)
        assert (out == np.arange(start, start + 32)).all()
    kernel(loaded.address("g"))(address, out.ctypes.data, 2**32 - 2)
    assert out[:4].tolist() == [-2, -1, 0, 1]
    assert elements[[-3, -2, -1, 0, 1, 2]].tolist() == [-3, -1, -1, -1, -1, 2]
    del elements


@every_target
def test_what_is_irregular_anyway_is_not_tested(target: str) -> None:
    head = "export void f(uniform float a[], uniform float b[], uniform unsigned int u, uniform int n)"
    for index in ("(int64)t * t", "(unsigned int64)(t + u) * t", "t * n", "(int64)(t + u) * n"):
        assert "even" not in resolved(f"{head} {{ foreach (t = 0 ... 40) b[t] = a[{index}]; }}", target)


def test_addresses_out_of_aggregates_have_no_chain() -> None:
    """Pointers that are parts of a slice pointer, and parameters, stay as they are; looking for their chain once had no end."""
    module = read(
        "define void @f(<8 x ptr> %q, { <8 x ptr>, <8 x i64> } %slice) {\n"
        "  %p = extractvalue { <8 x ptr>, <8 x i64> } %slice, 0\n"
        "  %m = getelementptr { float, float }, <8 x ptr> %p, i32 0, i32 1\n"
        "  %n = getelementptr { float, float }, <8 x ptr> %q, i32 0, i32 1\n"
        "  ret void\n}\n"
    )
    values = LaneValues(module.functions[0], module.layout(8))
    assert _chain("%m", values, {}) is None
    assert _chain("%n", values, {}) is None
