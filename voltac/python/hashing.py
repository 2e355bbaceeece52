"""SHA-256 without ``hashlib``, whose import loads OpenSSL: that takes longer than all the cache has to hash."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def _find() -> Callable[..., Any]:
    # CPython's own module, by its name before and since 3.12; other interpreters have hashlib only.
    for name in ("_sha2", "_sha256", "hashlib"):
        try:
            found: Callable[..., Any] = import_module(name).sha256
        except ImportError:
            continue
        return found
    raise ImportError("this Python has no SHA-256")


sha256 = _find()
