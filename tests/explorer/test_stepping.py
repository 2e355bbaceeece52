"""The stepper's answers: each statement with its lanes, what it changed, and how a run that goes wrong ends."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from served_explorer import Explorer


def steps(explorer: Explorer, source: str, *arguments: str, function: str = "f", target: str = "avx2-i32x8") -> Any:
    return explorer.ask("step", source, f"--target={target}", function=function, arguments=json.dumps(arguments))


def told(found: Any) -> list[tuple[str, str]]:
    """Statement and mask of each step."""
    return [(found["statements"][one["at"]]["text"], one["mask"]) for one in found["steps"]]


def values(found: Any, number: int | None = None) -> dict[str, list[str | None]]:
    """Variables behind the first so many steps, or all; of the same name the latest."""
    state: dict[str, list[str | None]] = {}
    for one in found["steps"][:number]:
        state |= {found["variables"][variable]["name"]: shown for variable, shown in one["set"]}
    return state


def array(found: Any, name: str) -> list[str]:
    """The elements of an array behind the last step."""
    number = [one["name"] for one in found["arrays"]].index(name)
    elements = list(found["arrays"][number]["elements"])
    for one in found["steps"]:
        for which, index, text in one["elements"]:
            if which == number:
                elements[index] = text
    return elements


BRANCH = """\
export void f(uniform float a[n], uniform float out[n], uniform int n) {
    foreach (i = 0 ... n) {
        float v = a[i];
        if (v > 2)
            v = v * 10;
        out[i] = v;
    }
}
"""


def test_statements_come_with_their_lanes_and_what_they_change(explorer: Explorer) -> None:
    found = steps(explorer, BRANCH, "range", "zeros", "11")
    first = [("foreach (i = 0 ... n) {", "1" * 8), ("v = a[i]", "1" * 8), ("if (v > 2)", "1" * 8)]
    first += [("v = v * 10;", "00011111"), ("out[i] = v;", "1" * 8)]
    rest = [("foreach (i = 0 ... n) {", "1" * 8), ("v = a[i]", "11100000"), ("if (v > 2)", "11100000")]
    rest += [("v = v * 10;", "11100000"), ("out[i] = v;", "11100000")]
    assert told(found) == first + rest
    assert [one["again"] for one in found["steps"]] == [""] * 5 + ["iteration"] + [""] * 4
    assert values(found, 4)["v"] == ["0", "1", "2", "30", "40", "50", "60", "70"]
    assert found["steps"][4]["elements"] == [[1, i, str(i if i <= 2 else 10 * i)] for i in range(1, 8)]
    expected = np.where(np.arange(11) > 2, 10 * np.arange(11), np.arange(11))
    assert array(found, "out") == [str(one) for one in expected] and found["stopped"] is None
    assert {one["name"]: one["scope"] for one in found["variables"]} == {"n": None, "i": [2, 5, 7, 6], "v": [3, 15, 7, 6]}


def test_what_was_never_written_is_no_number(explorer: Explorer) -> None:
    source = (
        "export void f(uniform int n) {\n    int x;\n    bool b;\n"
        "    if (programIndex < n) {\n        x = 7;\n        b = true;\n    }\n}\n"
    )
    found = steps(explorer, source, "3")
    assert values(found, 2) == {"n": ["3"], "x": [None] * 8, "b": [None] * 8}
    assert values(found) == {"n": ["3"], "x": ["7"] * 3 + [None] * 5, "b": ["true"] * 3 + [None] * 5}


def test_calls_go_into_functions_of_the_user_and_back(explorer: Explorer) -> None:
    source = """\
static float twice(float x) {
    float y = x + x;
    return y;
}
export void f(uniform float out[]) {
    float v = twice(programIndex) + sqrt(4.0f);
    out[programIndex] = v;
}
"""
    found = steps(explorer, source, "zeros:8")
    assert [(text, one["again"], one["call"]) for (text, _), one in zip(told(found), found["steps"], strict=True)] == [
        ("v = twice(programIndex) + sqrt(4.0f)", "", 0),
        ("y = x + x", "", 1),
        ("return y;", "", 1),
        ("v = twice(programIndex) + sqrt(4.0f)", "return", 0),
        ("out[programIndex] = v;", "", 0),
    ]
    assert found["calls"] == [{"function": "f", "caller": -1}, {"function": "twice", "caller": 0}]
    assert values(found, 3)["y"] == values(found)["y"] == [str(2 * lane) for lane in range(8)]
    assert values(found, 3)["v"] == [None] * 8 and values(found, 4)["v"] == [str(2 * lane + 2) for lane in range(8)]


def test_values_of_every_kind(explorer: Explorer) -> None:
    source = """\
