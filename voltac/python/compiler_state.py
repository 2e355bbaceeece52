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
    if not is_unchanged():
        return None
    newest = max(max(row[3:]) for row in rows) / 1e9
    if newest < started - _SETTLED:
        disk.store(key, {"contents": contents}, (), suffix=disk.STATE_SUFFIX)
    return contents


def is_unchanged() -> bool:
    """Whether the compiler's files are those this process began with: it imports its parts when they are needed."""
    try:
        return _own_rows() == _AT_START
    except OSError:
        # It is being replaced by another.
        return False


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
