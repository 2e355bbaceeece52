"""Eight threads compile, load, call and launch at once, and two processes share a cache: every result is right."""

from __future__ import annotations

from pathlib import Path

import pytest
from soaking import soaked

pytestmark = pytest.mark.whole


def test_threads_and_processes_at_once(tmp_path: Path) -> None:
    assert soaked(tmp_path, seed=0, processes=2, threads=8) == []
