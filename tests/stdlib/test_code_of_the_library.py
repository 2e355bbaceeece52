"""The library's functions as an expert would write them: instructions that are in the code of a kernel, and that are not."""

from __future__ import annotations

import re
from functools import cache

import pytest

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

SSE4, AVX2, AVX512, ICL = "sse4-i32x4", "avx2-i32x8", "avx512skx-x16", "avx512icl-x16"
WIDE, WIDE_ICL = "avx512skx-x64", "avx512icl-x64"
MEMORY = r"mov\w*\s+\S+, -?\d*\(%[re]?sp"
"""A store into the stack: a detour through memory."""
JUMP = r"\bj[a-z]+\s"
BRANCHES = rf"({JUMP}[\s\S]*){{2}}"
"""More than the one of an ``if``."""

# name, T, statement for (x, y, n, a, r): values, a number, arrays; target -> instructions it has (all of them), and has not
ROWS: list[tuple[str, str, str, dict[str, tuple[str, str]]]] = [
    ("rotate", "int", "r[programIndex] = rotate(x, n);", {
        SSE4: ("pshufb", MEMORY), AVX2: (r"vperm(d|ps)", MEMORY), AVX512: (r"vperm(d|ps)", MEMORY)}),
    ("rotate_by_one", "int", "r[programIndex] = rotate(x, 1);", {
        SSE4: ("pshufd|palignr", MEMORY), AVX2: ("vpermd|vpermps|vpalignr", MEMORY), AVX512: ("valignd|vpermd", MEMORY)}),
    ("shift", "float", "r[programIndex] = shift(x, n);", {
        SSE4: ("pshufb", MEMORY), AVX2: (r"vperm(d|ps)", MEMORY), AVX512: (r"vperm(d|ps)", MEMORY)}),
    ("shuffle", "double", "r[programIndex] = shuffle(x, n - programIndex);", {
        SSE4: ("pshufb", MEMORY), AVX2: (r"vperm(d|ps)", MEMORY), AVX512: (r"vperm[it]2(q|pd)", MEMORY)}),
    ("shuffle_of_two", "int", "r[programIndex] = shuffle(x, y, 3 * programIndex + n);", {
        SSE4: ("pshufb", MEMORY), AVX2: (r"vperm(d|ps)", MEMORY), AVX512: (r"vperm[it]2(d|ps)", MEMORY)}),
    ("shuffle_of_short", "int16", "r[programIndex] = shuffle(x, n - programIndex);", {
        SSE4: ("pshufb", MEMORY), AVX2: ("vpshufb", MEMORY), AVX512: ("vpermw", MEMORY)}),
    ("shuffle_of_bytes", "int8", "r[programIndex] = shuffle(x, n - programIndex);", {
        SSE4: ("pshufb", MEMORY), AVX2: ("vpshufb", MEMORY),
        AVX512: ("vpshufb", MEMORY), ICL: ("vpermb|vpshufb", MEMORY)}),
    ("broadcast", "float", "r[programIndex] = broadcast(x, n);", {
        SSE4: ("pshufb", MEMORY), AVX2: (r"vperm(d|ps)", MEMORY), AVX512: (r"vperm(d|ps)", MEMORY)}),
    ("insert", "int64", "r[programIndex] = insert(x, n, a[0]);", {
        SSE4: ("pcmpeq", MEMORY), AVX2: ("vpcmpeqq", MEMORY), AVX512: ("vpcmpeqq", MEMORY)}),
    ("reduce_add", "float", "r[0] = reduce_add(x + y);", {
        SSE4: ("addps", "haddps"), AVX2: ("vextractf128", "vhadd"), AVX512: ("vextractf64x4", "vhadd")}),
    ("reduce_min", "int", "r[0] = reduce_min(x);", {
        SSE4: ("pminsd", JUMP), AVX2: ("vpminsd", JUMP), AVX512: ("vpminsd", JUMP)}),
    ("reduce_add_bytes", "uint8", "r[0] = reduce_add(x);", {SSE4: ("psadbw", JUMP), AVX2: ("vpsadbw", JUMP)}),
    ("any", "int", "r[0] = (uniform int)any(x > y);", {
        SSE4: ("movmsk|ptest", JUMP), AVX2: ("vmovmsk|vtestps|vptest", JUMP), AVX512: ("kortest|kmov", JUMP)}),
    ("popcnt_of_bools", "float", "r[0] = popcnt(x > y);", {
        SSE4: ("popcnt", JUMP), AVX2: ("popcnt", JUMP), AVX512: ("kmov[\\s\\S]*popcnt", JUMP)}),
    ("scan", "int", "r[programIndex] = exclusive_scan_add(x);", {
        SSE4: ("pslldq[\\s\\S]*pslldq", MEMORY), AVX2: ("vpaddd[\\s\\S]*vpaddd", MEMORY), AVX512: ("vpaddd", MEMORY)}),
    ("packed_store", "int", "if (x > y) n = packed_store_active(r, x);", {
        SSE4: ("pshufb", "pextr"), AVX2: ("vpermd", "vpextr|vmaskmov"), 
        AVX512: (r"vpcompressd.*%zmm\d+", r"vpcompressd.*\(")}),
    ("packed_store_of_doubles", "double", "if (x > y) n = packed_store_active(r, x);", {
        SSE4: ("pshufb[\\s\\S]*cmov", BRANCHES),
        AVX2: (r"vpermd[\s\S]*cmov[\s\S]*vpermd[\s\S]*cmov", BRANCHES)}),
    ("packed_store_of_registers", "int", "if (x > y) n = packed_store_active(r, x);", {
        WIDE: (r"(vpcompressd.*%zmm\d+[\s\S]*){4}", MEMORY), WIDE_ICL: (r"(vpcompressd.*%zmm\d+[\s\S]*){4}", MEMORY)}),
    ("packed_store_of_bytes", "int8", "if (x > y) n = packed_store_active(r, x);", {
        WIDE: (r"(vpcompressd.*%zmm\d+[\s\S]*){4}", MEMORY), WIDE_ICL: (r"vpcompressb.*%zmm\d+", MEMORY)}),
    ("packed_load_of_registers", "int", "if (x > y) n = packed_load_active(a, &y); r[programIndex] = y;", {
        WIDE: (r"(vpexpandd.*%zmm\d+[\s\S]*){4}", MEMORY), WIDE_ICL: (r"(vpexpandd.*%zmm\d+[\s\S]*){4}", MEMORY)}),
    ("packed_load_of_bytes", "int8", "if (x > y) n = packed_load_active(a, &y); r[programIndex] = y;", {
        WIDE: ("vpaddb|vpaddd", MEMORY), WIDE_ICL: (r"vpexpandb.*%zmm\d+", MEMORY)}),
    ("packed_load", "int", "if (x > y) n = packed_load_active(a, &y); r[programIndex] = y;", {
        AVX2: ("vpermd", "vpextr"), AVX512: ("vpexpandd", "vpextr")}),
    ("saturating_add", "int8", "r[programIndex] = saturating_add(x, y);", {SSE4: ("paddsb", JUMP), AVX2: ("vpaddsb", JUMP)}),
    ("saturating_sub", "uint16", "r[programIndex] = saturating_sub(x, y);", {
        SSE4: ("psubusw", JUMP), AVX2: ("vpsubusw", JUMP)}),
    ("average", "uint8", "r[programIndex] = avg_up(x, y);", {SSE4: ("pavgb", JUMP), AVX2: ("vpavgb", JUMP)}),
    ("leading_zeros", "uint", "r[programIndex] = count_leading_zeros(x);", {AVX512: ("vplzcntd", MEMORY)}),
    ("ones", "int", "r[programIndex] = popcnt(x);", {SSE4: ("pshufb", "popcnt"), ICL: ("vpopcntd", MEMORY)}),
    ("minimum", "float", "r[programIndex] = min(x, y);", {SSE4: ("minps", "cmp"), AVX2: ("vminps", "vcmp")}),
    ("clamped", "int", "r[programIndex] = clamp(x, 0, y);", {
        SSE4: ("pmaxsd[\\s\\S]*pminsd", "pcmp"), AVX2: ("vpmaxsd", "vpcmp")}),
    ("half", "float", "r[programIndex] = half_to_float((uint16)float_to_half(x));", {
        AVX2: ("vcvtps2ph[\\s\\S]*vcvtph2ps", "call"), AVX512: ("vcvtps2ph", "call")}),
    ("transposed", "float", "float p, q, s; aos_to_soa3(a, &p, &q, &s); r[programIndex] = p + q * s;", {
        SSE4: ("shufps|pshufd|blendps", MEMORY), AVX2: ("vblendps|vpermps", "vgather"), AVX512: ("vperm[it]2ps", "vgather")}),
    ("transposed_back", "float", "soa_to_aos4(x, y, x + y, x - y, r);", {
        SSE4: ("unpck[lh]p", MEMORY), AVX2: ("vunpck[lh]p", MEMORY), AVX512: ("vunpck[lh]p|vperm", "vscatter")}),
    ("streamed", "float", "streaming_store(r, x);", {
        SSE4: ("movntps", MEMORY), AVX2: ("vmovntps.*%ymm", MEMORY), AVX512: ("vmovntps.*%zmm", MEMORY)}),
    ("counted", "int", "atomic_add_local(&r[x], 1);", {
        AVX2: (r"incl|addl\s+\$1", "lock"), AVX512: (r"incl|addl\s+\$1", "lock")}),
    ("summed", "int", "atomic_add_global(r, x);", {SSE4: ("lock", JUMP), AVX2: ("lock", JUMP), AVX512: ("lock", JUMP)}),
    ("converted", "int", "r[programIndex] = (int)(uint8)x;", {SSE4: ("pand|andps", MEMORY), AVX2: ("vpand|vandps", MEMORY)}),
]  # fmt: skip


