"""Run by ``test_tasks.py`` in processes of their own, as the number of threads is settled at the first launch.

Prints, as JSON, what each function below returns.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import warnings
from typing import Any

import numpy as np

import voltac

SOURCE = """
task void place(uniform int32 out[], uniform int32 indices[][7]) {
    uniform int at = taskIndex0 + taskCount0 * (taskIndex1 + taskCount1 * taskIndex2);
    out[at] += 1;
    indices[at][0] = taskIndex;
    indices[at][1] = taskIndex0;
    indices[at][2] = taskIndex1;
    indices[at][3] = taskIndex2;
    indices[at][4] = taskCount;
    indices[at][5] = taskCount0 * 10000 + taskCount1 * 100 + taskCount2;
    indices[at][6] = threadIndex >= 0 && threadIndex < threadCount;
}
export void no_count(uniform int32 out[], uniform int32 indices[][7]) { launch place(out, indices); }
export void line(uniform int32 out[], uniform int32 indices[][7], uniform int a) { launch[a] place(out, indices); }
export void plane(uniform int32 out[], uniform int32 indices[][7], uniform int a, uniform int b) {
    launch[a, b] place(out, indices);
}
export void space(uniform int32 out[], uniform int32 indices[][7], uniform int a, uniform int b, uniform int c) {
    launch[a, b, c] place(out, indices);
}
export void space_as_in_c(uniform int32 out[], uniform int32 indices[][7], uniform int a, uniform int b, uniform int c) {
    launch[c][b][a] place(out, indices);
}

task void roots(uniform float a[], uniform int n) {
    uniform int per = (n + taskCount - 1) / taskCount;
    uniform int low = taskIndex * per;
    uniform int high = min(low + per, n);
    foreach (i = low ... high) a[i] = sqrt(a[i]);
}
export void all_roots(uniform float a[], uniform int n, uniform int tasks) { launch[tasks] roots(a, n); sync; }

task void add_one(uniform int32 out[], uniform int i) { out[i] += i; }
export void one_by_one(uniform int32 out[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) launch add_one(out, i);
}
export void one_at_a_time(uniform int32 out[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) { launch add_one(out, i); sync; launch add_one(out, i); sync; }
}

task void leaf(uniform int32 out[], uniform int first) { out[first + taskIndex] += 1; }
task void branch(uniform int32 out[], uniform int m) {
    launch[m] leaf(out, taskIndex * m);
    sync;
    launch[m] leaf(out, taskIndex * m);
}
export void nested(uniform int32 out[], uniform int n, uniform int m) { launch[n] branch(out, m); sync; }

task void fibonacci_of(uniform int32 out[], uniform int n) {
    if (n < 2) { *out = n; return; }
    uniform int32 a[1], b[1];
    launch fibonacci_of(a, n - 1);
    launch fibonacci_of(b, n - 2);
    sync;
    *out = a[0] + b[0];
}
export uniform int32 fibonacci(uniform int n) {
    uniform int32 out[1];
    launch fibonacci_of(out, n);
    sync;
    return out[0];
}

extern "C" uniform int32 usleep(uniform int32 microseconds);
struct Seen { int32 at_once[64]; int32 doubled; int32 outside; int32 threads; int32 used[64]; };
task void watched(uniform Seen * uniform seen) {
    if (threadIndex < 0 || threadIndex >= threadCount) atomic_add_global(&seen->outside, 1);
    if (atomic_add_global(&seen->at_once[threadIndex], 1) != 0) atomic_add_global(&seen->doubled, 1);
    usleep(2000);
    atomic_add_global(&seen->at_once[threadIndex], -1);
    seen->used[threadIndex] = 1;
    seen->threads = threadCount;
}
export void watch(uniform int32 seen[], uniform int n) { launch[n] watched((uniform Seen * uniform)seen); }

task void nap(uniform int microseconds) { usleep(microseconds); }
export void naps(uniform int n, uniform int microseconds) {
    for (uniform int i = 0; i < n; ++i) launch nap(microseconds);
}
task void uneven(uniform int microseconds) { if (taskIndex == 1) { launch[4] nap(microseconds); } }
export void uneven_naps(uniform int microseconds) { launch[2] uneven(microseconds); }

task void keep(uniform int32 out[], varying int value, uniform double x) { out[programIndex] = value; out[64] = (int)x; }
export void varying_argument(uniform int32 out[]) { launch keep(out, 3 * programIndex, 7.5d); }

