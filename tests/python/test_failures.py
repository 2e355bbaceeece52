"""What fails in a kernel is an exception in Python: assertions, and divisions of integers that have no result."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.llvm.host import can_run
from voltac.target_info import find_target

TARGETS = [name for name in ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16") if can_run(find_target(name))]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


def compiled(source: str, **options: Any) -> Any:
    return voltac.compile(source, file="f.ispc", **({"target": "sse4-i32x4"} | options))


# --- assertions


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("opt", [0, 2])
def test_an_assertion_that_fails_names_its_place_its_text_and_the_lanes(target: str, opt: int) -> None:
    kernels = compiled(
        """export void uniform_one(uniform int n) {
    assert(n > 3);
}
export void varying_one(uniform float a[], uniform int n) {
    foreach (i = 0 ... n) {
        if (a[i] != 9)
            assert(a[i] > 0);
        a[i] = -a[i];
    }
}
""",
        target=target,
        opt=opt,
    )
    kernels.uniform_one(4)
    with pytest.raises(AssertionError) as raised:
        kernels.uniform_one(3)
    assert str(raised.value) == "f.ispc:2:5: Assertion failed: n > 3"
    a = np.arange(1, 33, dtype=np.float32)
    a[8] = 9
    kernels.varying_one(a, 32)
    assert (a == -np.arange(1, 33)).all()
    width = kernels.width
    a = np.arange(1, 33, dtype=np.float32)
    a[width + 1] = a[width + 3] = -1
    with pytest.raises(AssertionError) as raised:
        kernels.varying_one(a, 32)
    assert str(raised.value) == "f.ispc:7:13: Assertion failed: a[i] > 0 (in lanes 1, 3)"
    # What was done before it failed is done, what comes behind is not.
    assert (a[:width] == -np.arange(1, width + 1)).all() and a[width] == width + 1
    a = np.ones(3, np.float32)
    a[2] = 0
    with pytest.raises(AssertionError, match=r"\(in lane 2\)"):
        kernels.varying_one(a, 3)


def test_without_assertions_nothing_fails() -> None:
    kernels = compiled("export uniform int f(uniform int n) { assert(n > 3); return n; }", disable_assertions=True)
    assert kernels.f(1) == 1


NESTED = """
noinline static void below(uniform int depth, float x) {
    assert(x != 5);
    if (depth > 0)
        below(depth - 1, x + 1);
}
typedef void (*Function)(float x);
static void last(float x) { assert(x < 100); }
export void deep(uniform int depth) { below(depth, programIndex == 2 ? 1.f : -1000.f); }
export void by_pointer(uniform float x) { uniform Function f = &last; f(x); }
export uniform int with_result(uniform int n) { assert(n != 0); return n; }
struct Pair { uniform int a, b; };
export uniform Pair struct_result(uniform int n) { assert(n != 0); uniform Pair p = { n, 2 * n }; return p; }
"""


@pytest.mark.parametrize("opt", [0, 2])
def test_functions_that_call_each_other_are_left(opt: int) -> None:
    kernels = compiled(NESTED, opt=opt)
    kernels.deep(3)
    with pytest.raises(AssertionError, match=r"f.ispc:3:5: Assertion failed: x != 5 \(in lane 2\)"):
        kernels.deep(4)
    kernels.by_pointer(99)
    with pytest.raises(AssertionError, match=r"x < 100 \(in lanes 0, 1, 2, 3\)"):
        kernels.by_pointer(100)
    assert kernels.with_result(7) == 7
    calls: list[Callable[[], Any]] = [lambda: kernels.with_result(0), lambda: kernels.with_result(n=0)]
    for call in calls:
        with pytest.raises(AssertionError, match="n != 0"):
            call()
    assert kernels.struct_result(4)["b"] == 8
    with pytest.raises(AssertionError, match="n != 0"):
        kernels.struct_result(0)


def test_a_kernel_that_failed_can_be_called_again_a_thousand_times() -> None:
    kernels = compiled("export uniform int f(uniform int n) { assert(n % 3 != 0); return 100 / (n - 1); }")
    for number in range(3000):
        if number % 3 == 0:
            with pytest.raises(AssertionError):
                kernels.f(number)
        elif number == 1:
            with pytest.raises(ZeroDivisionError):
                kernels.f(number)
        else:
            assert kernels.f(number) == 100 // (number - 1)


def test_a_kernel_out_of_the_cache_fails_in_the_same_way() -> None:
    source = "export uniform int f(uniform int n) { assert(n < 40); return 10 / n; }"
    for _ in range(2):
        kernels = compiled(source)
        assert kernels.f(5) == 2
        with pytest.raises(AssertionError, match=r"^f.ispc:1:39: Assertion failed: n < 40$"):
            kernels.f(40)
        with pytest.raises(ZeroDivisionError, match=r"^f.ispc:1:62: integer division by zero$"):
            kernels.f(0)


def test_calls_on_several_threads_fail_each_for_itself() -> None:
    kernels = compiled("export uniform int f(uniform int n) { assert(n % 2 == 0); return n / 2; }")
    wrong: list[int] = []

    def calls(start: int) -> None:
        for number in range(start, start + 500):
            try:
                right = kernels.f(number) == number // 2 and number % 2 == 0
            except AssertionError:
                right = number % 2 == 1
            if not right:
                wrong.append(number)

    threads = [threading.Thread(target=calls, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_failure_in_a_call_from_within_a_kernel_does_not_leave_that_kernel() -> None:
    inner = compiled("export uniform int half(uniform int n) { assert(n % 2 == 0); return n / 2; }")

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)  # type: ignore[untyped-decorator]
    def callback(number: int) -> int:
        try:
            return int(inner.half(number))
        except AssertionError:
            return -1

    outer = compiled(
        """extern "C" uniform int callback(uniform int n);
