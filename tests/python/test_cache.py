"""The cache gives back what was stored for exactly this source, or nothing; nothing that is wrong with it stops a call."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import resource
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.python import build, cache
from voltac.python.cache_limit import cache_limit
from voltac.python.hashing import sha256

SOURCE = "export uniform int f() { return 41 + 1; }"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(path))
    monkeypatch.setattr(cache, "_warned", set())
    return path


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The sources that had to be compiled."""
    seen: list[str] = []
    real = build._compiled

    def counting(source: voltac.python.source.Source, key: str) -> cache.Entry:
        seen.append(source.text)
        return real(source, key)

    monkeypatch.setattr(build, "_compiled", counting)
    yield seen


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.voltac"))


def test_a_program_is_compiled_once(folder: Path, compiled: list[str]) -> None:
    for _ in range(3):
        assert voltac.compile(SOURCE).f() == 42
    assert len(compiled) == 1 and len(entries(folder)) == 1
    assert folder.stat().st_mode & 0o777 == 0o700
    assert entries(folder)[0].stat().st_mode & 0o777 == 0o600


def test_whatever_changes_the_code_changes_the_key(folder: Path, compiled: list[str]) -> None:
    voltac.compile(SOURCE)
    voltac.compile(SOURCE, target="sse4")
    voltac.compile(SOURCE, opt=1)
    voltac.compile(SOURCE, defines={"X": 1})
    voltac.compile(SOURCE, fast_math="balanced")
    voltac.compile(SOURCE + "\n")
    voltac.compile(SOURCE, file="other.ispc")
    assert len(compiled) == 7
    voltac.compile(SOURCE, cache=False)
    assert len(compiled) == 8


