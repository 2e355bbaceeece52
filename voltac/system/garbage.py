"""Python looks for no circles among objects while something compiles, which takes a tenth of the time and finds few.

A compilation makes hundreds of thousands of objects that live until its end, and few circles; the more there
are, the longer each look takes. What became garbage meanwhile is found at the first look afterwards.
"""

from __future__ import annotations

import gc
from _thread import allocate_lock

from voltac.system.forking import new_in_child

_lock = allocate_lock()
_compilations = 0
"""So many are under way, in all threads."""
_looked = False
"""Whether Python looked for circles before the first of them."""


class _Uncollected:
    def __enter__(self) -> None:
        global _compilations, _looked
        with _lock:
            if not _compilations:
                _looked = gc.isenabled()
                gc.disable()
            _compilations += 1

    def __exit__(self, *_: object) -> None:
        global _compilations
        with _lock:
            _compilations -= 1
            if not _compilations and _looked:
                gc.enable()


def uncollected() -> _Uncollected:
    """Nobody looks for circles meanwhile; afterwards it is as before."""
    return _Uncollected()


def _new_lock() -> None:
    global _lock
    _lock = allocate_lock()


new_in_child(_new_lock)
