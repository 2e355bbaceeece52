"""Loops that only subtract have the result of numpy, however many gangs or iterations LLVM does at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import voltac
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.llvm.host import can_run
from voltac.llvm.subtracted_sums import add_what_is_subtracted
from voltac.llvm.target_machine import LLVMModule, binding, pass_builder
from voltac.options import Options
from voltac.target_info import find_target

LOOP = """
define i32 @f(ptr %p, i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 7, %entry ], [ %w, %loop ]
  %at = getelementptr i32, ptr %p, i32 %i
  %x = load i32, ptr %at, align 4
  %positive = icmp sgt i32 %x, 0
  %less = sub nsw i32 %v, %x
  %w = select i1 %positive, i32 %less, i32 %v
  %other = sub nsw i32 %n, %x
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done, !llvm.loop !0

done:
  ret i32 %w
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 4}
"""
STRAIGHT = LOOP.replace("  %w = select i1 %positive, i32 %less, i32 %v\n", "").replace("%less = sub nsw", "%w = sub")


@pytest.mark.parametrize("text", [LOOP, STRAIGHT])
def test_what_is_carried_is_added_to(text: str) -> None:
    made = add_what_is_subtracted(text)
    assert "= add i32 %v, %subtracted.1" in made and "%other = sub nsw i32 %n, %x" in made
    verify(read(made))
    numbers = np.array([3, -4, 5, 6, -7, 8, 9], np.int32)
    results = [IRInterpreter(read(each)).call("f", [numbers, 7]) for each in (text, made)]
    wanted = 7 - int(numbers[numbers > 0].sum() if text is LOOP else numbers.sum())
    assert results[0] == results[1] == wanted % 2**32
    assert add_what_is_subtracted(made) == made


def test_other_differences_stay() -> None:
    turned = STRAIGHT.replace("sub i32 %v, %x", "sub i32 %x, %v")
    assert add_what_is_subtracted(turned) == turned


def test_llvm_still_takes_the_sum_of_one_copy_from_that_of_another() -> None:
    """If this fails, LLVM is mended, and what the module does can go."""
    options = Options(find_target("avx2-i32x8"))
    module = LLVMModule(STRAIGHT, options)
    pipeline = binding().create_new_function_pass_manager()
    pipeline.add_loop_unroll_pass()
    for function in module.definitions():
        pipeline.run(function, pass_builder(options, 2))
    assert "%bin.rdx = sub" in module.text()


KERNELS = """
#define LANES(name, T, statement)                                             \\
    export void name(const uniform T a[], uniform T out[], uniform int n) {   \\
        T v = 3;                                                              \\
        foreach (i = 0 ... n)                                                 \\
            statement;                                                        \\
        out[programIndex] = v;                                                \\
    }
LANES(less8, int8, v -= a[i])
LANES(less16, uint16, if (a[i] > 3) v -= a[i])
LANES(less32, int32, v = v - a[i])
LANES(negated, int32, v += -a[i])
LANES(less64, int64, v -= 2 * a[i])
export void one(const uniform int32 a[], uniform int32 out[], uniform int n) {
    uniform int v = 3;
#pragma unroll 4
    for (uniform int i = 0; i < n; i++)
        v -= a[i];
    out[0] = v;
}
"""
SUBTRACTED: dict[str, tuple[Any, Any]] = {
    "less8": (np.int8, lambda a: a),
    "less16": (np.uint16, lambda a: np.where(a > 3, a, 0)),
    "less32": (np.int32, lambda a: a),
    "negated": (np.int32, lambda a: a),
    "less64": (np.int64, lambda a: 2 * a),
}


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_each_lane_has_what_numpy_subtracts(target: str, level: int) -> None:
    info = find_target(target)
    if not can_run(info):
        pytest.skip(f"this CPU cannot run {target}")
    kernels, width = voltac.compile(KERNELS, target=target, opt=level), info.width
    for n in (0, 1, 15, 16, 33, 100, 257, 300):
        given = np.random.default_rng(n).integers(0, 9, n)
        for name, (kind, of) in SUBTRACTED.items():
            a, out = given.astype(kind), np.zeros(width, kind)
            getattr(kernels, name)(a, out, n)
            with np.errstate(over="ignore"):
                wanted = [kind(3) - of(a[lane::width]).sum(dtype=kind) for lane in range(width)]
            assert out.tolist() == [int(each) for each in wanted], (name, n)
        out = np.zeros(1, np.int32)
        kernels.one(given.astype(np.int32), out, n)
        assert out[0] == 3 - given.sum()


@pytest.mark.parametrize("target", ["naplespu", "ia64-x1"])
def test_on_devices_too(target: str) -> None:
    kernels = voltac.compile(KERNELS[KERNELS.index("export void one") :], target=target, opt=2)
    a, out = np.arange(30, dtype=np.int32), np.zeros(1, np.int32)
    kernels.one(a, out, 30)
    assert out[0] == 3 - a.sum()
