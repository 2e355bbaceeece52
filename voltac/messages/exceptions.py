"""What those who call kernels see of messages, without loading what writes them."""

from __future__ import annotations

import os
import sys
from typing import TypeVar

E = TypeVar("E", bound=Exception)


class VoltacWarning(UserWarning):
    """What the compiler says of a program that it compiles all the same."""


def is_compile_error(error: Exception) -> bool:
    """Whether it is a CompileError; where nothing was compiled, the class is not there."""
    diagnostics = sys.modules.get("voltac.messages.diagnostics")
    return diagnostics is not None and isinstance(error, diagnostics.CompileError)


def of_caller(error: E) -> E:
    """The error without the frames in which it was raised, if these are the package's: it is about what the caller gave.

    Where it came out of a caller's own function, such as ``__array__``, its frames stay. IPython shows the caller's lines.
    """
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    ours = os.path.dirname(os.path.dirname(__file__)) + os.sep
    if last is not None and not last.tb_frame.f_code.co_filename.startswith(ours):
        return error
    if "IPython" in sys.modules and not hasattr(error, "_render_traceback_"):
        from voltac.messages.cell_errors import rendered  # late: for IPython only

        error._render_traceback_ = lambda: rendered(error, lambda most, colored: str(error))  # type: ignore[attr-defined]
    return error.with_traceback(None)
