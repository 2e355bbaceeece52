"""Unsigned indices of gathers reach the same elements as signed ones from a base in the middle: one gather for all lanes."""

from __future__ import annotations

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.lanes.unsigned_indices import turn_unsigned_indices
from voltac.target_info import find_target

PROBES = """
export void probes(uniform int at[], const uniform uint32 keys[], const uniform uint32 table[], uniform uint32 mask,
                   uniform int n) {
    foreach (i = 0 ... n) {
        uint32 slot = (keys[i] * 2654435761u) & mask;
        int found = -1;
        while (table[slot] != 0) {
            if (table[slot] == keys[i]) {
                found = slot;
                break;
            }
            slot = (slot + 1) & mask;
        }
        at[i] = found;
    }
}
export void moved(uniform double to[], const uniform double from[], const uniform uint32 places[], uniform int n) {
    foreach (i = 0 ... n)
        if (places[i] != 7)
            to[places[i]] = from[places[i]] + 1;
}
"""
TARGETS = ["avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x8", "avx512skx-x16", "sse4-i32x4"]


def table_of(keys: list[int], mask: int) -> np.ndarray:
    table = np.zeros(mask + 1, np.uint32)
    for key in keys:
        slot = key * 2654435761 % 2**32 & mask
        while table[slot]:
            slot = (slot + 1) & mask
        table[slot] = key
    return table


@pytest.mark.parametrize("target", TARGETS)
def test_keys_are_found_where_they_are(target: str) -> None:
    random = np.random.default_rng(5)
    keys = [int(each) for each in random.integers(1, 2**32, 40)]
    table = table_of(keys, 63)
    asked = np.array([*keys[:29], 5, 6, 7, 2**32 - 1], np.uint32)
    at = np.zeros(len(asked), np.int32)
    compile_kernels(PROBES, target).probes(at, asked, table, 63, len(asked))
    assert [int(table[each]) if each >= 0 else 0 for each in at] == [*keys[:29], 0, 0, 0, 0]


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_else_is_touched(target: str) -> None:
    places = np.random.default_rng(6).permutation(37).astype(np.uint32)
    start = np.arange(37.0)
    expected = start + (np.arange(37) != 7)
    kernels = compile_kernels(PROBES, target)
    to = start.copy()
    if isinstance(kernels, InterpretedModule):
        kernels.moved(to, start, places, 37)
    else:
        calls = FencedCalls()
        to, source, index = calls.copies(to, start, places, at_end=True)
        kernels.moved(to, source, index, 37)
    assert to.tolist() == expected.tolist()


FAR = """define <4 x i32> @f(ptr %table, <4 x i32> %x, <4 x i1> %on) {
entry:
  %w = zext <4 x i32> %x to <4 x i64>
  %p = getelementptr inbounds i32, ptr %table, <4 x i64> %w
  %y = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> align 4 %p, <4 x i1> %on, <4 x i32> zeroinitializer)
  ret <4 x i32> %y
}
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, <4 x i1>, <4 x i32>)
"""


def test_addresses_are_the_same_and_claim_nothing() -> None:
    made = turn_unsigned_indices(FAR)
    assert "inbounds" not in made and "i64 8589934592" in made and made.count("sext <4 x i32>") == 1
    verify(read(made))
    table = np.array([10, 20, 30, 40], np.int32)
    for text in (FAR, made):
        assert list(IRInterpreter(read(text)).call("f", [table, [3, 0, 4294967295, 1], [1, 1, 0, 1]])) == [40, 10, 0, 20]


def test_others_stay_as_they_are() -> None:
    for text in (FAR.replace("zext", "sext"), FAR.replace("zext <4", "zext nneg <4"), FAR.replace("masked.gather", "other")):
        assert turn_unsigned_indices(text) == text


def test_one_gather_takes_all_lanes() -> None:
    probes = PROBES.partition("export void moved")[0]
    made = compile_source(probes, "f.ispc", Options(find_target("avx2-i32x8"), level=3)).optimized.assembly()
    assert "vpgatherdd" in made and "vpgatherqd" not in made
