"""What kernels print → Python's ``sys.stdout``, whatever that is when they print: a redirected stream, a notebook."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping, Sequence
from functools import cache

PRINT_FUNCTION = "volta_print_to_python"


def print_functions(objects: Sequence[bytes]) -> Mapping[str, object]:
    """What code that prints has to be linked with; nothing if it does not print."""
    return {PRINT_FUNCTION: _print_function()} if any(f"{PRINT_FUNCTION}\0".encode() in code for code in objects) else {}


@cache
def _print_function() -> object:
    """One function for all programs of the process; ctypes takes the GIL, so threads of tasks may call it too."""
    return ctypes.CFUNCTYPE(None, ctypes.c_char_p)(_write)


def _write(text: bytes) -> None:
    stream = sys.stdout
    if stream is not None:
        stream.write(text.decode("utf-8", "backslashreplace"))
        stream.flush()
