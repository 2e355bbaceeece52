"""Recursion as deep as the syntax allows, which leaves the process as it is.

``sys.setrecursionlimit`` and ``threading.stack_size`` are settings of the whole process: with a high limit,
a runaway recursion in another thread would be a crash where Python promises a RecursionError.
So the thread that compiles is made by the system's own function, with a stack of
its own size, and the limit is raised in its thread state alone. Where in that state
the limit stands is not taken on trust: it is found by what is in it, as the
calls go deeper. Where it is not found the limit stays, and programs may nest less deeply.

Such a thread can be left where it stands, in the middle of a library that cannot go on (:meth:`DeepCall.abandon`).
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from _thread import get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NoReturn, TypeVar

from voltac.system.forking import never_ends

T = TypeVar("T")

_STACKS = ((256 << 20, 100_000), (64 << 20, 25_000), (0, 0))
"""Bytes of address space for a thread's stack, and the calls that fit in; less where less is to be had. Only what is
touched takes memory."""


class DeepCall:
    """A call in a thread of its own, as the thread sees it."""

    def __init__(self) -> None:
        self.finished = threading.Lock()
        self.abandoned: int | None = None
        """The thread that stands still for ever."""
        self.failure_of: Callable[[], BaseException] = SystemError
        """Makes what is raised where the call is waited for, if it is abandoned."""

    def abandon(self) -> NoReturn:
        """The thread goes no further, and whoever waits does: little happens here, since a signal may have brought us here.

        What is on the thread's stack stays there, and with it the memory and whatever locks it holds.
        """
        self.abandoned = get_ident()
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        self.finished.release()
        while True:
            _system().pause()


_calls: dict[int, DeepCall] = {}
"""Thread -> the call it is there for."""


def deep_call() -> DeepCall | None:
    """The one that this thread is there for, if it is such a thread."""
    return _calls.get(get_ident())


def with_deep_stack(function: Callable[[], T]) -> T:
    """Call ``function`` in a thread whose stack holds trees as deep as the syntax allows."""
    outcome: list[T] = []
    failure: list[BaseException] = []
    call = DeepCall()
    call.finished.acquire()

    def body(calls: int | None) -> None:
        _calls[get_ident()] = call
        try:
            with deep_recursion(calls or 0):
                outcome.append(function())
        except BaseException as error:
            failure.append(error)
        finally:
            del _calls[get_ident()]
            call.finished.release()

    thread = _Thread(body)
    # A lock, unlike the end of a thread, is waited for in a way that Ctrl-C interrupts.
    call.finished.acquire()
    if call.abandoned is not None:
        never_ends(call.abandoned)
        raise call.failure_of()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


class _Thread:
    """A thread with a large stack, which is told how many calls fit in."""

    def __init__(self, body: Callable[[int | None], None]) -> None:
        self._start = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(body)
        self._thread = ctypes.c_void_p()
        _running.add(self)
        for size, calls in _STACKS:
            if _created(self._thread, size, self._start, calls):
                return
        _running.discard(self)
        raise MemoryError("no thread can be made")

    def join(self) -> None:
        """Wait for the end."""
        _system().pthread_join(self._thread, None)
        _running.discard(self)


_running: set[_Thread] = set()
"""A thread nobody waits for any more, after Ctrl-C or since it was abandoned, still has to find its code."""


_Attributes = ctypes.c_uint64 * 32
"""pthread_attr_t, and more."""


def _created(thread: ctypes.c_void_p, size: int, start: Any, calls: int) -> bool:
    system = _system()
    attributes = _Attributes()
    system.pthread_attr_init(attributes)
    try:
        if size and system.pthread_attr_setstacksize(attributes, ctypes.c_size_t(size)):
            return False
        return not system.pthread_create(ctypes.byref(thread), attributes, start, ctypes.c_void_p(calls))
    finally:
        system.pthread_attr_destroy(attributes)


@cache
def _system() -> Any:
    return ctypes.CDLL(None)


# --- the limit of one thread --------------------------------------------------------------------------------------------

_WORDS = 32
"""So many integers at the beginning of a thread state are looked through; all versions have more."""
_State = ctypes.Array[ctypes.c_int]
_Words = ctypes.c_int * _WORDS


@contextmanager
def deep_recursion(calls: int) -> Iterator[None]:
    """So many calls may be nested in this thread meanwhile, whatever the limit of the others."""
    place = _place()
    if place is None:
        yield
        return
    state = _thread_state()
    before = state[place + 1]
    raised = max(before, calls)
    _set_limit(state, place, raised)
    try:
        yield
    finally:
        # Unless somebody has called sys.setrecursionlimit(), which is for all threads.
        if state[place + 1] == raised:
            _set_limit(state, place, before)


def _set_limit(state: _State, place: int, limit: int) -> None:
    state[place] += limit - state[place + 1]
    state[place + 1] = limit


@cache
def _place() -> int | None:
    """The integer of a thread state that says how many more calls may be made; behind it stands the limit."""
    if sys.implementation.name != "cpython":
        return None
    state = _thread_state()
    limit = sys.getrecursionlimit()
    places = [place for place in range(_WORDS - 1) if 0 < state[place] < state[place + 1] == limit]
    places = [place for place in places if all(_less(state, place, calls) == calls for calls in (1, 2, 5))]
    return places[0] if len(places) == 1 else None


def _thread_state() -> _State:
    return _Words.from_address(_get_thread_state()())


@cache
def _get_thread_state() -> Any:
    """Each prototype is a new type, of which one is enough."""
    return ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_Get", ctypes.pythonapi))


def _less(state: _State, place: int, calls: int) -> int:
    """How much less is left after so many nested calls."""

    def nested(calls: int) -> int:
        return nested(calls - 1) if calls else state[place]

    return nested(0) - nested(calls)
