"""What is kept of files is what would be made of them now."""

from __future__ import annotations

import importlib
import marshal
import os
import sys
from importlib.util import cache_from_source
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import voltac
from voltac.system.kept_values import keep, kept, place_of


class Made:
    """Counts how often the length of a file is asked for."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.times = 0

    def __call__(self) -> dict[str, Any]:
        self.times += 1
        return {"length": len(self.file.read_text()), "words": {*self.file.read_text().split()}}

    def get(self) -> Any:
        return kept("lengths", [str(self.file)], self)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    package: Any = ModuleType("voltac")
    package.__spec__ = SimpleNamespace(cached=str(tmp_path / "voltac.pyc"))
    monkeypatch.setitem(sys.modules, "voltac", package)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "file").write_text("one two")
    return Made(tmp_path / "file")


def test_it_is_made_once_and_again_when_the_file_has_changed(made: Made) -> None:
    assert [made.get() for _ in range(3)] == [{"length": 7, "words": {"one", "two"}}] * 3
    assert made.times == 1
    made.file.write_text("six")
    assert made.get() == made.get() == {"length": 3, "words": {"six"}}
    assert made.times == 2
    os.utime(made.file, ns=(5, 5))
    made.get()
    assert made.times == 3


@pytest.mark.parametrize("content", [b"", b"\xff" * 9, b"i\x05\0\0\0", b"(\x03\0\0\0NNN"])
def test_what_cannot_be_read_is_made_anew(made: Made, tmp_path: Path, content: bytes) -> None:
    made.get()
    (tmp_path / "kept_lengths.pyc").write_bytes(content)
    assert made.get()["length"] == made.get()["length"] == 7
    assert made.times == 2


def test_nothing_is_kept_where_python_keeps_nothing(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made.get()
    made.get()
    assert made.times == 2 and not list(tmp_path.glob("kept_*"))


def test_what_is_kept_lies_where_installers_look() -> None:
    """They remove the ``.pyc`` of the modules that they know."""
    package = Path(voltac.__file__).parent
    for name in ("modules", "library", "tables"):
        assert place_of(name, voltac.__spec__) == cache_from_source(str(package / f"kept_{name}.py"))
        assert (package / f"kept_{name}.py").is_file()


def test_python_does_not_take_it_for_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept_lengths.py").write_text("VALUE = 5\n")
    compiled = Path(cache_from_source(str(tmp_path / "kept_lengths.py")))
    compiled.parent.mkdir()
    keep(str(compiled), [marshal.dumps(([("file", (1, 2))], {"length": 3}))])
    monkeypatch.syspath_prepend(str(tmp_path))
    assert importlib.import_module("kept_lengths").VALUE == 5
    del sys.modules["kept_lengths"]
