"""A process for each question: it may take too long, crash, or be overtaken by the next one, and is ended then.

Processes come from a server of forks that has the compiler loaded: a question waits for no import.
"""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

_LOADED = ("sema", "lower", "passes.accesses.access", "llvm.optimize", "python.compare_paths", "interpreter")
_MEMORY = 8 << 30
"""Bytes of addresses a process may have: a program that needs more than this is a mistake, and would make the machine swap."""
_MORE_SECONDS = 5
"""Beyond its time a process that nobody ends, since the server itself is gone, ends by the system's limit."""


class WorkerFailed(Exception):
    """There is no answer; says why in a sentence."""


class Superseded(WorkerFailed):
    """A newer question of the same kind has come, or nobody wants the answer any more."""


class Workers:
    """Answers questions, of each kind only the latest."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload([f"voltac.{name}" for name in _LOADED])
        # The first question need not wait for it.
        forkserver.ensure_running()
        self._running: dict[str, BaseProcess] = {}
        self._lock = threading.Lock()

    def ask(self, kind: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """What ``function`` returns in a process of its own; ends the one that is at the same kind of question."""
        reading, writing = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_answer, args=(writing, self.seconds, function, arguments), daemon=True)
        with self._lock:
            if kind in self._running:
                _end(self._running[kind])
            self._running[kind] = process
            process.start()
        writing.close()
        try:
            if not reading.poll(self.seconds):
                raise WorkerFailed(f"this took longer than {self.seconds:g} seconds and was ended")
            return reading.recv()
        except EOFError:
            process.join()
            current = self._running.get(kind)
            if current is not process:
                raise Superseded("it was cancelled" if current is None else "a newer question has come") from None
            raise WorkerFailed(_end_of(process)) from None
        finally:
            reading.close()
            with self._lock:
                _end(process)
                if self._running.get(kind) is process:
                    del self._running[kind]

    def end(self, kind: str) -> None:
        """Ends the process that is at a kind of question, if there is one; whoever asked hears that it is over."""
        with self._lock:
            process = self._running.pop(kind, None)
            if process is not None:
                _end(process)

    def close(self) -> None:
        """Ends all processes."""
        with self._lock:
            for process in self._running.values():
                _end(process)


def _answer(writing: Connection, seconds: float, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    # A group of its own: what it starts is ended with it, and Ctrl-C in the terminal is for the server.
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + _MORE_SECONDS,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    writing.send(function(*arguments))


def _end(process: BaseProcess) -> None:
    if process.pid is None or process.exitcode is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    # Before it has a group of its own.
    process.kill()


def _end_of(process: BaseProcess) -> str:
    code = process.exitcode or 0
    if code >= 0:
        return "the process that was at it ended without an answer"
    return f"the process that was at it was ended by signal {-code} ({signal.strsignal(-code)})"
