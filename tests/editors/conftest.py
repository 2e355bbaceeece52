"""Two language servers for the tests that only ask, with folders as their workspaces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from language_client import Editor
from lsprotocol import types


@pytest.fixture(scope="session")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """For avx2-i32x8."""
    running = Editor(tmp_path_factory.mktemp("workspace"))
    yield running
    assert running.end() == 0


@pytest.fixture(scope="session")
def other_editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """It counts columns in bytes, shows no related places, and has no patience."""
    encodings: list[types.PositionEncodingKind | str] = ["x-unknown", types.PositionEncodingKind.Utf8]
    running = Editor(tmp_path_factory.mktemp("other"), "--time-limit=1", encodings=encodings, related=False)
    yield running
    assert running.end() == 0
