"""``voltac cache`` says what is in the cache of compiled programs, empties it, and finds what is damaged."""

import json
import os
from pathlib import Path

import pytest

import voltac
from voltac.cli.command import main
from voltac.python import cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(path))
    return path


def fill(folder: Path, count: int = 3) -> list[Path]:
    for number in range(count):
        voltac.compile(f"export uniform int f() {{ return {number}; }}", target="sse4")
    (folder / "0.part").write_bytes(b"left by a process that died")
    (folder / "notes.txt").write_text("not ours")
    return sorted(folder.glob("*.voltac"))


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["cache", *words])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_info_says_what_there_is(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_SIZE", "500M")
    code, text, _ = said(capsys, "info")
    assert code == 0 and "programs  0\nsize      0 bytes of 500 MB" in text and not folder.exists()
    programs = fill(folder)
    os.utime(programs[1], (0, 0))
    size = sum(path.stat().st_size for path in folder.iterdir() if path.name != "notes.txt")
    _, text, _ = said(capsys, "info")
    assert f"folder    {folder}\nprograms  3\n" in text and "longest ago 1970-01-01" in text
    code, text, _ = said(capsys, "info", "--json")
    facts = json.loads(text)
    assert facts["programs"] == 3 and facts["bytes"] == size and facts["limit"] == 500 << 20
    assert facts["folder"] == str(folder) and facts["used_first"] == 0 < facts["used_last"]


def test_clear_removes_what_is_ours(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "clear") == (0, "removed 0 programs, 0 bytes\n", "")
    fill(folder)
    code, text, _ = said(capsys, "clear")
    assert code == 0 and text.startswith("removed 3 programs, ")
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    assert json.loads(said(capsys, "clear", "--json")[1]) == {"removed": 0, "bytes": 0}
    assert voltac.compile("export uniform int f() { return 0; }", target="sse4").f() == 0


def test_verify_removes_what_is_damaged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    programs = fill(folder)
    assert said(capsys, "verify")[:2] == (0, "3 programs as written\n")
    times = [path.stat().st_mtime_ns for path in programs]
    content = bytearray(programs[0].read_bytes())
    content[-1] ^= 1
    programs[0].write_bytes(content)
    programs[1].write_bytes(programs[1].read_bytes()[:-1])
    link = folder / "link.voltac"
    link.symlink_to(programs[2])
    code, text, _ = said(capsys, "verify")
    assert code == 1 and text.endswith("1 program as written, 3 damaged\n")
    assert all(f"damaged, removed: {path.name} (" in text for path in (*programs[:2], link))
    assert [path.name for path in folder.glob("*.voltac")] == [programs[2].name] and not link.is_symlink()
    assert programs[2].stat().st_mtime_ns == times[2], "that counts as no use"
    assert json.loads(said(capsys, "verify", "--json")[1]) == {"good": 1, "damaged": []}


@pytest.mark.parametrize("words", [[], ["clean"], ["info", "clear"], ["info", "--jsn"]])
def test_what_cache_takes(words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = said(capsys, *words)
    assert code == 2 and error.startswith("Error: ") and len(error.splitlines()) <= 3
    if words == ["clean"]:
        assert "not 'clean'" in error and "mean 'clear'?" in error


def test_a_wrong_limit_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_SIZE", "much")
    code, _, error = said(capsys, "info")
    assert code == 2 and "VOLTAC_CACHE_SIZE must be a number of bytes" in error


@pytest.mark.parametrize("word", ["info", "clear", "verify"])
def test_a_folder_that_is_not_used_is_left_alone(word: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache.store("0", {}, ())
    folder.chmod(0o777)
    code, _, error = said(capsys, word)
    assert code == 1 and "can be written by other users: voltac does not use it" in " ".join(error.split())
    assert len(list(folder.iterdir())) == 1