export void f(uniform int a[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) a[i] = callback(i);
    assert(n != 5);
}""",
        functions={"callback": callback},
    )
    a = np.zeros(6, np.int32)
    outer.f(a, 6)
    assert a.tolist() == [0, -1, 1, -1, 2, -1]
    with pytest.raises(AssertionError, match="n != 5"):
        outer.f(a, 5)


def test_an_exception_of_a_callback_comes_before_a_later_failure() -> None:
    @ctypes.CFUNCTYPE(None)  # type: ignore[untyped-decorator]
    def callback() -> None:
        raise KeyError("first")

    kernels = compiled(
        'extern "C" void callback();\nexport void f(uniform int n) { callback(); assert(n != 5); }',
        functions={"callback": callback},
    )
    calls: list[Callable[[], Any]] = [lambda: kernels.f(5), lambda: kernels.f(4), lambda: kernels.f(n=5)]
    for call in calls:
        with pytest.raises(KeyError, match="first"):
            call()


def test_functions_that_c_calls_are_left_too() -> None:
    kernels = compiled(
        """extern "C" void qsort(void * uniform items, uniform size_t count, uniform size_t size, void * uniform compare);
static unmasked uniform int order(void * uniform a, void * uniform b) {
    uniform int x = *((uniform int * uniform)a), y = *((uniform int * uniform)b);
    assert(x != 13 && y != 13);
    return x < y ? -1 : x > y;
}
export void sort(uniform int a[], uniform int n) { qsort(a, n, 4, (void * uniform)&order); }
""",
        addressing=64,
    )
    a = np.array([5, 1, 4, 2], np.int32)
    kernels.sort(a, 4)
    assert a.tolist() == [1, 2, 4, 5]
    with pytest.raises(AssertionError, match="x != 13"):
        kernels.sort(np.array([5, 13, 4, 2], np.int32), 4)


def test_the_floating_point_state_is_put_back() -> None:
    kernels = compiled("export void f(uniform int n) { assert(n == 0); }", reset_ftz_daz=True)
    with pytest.raises(AssertionError):
        kernels.f(1)
    tiny = np.float32(1e-38)
    assert tiny / np.float32(8) > 0


@pytest.mark.parametrize("opt", [0, 2])
@pytest.mark.parametrize(
    "function",
    [
        "int f(int a, int b) { return a / b; }",
        "void f(uniform int a) { assert(a > 1); }",
        "task void t(uniform int a) { assert(a > 1); } void f(uniform int a) { launch[2] t(a); }",
    ],
)
def test_functions_that_could_fail_need_not_be_called(function: str, opt: int) -> None:
    assert compiled(f"{function} export uniform int g(uniform int n) {{ return n; }}", opt=opt).g(3) == 3


# --- tasks

TASKS = """
task void one(uniform int a[], uniform int bad) {
    assert(taskIndex != bad);
    a[taskIndex] = 1;
}
task void half(uniform int a[], uniform int d) { a[taskIndex] = 100 / ((uniform int)taskIndex - d); }
task void outer(uniform int a[], uniform int bad) {
    launch[10] one(a + 10 * taskIndex, taskIndex == 3 ? bad : -1);
}
export void flat(uniform int a[], uniform int n, uniform int bad) { launch[n] one(a, bad); sync; a[0] = 5; }
export void nested(uniform int a[], uniform int bad) { launch[10] outer(a, bad); }
export void divides(uniform int a[], uniform int n, uniform int d) { launch[n] half(a, d); }
export void while_running(uniform int a[], uniform int n, uniform int bad) {
    launch[n] one(a, -1);
    launch[1, n] one(a, -1);
    assert(bad == 0);
}
noinline static void launches(uniform int a[], uniform int n, uniform int bad) {
    launch[n] one(a, -1);
    assert(bad == 0);
}
export void below(uniform int a[], uniform int n, uniform int bad) {
    launch[n] one(a, -1);
    launches(a, n, bad);
}
"""


@pytest.mark.parametrize("opt", [0, 2])
def test_failures_in_tasks_are_those_of_the_call(opt: int) -> None:
    kernels = compiled(TASKS, opt=opt)
    a = np.zeros(1000, np.int32)
    for _ in range(20):
        kernels.flat(a, 1000, -1)
        assert a[0] == 5 and (a[1:] == 1).all()
        a[:] = 0
        with pytest.raises(AssertionError, match=r"f.ispc:3:5: Assertion failed: taskIndex != bad"):
            kernels.flat(a, 1000, 500)
        # The function that launched them is left where it waits.
        assert a[500] == 0 and a[0] != 5
        kernels.nested(a, -1)
        assert (a[:100] == 1).all()
        with pytest.raises(AssertionError, match="taskIndex != bad"):
            kernels.nested(a, 7)
        with pytest.raises(ZeroDivisionError, match=r"f.ispc:6:65: integer division by zero"):
            kernels.divides(a, 200, 77)
        kernels.divides(a, 200, 1000)
        assert a[:200].tolist() == [int(100 / (index - 1000)) for index in range(200)]


@pytest.mark.parametrize("name", ["while_running", "below"])
def test_tasks_end_before_the_function_that_launched_them_is_left(name: str) -> None:
    kernels = compiled(TASKS)
    for _ in range(50):
        a = np.zeros(2000, np.int32)
        with pytest.raises(AssertionError, match="bad == 0"):
            getattr(kernels, name)(a, 2000, 1)
        after = a.copy()
        getattr(kernels, name)(np.zeros(2000, np.int32), 2000, 0)
        assert (a == after).all()


def test_many_failures_at_once_are_one_exception() -> None:
    kernels = compiled("task void t(uniform int n) { assert(n < 0); } export void f(uniform int n) { launch[n] t(n); }")
    for _ in range(50):
        with pytest.raises(AssertionError, match="n < 0"):
            kernels.f(500)


# --- divisions


def truncated(a: int, b: int) -> tuple[int, int]:
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - b * quotient


DIVISIONS = """
export void divide(uniform T a[], uniform T b, uniform T out[]) {
    out[0] = a[0] / b;
    out[1] = a[0];
    out[1] /= b;
}
export void remainder(uniform T a[], uniform T b, uniform T out[]) {
    out[0] = a[0] % b;
    out[1] = a[0];
    out[1] %= b;
}
"""


@pytest.mark.parametrize("opt", [0, 2])
@pytest.mark.parametrize("type_", INTEGERS)
def test_integer_division_by_zero_is_an_exception_for_every_type(type_: str, opt: int) -> None:
    kernels = compiled(DIVISIONS.replace("T ", f"{type_} "), opt=opt)
    dtype = np.dtype(type_)
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    for a in (0, 1, 7, 100, low, high):
        given, out = np.array([a], dtype), np.zeros(2, dtype)
        for name, part in (("divide", 0), ("remainder", 1)):
            kernel = getattr(kernels, name)
            with pytest.raises(ZeroDivisionError, match=r"f.ispc:\d+:\d+: integer (division|remainder) by zero"):
                kernel(given, 0, out)
            for b in (1, 3, high, *((-1, -3, low) if low else ())):
                if (a, b) == (low, -1) and dtype.itemsize >= 4:
                    with pytest.raises(OverflowError, match=f"of {low} by -1 overflows {type_}"):
                        kernel(given, b, out)
                    continue
                kernel(given, b, out)
                expected = np.array([truncated(a, b)[part]]).astype(dtype)[0]  # short ones wrap around
                assert out.tolist() == [expected, expected], (a, b)


def test_numbers_that_wrap_around_do_so_in_divisions() -> None:
    kernels = compiled(DIVISIONS.replace("T ", "int32 "), wrap_signed=True)
    out = np.zeros(2, np.int32)
    for a, b, quotient, rest in ((-(2**31), -1, -(2**31), 0), (7, -1, -7, 0), (-7, 2, -3, -1)):
        kernels.divide(np.array([a], np.int32), b, out)
        assert out.tolist() == [quotient, quotient]
        kernels.remainder(np.array([a], np.int32), b, out)
        assert out.tolist() == [rest, rest]
    with pytest.raises(ZeroDivisionError):
        kernels.divide(out.copy(), 0, out)


def test_short_vectors_and_constants_too() -> None:
    kernels = compiled(
        """export void vectors(uniform int a[], uniform int b[]) {
    uniform int<3> x = { a[0], a[1], a[2] }, y = { b[0], b[1], b[2] };
    x /= y;
    a[0] = x.x; a[1] = x.y; a[2] = x.z;
}
export uniform int by_constant(uniform int n) { return n / 0; }
export uniform unsigned int by_seven(uniform unsigned int n) { return n / 7 + n % 7; }
"""
    )
    a = np.array([7, 8, -9], np.int32)
    with pytest.raises(ZeroDivisionError, match=r"f.ispc:3:5: integer division by zero"):
        kernels.vectors(a, np.array([1, 2, 0], np.int32))
    kernels.vectors(a, np.array([2, 2, 2], np.int32))
    assert a.tolist() == [3, 4, -4]
    with pytest.raises(ZeroDivisionError):
        kernels.by_constant(1)
    assert kernels.by_seven(20) == 2 + 6


@pytest.mark.parametrize("target", TARGETS)
def test_varying_divisions_by_the_constant_zero_fail_where_they_are_reached(target: str) -> None:
    kernels = compiled(
        "export void always(uniform int a[], uniform int n) { foreach (i = 0 ... n) { if (a[i] > 5) a[i] %= 0; } }",
        target=target,
    )
    a = np.arange(5, dtype=np.int32)
    kernels.always(a, 5)
    a[:] = [1, 6, 2, 3, 4]
    with pytest.raises(ZeroDivisionError, match=r"f.ispc:1:\d+: integer remainder by zero \(in lane 1\)"):
        kernels.always(a, 3)


def test_a_division_that_is_not_needed_does_not_fail() -> None:
    kernels = compiled(
        """export uniform int f(uniform int a, uniform int b) { return b != 0 ? a / b : -1; }
