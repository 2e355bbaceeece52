"""One explorer for the tests that only ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from served_explorer import Explorer


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explorer") / "first.ispc"
    path.write_text("export void first(uniform float a[]) { a[programIndex] = 1; }\n")
    return path


@pytest.fixture(scope="session")
def explorer(file: Path) -> Iterator[Explorer]:
    """Serves ``file`` for avx2-i32x8."""
    with Explorer(str(file), "--target=avx2-i32x8", "--time-limit=60") as running:
        yield running