def test_a_changed_compiler_changes_the_key(folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    voltac.compile(SOURCE)
    monkeypatch.setattr(build, "compiler_state", lambda: ["another"])
    voltac.compile(SOURCE)
    assert len(compiled) == 2


def test_a_changed_include_is_noticed(folder: Path, compiled: list[str], tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    (second / "value.h").write_text('#include "inner.h"\n')
    (second / "inner.h").write_text("#define VALUE 1\n")
    source = '#include "value.h"\nexport uniform int f() { return VALUE; }'

    def value() -> int:
        result: int = voltac.compile(source, include=[first, second]).f()
        return result

    assert [value(), value()] == [1, 1] and len(compiled) == 1
    (second / "inner.h").write_text("#define VALUE 2\n")
    assert [value(), value()] == [2, 2] and len(compiled) == 2
    # A file that is found before the one that was included.
    (first / "value.h").write_text("#define VALUE 3\n")
    assert [value(), value()] == [3, 3] and len(compiled) == 3
    (first / "value.h").unlink()
    assert value() == 2


def test_two_files_of_one_text_in_two_folders_include_their_own(folder: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        place = tmp_path / str(number)
        place.mkdir()
        (place / "a.ispc").write_text('#include "value.h"\nexport uniform int f() { return VALUE; }')
        (place / "value.h").write_text(f"#define VALUE {number}\n")
    assert [voltac.load(tmp_path / str(number) / "a.ispc").f() for number in (1, 2, 1, 2)] == [1, 2, 1, 2]


def test_any_damage_to_an_entry_is_a_miss(folder: Path, compiled: list[str]) -> None:
    voltac.compile(SOURCE)
    (path,) = entries(folder)
    whole = path.read_bytes()
    key = path.stem
    assert cache.find(key) is not None
    places = {*range(min(200, len(whole))), *range(0, len(whole), max(1, len(whole) // 100)), len(whole) - 1}
    for place in sorted(places):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        path.write_bytes(damaged)
        assert cache.find(key) is None, f"byte {place} changed"
    for end in (0, 1, 10, 21, 86, 90, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:end])
        assert cache.find(key) is None, f"cut at {end}"
    path.write_bytes(whole + b"x")
    assert cache.find(key) is None
    path.write_bytes(b"")
    assert voltac.compile(SOURCE).f() == 42
    assert len(compiled) == 2 and cache.find(key) is not None, "a bad entry is replaced"


def test_an_entry_under_another_key_is_a_miss(folder: Path) -> None:
    voltac.compile(SOURCE)
    (path,) = entries(folder)
    other = "0" * 64
    path.rename(folder / f"{other}.voltac")
    assert cache.find(other) is None


def test_an_entry_that_is_a_link_or_a_pipe_is_a_miss(folder: Path, compiled: list[str], tmp_path: Path) -> None:
    voltac.compile(SOURCE)
    (path,) = entries(folder)
    moved = tmp_path / "moved"
    path.rename(moved)
    path.symlink_to(moved)
    assert voltac.compile(SOURCE).f() == 42 and len(compiled) == 2 and not path.is_symlink()
    path.unlink()
    os.mkfifo(path)
    assert voltac.compile(SOURCE).f() == 42 and len(compiled) == 3


def _directory(path: Path) -> None:
    path.mkdir()
    (path / "file").write_text("")


def _nothing_at_all(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(6 << 30)


def _nothing_behind_a_right_beginning(path: Path) -> None:
    with path.open("wb") as file:
        file.write(cache._MAGIC + b"0" * 64 + b"\n")
        file.truncate(6 << 30)


def _socket(path: Path) -> None:
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as end:
        end.bind(path.name)


@contextlib.contextmanager
def _address_space(more: int) -> Iterator[None]:
    """No more than so many bytes than now: machines with much memory would take their time to read all of a large file."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def _open_files() -> set[tuple[str, str]]:
    """Descriptors, and what is behind each. The collector may close some of other tests at any time."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # that of the folder itself
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return found


IN_ITS_PLACE: dict[str, Callable[[Path], object]] = {
    "a directory": _directory,
    "an empty directory": Path.mkdir,
    "six gigabytes": _nothing_at_all,
    "six gigabytes that begin well": _nothing_behind_a_right_beginning,
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a dangling link": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a file without permissions": lambda path: path.touch(0o000),
    "text": lambda path: path.write_text("x" * 1000),
}


@pytest.mark.parametrize("name", IN_ITS_PLACE)
def test_whatever_stands_in_an_entry_s_place_is_a_miss(name: str, folder: Path, compiled: list[str]) -> None:
    voltac.compile(SOURCE)
    (path,) = entries(folder)
    path.unlink()
    IN_ITS_PLACE[name](path)
    open_before = _open_files()
    with _address_space(2 << 30):
        assert voltac.compile(SOURCE).f() == 42
    assert len(compiled) == 2
    assert voltac.compile(SOURCE).f() == 42
    assert len(compiled) == 2, "an entry takes its place"
    assert _open_files() <= open_before
    assert not list(folder.glob("*.part"))


def _rewritten(path: Path, change: Callable[[dict[str, Any], list[bytes]], object]) -> None:
    """Another content in an entry, under the hash that fits it."""
    body = path.read_bytes()[cache._HEAD :]
    length, _, rest = body.partition(b"\n")
    header = json.loads(rest[: int(length)])
    objects, start = [], int(length)
    for size in header["sizes"]:
        objects.append(rest[start : start + size])
        start += size
    change(header, objects)
    path.write_bytes(cache._packed(header, objects))


def _without(*keys: Any) -> Callable[[dict[str, Any], list[bytes]], object]:
    def change(header: dict[str, Any], _: list[bytes]) -> None:
        row: Any = header
        for key in keys[:-1]:
            row = row[key]
        del row[keys[-1]]

    return change


WRONG_CONTENTS: dict[str, Callable[[dict[str, Any], list[bytes]], object]] = {
    "no description": _without("description"),
    "no key": _without("key"),
    "no facts": _without("facts"),
    "no sizes": _without("sizes"),
    "fewer facts": _without("facts", 0),
    "no signatures": _without("description", "signatures"),
    "no warnings": _without("description", "warnings"),
    "no name": _without("description", "signatures", 0, "name"),
    "no result": _without("description", "signatures", 0, "result"),
    "another field": lambda header, _: header["description"]["signatures"][0]["result"].update(more=1),
    "a list": lambda header, _: header.update(description=[]),
    "a number": lambda header, _: header.update(description=5),
    "negative sizes": lambda header, _: header.update(sizes=[-1, 5]),
    "no objects": lambda header, objects: (objects.__setitem__(slice(None), []), header.update(sizes=[])),
    "one object": lambda header, objects: (objects.pop(), header["sizes"].pop()),
    "empty objects": lambda header, objects: (objects.__setitem__(slice(None), []), header.update(sizes=[0, 0])),
    "other objects": lambda header, objects: objects.__setitem__(slice(None), [b"x" * len(code) for code in objects]),
    "cut objects": lambda header, objects: (
        objects.__setitem__(slice(None), [code[:100] for code in objects]), header.update(sizes=[100, 100])),
    "nested": lambda header, _: header.update(description=json.loads("[" * 900 + "]" * 900)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_CONTENTS)
def test_the_right_hash_over_the_wrong_content_is_a_miss(name: str, folder: Path, compiled: list[str]) -> None:
    voltac.compile(SOURCE)
    (path,) = entries(folder)
    _rewritten(path, WRONG_CONTENTS[name])
    assert voltac.compile(SOURCE).f() == 42 and len(compiled) == 2
    assert voltac.compile(SOURCE).f() == 42 and len(compiled) == 2


def test_a_text_that_is_no_json_or_far_too_deep_is_a_miss(folder: Path, compiled: list[str]) -> None:
    voltac.compile(SOURCE)
    (path,) = entries(folder)
    for text in (b"{", b"[" * 200_000, b"\xff", b"1" * 5000):
        body = b"%d\n" % len(text) + text
        path.write_bytes(cache._MAGIC + sha256(body).hexdigest().encode() + b"\n" + body)
        assert voltac.compile(SOURCE).f() == 42
    assert len(compiled) == 5


def _imported_for_a_call() -> set[str]:
    """What a fresh process imports for its first call, besides numpy."""
    code = "import numpy, sys; before = set(sys.modules)\nimport voltac\n"
    code += f"assert voltac.compile({SOURCE!r}).f() == 42; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    return set(done.stdout.split())


def test_a_hit_in_a_fresh_process_imports_little(folder: Path) -> None:
    assert "voltac.driver" in _imported_for_a_call()
    heavy = {"json", "threading", "hashlib", "voltac.driver", "voltac.messages.diagnostics", "llvmlite"}
    assert heavy.isdisjoint(_imported_for_a_call())


def test_a_damaged_text_is_a_miss_where_json_was_never_imported(folder: Path) -> None:
    _imported_for_a_call()
    for text in (b"{", b"", b"[" * 200_000, b"{} {}", b"[1, 2", b'{"key": "\\u12"}', b"[nul]"):
        for path in entries(folder):
            body = b"%d\n" % len(text) + text
            path.write_bytes(cache._MAGIC + sha256(body).hexdigest().encode() + b"\n" + body)
        assert "voltac.driver" in _imported_for_a_call()


def test_a_damaged_task_pool_is_compiled_anew(folder: Path) -> None:
    source = "task void t(uniform int a[]) { a[taskIndex] = taskIndex; }\n"
    source += "export void f(uniform int a[], uniform int n) { launch[n] t(a); sync; }"
    code = f"import numpy, voltac; a = numpy.zeros(9, numpy.int32); voltac.compile({source!r}).f(a, 9); print(*a)"
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
        assert done.stdout.split() == [str(number) for number in range(9)]
        for path in entries(folder):
            _rewritten(path, WRONG_CONTENTS["other objects"])


def test_a_damaged_program_of_a_device_is_compiled_anew(folder: Path, compiled: list[str]) -> None:
    source = "export void f(uniform int a[]) { a[0] = 42; }"
    for _ in range(3):
        a = np.zeros(16, np.int32)
        voltac.compile(source, target="naplespu").f(a)
        assert a[0] == 42
        _rewritten(entries(folder)[0], WRONG_CONTENTS["other objects"])
    assert len(compiled) == 3


def test_a_cache_that_cannot_be_written_to_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str]) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    voltac.compile(SOURCE)
    monkeypatch.setattr(os, "utime", refuse)
    assert voltac.compile(SOURCE).f() == 42 and len(compiled) == 1


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_others_may_write_to_is_not_used(folder: Path, compiled: list[str], mode: int) -> None:
    folder.mkdir()
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match="can be written by other users; voltac compiles without a cache") as caught:
        assert voltac.compile(SOURCE).f() == 42
        assert voltac.compile(SOURCE).f() == 42
    assert len(compiled) == 2 and not entries(folder) and len(caught) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a folder away takes root")
def test_a_folder_of_another_user_is_not_used(folder: Path, compiled: list[str]) -> None:
    voltac.compile(SOURCE)
    os.chown(folder, 12345, -1)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert voltac.compile(SOURCE).f() == 42
    assert len(compiled) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a file away takes root")
def test_an_entry_of_another_user_is_a_miss(folder: Path, compiled: list[str]) -> None:
    voltac.compile(SOURCE)
    os.chown(entries(folder)[0], 12345, -1)
    assert voltac.compile(SOURCE).f() == 42 and len(compiled) == 2


def test_a_folder_behind_a_link_is_not_used(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.warns(RuntimeWarning, match="is a symbolic link"):
        assert voltac.compile(SOURCE).f() == 42
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_folder_that_is_a_file_is_not_used(folder: Path) -> None:
    folder.write_text("")
    with pytest.warns(RuntimeWarning, match="is not a folder"):
        assert voltac.compile(SOURCE).f() == 42


def test_no_place_for_a_cache_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_DIR", "/proc/nowhere/cache")
    assert voltac.compile(SOURCE).f() == 42
    monkeypatch.delenv("VOLTAC_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    assert cache.folder_path() == "/proc/nowhere/voltac"
    assert voltac.compile(SOURCE).f() == 42
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/some/home")
    assert cache.folder_path() == "/some/home/.cache/voltac"


def test_a_full_disk_is_no_error(folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert voltac.compile(SOURCE).f() == 42
    assert not list(folder.iterdir()), "nothing is left behind"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert voltac.compile(SOURCE).f() == 42
    assert len(entries(folder)) == 1


def test_a_write_that_fails_halfway_leaves_nothing(folder: Path) -> None:
    code = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100));"
        f"import voltac; print(voltac.compile({SOURCE!r}).f())"
    )
    assert resource.getrlimit(resource.RLIMIT_FSIZE)
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "42" and not done.stderr
    assert not list(folder.iterdir())


def test_what_was_used_longest_ago_is_removed_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_SIZE", "98K")
    payload = (b"x" * 30_000,)
    for number in range(3):
        cache.store(f"{number}", {}, payload)
        os.utime(folder / f"{number}.voltac", (number, number))
    assert cache.find("0") is not None, "using an entry makes it the newest"
    leftover = folder / "dead.part"
    leftover.write_text("")
    os.utime(leftover, (0, 0))
    cache.store("3", {}, payload)
    assert {path.stem for path in entries(folder)} == {"0", "3"}
    assert not leftover.exists()


@pytest.mark.parametrize(
    "text, size", [("0", 0), ("500", 500), ("2K", 2048), ("1.5m", 3 << 19), ("3 GiB", 3 << 30), ("1TB", 1 << 40), ("", 1 << 30)]
)
def test_what_the_cache_may_take(text: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_SIZE", text)
    assert cache_limit() == size


@pytest.mark.parametrize("text", ["much", "-1", "5X", "1e9", "1,5G", "٣M", "9" * 5000])
def test_a_size_that_is_none_is_a_warning(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_SIZE", text)
    with pytest.warns(RuntimeWarning, match="VOLTAC_CACHE_SIZE must be a number of bytes.*the cache may take 1G") as caught:
        cache.store("0", {}, ())
        cache.store("1", {}, ())
    assert len(entries(folder)) == 2 and len(caught) == 1


def test_what_was_just_stored_stays_if_it_fits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_SIZE", "100K")
    for number, size in enumerate((60_000, 90_000, 110_000)):
        cache.store(f"{number}", {}, (b"x" * size,))
        assert [path.stem for path in entries(folder)] == [["0"], ["1"], []][number]


def test_a_folder_with_many_entries_is_trimmed_sooner_or_later(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_SIZE", "1K")
    monkeypatch.setattr(cache, "_MANY", 50)
    folder.mkdir(0o700)
    for number in range(100):
        (folder / f"{number}.voltac").write_bytes(b"x" * 100)
    for _ in range(2000):
        cache.store("new", {}, ())
        if len(entries(folder)) <= 10:
            return
    raise AssertionError("never")


def _store_many(first: int) -> None:
    for number in range(first, first + 40):
        cache.store(f"{number}", {}, (b"x" * 10_000,))
        cache.find(f"{number - 3}")


def test_processes_trim_one_cache_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_SIZE", "200K")
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        pool.map(_store_many, range(0, 240, 40), chunksize=1)
    assert 0 < sum(path.stat().st_size for path in entries(folder)) <= 200 << 10
    assert all(cache.find(path.stem) for path in entries(folder))
    assert not list(folder.glob("*.part"))


def _fill(number: int) -> list[int]:
    results = []
    for offset in range(4):
        value = (number + offset) % 4
        results.append(voltac.compile(f"export uniform int f() {{ return {value}; }}").f() - value)
    return results


def test_processes_fill_one_cache_at_once(folder: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert pool.map(_fill, range(6)) == [[0] * 4] * 6
    assert len(entries(folder)) == 4
    assert all(cache.find(path.stem) for path in entries(folder))
    assert not list(folder.glob("*.part"))


def test_a_hit_takes_milliseconds(folder: Path) -> None:
    voltac.compile(SOURCE)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        voltac.compile(SOURCE)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.01
