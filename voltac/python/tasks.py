"""``runtime/tasks.ispc`` → the functions by which compiled programs launch tasks (language 11.1), in this process."""

from __future__ import annotations

import ctypes
import os
from _thread import RLock
from collections.abc import Callable, Mapping, Sequence

from voltac.llvm.host import host_target
from voltac.options import Options
from voltac.python.cache import Entry
from voltac.python.object_loader import LoadedCode, load
from voltac.python.source import Source
from voltac.system.shipped_files import shipped_folder

TASK_FUNCTIONS = frozenset({"ISPCAlloc", "ISPCLaunch", "ISPCSync"})

_loading = RLock()
_loaded: dict[str, int] = {}


def launches_tasks(objects: Sequence[bytes]) -> bool:
    """Whether code refers to the task pool: the name is in its table of symbols then."""
    return any(b"ISPCLaunch\0" in code for code in objects)


def task_functions(made: Callable[[Source, Callable[[Entry], LoadedCode]], LoadedCode]) -> Mapping[str, int]:
    """Addresses of the functions of the task pool: one pool for all programs of the process.

    ``made`` compiles a source and calls the function with the result.
    """
    with _loading:
        if not _loaded:
            # Without the second object: nobody calls these functions from Python.
            code = made(_source(), lambda entry: load(entry.objects[:1], {}, sorted(TASK_FUNCTIONS)))
            # The threads of the pool sleep in this code until the process is gone, longer than Python's modules live.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))
            _loaded.update({name: code.addresses[name] for name in TASK_FUNCTIONS})
    return _loaded


def _source() -> Source:
    path = os.path.join(shipped_folder("runtime"), "tasks.ispc")
    with open(path, encoding="utf-8") as file:
        return Source(file.read(), path, Options(target=host_target(), level=2))