export uniform bool g(uniform int a, uniform int b) { return b != 0 && a / b > 1; }
"""
    )
    assert (kernels.f(7, 2), kernels.f(7, 0), kernels.g(7, 2), kernels.g(7, 0)) == (3, -1, True, False)


def test_failures_on_a_device_are_the_same_exceptions() -> None:
    kernels = voltac.compile(
        """export void f(uniform int a[], uniform int n) {
    foreach (i = 0 ... n) { assert(a[i] >= 0); a[i] += 1; }
}
export uniform int d(uniform int a, uniform int b) { return a / b; }
export uniform unsigned int r(uniform unsigned int a, uniform unsigned int b) { assert(a != 9); return a % b; }
""",
        target="naplespu",
        file="f.ispc",
    )
    a = np.arange(40, dtype=np.int32)
    kernels.f(a, 40)
    assert (a == np.arange(1, 41)).all()
    a[21] = a[23] = -1
    before = a.copy()
    with pytest.raises(AssertionError, match=r"^f.ispc:2:29: Assertion failed: a\[i\] >= 0 \(in lanes 5, 7\) \(core 0, thread"):
        kernels.f(a, 40)
    assert (a == before).all()
    assert kernels.d(-7, 2) == -3 and kernels.r(7, 4) == 3
    with pytest.raises(ZeroDivisionError, match=r"f.ispc:4:61: integer division by zero"):
        kernels.d(7, 0)
    with pytest.raises(OverflowError, match="of -2147483648 by -1 overflows int32"):
        kernels.d(-(2**31), -1)
    with pytest.raises(ZeroDivisionError, match=r"f.ispc:5:\d+: integer remainder by zero"):
        kernels.r(7, 0)
    with pytest.raises(AssertionError, match="a != 9"):
        kernels.r(9, 1)


def test_the_interpreter_raises_the_same_exceptions() -> None:
    from voltac.driver import compile_source
    from voltac.interpreter import Interpreter
    from voltac.options import Options

    source = "export uniform int f(uniform int a, uniform int b) { assert(a != 9); return a / b; }"
    options = Options(find_target("sse4-i32x4"))
    call = Interpreter(compile_source(source, "f.ispc", options, end="check").program, options).call
    assert call("f", [7, 2]) == 3
    for values, error in (([9, 1], AssertionError), ([7, 0], ZeroDivisionError), ([-(2**31), -1], OverflowError)):
        with pytest.raises(error):
            call("f", values)


def test_kernels_that_cannot_fail_are_not_guarded() -> None:
    from voltac.driver import compile_source
    from voltac.lower.control_flow.failure_exits import can_fail
    from voltac.python import make_options

    options = make_options(target="sse4-i32x4")
    source = (
        NESTED
        + """
export void plain(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = (a[i] / 3) * (n / 4); }
"""
    )
    program = compile_source(source, "f.ispc", options, end="check").program
    found = {function.name: can_fail(function, options) for function in program.exports}
    assert found.pop("plain") is False
    assert all(found.values())
