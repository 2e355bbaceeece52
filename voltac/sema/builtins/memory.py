"""Builtins that write memory as assignments do, and hints about it; those on blocks run once, whatever the mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.sema.builtins.rows import NUMBERS, UNSAFE, Effect, Lanes, Value, declares

if TYPE_CHECKING:
    from voltac.sema.builtins.gang import Gang

_store = declares(Effect.STORE, Lanes.ALL)
_hint = declares(Effect.HINT, Lanes.ALL)


@_store(UNSAFE, "u void", ("u T *", "v T", "v bool"), NUMBERS)
def __store_active(gang: Gang, pointer: Value, v: Value, wanted: Value) -> None:
    """Lanes with true to consecutive elements."""
    chosen = v[wanted]
    gang.memory.view(int(pointer), chosen.nbytes, write=True).view(v.dtype)[:] = chosen


@_store(UNSAFE, "u void", ("u T *", "R T"), NUMBERS)
def __store_streaming(gang: Gang, pointer: Value, v: Value) -> None:
    """One element past the caches, or W."""
    gang.memory.view(int(pointer), v.nbytes, write=True).view(v.dtype)[:] = v


def _copy(gang: Gang, target: Value, source: Value, size: Value) -> None:
    gang.memory.view(int(target), int(size), write=True)[:] = gang.memory.view(int(source), int(size)).copy()


@_store(UNSAFE, "u void", ("u void *", "u const void *", "u int64"))
def __memory_copy(gang: Gang, target: Value, source: Value, size: Value) -> None:
    """n bytes that do not overlap."""
    _copy(gang, target, source, size)


@_store(UNSAFE, "u void", ("u void *", "u const void *", "u int64"))
def __memory_move(gang: Gang, target: Value, source: Value, size: Value) -> None:
    """n bytes that may overlap."""
    _copy(gang, target, source, size)


@_store(UNSAFE, "u void", ("u void *", "u int8", "u int64"))
def __memory_set(gang: Gang, target: Value, value: Value, size: Value) -> None:
    """Sets n bytes."""
    gang.memory.view(int(target), int(size), write=True)[:] = value.astype(gang.np.uint8)


@_hint(UNSAFE, "u void", ("u const void *", "u int32", "u int32"))
def __prefetch(gang: Gang, pointer: Value, write: Value, nearness: Value) -> None:
    """The last two are constants: is it for writing, and how near, from 0 to 3."""
