"""Touching a guard page kills the process, touching the array does not."""

import ctypes
import os
import signal

import numpy as np
import pytest
from guard_pages import GuardedMemory


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
