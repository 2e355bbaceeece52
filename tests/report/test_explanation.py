"""``explain`` says of each access what the rules of docs/accesses.md make of it, at its place, and why it is slow."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from command_server import run_command

from voltac.driver import compile_source, explanation_of
from voltac.options import Options
from voltac.report.explanation import Explanation, Fact
from voltac.target_info import find_target

SOURCE = """\
struct Point { float x, y; };
export void f(uniform float out[], uniform Point ps[], uniform int index[], uniform float t[], uniform int n) {
    foreach (i = 0 ... n) {
        float near = ps[index[i]].x + ps[index[i]].y;
        out[i] = near + t[i / 2];
    }
}
export void whole(uniform float out[], uniform float t[], uniform int index[], uniform int n) {
    n &= ~(programCount - 1);
    foreach (i = 0 ... n)
        out[index[i] * n] = t[i * n];
}
export void single(uniform float out[], uniform float s) {
    out[0] = s;
}
"""


def explained(target: str, level: int = 2) -> Explanation:
    return explanation_of(compile_source(SOURCE, "f.ispc", Options(find_target(target), level, whole_program=True)))


def the(found: Explanation, line: int, expression: str) -> Fact:
    """The fact about an expression of a line."""
    text = SOURCE.splitlines()[line - 1]
    (fact,) = [fact for fact in found.facts if fact.line == line and text[fact.column - 1 : fact.end_column - 1] == expression][
        :1
    ]
    return fact


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_each_access_is_named_by_its_rule(target: str) -> None:
    found = explained(target)
    assert the(found, 4, "ps[index[i]].x").kind == "shuffled"
    assert the(found, 4, "ps[index[i]].y").text.startswith("one load a lane serves 2 neighbouring accesses")
    assert the(found, 4, "index[i]").text.startswith("a vector load")
    assert the(found, 5, "out[i]").text.startswith("a vector store; under a mask")
    assert the(found, 5, "t[i / 2]").kind == "shuffled"
    assert the(found, 3, "foreach").text.endswith("then the rest once under a mask")


def test_a_slow_access_has_its_reason_and_remedy() -> None:
    found = explained("avx512skx-x16")
    store = the(found, 11, "out[index[i] * n]")
    assert store.kind in ("scatter", "scalar") and "'index[i]' of its address is loaded from memory" in store.remark


def test_whole_gangs_leave_nothing_over() -> None:
    assert "nothing is left over" in the(explained("avx2-i32x8"), 10, "foreach").text


def test_a_foreach_that_only_copies_has_no_gangs() -> None:
    source = "export void f(uniform int8 a[], uniform int8 b[], uniform int n) { foreach (i = 0 ... n) b[i] = a[i]; }"
    made = compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), 2, whole_program=True))
    told = {fact.operation: fact.text for fact in explanation_of(made).facts}
    assert told["foreach"] == "no gangs: all is copied at once"
    assert told["store"] == told["load"] == "part of a memcpy of all"


def test_the_rest_is_named_where_llvm_has_joined_its_blocks_with_others() -> None:
    """It takes the test of n out of the outer loop and names what is left after both."""
    source = """
    inline void put(uniform unsigned int32 * uniform to, int at, unsigned int32 value) { to[at] = value; }
    export void f(uniform unsigned int8 to[], uniform unsigned int32 x[], uniform int n, uniform int w) {
        for (uniform int y = 0; y < n; y++)
            foreach (i = 0 ... n) {
                put((uniform unsigned int32 * uniform)&to[y * w * 2], i * 2, x[i]);
                put((uniform unsigned int32 * uniform)&to[y * w * 2], i * 2 + 1, x[i]);
            }
    }
    """
    options = Options(find_target("avx512skx-x16"), 2, whole_program=True)
    found = explanation_of(compile_source(source, "f.ispc", options))
    (loop,) = [fact for fact in found.facts if fact.operation == "foreach"]
    assert loop.text.endswith("then the rest once under a mask")


def test_what_happens_where_an_index_wraps_around_stands_behind_the_rest() -> None:
    source = """export void f(uniform float a[], uniform unsigned int n) {
    for (uniform unsigned int m = 0; m < n; ++m)
        foreach (i = 0 ... n)
            a[m * n + i] = m;
}
"""
    found = explanation_of(compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"))))
    (store,) = [fact for fact in found.facts if fact.operation == "store"]
    assert store.kind == "vector" and store.remark == ""
    assert store.text == (
        "a vector store; under a mask a masked store; where the index wraps around between two lanes 8 scalar stores"
    )


def test_scalar_code_is_not_listed() -> None:
    assert not [fact for fact in explained("avx2-i32x8").facts if fact.line == 14]


def test_text_shows_every_line_and_points_at_the_expression() -> None:
    lines = explained("avx2-i32x8").text().splitlines()
    assert [line for line in lines if line[:2].strip().isdigit()] == [
        f"{number:2} | {line}".rstrip() for number, line in enumerate(SOURCE.splitlines(), 1)
    ]
    at = next(number for number, line in enumerate(lines) if "out[i] = near" in line)
    assert lines[at + 1].index("^") == lines[at].index("out[i]")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    done = run_command(["explain", *words], Path.cwd(), None, {**os.environ})
    return subprocess.CompletedProcess(words, done.code, done.out.decode(), done.err.decode())


def test_the_command_prints_text_json_and_a_page(tmp_path: Path) -> None:
    source, page = tmp_path / "f.ispc", tmp_path / "f.html"
    source.write_text(SOURCE)
    text = run(str(source), "--target=avx2-i32x8")
    assert text.returncode == 0 and "13 | export void single" in text.stdout and not text.stderr
    data = json.loads(run(str(source), "--target=avx2-i32x8", "--json", "--html", str(page)).stdout)
    assert data["lanes"] == 8 and {fact["line"] for fact in data["facts"]} >= {3, 4, 5, 10, 11}
    assert "src=" not in page.read_text() and "one load a lane" in page.read_text()


def test_a_wrong_program_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    source = tmp_path / "f.ispc"
    source.write_text("export void f() { x = 3; }\n")
    wrong = run(str(source))
    assert wrong.returncode == 2 and "'x' is not declared" in wrong.stderr and not wrong.stdout
    missing = run(str(tmp_path / "none.ispc"))
    assert missing.returncode == 1 and "none.ispc" in missing.stderr
    assert run().returncode != 0


def test_loops_of_one_lane_after_the_other_are_named() -> None:
    source = """export void lengths(uniform int to[], const uniform int starts[], const uniform uint8 from[], uniform int n) {
    foreach (i = 0 ... n) {
        int k = starts[i];
        while (from[k] != 0)
            k++;
        to[i] = k - starts[i];
    }
}
"""
    found = explanation_of(compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), 2, whole_program=True)))
    texts = [fact.text for fact in found.facts if fact.line == 4]
    assert texts == ["a scalar load for each lane, whose loops are done one after the other"]
