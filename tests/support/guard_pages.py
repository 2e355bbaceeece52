"""numpy arrays that end, or begin, exactly at memory that must not be touched.

The memory is shared with child processes: what a forked child writes, the parent sees.
"""

import ctypes
import mmap
import os

import numpy as np
import numpy.typing as npt

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
