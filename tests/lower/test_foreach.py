"""foreach: whole gangs without masks, one masked rest, and ranges at the ends of int32."""

import ctypes
import re
from typing import Any

import numpy as np
import pytest
from lowering import AVX2, AVX512, SSE4, Loaded, assembly, block, function_body, text_after

from voltac.driver import compile_source
from voltac.lower.control_flow.foreach import tile_spans
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import TargetInfo, find_target

SAXPY = """
export void saxpy(uniform float a, uniform float x[], uniform float y[], uniform int n) {
    foreach (i = 0 ... n) y[i] = a * x[i] + y[i];
}
"""


def test_the_all_on_body_has_no_mask() -> None:
    body = block(text_after("lower", SAXPY), "foreach_3_5.all_on")
    assert "select" not in body
    masks = re.findall(r"<8 x i1> (\S+ \(i1 true\)|%\w+)", body)
    assert masks and set(masks) == {"splat (i1 true)"}


def test_the_rest_runs_once_under_a_prefix_mask() -> None:
    text = function_body(text_after("lower", SAXPY), "saxpy")
    rest = block(text, "foreach_3_5.masked")
    assert re.search(r"icmp ult <8 x i32> <i32 0, i32 1, .*>, %", rest)
    assert "br label %foreach_3_5.test" not in rest


def test_a_count_rounded_down_to_whole_gangs_has_no_rest() -> None:
    source = """
    export void increment(uniform int p[], uniform int count) {
        count &= ~(programCount - 1);
        foreach (i = 0 ... count) p[i] += 1;
    }"""
    for target in (SSE4, AVX2, AVX512):
        loop = [line.split()[0] for line in assembly(source, target).split("\n") if re.match(r"\s+v?mov[^sz]\S*\s.*\(%r", line)]
        # Two gangs of a pair and a single one, each loaded and stored.
        assert len([name for name in loop if not name.startswith("movl")]) <= 6, target.name
        assert not re.search(r"maskmov|%k[1-7]", assembly(source, target)), target.name


def test_without_all_on_paths_every_access_is_masked() -> None:
    text = function_body(text_after("lower", SAXPY, all_on_paths=False), "saxpy")
    assert "splat (i1 true)" not in text
    assert ".all_on" not in text


def test_without_masked_paths_no_access_is_masked() -> None:
    text = function_body(text_after("lower", SAXPY, masked_paths=False), "saxpy")
    assert "foreach_3_5.masked" not in text


@pytest.mark.parametrize("options", [{}, {"all_on_paths": False}])
@pytest.mark.parametrize("target", [SSE4, AVX2], ids=lambda target: target.name)
def test_ranges_at_the_ends_of_int32(target: TargetInfo, options: dict[str, Any]) -> None:
    source = """
    export void visit(uniform int seen[], uniform int first, uniform int last, uniform int base) {
        foreach (i = first ... last) seen[i - base] += 1;
    }"""
    visit = Loaded(source, "visit", target=target, **options).function(
        "visit", None, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int
    )
    least, greatest = -(2**31), 2**31 - 1
    ranges = [
        (0, 0), (0, 1), (0, 13), (-5, 6), (5, 3), (greatest, least), (least, least + 11),
        (greatest - 11, greatest), (greatest - 16, greatest), (-1, 15), (3, 3 + 16),
    ]  # fmt: skip
    for first, last in ranges:
        seen = np.zeros(64, np.int32)
        base = first - 20
        visit(seen.ctypes.data, first, last, base if base >= least else least)
        expected = np.zeros(64, np.int32)
        for i in range(first, last):
            expected[i - max(base, least)] = 1
        assert (seen == expected).all(), (first, last)


def test_tile_spans_are_those_of_the_reference() -> None:
    # section 9.5 of the language: W = 8 2D: 2x4; W = 16 2D: 4x4; W = 4 2D: 2x2; W = 8 3D: 2x2x2
    assert tile_spans(8, 2) == [2, 4]
    assert tile_spans(16, 2) == [4, 4]
    assert tile_spans(4, 2) == [2, 2]
    assert tile_spans(8, 3) == [2, 2, 2]
    assert tile_spans(4, 3) == [1, 2, 2]


@pytest.mark.parametrize("statement", ["foreach", "foreach_tiled"])
@pytest.mark.parametrize("target", [SSE4, AVX2], ids=lambda target: target.name)
def test_every_point_of_a_domain_is_visited_once(statement: str, target: TargetInfo) -> None:
    source = f"""
    export void visit(uniform int seen[], uniform int d, uniform int h, uniform int w) {{
        {statement} (z = 0 ... d, y = 1 ... h, x = 2 ... w) seen[(z * 20 + y) * 20 + x] += 1;
    }}"""
    visit = Loaded(source, "visit", target=target).function(
        "visit", None, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int
    )
    for shape in ((1, 2, 3), (3, 5, 19), (2, 8, 10), (0, 5, 5), (4, 1, 9), (5, 7, 2)):
        seen = np.zeros((6, 20, 20), np.int32)
        visit(seen.ctypes.data, *shape)
        expected = np.zeros_like(seen)
        expected[: shape[0], 1 : shape[1], 2 : shape[2]] = 1
        assert (seen == expected).all(), shape


