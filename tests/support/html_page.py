"""Pages of HTML, whether they are whole, by Python's parser; ``browser.py`` looks at them."""

from __future__ import annotations

from html.parser import HTMLParser

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