enum Colour { RED, GREEN };
struct Point { float x; uniform int tag; float<2> d; };
struct Small { float x; };
uniform int count = 3;
const uniform int fixed = 1;
export void f(uniform float a[], uniform double big) {
    Point p = { programIndex, 5, { 1, 2 } };
    uniform int list[20] = { 1, 2 };
    Colour c = GREEN;
    uniform float * uniform second = a + 1;
    float * varying each = &a[programIndex];
    uniform float * uniform none = NULL;
    float &r = p.x;
    r += 0.1;
    soa<4> Small s[2];
    s[5].x = 2;
    count++;
}
"""
    found = steps(explorer, source, "range:4", "1e300", target="sse4-i32x4")
    state = values(found)
    assert state["p.x"] == ["0.1", "1.1", "2.1", "3.1"] == state["r"]
    assert state["p.tag"] == ["5"] and state["p.d[0]"] == ["1"] * 4 and state["p.d[1]"] == ["2"] * 4
    assert [state.get(f"list[{index}]") for index in (0, 1, 2, 15, 16)] == [["1"], ["2"], ["0"], ["0"], None]
    assert state["c"] == ["GREEN"] * 4 and state["big"] == ["1e+300"] and state["count"] == ["4"]
    assert state["second"] == ["&a[1]"] and state["each"] == [f"&a[{lane}]" for lane in range(4)]
    assert state["none"] == ["NULL"] and "fixed" not in state and "a" not in state
    assert [state[f"s[{index}].x"] for index in range(8)] == [["2"] if index == 5 else [None] for index in range(8)]


def test_an_array_without_a_known_length_has_room_for_gangs(explorer: Explorer) -> None:
    found = steps(explorer, "export void f(uniform int a[]) {\n    a[programIndex + 3] = 1;\n}\n", "zeros")
    assert found["stopped"] is None and array(found, "a") == ["0"] * 3 + ["1"] * 8 + ["0"] * 5


def test_structs_vectors_and_lists_as_arguments(explorer: Explorer) -> None:
    source = """\
struct Pair { int low, high; };
export void f(uniform Pair p[2], uniform float<3> v[2], uniform int list[]) {
    p[1].low = list[0];
    v[0].y = 9;
}
"""
    found = steps(explorer, source, "range", "1,2,3,0,4,5,6,0", "-5, 0x10")
    assert array(found, "p") == ["low 0, high 1", "low -5, high 3"]
    assert array(found, "list") == ["-5", "16"] and array(found, "v") == ["1 9 3 0", "4 5 6 0"]


def test_output_stands_where_it_was_printed(explorer: Explorer) -> None:
    source = 'export void f(uniform int n) {\n    print("a <%>\\n", n);\n    n++;\n    print("b");\n}\n'
    assert [one["output"] for one in steps(explorer, source, "3")["steps"]] == ["a <3>\n", "", "b"]


@pytest.mark.parametrize(
    "body, said, line",
    [
        ("a[programIndex + 1] = 0;", "byte 32 of an array argument", 2),
        ("assert(programIndex < 3);", "an assertion failed: f.ispc:2:5: Assertion failed: programIndex < 3", 0),
        ("uniform int zero = 0;\n    a[0] = 1 / zero;", "division", 3),
        ("uniform float * uniform p = NULL;\n    *p = 1;", "null pointer", 3),
    ],
    ids=["outside", "assertion", "zero", "null"],
)
def test_a_run_that_fails_shows_the_steps_until_then(explorer: Explorer, body: str, said: str, line: int) -> None:
    found = steps(explorer, f"export void f(uniform float a[]) {{\n    {body}\n}}\n", "range:8")
    if not line:
        assert "Assertion failed: programIndex < 3" in found["stopped"]["text"] + found["steps"][-1]["output"]
    else:
        assert said in found["stopped"]["text"] and found["stopped"]["line"] == line
    assert found["stopped"]["failed"] and found["steps"] and "error" not in found


@pytest.mark.parametrize(
    "body",
    ["while (true) ;", "while (true) n++;", "for (;;) { if (n < 0) break; }", "foreach (i = 0 ... 2000000000) { }"],
    ids=["empty", "counting", "for", "foreach"],
)
def test_a_run_without_end_is_stopped_and_its_beginning_shown(explorer: Explorer, body: str) -> None:
    found = steps(explorer, f"export void f(uniform int n) {{\n    {body}\n}}\n", "2")
    assert len(found["steps"]) == 2000 and found["stopped"] == {
        "text": "the run goes on: it was stopped after 2000 steps",
        "line": 0,
        "failed": False,
    }


def test_calls_without_end_are_an_error(explorer: Explorer) -> None:
    source = "static void g(uniform int n) { g(n); }\nexport void f(uniform int n) { g(n); }\n"
    assert "calls nested deeper than" in steps(explorer, source, "1")["stopped"]["text"]


def test_a_run_that_shows_too_much_is_stopped(explorer: Explorer) -> None:
    source = "export void f(uniform int n) {\n    int<16> a = 0;\n    while (n > 0)\n        a += 1;\n}\n"
    found = steps(explorer, source, "1", target="avx512skx-x64")
    assert "which show too much" in found["stopped"]["text"] and 64 < len(found["steps"]) < 2000


def test_a_run_that_takes_long_between_two_steps_is_stopped() -> None:
    """The library's loops are no steps."""
    slow = " + ".join(["pow(d, d)"] * 200)
    with Explorer("--time-limit=10") as running:
        found = steps(running, f"export void f(uniform double d) {{\n    while (true)\n        d = {slow};\n}}\n", "2")
        assert "as the time is over" in found["stopped"]["text"] and not found["stopped"]["failed"]
        assert 2 <= len(found["steps"]) < 2000


