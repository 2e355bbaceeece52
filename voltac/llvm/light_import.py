"""``llvmlite.binding`` in a process that only compiles: its library is read while the front end works, the rest stays out.

To import it takes 50 ms, of which the library takes 10. The others go to modules of Python that a compiler never calls:
``importlib.resources`` with ``tempfile``, ``zipfile`` and ``urllib``, to find a file that lies beside; ``llvmlite.ir``;
``platform``. Others stand in their places while llvmlite is imported. This is for the command's own process:
elsewhere other threads may import the same modules.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_LIBRARIES = {"linux": "libllvmlite.so", "darwin": "libllvmlite.dylib"}
_OTHERS_READ_BEFORE = ("_bisect", "_struct", "math")
"""Modules of Python that are libraries, and that every compilation imports: the system opens one at a time."""
_ARENA_MAX = -8
"""Of glibc's ``mallopt``: how many arenas there may be."""
_alone = _light = False


def process_is_own() -> None:
    """Nothing else goes on in this process."""
    global _alone
    _alone = True


def choose() -> None:
    """Where that is so, import llvmlite in the light way when it is asked for."""
    global _light
    _light = _alone and "llvmlite" not in sys.modules and sys.platform in _LIBRARIES
    if _light:
        _share_arena()


def _share_arena() -> None:
    """All threads allocate where the first one does: glibc asks the system for each few pages of the arena of another one, a
    thousand times for a program of 300 lines."""
    import ctypes  # late: who compiles needs it

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)


def begin() -> None:
    """If that was chosen, have another thread read the library from now on."""
    if not _light or "llvmlite" in sys.modules:
        return
    import _thread  # late, as all of these: they are for this
    import ctypes

    for name in _OTHERS_READ_BEFORE:
        import_module(name)
    for folder in sys.path:
        package = os.path.join(folder, "llvmlite")
        if os.path.isdir(package):
            path = os.path.join(package, "binding", _LIBRARIES[sys.platform])
            # Not ctypes.CDLL(): that keeps all other threads waiting. Whoever opens it next finds it there.
            _thread.start_new_thread(ctypes.CDLL(None).dlopen, (os.fsencode(path), os.RTLD_NOW | os.RTLD_LOCAL))
            return


def import_binding() -> Any:
    """The module ``llvmlite.binding``."""
    if _light and "llvmlite" not in sys.modules:
        try:
            return _import_light()
        except Exception:
            # Another version of llvmlite may need more.
            for name in [name for name in sys.modules if name.partition(".")[0] == "llvmlite"]:
                del sys.modules[name]
    import llvmlite.binding  # late: see above

    return llvmlite.binding


def _import_light() -> Any:
    stand_ins = {name: module for name, module in _stand_ins().items() if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        import llvmlite.binding  # late: see above

        return llvmlite.binding
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
        package = sys.modules.get("llvmlite")
        if package is not None:
            vars(package).pop("ir", None)


def _stand_ins() -> dict[str, ModuleType]:
    resources = ModuleType("importlib.resources")
    vars(resources).update(files=_folder_of, as_file=lambda path: path)
    return {"importlib.resources": resources, "llvmlite.ir": _Unused("llvmlite.ir"), "platform": _Unused("platform")}


class _Unused(ModuleType):
    """Has every name, for class bodies and annotations."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return object


class _Path(str):
    """A path as ``importlib.resources`` gives it, of a file that is one."""

    def __truediv__(self, name: str) -> _Path:
        return _Path(os.path.join(self, name))

    def __enter__(self) -> _Path:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _folder_of(package: str) -> _Path:
    return _Path(sys.modules[package].__path__[0])
