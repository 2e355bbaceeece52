"""What a compilation of more than a second is doing: one line on the terminal, gone when it is done.

    big.ispc: late (simplification and code generation)

Files, pipes and other programs never see it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TextIO

from voltac.cli.option_table import Namespace
from voltac.messages.visible import visible_name
from voltac.pipeline import EVERY_STAGE

_PATIENCE = 1.0
"""Seconds without a word."""
_ERASE = "\r\033[K"


StageBegins = Callable[[str], None]


def progress(arguments: Namespace, file: str) -> AbstractContextManager[StageBegins | None]:
    """Gives what is to be called with the name of each stage; None where nobody watches, or sees the stages anyway."""
    told_anyway = arguments.time or arguments.print_stages or arguments.print_after or arguments.print_changed
    told_anyway = told_anyway or arguments.time_passes
    watched = sys.stderr.isatty() and not arguments.quiet and arguments.diagnostics in (None, "text") and not told_anyway
    return Progress(file, sys.stderr) if watched else nullcontext()


class Progress(AbstractContextManager[StageBegins]):
    """The line, from a second after ``with`` has begun."""

    def __init__(self, file: str, output: TextIO) -> None:
        self._file = visible_name(os.path.basename(file))
        self._output = output
        self._now = ""
        self._shown = self._done = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self._show)
        self._timer.daemon = True
        self._purposes = {stage.name: stage.purpose for stage in EVERY_STAGE}

    def stage(self, name: str) -> None:
        """The compilation has come to a stage: told on the terminal from the moment that patience has ended."""
        purpose = self._purposes.get(name)
        with self._lock:
            self._now = f"{name} ({purpose})" if purpose else name
            if self._shown:
                self._write()

    def _show(self) -> None:
        with self._lock:
            if not self._done:
                self._shown = True
                self._write()

    def _write(self) -> None:
        # A line that is wider than the terminal could not be erased.
        width = os.get_terminal_size(self._output.fileno()).columns or 80
        self._output.write(_ERASE + f"{self._file}: {self._now}"[: width - 1])
        self._output.flush()

    def __enter__(self) -> StageBegins:
        self._timer.start()
        return self.stage

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            if self._shown:
                self._output.write(_ERASE)
                self._output.flush()
            self._shown, self._done = False, True
