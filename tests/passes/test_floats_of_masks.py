"""Truth values become floats by selection: the same floats as by conversion, of both signs and every type."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.arithmetic.floats_of_masks import select_floats
from voltac.target_info import find_target


@pytest.mark.parametrize("element", ["float", "double"])
@pytest.mark.parametrize(("op", "one"), [("sitofp", -1.0), ("uitofp", 1.0)])
def test_conversions(op: str, one: float, element: str) -> None:
    made = select_floats(f"""
define void @f(ptr %p, ptr %q) {{
  %x = load <4 x i32>, ptr %p, align 4
  %m = icmp sgt <4 x i32> %x, zeroinitializer
  %f = {op} <4 x i1> %m to <4 x {element}>
  store <4 x {element}> %f, ptr %q, align 4
  ret void
}}""")
    assert "itofp" not in made
    verify(read(made))
    found = np.ones(4, element.replace("float", "float32").replace("double", "float64"))
    IRInterpreter(read(made)).call("f", [np.array([1, -1, 0, 7], np.int32), found])
    assert found.tolist() == [one, 0, 0, one]


SIGNS = """
export void signs(uniform double a[], const uniform double b[], uniform int n) {
    foreach (i = 0 ... n) { double v = b[i]; a[i] = v > 0 ? 1 : v < 0 ? -1 : 0; }
}
"""


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x4"])
def test_signs(target: str) -> None:
    b = np.array([2.0, -3.0, 0.0, -0.0, np.nan, np.inf, -np.inf] * 3)
    a = np.ones(21)
    compile_kernels(SIGNS, target).signs(a, b, 21)
    assert (a == np.nan_to_num(np.sign(b))).all()
    job = compile_source(SIGNS, "f.ispc", Options(find_target(target)), Diagnostics())
    assert "itofp" not in job.optimized.text()
