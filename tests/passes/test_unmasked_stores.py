"""A store of all lanes whose value is partly what was there stays one: AVX's masked stores are slow."""

from __future__ import annotations

import re

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.options import Options
from voltac.passes.masks.unmasked_stores import keep_stores_unmasked
from voltac.target_info import find_target

LEAST = "a[programIndex] = min(a[programIndex], b[programIndex]);"
CHOSEN = "if (b[programIndex] > 0) a[programIndex] = b[programIndex] * 2; else a[programIndex] = a[programIndex];"


def source(type_name: str, body: str) -> str:
    return f"export void f(uniform {type_name} a[], uniform {type_name} b[]) {{ {body} }}"


@pytest.mark.parametrize("target", ["avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4"])
@pytest.mark.parametrize("type_name", ["float", "double", "int", "int64"])
@pytest.mark.parametrize("body", [LEAST, CHOSEN], ids=["least", "chosen"])
def test_no_masked_store_is_made_of_a_whole_one(body: str, type_name: str, target: str) -> None:
    made = compile_source(source(type_name, body), "f.ispc", Options(find_target(target), whole_program=True))
    assert not re.search(r"v(p)?maskmov\w+\s+%ymm\d+, %ymm\d+, \(", made.optimized.assembly())


@pytest.mark.parametrize("type_name", ["float", "int64"])
def test_the_result_is_numpys(type_name: str) -> None:
    target = "avx2-i32x8"
    dtype = {"float": np.float32, "int64": np.int64}[type_name]
    a, b = (np.random.default_rng(seed).integers(-9, 9, 8).astype(dtype) for seed in (1, 2))
    least, chosen = a.copy(), a.copy()
    compile_kernels(source(type_name, LEAST), target=target).f(least, b)
    compile_kernels(source(type_name, CHOSEN), target=target).f(chosen, b)
    assert np.array_equal(least, np.minimum(a, b))
    assert np.array_equal(chosen, np.where(b > 0, b * 2, a))


def test_text_without_such_a_store_is_left_alone() -> None:
    text = (
        "define void @f(ptr %p, ptr %q, <8 x i1> %m) {\n"
        "  %old = load <8 x float>, ptr %q, align 4\n"
        "  %new = select <8 x i1> %m, <8 x float> zeroinitializer, <8 x float> %old\n"
        "  store <8 x float> %new, ptr %p, align 4\n"
        "  ret void\n}\n"
    )
    avx2, avx512 = (Options(find_target(name)) for name in ("avx2-i32x8", "avx512skx-x16"))
    assert keep_stores_unmasked(text, avx2) == text
    same = text.replace("ptr %p, align", "ptr %q, align")
    assert "fence" in keep_stores_unmasked(same, avx2)
    assert keep_stores_unmasked(same, avx512) == same


def test_a_module_that_has_the_fence_for_another_pass_compiles() -> None:
    """Sums of neighbours need the same fence."""
    pairs = "export void g(uniform float a[], uniform float b[]) { foreach (i = 0 ... 8) a[i] = b[2 * i] + b[2 * i + 1]; }"
    module = compile_kernels(source("float", LEAST) + pairs, target="avx2-i32x8")
    sums, b = np.zeros(8, np.float32), np.arange(16, dtype=np.float32)
    module.g(sums, b)
    assert np.array_equal(sums, b[::2] + b[1::2])
