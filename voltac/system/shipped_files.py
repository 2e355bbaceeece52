"""Where the files are that travel with the compiler: ``stdlib/`` and ``runtime/``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    STANDARD_LIBRARY: Path
    RUNTIME: Path

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
"""The folder of ``voltac/__init__.py``."""
_FOLDERS = {"STANDARD_LIBRARY": "stdlib", "RUNTIME": "runtime"}


def shipped_folder(name: str) -> str:
    """In a wheel the folder lies inside the package, in a checkout beside it."""
    inside = os.path.join(PACKAGE, name)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(PACKAGE), name)


def __getattr__(name: str) -> Path:
    """The folders as paths; importing pathlib takes longer than finding a program in the cache."""
    if name not in _FOLDERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pathlib import Path  # late: see above

    found = globals()[name] = Path(shipped_folder(_FOLDERS[name]))
    return found
