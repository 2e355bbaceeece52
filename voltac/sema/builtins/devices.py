"""Builtins of devices with threads.

The interpreter is the one thread of a device: nobody else is waited for, and memory has no caches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.sema.builtins.rows import UNSAFE, Callers, Effect, Lanes, Value, declares

if TYPE_CHECKING:
    from voltac.sema.builtins.gang import Gang

_threads = declares(Effect.THREADS, Lanes.ALL)


@_threads(UNSAFE, "u void", ("u uint32", "u uint32"))
def __barrier(gang: Gang, number: Value, others: Value) -> None:
    """Waits for as many other threads."""


@_threads(UNSAFE, "u void", ("u void *",))
def __flush(gang: Gang, address: Value) -> None:
    """Makes the line of memory visible to the host."""


@_threads(UNSAFE, "u void", ("u void *",))
def __invalidate(gang: Gang, address: Value) -> None:
    """The same, and forgets the line."""


@_threads(UNSAFE, "u uint32", ("u uint32",))
def __read_control(gang: Gang, register: Value) -> Value:
    """Control register."""
    return gang.np.uint32(0)


@_threads(UNSAFE, "u void", ("u uint32", "u uint32"))
def __write_control(gang: Gang, value: Value, register: Value) -> None:
    """Sets a control register."""


@declares(Effect.ORDERED, Lanes.ALL, Callers.DEVICE_PROGRAMS)(UNSAFE, "u void", ("u uint32",))
def __write_mask(gang: Gang, bits: Value) -> None:
    """From here on the lanes whose bits are 1 run; which these are is the business of the statements of the interpreter."""
