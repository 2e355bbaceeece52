"""Lanes of one sign are compared as signed numbers: the same truth, in one instruction of SSE and AVX2."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.options import Options
from voltac.passes.masks.signed_compares import compare_signed
from voltac.target_info import find_target

RANKS = """export void ranks(uniform int a[], const uniform int b[], uniform int n) {
    foreach (i = 0 ... n) {
        int rank = 0;
        for (uniform int k = 0; k < n; k++)
            if (b[k] < b[i] || (b[k] == b[i] && k < i))
                rank++;
        a[i] = rank;
    }
}
"""


def compare(order: str, flag: str, width: int) -> str:
    kind = f"<4 x i{width}>"
    return (
        f"define <4 x i1> @f({kind} %x, {kind} %y) {{\nentry:\n"
        f"  %m = icmp {flag}u{order} {kind} %x, %y\n  ret <4 x i1> %m\n}}\n"
    )


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_each_order_of_numbers_of_one_sign(width: int) -> None:
    most = (1 << width) - 1
    pairs = [[0, 5, most, most - 3], [5, 5, most - 3, most]]  # the last two are negative as signed numbers
    for order, holds in {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}.items():
        made = compare_signed(compare(order, "samesign ", width))
        assert f"icmp s{order} <" in made
        found = IRInterpreter(read(made)).call("f", pairs)
        assert list(found) == holds(*(np.array(each, dtype=object) for each in pairs)).astype(int).tolist()


def test_what_may_differ_in_sign_and_scalars_stay_as_they_are() -> None:
    for text in (compare("lt", "", 32), compare("lt", "samesign ", 32).replace("<4 x i32>", "i32").replace("<4 x i1>", "i1")):
        assert compare_signed(text) == text


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"])
def test_ranks_among_equal_numbers(target: str) -> None:
    given = np.random.default_rng(3).integers(0, 9, 61).astype(np.int32)
    found = np.zeros_like(given)
    compile_kernels(RANKS, target).ranks(found, given, len(given))
    assert found[np.argsort(given, kind="stable")].tolist() == list(range(61))


def test_no_maximum_is_taken_to_compare() -> None:
    made = compile_source(RANKS, "f.ispc", Options(find_target("avx2-i32x8"), level=3)).optimized.assembly()
    assert "vpmaxu" not in made and "vpminu" not in made
