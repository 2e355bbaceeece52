"""Code for SVE: masked accesses and gathers are its instructions, in vectors of the length that the target's name says."""

from __future__ import annotations

import re

import pytest

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = """
export void increment(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; }
export void some(uniform float a[], uniform float b[], uniform int n) {
    foreach (i = 0 ... n) if (a[i] > 0) b[i] = sqrt(a[i]);
}
export void table(uniform float a[], uniform float b[], uniform int n) {
    foreach (i = 0 ... n) b[i] = a[i * i & 255];
}
export void spread(uniform float a[], uniform int at[], uniform float b[], uniform int n) {
    foreach (i = 0 ... n) b[at[i]] = a[i];
}
"""
WIDE = {"sve256-i32x8": "vl8", "sve512-i32x16": "vl16"}


def functions(target: str) -> dict[str, str]:
    options = Options(target=find_target(target), level=2, whole_program=True)
    assembly = compile_source(SOURCE, "kernels.ispc", options).optimized.assembly()
    return dict(re.findall(r"^(\w+):\s.*?\n(.*?)^\.Lfunc_end", assembly, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module", params=WIDE)
def wide(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    """How many lanes a vector has, as its predicates say it, and the functions."""
    return WIDE[request.param], functions(request.param)


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("increment", r"ld1w\t\{ z\d+\.s \}, p\d/z, \[x"),
        ("increment", r"fadd\tz\d+\.s, p\d/m"),
        ("some", r"fcmgt\tp\d\.s"),
        ("some", r"st1w\t\{ z\d+\.s \}, p\d, \[x"),
        ("some", r"fsqrt\tz\d+\.s"),
        ("table", r"ld1w\t\{ z\d+\.s \}, p\d/z, \[x\d+, z\d+\.s, [su]xtw #2\]"),
        ("spread", r"st1w\t\{ z\d+\.s \}, p\d, \[x\d+, z\d+\.s, sxtw #2\]"),
    ],
)
def test_accesses_are_instructions_of_whole_vectors(wide: tuple[str, dict[str, str]], name: str, wanted: str) -> None:
    lanes, found = wide
    assert re.search(wanted, found[name]), found[name]
    assert re.search(rf"ptrue\tp\d\.s, {lanes}\b", found[name]), "the vectors of the CPU may be longer than the gang"
    # One lane after the other would be these; stores of all lanes are cheaper so.
    assert name == "spread" or not re.search(r"\b(ldr|str)\ts\d|\bld1\t\{ v", found[name]), found[name]


def test_any_length_has_masked_accesses() -> None:
    """128 bits are the least: whole gangs are code of NEON."""
    found = functions("sve-i32x4")
    assert re.search(r"st1w\t\{ z\d+\.s \}, p\d, \[x", found["some"]), found["some"]
    assert re.search(r"fadd\tv\d+\.4s", found["increment"]), found["increment"]
