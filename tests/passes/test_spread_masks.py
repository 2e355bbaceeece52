"""Lanes of a mask that are spread are so as bytes for SVE: LLVM's code generator ends the process on predicates of 64 lanes."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.masks.spread_masks import spread_masks_as_bytes
from voltac.target_info import find_target

SPREAD = """
define void @f(<16 x i32> %m, <64 x i8> %v, ptr %p) vscale_range(4,16) "target-features"="+sve" {
  %k = icmp ne <16 x i32> %m, zeroinitializer
  %s = shufflevector <16 x i1> %k, <16 x i1> zeroinitializer, <64 x i32> <LANES>
  call void @llvm.masked.store.v64i8.p0(<64 x i8> %v, ptr align 1 %p, <64 x i1> %s)
  ret void
}
declare void @llvm.masked.store.v64i8.p0(<64 x i8>, ptr, <64 x i1>)
"""
LONGEST = Options(find_target("sve512-i16x32"))
MEMBER = """
struct Item { int32 a; uint8 b; uint64 c; };
export void f(uniform Item items[], uniform int n) { foreach (k = 0 ... n) items[k].b = k * 3; }
"""


def module(step: int) -> str:
    return SPREAD.replace("LANES", ", ".join(f"i32 {at // step if at % step == 0 else 16}" for at in range(64)))


def test_the_mask_is_the_same() -> None:
    made = spread_masks_as_bytes(module(16), LONGEST)
    assert "%s = icmp ne <64 x i8>" in made
    verify(read(made))
    values, mask = np.arange(1, 65, dtype=np.uint8), [1, 0, 1, 1] * 4
    for text in (module(16), made):
        to = np.zeros(64, np.uint8)
        IRInterpreter(read(text)).call("f", [mask, values.tolist(), to])
        assert to.tolist() == [k + 1 if k % 16 == 0 and mask[k // 16] else 0 for k in range(64)]


@pytest.mark.parametrize("name", ["avx512skx-x64", "avx2-i32x8", "neon-i32x4"])
def test_only_targets_with_predicates(name: str) -> None:
    assert spread_masks_as_bytes(module(16), Options(find_target(name))) == module(16)


def test_lanes_that_stay_are_no_spread_mask() -> None:
    lanes = ", ".join(f"i32 {at if at < 3 else 16}" for at in range(64))
    assert spread_masks_as_bytes(SPREAD.replace("LANES", lanes), LONGEST) == SPREAD.replace("LANES", lanes)


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("name", ["sve512-i16x32", "sve512-i32x16", "sve512-i8x64", "sve256-i16x16"])
def test_a_member_of_a_byte_is_stored(name: str, level: int) -> None:
    assert compile_source(MEMBER, "f.ispc", Options(find_target(name), level)).optimized.object_code()


def test_llvm_still_ends_the_process() -> None:
    """If this fails, LLVM is mended, and the pass is only for speed."""
    program = (
        "import sys; from voltac.llvm.target_machine import LLVMModule, target_machine; from voltac.options import Options; "
        "from voltac.target_info import find_target; options = Options(find_target('sve512-i16x32')); "
        "module = LLVMModule(sys.stdin.read(), options); target_machine(options).emit_object(module.ref)"
    )
    done = subprocess.run([sys.executable, "-c", program], input=module(16), capture_output=True, text=True, timeout=60)
    assert done.returncode == -signal.SIGABRT, done.stderr
