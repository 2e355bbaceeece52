"""Products of halves of lanes that are added: the same sums of all signs, in one instruction."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.arithmetic.products_of_halves import multiply_halves
from voltac.target_info import find_target

SOURCE = """
export void of_two(uniform int a[], const uniform int16 b[], const uniform int16 c[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = (int)b[2 * i] * (int)c[2 * i] + (int)b[2 * i + 1] * (int)c[2 * i + 1];
}
export void squares(uniform int a[], const uniform int16 b[], const uniform int16 c[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = b[2 * i], y = b[2 * i + 1];
        a[i] = y * y + x * x;
    }
}
export void weighed(uniform int a[], const uniform int16 b[], const uniform int16 c[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = -32768 * (int)b[2 * i] + 77 * (int)b[2 * i + 1];
}
export void crossed(uniform int a[], const uniform int16 b[], const uniform int16 c[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = (int)b[2 * i] * (int)c[2 * i + 1] + (int)b[2 * i + 1] * (int)c[2 * i];
}
export void too_great(uniform int a[], const uniform int16 b[], const uniform int16 c[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] = 32768 * (int)b[2 * i] + 3 * (int)b[2 * i + 1];
}
"""


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_the_same_sums(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    random = np.random.default_rng(1)
    for n in (1, 8, 37):
        b, c = random.integers(-(1 << 15), 1 << 15, (2, n, 2)).astype(np.int16)
        b[0], c[0] = (-32768, 32767), (-32768, -32768)
        x, y = b.astype(int), c.astype(int)
        expected = {
            "of_two": (x * y).sum(1),
            "squares": (x * x).sum(1),
            "weighed": -32768 * x[:, 0] + 77 * x[:, 1],
            "crossed": (x * y[:, ::-1]).sum(1),
            "too_great": 32768 * x[:, 0] + 3 * x[:, 1],
        }
        for name, wanted in expected.items():
            to = np.zeros(n, np.int32)
            getattr(kernels, name)(to, b.ravel(), c.ravel(), n)
            assert (to == wanted).all(), name


TEXT = """
define void @f(ptr %p, ptr %q, ptr %r) {{
entry:
  %x = load <4 x i32>, ptr %p, align 2
  %y = load <4 x i32>, ptr %q, align 2
  %a = shl <4 x i32> %x, splat (i32 16)
  %xl = ashr exact <4 x i32> %a, splat (i32 16)
  %xh = ashr <4 x i32> %x, splat (i32 16)
  %b = shl <4 x i32> %y, splat (i32 16)
  %yl = ashr exact <4 x i32> %b, splat (i32 16)
  %yh = ashr <4 x i32> %y, splat (i32 16)
  %m = mul nsw <4 x i32> {first}
  %n = mul nsw <4 x i32> {second}
  %s = add <4 x i32> %n, %m, !dbg !1
  store <4 x i32> %s, ptr %r, align 2
  ret void
}}
"""


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("%xl, %yl", "%xh, %yh", True),
        ("%yl, %xl", "%xh, %yh", True),
        ("%xh, %xh", "%xl, %xl", True),
        ("%xl, splat (i32 -32768)", "%xh, splat (i32 5)", True),
        ("%xl, splat (i32 32768)", "%xh, splat (i32 5)", False),
        ("%xl, splat (i32 7)", "%yh, splat (i32 5)", False),
        ("%xl, %yh", "%xh, %yl", False),
        ("%xl, %yl", "%xl, %yl", False),
        ("%xl, %xl", "%xh, %yh", False),
        ("%xl, %yl", "%xh, splat (i32 5)", False),
    ],
)
def test_halves_of_the_same_lanes(first: str, second: str, is_one: bool) -> None:
    text = TEXT.format(first=first, second=second)
    made = multiply_halves(text, find_target("sse2-i32x4"))
    assert ("pmadd" in made) == is_one
    verify(read(made))
    random = np.random.default_rng(2)
    x, y = random.integers(-(1 << 15), 1 << 15, (2, 8)).astype(np.int16)
    values = {"%xl": x[::2], "%xh": x[1::2], "%yl": y[::2], "%yh": y[1::2]}

    def factor(name: str) -> np.ndarray:
        return values[name].astype(int) if name in values else np.full(4, int(name[len("splat (i32 ") : -1]))

    wanted = sum(np.prod([factor(each) for each in pair.split(", ")], axis=0) for pair in (first, second))
    to = np.zeros(4, np.int32)
    IRInterpreter(read(made)).call("f", [x, y, to])
    assert (to == np.asarray(wanted).astype(np.int32)).all()


def test_whole_gangs_need_one_instruction() -> None:
    """Twice in the loop of pairs of gangs, and in the gangs behind it."""
    compilation = compile_source(SOURCE.partition("export void crossed")[0], "f.ispc", Options(find_target("avx2-i32x8"), 3))
    assert compilation.optimized.assembly().count("vpmaddwd") >= 9
