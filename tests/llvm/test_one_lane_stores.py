"""One lane of a vector of narrower numbers is stored in its own size, on every target."""

from __future__ import annotations

import numpy as np
import pytest

import voltac
from voltac.llvm import can_run
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
    if not can_run(info):
        pytest.skip(f"this CPU cannot run {target}")
    lanes = (0, 2, info.width - 1)
    source = "".join(
        f"export void f_{short}_{wide}_{lane}(uniform {short} a[], const uniform {wide} b[]) {{\n"
        f"    if (programIndex == {lane})\n        a[programIndex] = ({short})b[programIndex];\n}}\n"
        for short, wide in PAIRS
        for lane in lanes
    )
    module = voltac.compile(source, target=target)
    for (short, wide), (to, given) in PAIRS.items():
        for lane in lanes:
            a, b = np.full(info.width, 77, to), np.arange(info.width).astype(given) + 3
            getattr(module, f"f_{short}_{wide}_{lane}")(a, b)
            want = np.full(info.width, 77, to)
            want[lane] = lane + 3
            assert np.array_equal(a, want), (short, wide, lane)
