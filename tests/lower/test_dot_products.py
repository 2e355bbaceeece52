"""Dot products of packed numbers are the target's instructions for them, or plain arithmetic with the same results."""

from __future__ import annotations

import re

import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target

KINDS = {
    "dot4add_u8i8packed": ("int32", np.uint8, np.int8),
    "dot4add_u8u8packed": ("uint32", np.uint8, np.uint8),
    "dot4add_i8i8packed": ("int32", np.int8, np.int8),
    "dot2add_i16i16packed": ("int32", np.int16, np.int16),
}


def source(name: str) -> str:
    kind = KINDS[name][0]
    return (
        f"export void f(uniform uint32 a[], uniform uint32 b[], uniform {kind} c[]) {{"
        f" c[programIndex] = {name}(a[programIndex], b[programIndex], c[programIndex]); }}"
    )


@pytest.mark.parametrize("target", ["sse2-i32x4", "sse4-i32x8", "avx1-i32x16", "avx512skx-x16", "avx512icl-x8", "neon-i32x4"])
@pytest.mark.parametrize("name", KINDS)
def test_sums_wrap_and_are_exact(name: str, target: str) -> None:
    info = find_target(target)
    text = compile_source(source(name), "f.ispc", Options(info, whole_program=True), end="passes").results["passes"]
    numbers = np.random.default_rng(5)
    a, b, c = (numbers.integers(0, 1 << 32, info.width, np.uint32) for _ in range(3))
    a[0] = b[0] = 0x80008000
    a[1], b[1] = 0xFFFFFFFF, 0x80808080
    _, first, second = KINDS[name]
    parts = 32 // (8 * np.dtype(first).itemsize)
    products = (a.view(first).astype(np.int64) * b.view(second)).reshape(-1, parts).sum(axis=1)
    wanted = (products + c).astype(np.uint32)
    IRInterpreter(read(text)).call("f", [a, b, c])
    assert np.array_equal(c, wanted)


@pytest.mark.parametrize(
    ("name", "target", "instructions"),
    [
        ("dot2add_i16i16packed", "avx2-i32x8", {"pmaddwd": 1}),
        ("dot2add_i16i16packed", "avx512icl-x16", {"pdpwssd": 1}),
        ("dot4add_i8i8packed", "avx2-i32x8", {"pmaddwd": 2}),
        ("dot4add_u8i8packed", "avx512skx-x16", {"pmaddwd": 2}),
        ("dot4add_u8i8packed", "avx512icl-x16", {"pdpbusd": 1}),
        ("dot4add_u8i8packed", "avx2vnni-i32x8", {"pdpbusd": 1}),
    ],
)
def test_the_instructions_are_those_of_the_target(name: str, target: str, instructions: dict[str, int]) -> None:
    made = compile_source(source(name), "f.ispc", Options(find_target(target), whole_program=True))
    assembly = made.optimized.assembly()
    for instruction, count in instructions.items():
        assert len(re.findall(rf"\tv?{instruction}\t", assembly)) == count
    assert not re.search(r"\tv?pmull[dw]\t", assembly)
