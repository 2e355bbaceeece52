"""A compilation leaves the process as it is, meanwhile and afterwards: only its own thread knows that it recurses deeply."""

from __future__ import annotations

import faulthandler
import gc
import locale
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.system.deep_stack import deep_recursion, with_deep_stack
from voltac.target_info import find_target

pytestmark = pytest.mark.whole

FUNCTION = """export void f{0}(uniform float a[], uniform float b[], uniform int n) {{
    foreach (i = 0 ... n) {{ float s = a[i]; for (uniform int k = 0; k < {0}; ++k) s += b[i + k] * sqrt(s); b[i] = {1}s{2}; }}
}}
"""
PROGRAM = "".join(FUNCTION.format(number, "(" * 400, ")" * 400) for number in range(1, 40))
"""Takes a second, and nests deeply."""


def first_functions(count: int) -> str:
    return "export".join(PROGRAM.split("export")[: count + 1])


def state() -> dict[str, Any]:
    return {
        "recursion limit": sys.getrecursionlimit(),
        "collector": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug(), len(gc.callbacks)),
        "stack size": threading.stack_size(),
        "hooks": (sys.excepthook, threading.excepthook, sys.unraisablehook, sys.gettrace(), sys.getprofile()),
        "signals": [signal.getsignal(number) for number in signal.valid_signals()],
        "signal mask": signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "locale": locale.setlocale(locale.LC_ALL),
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "warnings": (list(warnings.filters), warnings.showwarning),
        "numpy": (np.geterr(), np.geterrcall(), np.get_printoptions()),
        "faulthandler": faulthandler.is_enabled(),
        "switch interval": sys.getswitchinterval(),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
        "path": list(sys.path),
        "umask": _umask(),
    }


def _umask() -> str:
    with open("/proc/self/status") as status:
        return next(line for line in status if line.startswith("Umask"))


def deep(calls: int) -> int:
    return 1 + deep(calls - 1) if calls else 0


def wrong() -> None:
    with pytest.raises(voltac.CompileError):
        voltac.compile(PROGRAM + "int x = ;", cache=False)


COMPILATIONS: dict[str, Callable[[], object]] = {
    "Python": lambda: voltac.compile(PROGRAM, cache=False),
    "driver": lambda: compile_source(PROGRAM, "t.ispc", Options(find_target("sse4-i32x4"), 1)).optimized.object_code(),
    "error": wrong,
    "device": lambda: voltac.compile(first_functions(1), cache=False, target="naplespu"),
}


@pytest.fixture
def nothing_frozen() -> Iterator[None]:
    """Objects that the suite froze (conftest.py) may end at any time, and the count of them with these."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("nothing_frozen")
@pytest.mark.parametrize("compilation", COMPILATIONS)
def test_nothing_of_the_process_changes(compilation: str) -> None:
    failures: list[BaseException] = []

    def body() -> None:
        try:
            COMPILATIONS[compilation]()
        except BaseException as error:
            failures.append(error)

    compiling = threading.Thread(target=body, name="mine")
    gc.collect()
    threads = {thread.name for thread in threading.enumerate()}  # those of other tests may end at any time
    before = state()
    compiling.start()
    looks = 0
    while compiling.is_alive():
        assert state() == before
        assert {thread.name for thread in threading.enumerate()} <= {*threads, "mine"}
        with pytest.raises(RecursionError):
            deep(sys.getrecursionlimit() + 1)
        looks += 1
        compiling.join(0.001)
    assert not failures and looks > 1
    assert state() == before and {thread.name for thread in threading.enumerate()} <= threads


RUNAWAY = """
import threading, sys, voltac

def runaway(n=0):
    return runaway(n + 1) + 1

class Runaway:
    def __getattr__(self, name):
        return getattr(self, name + "x")

def other():
    while compiling.is_alive():
        for attempt in (runaway, lambda: Runaway().x, lambda: sorted([1, 2], key=lambda item: runaway())):
            try:
                attempt()
            except RecursionError:
                counts.append(1)

counts = []
compiling = threading.Thread(target=lambda: voltac.compile(PROGRAM, cache=False))
others = [threading.Thread(target=other) for _ in range(1)]
compiling.start()
for thread in others:
    thread.start()
for thread in [compiling, *others]:
    thread.join()
assert counts
print("done")
"""


def test_a_runaway_recursion_in_another_thread_is_an_error_of_python() -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"PROGRAM = {first_functions(1)!r}\n{RUNAWAY}"], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-2000:]


def test_only_the_thread_itself_recurses_deeply() -> None:
    assert with_deep_stack(lambda: deep(90_000)) == 90_000
    with pytest.raises(RecursionError):
        with_deep_stack(lambda: deep(110_000))
    with deep_recursion(5_000):
        assert deep(4_000) == 4_000
        with pytest.raises(RecursionError):
            deep(6_000)
        found: list[str] = []

        def elsewhere() -> None:
            with pytest.raises(RecursionError):
                deep(4_000)
            found.append("error")

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert found == ["error"]
    with pytest.raises(RecursionError):
        deep(4_000)


def test_a_limit_that_the_program_sets_meanwhile_stays() -> None:
    before = sys.getrecursionlimit()
    try:
        with deep_recursion(50_000):
            sys.setrecursionlimit(2_500)
        assert deep(2_000) == 2_000
        with pytest.raises(RecursionError):
            deep(2_500)
    finally:
        sys.setrecursionlimit(before)


def test_threads_that_compile_at_once_do_not_disturb_each_other() -> None:
    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(with_deep_stack(lambda: deep(50_000)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [50_000] * 8
