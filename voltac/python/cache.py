"""Compiled programs on disk: key → objects with their description, or nothing.

An entry is a file named after its key::

    voltac cache entry 2\\n  sha256 of what follows, in hex \\n  length of the JSON \\n  JSON  objects

The JSON is the description the caller gave (with the sizes of the objects), the
key, and what the preprocessor asked the file system and was answered (:class:`FileAnswers`):
an entry is used while the answers are the same, and a hit needs no preprocessor.
Nothing in an entry is executed before all of it is checked, and whatever is not an
entry, or cannot be read, is a miss. The folder must belong to this user and
be writable by no one else; files are written under another name and renamed.
Whatever the file system refuses (no space, no permission), compiling works
without the cache.
"""

from __future__ import annotations

import os
import stat
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from voltac.messages.visible import visible_name
from voltac.python.hashing import sha256
from voltac.python.json_text import from_json_text
from voltac.records import field, record
from voltac.system.files import LARGEST, read_regular_file

_MAGIC = b"voltac cache entry 2\n"
_HEAD = len(_MAGIC) + 65
"""Bytes before what is hashed."""
SUFFIX = ".voltac"
STATE_SUFFIX = ".compiler"
"""Of entries that say what the compiler's own files contain."""
TEMPORARY = ".part"
"""Of files that are being written."""
_LEFT_AFTER_TRIMMING = 0.75
_MANY, _SELDOM = 2000, 32
"""Asking the file system for the sizes of so many entries takes ten milliseconds: then only one time in 32."""
_FORGOTTEN = 3600.0
"""Seconds after which a temporary file is one of a process that died."""


@record
class Entry:
    """What was stored: the description and the object files."""

    description: dict[str, Any]
    objects: tuple[bytes, ...]
    facts: FileAnswers


class UnusableFolder(Exception):
    """The cache's folder must not be trusted; ``str()`` says which it is, and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"the cache folder {visible_name(path)} {reason}")


@record
class FileAnswers:
    """What the file system answered during a compilation: an entry is right as long as it would answer the same."""

    contents: Mapping[str, str] = field(default_factory=dict)
    """Path -> hash of the file's content; empty if it could not be read."""
    presence: Mapping[str, bool] = field(default_factory=dict)
    """Path -> whether there was a file."""
    identities: Mapping[str, str] = field(default_factory=dict)
    """Path -> the file it led to."""

    def hold(self) -> bool:
        """Whether all of it is still so."""
        return (
            all(os.path.isfile(path) is there for path, there in self.presence.items())
            and all(os.path.realpath(path) == file for path, file in self.identities.items())
            and all(content_hash(path) == content for path, content in self.contents.items())
        )


NO_FACTS = FileAnswers()


def key_of(ingredients: Mapping[str, Any]) -> str:
    """The key for all that a compilation depends on besides the file system: values of which ``repr`` shows all there is."""
    return sha256(repr(sorted(ingredients.items())).encode()).hexdigest()


def content_hash(path: str) -> str:
    """Hash of a file's content; empty if it cannot be read."""
    try:
        return sha256(read_regular_file(path)).hexdigest()
    except (OSError, ValueError):
        return ""


def find(key: str, suffix: str = SUFFIX) -> Entry | None:
    """The entry of a key, if there is one and everything in it is right."""
    folder = _open_folder(create=False)
    if folder is None:
        return None
    try:
        return _checked(_read(folder, key + suffix), key)
    except Exception:
        # Whatever is wrong with it: the program is compiled instead.
        return None
    finally:
        os.close(folder)


def store(
    key: str, description: Mapping[str, Any], objects: Sequence[bytes], facts: FileAnswers = NO_FACTS, suffix: str = SUFFIX
) -> None:
    """Keep a compiled program. A folder that cannot be used, or a full disk, is no error."""
    folder = _open_folder(create=True)
    if folder is None:
        return
    try:
        header = {
            "key": key,
            "facts": [dict(facts.contents), dict(facts.presence), dict(facts.identities)],
            "sizes": [len(code) for code in objects],
            "description": dict(description),
        }
        _write(folder, key + suffix, _packed(header, objects))
        _trim(folder, key + suffix)
    except OSError:
        pass
    finally:
        os.close(folder)


# --- entries ------------------------------------------------------------------------------------------------------


def _packed(header: dict[str, Any], objects: Sequence[bytes]) -> bytes:
    import json  # late: what is found is read without

    text = json.dumps(header).encode()
    body = b"%d\n" % len(text) + text + b"".join(objects)
    return _MAGIC + sha256(body).hexdigest().encode() + b"\n" + body


def is_damaged(folder: int, name: str) -> bool:
    """Whether a file of the cache does not contain what was written, or is of an older voltac."""
    try:
        return not _is_whole(_read(folder, name, used=False))
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _is_whole(content: bytes) -> bool:
    return content.startswith(_MAGIC + sha256(content[_HEAD:]).hexdigest().encode() + b"\n")


