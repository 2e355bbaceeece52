"""Touching a guard page kills the process, touching the array does not."""

import ctypes
import os
import signal

import numpy as np
import pytest
from guard_pages import FencedCalls, GuardedMemory


def exit_status(address: int) -> int:
    """How a child ends that reads a byte at an address."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        ctypes.c_byte.from_address(address).value  # noqa: B018
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("at_end", [True, False])
def test_guards_lie_beside_the_array(at_end: bool) -> None:
    memory = GuardedMemory(400)
    array = memory.array(np.float32, 100, at_end=at_end)
    array[:] = 1
    start, end = array.ctypes.data, array.ctypes.data + array.nbytes
    assert exit_status(end - 1) == exit_status(start) == 0
    assert exit_status(end if at_end else start - 1) == signal.SIGSEGV


def test_a_child_writes_for_its_parent() -> None:
    memory = GuardedMemory(8)
    array = memory.array(np.int64, 1)
    child = os.fork()
    if child == 0:
        array[0] = 7
        os._exit(0)
    os.waitpid(child, 0)
    assert array[0] == 7


def test_a_call_that_ends_the_process_is_named() -> None:
    calls = FencedCalls()
    (array,) = calls.copies(np.arange(5, dtype=np.int32), at_end=True)
    calls.add("inside", lambda: ctypes.c_byte.from_address(array.ctypes.data).value)
    calls.check()
    calls.add("outside", lambda: ctypes.c_byte.from_address(array.ctypes.data + array.nbytes).value)
    calls.add("behind it", lambda: None)
    with pytest.raises(AssertionError, match="'outside', 11"):
        calls.check()


def test_another_result_is_named() -> None:
    calls = FencedCalls()
    (array,) = calls.copies(np.zeros(3), at_end=False)
    calls.add("first", lambda: array.fill(2), (array, np.full(3, 2.0)))
    calls.check()
    calls.add("second", lambda: array.fill(3), (array, np.array([3.0, 3.0, 4.0])))
    with pytest.raises(AssertionError, match="first"):
        calls.check()
