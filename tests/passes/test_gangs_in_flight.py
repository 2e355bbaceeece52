"""Loops that only sum up work on several gangs a turn, with the result of numpy; loops that store do two."""

import re

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

COUNT = """\
export uniform int count(uniform uint8 text[], uniform int n) {
    int found = 0;
    foreach (i = 0 ... n)
        if (text[i] == 65)
            found++;
    return reduce_add(found);
}
"""
SUM = """\
export uniform int count(uniform uint8 text[], uniform int n) {
    int found = 0;
    foreach (i = 0 ... n)
        found += text[i];
    return reduce_add(found);
}
"""
STORE = """\
export void scale(uniform float x[], uniform int n) {
    foreach (i = 0 ... n)
        x[i] *= 2;
}
"""


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
@pytest.mark.parametrize("source", [COUNT, SUM], ids=["count", "sum"])
def test_sums_of_several_gangs_are_numpys_for_every_remainder(source: str, target: str) -> None:
    function = compile_kernels(source, target).count
    text = np.random.default_rng(3).integers(60, 70, 300).astype(np.uint8)
    for n in (0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 300):
        expected = int((text[:n] == 65).sum() if source is COUNT else text[:n].sum(dtype=np.int64))
        assert function(text, n) == expected


def additions_in_loops(text: str) -> int:
    """Vector additions in blocks that jump back to themselves."""
    blocks = re.findall(r"^([\w.-]+):(.*?)(?=^[\w.-]+:|^})", text, re.MULTILINE | re.DOTALL)
    loops = [body for name, body in blocks if re.search(rf"br i1 .*label %{re.escape(name)}\b", body)]
    return max((len(re.findall(r"= f?(?:add|mul)[\w ]*<", body)) for body in loops), default=0)


def test_each_gang_has_a_sum_of_its_own_and_stores_go_in_pairs() -> None:
    info = find_target("avx2-i32x8")
    sums = compile_source(SUM.replace("uint8", "int"), "sums.ispc", Options(info, whole_program=True)).optimized.text()
    stores = compile_source(STORE, "stores.ispc", Options(info, whole_program=True)).optimized.text()
    assert additions_in_loops(sums) == 4
    assert additions_in_loops(stores) == 2
