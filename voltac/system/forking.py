"""``fork()`` takes place between compilations, so that the child has a compiler in a state that it can go on from.

A child has only the thread that forked. What others were in the middle of stays half
done for ever: LLVM's own structures, modules being imported, locks. So a fork waits until
compilations of other threads have ended, and those that want to begin wait for it.
Locks that are held for other reasons are made anew in the child.
"""

from __future__ import annotations

import os
from _thread import RLock, get_ident

TYPE_CHECKING = False  # see voltac/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Condition

_gate = RLock()
_ended: Condition | None = None
"""Of the gate: what threads wait for, once one has waited. A cached kernel is called without importing ``threading``."""
_compiling: dict[int, int] = {}
"""How many compilations each thread is in."""
_forks = 0
"""How many threads wait for their fork, or are at it."""
_locks: list[tuple[Callable[[], object], Callable[[], object]]] = []
_held: list[Callable[[], object]] = []
"""How to release those that the running fork has acquired; the gate is shut meanwhile."""


class _Compiling:
    def __init__(self, within: bool) -> None:
        self._within = within
        self._here = get_ident()

    def __enter__(self) -> None:
        with _gate:
            while _forks and not self._within and self._here not in _compiling:
                _wait()
            _compiling[self._here] = _compiling.get(self._here, 0) + 1

    def __exit__(self, *_: object) -> None:
        with _gate:
            left = _compiling.pop(self._here, 1) - 1
            if left:
                _compiling[self._here] = left
            _tell()


def compiling(within: bool = False) -> _Compiling:
    """No other thread forks meanwhile. ``within``: another thread, which does not go on before this one, does the same."""
    return _Compiling(within)


def never_ends(thread: int) -> None:
    """A thread that compiles stands still for ever: no fork waits for it."""
    with _gate:
        _compiling.pop(thread, None)
        _tell()


def lock_around_forks(acquire: Callable[[], object], release: Callable[[], object]) -> None:
    """A lock of somebody else, which is held for a short time only, is free in the child."""
    _locks.append((acquire, release))


def new_in_child(make: Callable[[], object]) -> None:
    """``make`` puts a new lock in place of one that a thread may hold which the child has not."""
    os.register_at_fork(after_in_child=make)


def _wait() -> None:
    """Until a compilation or a fork has ended; whoever calls is in the gate, and others get in meanwhile."""
    global _ended
    if _ended is None:
        from threading import Condition  # late: a cached kernel is called without it

        _ended = Condition(_gate)
    _ended.wait()


def _tell() -> None:
    if _ended is not None:
        _ended.notify_all()


def _before() -> None:
    global _forks
    here = get_ident()
    _gate.acquire()
    _forks += 1
    while any(thread != here for thread in _compiling):
        _wait()
    # Only now: a compilation that is waited for needs them.
    for acquire, release in _locks:
        acquire()
        _held.append(release)


def _after_in_parent() -> None:
    global _forks
    while _held:
        _held.pop()()
    _forks -= 1
    _tell()
    _gate.release()


def _after_in_child() -> None:
    global _gate, _ended, _forks
    while _held:
        _held.pop()()
    _gate, _ended = RLock(), None
    _forks = 0


os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
