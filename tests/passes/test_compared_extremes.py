"""The least or greatest that a comparison chooses is found by min and max, several gangs side by side; numpy's results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels import compile_kernels, compile_with_text
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
TYPES: dict[str, Any] = {
    "int8": np.int8, "unsigned int8": np.uint8, "int16": np.int16, "unsigned int16": np.uint16,
    "int": np.int32, "unsigned int": np.uint32,
}  # fmt: skip
FORMS = {
    "if": "if (p[i] < low) low = p[i]; if (p[i] > high) high = p[i];",
    "if, turned": "if (low >= p[i]) low = p[i]; if (high <= p[i]) high = p[i];",
    "selection": "low = p[i] < low ? p[i] : low; high = p[i] > high ? p[i] : high;",
    "other arm": "low = low <= p[i] ? low : p[i]; high = high >= p[i] ? high : p[i];",
    "in 64 bits": "low = (int64)low < (int64)p[i] ? low : p[i]; high = (int64)high > (int64)p[i] ? high : p[i];",
    "value": "{T} v = p[i]; if (v < low) low = v; if (!(v <= high)) high = v;",
}
FOUND = [(form, name) for form in FORMS for name in TYPES]


def source(body: str, name: str) -> str:
    return (
        f"export void f(uniform {name} p[], uniform {name} q[], uniform int n) {{ {name} low = p[0], high = p[0];"
        f" foreach (i = 0 ... n) {{ {body.replace('{T}', name)} }} q[0] = reduce_min(low); q[1] = reduce_max(high); }}"
    )


def passes_of(text: str, target: str) -> str:
    made = compile_source(text, "f.ispc", Options(find_target(target), whole_program=True), end="passes")
    return str(made.results["passes"])


def numbers(name: str, n: int) -> np.ndarray:
    limits = np.iinfo(TYPES[name])
    return np.random.default_rng(n).integers(limits.min, limits.max, n, TYPES[name], endpoint=True)


@pytest.mark.parametrize(("found", "target"), some_pairs(FOUND, TARGETS, 1))
def test_every_form_is_found(found: tuple[str, str], target: str) -> None:
    form, name = found
    text = source(FORMS[form], name)
    kernels, passed = compile_with_text(text, target)
    assert ".wide_body:" in passed
    for n in (1, 7, 8, 31, 33, 64, 129, 300):
        p, q = numbers(name, n), np.zeros(2, TYPES[name])
        kernels.f(p, q, n)
        assert q.tolist() == [p.min(), p.max()], n


def test_the_ir_means_the_same() -> None:
    text = source(FORMS["if"], "unsigned int8")
    p, q = numbers("unsigned int8", 200), np.zeros(2, np.uint8)
    IRInterpreter(read(passes_of(text, "avx2-i32x8"))).call("f", [p, q, 200])
    assert q.tolist() == [p.min(), p.max()]


def test_distances_that_are_computed_twice() -> None:
    body = "if (abs((int)p[i] - (int)q[i]) > most) most = abs((int)p[i] - (int)q[i]);"
    text = (
        "export uniform int f(uniform int16 p[], uniform int16 q[], uniform int n) { int most = 0;"
        f" foreach (i = 0 ... n) {{ {body} }} return reduce_max(most); }}"
    )
    assert ".wide_body:" in passes_of(text, "avx2-i32x8")
    kernel = compile_kernels(text, target="avx2-i32x8").f
    for n in (0, 5, 33, 150):
        p, q = numbers("int16", n), numbers("int16", n)[::-1].copy()
        assert kernel(p, q, n) == np.abs(p.astype(int) - q.astype(int)).max(initial=0)


STAY = {
    "written between": "if (p[i] < low) { q[i] = 0; low = p[i]; }",
    "another element": "if (p[i] < low) low = p[i + 1];",
    "of other signs": "if ((int)(unsigned int8)p[i] < low) low = p[i];",
    "other lanes": "{T} v = p[i]; if (v < low) { } else low = v == 3 ? low : v;",
}


@pytest.mark.parametrize("form", STAY)
def test_what_is_no_extreme_stays(form: str) -> None:
    text = source(STAY[form], "int8")
    assert "@llvm.smin.v8i8" not in passes_of(text, "avx2-i32x8").partition("reduce")[0]
    kernel = compile_kernels(text, target="avx2-i32x8").f
    n, width = 100, 8
    p, q = numbers("int8", n + 1), np.zeros(n + 1, np.int8)
    given, low = p.astype(int), np.full(width, int(p[0]))
    for i in range(n):
        lane, value = i % width, given[i]
        if form == "other lanes":
            if value >= low[lane] and value != 3:
                low[lane] = value
        elif (value % 256 if form == "of other signs" else value) < low[lane]:
            low[lane] = given[i + 1] if form == "another element" else value
    kernel(p, q, n)
    assert q[0] == low.min()


def test_where_the_least_is_is_asked_by_the_comparison() -> None:
    text = (
        "export uniform int f(uniform int p[], uniform int n) { int low = p[0], at = 0;"
        " foreach (i = 0 ... n) { if (p[i] < low) { low = p[i]; at = i; } } uniform int least = reduce_min(low);"
        " return reduce_min(low == least ? at : n); }"
    )
    assert "@llvm.smin.v8i32" not in passes_of(text, "avx2-i32x8").partition("reduce")[0]
    p = numbers("int", 100)
    assert compile_kernels(text, target="avx2-i32x8").f(p, 100) == p.argmin()
