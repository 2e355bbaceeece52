"""What holds for every test."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

_GARBAGE_IS_LOOKED_FOR = 20_000
"""Objects made since: compilations make many and hardly any garbage that refers to itself, and a worker knows all tests."""


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE_IS_LOOKED_FOR)


@pytest.fixture(autouse=True, scope="session")
def cache_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Every test compiles into a cache of its own run, never the user's."""
    folder = tmp_path_factory.mktemp("cache") / "voltac"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOLTAC_CACHE_DIR", str(folder))
        yield folder
