"""What is computed twice is one value before accesses are looked at, so that neighbours are found."""

from __future__ import annotations

import re

import pytest

from voltac.driver import compile_source
from voltac.options import Options
from voltac.passes import run_with_reports
from voltac.target_info import find_target

TARGET = "avx512skx-x16"


def kinds(source: str, operation: str, block: str = "all_on") -> list[str]:
    """What the accesses of the all-on code became, in the order of the source, with how many share it."""
    options = Options(target=find_target(TARGET))
    text = compile_source(source, "k.ispc", options, end="early").results["early"]
    reports = [each for each in run_with_reports(text, options)[1] if each.operation == operation and block in each.block]
    return [f"{each.kind}: {each.reason}" for each in sorted(reports, key=lambda each: (each.line, each.column))]


ROWS = """
export void f(const uniform float image[], uniform float out[], uniform int w, uniform int h) {
    for (uniform int y = 0; y < h; y++)
        foreach (x = 0 ... w)
            out[y * w + x] = image[(y * w + x) * 3] + image[(y * w + x) * 3 + 1] + image[(y * w + x) * 3 + 2];
}
"""
LOADED_BASE = """
struct Image { float * data; int width; };
export void f(const uniform Image * uniform image, uniform float out[], uniform int y, uniform int n) {
    foreach (x = 0 ... n)
        out[x] = image->data[(y * image->width + x) * 3] + image->data[(y * image->width + x) * 3 + 1];
}
"""
CLAMPED = """
export void f(const uniform float image[], uniform float out[], uniform int y, uniform int w, uniform int n) {
    foreach (x = 0 ... n)
        out[x] = image[(max(y, 0) * w + x) * 2] + image[(max(y, 0) * w + x) * 2 + 1];
}
"""


@pytest.mark.parametrize(("source", "count"), [(ROWS, 3), (LOADED_BASE, 2), (CLAMPED, 2)])
def test_loads_whose_rows_are_computed_apart_are_served_together(source: str, count: int) -> None:
    loads = kinds(source, "load")
    assert len(loads) == count
    assert all(re.match(rf"shuffled: \d vector loads serve {count} ", load) for load in loads), loads


def test_stores_whose_rows_are_computed_apart_are_served_together() -> None:
    source = """
    export void f(uniform float image[], const uniform float x[], uniform int y, uniform int w, uniform int n) {
        foreach (i = 0 ... n) {
            image[(y * w + i) * 2] = x[i];
            image[(y * w + i) * 2 + 1] = -x[i];
        }
    }
    """
    assert kinds(source, "store") == ["shuffled: 2 vector stores serve 2 neighbouring accesses"] * 2


def test_stores_in_functions_that_were_inlined_are_served_together() -> None:
    source = """
    static inline void put(uniform int to[], int at, int value) { to[at] = value; }
    export void f(uniform int image[], const uniform int x[], uniform int n) {
        foreach (i = 0 ... n) {
            put(image, i * 2, x[i]);
            put(image, i * 2 + 1, x[i] * 3);
        }
    }
    """
    assert kinds(source, "store") == ["shuffled: 2 vector stores serve 2 neighbouring accesses"] * 2


def test_a_base_that_a_store_may_change_is_loaded_again() -> None:
    source = """
    struct Image { float * data; };
    export void f(uniform Image * uniform image, uniform float * uniform * uniform p, uniform float out[], uniform int n) {
        foreach (x = 0 ... n) {
            float first = image->data[x * 2];
            *p = out;
            out[x] = first + image->data[x * 2 + 1];
        }
    }
    """
    assert not any("serve 2" in load for load in kinds(source, "load"))


def test_what_one_branch_computes_is_not_used_in_the_other() -> None:
    """Neither comes before the other; LLVM's verifier refuses a value that does not dominate its use."""
    source = """
    export void f(const uniform float a[], uniform float out[], uniform int y, uniform int w, uniform int n) {
        foreach (x = 0 ... n)
            if (n > 7)
                out[x] = a[(y * w + x) * 2];
            else
                out[x] = a[(y * w + x) * 2 + 1];
    }
    """
    options = Options(target=find_target(TARGET))
    assert compile_source(source, "k.ispc", options, end="late").optimized.text()
