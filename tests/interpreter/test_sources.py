"""Whole programs through the interpreter: what the run-tests do not show, such as C functions and the oracle's errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.interpreter import Interpreter, InterpreterError, ProgramAborted
from voltac.options import Options
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("avx2-i32x8"))


def load(source: str, output: Callable[[str], object] | None = None) -> Interpreter:
    return Interpreter(compile_source(source, "test.ispc", OPTIONS, end="check").program, OPTIONS, output=output)


def test_c_functions_of_the_process_are_called_once_for_the_gang() -> None:
    source = """
extern "C" uniform double hypot(uniform double a, uniform double b);
extern "C" uniform double modf(uniform double x, uniform double * uniform whole);
export uniform double f(uniform double a) {
    uniform double whole;
    uniform double rest = modf(a, &whole);
    return hypot(whole, 4) + rest;
}
"""
    assert load(source).call("f", [3.25]) == 5.25


def test_c_functions_given_by_the_caller_come_first() -> None:
    calls: list[int] = []
    interpreter = load("""
extern "C" void note(uniform int x);
export void f() { if (programIndex < 3) note(7); if (programIndex > 100) note(8); }
""")
    interpreter.c_functions["note"] = lambda x: calls.append(int(x))
    interpreter.call("f", [])
    assert calls == [7]


def test_a_missing_c_function_is_named() -> None:
    interpreter = load('extern "C" void no_such_function(); export void f() { no_such_function(); }')
    with pytest.raises(InterpreterError, match=r"test\.ispc:1:.*'no_such_function'"):
        interpreter.call("f", [])


def test_globals_keep_their_values_between_calls_and_can_be_read() -> None:
    interpreter = load("uniform int total = 5; export uniform int add(uniform int x) { total += x; return total; }")
    assert [interpreter.call("add", [1]), interpreter.call("add", [10])] == [6, 16]
    assert interpreter.global_bytes("total").view(np.int32).tolist() == [16]


def test_a_failed_assertion_prints_its_text_and_aborts() -> None:
    printed: list[str] = []
    source = "export void f(uniform int n) {\n    int i = programIndex;\n    if (i < n) assert(i < 3);\n}\n"
    interpreter = load(source, printed.append)
    interpreter.call("f", [3])
    assert printed == []
    with pytest.raises(ProgramAborted):
        interpreter.call("f", [4])
    assert printed == ["test.ispc:3:16: Assertion failed: i < 3 \n\n"]


def test_varying_parameters_and_results_are_arrays_of_lanes() -> None:
    interpreter = load("static int twice(int x) { return 2 * x; } export void f() { int y = twice(programIndex); }")
    assert interpreter.call("twice", [np.arange(8)]).tolist() == list(range(0, 16, 2))
    assert interpreter.call("twice", [5], active=[True] * 4 + [False] * 4)[:4].tolist() == [10] * 4


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("uniform int a[4]; a[n] = 1; x[0] = a[0];", r"byte 16 of 'a', which has 16"),
        ("uniform int * uniform p = NULL; x[0] = *p;", "null pointer"),
        ("x[0] = 7 / (n - 4);", "integer division by zero"),
        ("foreach (i = 0 ... n + 1) x[i] = i;", r"array argument of 4 int32 elements.*in lane 4"),
        ("uniform int * uniform p = uniform new uniform int; delete p; x[0] = *p;", "no object"),
        ("uniform int * uniform p = uniform new uniform int; delete p; delete p;", "deleted before"),
        ("delete x;", "not an object made by new"),
    ],
)
def test_undefined_behaviour_is_found_and_placed(body: str, message: str) -> None:
    interpreter = load(f"export void f(uniform int x[], uniform int n) {{\n    {body}\n}}\n")
    with pytest.raises(InterpreterError, match=message) as caught:
        interpreter.call("f", [np.zeros(4, np.int32), 4])
    assert caught.value.span.line == 2


def test_endless_recursion_is_an_error_of_the_program() -> None:
    interpreter = load("uniform int f(uniform int n) { return f(n + 1) + 1; } export uniform int g() { return f(0); }")
    with pytest.raises(InterpreterError, match="nested deeper"):
        interpreter.call("g", [])


def test_wrong_arguments_are_refused() -> None:
    interpreter = load("export void f(uniform int x[], uniform int n) { }")
    with pytest.raises(TypeError, match="takes 2 arguments, 1 given"):
        interpreter.call("f", [1])
    with pytest.raises(TypeError, match="'x' is not a C-contiguous array"):
        interpreter.call("f", [np.zeros(8, np.int32)[::2], 4])
    with pytest.raises(KeyError, match="no function 'g'"):
        interpreter.call("g", [])


def test_a_read_only_array_is_read_but_not_written() -> None:
    interpreter = load("export uniform int f(uniform int x[], uniform bool store) { if (store) x[0] = 1; return x[1]; }")
    data = np.arange(4, dtype=np.int32)
    data.flags.writeable = False
    assert interpreter.call("f", [data, False]) == 1
    with pytest.raises(InterpreterError, match="read-only"):
        interpreter.call("f", [data, True])


def test_long_prints_are_cut() -> None:
    printed: list[str] = []
    source = 'export void f(uniform double x) { double v = x; print("<%>%%%%%%%%", v, v, v, v, v, v, v, v, v); }'
    interpreter = load(source, printed.append)
    interpreter.call("f", [1e200])
    lanes = ",".join([f"{1e200:f}"] * 8)[:1023]
    assert printed[0] == (f"<[{lanes}]>" + f"[{lanes}]" * 8)[:8191]


def test_bits_that_are_no_text_are_printed_as_they_are() -> None:
    printed: list[str] = []
    load(r'export void f() { print("\xff%\n", 1); }', printed.append).call("f", [])
    assert printed[0].encode("utf-8", "surrogateescape") == b"\xff1\n"
