"""Bytes and 16-bit numbers that were cut from words are compared as words: the same truth values by every predicate."""

import operator

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.narrow_compares import compare_in_words
from voltac.target_info import find_target

PREDICATES = {"eq": operator.eq, "ne": operator.ne}
PREDICATES |= {f"{sign}{name}": getattr(operator, name) for sign in "su" for name in ("lt", "le", "gt", "ge")}


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_predicates(predicate: str, bits: int) -> None:
    """Of two that were cut, of one and a number, and of one and a byte of its own."""
    kind, lanes = f"<8 x i{bits}>", 8
    made = compare_in_words(f"""
define void @f(ptr %p, ptr %q, ptr %r, ptr %s) {{
  %x = load <8 x i32>, ptr %p, align 4
  %y = load <8 x i32>, ptr %q, align 4
  %byte = load {kind}, ptr %r, align 1
  %cut.x = trunc <8 x i32> %x to {kind}
  %cut.y = trunc nuw nsw <8 x i32> %y to {kind}
  %m = icmp {predicate} {kind} %cut.x, %cut.y
  %n = icmp {predicate} {kind} %cut.x, splat (i{bits} -7)
  %o = icmp {predicate} {kind} %byte, %cut.x
  %one = zext <8 x i1> %m to <8 x i32>
  %two = select <8 x i1> %n, <8 x i32> splat (i32 2), <8 x i32> zeroinitializer
  %four = select <8 x i1> %o, <8 x i32> splat (i32 4), <8 x i32> zeroinitializer
  %some = or <8 x i32> %one, %two
  %all = or <8 x i32> %some, %four
  store <8 x i32> %all, ptr %s, align 4
  ret void
}}""")
    assert f"icmp {predicate.replace('u', 's')} <8 x i32>" in made and f"icmp {predicate} {kind}" not in made
    verify(read(made))
    narrow = np.dtype(f"{'int' if predicate[0] == 's' else 'uint'}{bits}")
    top = 1 << (bits - 1)
    x = np.array([0, top - 1, top, -7, 1 << 20, -(1 << 20) - 7, 249, 5], np.int32)
    y = np.array([0, 1, top - 1, 7, 0, 5, 100, 5], np.int32)
    byte = np.array([0, 1, -1, -7, 0, -8, -7, 5]).astype(narrow)
    found = np.zeros(lanes, np.int32)
    IRInterpreter(read(made)).call("f", [x, y, byte, found])
    holds, cut = PREDICATES[predicate], x.astype(narrow)
    by_seven = holds(cut, np.int64(-7).astype(narrow))
    expected = holds(cut, y.astype(narrow)) + 2 * by_seven + 4 * holds(byte, cut)
    assert found.tolist() == expected.tolist()


def test_what_is_cut_for_more_stays() -> None:
    """Also where the mask chooses between bytes."""
    text = """
define void @f(<8 x i32> %x, ptr %p) {
  %cut = trunc <8 x i32> %x to <8 x i8>
  %m = icmp ugt <8 x i8> %cut, splat (i8 39)
  %r = select <8 x i1> %m, <8 x i8> %cut, <8 x i8> zeroinitializer
  store <8 x i8> %r, ptr %p, align 1
  ret void
}"""
    assert compare_in_words(text) is text


WORDS = """
export void words(uniform int a[], const uniform uint8 b[], uniform int n, uniform int m) {
    foreach (i = 0 ... n) {
        int count = 0, inside = 0;
        for (uniform int k = 0; k < m; k++) {
            if (b[i * m + k] < 40)
                inside = 0;
            else if (inside == 0) {
                inside = 1;
                count++;
            }
        }
        a[i] = count;
    }
}
"""


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4"])
def test_words_of_rows(target: str) -> None:
    n, m = 37, 22
    b = np.random.default_rng(5).integers(0, 256, (n, m)).astype(np.uint8)
    a = np.zeros(n, np.int32)
    compile_kernels(WORDS, target).words(a, b.reshape(-1), n, m)
    letters = np.pad(b >= 40, ((0, 0), (1, 0)))
    assert (a == (letters[:, 1:] & ~letters[:, :-1]).sum(axis=1)).all()
    text = compile_source(WORDS, "f.ispc", Options(find_target(target), level=3), Diagnostics()).optimized.text()
    assert "%compared." in text
