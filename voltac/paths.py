"""Where the files are that travel with the compiler: ``stdlib/`` and ``runtime/``."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _shipped(name: str) -> Path:
    """In a wheel the folder lies inside the package, in a checkout beside it."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


STANDARD_LIBRARY = _shipped("stdlib")
RUNTIME = _shipped("runtime")
