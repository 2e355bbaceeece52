"""What those who call kernels see of messages, without loading what writes them."""

from __future__ import annotations

import sys


class VoltacWarning(UserWarning):
    """What the compiler says of a program that it compiles all the same."""


def is_compile_error(error: Exception) -> bool:
    """Whether it is a CompileError; where nothing was compiled, the class is not there."""
    diagnostics = sys.modules.get("voltac.messages.diagnostics")
    return diagnostics is not None and isinstance(error, diagnostics.CompileError)
