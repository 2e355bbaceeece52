"""Reading files that may be anything: a pipe nobody writes to, a device without an end, a file larger than memory."""

from __future__ import annotations

import os
import stat

LARGEST = 256 << 20
"""Bytes; no source, and nothing the cache keeps, is larger."""


class FileTooLarge(OSError):
    """A file has more than :data:`LARGEST` bytes."""

    def __init__(self) -> None:
        super().__init__(0, f"it is larger than {LARGEST >> 20} MB")


def read_regular_file(path: str, folder: int | None = None) -> bytes:
    """The content of a plain file, links followed; OSError for whatever else the name leads to, without waiting for it."""
    return _read(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=folder), True)


def read_file(path: str) -> bytes:
    """The content of a file or of a pipe."""
    return _read(os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC), False)


def _read(handle: int, regular: bool) -> bytes:
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(21, "it is a directory")
        if regular and not stat.S_ISREG(mode):
            raise OSError(0, "it is no plain file")
        parts = []
        left = LARGEST + 1
        while left and (part := os.read(handle, min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
        if not left:
            raise FileTooLarge
        return b"".join(parts)
    finally:
        os.close(handle)
