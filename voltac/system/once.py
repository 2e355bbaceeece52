"""What there is one of in the process, made when it is first asked for, in whichever thread.

``functools.cache`` does not wait: threads that ask at once each make a value, and the last one replaces the others, to
which generated code may point by then.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from voltac.system.forking import new_in_child

T = TypeVar("T")

_making = RLock()
"""One for all: values may ask for others. Free-threaded interpreters rely on it as those with a GIL do."""


def _new_lock() -> None:
    global _making
    _making = RLock()


new_in_child(_new_lock)


def once(make: Callable[[], T]) -> Callable[[], T]:
    """``make``, called at most once: the others wait for its value. What it raises is not kept."""
    made: list[T] = []

    @wraps(make)
    def value() -> T:
        if not made:
            with _making:
                if not made:
                    made.append(make())
        return made[0]

    return value
