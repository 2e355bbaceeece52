"""One lane of a vector of narrower numbers is stored in its own size, on every target."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.passes.one_lane_stores import store_one_lane
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x4", "avx512skx-x8", "avx512skx-x16", "avx512skx-x64"]
PAIRS = {
    ("int8", "int"): (np.int8, np.int32),
    ("int16", "int"): (np.int16, np.int32),
    ("int8", "int16"): (np.int8, np.int16),
    ("int8", "int64"): (np.int8, np.int64),
    ("int16", "int64"): (np.int16, np.int64),
    ("int", "int64"): (np.int32, np.int64),
}


@pytest.mark.parametrize("target", TARGETS)
def test_a_lane_known_to_be_the_only_one_writes_one_element(target: str) -> None:
    info = find_target(target)
    lanes = (0, 2, info.width - 1)
    source = "".join(
        f"export void f_{short}_{wide}_{lane}(uniform {short} a[], const uniform {wide} b[]) {{\n"
        f"    if (programIndex == {lane})\n        a[programIndex] = ({short})b[programIndex];\n}}\n"
        for short, wide in PAIRS
        for lane in lanes
    )
    module = compile_kernels(source, target=target)
    for (short, wide), (to, given) in PAIRS.items():
        for lane in lanes:
            a, b = np.full(info.width, 77, to), np.arange(info.width).astype(given) + 3
            getattr(module, f"f_{short}_{wide}_{lane}")(a, b)
            want = np.full(info.width, 77, to)
            want[lane] = lane + 3
            assert np.array_equal(a, want), (short, wide, lane)


def test_names_are_new_where_the_text_has_been_through_it_before() -> None:
    store = (
        "  call void @llvm.masked.store.v2i8.p0(<2 x i8> %v, ptr align 4 getelementptr inbounds (i8, ptr @g, i64 8), "
        "<2 x i1> <i1 false, i1 true>), !dbg !7"
    )
    text = f"  %only_lane.3 = add i32 1, 2\n{store}\n{store}"
    lines = store_one_lane(text).split("\n")
    names = [line.split()[0] for line in lines if " = " in line]
    assert len(set(names)) == len(names) == 5
    assert lines[1] == "  %only_lane.4 = extractelement <2 x i8> %v, i64 1, !dbg !7"
    assert lines[3] == "  store i8 %only_lane.4, ptr %only_place.4, align 1, !dbg !7"
    assert store_one_lane(text.replace("i1 false", "i1 true")) == text.replace("i1 false", "i1 true")
