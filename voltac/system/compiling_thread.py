"""The thread that compiles: a deep stack, and a fork waits for its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from voltac.system.deep_stack import with_deep_stack
from voltac.system.forking import compiling

T = TypeVar("T")


def in_compiling_thread(function: Callable[[], T]) -> T:
    """Call a function that compiles: with a deep stack, undisturbed by forks, and by signals, which the main thread handles.

    The thread may be abandoned, so locks that others need are better held by the caller: it gets an error.
    """

    def body() -> T:
        with compiling(within=True):
            return function()

    with compiling():
        return with_deep_stack(body)
