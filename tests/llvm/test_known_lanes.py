"""Masked accesses of known lanes: plain ones of these lanes, one lane of narrower numbers in its own size, on every target."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from some_pairs import some_pairs

from voltac.passes.lanes.known_lanes import access_known_lanes
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
    text = f"  %known_lanes.3 = add i32 1, 2\n{store}\n{store}"
    lines = access_known_lanes(text, find_target("avx2-i32x8")).split("\n")
    names = [line.split()[0] for line in lines if " = " in line]
    assert len(set(names)) == len(names) == 5
    assert lines[2] == "  %known_lanes.5 = extractelement <2 x i8> %v, i64 1, !dbg !7"
    assert lines[3] == "  store i8 %known_lanes.5, ptr %known_lanes.4, align 1, !dbg !7"
    whole = text.replace("i1 false", "i1 true")
    assert access_known_lanes(whole, find_target("avx2-i32x8")) == whole


TYPES = {"uint8": np.uint8, "int16": np.int16, "int": np.int32, "float": np.float32, "double": np.float64}


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 4))
def test_each_known_length_at_both_ends_of_memory(element: str, target: str) -> None:
    width = find_target(target).width
    lengths = sorted({*range(1, min(width, 8) + 1), width - 1, width + 3, 2 * width - 2})
    head = f"(uniform {element} to[], const uniform {element} from[]) {{"
    # In place, so that the last gang may not do elements twice; and of some lanes in the middle.
    source = "".join(
        f"export void rest_{n}{head} foreach (i = 0 ... {n}) to[i] = to[i] * 3 + from[i]; }}\n"
        f"export void part_{n}{head} if (programIndex >= 1 && programIndex < {min(n, width)})"
        " to[programIndex] = from[programIndex]; }\n"
        for n in lengths
    )
    kernels, calls = compile_kernels(source, target), FencedCalls()
    for n in lengths:
        to, given = (np.arange(n) % 23 + 1).astype(TYPES[element]), (np.arange(n) % 19 + 40).astype(TYPES[element])
        part = to.copy()
        part[1:width] = given[1:width]
        for name, wanted in ((f"rest_{n}", to * 3 + given), (f"part_{n}", part)):
            for at_end in (False, True):
                arrays = calls.copies(to, given, at_end=at_end)
                calls.add((name, at_end), partial(kernels[name], *arrays), (arrays[0], wanted))
    if not isinstance(kernels, InterpretedModule):
        calls.check()


@pytest.mark.parametrize(
    ("target", "mask", "loads", "stores"),
    [
        ("avx2-i32x8", "11110000", ["<4 x float>"], ["<4 x float>"]),
        ("avx2-i32x8", "00111000", ["<8 x float>"], ["<2 x float>", "float"]),  # loads under masks are fast
        ("sse4-i32x8", "01111110", ["<4 x float>", "<2 x float>"], ["<4 x float>", "<2 x float>"]),
        ("avx512skx-x8", "11111110", ["<8 x float>"], ["<8 x float>"]),  # three pieces for one instruction
        ("avx512skx-x8", "11111100", ["<8 x float>"], ["<4 x float>", "<2 x float>"]),
        ("avx2-i32x8", "11011000", ["<8 x float>"], ["<8 x float>"]),  # not side by side
        ("avx2-i32x8", "00000000", ["<8 x float>"], ["<8 x float>"]),
    ],
)
def test_what_is_loaded_and_stored(target: str, mask: str, loads: list[str], stores: list[str]) -> None:
    lanes = "<8 x i1> <" + ", ".join("i1 true" if bit == "1" else "i1 false" for bit in mask) + ">"
    text = (
        f"  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 8 %p, {lanes}, <8 x float> zeroinitializer)\n"
        f"  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr align 8 %p, {lanes})"
    )
    made = access_known_lanes(text, find_target(target))
    assert re.findall(r"(?:= load |= call )(<\d+ x float>|float)", made) == loads
    assert re.findall(r"(?:  store |store\.\w+\.p0\()(<\d+ x float>|float)", made) == stores
