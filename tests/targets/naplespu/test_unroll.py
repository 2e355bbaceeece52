"""Short loops of one block are written out: the same values, no counter, lane numbers that are constants."""

import re
from pathlib import Path

import numpy as np
import pytest

import voltac
from voltac.codegen.loops.unroll import count_trips, unroll
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify

KERNELS = Path(__file__).parent / "kernels"

LOOP = """define i32 @f(i32 %a, i32 %b) {{
entry:
  br label %loop

loop:
  %i = phi i32 [ {start}, %entry ], [ %n, %loop ]
  %x = phi i32 [ %a, %entry ], [ %y, %loop ]
  %y = phi i32 [ %b, %entry ], [ %z, %loop ]
  %s = mul i32 %x, 3
  %t = add i32 %s, %y
  %z = add i32 %t, %i
  %n = add i32 %i, {step}
  %c = icmp {predicate} i32 {tested}, {bound}
  br i1 %c, label {labels}

after:
  %u = mul i32 %x, 100
  %v = add i32 %u, %z
  %w = add i32 %v, %n
  %r = add i32 %w, %i
  ret i32 %r
}}
"""
BACK, OUT = "%loop, label %after", "%after, label %loop"

CASES = [
    (LOOP.format(start=0, step=1, predicate="slt", tested="%n", bound=16, labels=BACK), 16),
    (LOOP.format(start=0, step=1, predicate="eq", tested="%n", bound=5, labels=OUT), 5),
    (LOOP.format(start=10, step=-3, predicate="sgt", tested="%n", bound=0, labels=BACK), 4),
    (LOOP.format(start=1, step=2, predicate="ult", tested="%i", bound=7, labels=BACK), 4),
    (LOOP.format(start=-4, step=2, predicate="slt", tested="%n", bound=-1, labels=BACK), 2),
    (LOOP.format(start=0, step=1, predicate="slt", tested="%n", bound=17, labels=BACK), 0),
    (LOOP.format(start=0, step=0, predicate="slt", tested="%n", bound=17, labels=BACK), 0),
    (LOOP.format(start=0, step=1, predicate="slt", tested="%n", bound="%b", labels=BACK), 0),
]


@pytest.mark.parametrize("text, turns", CASES)
def test_copies_do_what_the_loop_did(text: str, turns: int) -> None:
    module = read(text)
    found = count_trips(module)
    assert found == {"f": {"loop": turns} if turns else {}}
    unroll(module, found)
    verify(module)
    assert ("phi" in " ".join(one.text for one in module.functions[0].instructions())) == (turns == 0)
    for a, b in ((0, 0), (1, 2), (-5, 77), (2**31 - 1, -(2**31))):
        if turns:
            before = IRInterpreter(read(text), pointer_bytes=4).call("f", [a, b])
            assert IRInterpreter(module, pointer_bytes=4).call("f", [a, b]) == before


def test_a_step_of_the_vectorial_matrix_product_takes_five_instructions() -> None:
    """Load, address, lane, product, sum: what is written by hand; the loop around 16 of them adds its own."""
    kernel = voltac.load(KERNELS / "matrices.ispc", target="naplespu").vector_product
    body = next(part for part in re.split(r"\n(?=\S+:\n)", kernel.assembly()) if part.count("getlanei") == 16)
    lines = [line for line in body.splitlines() if line[:1] in "\t "]
    assert len(lines) <= 5 * 16
    assert not any("rm" in line for line in lines)


def test_the_product_is_right_on_one_thread() -> None:
    n = 32
    a, b = (np.random.default_rng(seed).integers(-99, 99, (n, n)).astype(np.int32) for seed in (1, 2))
    c = np.zeros((n, n), np.int32)
    voltac.load(KERNELS / "matrices.ispc", target="naplespu", launch={"threads": 1}).vector_product(a, b, c, n)
    assert np.array_equal(c, a @ b)
