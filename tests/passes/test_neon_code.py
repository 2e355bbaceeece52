"""Code for NEON: the loops of whole gangs are vector code, with the instructions that the ISA has for it."""

import re

import pytest

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = """
struct P { float x, y, z; };
export void increment(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; }
export void halved(uniform float a[], uniform float b[], uniform int n) { foreach (i = 0 ... n) a[i] = b[i / 2]; }
export void pairs(uniform float a[], uniform float b[], uniform int n) { foreach (i = 0 ... n) a[i] = b[2 * i] * b[2 * i + 1]; }
export void chosen(uniform float a[], uniform float b[], uniform int n) {
    foreach (i = 0 ... n) { float x = a[i]; float y = b[i]; a[i] = x > 0 ? x * 2 : y; }
}
export void wide(uniform float16 a[], uniform float b[], uniform int n) { foreach (i = 0 ... n) b[i] = a[i]; }
export void sums(uniform uint8 a[], uniform uint8 b[], uniform int n) {
    foreach (i = 0 ... n) a[i] = saturating_add(a[i], b[i]);
}
export void counts(uniform uint8 a[], uniform int n) { foreach (i = 0 ... n) a[i] = popcnt((int32)a[i]); }
export void rounded(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = round(a[i]) + floor(a[i]); }
export void turned(uniform float a[], uniform int lanes[], uniform int n) {
    foreach (i = 0 ... n) a[i] = shuffle(a[i], lanes[i]);
}
export void quick(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = rcp_fast(a[i]); }
export uniform int any_negative(uniform float a[]) { float x = a[programIndex]; return any(x < 0) ? 1 : 0; }
"""
SCALAR = re.compile(r"\b(ldr|str)\ts\d|\bfadd\ts|\bfmul\ts|\bmov\tv\d+\.s\[|\bld1\t\{")


@pytest.fixture(scope="module", params=["neon-i32x4", "neon-i32x8"])
def loops(request: pytest.FixtureRequest) -> dict[str, str]:
    """The innermost loops over whole gangs, or the whole function without one."""
    options = Options(target=find_target(request.param), level=2, whole_program=True)
    assembly = compile_source(SOURCE, "kernels.ispc", options).optimized.assembly()
    found = {}
    for name, body in re.findall(r"^(\w+):\n(.*?)^\.Lfunc_end", assembly, re.MULTILINE | re.DOTALL):
        loop = re.search(r"^(\.LBB\d+_\d+):(?:(?!^\.LBB)[\s\S])*?\tb\.\w+\t\1\n", body, re.MULTILINE)
        found[name] = loop[0] if loop else body
    return found


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("increment", "fadd\tv"),
        ("halved", "zip1\tv|st2\t"),
        ("pairs", "uzp[12]\tv|ld2\t"),
        ("chosen", "b(if|it|sl)\tv"),
        ("wide", "fcvtl"),
        ("sums", "uqadd\tv"),
        ("counts", r"cnt\tv"),
        ("rounded", "frintn\tv"),
        ("turned", r"tbl\tv"),
        ("quick", "frecps\tv"),
        ("any_negative", "umaxv|addv|umaxp"),
    ],
)
def test_loops_use_the_instructions_of_the_isa(loops: dict[str, str], name: str, wanted: str) -> None:
    assert re.search(wanted, loops[name]), loops[name]
    assert not SCALAR.search(loops[name]), loops[name]
