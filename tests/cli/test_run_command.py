"""``voltac run``: one call from the shell, compiled or interpreted, with a trace on request."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

SOURCE = """\
struct Point { float x, y; };
export void scale(uniform float s, uniform float x[], uniform int n) {
    foreach (i = 0 ... n) {
        float v = s * x[i];
        if (v > 4)
            x[i] = v;
    }
}
export uniform int total(uniform int x[], uniform int n, uniform bool negate) {
    int sum = 0;
    foreach (i = 0 ... n)
        sum += x[i];
    return negate ? -reduce_add(sum) : reduce_add(sum);
}
export uniform float first(uniform Point points[]) { return points[1].y; }
export void fail(uniform int n) { assert(n > 3); }
"""
TARGET = "--target=sse4-i32x4"


@pytest.fixture
def program(folder: Path) -> str:
    (folder / "run.ispc").write_text(SOURCE)
    return "run.ispc"


@pytest.mark.parametrize("how", [[], ["--interpret"]], ids=["compiled", "interpreted"])
def test_results_and_changed_arrays_are_printed(voltac: Run, program: str, how: list[str]) -> None:
    done = voltac("run", program, TARGET, "--function", "scale", *how, "2", "range:5", "5")
    assert (done.returncode, done.stdout, done.stderr) == (0, "x = [0. 1. 2. 6. 8.]\n", "")
    done = voltac("run", program, TARGET, "--function", "total", *how, "range:9", "9", "true")
    assert done.stdout == "x = unchanged\nresult = -36\n"
    done = voltac("run", program, TARGET, "--function", "first", *how, "range:3")
    assert done.stdout == "points = unchanged\nresult = 3.0\n"


def test_arguments_that_are_not_given_are_generated(voltac: Run, program: str) -> None:
    first, second = (voltac("run", program, TARGET, "--function", "total", *how) for how in ([], ["--interpret"]))
    assert first.returncode == 0 and "result = -" in first.stdout
    assert first.stdout == second.stdout


FAR = {
    "index": ("float a[], uniform int at[]", "foreach (i = 0 ... n) out[i] = a[at[i] * 1000000];", "reads a["),
    "store": ("int64 at[]", "foreach (i = 0 ... n) out[at[i] << 30] = 1;", "writes out["),
    "pointers": ("float * uniform * uniform a", "foreach (i = 0 ... n) out[i] = *(a[i]);", "reads through a null pointer"),
    "struct": ("Held s[]", "foreach (i = 0 ... n) out[i] = s[i].p[0];", "reads through a null pointer"),
    "function": ("Held s[]", "out[0] = reduce_add(s[n - 1].f(out[0]));", "calls through a null pointer"),
    "functions": ("Held s[]", "foreach (i = 0 ... n) out[i] = s[i].f(2);", "calls through a null pointer in lane 0"),
    "library": ("float a[]", "memset(out, 0, n * (int64)4000000);", "elements from p[0] on"),
}
"""Parameters, body, and what it does outside of arrays of any reasonable length."""


@pytest.mark.parametrize("command", ["run", "profile"])
@pytest.mark.parametrize("case", FAR)
def test_generated_arguments_end_no_process(voltac: Run, folder: Path, case: str, command: str) -> None:
    parameters, body, message = FAR[case]
    held = "typedef float (*uniform F)(float); struct Held { float a; float b; float * uniform p; F f; };\n"
    text = f"{held}export void f(uniform {parameters}, uniform float out[], uniform int n) {{\n    {body}\n}}\n"
    (folder / "far.ispc").write_text(text)
    done = voltac(command, "far.ispc", TARGET)
    assert done.returncode == 1 and "far.ispc:3:" in done.stderr and message in " ".join(done.stderr.split())


def test_generated_integers_are_indices_into_generated_arrays(voltac: Run, folder: Path) -> None:
    (folder / "pick.ispc").write_text(
        "export void f(uniform float a[], uniform int at[], uniform float out[], uniform int n) {\n"
        "    foreach (i = 0 ... n)\n        out[i] = a[at[i]];\n}\n"
    )
    done = voltac("run", "pick.ispc", TARGET)
    assert (done.returncode, done.stderr) == (0, "") and "out = [" in done.stdout


def test_arrays_come_from_files(voltac: Run, program: str, folder: Path) -> None:
    np.save(folder / "x.npy", np.array([5, 7], np.int32))
    done = voltac("run", program, TARGET, "--function", "total", "x.npy", "2", "false")
    assert "result = 12" in done.stdout


def test_arrays_are_lists_of_numbers(voltac: Run, program: str) -> None:
    done = voltac("run", program, TARGET, "--function", "total", "5,-7,0x10", "3", "false")
    assert "result = 14" in done.stdout
    done = voltac("run", program, TARGET, "--function", "first", "1,2,3,4.5")
    assert "result = 4.5" in done.stdout
    done = voltac("run", program, TARGET, "--function", "scale", "3", "2,", "1")
    assert "x = [6.]" in done.stdout


@pytest.mark.parametrize("how", [[], ["--interpret"]], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("number", ["2147483648", "-2147483649", "9" * 30])
def test_numbers_fit_their_type(voltac: Run, program: str, how: list[str], number: str) -> None:
    done = voltac("run", program, TARGET, "--function", "total", *how, "range:2", number)
    assert done.returncode == 2 and "is no int32: these are from -2147483648 to 2147483647" in " ".join(done.stderr.split())


def test_the_trace_shows_statements_masks_and_lanes(voltac: Run, program: str) -> None:
    done = voltac("run", program, TARGET, "--function", "scale", "--interpret", "--trace", "2", "range:5", "5")
    lines = done.stdout.splitlines()
    assert lines[0] == "3:5     [1111]  foreach (i = 0 ... n) {"
    assert lines[1:3] == ["4:15    [1111]  v = s * x[i]", " " * 16 + "v = [0.000000,2.000000,4.000000,6.000000]"]
    assert lines[4:6] == ["6:13    [...1]  x[i] = v;", " " * 16 + "x[i] = [((0.000000)),((2.000000)),((4.000000)),6.000000]"]
    assert lines[6] == "4:15    [1...]  v = s * x[i]"
    assert lines[-1] == "x = [0. 1. 2. 6. 8.]"


def test_undefined_behaviour_is_an_error_at_its_place(voltac: Run, program: str) -> None:
    done = voltac("run", program, TARGET, "--function", "scale", "--interpret", "2", "range:5", "6")
    assert done.returncode == 1
    assert done.stderr.startswith("run.ispc:4:23: Error: access to 4 bytes") and "lane 1" in " ".join(done.stderr.split())


def test_a_failed_assertion_ends_the_run(voltac: Run, program: str) -> None:
    done = voltac("run", program, TARGET, "--function", "fail", "--interpret", "1")
    assert done.returncode == 1
    assert "Assertion failed: n > 3" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["good.ispc", "--trace"], "option '--trace' needs '--interpret'"),
        ([], "no input file given"),
        (["run.ispc"], "several functions; choose one with --function: scale, total, first, fail"),
        (["run.ispc", "--function", "skale"], "exports no function 'skale'; did you mean 'scale'"),
        (["run.ispc", "--function", "scale", "x"], "argument 'x' is no value for parameter 's'"),
        (["run.ispc", "--function", "scale", "1", "ones:3"], "argument 'ones:3' for parameter 'x' is no array"),
        (["run.ispc", "--function", "scale", "1", "1,x"], "argument '1,x' for parameter 'x' is no list of float32 numbers"),
        (
            ["run.ispc", "--function", "first", "1,2,3"],
            "argument '1,2,3' for parameter 'points': an element of it",
        ),
        (["run.ispc", "--function", "total", "300,1e9"], "argument '300,1e9' for parameter 'x' is no list of int32 numbers"),
        (["run.ispc", "--function", "scale", "1", "none.npy"], "cannot read the array file none.npy"),
        (["run.ispc", "--function", "fail", "1", "2"], "'fail' takes 1 arguments, 2 given"),
    ],
)
def test_mistakes_are_named(voltac: Run, program: str, words: list[str], message: str) -> None:
    done = voltac("run", TARGET, *words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
