"""Lanes of a mask that move down are cleared behind: a store under it touches no other element."""

from __future__ import annotations

import re

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.llvm.optimize import late
from voltac.llvm.target_machine import LLVMModule, target_machine
from voltac.options import Options
from voltac.passes.masks.zeros_behind_masks import clear_moved_lanes
from voltac.target_info import find_target

HALF = """
define void @f(<8 x i8> %m, <8 x float> %v, ptr %p) "target-cpu"="skylake-avx512" {
  %k = icmp ne <8 x i8> %m, zeroinitializer
  %s = shufflevector <8 x i1> %k, <8 x i1> OTHERS, <8 x i32> <LANES>
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr align 4 %p, <8 x i1> %s)
  ret void
}
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)
"""
SECOND = [
    "4, 5, 6, 7, 8, 8, 8, 8",
    "2, 3, 4, 5, 6, 7, 8, 8",
    "5, 8, 8, 8, 9, 9, 9, 9",
    "1, 8, 2, 8, 3, 8, 8, 8",
    "0, 1, 2, 3, 8, 8, 8, 8",
]
SKX = Options(find_target("avx512skx-x8"))


def module(lanes: str, others: str = "zeroinitializer") -> str:
    text = ", ".join(lane if lane == "poison" else f"i32 {lane}" for lane in lanes.split(", ")).replace("poison", "i32 poison")
    return HALF.replace("LANES", text).replace("OTHERS", others)


@pytest.mark.parametrize("lanes", SECOND)
def test_the_mask_is_the_same(lanes: str) -> None:
    made = clear_moved_lanes(module(lanes), SKX)
    assert "%s = and <8 x i1>" in made
    verify(read(made))
    values, bits = np.arange(1, 9, dtype=np.float32), np.array([1, 0, 1, 1, 1, 0, 1, 1], np.int8)
    wanted, chosen = np.zeros(8, np.float32), [*bits, *[0] * 8]
    for at, lane in enumerate(map(int, lanes.split(", "))):
        if chosen[lane]:
            wanted[at] = values[at]
    for text in (module(lanes), made):
        to = np.zeros(8, np.float32)
        IRInterpreter(read(text)).call("f", [bits.tolist(), values.tolist(), to])
        assert to.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("lanes", "others"),
    [
        ("0, 1, 0, 1, 8, 8, 8, 8", "zeroinitializer"),  # nothing comes down
        ("4, 5, 6, 7, poison, poison, poison, poison", "zeroinitializer"),  # nothing is cleared
        ("4, 5, 6, 7, 8, 8, 8, 9", "<" + ", ".join(["i1 false", "i1 true"] * 4) + ">"),
    ],
)
def test_others_stay(lanes: str, others: str) -> None:
    assert clear_moved_lanes(module(lanes, others), SKX) == module(lanes, others)


def test_only_targets_with_mask_registers() -> None:
    for name in ("avx2-i32x8", "neon-i32x8", "sve256-i32x8"):
        assert clear_moved_lanes(module(SECOND[0]), Options(find_target(name))) == module(SECOND[0])


def test_llvm_still_takes_other_lanes_for_the_zeros() -> None:
    """If this fails, LLVM is mended, and the pass can go: the mask of 16 bytes is shifted, and nothing clears lanes 4 to 7."""
    assembly = late(module(SECOND[0]), Options(find_target("avx512skx-x8"), 0)).assembly()
    assert "kand" in assembly  # by the pass
    as_it_is = LLVMModule(module(SECOND[0]), SKX)
    code = target_machine(SKX).emit_assembly(as_it_is.ref)
    assert re.search(r"vptestmb\s+%xmm0.*\n\s+kshiftrw\s+\$4,.*\n\s+vmovups", code), code


def test_members_of_narrow_soa_elements_are_stored_for_their_lanes_only() -> None:
    """Found by random programs: of four elements' floats, which end a block, the four behind were written too."""
    source = """
struct Item { uint16 count; uint8 kind; float<3> weights; bool alive; };
static soa<4> Item items[48];
static inline void change(Item &one) {
    if (one.kind > (uint8)9) { one.kind -= (uint8)4; one.alive = one.count & 1; }
}
export void counts(uniform int to[]) {
    for (uniform int j = 0; j < 48; j++) {
        items[j].count = j * 7 & 63;
        items[j].kind = 40 - j;
        items[j].weights.x = j;
        items[j].weights.y = 50 - j;
        items[j].alive = j & 1;
    }
    foreach (k = 0 ... 16) {
        if (items[k].alive) {
            Item one = items[k];
            change(one);
            items[k] = one;
        }
    }
    foreach (k = 0 ... 48) to[k] = items[k].count;
}
"""
    for target in ("avx512skx-x8", "avx512skx-x16", "avx512skx-x4", "avx2-i32x8"):
        to = np.zeros(48, np.int32)
        compile_kernels(source, target).counts(to)
        assert to.tolist() == [j * 7 & 63 for j in range(48)], target


def test_lanes_that_stay_before_zeros_are_the_only_ones_stored() -> None:
    """Of the rest of a loop over 40 elements, backwards from where indices wrap around; found by the campaign of accesses."""
    kernels = compile_kernels(
        """export void f(uniform uint16 to[], uniform uint16 from[], uniform int b) {
            uniform uint16 * uniform p = (uniform uint16 * uniform)((uniform int64)to - 8589933792ull);
            uniform uint32 v = b;
            for (uniform int row = 0; row < 1; ++row) {
                uniform uint32 r = row;
                foreach (column = 5 ... 45) {
                    uint32 k = column;
                    uint32 at = ((v - (k - 5)) + ((1 * r) - 2));
                    if ((uint32)(at - 4294966896u) < 400u) p[at] = from[row * 40 + column - 5];
                }
            }
        }""",
        "avx512skx-x16",
        opt=2,
    )
    to, given = np.full(400, 7, np.uint16), np.arange(100, 140, dtype=np.uint16)
    wanted = to.copy()
    wanted[400 - np.arange(1, 40)] = given[1:]
    kernels.f(to, given, 2)
    assert to.tolist() == wanted.tolist()
