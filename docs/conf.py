"""Sphinx makes pages of this folder: ``python -m sphinx docs build/docs``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pygments.lexer import inherit, words
from pygments.lexers.c_cpp import CLexer
from pygments.token import Keyword

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "voltac"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "fixed_sidebar": True}
html_show_copyright = False
nitpicky = True

_ADDED = ("uniform", "varying", "foreach", "foreach_active", "foreach_tiled", "foreach_unique", "cif", "cfor", "cwhile", "cdo")
_ADDED += ("export", "launch", "sync", "task", "soa", "unmasked")


class _Lexer(CLexer):
    """The language, for colours: C and the words it adds."""

    name = "ispc"
    tokens: ClassVar = {"keywords": [(words(_ADDED, suffix=r"\b"), Keyword), inherit]}


def setup(app: Sphinx) -> None:
    app.add_lexer("ispc", _Lexer)
