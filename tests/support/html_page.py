"""Pages of HTML: whether they are whole, by Python's parser, and how wide, by a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

VOID = {"meta", "hr", "br"}
OPTIONAL = {"html", "head", "body", "li", "tr", "td", "th"}
"""Elements whose end may be left out."""


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()
        self.words = ""
        self.feed(text)
        self.close()
        assert set(self.open) <= OPTIONAL

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.ids += [value or "" for name, value in attributes if name == "id"]
        self.links += [value or "" for name, value in attributes if name in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words += data


BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no chromium: apt-get install chromium")


def width_on_phone(text: str, folder: Path) -> int:
    """Pixels that a page takes in a frame of 390: windows have a least width."""
    assert BROWSER is not None
    (folder / "page.html").write_text(text)
    measure = (
        "new Promise(d => onload = d).then(() => {let r = frames[0].document.documentElement; document.title = r.scrollWidth})"
    )
    (folder / "frame.html").write_text(f"<iframe width=390 height=800 src=page.html></iframe><script>{measure}</script>")
    options = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--allow-file-access-from-files",
        f"--user-data-dir={folder}/u",
    ]
    shown = subprocess.run(
        [BROWSER, *options, "--virtual-time-budget=2000", "--dump-dom", f"file://{folder}/frame.html"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    (title,) = re.findall(r"<title>(\d+)</title>", shown.stdout)
    return int(title)
