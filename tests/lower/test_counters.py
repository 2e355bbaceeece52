"""Loops that all lanes run equally often have uniform counters, searches that lanes leave one by one have varying ones."""

import pytest
from lowering import AVX2, function_body, text_after

from voltac.driver import compile_source
from voltac.lower.analyses.uniform_counters import with_uniform_counters
from voltac.lower.analyses.varying_counters import with_varying_counters
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.tree_walk import nodes


def lowered(body: str) -> str:
    return function_body(text_after("lower", f"export void f(uniform int a[], uniform int n) {{ {body} }}"), "f")


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = 0; k < n; k++) s += a[k * n + programIndex];",
        "for (int k = n; k > 3; k -= 2) s += k;",
        "for (uint k = 1; k != 9; ++k) if (a[programIndex] > 3) s += k;",
        "for (int j = 0; j < n; j++) for (int k = 0; k <= j; k++) s += k;",
    ],
)
def test_what_all_lanes_run_equally_often_asks_no_lane(loop: str) -> None:
    text = lowered(f"int s = 0; {loop} a[programIndex] = s;")
    assert "live" not in text and "icmp ne i8" not in text


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = programIndex; k < n + s; k++) s += k;",
        "for (int k = 0; k < programIndex; k++) s += k;",
        "for (int k = 0; k < n; k += 1 + s) s += k;",
        "for (int k = 0; k < n; k++) { s += k; if (s > 9) k++; }",
        "for (int k = 0; k < n; k++) { s += k; if (s > 9) break; }",
        "for (int k = 0; k < n; k++) { s += k; if (s > 9) return; }",
        "for (int k = 0; k < n; k++) { if (s > 9) s += shift(k, 1); s++; }",
        "for (int k = 0; k < n; k++) { varying int * uniform p = &k; s += *p; }",
    ],
)
def test_others_stay_as_they_are(loop: str) -> None:
    assert "icmp ne i8" in lowered(f"int s = a[programIndex]; {loop} a[programIndex] = s;")


def test_an_array_of_each_lane_is_in_registers() -> None:
    text = lowered(
        "int v[4]; for (int k = 0; k < 4; k++) v[k] = a[4 * programIndex + k]; int s = 0; "
        "for (int k = 3; k >= 0; k--) s = 2 * s + v[k]; a[programIndex] = s;"
    )
    assert text.count("@volta.gather") == 4 and text.count("@volta.scatter") == 1


@pytest.mark.parametrize(
    ("body", "varying"),
    [
        ("if (a[16 * programIndex + k] == 3) { s = k; break; }", True),
        ("if (a[16 * programIndex + k] == n) break; s++;", True),
        ("if (a[k] == s) break; s++;", False),
        ("if (k == n) s = 0; if (s > 3) break; s += k;", False),
        ("s += a[16 * programIndex + k];", False),
    ],
)
def test_a_search_in_rows_counts_in_each_lane(body: str, varying: bool) -> None:
    source = f"export void f(uniform int a[], uniform int n) {{ int s = 0; for (uniform int k = 0; k < n; k++) {{ {body} }} }}"
    module = compile_source(source, "f.ispc", Options(AVX2), Diagnostics(), end="check").results["check"]
    (function,) = [each for each in module.functions if each.name == "f"]
    result = with_varying_counters(function, with_uniform_counters(function, function.body))
    (loop,) = [each for each in nodes(result) if isinstance(each, tree.Loop)]
    assert loop.test is not None
    assert (loop.test.type.is_varying, result is not function.body) == (varying, varying)