def _checked(content: bytes, key: str) -> Entry | None:
    """The entry that a file holds. What is no entry at all may raise anything."""
    if not _is_whole(content):
        return None
    length, _, rest = content[_HEAD:].partition(b"\n")
    header = from_json_text(rest[: int(length)].decode())
    contents, presence, identities = header["facts"]
    facts = FileAnswers(contents, presence, identities)
    if header["key"] != key or not facts.hold():
        return None
    objects, start = [], int(length)
    for size in header["sizes"]:
        objects.append(rest[start : start + size])
        start += size
    if start != len(rest):
        return None
    return Entry(header["description"], tuple(objects), facts)


# --- files --------------------------------------------------------------------------------------------------------


def folder_path() -> str | None:
    """Where the cache is: ``VOLTAC_CACHE_DIR``, else ``voltac`` in the user's folder for caches."""
    chosen = os.environ.get("VOLTAC_CACHE_DIR")
    if chosen:
        return chosen
    base = os.environ.get("XDG_CACHE_HOME")
    if not base or not os.path.isabs(base):
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "voltac")


_warned: set[str] = set()


def _warn_once(subject: str, text: str) -> None:
    if subject not in _warned:
        _warned.add(subject)
        warnings.warn(text, RuntimeWarning, stacklevel=6)


def _open_folder(create: bool) -> int | None:
    """A descriptor of the folder; None if there is none that can be used."""
    try:
        return open_folder(create)
    except UnusableFolder as error:
        _warn_once(folder_path() or "", f"{error}; voltac compiles without a cache (VOLTAC_CACHE_DIR names another folder)")
        return None


def open_folder(create: bool = False) -> int | None:
    """A descriptor of the folder, None if there is none; :class:`UnusableFolder` if others could put files there."""
    path = folder_path()
    if path is None or not hasattr(os, "geteuid"):
        return None
    try:
        if create:
            os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
            with suppress(FileExistsError):
                os.mkdir(path, 0o700)
        if stat.S_ISLNK(os.lstat(path).st_mode):
            raise UnusableFolder(path, "is a symbolic link")
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except NotADirectoryError:
        raise UnusableFolder(path, "is not a folder") from None
    except OSError:
        return None
    status = os.fstat(folder)
    reason = ""
    if status.st_uid != os.geteuid():
        reason = "belongs to another user"
    elif status.st_mode & 0o022:
        reason = "can be written by other users"
    if reason:
        os.close(folder)
        raise UnusableFolder(path, reason)
    return folder


def _read(folder: int, name: str, used: bool = True) -> bytes:
    """The content of an entry, which counts as used now unless said otherwise; OSError if it is none."""
    # Neither follow a link nor wait for the other end of a pipe.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    handle = os.open(name, flags, dir_fd=folder)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_size > LARGEST:
            raise OSError
        content = os.read(handle, _HEAD)
        if not content.startswith(_MAGIC):
            raise OSError
        while part := os.read(handle, status.st_size):
            content += part
        if used:
            # A folder that cannot be written to can be read all the same.
            with suppress(OSError):
                os.utime(handle)
        return content
    finally:
        os.close(handle)


def _write(folder: int, name: str, content: bytes) -> None:
    temporary = os.urandom(12).hex() + TEMPORARY
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        try:
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except IsADirectoryError:
            # Not ours to delete, but an entry is to be there.
            os.rename(name, os.urandom(12).hex(), src_dir_fd=folder, dst_dir_fd=folder)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _trim(folder: int, newest: str) -> None:
    """Remove what was used longest ago until the folder is within its limit, and what dead processes left.

    Several processes may do that at once: they agree on what goes first, and what one has removed the others
    leave out. What was just written stays if it fits.
    """
    if len(os.listdir(folder)) > _MANY and os.urandom(1)[0] >= 256 // _SELDOM:
        return
    now = time.time()
    entries: list[tuple[float, int, str]] = []
    with os.scandir(folder) as found:
        for item in found:
            try:
                status = item.stat(follow_symlinks=False)
            except OSError:
                continue
            if item.name.endswith((SUFFIX, STATE_SUFFIX)):
                entries.append((status.st_mtime, status.st_size, item.name))
            elif item.name.endswith(TEMPORARY) and now - status.st_mtime > _FORGOTTEN:
                _remove(folder, item.name)
    total = sum(size for _, size, _ in entries)
    limit = _limit()
    if total <= limit:
        return
    for _, size, name in sorted(entries, key=lambda entry: (entry[2] == newest, entry)):
        if total <= limit * (1 if name == newest else _LEFT_AFTER_TRIMMING):
            return
        _remove(folder, name)
        total -= size


def _limit() -> int:
    from voltac.python.cache_limit import DEFAULT, VARIABLE, cache_limit, size_in_bytes  # late: a hit needs no limit

    try:
        return cache_limit()
    except ValueError as error:
        _warn_once(VARIABLE, f"{error}; the cache may take {DEFAULT}")
        return size_in_bytes(DEFAULT)


def _remove(folder: int, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)
