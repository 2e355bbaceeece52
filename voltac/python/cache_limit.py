"""What the cache may take: ``VOLTAC_CACHE_SIZE``, in bytes or as ``500M`` or ``2G``."""

from __future__ import annotations

import os
import re

from voltac.messages.visible import visible_value

VARIABLE = "VOLTAC_CACHE_SIZE"
DEFAULT = "1G"
"""Chosen: some twenty thousand programs, and room for them in the smallest home folders."""
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*([KMGT]?)(?:i?B)?", re.ASCII | re.IGNORECASE).fullmatch


def cache_limit() -> int:
    """Bytes; ValueError if the variable is no size."""
    return size_in_bytes(os.environ.get(VARIABLE, "").strip() or DEFAULT)


def size_in_bytes(text: str) -> int:
    """Of a number with or without a unit; the units are powers of 1024."""
    found = _SIZE(text)
    if found is None:
        raise ValueError(f"{VARIABLE} must be a number of bytes, or of K, M, G or T, such as 500M, not {visible_value(text)}")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))
