"""Interleaved bytes and 16-bit numbers: what numpy computes, no byte too many is touched, and no lane moves."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from guard_pages import GuardedMemory
from kernels import compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16", "avx512skx-x64"]
MEMORY = 4096


def guarded(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A copy that ends where nobody may read or write. The memory is kept as long as the array."""
    memory = GuardedMemory(values.nbytes)
    copy: npt.NDArray[Any] = memory.array(values.dtype, len(values))
    copy[:] = values
    KEPT.append(memory)
    return copy


KEPT: list[GuardedMemory] = []


@pytest.mark.parametrize(("pixel", "target"), some_pairs([("uint8", 4), ("int8", 2), ("int16", 2)], TARGETS))
def test_any_channels_are_read_and_the_last_byte_is_the_last_touched(pixel: tuple[str, int], target: str) -> None:
    type, channels = pixel
    random = np.random.default_rng(3)
    info = np.iinfo(type)
    for used in ([0], [0, 1], list(range(channels - 1, 0, -1))):
        terms = " + ".join(f"{number + 1} * (int)x[{channels} * i + {channel}]" for number, channel in enumerate(used))
        source = f"export void f(uniform int r[], uniform {type} y[], const uniform {type} x[], uniform int n) {{\n"
        source += f"foreach (i = 0 ... n) {{ r[i] = {terms}; y[i] = x[{channels} * i + {used[0]}]; }} }}"
        kernel = compile_kernels(source, target=target).f
        for n in (1, 15, 64, 129):
            # The array ends with the last number that is read.
            x = random.integers(info.min, info.max, channels * (n - 1) + max(used) + 1, type, endpoint=True)
            rows = np.append(x, np.zeros(channels - 1 - max(used), type)).reshape(n, channels)
            r, y = np.zeros(n, np.int32), np.zeros(n, type)
            kernel(r, y, guarded(x), n)
            expected = sum((number + 1) * rows[:, channel].astype(np.int32) for number, channel in enumerate(used))
            assert (r == expected).all()
            assert (y == rows[:, used[0]]).all()
    KEPT.clear()


@pytest.mark.parametrize(("pixel", "target"), some_pairs([("uint8", 4), ("int8", 2), ("int16", 2)], TARGETS))
def test_whole_and_partial_elements_are_written(pixel: tuple[str, int], target: str) -> None:
    type, channels = pixel
    random = np.random.default_rng(4)
    for order in (range(channels), range(channels - 1, -1, -1), range(channels - 1)):
        lines = " ".join(f"x[{channels} * i + {channel}] = v[i] + {channel};" for channel in order)
        source = f"export void f(uniform {type} x[], const uniform int v[], uniform int n) {{\n"
        kernel = compile_kernels(source + f"foreach (i = 0 ... n) {{ {lines} }} }}", target=target).f
        for n in (1, 15, 64, 129):
            v = random.integers(-99, 99, n).astype(np.int32)
            x = random.integers(-99, 99, channels * n).astype(type)
            expected = x.copy().reshape(n, channels)
            for channel in order:
                expected[:, channel] = (v + channel).astype(type)
            written = guarded(x)
            kernel(written, v, n)
            assert (written == expected.reshape(-1)).all()
    KEPT.clear()


def test_elements_that_overlap_are_written_in_the_order_of_the_program() -> None:
    """Each lane writes into the element of the next one, which then writes it itself; of lanes in one store the last wins."""
    source = """
    export void f(uniform uint8 x[], const uniform uint8 v[], uniform int n) {
        foreach (i = 0 ... n) {
            x[2 * i] = v[i];
            x[2 * i + 3] = v[i] + (uint8)1u;
            x[2 * i + 1] = v[i] + (uint8)2u;
            x[2 * i + 2] = v[i] + (uint8)3u;
        }
    }
    """
    n = 64
    v = np.random.default_rng(5).integers(0, 200, n).astype(np.uint8)
    for target in ("avx2-i32x8", "avx512skx-x64"):
        width = int(re.findall(r"x(\d+)$", target)[0])
        expected = np.zeros(2 * n + 2, np.uint8)
        for start in range(0, n, width):
            lanes = np.arange(start, start + width)
            for offset, more in ((0, 0), (3, 1), (1, 2), (2, 3)):
                for lane in lanes:
                    expected[2 * lane + offset] = v[lane] + more
        x = np.zeros(2 * n + 2, np.uint8)
        compile_kernels(source, target=target).f(x, v, n)
        assert (x == expected).all()


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
def test_grey_of_rgba_moves_no_lane_but_to_pack_its_result(target: str) -> None:
    source = """
    export void grey(uniform uint8 a[], const uniform uint8 b[], uniform int n) {
        foreach (i = 0 ... n) {
            int red = b[4 * i], green = b[4 * i + 1], blue = b[4 * i + 2];
            a[i] = (uint8)((77 * red + 150 * green + 29 * blue) >> 8);
        }
    }
    """
    text = compile_source(source, "k.ispc", Options(target=find_target(target), level=3)).optimized.assembly(comments=True)
    body = text[text.index("wide_body") :]
    body = body[: body.index("\tjb\t")]
    assert not re.findall(r"vpmovzx|vpunpck|vpblend|vpermt2", body)
    assert len(re.findall(r"vmovdqu\w*\t-?\d*\(.*\), %", body)) == 4, "of 4 vectors, one load each"
