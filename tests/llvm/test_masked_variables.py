"""What functions assign to variables they were handed is in registers, whatever the mask; lanes that are off keep theirs."""

from __future__ import annotations

import numpy as np
import pytest
from guard_pages import Array
from judged_kernels import JudgedKernels

from voltac.driver import compile_source
from voltac.llvm.masked_variables import select_in_variables
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = """
struct Found { T at; int<2> place; bool is; };
static inline void nearer(Found &found, T at, int place) {
    if (at > 3 && at < found.at) { found.at = at; found.place.x = place; found.place.y = -place; found.is = true; }
}
static inline void raise(T &a, T &b) { a += 2; if (a > b) b = a; }
static inline bool part(T x, T &rest) { if (x < 5) return false; rest = x - 5; return true; }
export void all(uniform T out[], uniform int places[], const uniform T x[], const uniform T y[], uniform int n) {
    foreach (i = 0 ... n) {
        Found found;
        found.at = 9; found.place.x = 1; found.place.y = 1; found.is = false;
        T sum = y[i], rest;
        if (x[i] > 2)
            nearer(found, x[i], 7);
        nearer(found, y[i], 8);
        if (y[i] > 4)
            raise(sum, found.at);
        if (part(x[i], rest))
            sum += rest;
        out[i] = sum + found.at;
        places[i] = found.is ? found.place.x - found.place.y : 0;
    }
}
"""
TARGETS = ["avx2-i32x8", "avx2-i32x16", "sse4-i32x4", "avx512skx-x16"]
DTYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "int16": np.int16, "uint8": np.uint8}


def early(source: str) -> str:
    settings = Options(find_target("avx2-i32x8"), 2, whole_program=True)
    return str(compile_source(source.replace("T ", "float "), "f.ispc", settings, end="early").results["early"])


def by_hand(x: Array, y: Array) -> tuple[Array, Array]:
    at, place = np.full_like(x, 9), np.zeros(len(x), np.int32)
    for value, wanted, mark in ((x, x > 2, 7), (y, y == y, 8)):
        near = wanted & (value > 3) & (value < at)
        at, place = np.where(near, value, at), np.where(near, 2 * mark, place)
    total = np.where(y > 4, y + 2, y)
    at = np.where((y > 4) & (total > at), total, at)
    return (total + np.where(x < 5, 0, x - 5) + at).astype(x.dtype), place


RUNS = [(target, "float") for target in TARGETS] + [("avx2-i32x8", element) for element in DTYPES if element != "float"]


@pytest.mark.parametrize(("target", "element"), RUNS)
def test_each_remainder_at_both_ends_of_memory(target: str, element: str) -> None:
    kernels = JudgedKernels(SOURCE.replace("T ", f"{element} "), target)
    random, width = np.random.default_rng(2), kernels.width
    for n in (1, width - 1, width, width + 1, 2 * width + 3):
        x, y = (random.integers(0, 12, n).astype(DTYPES[element]) for _ in range(2))
        wanted = by_hand(x, y)
        given = [np.zeros_like(x), np.zeros(n, np.int32), x, y]
        kernels.expect("all", given, (n,), *wanted, interpreted=n == width + 1 and element == "float")
    kernels.check()


def test_nothing_stays_in_memory_or_is_carried_to_the_next_gang() -> None:
    text = early(SOURCE)
    assert " = alloca " not in text and "call void @volta.store" not in text
    loop = text[text.index(".test:") :]
    assert loop[: loop.index("br ")].count(" = phi ") == 1


FUNCTION = """%pair = type { <4 x float>, [2 x <4 x i32>] }

define void @f(ptr %p, <4 x float> %x, <4 x i32> %y, <4 x i1> %m) {
  %v = alloca %pair, align 16
  call void @llvm.lifetime.start.p0(ptr %v)
  call void @volta.store.v4f32(<4 x float> %x, ptr %v, <4 x i1> %m), !dbg !5
  %array = getelementptr inbounds %pair, ptr %v, i32 0, i32 1
  %last = getelementptr <4 x i32>, ptr %array, i64 1
  call void @volta.store.v4i32(<4 x i32> %y, ptr %last, <4 x i1> %m)
  %z = call <4 x i32> @volta.load.v4i32(ptr %last, <4 x i1> %m)
  store <4 x i32> %z, ptr %p, align 4
  ret void
}
"""
OPTIONS = Options(find_target("sse4-i32x4"), 2)


def test_places_in_structs_and_arrays_are_known() -> None:
    text = select_in_variables(FUNCTION, OPTIONS)
    assert "@volta." not in text and text.count(" = select <4 x i1> %m, ") == 2
    assert ".now, ptr %v, align 4, !dbg !5\n" in text and "  %z = load <4 x i32>, ptr %last, align 4\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ptr %array, i64 1", "ptr %array, i64 2"),  # behind the end
        ("ptr %array, i64 1", "ptr %array, i64 -3"),
        ("getelementptr <4 x i32>, ptr %array, i64 1", "getelementptr i8, ptr %array, i64 20"),  # a part is behind it
    ],
)
def test_what_lies_not_wholly_within_stays(old: str, new: str) -> None:
    text = select_in_variables(FUNCTION.replace(old, new), OPTIONS)
    assert text.count("@volta.store.v4i32") == text.count("@volta.load.v4i32") == 1 and "@volta.store.v4f32" not in text


@pytest.mark.parametrize(
    "seen",
    [
        "store ptr %last, ptr %p, align 8",
        "call void @other(ptr %v)",
        "%w = select i1 %c, ptr %v, ptr %p",
        "%w = ptrtoint ptr %array to i64",
        "%w = getelementptr i8, ptr %v, i64 %i",
        "%w = getelementptr float, ptr %v, <4 x i64> %i",
        "%w = insertelement <4 x ptr> poison, ptr %v, i64 0",
    ],
)
def test_variables_that_others_may_see_stay_in_memory(seen: str) -> None:
    function = FUNCTION.replace("  ret void", f"  {seen}\n  ret void")
    assert select_in_variables(function, OPTIONS) == function


def test_parameters_are_not_variables() -> None:
    function = FUNCTION.replace("%v = alloca %pair, align 16", "%u = alloca %pair, align 16").replace("ptr %v", "ptr %p")
    assert select_in_variables(function, OPTIONS) == function
