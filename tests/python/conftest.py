"""Every test compiles into a cache of its own run, never the user's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def cache_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache") / "voltac"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOLTAC_CACHE_DIR", str(folder))
        yield folder
