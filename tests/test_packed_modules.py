"""The file of compiled modules: what is imported from it is what the sources say, and it is kept as ``.pyc`` are."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from voltac.system.packed_modules import PackedModules


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a package ``packed`` with a module and a package of one module."""
    folder = tmp_path / "packed"
    (folder / "inner").mkdir(parents=True)
    for file in ("__init__.py", "inner/__init__.py"):
        (folder / file).write_text("")
    (folder / "one.py").write_text("VALUE = 1\n")
    (folder / "inner" / "two.py").write_text("from packed.one import VALUE\nTWICE = 2 * VALUE\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    yield folder
    forget()


def forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "packed"]:
        del sys.modules[name]


def imported(monkeypatch: pytest.MonkeyPatch) -> tuple[int, dict[str, bool]]:
    """What a process gets, and whether each module came from the file."""
    forget()
    importlib.invalidate_caches()
    finder = PackedModules(importlib.import_module("packed"))
    with monkeypatch.context() as within:
        within.setattr(sys, "meta_path", [finder, *sys.meta_path])
        value: int = importlib.import_module("packed.inner.two").TWICE
    modules = {name: module for name, module in sys.modules.items() if name.startswith("packed.")}
    origins = {name: getattr(module.__spec__, "loader", None) is finder for name, module in modules.items()}
    finder.keep()
    return value, origins


def packs(folder: Path) -> list[Path]:
    return list((folder / "__pycache__").glob("kept_modules.*"))


ALL = ("packed.inner", "packed.inner.two", "packed.one")


def test_a_second_process_imports_from_the_file(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert imported(monkeypatch) == (2, dict.fromkeys(ALL, False))
    (file,) = packs(package)
    written = file.stat().st_mtime_ns
    assert imported(monkeypatch) == (2, dict.fromkeys(ALL, True))
    module = sys.modules["packed.inner.two"]
    assert module.__file__ == str(package / "inner" / "two.py")
    assert sys.modules["packed.inner"].__path__ == [str(package / "inner")]
    assert file.stat().st_mtime_ns == written


def test_a_changed_source_is_compiled_again_and_kept(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(monkeypatch)
    (package / "one.py").write_text("VALUE = 21\n")
    assert imported(monkeypatch) == (42, {**dict.fromkeys(ALL, True), "packed.one": False})
    assert imported(monkeypatch) == (42, dict.fromkeys(ALL, True))


def test_a_module_that_is_gone_is_not_found(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(monkeypatch)
    (package / "one.py").unlink()
    with pytest.raises(ModuleNotFoundError):
        imported(monkeypatch)


@pytest.mark.parametrize("content", [b"", b"\xff" * 7, b"\x05" + bytes(40), b"\xff" * 400])
def test_a_file_that_is_none_is_written_anew(package: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    imported(monkeypatch)
    (file,) = packs(package)
    file.write_bytes(content)
    assert imported(monkeypatch) == (2, dict.fromkeys(ALL, False))
    assert imported(monkeypatch) == (2, dict.fromkeys(ALL, True))


def test_a_package_that_has_moved_is_read_from_its_sources(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(monkeypatch)
    (tmp_path / "elsewhere").mkdir()
    package.rename(tmp_path / "elsewhere" / "packed")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    assert imported(monkeypatch) == (2, dict.fromkeys(ALL, False))
    assert str(sys.modules["packed.one"].__file__).startswith(str(tmp_path / "elsewhere"))


def test_where_no_bytecode_is_written_there_is_no_file(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    imported(monkeypatch)
    assert not packs(package)


def test_what_cannot_be_written_leaves_nothing_behind(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as within:
        within.setattr(os, "replace", full)
        # importlib keeps a function of its own.
        assert imported(monkeypatch)[0] == 2
    assert not packs(package)


def test_what_another_version_wrote_is_not_read(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(monkeypatch)
    (file,) = packs(package)
    size = file.stat().st_size
    assert imported(monkeypatch) == (2, dict.fromkeys(ALL, True))
    monkeypatch.setattr(PackedModules, "_writer", lambda self: (self._folder, (1, 1)))
    assert imported(monkeypatch) == (2, dict.fromkeys(ALL, False))
    assert abs(file.stat().st_size - size) < size / 4
