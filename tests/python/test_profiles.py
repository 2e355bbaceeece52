"""``k.f.profile(...)``: how often each statement ran with how many lanes on, judged by the interpreter's trace."""

import ctypes
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from executed_lanes import Counts, executed_lanes
from run_programs import HOST_TARGETS, MORE_HOST_TARGETS, ONE_LANE

import voltac
from voltac.report.profile import Profile

PROGRAM = """\
struct Ray { float x; int hits; };
static int steps(float x, int limit) {
    int n = 0;
    while (n < limit && x > 1) {
        if (x > 10) {
            x /= 3;
            if (n > 2)
                continue;
        } else
            x -= 1;
        n++;
        if (x < 1.5f)
            break;
    }
    return n;
}
static int fall(int n) {
    if (n <= 1)
        return n;
    return fall(n - 1) + fall(n - 2);
}
static float twice(float a) { return 2 * a; }
static float half_of(float a) { return a / 2; }
export void f(uniform float a[], uniform int out[], uniform int n) {
    foreach (i = 0 ... n) {
        int s = steps(a[i], 9);
        cif (s > 0)
            out[i] = s;
        else
            out[i] = -1;
        switch (s & 3) {
        case 0:
            out[i] += 10;
        case 1:
            out[i] += 20;
            break;
        default:
            out[i] += fall(s);
        }
        varying float (*which)(float) = s > 2 ? twice : half_of;
        out[i] += (int)which(s);
        unmasked { s += 1; }
        foreach_unique (value in s)
            out[i] += value;
        foreach_active (lane)
            out[i] += 1;
    }
    foreach_tiled (y = 0 ... 3, x = 0 ... 5)
        out[y * 5 + x] ^= 1;
    for (uniform int k = 0; k < 4; k++)
        out[k] += 1;
    do { n -= 7; } while (n > 0);
}
"""
TASKS = """\
task void part(uniform int out[]) {
    foreach (i = 0 ... 100) {
        if (i % (taskIndex + 2) == 0)
            out[taskIndex * 100 + i] = i;
    }
}
export void f(uniform int out[], uniform int count) {
    launch[count] part(out);
}
"""


def inputs() -> list[Any]:
    return [np.linspace(0, 40, 77, dtype=np.float32), np.zeros(77, np.int32), 77]


def counted(profile: Profile) -> Counts:
    """The statements of a profile; of places with several, their sums. Executions without lanes are the compiler's own."""
    found: Counts = {}
    for place in profile.places:
        if place.note != "function entry":
            counts = found.setdefault((place.line, place.column), {})
            for on, count in enumerate(place.counts):
                if on and count:
                    counts[on] = counts.get(on, 0) + count
    return {place: counts for place, counts in found.items() if counts}


RARE = (pytest.param(target.name, marks=pytest.mark.long) for target in MORE_HOST_TARGETS if target is not ONE_LANE)


@pytest.mark.parametrize("target", [ONE_LANE.name, *(target.name for target in HOST_TARGETS), *RARE])
def test_each_statement_is_counted_with_its_lanes(target: str) -> None:
    given, expected = inputs(), inputs()
    profile = voltac.compile(PROGRAM, target=target).f.profile(*given)
    assert counted(profile) == executed_lanes(PROGRAM, target, "f", expected)
    np.testing.assert_array_equal(given[1], expected[1])


@pytest.mark.parametrize("level", [0, 1])
def test_levels_change_nothing(level: int) -> None:
    target = HOST_TARGETS[0].name
    profile = voltac.compile(PROGRAM, target=target, opt=level, checked=level == 1).f.profile(*inputs())
    assert counted(profile) == executed_lanes(PROGRAM, target, "f", inputs())


def test_tasks_add_up_without_a_loss() -> None:
    target, count = HOST_TARGETS[0].name, 400
    out, expected = np.zeros((2, count * 100), np.int32)
    profile = voltac.compile(TASKS, target=target).f.profile(out, count)
    assert counted(profile) == executed_lanes(TASKS, target, "f", [expected, count])
    np.testing.assert_array_equal(out, expected)


