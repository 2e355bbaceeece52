"""Timed calls of kernels, in a child process: a kernel may not like the arguments that were made up for it."""

from __future__ import annotations

import faulthandler
import os
import pickle
import select
import signal
import statistics
import time
from collections.abc import Callable
from typing import Any

from voltac.report.comparison import Timing

_SECONDS = 60
"""A child that measures longer is stopped."""


def timer(kernel: Callable[..., object], arguments: list[Any]) -> Callable[[], float]:
    """Nanoseconds a call, from enough calls to last half a millisecond."""
    kernel(*arguments)
    start = time.perf_counter_ns()
    kernel(*arguments)
    repeats = max(1, 500_000 // max(1, time.perf_counter_ns() - start))

    def timed() -> float:
        begin = time.perf_counter_ns()
        for _ in range(repeats):
            kernel(*arguments)
        return (time.perf_counter_ns() - begin) / repeats

    return timed


def timing(times: list[float], elements: int) -> Timing:
    """Of times of calls, an element: the median and the 10th and 90th percentile."""
    ordered = sorted(one / elements for one in times)
    tenth = len(ordered) // 10
    return Timing(statistics.median(ordered), ordered[tenth], ordered[-1 - tenth])


class ChildFailed(Exception):
    """Why there are no times."""


def in_child(measure: Callable[[], Any]) -> Any:
    """The result of ``measure`` from a forked process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        faulthandler.disable()  # a crash here is an answer, not a fault to print
        os.close(reading)
        code = 1
        try:
            with os.fdopen(writing, "wb") as pipe:
                try:
                    pipe.write(pickle.dumps((True, measure())))
                except Exception as error:
                    pipe.write(pickle.dumps((False, str(error))))
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    data = _read_all(reading, child)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise ChildFailed(f"the kernel was ended by signal {os.WTERMSIG(status)} on the generated arguments")
    done, result = pickle.loads(data)  # from our own child
    if not done:
        raise ChildFailed(result)
    return result


def _read_all(reading: int, child: int) -> bytes:
    data, end = b"", time.monotonic() + _SECONDS
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while True:
            ready, _, _ = select.select([pipe], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                raise ChildFailed(f"the kernel did not finish within {_SECONDS} s on the generated arguments")
            part = pipe.read(1 << 16)
            if not part:
                return data
            data += part