task void halve(uniform float a[]) { usleep(1000); a[taskIndex] *= 0.5f; }
export void halves(uniform float a[], uniform int n) { launch[n] halve(a); }
"""

THREADS_BEFORE = len(os.listdir("/proc/self/task"))
K = voltac.compile(SOURCE)


def threads_started() -> list[int]:
    """Threads of the process, more than before, after compiling and after the first launch."""
    time.sleep(0.1)  # a thread that has been joined may be listed a moment longer
    compiled = len(os.listdir("/proc/self/task"))
    K.one_by_one(np.zeros(1, np.int32), 1)
    return [compiled - THREADS_BEFORE, len(os.listdir("/proc/self/task")) - compiled]


def launch_forms() -> bool:
    """Every form runs every task once, with the indices of section 11 of the language."""
    for kernel, counts in (
        (K.no_count, ()),
        (K.line, (1,)),
        (K.line, (1000,)),
        (K.plane, (7, 30)),
        (K.space, (5, 6, 7)),
        (K.space_as_in_c, (5, 6, 7)),
        (K.space, (1, 1, 50)),
        (K.space, (3, 0, 5)),
    ):
        a, b, c = (*counts, 1, 1, 1)[:3]
        total = a * b * c
        out, indices = np.zeros(total + 1, np.int32), np.zeros((total + 1, 7), np.int32)
        kernel(out, indices, *counts)
        z, y, x = (grid.ravel() for grid in np.mgrid[:c, :b, :a])
        expected = np.stack(
            [np.arange(total), x, y, z, np.full(total, total), np.full(total, a * 10000 + b * 100 + c), np.ones(total)], axis=1
        )
        if not (np.array_equal(out, [1] * total + [0]) and np.array_equal(indices[:total], expected)):
            return False
    return True


def parts_of_an_array() -> bool:
    values = np.linspace(0, 1000, 100_003, dtype=np.float32)
    for tasks in (1, 16, 1001):
        array = values.copy()
        K.all_roots(array, len(array), tasks)
        if not np.array_equal(array, np.sqrt(values)):
            return False
    return True


def many_tiny_tasks() -> bool:
    n = 100_000
    out, indices = np.zeros(n, np.int32), np.zeros((n, 7), np.int32)
    K.line(out, indices, n)
    return bool((out == 1).all() and (indices[:, 0] == np.arange(n)).all())


def launches_in_loops() -> bool:
    out = np.zeros(20_000, np.int32)
    K.one_by_one(out, len(out))
    K.one_at_a_time(out, 1000)
    expected = np.arange(len(out))
    expected[:1000] *= 3
    return np.array_equal(out, expected)


def nested_launches() -> bool:
    out = np.zeros(200 * 50, np.int32)
    K.nested(out, 200, 50)
    return bool((out == 2).all()) and K.fibonacci(18) == 2584


def several_python_threads() -> bool:
    good: list[bool] = []

    def work() -> None:
        for _ in range(10):
            good.append(parts_of_an_array() and nested_launches())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(good) == 40 and all(good)


def thread_indices() -> list[int]:
    """Doubled, outside, thread count and indices used, with launches from three threads at once."""
    seen = np.zeros(64 + 3 + 64, np.int32)
    threads = [threading.Thread(target=K.watch, args=(seen, 40)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [*map(int, seen[64:67]), int(seen[67:].sum())]


def seconds_of_eight_naps() -> float:
    start = time.perf_counter()
    K.naps(8, 100_000)
    return time.perf_counter() - start


def seconds_of_uneven_naps() -> float:
    """Four naps launched by one of two tasks: the thread that waits for that task takes its share."""
    start = time.perf_counter()
    K.uneven_naps(100_000)
    return time.perf_counter() - start


def varying_arguments() -> bool:
    out = np.full(65, -1, np.int32)
    K.varying_argument(out)
    lanes = int((out >= 0).sum()) - 1
    return out[:lanes].tolist() == list(range(0, 3 * lanes, 3)) and int(out[64]) == 7


def denormals_flushed() -> int:
    """Of 64 tasks; the state of the launching thread must not matter."""
    numbers = np.full(64, 1.2e-38, np.float32)
    voltac.compile(SOURCE, reset_ftz_daz=True).halves(numbers, 64)
    return int((numbers.view(np.int32) == 0).sum())


def idle_processor_seconds() -> float:
    before = time.process_time()
    time.sleep(0.5)
    return time.process_time() - before


def after_fork() -> list[int]:
    """Exit codes of children that launch: forked idle, and while other threads launch all the time."""
    codes = []
    for busy in (False, True):
        stop = threading.Event()

        def work(stop: threading.Event = stop) -> None:
            while not stop.is_set():
                parts_of_an_array()

        threads = [threading.Thread(target=work) for _ in range(2 if busy else 0)]
        for thread in threads:
            thread.start()
        for _ in range(5):
            child = os.fork()
            if child == 0:
                os._exit(0 if nested_launches() and parts_of_an_array() and launch_forms() else 1)
            codes.append(os.waitpid(child, 0)[1])
        stop.set()
        for thread in threads:
            thread.join()
    return codes


CLAIMS = (
    threads_started, launch_forms, parts_of_an_array, many_tiny_tasks, launches_in_loops, nested_launches,
    several_python_threads, thread_indices, seconds_of_eight_naps, seconds_of_uneven_naps, varying_arguments,
    denormals_flushed, idle_processor_seconds, after_fork,
)  # fmt: skip

if __name__ == "__main__":
    # Forking with threads is what is tested.
    warnings.simplefilter("ignore", DeprecationWarning)
    found: dict[str, Any] = {claim.__name__: claim() for claim in CLAIMS}
    json.dump(found, sys.stdout)
