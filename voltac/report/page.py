"""What the pages of reports and the outputs of notebooks share; their style is in ``page.css``.

Everything is in one text, with no script and no reference to another file. A fragment is for a page of somebody else's, such
as a notebook: all rules of the style are about what is inside of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from voltac.messages.visible import visible_listing
from voltac.report.source_colours import Piece

_DARK = (
    "color-scheme:dark;--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;--back:#0d1117;--panel:#151b23;--fast:#3fb950;--mask:#d29922;"
    "--slow:#ff7b72;--plain:#9198a1;--control:#4493f8;--memory:#79c0ff;--math:#56d364;--shuffle:#d2a8ff;--keyword:#ff7b72;"
    "--type:#79c0ff;--rate:#d2a8ff;--number:#a5d6ff;--string:#7ee787;--comment:#9198a1"
)
"""For readers who prefer dark pages, and for the dark themes of notebooks."""
_COLOURS = ("fast", "mask", "slow", "plain", "control", "memory", "math", "shuffle")
"""Of bars, too."""
_TOKENS = ("keyword", "type", "rate", "number", "string", "comment")


@cache
def style() -> str:
    """The style sheet."""
    text = Path(__file__).with_name("page.css").read_text("utf-8").replace("DARK", _DARK)
    text = re.sub(r"/\*.*?\*/|(?<=[;{},])\s+|\s+(?=[{}])|(?<=:)\s+", "", text, flags=re.DOTALL)
    text += "".join(f".voltac .{name}{{color:var(--{name})}}" for name in (*_COLOURS, *_TOKENS))
    return text + "".join(f".voltac b.{name}{{background:var(--{name})}}" for name in _COLOURS)


def page(title: str, body: str) -> str:
    """A whole page."""
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width,initial-scale=1'>"
        f"<title>{escaped(title)}</title><style>{style()}</style>"
        f"<body class=voltac><main><h1>{escaped(title)}</h1>\n{body}</main></body></html>\n"
    )


def fragment(body: str) -> str:
    """A part of a page."""
    return f"<div class=voltac><style>{style()}</style>{body}</div>"


def escaped(text: str) -> str:
    """For the inside of an element or of an attribute."""
    return html.escape(visible_listing(text))


def chips(*items: tuple[str, str]) -> str:
    """Names with values in a row."""
    return f"<ul class=chips>{''.join(f'<li>{escaped(name)} <b>{escaped(value)}</b>' for name, value in items)}</ul>"


def legend(*items: tuple[str, str]) -> str:
    """Colours with what they mean."""
    rows = "".join(f"<li><span class='swatch {colour}'></span>{escaped(text)}" for colour, text in items)
    return f"<ul class=legend>{rows}</ul>"


def folded(title: str, body: str, is_open: bool = False) -> str:
    """A part that the reader opens and closes."""
    return f"<details{' open' if is_open else ''}><summary>{escaped(title)}</summary>{body}</details>"


def index(rows: Iterable[tuple[str, str, str]]) -> str:
    """Functions: the anchor of each, its name, what is to be said of it."""
    items = (
        f"<li><a href='#{anchor}'><code>{escaped(name)}</code></a> <span class=quiet>{escaped(text)}</span>"
        for anchor, name, text in rows
    )
    return f"<ul class=index>{''.join(items)}</ul>"


def spans(pieces: list[Piece]) -> str:
    """Coloured pieces of a source."""
    return "".join(f"<span class={kind}>{escaped(text)}</span>" if kind else escaped(text) for text, kind in pieces)
