"""numpy arrays that end, or begin, exactly at memory that must not be touched.

The memory is shared with child processes: what a forked child writes, the parent sees.
"""

import ctypes
import mmap
import os
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_PAGE = mmap.PAGESIZE
_PROT_NONE = 0
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class GuardedMemory:
    """Pages between two that nobody may read or write. Keep it as long as its arrays are used."""

    def __init__(self, size: int) -> None:
        self.size = -(-size // _PAGE) * _PAGE
        self._map = mmap.mmap(-1, self.size + 2 * _PAGE)
        self._bytes = np.frombuffer(self._map, np.uint8)
        start = self._bytes.ctypes.data
        for guard in (start, start + _PAGE + self.size):
            if _libc.mprotect(guard, _PAGE, _PROT_NONE) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def array(self, dtype: npt.DTypeLike, count: int, *, at_end: bool = True) -> npt.NDArray[np.generic]:
        """``count`` elements that end where the upper guard begins, or begin where the lower one ends."""
        wanted = np.dtype(dtype).itemsize * count
        if wanted > self.size:
            raise ValueError(f"{wanted} bytes do not fit into {self.size}")
        first = _PAGE + (self.size - wanted if at_end else 0)
        return self._bytes[first : first + wanted].view(dtype)


class FencedCalls:
    """Calls on arrays between guard pages, made one after another by one child process: a fork takes longer than most calls."""

    def __init__(self) -> None:
        self._calls: list[tuple[object, Callable[[], object], list[tuple[Array, Array]]]] = []
        self._memory: list[GuardedMemory] = []

    def copies(self, *arrays: Array, at_end: bool) -> list[Array]:
        """Of the arrays; where they do not end at a guard, they begin at one."""
        made = []
        for array in arrays:
            self._memory.append(GuardedMemory(max(1, array.nbytes)))
            made.append(self._memory[-1].array(array.dtype, len(array), at_end=at_end))
            made[-1][:] = array
        return made

    def add(self, name: object, call: Callable[[], object], *results: tuple[Array, Array]) -> None:
        """A call with what must be in which arrays behind it."""
        self._calls.append((name, call, list(results)))

    def check(self, seconds: int = 60) -> None:
        """AssertionError names the call that ended the process, or whose result is another."""
        assert self._calls
        progress = mmap.mmap(-1, 8)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)
            signal.alarm(seconds)
            for number, (_, call, _) in enumerate(self._calls):
                progress[:] = number.to_bytes(8, "little")
                call()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        assert status == 0, (self._calls[int.from_bytes(progress[:], "little")][0], status)
        for name, _, results in self._calls:
            for array, wanted in results:
                assert array.tolist() == wanted.tolist(), name
