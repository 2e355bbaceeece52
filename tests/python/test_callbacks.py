"""What functions of Python raise that a kernel calls, to print or as its C functions, its call raises when it has ended."""

from __future__ import annotations

import ctypes
import gc
import io
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.python import build, interpreter_layout

PROGRAM = """
struct Five { float a, b, c, d, e; };
typedef unmasked uniform int (*Function)(uniform int x);
extern "C" uniform int step(uniform int x);
extern "C" uniform float mixed(uniform float x, uniform int8 n, uniform uint8 m, uniform double d, uniform bool yes,
    uniform Five * uniform p);
extern "C" uniform int abs(uniform int x);

export void steps(uniform int a[], uniform int n) { for (uniform int i = 0; i < n; ++i) a[i] = step(i); }
export uniform float mix(uniform Five * uniform p) { return mixed(0.5, -3, 250, 0.125, true, p) + abs(-1); }
export void talk(uniform int a[], uniform int n) { for (uniform int i = 0; i < n; ++i) { print("%\\n", i); a[i] = i; } }
task void talker(uniform int a[]) { print("%\\n", taskIndex); a[taskIndex] = taskIndex; }
export void talkers(uniform int a[], uniform int n) { launch[n] talker(a); }
task void stepper(uniform int a[]) { a[taskIndex] = step(taskIndex); }
export void steppers(uniform int a[], uniform int n) { launch[n] stepper(a); }
export uniform int passed(uniform Function f, uniform int x) { return f(x) + f(x + 1); }
export void quiet(uniform int a[]) { a[0] = 1; }
export void turn(uniform int a[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) {
        foreach (k = 0 ... 1000)
            a[k & 7] += k * i;
        print("turn\\n");
    }
}
export void turn_steps(uniform int a[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) {
        foreach (k = 0 ... 1000)
            a[k & 7] += k * i;
        a[8] = step(1);
    }
}
"""

STEP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
MIXED = ctypes.CFUNCTYPE(
    ctypes.c_float, ctypes.c_float, ctypes.c_int8, ctypes.c_uint8, ctypes.c_double, ctypes.c_bool, ctypes.c_void_p
)

Body = Callable[..., Any]


class Steps:
    """What the C functions do, exchanged by each test."""

    step: Body
    mixed: Body


@pytest.fixture(scope="module", params=["entry point", "interpreter without direct access"])
def module(request: pytest.FixtureRequest) -> Iterator[tuple[Any, Steps]]:
    steps = Steps()
    functions = {"step": STEP(lambda x: steps.step(x)), "mixed": MIXED(lambda *given: steps.mixed(*given))}
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "entry point":
            patch.setattr(interpreter_layout, "direct_access", lambda: False)
            patch.setattr(build, "direct_access", lambda: False)
        yield voltac.compile(PROGRAM, file="callbacks.ispc", functions=functions), steps


def failing(error: type[BaseException], at: int, seen: list[int]) -> Body:
    def step(x: int) -> int:
        seen.append(x)
        if x >= at:
            raise error(f"at {x}")
        return x + 1

    return step


class Failing(io.StringIO):
    """A stream that takes so many texts."""

    def __init__(self, takes: int, error: type[BaseException] = BrokenPipeError) -> None:
        super().__init__()
        self.takes, self.error, self.texts = takes, error, 0

    def write(self, text: str) -> int:
        self.texts += 1
        if self.texts > self.takes:
            raise self.error("of the stream")
        return super().write(text)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_the_first_exception_of_a_c_function_is_raised_and_the_kernel_runs_on(
    module: tuple[Any, Steps], error: type[BaseException]
) -> None:
    k, steps = module
    a = np.full(8, -1, np.int32)
    for _ in range(2):
        seen: list[int] = []
        steps.step = failing(error, 3, seen)
        with pytest.raises(error, match=r"^at 3$") as caught:
            k.steps(a, 8)
        assert seen == list(range(8)) and list(a) == [1, 2, 3, 0, 0, 0, 0, 0]
        assert "step" in [entry.name for entry in caught.traceback]
    steps.step = lambda x: 2 * x
    k.steps(a, 8)
    assert list(a) == list(range(0, 16, 2))


@pytest.mark.parametrize("result", ["4", 1.5, None, STEP], ids=repr)
def test_results_that_do_not_convert_are_raised_too(module: tuple[Any, Steps], result: object) -> None:
    k, steps = module
    a = np.full(4, -1, np.int32)
    steps.step = lambda x: result if x == 2 else x
    with pytest.raises(TypeError):
        k.steps(a, 4)
    assert list(a) == [0, 1, 0, 3]
    assert k.passed(STEP(lambda x: x), 1) == 3
    with pytest.raises(TypeError):
        k.passed(STEP(lambda x: result), 1)


def test_all_kinds_of_arguments_arrive(module: tuple[Any, Steps]) -> None:
    k, steps = module
    given: list[Any] = []
    steps.mixed = lambda *values: given.append(values) or 1.5  # type: ignore[func-returns-value]
    p = np.zeros(1, k.mix.dtype("p"))
    assert k.mix(p) == 2.5  # abs is C's own
    assert given == [(0.5, -3, 250, 0.125, True, p.ctypes.data)]


