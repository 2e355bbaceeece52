"""Numbers are frozen before they are compared, not conditions: the same results, and masks that are not spread anew."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.passes.masks.frozen_conditions import freeze_compared
from voltac.pipeline import Watch
from voltac.target_info import find_target

STEPS = """export void steps(uniform int a[], const uniform int b[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = b[i], k = 0;
        while (x != 1 && x != 7 && k < 50) {
            x = (x & 2) != 0 ? x + 3 : x >> 1;
            if (x == 40 || x < k)
                break;
            k++;
        }
        a[i] = k * 1000 + x % 100;
    }
}
"""
OPTIONS = Options(target=find_target("avx2-i32x8"), level=3)


def steps(x: int) -> int:
    k = 0
    while x != 1 and x != 7 and k < 50:
        x = x + 3 if x & 2 else x >> 1
        if x == 40 or x < k:
            break
        k += 1
    return k * 1000 + x % 100


@pytest.mark.parametrize("target", ["sse4-i32x4", "sse4-i32x8", "avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4"])
def test_loops_that_lanes_leave_for_several_reasons(target: str) -> None:
    given = np.arange(1, 107, dtype=np.int32)
    found = np.zeros_like(given)
    compile_kernels(STEPS, target).steps(found, given, len(given))
    assert found.tolist() == [steps(int(x)) for x in given]


def test_conditions_are_not_spread_over_lanes() -> None:
    def spread(disabled: str) -> int:
        watch = Watch(passes=PassRuns(disabled=frozenset([disabled] if disabled else [])))
        made = compile_source(STEPS, "f.ispc", OPTIONS, Diagnostics(), watch=watch).optimized
        return made.assembly().count("vpsrad\t$31")

    assert spread("") == 0
    assert spread("freeze_compared") > 0


HEAD = "define <4 x i32> @f(<4 x i32> %x, <4 x float> %y, <4 x i1> %other) {\nentry:\n"
END = "  %r = zext <4 x i1> %m to <4 x i32>\n  ret <4 x i32> %r\n}\n"


def rewritten(body: str) -> str:
    return freeze_compared(HEAD + body + END, OPTIONS)


def test_flags_that_make_poison_go() -> None:
    found = rewritten(
        "  %a = icmp samesign ult <4 x i32> %x, splat (i32 5)\n"
        "  %b = fcmp nnan ogt <4 x float> %y, zeroinitializer\n"
        '  %"c d" = or disjoint <4 x i1> %a, %b\n'
        '  %m = freeze <4 x i1> %"c d"\n'
    )
    assert "samesign" not in found and "nnan" not in found and "disjoint" not in found
    assert "freeze <4 x i1>" not in found and 'zext <4 x i1> %"c d" to' in found
    x, y = np.array([1, 5, 9, -1]), np.array([1.0, np.nan, 2.0, -1.0])
    result = IRInterpreter(read(found)).call("f", [list(map(int, x)), list(map(float, y)), [0, 0, 0, 0]])
    assert list(result) == [1, 0, 1, 0]


@pytest.mark.parametrize(
    "body",
    [
        "  %m = freeze <4 x i1> %other\n",
        "  %a = icmp eq <4 x i32> %x, zeroinitializer\n  %b = and <4 x i1> %a, %other\n  %m = freeze <4 x i1> %b\n",
        "  %a = icmp eq <4 x i32> %x, <i32 0, i32 poison, i32 1, i32 2>\n  %m = freeze <4 x i1> %a\n",
    ],
)
def test_what_may_be_poison_for_other_reasons_stays_frozen(body: str) -> None:
    assert rewritten(body) == HEAD + body + END


def test_a_condition_of_a_frozen_one_is_that_of_what_it_is_now() -> None:
    found = rewritten(
        "  %a = icmp eq <4 x i32> %x, zeroinitializer\n  %b = freeze <4 x i1> %a\n  %c = fcmp oeq <4 x float> %y, %y\n"
        "  %d = select <4 x i1> %b, <4 x i1> %c, <4 x i1> zeroinitializer\n  %m = freeze <4 x i1> %d\n"
    )
    assert "freeze <4 x i1>" not in found and "select <4 x i1> %a, <4 x i1> %c" in found
