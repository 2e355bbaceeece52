"""Sphinx makes pages of docs/ without a warning, and what a page links to is there."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from voltac.cli.option_table import GROUPS, with_machines

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


@pytest.mark.skipif(importlib.util.find_spec("myst_parser") is None, reason="there is no Sphinx with MyST")
@pytest.mark.whole
def test_sphinx_finds_nothing_to_warn_of(tmp_path: Path) -> None:
    options = ["-W", "--keep-going", "-n", "-q", "-d", str(tmp_path / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, "docs", str(tmp_path / "pages")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "pages" / "index.html").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_links_to_is_there(page: Path) -> None:
    assert [link for link, _ in LINK.findall(page.read_text()) if not (page.parent / link).exists()] == []


def test_the_readme_is_one_page() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 100


def test_the_page_of_options_is_what_the_command_line_knows() -> None:
    spec = importlib.util.spec_from_file_location("write_options", ROOT / "docs" / "write_options.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    written = (ROOT / "docs" / "options.md").read_text()
    assert written == script.page(), "`python docs/write_options.py` writes it again"
    for group in map(with_machines, GROUPS):
        for option in group.options:
            assert all(f"{name}" in written for name in option.names.split())
