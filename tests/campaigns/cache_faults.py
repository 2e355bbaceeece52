"""Faults in the cache's folder, one after the other: the program that was asked for runs, and nothing outside changes.

A fault is damage to an entry (bits, cuts, other contents under the right hash, what is no file), an entry or folder that
others could have put there, a disk that is full or a process without descriptors left while an entry is written, and a
process that is killed, or empties the folder, at a random time.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import resource
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from test_cache import IN_ITS_PLACE, WRONG_CONTENTS, _rewritten

import voltac

FAULTS = 100
"""Of one seed."""
TARGET = "sse4-i32x4"
SOURCES = {
    "export uniform int f() { return 42; }": 42,
    "export uniform int f() { return reduce_add(programIndex + 1); }": 10,
    "task void t(uniform int a[]) { a[taskIndex] = taskIndex; }\n"
    "export uniform int f() { uniform int a[4]; launch[4] t(a); sync; return a[1] + 10 * a[3]; }": 31,
}
"""Text -> what its function returns."""
STRANGER = 12345
"""A user that is not this one."""

Place = tuple[random.Random, Path, Path]
"""Chance, the cache's folder, and the entry that the fault is about."""


def changed_bits(place: Place) -> None:
    chance, _, entry = place
    content = bytearray(entry.read_bytes())
    for _ in range(chance.choice((1, 1, 2, 50))):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    entry.write_bytes(content)


def moved_part(place: Place) -> None:
    chance, _, entry = place
    content = entry.read_bytes()
    start, end = sorted(chance.randrange(len(content)) for _ in range(2))
    entry.write_bytes(
        chance.choice((content[:end], content[start:], content[:start] + content[end:], content + content[start:end]))
    )


def another_entry(place: Place) -> None:
    chance, folder, entry = place
    shutil.copyfile(chance.choice([file for file in folder.iterdir() if file.is_file()]), folder / "copy")
    os.replace(folder / "copy", entry)


def wrong_content(place: Place) -> None:
    chance, _, entry = place
    with contextlib.suppress(LookupError):  # entries differ in what can be left out
        _rewritten(entry, WRONG_CONTENTS[chance.choice(list(WRONG_CONTENTS))])


def no_file(place: Place) -> None:
    chance, _, entry = place
    entry.unlink()
    IN_ITS_PLACE[chance.choice(list(IN_ITS_PLACE))](entry)


def link_outside(place: Place) -> None:
    chance, folder, entry = place
    outside = folder.parent / "outside"
    outside.write_bytes(entry.read_bytes() if chance.random() < 0.5 else b"precious")
    entry.unlink()
    chance.choice((entry.symlink_to, entry.hardlink_to))(outside)


def other_rights(place: Place) -> None:
    chance, folder, entry = place
    which = chance.choice((folder, entry))
    if os.geteuid() == 0 and chance.random() < 0.5:
        os.chown(which, STRANGER, -1)
    else:
        which.chmod(chance.randrange(0o1000))


def no_folder(place: Place) -> None:
    chance, folder, _ = place
    shutil.rmtree(folder)
    match chance.randrange(4):
        case 0:
            folder.symlink_to(folder.parent / "nowhere")
        case 1:
            (folder.parent / "elsewhere").mkdir(mode=0o700, exist_ok=True)
            folder.symlink_to(folder.parent / "elsewhere")
        case 2:
            folder.write_text("")


DAMAGE = (changed_bits, moved_part, another_entry, wrong_content, no_file, link_outside, other_rights, no_folder)


@contextlib.contextmanager
def lowered(limit: int, to: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (to, hard))
    try:
        yield
    finally:
        resource.setrlimit(limit, (soft, hard))


@contextlib.contextmanager
def full_disk(chance: random.Random, folder: Path, source: str) -> Iterator[None]:
    """No file may become longer than some bytes."""
    for file in folder.iterdir():
        file.unlink()
    with lowered(resource.RLIMIT_FSIZE, chance.choice((0, 1, 100, chance.randrange(20_000)))):
        yield


