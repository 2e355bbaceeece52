"""Elements of two registers that go from half to half: one shuffle within halves and one permutation give the same."""

import random

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.lanes.paired_shuffles import shuffle_pairs
from voltac.target_info import find_target

TEXT = """
define <8 x {element}> @f(<8 x {element}> %a, <8 x {element}> %b) {{
  %r = shufflevector <8 x {element}> %a, <8 x {element}> %b, <8 x i32> <{mask}>
  ret <8 x {element}> %r
}}
"""


def masks(count: int) -> list[list[int]]:
    """Some of two places of each half of each register, others of anything."""
    rng = random.Random(count)
    found = []
    for _ in range(count):
        first, second = rng.sample(range(4), 2), rng.sample(range(4), 2)
        sources = [half + at for half in (0, 4) for at in first] + [8 + half + at for half in (0, 4) for at in second]
        found.append([rng.choice(sources) for _ in range(8)] if rng.random() < 0.8 else rng.choices(range(16), k=8))
    return found


@pytest.mark.parametrize("element", ["float", "i32"])
def test_random_orders(element: str) -> None:
    changed = 0
    for mask in masks(80):
        text = TEXT.format(element=element, mask=", ".join(f"i32 {at}" for at in mask))
        made = shuffle_pairs(text)
        verify(read(made))
        changed += made != text
        given = [[float(at) if element == "float" else at for at in range(first, first + 8)] for first in (0, 8)]
        assert list(IRInterpreter(read(made)).call("f", given)) == mask
    assert 20 < changed < 75


@pytest.mark.parametrize(
    "mask",
    [
        [0, 1, 8, 9, 4, 5, 12, 13],  # within halves
        [0, 9, 2, 11, 12, 5, 14, 7],  # a blend, then one permutation
        [0, 1, 4, 5, 8, 9, 12, 13],  # 64 bits at a time
        [0, 1, 2, 8, 9, 10, 4, 12],  # three places of a half
        [0, 4, 1, 5, 0, 4, 1, 5],  # of one register
    ],
)
def test_what_llvm_does_as_well_stays(mask: list[int]) -> None:
    text = TEXT.format(element="float", mask=", ".join(f"i32 {at}" for at in mask))
    assert shuffle_pairs(text) == text


TRANSPOSED = """
struct Matrix { float e[16]; };
export void f(uniform Matrix a[], const uniform Matrix b[], uniform int n) {
    foreach (i = 0 ... n)
        for (uniform int r = 0; r < 4; r++)
            for (uniform int k = 0; k < 4; k++)
                a[i].e[4 * r + k] = b[i].e[4 * k + r];
}
"""


def test_a_matrix_of_each_lane_is_transposed_by_two_shuffles_a_register() -> None:
    made = compile_source(TRANSPOSED, "f.ispc", Options(find_target("avx2-i32x8"), level=3, whole_program=True))
    assert made.optimized is not None
    text = made.optimized.assembly()
    assert "vblendps\t$204" not in text and text.count("vpermps") >= 16
    f = compile_kernels(TRANSPOSED, "avx2-i32x8").f
    for n in (1, 8, 19):
        b = np.arange(16 * n, dtype=np.float32)
        a = np.zeros_like(b)
        f(a.view([("e", np.float32, 16)]), b.view([("e", np.float32, 16)]), n)
        assert (a.reshape(n, 4, 4) == b.reshape(n, 4, 4).transpose(0, 2, 1)).all()
