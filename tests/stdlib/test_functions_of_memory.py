"""Copies, fills, prefetches, streaming accesses and fences in every form; appendix A 219, 221, 226, 234."""

from __future__ import annotations

import os
import time

import numpy as np
from gangs import NUMBERS, compiled, every_target, lanes_on, masks, under_masks, usable, values, varying

COPIES = "".join(
    f"""
export void copy{bits}(uniform int8 d[], uniform int8 s[], uniform {n} n) {{ memcpy{bits}(d, s, n); }}
export void move{bits}(uniform int8 d[], uniform {n} to, uniform {n} from, uniform {n} n) {{
    memmove{bits}(&d[to], &d[from], n);
}}
export void set{bits}(uniform int8 d[], uniform int8 v, uniform {n} n) {{ memset{bits}(d, v, n); }}
export void copy_lanes{bits}(uniform int8 d[], uniform int8 s[], uniform int32 sizes[], uniform int64 lanes) {{
    {n} n = sizes[programIndex];
    int8 * varying to = d + 32 * programIndex;
    int8 * varying from = s + 32 * programIndex;
    {under_masks(f"memcpy{bits}(to, from, n);")}
}}
export void move_lanes{bits}(uniform int8 d[], uniform int32 sizes[], uniform int64 lanes) {{
    {n} n = sizes[programIndex];
    int8 * varying p = d + 32 * programIndex;
    {under_masks(f"memmove{bits}(p + 3, p, n);")}
}}
export void set_lanes{bits}(uniform int8 d[], uniform int32 sizes[], uniform int64 lanes) {{
    {n} n = sizes[programIndex];
    int8 v = (int8)(programIndex + 40);
    int8 * varying p = d + 32 * programIndex;
    {under_masks(f"memset{bits}(p, v, n);")}
}}
"""
    for bits, n in (("", "int32"), ("64", "int64"))
)


@every_target
def test_blocks_are_copied_moved_and_filled(target: str) -> None:
    width = usable(target).width
    kernels = compiled(COPIES, target)
    source = values("int8", 32 * width, 1)
    source = np.resize(source, 32 * width)
    for bits in ("", "64"):
        for n in (0, 1, 7, 32 * width):
            d = np.zeros(32 * width, np.int8)
            kernels[f"copy{bits}"](d, source, n)
            assert (d[:n] == source[:n]).all() and not d[n:].any()
            kernels[f"set{bits}"](d, -3, n)
            assert (d[:n] == -3).all() and not d[n:].any()
        for to, start, n in ((0, 5, 20), (5, 0, 20), (3, 3, 9), (8, 2, 0)):
            d = source.copy()
            expected = d.copy()
            expected[to : to + n] = source[start : start + n]
            kernels[f"move{bits}"](d, to, start, n)
            assert (d == expected).all()
        sizes = ((np.arange(width) * 7) % 29).astype(np.int32)
        for mask in masks(width):
            on = lanes_on(mask, width)
            within = np.arange(32)[None, :] < (sizes * on)[:, None]
            d = np.zeros(32 * width, np.int8)
            kernels[f"copy_lanes{bits}"](d, source, sizes, mask)
            assert (d.reshape(width, 32) == np.where(within, source.reshape(width, 32), 0)).all()
            kernels[f"set_lanes{bits}"](d, sizes, mask)
            assert (d.reshape(width, 32) == np.where(within, (np.arange(width) + 40)[:, None], 0)).all()
            d = source.copy()
            kernels[f"move_lanes{bits}"](d, sizes, mask)
            moved = source.reshape(width, 32).copy()
            for lane in np.flatnonzero(on):
                size = sizes[lane]
                moved[lane, 3 : 3 + size] = source.reshape(width, 32)[lane, :size]
            assert (d.reshape(width, 32) == moved).all()


def _streaming(type: str) -> str:
    return f"""
export void load_{type}(uniform {type} a[], uniform {type} r[], uniform int64 lanes) {{
    {under_masks("r[programIndex] = streaming_load(a);")}
}}
export void load_one_{type}(uniform {type} a[], uniform {type} r[]) {{ r[0] = streaming_load_uniform(a); }}
export void store_{type}(uniform {type} a[], uniform {type} r[], uniform int64 lanes) {{
    {varying(type, "x", "a")} {under_masks("streaming_store(r, x);")}
}}
export void store_one_{type}(uniform {type} a[], uniform {type} r[]) {{ streaming_store(r, a[1]); }}
"""


@every_target
def test_streaming_accesses_ignore_the_mask(target: str) -> None:
    width = usable(target).width
    kernels = compiled("".join(map(_streaming, NUMBERS)), target)
    for type in NUMBERS:
        a = values(type, 2 * width + 32, 2)[-width:]
        blank = np.zeros(width, a.dtype)
        for mask in masks(width):
            on = lanes_on(mask, width)
            r = blank.copy()
            kernels[f"load_{type}"](a, r, mask)
            assert (r == np.where(on, a, 0)).all()
            r = blank.copy()
            kernels[f"store_{type}"](a, r, mask)
            assert (r == a).all(), "all lanes are stored"
        r = blank.copy()
        kernels[f"load_one_{type}"](a, r)
        assert r[0] == a[0] and not r[1:].any()
        r = blank.copy()
        kernels[f"store_one_{type}"](a, r)
        assert r[0] == a[1] and not r[1:].any()


PREFETCHES = "".join(
    f"    {name}(p); {name}(p + 3, 4); {under_masks(f'{name}(q); {name}(q, 8);')}\n"
    for name in (
        *("prefetch_l1", "prefetch_l2", "prefetch_l3", "prefetch_nt"),
        *("prefetchw_l1", "prefetchw_l2", "prefetchw_l3"),
    )
)


@every_target
def test_prefetches_fences_and_hints_have_no_effect(target: str) -> None:
    width = usable(target).width
    kernels = compiled(
        "export void f(uniform int a[], uniform int64 lanes) {\n    uniform int * uniform p = a;\n"
        f"    uniform int * varying q = a + programIndex;\n{PREFETCHES}"
        "    memory_barrier(); fastmath(); assume(lanes != 12345); }\n"
        "export uniform int64 now() { return clock(); }\nexport uniform int cores() { return num_cores(); }\n"
        "export void stray() { uniform int * uniform none = NULL; prefetch_l1(none); }\n",
        target,
    )
    a = np.arange(width, dtype=np.int32)
    kernels.f(a, -1)
    kernels.f(a, 1)
    kernels.stray()
    assert (a == np.arange(width)).all()
    before = kernels.now()
    time.sleep(0.001)
    assert kernels.now() > before
    assert kernels.cores() == os.sysconf("SC_NPROCESSORS_ONLN")


def test_a_prefetch_is_an_instruction_of_its_level() -> None:
    levels = {"l1": "prefetcht0", "l2": "prefetcht1", "l3": "prefetcht2", "nt": "prefetchnta"}
    for suffix, instruction in levels.items():
        kernels = compiled(f"export void f(uniform int a[]) {{ prefetch_{suffix}(a); }}\n", "avx2-i32x8")
        assert instruction in kernels.assembly("f")
