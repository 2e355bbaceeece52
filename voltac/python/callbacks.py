"""Functions of Python that kernels call: where their exceptions wait until the kernel has ended, and its call raises them.

A kernel runs to its end whatever happens. Of all exceptions of a call the first one is raised. After it C functions
are called all the same, since the kernel needs their results, and those that raise give 0; what is printed after
it is dropped. Tasks run in threads of the pool, which belong to no call: their exceptions are raised by the
first call to end of those that can call back.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from _thread import RLock, get_ident
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from voltac.system.forking import new_in_child
from voltac.system.once import once

PRINT_FUNCTION = "volta_print_to_python"

_waiting: list[tuple[int, BaseException]] = []
"""Each with the thread it was raised in."""
raised = ctypes.c_int64(0)
"""Whether there are any; generated code reads it after each call."""
_lock = RLock()


def _begin_in_child() -> None:
    """The other threads are not there: what waits for calls of theirs would be taken for the pool's."""
    global _lock
    _lock = RLock()
    here = get_ident()
    _waiting[:] = [item for item in _waiting if item[0] == here]
    raised.value = bool(_waiting)


new_in_child(_begin_in_child)


def note(error: BaseException) -> None:
    """Keep an exception for the call to raise, if it is the first."""
    here = get_ident()
    with _lock:
        if all(there != here for there, _ in _waiting):
            _waiting.append((here, error))
            raised.value = 1


def raise_first() -> None:
    """Raise what the call that has just ended in this thread is to raise, if anything."""
    here = get_ident()
    with _lock:
        known = _threads()
        found = next((item for item in _waiting if item[0] == here), None)
        found = found or next((item for item in _waiting if item[0] not in known), None)
        if found is not None:
            # The rest of the pool's belongs to the same call most likely, and is no news.
            _waiting[:] = [item for item in _waiting if item[0] != here and item[0] in known]
            raised.value = bool(_waiting)
    if found is not None:
        raise found[1]


def _threads() -> set[int | None]:
    """Those that call kernels: threads of Python, rather than of the task pool."""
    import threading  # late: most programs call nothing of Python

    return {thread.ident for thread in threading.enumerate() if not isinstance(thread, threading._DummyThread)}


def _is_quiet() -> bool:
    """Whether the running call has failed already."""
    here, known = get_ident(), _threads()
    return any(there == here or there not in known or here not in known for there, _ in _waiting)


# --- functions that kernels call ----------------------------------------------------------------------------------------


def guarded(function: Any) -> Any:
    """A function of ctypes that notes the exceptions of the Python function it calls; the same one if it calls none."""
    target = _python_function(function)
    if target is None:
        return function
    known = vars(function).get("_voltac_guarded")
    if known is None:
        # It lives as long as the one it stands for: a kernel may keep the address.
        known = type(function)(_noting(target, _nothing(type(function)), type(function)._restype_))
        function._voltac_guarded = known
    return known


def _noting(function: Callable[..., Any], otherwise: object, type_: Any = None) -> Callable[..., Any]:
    """Results that do not become this type of ctypes count as exceptions: ctypes would give the kernel what memory held."""
    import threading  # noqa: F401 - a module that takes the thread it is first imported in for the main one: not one of the pool

    converts = type_ is not None and type_ is not ctypes.py_object

    def call(*arguments: Any) -> Any:
        try:
            result = function(*arguments)
            if converts:
                type_(result)
            return result
        except BaseException as error:
            note(error)
            return otherwise

    return call


def _python_function(function: object) -> Callable[..., Any] | None:
    """What a callback of ctypes calls; None for functions of libraries and for addresses."""
    for part in (getattr(function, "_objects", None) or {}).values():
        if type(part).__name__ == "CThunkObject":
            parts = [item for item in gc.get_referents(part) if item is not type(part)]
            # It refers to the converters of the arguments, the function, and the type of the result.
            if len(parts) >= 2 and isinstance(parts[0], tuple) and callable(parts[1]):
                return parts[1]  # type: ignore[no-any-return]
    return None


def _nothing(type_: Any) -> object:
    """Zero, as the result of a type of functions."""
    result = type_._restype_
    return None if result is None or result is ctypes.py_object else getattr(result(), "value", None)


@once
def print_function() -> Any:
    """What prints, one function for all programs of the process; ctypes takes the GIL, so threads of tasks may call it too."""
    return ctypes.CFUNCTYPE(None, ctypes.c_char_p)(_noting(_write, None))


def _write(text: bytes) -> None:
    """To Python's ``sys.stdout``, whatever that is when a kernel prints: a redirected stream, a notebook."""
    stream = sys.stdout
    if stream is not None and not (_waiting and _is_quiet()):
        stream.write(text.decode("utf-8", "backslashreplace"))
        stream.flush()


def with_print_function(functions: Mapping[str, object], called: Sequence[str]) -> Mapping[str, object]:
    """What a program that calls these C functions is given: its functions, and ours to print."""
    return {PRINT_FUNCTION: print_function(), **functions} if PRINT_FUNCTION in called else functions
