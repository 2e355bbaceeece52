"""Builtins that ask the machine: fences, clock, hardware random numbers, processors."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from voltac.sema.builtins.rows import UNSAFE, Effect, Lanes, Value, declares

if TYPE_CHECKING:
    from voltac.sema.builtins.gang import Gang

_ordered = declares(Effect.ORDERED, Lanes.OWN)


@_ordered(UNSAFE, "u void", ())
def __fence(gang: Gang) -> None:
    """Full memory fence."""


@_ordered(UNSAFE, "u int64", ())
def __clock(gang: Gang) -> Value:
    """Cycle counter."""
    return gang.np.int64(time.perf_counter_ns())


@_ordered(UNSAFE, "u bool", ("u int64 *",))
def __random_bits(gang: Gang, pointer: Value) -> Value:
    """Writes 64 hardware random bits; 0 and false if there are none."""
    found = os.urandom(8) if gang.has_random_bits else bytes(8)
    gang.memory.view(int(pointer), 8, write=True)[:] = gang.np.frombuffer(found, gang.np.uint8)
    return gang.np.bool_(gang.has_random_bits)


@declares(Effect.NONE, Lanes.OWN)(UNSAFE, "u int32", ())
def __processors(gang: Gang) -> Value:
    """Number of processors that are online."""
    return gang.np.int32(os.cpu_count() or 1)