def test_functions_are_entered_with_their_lanes() -> None:
    source = (
        "static int g(int a) { return a + 1; }\n"
        "export void f(uniform int a[], uniform int n) { foreach (i = 0 ... n) if (i % 4 == 0) a[i] = g(i); }\n"
    )
    profile = voltac.compile(source, target="sse4-i32x4").f.profile(np.zeros(8, np.int32), 8)
    entries = {place.line: place for place in profile.places if place.note == "function entry"}
    assert (entries[2].runs, entries[2].lanes, entries[2].all_on) == (1, 4, 1)
    # Of each gang of four the first lane.
    assert (entries[1].runs, entries[1].lanes, entries[1].all_on) == (2, 2, 0)
    assert profile.lines()[1].share == 0.25


def test_each_call_counts_from_zero_and_gives_its_result() -> None:
    kernel = voltac.compile("export uniform int f(uniform int a) {\n    return a + 1;\n}\n").f
    for number in range(2):
        profile = kernel.profile(a=number)
        assert profile.result == number + 1
        assert [place.runs for place in profile.places] == [1, 1]


def test_functions_of_the_caller_are_called() -> None:
    seen: list[int] = []
    tell = ctypes.CFUNCTYPE(None, ctypes.c_int)(seen.append)
    source = 'extern "C" void tell(uniform int a);\nexport void f() {\n    tell(7);\n}\n'
    profile = voltac.compile(source, functions={"tell": tell}).f.profile()
    assert seen == [7]
    assert profile.lines()[3].runs == 1


def test_included_files_have_maps_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "g.isph").write_text("static int g(int a) {\n    return a + 1;\n}\n")
    (tmp_path / "f.ispc").write_text(
        '#include "g.isph"\nexport void f(uniform int a[]) {\n    foreach (i = 0 ... 4)\n        a[i] = g(i);\n}\n'
    )
    profile = voltac.load(tmp_path / "f.ispc", target="sse4-i32x4").f.profile(np.zeros(4, np.int32))
    assert profile.lines()[4].runs == 1
    assert profile.lines(str(tmp_path / "g.isph"))[2].lanes == 4
    assert "g.isph" in str(profile) and "return a + 1;" in str(profile)


def test_a_failure_is_that_of_the_call() -> None:
    kernel = voltac.compile("export void f(uniform int a) { assert(a > 3); }").f
    with pytest.raises(AssertionError, match="a > 3"):
        kernel.profile(1)
    with pytest.raises(TypeError):
        kernel.profile()


def test_a_device_says_what_counts_there() -> None:
    kernel = voltac.compile("export void f(uniform float a[]) { a[0] = 1; }", target="naplespu").f
    with pytest.raises(ValueError, match="last_run"):
        kernel.profile(np.zeros(1, np.float32))


def test_the_forms_of_the_report_say_the_same() -> None:
    source = "export void f(uniform int a[]) {\n    foreach (i = 0 ... 6)\n        if (i < 3)\n            a[i] = 1;\n}\n"
    profile = voltac.compile(source, target="sse4-i32x4").f.profile(np.zeros(6, np.int32))
    # Gangs of 4 and 2 lanes; of the first three lanes are on in the branch, of the second none.
    (line,) = (line for line in profile.text().splitlines() if line.endswith("if (i < 3)"))
    assert line.split()[:7] == ["█", "2", "75", "%", "########..", "50", "%"]
    data = json.loads(profile.json())
    (store,) = (place for place in data["places"] if place["line"] == 4)
    assert (store["lanes"], store["all_on"], store["counts"][3]) == (3, 0, 1)
    assert "\x1b[" in profile.text(colours=True) and "\x1b[" not in profile.text()
    for page in (profile.html(), profile._repr_html_()):
        assert "75 %" in page
