"""``voltac demo`` shows pictures and ratios, and nothing of what the compiler tells those who write kernels."""

import warnings
from pathlib import Path

import pytest

from voltac.cli import demo


@pytest.mark.parametrize("name", ["newton", "bilateral"])
def test_kernels_of_the_demo_warn_of_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert callable(getattr(demo.kernels(name), name))
