"""float16 without the CPU's instructions: every half, and floats and doubles around every rounding, against numpy."""

import ctypes
from typing import Any

import numpy as np
import pytest

from voltac.llvm import late, load_objects
from voltac.options import Options
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("sse2-i32x4"), level=2)

LOOP = """
define void @convert(ptr %from, ptr %to, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %p = getelementptr {source}, ptr %from, i64 %i
  %q = getelementptr {target}, ptr %to, i64 %i
  %x = load {source}, ptr %p
  %y = {operation} {source} %x to {target}
  store {target} %y, ptr %q
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""
NAMES: dict[Any, str] = {np.float16: "half", np.float32: "float", np.float64: "double"}


def converted(values: np.ndarray, target: type, options: Options = OPTIONS) -> np.ndarray:
    source = values.dtype.type
    operation = "fpext" if source is np.float16 else "fptrunc"
    text = LOOP.format(source=NAMES[source], target=NAMES[target], operation=operation)
    code = late(text, options).object_code()
    assert b"__extendhfsf2" in code or b"__trunc" in code
    loaded = load_objects([code], ["convert"])
    out: np.ndarray = np.empty(len(values), target)
    convert = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(loaded.address("convert"))
    convert(values.ctypes.data, out.ctypes.data, len(values))
    return out


@pytest.mark.parametrize("target", [np.float32, np.float64])
def test_every_half_widens_exactly(target: type) -> None:
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    np.testing.assert_array_equal(converted(halves, target), halves.astype(target))


@pytest.mark.parametrize("source", [np.float32, np.float64])
def test_narrowing_rounds_to_nearest_even(source: type) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        finite: Any = np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(source)
        finite[-1] = 65536
        middles = (finite[:-1] + finite[1:]) / 2
        near = [np.nextafter(middles, source(0)), np.nextafter(middles, source(np.inf))]
        random = np.random.default_rng(1).integers(0, 2**32, 20_000, np.uint32).view(np.float32)
        values: Any = np.concatenate([finite, middles, *near, random, [np.inf, np.nan, 0, 1e30, 1e-30]]).astype(source)
        values = np.concatenate([values, -values])
        expected = values.astype(np.float16)
    got = converted(values, np.float16)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got)[~np.isnan(values)], np.signbit(expected)[~np.isnan(values)])


def test_a_target_with_the_instructions_uses_them() -> None:
    text = "define float @f(half %x) {\n  %y = fpext half %x to float\n  ret float %y\n}"
    assert "vcvtph2ps" in late(text, Options(target=find_target("avx2"))).assembly()
    assert "__extendhfsf2" not in late(text, Options(target=find_target("avx2"))).assembly()


def test_doubles_are_narrowed_without_a_library_on_cpus_that_narrow_floats_only() -> None:
    values = np.array([1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 65519.99, 2.0**-25 + 2.0**-60, -3.0])
    got = converted(values, np.float16, Options(target=find_target("avx2"), level=2))
    np.testing.assert_array_equal(got, values.astype(np.float16))


def test_a_module_without_float16_is_left_alone() -> None:
    assert "hf" not in late("define i32 @f() {\n  ret i32 1\n}", OPTIONS).assembly()
