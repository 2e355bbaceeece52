"""Loops whose lanes walk runs of their own give the same, one lane after the other, and read nothing else."""

import random
import re
import zlib
from functools import partial
from importlib import import_module

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from random_runs import Run, random_run

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "sse4-i32x8", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x4", "avx512skx-x16"]
STRINGS = """
export void lengths(uniform int to[], const uniform int starts[], const uniform uint8 from[], uniform int n) {
    foreach (i = 0 ... n) {
        int k = starts[i];
        while (from[k] != 0)
            k++;
        to[i] = k - starts[i];
    }
}
"""


def passed(source: str, target: str = "avx2-i32x8", level: int = 3) -> str:
    options = Options(target=find_target(target), level=level)
    text: str = compile_source(source, "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    return text


def is_walked(source: str, target: str = "avx2-i32x8") -> bool:
    return ".lane.begin:" in passed(source, target)


def check_ir(run: Run, target: str) -> None:
    """Each array is an object of its own there, and an access outside is an error, as is poison."""
    to = run.arrays[0].copy()
    IRInterpreter(read(passed(run.text, target))).call("walk", [to, *run.arrays[1:], run.count])
    assert to.tolist() == run.expected.tolist(), run.text


def check(run: Run, target: str, at_end: bool) -> None:
    check_ir(run, target)
    to = run.arrays[0].copy()
    kernels = compile_kernels(run.text, target)
    if isinstance(kernels, InterpretedModule):
        kernels.walk(to, *run.arrays[1:], run.count)
    else:
        calls = FencedCalls()
        fenced = calls.copies(*run.arrays, at_end=at_end)
        calls.add(run.text, partial(kernels.walk, *fenced, run.count))
        calls.check()
        to = fenced[0]
    assert to.tolist() == run.expected.tolist(), run.text


@pytest.mark.parametrize("target", TARGETS)
def test_random_runs(target: str) -> None:
    rng = random.Random(zlib.crc32(target.encode()))
    runs = [random_run(rng) for _ in range(6)]
    for number, run in enumerate(runs):
        check(run, target, at_end=number % 2 == 0)
    assert any(is_walked(run.text, target) for run in runs)


@pytest.mark.parametrize("target", ["sse4-i32x8", "avx2-i32x8", "avx512skx-x16"])
def test_loops_that_gain_nothing_would_give_the_same(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("voltac.passes.walk_runs"), "gains", lambda loop: True)
    rng = random.Random(zlib.crc32(target.encode()) + 2)
    runs = [random_run(rng) for _ in range(6)]
    for run in runs:
        check_ir(run, target)
    assert any(is_walked(run.text, target) for run in runs)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_many_random_runs(target: str) -> None:
    rng = random.Random(zlib.crc32(target.encode()) + 1)
    for number in range(150):
        check(random_run(rng), target, at_end=number % 2 == 0)


def test_lanes_that_never_walk_keep_their_values() -> None:
    source = STRINGS.replace("while", "if (i % 2 == 0) while").replace("k - starts[i]", "k * 10")
    assert is_walked(source)
    to, starts = np.zeros(5, np.int32), np.array([0, 1, 0, 2, 3], np.int32)
    compile_kernels(source, "avx2-i32x8").lengths(to, starts, np.array([7, 7, 7, 7, 0], np.uint8), 5)
    assert to.tolist() == [40, 10, 40, 20, 40]


def test_one_such_loop_after_the_other() -> None:
    source = STRINGS.replace("k++;", "k++;\n        while (from[k + 1] != 0)\n            k++;")
    assert passed(source).count(".lane.begin:") == 4
    to, starts = np.zeros(3, np.int32), np.array([0, 1, 4], np.int32)
    compile_kernels(source, "avx2-i32x8").lengths(to, starts, np.array([7, 7, 0, 7, 7, 0, 7, 0], np.uint8), 3)
    assert to.tolist() == [4, 3, 2]


def test_what_stores_is_left_as_it_is() -> None:
    """The lanes' stores have an order: statement by statement, not lane by lane."""
    assert not is_walked(STRINGS.replace("k++;", "{ to[k] = 1; k++; }"))


def test_what_looks_at_other_lanes_is_left_as_it_is() -> None:
    assert not is_walked(STRINGS.replace("k++;", "k += 1 + 0 * rotate(k, 1);"))


def test_long_arithmetic_is_left_to_the_gang() -> None:
    long = " ".join(f"h = h * {k}.5f + x;" for k in range(30))
    source = STRINGS.replace("k++;", f"{{ float x = from[k]; {long} k++; }}").replace("int k =", "float h = 0; int k =")
    assert not is_walked(source.replace("= k - starts[i]", "= (int)h"))


def test_tables_that_lanes_do_not_walk_are_left_to_gathers() -> None:
    assert not is_walked(STRINGS.replace("k++;", "k = from[k] * 3;"))


def test_no_string_function_of_the_c_library_is_called() -> None:
    """LLVM knows loops that look for a zero; kernels need no library (docs/runtime.md), and read no byte more."""
    whole = "export uniform int length(const uniform int8 s[]) { uniform int k = 0; while (s[k] != 0) k++; return k; }\n"
    options = Options(target=find_target("avx2-i32x8"), level=3)
    text = compile_source(STRINGS + whole, "f.ispc", options, Diagnostics()).optimized.text()
    assert "strlen" not in re.sub(r'"no-builtin-\w+"', "", text)


@pytest.mark.parametrize("stored", [False, True])
def test_indices_are_loaded_once_more_unless_they_were_stored_to(stored: bool) -> None:
    """Of all eight lanes by loads of their own; behind a store the vector has what was there before it."""
    source = STRINGS.replace("const uniform int starts", "uniform int starts").replace("k - starts[i]", "k")
    source = source.replace("        while", "        starts[i] = 7;\n        while") if stored else source
    body = passed(source).partition(".all_on:")[2].partition(".masked:")[0]
    assert (body.count(" = load i32, ") >= 7) != stored
    for width, target in ((8, "avx2-i32x8"), (4, "sse4-i32x4")):
        starts = (np.arange(2 * width, dtype=np.int32) * 5) % 9
        letters = np.array([7, 7, 0, 7, 7, 7, 0, 0, 7, 0], np.uint8)
        wanted = [int(start + np.argmax(letters[start:] == 0)) for start in starts]
        for made in (
            compile_kernels(source, target).lengths,
            partial(IRInterpreter(read(passed(source, target))).call, "lengths"),
        ):
            to, given = np.zeros(2 * width, np.int32), starts.copy()
            if isinstance(made, partial):
                made([to, given, letters.copy(), 2 * width])
            else:
                made(to, given, letters, 2 * width)
            assert to.tolist() == wanted and given.tolist() == ([7] * 2 * width if stored else starts.tolist())
