"""The sections that global variables may be in, as the front end writes and devices read them."""

from __future__ import annotations

SCRATCHPAD = "scratchpad"
"""A core's own memory: variables with an initial value,"""
SCRATCHPAD_UNSET = "scratchpad.unset"
"""and those without one, which nothing sets before a kernel runs."""


def in_section(name: str) -> str:
    """What stands behind a global variable's value."""
    return f', section "{name}"'


def in_scratchpad(variable: str) -> bool:
    """Whether a global variable's text says so."""
    return in_section(SCRATCHPAD) in variable or in_section(SCRATCHPAD_UNSET) in variable
