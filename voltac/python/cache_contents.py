"""The cache as a whole, for ``voltac cache``: what is in it, emptying it, and looking for what is damaged."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from voltac.python.cache import STATE_SUFFIX, SUFFIX, TEMPORARY, is_damaged, open_folder
from voltac.records import record


@record
class CacheFile:
    """A file of the cache, as the file system describes it."""

    name: str
    size: int
    used: float
    """When it was read or written last, in seconds since 1970."""

    @property
    def is_program(self) -> bool:
        """Whether it holds a compiled program; other files say what the compiler's own contain, or are not finished."""
        return self.name.endswith(SUFFIX)


def files() -> list[CacheFile]:
    """All files that voltac has put there, the one used longest ago first."""
    with _opened() as folder:
        return [] if folder is None else _files(folder)


def clear() -> list[CacheFile]:
    """Remove them, and say which; who uses one of them at this time is not disturbed."""
    with _opened() as folder:
        return [] if folder is None else [file for file in _files(folder) if _removed(folder, file.name)]


def remove_damaged() -> list[CacheFile]:
    """Read every file, remove those whose content is not what was written, and say which."""
    with _opened() as folder:
        if folder is None:
            return []
        finished = [file for file in _files(folder) if not file.name.endswith(TEMPORARY)]
        damaged = [file for file in finished if is_damaged(folder, file.name)]
        return [file for file in damaged if _removed(folder, file.name)]


@contextmanager
def _opened() -> Iterator[int | None]:
    folder = open_folder()
    try:
        yield folder
    finally:
        if folder is not None:
            os.close(folder)


def _files(folder: int) -> list[CacheFile]:
    found = []
    with os.scandir(folder) as items:
        for item in items:
            with suppress(FileNotFoundError):
                status = item.stat(follow_symlinks=False)
                if item.name.endswith((SUFFIX, STATE_SUFFIX, TEMPORARY)) and not stat.S_ISDIR(status.st_mode):
                    found.append(CacheFile(item.name, status.st_size, status.st_mtime))
    return sorted(found, key=lambda file: file.used)


def _removed(folder: int, name: str) -> bool:
    """Whether it was this process that removed it."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True