def _source(target: str) -> str:
    return "".join(
        f"export void {name}(uniform {type} a[], uniform {type} b[], uniform {type} r[], uniform int n) {{\n"
        f"    {type} x = a[programIndex], y = b[programIndex];\n    {statement}\n}}\n"
        for name, type, statement, targets in ROWS
        if target in targets
    )


@cache
def _functions(target: str) -> dict[str, str]:
    """Name -> its instructions."""
    options = Options(target=find_target(target), level=2, whole_program=True)
    text = compile_source(_source(target), "f.ispc", options, Diagnostics()).optimized.assembly()
    found = re.findall(r"^(\w+):\n(.*?)^\.Lfunc_end", text, re.MULTILINE | re.DOTALL)
    return {name: re.sub(r"^(?!\t[a-z]).*\n?", "", body, flags=re.MULTILINE) for name, body in found}


@pytest.mark.parametrize("target", [SSE4, AVX2, AVX512, ICL, WIDE, WIDE_ICL])
def test_instructions(target: str) -> None:
    wrong = []
    for name, _, _, targets in ROWS:
        if target in targets:
            has, has_not = targets[target]
            code = _functions(target)[name]
            if not re.search(has, code):
                wrong.append(f"{name} lacks {has}:\n{code}")
            if found := re.search(has_not, code):
                wrong.append(f"{name} has {found[0]!r}:\n{code}")
    assert not wrong, "\n".join(wrong)
