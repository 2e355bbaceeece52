"""Arrays whose indices are counted up, ``v[k++]``, are registers; what they hold is what it was."""

from __future__ import annotations

import numpy as np
import pytest
from judged_kernels import JudgedKernels

from voltac.driver import compile_source
from voltac.llvm.counted_arrays import count_in_straight_code
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = """
export void second(uniform T a[], const uniform T b[], uniform int n) {
    foreach (i = 0 ... n) {
        T v[4];
        uniform int k = 0;
        for (uniform int j = 0; j < 3; j++)
            v[k++] = b[i + j];
        v[k--] = b[i];
        T low = min(v[0], v[1]), high = max(v[0], v[k - 1]);
        a[i] = max(low, min(high, v[k])) + v[k + 1];
    }
}
"""
SOME = SOURCE.replace("T v[4];", "if (b[i] > 9) { T v[4];").replace("    }\n}", "    } }\n}")
VARYING = SOURCE.replace("uniform int k", "int k")
"""The counter is one number in all lanes, but nothing says so."""
SOURCES = {
    "all": SOURCE,
    "some": SOME,
    "varying": VARYING,
    "varying, some": SOME.replace("uniform int k", "int k"),
    "varying, twice": VARYING.replace("T low =", "if (b[i] > 9) v[k + 1] = b[i]; T low ="),
}
TARGETS = ["avx2-i32x8", "sse4-i32x4", "avx512skx-x16"]
DTYPES = {"uint8": np.uint8, "int16": np.int16, "float": np.float32, "double": np.float64}


def early(source: str) -> str:
    settings = Options(find_target("avx2-i32x8"), 2, whole_program=True)
    return str(compile_source(source.replace("T ", "float "), "f.ispc", settings, end="early").results["early"])


RUNS = [(target, element, form) for target in TARGETS for element in DTYPES for form in ("all", "some")]
RUNS += [(target, "uint8", form) for target in TARGETS for form in SOURCES if form.startswith("varying")]
RUNS += [("avx2-i32x8", "float", form) for form in SOURCES if form.startswith("varying")]


@pytest.mark.parametrize(("target", "element", "form"), RUNS)
def test_each_remainder_at_both_ends_of_memory(target: str, element: str, form: str) -> None:
    kernels = JudgedKernels(SOURCES[form].replace("T ", f"{element} "), target)
    random, width = np.random.default_rng(2), kernels.width
    for n in (1, width - 1, width, width + 1, 2 * width + 3):
        b = random.integers(0, 40, n + 2).astype(DTYPES[element])
        middle = np.sort([b[:-2], b[1:-1], b[2:]], axis=0)[1] + b[:-2]
        a = np.zeros(n, DTYPES[element])
        wanted = np.where(b[:-2] > 9, middle, a) if form.endswith("some") else middle
        kernels.expect("second", [a, b], (n,), wanted, interpreted=n == width + 1)
    kernels.check()


def test_nothing_of_the_array_stays_in_memory() -> None:
    assert " = alloca [" not in early(SOURCE)
    assert " = alloca [" in early(SOURCE.replace("uniform int k = 0", "uniform int k = n & 1"))
    for form in ("varying", "varying, some", "varying, twice"):
        assert " = alloca [" not in early(SOURCES[form]), form
    assert " = alloca [" in early(VARYING.replace("int k = 0", "int k = i & 1"))


FUNCTION = """define void @f(ptr %p) {
  %v = alloca [4 x i32], align 4
  %one = add nsw i32 0, 1, !dbg !5
  %two = mul i32 %one, 2
  %at = sext i32 %two to i64
  %place = getelementptr i32, ptr %v, i64 %at
  %small = add i8 100, 27
  %wraps = add nsw i8 %small, 1
  %less = sub nuw i32 %one, %two
  %minus = sub nsw i32 %one, %two
  %wide = zext i32 %minus to i64
  %other = getelementptr i32, ptr %p, i64 %wide
  %sum = add i8 %wraps, 1
  ret void
}
"""


def test_what_does_not_wrap_around_is_computed() -> None:
    text = count_in_straight_code(FUNCTION)
    assert "%two = mul i32 1, 2\n" in text and "getelementptr i32, ptr %v, i64 2\n" in text
    assert "%wraps = add nsw i8 127, 1\n" in text and "%sum = add i8 %wraps, 1\n" in text
    assert "%less = sub nuw i32 1, 2\n" in text
    assert "%wide = zext i32 -1 to i64\n" in text and "ptr %p, i64 %wide\n" in text


def test_functions_with_no_array_that_becomes_registers_are_as_they_were() -> None:
    for changed in (
        FUNCTION.replace("%v = alloca [4 x i32]", "%v = alloca i32"),
        FUNCTION.replace("getelementptr", "ptrtoint"),
        FUNCTION.replace("ptr %v, i64 %at", "ptr %p, i64 %at"),
        FUNCTION.replace("ptr %p, i64 %wide", "ptr %v, i64 %wide"),
    ):
        assert count_in_straight_code(changed) == changed


LANES = """define void @f(<4 x float> %x, <4 x i1> %m) {
  %v = alloca [3 x <4 x float>], align 16
  %two = add nsw <4 x i32> splat (i32 1), splat (i32 1)
  %wide = sext <4 x i32> %two to <4 x i64>
  %at = getelementptr <4 x float>, ptr %v, <4 x i64> %wide
  %own = getelementptr float, <4 x ptr> %at, <4 x i64> <i64 0, i64 1, i64 2, i64 3>
  call void @volta.scatter.v4f32(<4 x float> %x, <4 x ptr> %own, <4 x i1> %m), !dbg !5
  %y = call <4 x float> @volta.gather.v4f32(<4 x ptr> %own, <4 x i1> splat (i1 true))
  ret void
}
"""


def test_lanes_of_one_element_are_a_vector() -> None:
    text = count_in_straight_code(LANES)
    assert "getelementptr <4 x float>, ptr %v, i64 2\n" in text and "  %y = load <4 x float>, ptr %known_lanes.4" in text
    assert "select <4 x i1> %m, <4 x float> %x, <4 x float> %known_lanes.2\n" in text and "@volta." not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[3 x", "[2 x"),  # beyond its end
        ("<4 x float>, ptr %v", "<4 x i32>, ptr %v"),  # of other elements
        ("i64 2, i64 3>", "i64 3, i64 2>"),  # lanes change places
        ("%at = getelementptr <4 x float>, ptr %v", "%at = getelementptr <4 x float>, ptr %w"),  # of another array
    ],
)
def test_others_stay_gathers_and_scatters(old: str, new: str) -> None:
    text = count_in_straight_code(LANES.replace(old, new))
    assert text.count("@volta.") == 2
