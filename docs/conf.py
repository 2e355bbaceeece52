"""Sphinx makes pages of this folder: ``python -m sphinx docs build/docs``."""

from __future__ import annotations

project = "voltac"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "fixed_sidebar": True}
html_show_copyright = False
nitpicky = True
