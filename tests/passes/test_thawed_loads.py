"""Vectors of what was loaded are not frozen behind LLVM's simplification, whatever else is."""

import re

from voltac.driver import compile_source
from voltac.options import Options
from voltac.passes.lanes.thawed_loads import thaw_loads
from voltac.target_info import find_target

TEXT = """define <2 x i16> @f(ptr %p, <2 x i8> %given, i8 %other) {
  %one = load i8, ptr %p, align 1
  %next = getelementptr i8, ptr %p, i64 1
  %two = load i8, ptr %next, align 1
  %part = insertelement <2 x i8> poison, i8 %one, i64 0
  %both = insertelement <2 x i8> %part, i8 %two, i64 1
  %known = freeze <2 x i8> %both
  %whole = load <2 x i8>, ptr %p, align 1
  %same = freeze <2 x i8> %whole
  %half = freeze <2 x i8> %part
  %computed = freeze <2 x i8> %given
  %mixed.1 = insertelement <2 x i8> %part, i8 %other, i64 1
  %mixed = freeze <2 x i8> %mixed.1
  %sum.1 = add <2 x i8> %known, %same
  %sum.2 = add <2 x i8> %half, %computed
  %sum.3 = add <2 x i8> %sum.1, %sum.2
  %sum.4 = add <2 x i8> %sum.3, %mixed
  %wide = zext <2 x i8> %sum.4 to <2 x i16>
  ret <2 x i16> %wide
}
"""


def test_of_loads_only() -> None:
    """A lane that nothing is put into, a parameter and what is computed stay frozen."""
    made = thaw_loads(TEXT)
    assert re.findall(r"(%\w+) = freeze", made) == ["%half", "%computed", "%mixed"]
    assert "%sum.1 = add <2 x i8> %both, %whole" in made
    assert thaw_loads(made) is made


def test_looked_up_bytes_are_loaded_into_their_lanes() -> None:
    source = """struct Pixel { uint8 r, g, b, a; };
export void f(uniform Pixel a[], const uniform Pixel b[], const uniform uint8 c[], uniform int n) {
    foreach (i = 0 ... n) {
        a[i].r = c[b[i].r];
        a[i].g = c[b[i].g];
        a[i].b = c[b[i].b];
        a[i].a = b[i].a;
    }
}
"""
    made = compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), 3, whole_program=True))
    assert made.optimized is not None
    assembly = made.optimized.assembly()
    assert len(re.findall(r"vpinsrb\t\$\d, \S*\(", assembly)) >= 21
