"""Performance warnings: given where a gather or scatter is in the code, and nowhere else; they name what makes it one."""

import re
import time

import pytest

from voltac.driver import compile_source
from voltac.messages.message import Diagnostic
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16")
HEAD = "export void k(uniform float a[], uniform float b[], uniform int t[], uniform int n, uniform float x) {\n"
STRUCTS = "struct P { float x, y, z, w[61]; };\n"
FUNCTIONS = "noinline int pick(int k) { return k * k % 77; }\n"


def compiled(source: str, target: str, level: int = 2) -> tuple[list[Diagnostic], str]:
    """The diagnostics about accesses, and the assembly."""
    job = compile_source(source, "k.ispc", Options(target=find_target(target), level=level))
    return [item for item in job.diagnostics.items if item.code != "uniform"], job.optimized.assembly()


def kernel(body: str) -> str:
    return STRUCTS + FUNCTIONS + HEAD + body + "\n}\n"


IRREGULAR = {
    # body -> the expression that is named, and a word of the reason
    "foreach (i = 0 ... n) b[i] = a[t[i]];": ("t[i]", "loaded from memory"),
    "foreach (i = 0 ... n) a[t[i]] = b[i];": ("t[i]", "loaded from memory"),
    "foreach (i = 0 ... n) { int j = t[i] + 1; b[i] = a[j]; }": ("j", "loaded from memory"),
    "foreach (i = 0 ... n) { int j = t[i]; int m = 2 * j; b[i] = a[m + i]; }": ("m", "loaded from memory"),
    "foreach (i = 0 ... n) b[i] = a[i + pick(i)];": ("pick(i)", "result of 'pick'"),
    "foreach (i = 0 ... n) b[i] = a[i * i];": ("i * i", "product of two varying"),
    "foreach (i = 0 ... n) b[i] = a[i * n];": ("i * n", "run time only"),
    "foreach (i = 0 ... n) b[i] = a[i % n];": ("i % n", "run time only"),
    "foreach (i = 0 ... n) b[i] = a[(5 * i) & 63];": ("(5 * i) & 63", "grow evenly"),
    "foreach (i = 0 ... n) b[i] = a[7 * i % 50];": ("7 * i % 50", "grow evenly"),
    "foreach (i = 0 ... n) b[i] = a[(int)(i * 0.7f)];": ("i * 0.7f", "floating-point"),
    "foreach (i = 0 ... n) b[i] = a[b[i] > 0 ? i : n - i];": ("b[i] > 0 ? i : n - i", "chosen lane by lane"),
    "int j = programIndex; while (j < n) { j += t[j]; } b[programIndex] = a[j];": ("j", "loaded from memory"),
    "int j = programIndex; if (x > a[j]) j = 2 * j + n; b[programIndex] = a[j];": ("j", "only some lanes take"),
    "foreach (i = 0 ... n) { uniform float * p = &a[t[i]]; b[i] = *p; }": ("p", "loaded from memory"),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", list(IRREGULAR))
def test_an_irregular_access_is_warned_of_and_its_cause_named(body: str, target: str) -> None:
    expression, reason = IRREGULAR[body]
    source = kernel(body)
    items, assembly = compiled(source, target)
    slow = [item for item in items if item.text.startswith("this load needs") or item.text.startswith("this store needs")]
    assert slow, [item.text for item in items]
    named = [item for item in slow if f"'{expression}' of its address" in item.text]
    assert named, [item.text for item in slow]
    assert reason in named[0].text
    line = source.split("\n")[named[0].span.line - 1]
    assert line[named[0].span.column - 1] in "ab*"
    assert named[0].notes
    if target.startswith("avx512"):
        assert re.search(r"v(p?gather|p?scatter)", assembly)


REGULAR = [
    "foreach (i = 0 ... n) b[i] = a[i] + a[i + 1] + a[n - 1] + a[3];",
    "foreach (i = 0 ... n) b[i] += x;",
    "for (int i = programIndex; i < n; i += programCount) b[i] = a[i];",
    "b[programIndex] = a[programIndex + n];",
    "for (uniform int i = 0; i < n; i++) { float v = a[i]; b[programIndex] = v; }",
    "foreach (i = 0 ... n) { int j = i + 3; b[j] = a[j - 1]; }",
    "foreach (y = 0 ... n, i = 0 ... n) b[y * n + i] = a[y * n + i];",
    "foreach (i = 0 ... n) if (a[i] > 0) b[i] = a[i + 1];",
    "foreach (i = 0 ... n) { float v = a[t[3]]; b[i] = v; }",
    "int j = n; b[programIndex] = a[j];",
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", REGULAR)
def test_a_regular_access_is_neither_a_gather_nor_warned_of(body: str, target: str) -> None:
    items, assembly = compiled(kernel(body), target)
    assert [item.text for item in items] == []
    assert not re.search(r"v(p?gather|p?scatter)", assembly)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "body",
    [
        "foreach (i = 0 ... n) { unsigned int u = i; b[i] = a[u + n]; }",
        "for (uniform unsigned int m = 0; m < (unsigned int)n; ++m) foreach (i = 0 ... n) a[m * n + i] = b[m + i];",
        "unsigned int8 u = programIndex; b[programIndex] = a[(unsigned int8)(u + n)];",
    ],
)
def test_what_happens_where_an_index_wraps_around_is_no_reason_to_warn(body: str, target: str) -> None:
    items, _ = compiled(kernel(body), target)
    assert [item.text for item in items if item.code == "perf"] == []


@pytest.mark.parametrize("target", TARGETS)
def test_what_became_plain_loads_says_how_many(target: str) -> None:
    items, _ = compiled(kernel("foreach (i = 0 ... n) b[i] = a[2 * i];"), target)
    (item,) = items
    assert re.match(r"this gather became plain loads and shuffles: \d+ vector loads", item.text)


def test_a_fixed_distance_is_named_in_bytes() -> None:
    source = STRUCTS + "export void k(uniform P p[], uniform float b[]) { foreach (i = 0 ... 100) b[i] = p[i].z; }\n"
    texts = [item.text for item in compiled(source, "avx2-i32x8")[0]]
    assert len(texts) == 1
    assert "256 bytes apart" in texts[0]
    assert "soa<8>" in texts[0]


def test_whole_structs_are_explained_too() -> None:
    body = "foreach (i = 0 ... 9) { P v = p[t[i]]; q[i] = v; }"
    source = STRUCTS + "export void k(uniform P p[], uniform P q[], uniform int t[]) { " + body + " }\n"
    texts = [item.text for item in compiled(source, "avx2-i32x8")[0]]
    assert any("'t[i]' of its address is loaded from memory" in text for text in texts), texts
    assert any("256 bytes apart" in text for text in texts), texts


def test_a_parameter_of_a_function_is_named() -> None:
    source = (
        "noinline float get(uniform float a[], int at) { return a[at]; }\n"
        "export void k(uniform float a[], uniform float b[]) { foreach (i = 0 ... 100) b[i] = get(a, i); }\n"
    )
    (item,) = compiled(source, "avx2-i32x8")[0]
    assert "'at' of its address is a parameter" in item.text


@pytest.mark.parametrize("target", TARGETS)
def test_lanes_that_store_to_one_address_are_warned_of(target: str) -> None:
    items, _ = compiled(kernel("int j = n; b[j] = a[programIndex];"), target)
    assert [(item.kind, item.code) for item in items] == [("Warning", "lane-conflict")]
    assert "undefined" in items[0].text


@pytest.mark.parametrize(
    "body",
    [
        "foreach (y = 0 ... n, i = 0 ... n) b[y] = y * 2;",
        "int j = n; b[j] = x;",
        "int j = n; if (a[programIndex] > 1) b[j] = a[programIndex];",
    ],
)
def test_one_value_or_perhaps_one_lane_is_no_conflict(body: str) -> None:
    assert [item.text for item in compiled(kernel(body), "avx2-i32x8")[0]] == []


def test_without_optimisation_accesses_are_not_warned_of() -> None:
    assert compiled(kernel("foreach (i = 0 ... n) b[i] = a[t[i]];"), "avx2-i32x8", level=0)[0] == []


def test_a_pragma_silences_performance_warnings_of_a_line() -> None:
    body = "foreach (i = 0 ... n) {\n#pragma ignore warning(perf)\n    b[i] = a[t[i]];\n}"
    assert compiled(kernel(body), "avx2-i32x8")[0] == []


def test_variables_that_get_their_values_from_each_other_take_no_time_to_look_through() -> None:
    names = ("k", "m", "p", "q")
    steps = "\n".join(f"{names[at % 4]} = ({names[at * 3 % 4]} + {names[at // 4 % 4]}) ^ {names[at % 3]};" for at in range(200))
    text = kernel(f"foreach (i = 0 ... n) {{ int k = t[i], m = 2 * i, p = i, q = 1;\n{steps}\nb[i] = a[k & 15] + a[q]; }}")
    start = time.process_time()
    compile_source(text, "k.ispc", Options(target=find_target("avx2-i32x8")), end="passes")
    assert time.process_time() - start < 15


@pytest.mark.parametrize("body", list(IRREGULAR))
def test_a_gang_of_one_has_no_slow_accesses(body: str) -> None:
    job = compile_source(kernel(body), "k.ispc", Options(target=find_target("generic-i32x1")))
    assert [item.text for item in job.diagnostics.items if item.code != "uniform"] == []
    assert {report.kind for report in job.access_reports} <= {"vector", "masked", "broadcast"}
