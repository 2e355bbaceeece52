"""The task pool under kernels called from Python, with one thread, two, and more than there are processors."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac

_CLAIMS = Path(__file__).parent / "task_claims.py"


@pytest.fixture(scope="module", params=["1", "2", "8"])
def found(request: pytest.FixtureRequest, cache_of_this_run: Path) -> Any:
    """What the claims gave with so many threads."""
    environment = {**os.environ, "VOLTAC_NUM_THREADS": request.param}
    done = subprocess.run([sys.executable, str(_CLAIMS)], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "count": int(request.param)}


def test_every_launch_form_runs_each_task_once_with_its_indices(found: Any) -> None:
    assert found["launch_forms"]


def test_tasks_work_on_parts_of_an_array(found: Any) -> None:
    assert found["parts_of_an_array"]


def test_a_hundred_thousand_tiny_tasks_all_run(found: Any) -> None:
    assert found["many_tiny_tasks"]


def test_launches_in_loops_all_run(found: Any) -> None:
    assert found["launches_in_loops"]


def test_tasks_launch_tasks_and_wait_for_them(found: Any) -> None:
    assert found["nested_launches"]


def test_several_python_threads_launch_at_once(found: Any) -> None:
    assert found["several_python_threads"]


def test_no_two_running_tasks_have_one_thread_index(found: Any) -> None:
    doubled, outside, threads, used = found["thread_indices"]
    assert (doubled, outside, threads) == (0, 0, found["count"])
    assert 1 <= used <= threads


def test_tasks_run_at_the_same_time(found: Any) -> None:
    """Eight naps of 0.1 s take their share of a thread, whatever the load of the machine."""
    alone = 0.8
    assert found["seconds_of_eight_naps"] >= 0.99 * alone / found["count"]
    if found["count"] == 8:
        assert found["seconds_of_eight_naps"] < alone / 2


def test_a_waiting_thread_helps_with_tasks_its_tasks_launched(found: Any) -> None:
    assert found["seconds_of_uneven_naps"] >= 0.99 * 0.4 / min(found["count"], 4)
    if found["count"] == 2:
        assert found["seconds_of_uneven_naps"] < 0.35


def test_varying_arguments_arrive_in_all_lanes(found: Any) -> None:
    assert found["varying_arguments"]


def test_flushing_of_denormals_does_not_depend_on_the_thread(found: Any) -> None:
    assert found["denormals_flushed"] == 64


def test_idle_threads_sleep(found: Any) -> None:
    assert found["idle_processor_seconds"] < 0.05


def test_a_forked_child_starts_a_pool_of_its_own(found: Any) -> None:
    assert found["after_fork"] == [0] * 10


def test_threads_start_at_the_first_launch(found: Any) -> None:
    assert found["threads_started"] == [0, found["count"] - 1]


@pytest.mark.parametrize("text", ["", "0", "two", "3x"])
def test_without_a_sensible_number_there_is_a_thread_for_each_processor(text: str) -> None:
    program = (
        "import numpy as np, voltac; n = np.zeros(1, np.int32);"
        "voltac.compile('task void t(uniform int32 n[]) { n[0] = threadCount; }"
        " export void f(uniform int32 n[]) { launch t(n); }').f(n); print(n[0])"
    )
    environment = {**os.environ, "VOLTAC_NUM_THREADS": text}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == str(len(os.sched_getaffinity(0))), done.stderr


def test_task_functions_of_the_user_come_first() -> None:
    """They run each task at once, with a thread count no pool has."""
    task = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int] * 10)
    alive: list[Any] = []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int64, ctypes.c_int32)  # type: ignore[untyped-decorator]
    def allocate(handle: Any, size: int, alignment: int) -> int:
        alive.append(ctypes.create_string_buffer(size + alignment))
        handle[0] = 1
        address = ctypes.addressof(alive[-1])
        return address + -address % alignment

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int] * 3)  # type: ignore[untyped-decorator]
    def start(handle: Any, function: Any, data: Any, a: int, b: int, c: int) -> None:
        for i in range(a):
            task(function)(data, 0, 4321, i, a, i, 0, 0, a, b, c)

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
    def wait(handle: Any) -> None:
        alive.clear()

    source = """
    task void t(uniform int32 n[]) { n[taskIndex] = threadCount; }
    export void f(uniform int32 n[]) { launch[3] t(n); }
    """
    numbers = np.zeros(3, np.int32)
    functions = {"ISPCAlloc": allocate, "ISPCLaunch": start, "ISPCSync": wait}
    voltac.compile(source, functions=functions).f(numbers)
    assert numbers.tolist() == [4321] * 3 and not alive


def test_memory_of_launches_is_given_back() -> None:
    program = """
import resource, numpy as np, voltac
k = voltac.compile('''
task void t(uniform int32 n[], uniform int64 a, uniform int64 b) { atomic_add_global(&n[0], 1); }
export void f(uniform int32 n[], uniform int count) { for (uniform int i = 0; i < count; ++i) launch t(n, i, i); }
''')
n = np.zeros(1, np.int32)
for _ in range(10):
    k.f(n, 1000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(1000):
    k.f(n, 1000)
print(n[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    tasks, kilobytes = map(int, done.stdout.split())
    assert tasks == 1_010_000
    assert kilobytes < 20_000  # all launches together take more than 150,000
