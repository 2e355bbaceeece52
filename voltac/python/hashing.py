"""SHA-256 without ``hashlib``, whose import loads OpenSSL: that takes longer than all the cache has to hash."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Protocol


class Hash(Protocol):
    """What is asked of a hash."""

    def update(self, data: bytes, /) -> None:
        """Go on with these bytes, as if they stood behind those of before."""

    def hexdigest(self) -> str:
        """Of all bytes so far: 64 digits, lower case."""


def sha256(data: bytes = b"") -> Hash:
    """The hash of ``data`` and of what it is updated with."""
    return _maker()(data)


@cache
def _maker() -> Callable[[bytes], Hash]:
    """Found once: a module that is not there is looked for in all folders, each time it is asked for."""
    # CPython's own module; other interpreters have hashlib only.
    for name in ("_sha2" if sys.version_info >= (3, 12) else "_sha256", "hashlib"):
        try:
            found: Callable[[bytes], Hash] = import_module(name).sha256
        except ImportError:
            continue
        return found
    raise ImportError("this Python has no SHA-256")
