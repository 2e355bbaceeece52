"""What the compiler's own files contain, for the keys of the cache: a compiler that was changed finds nothing of before.

Hashing some four hundred files would take longer than a cached kernel's whole first call. So the hash of their contents is
itself kept in the cache, under what the file system says of each of them: number, size and both times. The time of the
last change of a file's state cannot be set by anybody; it is believed only if it was over for some time when the file was read.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from voltac.python import cache as disk
from voltac.python.hashing import sha256
from voltac.system.shipped_files import PACKAGE, shipped_folder

_SETTLED = 3.0
"""Seconds. File systems count time in steps, the coarsest of two seconds: a second change within a step would not show."""

_Row = tuple[str, int, int, int, int]
"""Path; number, size, times of the last change of the content and of the state in nanoseconds."""


def _rows(*folders: str) -> list[_Row]:
    """All files in folders, but for the byte code that Python makes of them."""
    found = []
    pending = list(folders)
    for folder in pending:
        with os.scandir(folder) as items:
            for item in items:
                if item.is_dir():
                    if item.name != "__pycache__":
                        pending.append(item.path)
                else:
                    status = item.stat()
                    found.append((item.path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return sorted(found)


def _own_rows() -> list[_Row]:
    return _rows(PACKAGE, shipped_folder("stdlib"), shipped_folder("runtime"))


_AT_START = _own_rows()
"""When this module was imported, and with it the compiler's first ones."""


@cache
def compiler_state() -> list[Any] | None:
    """What changes whenever voltac or llvmlite does; None if the files are not those any more that this process began with."""
    key = disk.key_of({"files": _AT_START})
    known = disk.find(key, disk.STATE_SUFFIX)
    if known is not None:
        return [known.description["contents"], _llvmlite()]
    started = time.time()
    contents = sha256("".join(_hashes(_AT_START)).encode()).hexdigest()
    if not is_unchanged():
        return None
    newest = max(max(row[3:]) for row in _AT_START) / 1e9
    if newest < started - _SETTLED:
        disk.store(key, {"contents": contents}, (), suffix=disk.STATE_SUFFIX)
    return [contents, _llvmlite()]


def is_unchanged() -> bool:
    """Whether the compiler's files are those this process began with: it imports its parts when they are needed."""
    try:
        return _own_rows() == _AT_START
    except OSError:
        # It is being replaced by another.
        return False


def _hashes(rows: list[_Row]) -> Iterator[str]:
    for path, *_ in rows:
        yield f"{path} {disk.content_hash(path)}\n"


def _llvmlite() -> list[Any]:
    """The library that llvmlite is, by what the file system says of it: it has 180 MB. Finding it does not import it."""
    # As importlib.util does it, whose import takes longer.
    specs = (finder.find_spec("llvmlite", None) for finder in sys.meta_path)
    found = next((spec for spec in specs if spec is not None), None)
    if found is None or found.origin is None:
        return []
    return list(_rows(os.path.join(os.path.dirname(found.origin), "binding")))