def test_a_foreach_under_a_mask_runs_with_all_lanes() -> None:
    source = """
    export void fill(uniform int seen[], uniform int n) {
        if (programIndex == 1) { foreach (i = 0 ... n) seen[i] = i; }
        if (programIndex > programCount) { foreach (i = 0 ... n) seen[i] = -1; }
    }"""
    fill = Loaded(source, "fill").function("fill", None, ctypes.c_void_p, ctypes.c_int)
    seen = np.full(21, -7, np.int32)
    fill(seen.ctypes.data, 19)
    assert seen.tolist() == [*range(19), -7, -7]


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"])
@pytest.mark.parametrize(
    "statement", ["foreach_unique (v in b[i] & 3) a[v] += reduce_add(1);", "foreach_active (l) a[l] += 1;"]
)
def test_lanes_that_wait_fill_a_register(statement: str, target: str) -> None:
    """To write a byte or half of a register waits for what it held: that of the gang before."""
    head = "export void f(uniform int a[], uniform int b[], uniform int n)"
    source = f"{head} {{ foreach (i = 0 ... n) {{ if (b[i] > 0) {{ {statement} }} }} }}"
    options = Options(target=find_target(target), level=3)
    text = compile_source(source, "f.ispc", options, Diagnostics()).optimized.text()
    counters = re.findall(r"%waiting\S* = phi (i\d+)", text)
    assert set(counters) == {"i32"}, text


def test_the_value_of_lanes_to_compare_comes_from_memory_into_all_lanes() -> None:
    """From a scalar register it would take two instructions more on the way from one group of lanes to the next."""
    source = """export void f(uniform int a[], uniform int b[], uniform int n) {
        foreach (i = 0 ... n) foreach_unique (v in b[i] & 3) a[v] += reduce_add(1);
    }"""
    loop = assembly(source).split("tzcntl")[1].split("blsrl")[0]
    assert re.search(r"vpbroadcastd\s+\S+\(%[er]sp", loop) and "vmovd" not in loop, loop


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i64x4", "avx512skx-x16"])
@pytest.mark.parametrize("kind", ["int8", "int64", "float"])
def test_each_value_has_one_turn_with_its_lanes(kind: str, target: str) -> None:
    """Among the lanes that are on, in gangs and in the rest of them; a NaN has a turn for each of its lanes."""
    source = f"""export void f(uniform {kind} a[], uniform int lanes[], uniform {kind} values[], uniform int n) {{
        foreach (i = 0 ... n) if (i % 5 != 2) foreach_unique (v in a[i]) {{
            lanes[i] = reduce_add(1);
            values[i] = v;
        }}
    }}"""
    width, type = find_target(target).width, np.dtype({"float": "float32"}.get(kind, kind))
    a = np.random.default_rng(3).integers(-2, 2, 61).astype(type)
    if kind == "float":
        a[::7] = np.nan
    lanes, values = np.full(64, -1, np.int32), np.zeros(64, type)
    f = Loaded(source, "f", target=find_target(target)).function("f", None, *[ctypes.c_void_p] * 3, ctypes.c_int)
    f(a.ctypes.data, lanes.ctypes.data, values.ctypes.data, len(a))
    for i, value in enumerate(a):
        gang = [j for j in range(i - i % width, min(len(a), i - i % width + width)) if j % 5 != 2]
        equal = [j for j in gang if a[j] == value or j == i]
        expected = (-1, 0) if i % 5 == 2 else (len(equal), value)
        np.testing.assert_equal((lanes[i], values[i]), expected)
    assert (lanes[61:] == -1).all() and (values[61:] == 0).all()


@pytest.mark.parametrize("bound", ["k < n; k += programCount", "k <= n - 1; k = k + programCount"])
@pytest.mark.parametrize("first", ["programIndex", "first + programIndex", "programIndex + 3"])
def test_a_loop_that_steps_by_programcount_is_a_foreach(first: str, bound: str) -> None:
    source = f"""export void twice(uniform float x[], uniform int first, uniform int n) {{
        for (int k = {first}; {bound}) x[k] *= 2;
    }}"""
    body = block(text_after("lower", source), "foreach_2_9.all_on")
    assert "select" not in body and "splat (i1 true)" in body


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = programIndex; k < x[0]; k += programCount) x[k] *= 2;",
        "for (int k = programIndex; k < n; k += programCount) { x[k] *= 2; n -= 1; }",
        "for (int k = programIndex; k < n; k += programCount) { if (x[k] > 4) break; x[k] *= 2; }",
        "for (int k = programIndex; k < n; k += programCount) { if (x[k] > 4) return; x[k] *= 2; }",
        "for (int k = programIndex; k < n; k += programCount) { x[k] *= 2; k += n; }",
        "for (int k = programIndex; k < n; k += 2) x[k] *= 2;",
        "for (int k = 2 * programIndex; k < n; k += programCount) x[k] *= 2;",
        "if (x[programIndex] > 4) for (int k = programIndex; k < n; k += programCount) x[k] *= 2;",
    ],
)
def test_what_is_not_the_same_stays_a_loop(loop: str) -> None:
    text = text_after("lower", f"export void twice(uniform float x[], uniform int n) {{ {loop} }}")
    assert "foreach" not in text
