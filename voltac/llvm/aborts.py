"""LLVM ends the process → the compilation ends.

Where its code generator cannot go on ("LLVM ERROR: Cannot select"), LLVM writes that to standard error and calls ``abort()``.
It has a handler for such errors (``LLVMInstallFatalErrorHandler``), which llvmlite's library does not export. So the thread
that compiles handles the signal itself: it stands still where it is, for ever, and whoever waits for the compilation
gets an error. Signals of invalid instructions and addresses are handled likewise, but for a stack that
is full. What LLVM was working on is not freed; others work on modules, contexts and target machines of their own, as they do
after clang's CrashRecoveryContext, which jumps out of such signals.
"""

from __future__ import annotations

import ctypes
import os
import signal
from _thread import allocate_lock, get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from voltac.system.deep_stack import DeepCall, deep_call
from voltac.system.forking import new_in_child

_SIGNALS = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE")
_Action = ctypes.c_uint64 * 64
"""struct sigaction, and more: only ever handed back."""
_guarded: dict[int, Callable[[], None]] = {}
"""Thread in LLVM -> what it does in place of ending the process."""
_previous: dict[int, Any] = {}
"""Signal -> what happened at it before."""
_lock = allocate_lock()


def _new_lock() -> None:
    global _lock
    _lock = allocate_lock()


new_in_child(_new_lock)


@contextmanager
def no_end_of_process(lock: Any, failure_of: Callable[[], BaseException]) -> Iterator[None]:
    """If LLVM ends the process meanwhile, ``failure_of()`` is raised instead where this thread is waited for.

    ``lock`` is the one that llvmlite holds in each call. Nothing is done outside of :func:`with_deep_stack`.
    """
    call, here = deep_call(), get_ident()
    if call is None or here in _guarded or os.name != "posix":
        yield
        return

    def failure() -> BaseException:
        with _lock:
            _forget(here)
        return failure_of()

    call.failure_of = failure
    with _lock:
        if not _guarded:
            _begin()
        _guarded[here] = lambda: _leave(call, lock)
    try:
        yield
    finally:
        with _lock:
            _forget(here)


def _forget(thread: int) -> None:
    if _guarded.pop(thread, None) is not None and not _guarded:
        for number, action in _previous.items():
            _system().sigaction(number, action, None)


def _begin() -> None:
    for name in _SIGNALS:
        number = getattr(signal, name)
        action = _previous.setdefault(number, _Action())
        _system().sigaction(number, None, action)
        _system().signal(number, _handler())


def _leave(call: DeepCall, lock: Any) -> None:
    # Others may go on with LLVM.
    while lock._lock._is_owned():
        lock._lock.release()
    call.abandon()


def _handle(number: int) -> None:
    leave = _guarded.get(get_ident())
    if leave is not None:
        leave()
    # Of another thread: what would have happened, once this handler is left.
    _system().sigaction(number, _previous[number], None)
    getattr(_system(), "raise")(number)


@cache
def _handler() -> Any:
    return ctypes.CFUNCTYPE(None, ctypes.c_int)(_handle)


@cache
def _system() -> Any:
    return ctypes.CDLL(None)
