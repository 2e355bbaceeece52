"""What IPython shows of an exception in place of its traceback: where the caller stands, and the message."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

MOST_LINES = 30
"""Of an exception, so that it fits a screen."""
_MOST_PLACES = 3
"""Calls of the user's that lead to it, two lines each: the message has the rest of the screen."""


def rendered(error: Exception, text: Callable[[int, bool], str]) -> list[str]:
    """Lines for the hook ``_render_traceback_``; ``text(most, colored)`` is the message in so many lines."""
    places = _places(error)
    return [*places, _headed(error, text(MOST_LINES - len(places), _colored()))]


def without_frames(error: Exception) -> Exception:
    """The same exception; IPython will show its message alone, since all its frames are the compiler's."""
    shown: Any = error.with_traceback(None)
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    lines = shown._render_traceback_() if hasattr(shown, "_render_traceback_") else [_headed(error, text)]
    shown._render_traceback_ = lambda: lines
    return error


def _headed(error: Exception, text: str) -> str:
    name = type(error).__name__
    return (f"\033[31m{name}\033[0m" if _colored() else name) + f": {text}"


def _shell() -> Any:
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def _colored() -> bool:
    shell = _shell()
    return shell is not None and str(shell.colors).lower() != "nocolor"


def _places(error: Exception) -> list[str]:
    """The innermost lines that are the user's: of cells, and of files that are neither IPython's nor voltac's."""
    import traceback  # late: compilations from the shell pay for nothing that only notebooks show

    ours = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    ours += [os.path.dirname(os.path.abspath(file)) for name in ("IPython", "ipykernel") if (file := _file_of(name))]
    shell, lines = _shell(), []
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith(tuple(folder + os.sep for folder in ours)):
            continue
        cell = None if shell is None else shell.compile.format_code_name(frame.filename)
        place = " ".join(cell) if cell else f"File {frame.filename}"
        lines.append(f"{place}, line {frame.lineno}" + ("" if frame.name == "<module>" else f", in {frame.name}"))
        lines.append(f"    {frame.line}")
    return lines[-2 * _MOST_PLACES :]


def _file_of(name: str) -> str | None:
    return getattr(sys.modules.get(name), "__file__", None)
