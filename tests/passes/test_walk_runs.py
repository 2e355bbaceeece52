"""Loops whose lanes walk runs of their own give the same, one lane after the other, and read nothing else."""

import random
import re
import zlib
from functools import partial
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels, compile_with_text
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


WALKED = ".lane.begin:"


def is_walked(source: str, target: str = "avx2-i32x8") -> bool:
    return WALKED in passed(source, target)


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
    walked = next(run for run in (random_run(rng) for _ in range(50)) if is_walked(run.text, target))
    for number, run in enumerate([walked, random_run(rng), random_run(rng)]):
        check(run, target, at_end=number % 2 == 0)


@pytest.mark.parametrize("target", ["sse4-i32x8", "avx2-i32x8", "avx512skx-x16"])
def test_loops_that_gain_nothing_would_give_the_same(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("voltac.passes.rows.walk_runs"), "gains", lambda loop: True)
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
    source = STRINGS.replace("from[k] != 0", "k < n").replace("k++;", "{ sum += from[sum & 1]; k++; }")
    source = source.replace("int k =", "int sum = 0; int k =").replace("= k -", "= sum -").replace("sum & 1", "(k * 5) & 1")
    assert not is_walked(source)


def test_chains_and_probes_are_left_to_gathers() -> None:
    """Each lane's end is guessed wrong; the gathers of all lanes wait at the same time."""
    assert is_walked(STRINGS.replace("k++;", "k = from[k] * 3;")), "there are no gathers of bytes"
    assert not is_walked(STRINGS.replace("uint8", "int").replace("k++;", "k = from[k];"))
    assert not is_walked(STRINGS.replace("uint8", "int").replace("k++;", "k = (k + 1) & 255;"))
    assert not is_walked(STRINGS.replace("uint8", "int").replace("k++;", "k = (k + 1) & 255;"), "avx2-i32x4")


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


SEARCHES = {
    "break": "for (int k = 0; k < 9; k++) if (from[starts[i] + k] == 0) { at = k; break; }",
    "and": "at = 0; while (at < 9 && from[starts[i] + at] != 0) at++;",
    "loaded again": "at = 0; int k = 0; while (k < 9 && from[starts[i] + k] != 0) at += from[starts[i] + k++];",
}


@pytest.mark.parametrize("kind", SEARCHES)
@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"])
def test_a_lane_that_has_found_its_element_reads_no_further(kind: str, target: str) -> None:
    """What lies behind the element that is found is another page, on which nothing is."""
    source = STRINGS.replace("int k = starts[i];", "int at = 9;").replace("k - starts[i]", "at").replace("k++;", "")
    source = source.replace("while (from[k] != 0)", SEARCHES[kind])
    (kernels, made), calls = compile_with_text(source, target), FencedCalls()
    assert WALKED in made
    for count in (1, 8, 21):
        letters = np.ones((count, 9), np.uint8)
        wanted = np.arange(count) * 7 % 10
        wanted[-1] = 3
        for row, at in zip(letters, wanted, strict=True):
            row[at:] = 0
        for at_end in (True, False):
            short = letters.ravel()[: 9 * (count - 1) + 4]
            to, starts, given = calls.copies(
                np.zeros(count, np.int32), 9 * np.arange(count, dtype=np.int32), short, at_end=at_end
            )
            calls.add((kind, count, at_end), partial(kernels.lengths, to, starts, given, count), (to, wanted))
    calls.check()


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"])
def test_a_search_in_rows_of_one_length_reads_no_further(target: str) -> None:
    """The index is regular, but not which lanes are left: a gang would take their elements one by one."""
    source = STRINGS.replace("int k = starts[i];", "int at = 20;").replace("k - starts[i]", "at").replace("k++;", "")
    source = source.replace(
        "while (from[k] != 0)", "for (int k = 0; k < 20; k++) if (from[20 * i + k] == starts[i]) { at = k; break; }"
    )
    (kernels, made), calls = compile_with_text(source, target), FencedCalls()
    assert WALKED in made
    for count in (1, 8, 37):
        letters, wanted = np.ones((count, 20), np.uint8), np.arange(count) * 7 % 21
        wanted[-1] = 3
        for row, at in zip(letters, wanted, strict=True):
            row[at:] = 5
        for at_end in (True, False):
            short = letters.ravel()[: 20 * (count - 1) + 4]
            to, sought, given = calls.copies(np.zeros(count, np.int32), np.full(count, 5, np.int32), short, at_end=at_end)
            calls.add((count, at_end), partial(kernels.lengths, to, sought, given, count), (to, wanted))
    calls.check()


def test_what_the_loop_divides_by_is_asked_for_first() -> None:
    source = STRINGS.replace("from[k] != 0", "k < n && from[k] != 0").replace("k++;", "{ total += n / from[k]; k++; }")
    source = source.replace("int k =", "int total = 0; int k =").replace("k - starts[i]", "total")
    to, starts = np.zeros(9, np.int32), np.arange(9, dtype=np.int32)
    given = np.array([1, 2, 3, 0, 9, 1, 0, 2, 1], np.uint8)
    compile_kernels(source, "avx2-i32x8").lengths(to, starts, given, 9)
    assert to.tolist() == [9 + 4 + 3, 4 + 3, 3, 0, 1 + 9, 9, 0, 4 + 9, 9]


def test_short_loops_of_a_lane_are_unrolled_unless_that_is_switched_off() -> None:
    nodes = [line for line in passed(STRINGS).splitlines() if "unroll.count" in line]
    assert len(nodes) == 9 and all(line.count("i32 4") == 1 for line in nodes), "each lane's, and that of the last gang's lanes"
    options = Options(target=find_target("avx2-i32x8"), level=3, loop_unrolling=False)
    text = compile_source(STRINGS, "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    assert ".lane.begin:" in text and "unroll.count" not in text


SHORTEST = """
export void shortest(uniform int to[], const uniform int starts[], const uniform int from[], const uniform int length[],
                     uniform int n) {
    foreach (i = 0 ... n) {
        int best = 1000;
        for (int k = starts[i]; k < starts[i + 1]; k++) {
            int over = to[from[k]] + length[k];
            LEAST;
        }
        to[n + i] = best;
    }
}
"""


@pytest.mark.parametrize("least", ["best = min(best, over)", "if (over < best) best = over"])
def test_minima_of_runs_are_no_branches_which_processors_would_guess_wrong(least: str) -> None:
    rng = np.random.default_rng(7)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 37))]).astype(np.int32)
    edges = int(starts[-1])
    given = rng.integers(0, 900, 74).astype(np.int32)
    source, length = rng.integers(0, 37, edges).astype(np.int32), rng.integers(0, 300, edges).astype(np.int32)
    text = SHORTEST.replace("LEAST", least)
    for target in TARGETS:
        to = given.copy()
        compile_kernels(text, target).shortest(to, starts, source, length, 37)
        over = given[source] + length
        assert to[37:].tolist() == [min([1000, *over[a:b]]) for a, b in pairwise(starts)]
    options = Options(target=find_target("avx2-i32x8"), level=3)
    code = compile_source(text, "f.ispc", options, Diagnostics()).optimized.assembly()
    assert code.count("cmovl") + code.count("cmovg") >= 4 * 8
