"""Structs of six members are taken apart, and put together, as pairs: each element is touched once, nothing around it."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from guard_pages import Array, FencedCalls
from kernels import InterpretedModule, compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["avx2-i32x8", "avx2-i32x16", "avx1-i32x8", "avx2-i32x4", "sse4-i32x4", "avx512skx-x8", "avx2-i16x16", "avx2-i8x32"]
"""The first of them with each type in the ordinary suite."""
BODY = {
    "part": "struct P {{ {T} x, y, z, u, v, w; }};\nexport void part(uniform P a[], const uniform P b[], uniform int n)"
    "{{ foreach (i = 0 ... n) {{ P p = b[i]; a[i].x = p.x + 1; a[i].y = p.y * 2; a[i].z = p.z - p.x; a[i].u = p.u + p.w;"
    "a[i].v = p.v - 1; a[i].w = p.w * 3; }} }}",
    "some": "export void some(uniform {T} a[], const uniform {T} b[], uniform int n) {{"
    "foreach (i = 0 ... n) a[i] = b[6 * i] * 3 + b[6 * i + 2] - b[6 * i + 3] + b[6 * i + 5]; }}",
    "in_place": "export void in_place(uniform {T} a[], uniform int n) {{ foreach (i = 0 ... n) {{"
    "{T} s = a[6 * i], t = a[6 * i + 5];"
    "a[6 * i] = t + a[6 * i + 1]; a[6 * i + 1] = s; a[6 * i + 2] = a[6 * i + 2] + 1; a[6 * i + 3] = a[6 * i + 4];"
    "a[6 * i + 4] = t; a[6 * i + 5] = s; }} }}",
    "across": "export void across(uniform {T} a[], const uniform {T} b[], uniform int n) {{"
    "foreach (i = 0 ... n) a[i] = b[6 * i + 1] + b[6 * i + 2] + b[6 * i + 3] + b[6 * i + 4] + b[6 * i + 6]; }}",
}
TYPES: dict[str, type] = {"float": np.float32, "int16": np.int16, "uint8": np.uint8}


def _source(element: str) -> str:
    return "\n".join(BODY.values()).format(T=element)


def _wanted(b: Array) -> dict[str, Array]:
    part: Array = np.stack([b[:, 0] + 1, b[:, 1] * 2, b[:, 2] - b[:, 0], b[:, 3] + b[:, 5], b[:, 4] - 1, b[:, 5] * 3], 1)
    place: Array = np.stack([b[:, 5] + b[:, 1], b[:, 0], b[:, 2] + 1, b[:, 4], b[:, 5], b[:, 0]], 1)
    return {"part": part.ravel(), "some": b[:, 0] * 3 + b[:, 2] - b[:, 3] + b[:, 5], "in_place": place.ravel()}


@pytest.mark.parametrize(("element", "target"), some_pairs(TYPES, TARGETS, 8))
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    width = find_target(target).width
    calls, random = FencedCalls(), np.random.default_rng(1)
    dtype, kernels = TYPES[element], compile_kernels(_source(element), target)
    struct = np.dtype([(name, dtype) for name in "xyzuvw"])
    for n in (0, 1, width - 1, width, width + 1, 3 * width + 1):
        b: Array = random.integers(0, 1000, (n, 6)).astype(dtype)
        wanted: dict[str, Array] = {name: value.astype(dtype) for name, value in _wanted(b).items()}
        for at_end in (False, True):
            to, given = calls.copies(np.zeros(6 * n, dtype), b.ravel(), at_end=at_end)
            call = partial(kernels["part"], to.view(struct), given.view(struct), n)
            calls.add((element, "part", n), call, (to, wanted["part"]))
            to, given = calls.copies(np.zeros(n, dtype), b.ravel(), at_end=at_end)
            calls.add((element, "some", n), partial(kernels["some"], to, given, n), (to, wanted["some"]))
            (given,) = calls.copies(b.ravel(), at_end=at_end)
            calls.add((element, "in_place", n), partial(kernels["in_place"], given, n), (given, wanted["in_place"]))
            longer: Array = np.append(b.ravel(), [7]).astype(dtype)
            to, given = calls.copies(np.zeros(n, dtype), longer, at_end=at_end)
            picked = longer[np.arange(n)[:, None] * 6 + [1, 2, 3, 4, 6]].sum(1).astype(dtype)
            calls.add((element, "across", n), partial(kernels["across"], to, given, n), (to, picked))
    if not isinstance(kernels, InterpretedModule):
        calls.check()


def test_rows_lie_in_both_halves() -> None:
    """Of six members eighteen shuffles, and none that goes from half to half but those of stores."""
    options = Options(find_target("avx2-i32x8"), 3)
    made = compile_source(BODY["some"].format(T="float"), "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    body = made[made.index("all_on:") : made.index("!llvm.loop")]
    masks = re.findall(r"shufflevector <8 x float> %[\w.]+, <8 x float> %[\w.]+, <8 x i32> <(.*?)>", body)
    assert masks
    for mask in masks:
        places = [int(each.split()[1]) % 8 for each in mask.split(", ")]
        assert all((place >= 4) == (at >= 4) for at, place in enumerate(places))


@pytest.mark.parametrize("element", ["int16", "uint8"])
def test_words_of_two_members_are_aligned_as_members_are(element: str) -> None:
    options = Options(find_target("avx2-i32x8"), 3)
    made = compile_source(_source(element), "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    words = re.findall(r"(?:load|store) <\d+ x i(?:16|32)>.*?, align (\d+)", made)
    assert set(words) == {str(TYPES[element](0).itemsize)}