def test_an_exception_of_the_stream_is_raised_and_what_follows_is_dropped(
    module: tuple[Any, Steps], monkeypatch: pytest.MonkeyPatch
) -> None:
    k, _ = module
    a = np.full(8, -1, np.int32)
    for error in (BrokenPipeError, KeyboardInterrupt):
        stream = Failing(2, error)
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(error, match=r"^of the stream$"):
            k.talk(a, 8)
        assert stream.getvalue() == "0\n1\n" and stream.texts == 3
        assert list(a) == list(range(8))
    output = io.StringIO()
    monkeypatch.setattr(sys, "stdout", output)
    k.talk(a, 3)
    assert output.getvalue() == "0\n1\n2\n"


def test_exceptions_in_tasks_are_raised_by_the_call(module: tuple[Any, Steps], monkeypatch: pytest.MonkeyPatch) -> None:
    k, steps = module
    a = np.full(64, -1, np.int32)
    for _ in range(20):
        steps.step = failing(ValueError, 32, [])
        with pytest.raises(ValueError, match="at "):
            k.steppers(a, 64)
        assert list(a) == [*range(1, 33), *[0] * 32]
        monkeypatch.setattr(sys, "stdout", Failing(3))
        with pytest.raises(BrokenPipeError):
            k.talkers(a, 64)
        assert list(a) == list(range(64))
        output = io.StringIO()
        monkeypatch.setattr(sys, "stdout", output)
        k.talkers(a, 4)
        assert sorted(output.getvalue().split()) == list("0123")


def test_functions_that_are_arguments(module: tuple[Any, Steps]) -> None:
    k, _ = module
    assert k.passed(STEP(lambda x: 10 * x), 2) == 50
    seen: list[int] = []
    with pytest.raises(ValueError, match=r"^at 3$"):
        k.passed(STEP(failing(ValueError, 3, seen)), 2)
    assert seen == [2, 3]
    function = STEP(lambda x: x)
    assert k.passed(function, 1) == k.passed(function, 1) == 3
    assert k.passed(STEP(("abs", ctypes.CDLL(None))), -3) == 5
    assert k.passed(ctypes.cast(function, ctypes.c_void_p).value, 1) == 3


def test_nested_calls_raise_in_the_inner_call_first(module: tuple[Any, Steps]) -> None:
    k, steps = module
    a, inner = np.zeros(2, np.int32), np.zeros(4, np.int32)

    def fail(x: int) -> int:
        raise ValueError(f"inner {x}")

    def step(x: int) -> int:
        before, steps.step = steps.step, fail
        try:
            with pytest.raises(ValueError, match=r"^inner 0$"):
                k.steps(inner, 4)
        finally:
            steps.step = before
        return 5

    steps.step = step
    k.steps(a, 2)
    assert list(a) == [5, 5]


def test_each_thread_gets_its_own_exceptions(module: tuple[Any, Steps]) -> None:
    k, steps = module
    found: list[bool] = []

    def step(x: int) -> int:
        time.sleep(0.001)
        raise ValueError(threading.current_thread().name)

    def body() -> None:
        a = np.zeros(2, np.int32)
        for _ in range(10):
            try:
                k.steps(a, 2)
            except ValueError as error:
                found.append(str(error) == threading.current_thread().name)
            k.quiet(a)

    steps.step = step
    threads = [threading.Thread(target=body) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 60


def test_functions_live_as_long_as_they_are_needed(module: tuple[Any, Steps]) -> None:
    k = voltac.compile(PROGRAM, file="callbacks.ispc", functions={"step": STEP(lambda x: x + 7), "mixed": MIXED(lambda *_: 0)})
    steps = k.steps
    del k
    gc.collect()
    a = np.zeros(2, np.int32)
    steps(a, 2)
    assert list(a) == [7, 8]


INTERRUPTED = """
import ctypes, os, signal, sys, threading, time
import numpy as np, voltac
k = voltac.compile(PROGRAM, functions={"step": STEP(lambda x: x), "mixed": 1}, file="callbacks.ispc")
sys.stdout = open(os.devnull, "w")
a = np.zeros(9, np.int32)
kernel = k.turn if sys.argv[1] == "print" else k.turn_steps
for attempt in range(10):
    start = time.perf_counter()
    try:
        threading.Timer(0.02 + attempt / 1000, os.kill, (os.getpid(), signal.SIGINT)).start()
        while time.perf_counter() < start + 20:
            kernel(a, 20_000)
        sys.exit("never interrupted")
    except KeyboardInterrupt:
        pass
sys.__stdout__.write("done")
"""


@pytest.mark.parametrize("what", ["print", "C function"])
def test_control_c_while_a_kernel_computes_is_not_lost(what: str) -> None:
    types = "import ctypes\nSTEP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)\n"
    code = f"{types}PROGRAM = {PROGRAM!r}\n{INTERRUPTED}"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, what], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done", "")
