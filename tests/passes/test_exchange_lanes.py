"""``a[i ^ j]`` with a uniform j: the elements numpy says, by accesses of consecutive ones, and nothing else is touched."""

from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from passed_text import passed
from some_pairs import some_pairs

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read

TARGETS = ["sse4-i32x4", "sse4-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x4", "avx512skx-x16"]
TYPES = {"int8": np.int8, "int16": np.int16, "int": np.int32, "float": np.float32, "double": np.float64}
SOURCE = """
export void load(uniform T to[], const uniform T from[], uniform int j, uniform int n) {
    foreach (i = 0 ... n)
        to[i] = from[i ^ j];
}
export void store(uniform T to[], const uniform T from[], uniform int j, uniform int n) {
    foreach (i = 0 ... n)
        to[j ^ i] = from[i];
}
export void some(uniform T to[], const uniform T from[], uniform int j, uniform int n) {
    foreach (i = 0 ... n) {
        if (from[i] > 3) {
            T x = from[i ^ j];
            to[i ^ j] = x + from[i];
        }
    }
}
"""
LENGTH = 64


def expected(kernel: str, source: np.ndarray, j: int, n: int) -> np.ndarray:
    result = np.zeros_like(source)
    for i in range(n):
        if kernel == "load":
            result[i] = source[i ^ j]
        elif kernel == "store":
            result[i ^ j] = source[i]
        elif source[i] > 3:
            result[i ^ j] = source[i ^ j] + source[i]
    return result


@pytest.mark.parametrize(("kind", "target"), some_pairs(TYPES, TARGETS, 5))
def test_each_lane_has_its_element(kind: str, target: str) -> None:
    text = SOURCE.replace("T ", f"{kind} ")
    kernels, interpreter = compile_kernels(text, target), IRInterpreter(read(passed(text, target)))
    source = np.random.default_rng(1).integers(0, 8, LENGTH).astype(TYPES[kind])
    cases = [(name, j, n) for name in ("load", "store", "some") for j, n in ((0, 64), (5, 64), (32, 64), (2, 30))]
    for name, j, n in cases:
        wanted = expected(name, source, j, n)
        to = np.zeros_like(source)
        interpreter.call(name, [to, source, j, n])
        assert to.tolist() == wanted.tolist(), (name, j, n)
        if isinstance(kernels, InterpretedModule):
            to = np.zeros_like(source)
            kernels[name](to, source, j, n)
            assert to.tolist() == wanted.tolist(), (name, j, n)


@pytest.mark.parametrize("target", [target for target in TARGETS if not target.startswith("avx512")])
def test_nothing_beyond_the_arrays_is_touched(target: str) -> None:
    """Even where the last block is no whole one: with j = 2 and n = 30 lanes reach up to element 31, with j = 1 up to n - 1."""
    for kind, dtype in (("int8", np.int8), ("float", np.float32)):
        kernels = compile_kernels(SOURCE.replace("T ", f"{kind} "), target)
        calls = FencedCalls()
        for name, j, n in [(name, j, n) for name in ("load", "store", "some") for j, n in ((1, 30), (4, 24), (16, 32), (3, 4))]:
            source = np.arange(n, dtype=dtype) % 7
            to, fenced = calls.copies(np.zeros_like(source), source, at_end=n != 24)
            calls.add((kind, name, j, n), partial(kernels[name], to, fenced, j, n), (to, expected(name, source, j, n)))
        calls.check()


def test_members_of_structs_are_exchanged_too() -> None:
    source = """struct Pair { float x, y; };
export void f(uniform float to[], const uniform Pair from[], uniform int j, uniform int n) {
    foreach (i = 0 ... n)
        to[i] = from[i ^ j].y;
}
"""
    text = passed(source, "avx2-i32x8")
    assert "masked.gather" not in text
    pairs, to = np.arange(64, dtype=np.float32), np.zeros(32, np.float32)
    IRInterpreter(read(text)).call("f", [to, pairs, 4, 32])
    assert to.tolist() == [float(2 * (i ^ 4) + 1) for i in range(32)]


def test_no_gather_is_left() -> None:
    text = passed(SOURCE.replace("T ", "float "), "avx2-i32x8")
    assert "masked.gather" not in text and "masked.load" in text


@pytest.mark.parametrize("index", ["i ^ values[0]", "(i + 1) ^ j", "(2 * i) ^ j", "i ^ (j + i)"])
def test_other_exclusive_ors_give_what_they_say(index: str) -> None:
    """Where lanes do not begin with a multiple of the gang, lie apart, or differ in the distance."""
    source = f"""export void f(uniform int to[], const uniform int values[], uniform int j, uniform int n) {{
    foreach (i = 0 ... n)
        to[i] = values[{index}];
}}
"""
    values = np.arange(3, 131, dtype=np.int32)
    to = np.zeros(21, np.int32)
    compile_kernels(source, "avx2-i32x8").f(to, values, 6, 21)
    names = {"values": values, "j": 6}
    assert to.tolist() == [int(values[eval(index, names | {"i": i})]) for i in range(21)]


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i32x16"])
def test_words_change_places_at_once(target: str) -> None:
    """By indices that are the same in each iteration, where tests of the distance's bits would be branches."""
    text = passed(SOURCE.replace("T ", "float "), target)
    assert "@llvm.x86.avx2.permd" in text
    assert "@llvm.x86.avx2.permd" not in passed(SOURCE.replace("T ", "float "), "sse4-i32x8")
