"""SHA-256 from where the interpreter has it."""

from __future__ import annotations

import hashlib
from importlib import import_module

import pytest

from voltac.python import hashing


def test_the_module_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(name: str) -> object:
        asked.append(name)
        return import_module(name)

    monkeypatch.setattr(hashing, "import_module", counted)
    for data in (b"", b"a", b"b" * 1000):
        assert hashing.sha256(data).hexdigest() == hashlib.sha256(data).hexdigest()
    assert len(asked) == len(set(asked))
