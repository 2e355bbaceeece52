"""What the compiler's own files contain, for the keys of the cache: a compiler that was changed finds nothing of before.

Contents, and names within the installation: voltac installed again, in another environment or in another image finds what the
same voltac has made. Hashing some four hundred files would take longer than a cached kernel's whole first call. So the hash of
their contents is itself kept in the cache, under what the file system says of each of them: number, size and both times. The
time of the last change of a file's state cannot be set by anybody; it is believed only if it was over for some time when the
file was read. Of llvmlite, whose library has 180 MB, the installer's own record of hashes is believed.
"""

from __future__ import annotations

import os
import sys
import time
from functools import cache

from voltac.python import cache as disk
from voltac.python.hashing import sha256
from voltac.system.shipped_files import PACKAGE, shipped_folder

TYPE_CHECKING = False  # see voltac/__init__.py
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

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
                    found.append(_row_of(item.path, item.stat()))
    return sorted(found)


def _row_of(path: str, status: os.stat_result) -> _Row:
    return path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _row(path: str) -> _Row:
    return _row_of(path, os.stat(path))


def _library_rows() -> list[_Row]:
    return _rows(shipped_folder("stdlib"), shipped_folder("runtime"))


def _own_rows() -> list[_Row]:
    return sorted({*_rows(PACKAGE), *_library_rows()})


_LIBRARY = _library_rows()
_AT_START = _own_rows()
"""When this module was imported, and with it the compiler's first ones."""
_FIRST = frozenset(_AT_START)
_TEXTS = [row for row in _AT_START if row[0].startswith(PACKAGE + os.sep) and not row[0].endswith(".py")]
"""Of the package's files those that are read as they are."""
_IMPORTED_FROM = os.path.dirname(os.path.dirname(__file__))
"""The package's folder as modules name it: there may be links in its path."""
_seen: dict[str, ModuleSpec] = {}
"""Module of the compiler -> the specification it was imported by, from a file that was as at the start."""


@cache
def compiler_state() -> str | None:
    """What changes whenever voltac or llvmlite does; None if the files are not those any more that this process began with."""
    rows = [*_AT_START, *_llvmlite_rows()]
    key = disk.key_of({"files": rows})
    known = disk.find(key, disk.STATE_SUFFIX)
    if known is not None:
        contents: str = known.description["contents"]
        return contents
    started = time.time()
    contents = contents_hash(rows)
    if not _are_as_at_the_start():
        return None
    newest = max(max(row[3:]) for row in rows) / 1e9
    if newest < started - _SETTLED:
        disk.store(key, {"contents": contents}, (), suffix=disk.STATE_SUFFIX)
    return contents


def _are_as_at_the_start() -> bool:
    try:
        return _own_rows() == _AT_START
    except OSError:
        # It is being replaced by another.
        return False


def is_unchanged() -> bool:
    """Whether what this process has read of the compiler's files is what was in them when it began.

    It imports its parts when they are needed: a file that is another by then is not what :func:`compiler_state` knows. One
    that changes later changes nothing here, so each module's file is looked at once, behind its import: looking at all of
    them takes a tenth of a small compilation. What is no Python may be read at any time.
    """
    try:
        return _library_rows() == _LIBRARY and all(_row(row[0]) == row for row in _TEXTS) and _modules_are_from_the_start()
    except OSError:
        return False


def _modules_are_from_the_start() -> bool:
    for name in [name for name in list(sys.modules) if name.startswith("voltac.")]:
        found: ModuleSpec | None = getattr(sys.modules.get(name), "__spec__", None)
        if found is None or _seen.get(name) is found:
            continue
        origin = found.origin or ""
        if origin.startswith(_IMPORTED_FROM) and _row(PACKAGE + origin[len(_IMPORTED_FROM) :]) not in _FIRST:
            return False
        # Of one that another thread is importing, the file may be read still.
        if not getattr(found, "_initializing", False):
            _seen[name] = found
    return True


def contents_hash(rows: list[_Row]) -> str:
    """Of the files' contents, each under the name it has in every installation."""
    recorded = _recorded_hashes(rows)
    lines = {f"{_installed_name(path)} {recorded.get(path) or _hash_of(path)}\n" for path, *_ in rows}
    return sha256("".join(sorted(lines)).encode()).hexdigest()


def _hash_of(path: str) -> str:
    """As installers write it."""
    # late: OpenSSL's is several times as fast, which counts for the library of llvmlite
    from base64 import urlsafe_b64encode
    from hashlib import file_digest

    with open(path, "rb") as file:
        return "sha256=" + urlsafe_b64encode(file_digest(file, "sha256").digest()).decode().rstrip("=")


def _installed_name(path: str) -> str:
    """The path without the folder of the installation; in a checkout ``stdlib/`` lies beside the package."""
    shipped = ((shipped_folder(name), name) for name in ("stdlib", "runtime"))
    for folder, name in (*shipped, (PACKAGE, "voltac")):
        if path.startswith(folder + os.sep):
            return name + path[len(folder) :]
    return "llvmlite/" + os.path.basename(path)


def _recorded_hashes(rows: list[_Row]) -> dict[str, str]:
    """What the installer of llvmlite has written down of its files, if they have had that size and no change since."""
    folder = _llvmlite_folder()
    if folder is None:
        return {}
    site = os.path.dirname(folder)
    installed = (name for name in os.listdir(site) if name.startswith("llvmlite-") and name.endswith(".dist-info"))
    records = [os.path.join(site, name, "RECORD") for name in installed]
    try:
        (record,) = records
        written = os.stat(record).st_mtime_ns
        with open(record, encoding="utf-8") as file:
            lines = [line.rsplit(",", 2) for line in file.read().splitlines()]
        hashes = {(os.path.join(site, name), size): value for name, value, size in lines if value.startswith("sha256=")}
    except (OSError, ValueError):
        return {}
    known = {path: hashes.get((path, str(size))) for path, _, size, changed, _ in rows if changed <= written}
    return {path: value for path, value in known.items() if value}


def _llvmlite_rows() -> list[_Row]:
    """The library that llvmlite is, and its Python."""
    folder = _llvmlite_folder()
    return [] if folder is None else _rows(os.path.join(folder, "binding"))


def _llvmlite_folder() -> str | None:
    """Finding it does not import it."""
    # As importlib.util does it, whose import takes longer.
    specs = (finder.find_spec("llvmlite", None) for finder in sys.meta_path)
    found = next((spec for spec in specs if spec is not None), None)
    return None if found is None or found.origin is None else os.path.dirname(found.origin)
