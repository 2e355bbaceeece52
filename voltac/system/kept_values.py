"""Values made of files that travel with the compiler, kept among its ``.pyc`` until one of the files changes.

To read the index of the library from JSON, and to see by the contents of fifty files whether it is theirs, takes 7 ms, and
the tables of the grammar 4; what is kept is read in 2. It is kept as ``.pyc`` are: for one version of Python, and where
Python may write none it is not.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from typing import Any

Stamp = tuple[int, int]
"""Of a file: when it was changed last, in nanoseconds, and its bytes."""


def stamp_of(path: str) -> Stamp | None:
    """None if there is no such file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def kept(name: str, files: Sequence[str], make: Callable[[], Any]) -> Any:
    """What ``make`` makes of ``files``, of which its own is one: numbers, texts, and lists, sets and dictionaries of them."""
    path = place_of(name, sys.modules[__name__.partition(".")[0]].__spec__)
    now = [(file, stamp_of(file)) for file in files]
    with suppress(OSError, ValueError, EOFError, TypeError):
        with open(path, "rb") as file:
            then, value = marshal.loads(file.read())
        if then == now:
            return value
    value = make()
    if now == [(file, stamp_of(file)) for file in files]:
        keep(path, [marshal.dumps((now, value))])
    return value


def keep(path: str, parts: Iterable[bytes | memoryview]) -> None:
    """Put a file in place of another, whole; where that cannot be, nothing happens."""
    if not path or sys.dont_write_bytecode:
        return
    written = f"{path}.{os.getpid()}"
    try:
        with open(written, "xb") as file:
            file.writelines(parts)
        os.replace(written, path)
    except OSError:
        with suppress(OSError):
            os.unlink(written)


def place_of(name: str, spec: ModuleSpec | None) -> str:
    """Of what a package keeps: the ``.pyc`` of ``kept_NAME.py`` beside its ``__init__.py``, which says no more than that.

    Installers make and remove the ``.pyc`` of the modules they know, and leave other files behind. Python, should it read
    this one, sees that it is no code of its version, and so is here what Python may have written.
    """
    if spec is None or not spec.cached:
        return ""
    folder, file = os.path.split(spec.cached)
    return os.path.join(folder, f"kept_{name}.{file.partition('.')[2]}")
