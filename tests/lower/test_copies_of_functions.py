"""Inline functions that call each other several times: code does not grow exponentially with the depth."""

from __future__ import annotations

import numpy as np
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target


def towers(depth: int) -> str:
    """Function k calls function k - 1 three times."""
    lines = ["static inline uint32 f0(uint32 x) { return x * 3 + 1; }"]
    for k in range(1, depth + 1):
        body = f"if (x & {k}) x = f{k - 1}(x + {k}); x ^= f{k - 1}(x >> 1); return f{k - 1}(x) + x;"
        lines.append(f"static inline uint32 f{k}(uint32 x) {{ {body} }}")
    head = "export void test(uniform uint32 out[], uniform int n)"
    return "\n".join([*lines, f"{head} {{ foreach (i = 0 ... n) out[i] = f{depth}(i * 2654435761u); }}"])


def expected(depth: int, x: np.ndarray) -> np.ndarray:
    if depth == 0:
        return x * np.uint32(3) + np.uint32(1)
    x = np.where(x & np.uint32(depth) != 0, expected(depth - 1, x + np.uint32(depth)), x)
    x = x ^ expected(depth - 1, x >> np.uint32(1))
    result: np.ndarray = expected(depth - 1, x) + x
    return result


def early(depth: int) -> str:
    options = Options(find_target("avx2-i32x8"))
    text: str = compile_source(towers(depth), "f.ispc", options, Diagnostics(), end="early").results["early"]
    return text


def test_few_copies_are_made() -> None:
    assert early(4).count("call <8 x i32> @f") == 0


def test_code_grows_with_the_depth_and_not_with_its_power() -> None:
    """All copies of one function have 20,000 lines; without a limit 12 levels would have 3^12 copies of the lowest."""
    assert early(12).count("\n") < 4 * early(8).count("\n") < 100_000


def test_what_is_called_does_the_same_as_what_is_inlined() -> None:
    for depth in (4, 9):
        out = np.zeros(37, np.uint32)
        compile_kernels(towers(depth), "avx2-i32x8").test(out, 37)
        x = np.arange(37, dtype=np.uint32) * np.uint32(2654435761)
        assert out.tolist() == expected(depth, x).tolist()


def sines(calls: int) -> str:
    """Of as many uniform numbers, one after the other."""
    lines = "".join(f"out[{k}] = sin(x[{k}]);" for k in range(calls))
    return f"export void test(uniform double out[], const uniform double x[]) {{ {lines} }}"


def test_a_large_function_of_uniform_numbers_is_copied_so_often_only() -> None:
    options = Options(find_target("avx2-i32x8"), whole_program=True)
    texts = [
        str(compile_source(sines(calls), "f.ispc", options, Diagnostics(), end="early").results["early"]) for calls in (2, 24)
    ]
    assert [text.count("call double @sin___und") for text in texts] == [0, 24]


def test_it_gives_the_same_where_it_is_called() -> None:
    x, out = np.linspace(-30, 30, 24), np.zeros(24)
    compile_kernels(sines(24), "avx2-i32x8").test(out, x)
    assert np.allclose(out, np.sin(x), rtol=1e-15, atol=1e-16)