def test_no_function_of_c_is_called(explorer: Explorer) -> None:
    """A stranger's program may be looked at."""
    source = 'extern "C" uniform int getpid();\nexport void f(uniform int a[]) {\n    a[0] = getpid();\n}\n'
    found = steps(explorer, source, "zeros:1")
    assert "'getpid'" in found["stopped"]["text"] and array(found, "a") == ["0"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        ('["range", "zeros"]', "takes 3 arguments, 2 given"),
        ('["range", "zeros", "x"]', "is no value for parameter 'n'"),
        ('["range", "zeros", "1e9"]', "is no value for parameter 'n'"),
        ('["range:9999999999", "zeros", "3"]', "has 16384 bytes"),
        ('["range", "zeros", "1000000"]', "has 16384 bytes"),
        ('["/etc/passwd.npy", "zeros", "3"]', "is no array"),
        ('["1,x", "zeros", "3"]', "is no list of float32 numbers"),
        ('["range:0", "zeros", "3"]', "has no element"),
        ('["range", "zeros", "99999999999"]', "is no int32"),
        ('{"a": 1}', "a list of texts"),
        ("[[]]", "a list of texts"),
        ("", "a list of texts"),
        ("[" * 100_000, "a list of texts"),
    ],
)
def test_wrong_arguments_are_told_in_words(explorer: Explorer, arguments: str, said: str) -> None:
    found = explorer.ask("step", BRANCH, function="f", arguments=arguments)
    assert said in found["error"]
    assert explorer.ask("step", BRANCH, function="<g>", arguments="[]")["error"] == "the program exports no function '<g>'"


def test_the_form_begins_with_arguments_that_fit(explorer: Explorer) -> None:
    source = """\
export void f(uniform float rgb[3 * n], uniform float out[], uniform int n, uniform float s, uniform bool b,
              uniform int times, uniform int more = 7) {
    for (uniform int k = 0; k < times; k++)
        foreach (i = 0 ... n)
            out[i] = b ? rgb[3 * i + 2] * s : more;
}
"""
    (function,) = explorer.ask("check", source)["functions"]
    words = [one["word"] for one in function["parameters"]]
    assert words == ["range", "zeros", "12", "2.5", "true", "2", "7"]
    found = steps(explorer, source, *words)
    assert [len(one["elements"]) for one in found["arrays"]] == [36, 16] and found["stopped"] is None
    assert array(found, "out")[:12] == [str(2.5 * (3 * i + 2)).removesuffix(".0") for i in range(12)]
