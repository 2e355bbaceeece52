"""Short loops begin with a line of the instruction cache, where nothing else is said of them."""

import re

import pytest

from voltac.driver import compile_source
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.gangs.short_loops import align_short_loops
from voltac.target_info import find_target

LOOP = """define void @f(ptr %a, i32 %n) {
entry:
  br label %body

body:                                             ; preds = %body, %entry
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %next = add i32 %i, 1
EXTRA
  %last = icmp eq i32 %next, %n
  br i1 %last, label %done, label %bodyEND

done:                                             ; preds = %body
  ret void
}

!7 = !{}
"""
NESTED = """
export void f(uniform float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float v[64];
        for (uniform int j = 0; j < 64; j++) v[j] = a[i] * j;
        for (uniform int j = 63; j > 0; j--)
            for (uniform int k = 0; k < j; k++) v[k] = a[i] * v[k] + v[k + 1];
        out[i] = v[0];
    }
}"""


def loop(extra: str = "", end: str = "") -> str:
    return LOOP.replace("EXTRA\n", extra).replace("END", end)


@pytest.mark.parametrize("debug", ["", ", !dbg !7"])
def test_a_block_that_goes_back_to_itself_is_aligned(debug: str) -> None:
    made = align_short_loops(loop(end=debug))
    verify(read(made))
    assert f"label %body{debug}, !llvm.loop !8\n" in made
    assert '!8 = distinct !{!8, !{!"llvm.loop.align", i32 64}}' in made


SEARCH = """define i32 @f(ptr %a, i32 %n) {
entry:
  br label %body

body:                                             ; preds = %step, %entry
  %i = phi i32 [ 0, %entry ], [ %next, %step ]
  %p = getelementptr i8, ptr %a, i32 %i
  %c = load i8, ptr %p
  %found = icmp eq i8 %c, 0
  br i1 %found, label %done, label %step

step:                                             ; preds = %body
  %next = add i32 %i, 1
EXTRA
  %last = icmp eq i32 %next, %n
  br i1 %last, label %done, label %body

done:                                             ; preds = %step, %body
  ret i32 %i
}
"""


def test_a_search_that_leaves_in_the_middle_is_aligned() -> None:
    made = align_short_loops(SEARCH.replace("EXTRA\n", ""))
    verify(read(made))
    assert "label %done, label %body, !llvm.loop !0\n" in made
    assert made.count("!llvm.loop ") == 1


def test_a_block_of_another_function_is_no_loop() -> None:
    other = SEARCH.replace("EXTRA\n", "").replace("label %body\n\ndone", "label %entry.again\n\ndone").replace("@f", "@g")
    text = other.replace("entry:\n", "entry:\n  br label %entry.again\n\nentry.again:\n", 1).replace(
        "%entry ]", "%entry.again ]"
    )
    first = LOOP.replace("EXTRA\n", "").replace("%body", "%step").replace("body:", "step:").replace("END", ", !llvm.loop !7")
    assert align_short_loops(first + text).count(", !llvm.loop !8") == 1


@pytest.mark.parametrize(
    "text",
    [
        SEARCH.replace("EXTRA\n", "".join(f"  %x{k} = add i32 %i, {k}\n" for k in range(24))),
        loop(end=", !llvm.loop !7"),
        loop(extra="".join(f"  %x{k} = add i32 %i, {k}\n" for k in range(24))),
        loop().replace("label %done, label %body", "label %done, label %other"),
    ],
    ids=["a long search", "something is said", "long", "goes on"],
)
def test_others_stay(text: str) -> None:
    assert align_short_loops(text) is text


def test_the_innermost_loop_begins_a_line() -> None:
    made = compile_source(NESTED, "f.ispc", Options(find_target("avx2-i32x8"), 3, whole_program=True))
    assert made.optimized is not None
    blocks = [block.split("\n") for block in made.optimized.text().split("\n\n")]
    ends = [block[-1] for block in blocks if f"label %{block[0].partition(':')[0]}," in block[-1] + ","]
    loops = [end for end in ends if " br i1 " in end]
    assert len(loops) >= 2
    assert all(re.search(r", !llvm\.loop !\d+$", end) for end in loops)
