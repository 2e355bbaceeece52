"""Branches that join in one block of others get a block of their own to join in."""

from __future__ import annotations

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.ir.write import write
from voltac.options import Options
from voltac.passes.loops.separate_joins import separate_joins
from voltac.target_info import find_target

TEXT = """define i32 @f(i32 %n) {
a:
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %b, label %join

b:
  %d = icmp sgt i32 %n, 5
  br i1 %d, label %c1, label %join

c1:
  %e = icmp sgt i32 %n, 9
  br i1 %e, label %c2, label %join

c2:
  %far = mul i32 %n, 100
  br label %join

join:
  %x = phi i32 [ -1, %a ], [ 1, %b ], [ %n, %c1 ], [ %far, %c2 ]
  ret i32 %x
}
"""


def test_each_branch_has_its_own_join() -> None:
    module = read(TEXT)
    (function,) = module.functions
    separate_joins(function)
    verify(module)
    before = [sum(block.name in each.successors for each in function.blocks) for block in function.blocks]
    assert max(before) == 2 and len(function.blocks) == 7
    for n in (-3, 3, 7, 12):
        assert IRInterpreter(read(write(module))).call("f", [n]) == IRInterpreter(read(TEXT)).call("f", [n])


def test_others_stay() -> None:
    for changed in (TEXT.replace("label %c2, label %join", "label %c2, label %b"), TEXT.replace("br label %join", "ret i32 0")):
        module = read(changed.replace(", [ %n, %c1 ]", "") if "label %b\n\nc2" in changed else changed)
        separate_joins(module.functions[0])
        assert len(module.functions[0].blocks) <= 6


SOURCE = """static inline float g(float a, float &b) {
    if (a <= min(a - a, b * 0.5f - b)) b = sin(abs(b) * 0.1f + 1);
    b = min(min(b, b) - min(b, a), a);
    return a;
}
export void f(uniform float out[], const uniform float x[], const uniform float y[], uniform int n) {
    foreach (i = 0 ... n) {
        float a = x[i], b = y[i], u = 1, w = 2;
        a += g(min(min(a, b) + 3, 1.0f), b);
        if ((b * 0.5f - w) + (w - a) < w) {
            u = 0.5f;
            if (a > w && u < b - 2) w = 5 + u;
            else { a = min(1.0f, min(b, a)) * 0.5f - u; b = 1 + a + u; if (u <= 3) w = log(1 + abs(a)); }
            if (w > 2 + u) { if (5 < a) w = sqrt(abs(3 - (b + w)) * 0.1f + 1); }
            else { if (2 > 0.25f - (a + w)) u = exp(abs(b - u) * 0.1f + 1); b = w; }
        }
        out[i] = a + b + u * 2 - w;
    }
}
"""


def test_names_of_joins_are_nobody_elses() -> None:
    """Behind LLVM's simplification other passes make values that are called joined."""
    for target in ("avx2-i32x8", "sse4-i32x4", "avx512skx-x16"):
        assert compile_source(SOURCE, "f.ispc", Options(find_target(target), level=2)).results
