"""Kept forms of patterns and of records' initializers do what those that Python compiles do, and go where they belong."""

from __future__ import annotations

import re
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from voltac import records
from voltac.system import lazy_patterns
from voltac.system.compiled_forms import CompiledForms
from voltac.system.lazy_patterns import lazy_pattern

NAMED = r"(?P<name>%[\w.]+) = (add|sub) (?:nsw )?<(\d+) x i(?P<bits>8|16)>"
TEXT = "  %a.1 = add nsw <8 x i16> %b, %c\n  %x = sub <16 x i8> %y, %z\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """One that keeps its forms in a folder of its own, in a process that has none yet."""
    module = ModuleType("forms")
    module.__spec__ = ModuleSpec("forms", None, origin=str(tmp_path / "__init__.py"))
    module.__spec__.cached = str(tmp_path / "__init__.tag.pyc")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    begin(monkeypatch)
    return module


def begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process."""
    monkeypatch.setattr(lazy_patterns, "forms", {})
    monkeypatch.setattr(records, "codes", {})


def pair() -> object:
    @records.mutable_record
    class Pair:
        first: int
        second: list[int] = records.field(default_factory=list)

    return Pair(1)


def test_kept_forms_do_what_compiled_ones_do(package: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forms = CompiledForms(package)
    wanted = [found.groupdict() for found in re.finditer(NAMED, TEXT)]
    assert [found.groupdict() for found in lazy_pattern(NAMED).finditer(TEXT)] == wanted
    assert lazy_pattern(b"^x", re.MULTILINE | re.IGNORECASE).findall(b"x\nX\ny") == [b"x", b"X"]
    pair()
    forms.keep()
    begin(monkeypatch)
    again = CompiledForms(package)
    with monkeypatch.context() as within:
        within.setattr(re, "compile", None)
        within.setattr(lazy_patterns, "_form", None)
        within.setattr("builtins.exec", None)
        assert [found.groupdict() for found in lazy_pattern(NAMED).finditer(TEXT)] == wanted
        assert lazy_pattern(NAMED).sub(r"\g<bits>", TEXT) == re.sub(NAMED, r"\g<bits>", TEXT)
        assert lazy_pattern(b"^x", re.MULTILINE | re.IGNORECASE).findall(b"x\nX\ny") == [b"x", b"X"]
        assert repr(pair()).endswith("Pair(first=1, second=[])")
    (file,) = tmp_path.iterdir()
    written = file.stat().st_mtime_ns
    again.keep()
    assert file.stat().st_mtime_ns == written


def test_forms_of_another_engine_and_broken_files_are_not_taken(
    package: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = CompiledForms(package)
    lazy_pattern("a+b").match("aab")
    forms.keep()
    (file,) = tmp_path.iterdir()
    begin(monkeypatch)
    monkeypatch.setattr(lazy_patterns, "ENGINE", "another")
    CompiledForms(package)
    assert not lazy_patterns.forms
    monkeypatch.undo()
    begin(monkeypatch)
    file.write_bytes(file.read_bytes()[:-7])
    CompiledForms(package)
    assert not lazy_patterns.forms


def test_a_form_that_the_engine_refuses_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_patterns, "forms", {("ab", 0): (32, [77, 77], 0, {}, (None,))})
    assert lazy_pattern("ab").match("ab") is not None


def test_where_python_has_no_such_parts_patterns_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_patterns, "forms", {})
    monkeypatch.setattr(lazy_patterns, "import_module", lambda name: ModuleType(name))
    assert lazy_pattern(r"(\d+)").findall("1 22") == ["1", "22"]
    assert not lazy_patterns.forms


def test_a_mistake_in_a_pattern_is_told_as_python_does() -> None:
    with pytest.raises(re.error, match="unterminated"):
        lazy_pattern("(a").match("a")