@contextlib.contextmanager
def no_descriptors(chance: random.Random, folder: Path, source: str) -> Iterator[None]:
    """No more than a few files can be opened."""
    with lowered(resource.RLIMIT_NOFILE, max(map(int, os.listdir("/proc/self/fd"))) + chance.randrange(3)):
        yield


@contextlib.contextmanager
def another_process(chance: random.Random, folder: Path, source: str) -> Iterator[None]:
    """One that compiles the program, or empties the folder, and is killed before or while this one does the same."""
    empties, patience = chance.random() < 0.5, chance.random() * 0.05
    for file in folder.iterdir():
        file.unlink()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            while empties:
                for file in folder.iterdir():
                    file.unlink(missing_ok=True)
            voltac.compile(source, target=TARGET, opt=0)
        os._exit(0)
    try:
        if chance.random() < 0.7:
            time.sleep(patience)
            os.kill(child, signal.SIGKILL)
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


MEANWHILE = (full_disk, no_descriptors, another_process)


@functools.cache
def untouched() -> dict[str, bytes]:
    """The files of a cache that has all programs, by name."""
    with tempfile.TemporaryDirectory() as folder, cache_at(Path(folder) / "cache") as made:
        for source in SOURCES:
            voltac.compile(source, target=TARGET, opt=0).f()
        return {file.name: file.read_bytes() for file in made.iterdir()}


@contextlib.contextmanager
def cache_at(folder: Path) -> Iterator[Path]:
    before = os.environ.get("VOLTAC_CACHE_DIR")
    os.environ["VOLTAC_CACHE_DIR"] = str(folder)
    try:
        yield folder
    finally:
        os.environ.pop("VOLTAC_CACHE_DIR")
        if before is not None:
            os.environ["VOLTAC_CACHE_DIR"] = before


def fresh(folder: Path) -> None:
    """The folder as it was without faults."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        folder.chmod(0o700)
        shutil.rmtree(folder)
    folder.mkdir(mode=0o700)
    for name, content in untouched().items():
        (folder / name).write_bytes(content)


def one_fault(chance: random.Random, root: Path) -> str:
    """What went wrong, or nothing."""
    folder, source = root / "cache", chance.choice(list(SOURCES))
    fresh(folder)
    around = None if chance.random() < 0.8 else chance.choice(MEANWHILE)
    if around is None:
        damage = chance.choice(DAMAGE)
        damage((chance, folder, folder / chance.choice(list(untouched()))))
    fault = (around or damage).__name__
    outside = root / "outside"
    before = outside.read_bytes() if outside.exists() else b""
    with around(chance, folder, source) if around else contextlib.nullcontext():
        found = voltac.compile(source, target=TARGET, opt=0).f()
    if found != SOURCES[source]:
        return f"wrong: {fault}: {found} for {SOURCES[source]}"
    if outside.exists() and outside.read_bytes() != before:
        return f"outside: {fault}: a file that is not in the folder was written"
    if (root / "elsewhere").exists() and os.listdir(root / "elsewhere"):
        return f"outside: {fault}: files behind a link"
    if around is not another_process and folder.is_dir() and list(folder.glob("*.part")):
        return f"left: {fault}: a file that is not finished"
    again = voltac.compile(source, target=TARGET, opt=0).f()
    return "" if again == SOURCES[source] else f"wrong: behind {fault}: {again} for {SOURCES[source]}"


def judge_faults(seed: int, text: str) -> str:
    chance = random.Random(seed)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryDirectory() as root, cache_at(Path(root) / "cache"), warnings.catch_warnings():
        # A folder that cannot be used is one warning, and no error.
        warnings.simplefilter("ignore", RuntimeWarning)
        for number in range(FAULTS):
            try:
                wrong = one_fault(chance, Path(root))
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                return f"{wrong}, fault {number}"
    return ""
